package link

import (
	"context"
	"sync"
	"time"
)

// acceptAgain is the wait after a connection could not be taken.
const acceptAgain = time.Second

// accept takes connections until ctx ends. Those that come while maxHandshakes
// strangers have yet to say who they are, are ended.
func (p *Peers) accept(ctx context.Context, work *sync.WaitGroup) {
	places := make(chan struct{}, maxHandshakes)
	for ctx.Err() == nil {
		conn, err := p.config.Listener.Accept()
		if err != nil {
			sleep(ctx, acceptAgain)
			continue
		}
		select {
		case places <- struct{}{}:
			work.Go(func() { p.receive(ctx, conn, func() { <-places }) })
		default:
			conn.Close()
		}
	}
}

func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
