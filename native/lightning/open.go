package lightning

import (
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"time"

	core "obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/link"
	maker "obverse/core/wallet/lightning/node"
)

// Opener makes the peers of Lightning nodes.
type Opener struct {
	IP     string // to listen on; "" : nobody can connect
	Random io.Reader
	Now    func() time.Time
	// Changed is told of connections, see link.Config; nil: nobody is.
	Changed func(core.Peer)
}

// Open implements maker.Open.
func (o Opener) Open(ctx context.Context, s maker.Setup) (peers maker.Peers, listening string, err error) {
	c := link.Config{Key: s.Key, Dialer: Dialer{}, Random: o.Random, Now: o.Now, Networks: [][32]byte{s.Chain}, Changed: o.Changed}
	if o.IP != "" {
		listener, err := Listen(ctx, net.JoinHostPort(o.IP, strconv.Itoa(int(s.Port))))
		if err != nil {
			return nil, "", fmt.Errorf("%w: %w (listening_port sets the port)", maker.ErrListen, err)
		}
		c.Listener, listening = listener, listener.Addr()
	}
	return link.New(c), listening, nil
}
