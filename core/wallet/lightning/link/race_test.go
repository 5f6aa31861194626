package link

import (
	"bytes"
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/noise"
	"obverse/core/wallet/lightning/wire"
)

// late is a connection on which data reaches the other side with a delay.
type late struct {
	Conn
	by time.Duration
}

func (l *late) Read(p []byte) (int, error) {
	time.Sleep(l.by)
	l.by = 0
	return l.Conn.Read(p)
}

// call is an attempt to connect that is in progress.
type call chan error

func (n *node) begin(t *testing.T, address string, timeout time.Duration) call {
	c := make(call, 1)
	go func() {
		_, err := n.Connect(t.Context(), parse(t, address), timeout)
		c <- err
	}()
	synctest.Wait()
	return c
}

// TestTwoRightAddresses checks that two addresses can lead to the same node. The slower one is
// not used, and its callers get the connection of the faster one.
func TestTwoRightAddresses(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "")
		greeted := 0
		serve := func(handshake, greeting time.Duration) func(Conn) {
			return func(conn Conn) {
				s := answer(t, &late{conn, handshake}, "bob")
				if s == nil {
					return // the other side disconnected before the last act
				}
				greeted++
				time.Sleep(greeting)
				s.greet(usual())
				s.behave()
			}
		}
		w.put("fast.example:9735", serve(time.Second, 3*time.Second))
		w.put("slow.example:9735", serve(2*time.Second, 0))
		w.put("late.example:9735", serve(5*time.Second, 0))
		fast := alice.begin(t, at(t, "bob", "fast.example:9735"), 0)
		slow := alice.begin(t, at(t, "bob", "slow.example:9735"), 0)
		after := alice.begin(t, at(t, "bob", "late.example:9735"), 0)
		require.Equal(t, lightning.Connecting, alice.state(idOf(t, "bob")))
		require.Equal(t, "fast.example:9735", alice.peerOf(idOf(t, "bob")).Address)
		begun := time.Now()
		for _, c := range []call{fast, slow, after} {
			require.NoError(t, <-c)
			require.Equal(t, 4*time.Second, time.Since(begun))
		}
		time.Sleep(time.Minute)
		require.Equal(t, 1, greeted)
		require.Equal(t, "fast.example:9735", alice.peerOf(idOf(t, "bob")).Address)
	})
}

// TestSharedAttemptFails checks that a failed handshake is reported to all remaining callers,
// including one whose own attempt was merged into that of a caller that has left.
func TestSharedAttemptFails(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "")
		w.put("a.example:9735", func(conn Conn) {
			if s := answer(t, conn, "bob"); s != nil {
				time.Sleep(2 * time.Second)
				conn.Close()
			}
		})
		w.put("b.example:9735", func(conn Conn) { answer(t, &late{conn, time.Second}, "bob") })
		begun := time.Now()
		a, b := alice.begin(t, at(t, "bob", "a.example:9735"), 1500*time.Millisecond), alice.begin(t, at(t, "bob", "b.example:9735"), time.Minute)
		impatient := alice.begin(t, at(t, "bob", "a.example:9735"), time.Second)
		require.ErrorIs(t, <-impatient, lightning.ErrTimeout)
		require.ErrorIs(t, <-a, lightning.ErrTimeout)
		require.ErrorIs(t, <-b, lightning.ErrHandshake)
		require.Equal(t, 2*time.Second, time.Since(begun))
		require.Empty(t, alice.List())
	})
}

// TestAbandoned checks that an attempt without callers is cancelled, even after the handshake.
func TestAbandoned(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "")
		ended := make(chan time.Time, 2)
		w.put("bob.example:9735", func(conn Conn) {
			if s := answer(t, conn, "bob"); s != nil {
				_, _ = io.Copy(io.Discard, conn)
				ended <- time.Now()
			}
		})
		begun := time.Now()
		require.ErrorIs(t, <-alice.begin(t, at(t, "bob", "bob.example:9735"), time.Second), lightning.ErrTimeout)
		require.Equal(t, begun.Add(time.Second), <-ended)
		synctest.Wait()
		require.Empty(t, alice.List())

		waiting := alice.begin(t, at(t, "bob", "bob.example:9735"), time.Minute)
		require.NoError(t, alice.Disconnect(idOf(t, "bob")))
		require.ErrorIs(t, <-waiting, lightning.ErrDisconnected)
		<-ended
		dialling := alice.begin(t, at(t, "bob", "down.example:1"), time.Minute)
		require.NoError(t, alice.Disconnect(idOf(t, "bob")))
		require.ErrorIs(t, <-dialling, lightning.ErrDisconnected)
		synctest.Wait()
		require.Empty(t, alice.List())
	})
}

// TestCrossingConnections checks a node that closes this node's connection because it is
// connecting at the same time, and its own connection must be kept. The new connection replaces
// the old one. If it does not come, the connection has just ended.
func TestCrossingConnections(t *testing.T) {
	for _, comes := range []bool{true, false} {
		inWorld(t, func(t *testing.T, w *world) {
			alice := w.start(t, "alice", "alice.example:9735")
			name := "bob"
			if bytes.Compare(alice.self[:], idBytes(t, name)) < 0 {
				name = "dave"
			}
			require.Positive(t, bytes.Compare(alice.self[:], idBytes(t, name)), "alice has the greater id")
			w.put("peer.example:9735", func(conn Conn) {
				s := answer(t, conn, name)
				require.NotNil(t, s)
				conn.Close()
				if comes {
					time.Sleep(crossingWait / 2)
					s = w.call(t, name, alice)
					s.greet(usual())
					s.behave()
				}
			})
			begun := time.Now()
			err := <-alice.begin(t, at(t, name, "peer.example:9735"), 0)
			if !comes {
				require.ErrorIs(t, err, lightning.ErrHandshake)
				require.Equal(t, crossingWait, time.Since(begun))
				return
			}
			require.NoError(t, err)
			require.Equal(t, crossingWait/2, time.Since(begun))
			require.True(t, alice.List()[0].Inbound)
			require.True(t, alice.List()[0].Persistent)
			require.Equal(t, []lightning.State{lightning.Connected}, alice.history())
		})
	}
}

// TestPeerClosesForGood checks that a node that disconnects is not waited for if it cannot
// connect to this node, or if its connection would not be the one to keep.
func TestPeerClosesForGood(t *testing.T) {
	for _, c := range []struct {
		name, listens string
		greater       bool // whether the id must be greater than alice's
	}{{"no listener", "", true}, {"ours would count", "alice.example:9735", false}} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				alice := w.start(t, "alice", c.listens)
				name := "bob"
				if bytes.Compare(alice.self[:], idBytes(t, name)) > 0 != c.greater {
					name = "dave"
				}
				require.Equal(t, c.greater, bytes.Compare(alice.self[:], idBytes(t, name)) > 0)
				w.put("peer.example:9735", hello(t, name, nil))
				begun := time.Now()
				require.ErrorIs(t, <-alice.begin(t, at(t, name, "peer.example:9735"), 0), lightning.ErrHandshake)
				require.Equal(t, begun, time.Now())
			})
		})
	}
}

// TestInboundDuringDial checks a node that connects by itself while the user is calling it. It
// counts as wanted, and is called again when it disconnects.
func TestInboundDuringDial(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "alice.example:9735")
		calling := alice.begin(t, at(t, "bob", "bob.example:1"), 0) // nothing listens there
		bob := w.call(t, "bob", alice)
		bob.greet(usual())
		go bob.behave()
		require.NoError(t, <-calling)
		require.True(t, alice.peerOf(idOf(t, "bob")).Persistent)
		bob.conn.Close()
		time.Sleep(2 * firstRetry)
		require.Equal(t, lightning.Waiting, alice.state(idOf(t, "bob")))
		require.Len(t, w.dialled(), 3, "by us, by bob and by us again")
	})
}

// TestTimeoutKeepsInboundConnection checks that a caller that stops waiting for a connection
// which the other side has opened does not end the connection.
func TestTimeoutKeepsInboundConnection(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "alice.example:9735")
		bob := w.call(t, "bob", alice)
		w.put("bob.example:9735", decent(t, "bob"))
		synctest.Wait()
		require.ErrorIs(t, <-alice.begin(t, at(t, "bob", "bob.example:9735"), time.Second), lightning.ErrTimeout)
		bob.greet(usual())
		go bob.behave()
		synctest.Wait()
		require.Equal(t, lightning.Connected, alice.state(idOf(t, "bob")))
		require.False(t, alice.peerOf(idOf(t, "bob")).Persistent, "the user received the error")
	})
}

// TestDisconnectEndsTheCall checks that Disconnect ends an attempt in progress.
func TestDisconnectEndsTheCall(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		ended := make(chan struct{})
		alice := w.start(t, "alice", "", func(c *Config) {
			c.Dialer = dialerFunc(func(ctx context.Context) (Conn, error) {
				<-ctx.Done()
				close(ended)
				return nil, ctx.Err()
			})
		})
		calling := alice.begin(t, at(t, "bob", "bob.example:1"), time.Minute)
		begun := time.Now()
		require.NoError(t, alice.Disconnect(idOf(t, "bob")))
		<-ended
		require.ErrorIs(t, <-calling, lightning.ErrDisconnected)
		require.Equal(t, begun, time.Now())
	})
}

type dialerFunc func(context.Context) (Conn, error)

func (f dialerFunc) Dial(ctx context.Context, _ string, _ uint16) (Conn, error) { return f(ctx) }

// deaf is a connection to a node that reads nothing more, but has sent something.
type deaf struct {
	Conn
	takes int
}

var errPipe = errors.New("broken pipe")

func (d *deaf) Write(p []byte) (int, error) {
	if d.takes--; d.takes < 0 {
		return 0, errPipe
	}
	return d.Conn.Write(p)
}

// TestErrorAfterFailedWrite checks that the reason that a node sent before it disconnected is
// reported, rather than the error of the failed write.
func TestErrorAfterFailedWrite(t *testing.T) {
	for _, says := range []bool{true, false} {
		inWorld(t, func(t *testing.T, w *world) {
			w.put("bob.example:9735", func(conn Conn) {
				s := answer(t, conn, "bob")
				if !says {
					return
				}
				time.Sleep(drainTimeout / 2)
				s.say(wire.Problem{Text: "go away"}.Encode(wire.TypeError))
				conn.Close()
			})
			alice := w.start(t, "alice", "", func(c *Config) {
				c.Dialer = dialerFunc(func(ctx context.Context) (Conn, error) {
					conn, err := w.Dial(ctx, "bob.example", 9735)
					return &deaf{conn, 2}, err // acts 1 and 3, but not init
				})
			})
			err := <-alice.begin(t, at(t, "bob", "bob.example:9735"), 0)
			require.ErrorIs(t, err, lightning.ErrHandshake)
			if says {
				require.ErrorContains(t, err, `the node's message: "go away"`)
			} else {
				require.ErrorIs(t, err, errPipe)
			}
		})
	}
}

// TestDamagedMessages checks that a message that was changed in transit ends the connection.
func TestDamagedMessages(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "alice.example:9735")
		bob := w.call(t, "bob", alice)
		bob.greet(usual())
		_, err := bob.conn.Write(make([]byte, 40))
		require.NoError(t, err)
		_, err = bob.reader.Read()
		require.Error(t, err)
		synctest.Wait()
		require.ErrorIs(t, alice.reason(), noise.ErrFrame)
	})
}
