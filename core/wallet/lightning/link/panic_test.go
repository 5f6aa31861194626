package link

import (
	"context"
	"net/netip"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/lightning"
)

// cracked is a connection that panics when it is read.
type cracked struct{ Conn }

func (cracked) Read([]byte) (int, error) { panic("s3cret") }
func (c cracked) Remote() netip.AddrPort { return c.Conn.Remote() }

// breaking is a dialer of connections that panic.
type breaking struct{ Dialer }

func (b breaking) Dial(ctx context.Context, host string, port uint16) (Conn, error) {
	conn, err := b.Dialer.Dial(ctx, host, port)
	if err != nil {
		return nil, err
	}
	return cracked{conn}, nil
}

// TestPeersThatPanic checks that a panic caused by a peer's bytes ends only its connection.
func TestPeersThatPanic(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		bob := w.start(t, "bob", "bob.example:9735")
		alice := w.start(t, "alice", "", func(c *Config) { c.Dialer = breaking{w} })
		_, err := alice.Connect(t.Context(), parse(t, bob.address()), 0)
		require.ErrorIs(t, err, lightning.ErrHandshake)
		require.NotContains(t, err.Error(), "s3cret")

		carol := w.start(t, "carol", "")
		connects(t, carol, bob.address())
		bob.stop()
		carol.stop()
		alice.stop()
	})
}
