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

// late is a connection whose other side hears nothing for a while.
type late struct {
	Conn
	by time.Duration
}

func (l *late) Read(p []byte) (int, error) {
	time.Sleep(l.by)
	l.by = 0
	return l.Conn.Read(p)
}

// call is an attempt to connect that is under way.
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
					return // we have hung up before the last act
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

// A node hangs up on us because it is connecting to us at the same time, and its
// connection is the one that counts: ours becomes that one. If it does not come the node
// has just hung up.
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

// A node that hangs up is not waited for if it cannot connect to us, or if its
// connection would not be the one that counts.
func TestPeerClosesForGood(t *testing.T) {
	for _, c := range []struct {
		name, listens string
		greater       bool // has alice's id to be
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

// A node that the user is calling connects by itself: it is wanted all the same, and
// called when it goes.
func TestInboundDuringDial(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "alice.example:9735")
		calling := alice.begin(t, at(t, "bob", "bob.example:1"), 0) // where nothing listens
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

// Who waits for a connection that the other side has begun and gives up does not end
// that one.
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

// What is called no more is not waited for by anybody.
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

// deaf is a connection to a node that takes nothing more, and has yet something to say.
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

// A node that is gone when something is written to it may have said why: that counts,
// and not how it was noticed.
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
					return &deaf{conn, 2}, err // acts 1 and 3, and no init
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

// What arrives is not what the peer has encrypted.
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
