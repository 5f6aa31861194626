package link

import (
	"context"
	"time"

	"obverse/core/wallet/lightning"
)

// Waits before the next attempt to connect anew: each is twice the one before.
const (
	firstRetry = time.Second
	lastRetry  = 2 * time.Minute
	// settled is how long a connection must have lasted for the first wait to be taken.
	settled = 30 * time.Second
)

// attempt connects to the address of a try and holds the connection. It returns when
// that is over, or another connection is to be used, and says how long it was up.
func (p *Peers) attempt(ctx context.Context, n *peer, t *try) time.Duration {
	trying, cancel := context.WithCancel(ctx)
	defer cancel()
	if !p.start(t, cancel) {
		return 0
	}
	l, err := p.reach(trying, n, t)
	switch {
	case ctx.Err() != nil && l == nil:
		p.fail(n, t, lightning.ErrStopped)
		return 0
	case err != nil:
		p.fail(n, t, err)
		return 0
	case l == nil:
		return 0
	}
	return p.serve(ctx, n, l)
}

// keepUp is called when a connection is over that lasted for some time, or could not be
// made. It connects to a node that the user wants, until it is connected in another
// way, or not wanted.
func (p *Peers) keepUp(ctx context.Context, n *peer, lasted time.Duration) {
	if !p.beginKeeping(n) {
		return
	}
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		if lasted >= settled {
			wait = firstRetry
		}
		p.pause(ctx, n, p.jitter(wait))
		t, begun := p.retry(ctx, n)
		if t == nil {
			return
		}
		lasted = 0
		late := time.AfterFunc(lightning.DefaultTimeout, func() { p.leave(n, t) })
		if begun {
			lasted = p.attempt(ctx, n, t)
		} else {
			<-t.done // somebody else is at it
		}
		if late.Stop() {
			p.leave(n, t)
		}
	}
}

// beginKeeping reports whether a node wants to be connected to and nobody sees to it.
func (p *Peers) beginKeeping(n *peer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n.link != nil || n.keep == nil || n.keeping || p.ending {
		return false
	}
	n.keeping = true
	return true
}

// pause waits for the time of the next attempt, or until something has changed.
func (p *Peers) pause(ctx context.Context, n *peer, d time.Duration) {
	p.mu.Lock()
	select {
	case <-n.wake: // of what was before
	default:
	}
	idle := n.link == nil && n.keep != nil
	n.next = p.config.Now().Add(d)
	p.mu.Unlock()
	if !idle {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-n.wake:
	case <-ctx.Done():
	}
}

// retry begins the next attempt, or finds the one that is under way. There is none when
// there is nothing to keep; then nobody sees to the node any more.
func (p *Peers) retry(ctx context.Context, n *peer) (t *try, begun bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n.link != nil || n.keep == nil || p.ending || ctx.Err() != nil {
		n.keeping = false
		p.tidy(n)
		return nil, false
	}
	n.next = time.Time{}
	t = n.tries[n.keep.Place()]
	if t == nil {
		t, begun = n.try(*n.keep), true
	}
	t.waiters++
	return t, begun
}

// jitter makes a wait up to a quarter shorter or longer, so that many nodes do not
// call at once.
func (p *Peers) jitter(d time.Duration) time.Duration {
	var b [1]byte
	if _, err := p.config.Random.Read(b[:]); err != nil {
		return d
	}
	return d - d/4 + d/2*time.Duration(b[0])/255
}
