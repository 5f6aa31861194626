package link

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/wire"
)

// TestConnect checks that two nodes get one connection, and that it lasts.
func TestConnect(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice, bob := w.start(t, "alice", ""), w.start(t, "bob", "bob.example:9735")
		begun := time.Now()
		connects(t, alice, bob.address())
		require.Equal(t, []string{"bob.example:9735"}, w.dialled())
		require.Equal(t, []lightning.Peer{{Node: bob.ID(), Address: "bob.example:9735", State: lightning.Connected, Persistent: true, Since: begun}},
			withoutSeen(alice.List()))
		synctest.Wait()
		require.Equal(t, []lightning.Peer{{Node: alice.ID(), Address: "198.51.100.7:4321", State: lightning.Connected, Inbound: true, Since: begun}}, bob.List())
		require.Equal(t, "198.51.100.7:4321", alice.List()[0].Seen.String(), "bob reports alice's address")

		for _, other := range []string{bob.address(), at(t, "bob", "elsewhere.example:1")} {
			already, err := alice.Connect(t.Context(), parse(t, other), 0)
			require.NoError(t, err)
			require.True(t, already, "whatever the address says")
		}
		time.Sleep(24 * time.Hour)
		require.Equal(t, []lightning.State{lightning.Connected}, alice.history())
		require.Equal(t, []lightning.State{lightning.Connected}, bob.history())
		require.Equal(t, begun, alice.List()[0].Since)
		require.Len(t, w.dialled(), 1)

		require.NoError(t, alice.Disconnect(bob.ID()))
		require.Empty(t, alice.List())
		require.ErrorIs(t, alice.Disconnect(bob.ID()), lightning.ErrNotConnected)
		time.Sleep(time.Hour)
		require.Empty(t, bob.List())
		require.Len(t, w.dialled(), 1, "the user wanted an end")
		require.Equal(t, []lightning.State{lightning.Disconnected}, alice.history())
		connects(t, alice, bob.address())
	})
}

func withoutSeen(all []lightning.Peer) []lightning.Peer {
	for n := range all {
		all[n].Seen = lightning.Peer{}.Seen
	}
	return all
}

// TestConnectAtTheSameTime checks that concurrent calls share one connection.
func TestConnectAtTheSameTime(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice, bob := w.start(t, "alice", ""), w.start(t, "bob", "bob.example:9735")
		var calls sync.WaitGroup
		for range 50 {
			calls.Go(func() {
				_, err := alice.Connect(t.Context(), parse(t, bob.address()), 0)
				require.NoError(t, err)
			})
		}
		calls.Wait()
		synctest.Wait()
		require.Len(t, w.dialled(), 1)
		require.Len(t, bob.List(), 1)
	})
}

// TestConnectToMultipleAddresses dials several addresses of a node at the same time. The wrong
// addresses must not delay a caller, and the node must get only one connection.
func TestConnectToMultipleAddresses(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice, bob := w.start(t, "alice", ""), w.start(t, "bob", "bob.example:9735")
		w.put("silent.example:9735", func(c Conn) { _, _ = io.Copy(io.Discard, c) })
		w.put("carol.example:9735", decent(t, "carol"))
		begun := time.Now()
		var calls sync.WaitGroup
		failed := make(chan error, 4)
		for _, place := range []string{"silent.example:9735", "down.example:1", "bob.example:9735", "carol.example:9735"} {
			calls.Go(func() {
				_, err := alice.Connect(t.Context(), parse(t, at(t, "bob", place)), 0)
				failed <- err
			})
		}
		calls.Wait()
		close(failed)
		for err := range failed {
			if err != nil { // carol may have been tried before bob answered
				require.ErrorIs(t, err, lightning.ErrHandshake)
			}
		}
		require.Equal(t, begun, time.Now(), "no time has passed")
		require.Equal(t, "bob.example:9735", alice.List()[0].Address)
		synctest.Wait()
		require.Len(t, bob.List(), 1)
		for place := range 2 * maxAttempts {
			go alice.Connect(t.Context(), parse(t, at(t, "dave", "10.0.0."+string(rune('0'+place%10))+":1")), time.Second)
		}
		synctest.Wait()
		require.Len(t, slices.DeleteFunc(w.dialled(), func(place string) bool { return !strings.HasPrefix(place, "10.0.0.") }), maxAttempts)
	})
}

// hello returns a node that sends another message than init, or disconnects.
func hello(t testing.TB, name string, message []byte) func(Conn) {
	return func(conn Conn) {
		if s := answer(t, conn, name); s != nil {
			if message == nil {
				conn.Close()
				return
			}
			s.hear()
			s.say(message)
			s.behave()
		}
	}
}

// failingPlace is a place to which no connection can be opened.
type failingPlace struct {
	name  string
	place func(testing.TB) func(Conn) // nil means that nothing listens
	port  string
	want  error
	text  string
	after time.Duration
}

func failingPlaces() []failingPlace {
	return []failingPlace{
		{"no listener", nil, "9735", lightning.ErrUnreachable, "unreachable: connection refused", 0},
		{"no answer to the call", nil, "1", lightning.ErrTimeout, "timed out: no connection within 10s", 10 * time.Second},
		{"a silent port", func(testing.TB) func(Conn) { return func(c Conn) { _, _ = io.Copy(io.Discard, c) } }, "9735",
			lightning.ErrTimeout, "timed out: the node does not answer the handshake within 10s", 10 * time.Second},
		{"a port that does not even read", func(testing.TB) func(Conn) { return func(Conn) {} }, "9735",
			lightning.ErrTimeout, "timed out: the node does not answer the handshake within 10s", 10 * time.Second},
		{"another node", func(t testing.TB) func(Conn) { return decent(t, "carol") }, "9735", lightning.ErrHandshake,
			"disconnected before finishing the handshake: the node hung up before it authenticated; another node may have this address", 0},
		{"a web server", func(testing.TB) func(Conn) {
			return func(c Conn) {
				_, _ = io.ReadFull(c, make([]byte, 50))
				_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\nContent-Length: 0\r\n\r\n")
				c.Close()
			}
		}, "9735", lightning.ErrHandshake, "disconnected before finishing the handshake: act 2 of the handshake: unsupported version 72, want 0", 0},
		{"an echo", func(testing.TB) func(Conn) { return func(c Conn) { _, _ = io.Copy(c, c) } }, "9735", lightning.ErrHandshake,
			"disconnected before finishing the handshake: act 2 of the handshake: authentication failed", 0},
		{"hangs up after the handshake", func(t testing.TB) func(Conn) { return hello(t, "bob", nil) }, "9735", lightning.ErrHandshake,
			"", 0},
		{"no init", func(t testing.TB) func(Conn) {
			return func(c Conn) {
				if s := answer(t, c, "bob"); s != nil {
					s.hear()
					s.behave()
				}
			}
		}, "9735", lightning.ErrTimeout, "timed out: the node did not send an init message", 10 * time.Second},
		{"does not read after the handshake", func(t testing.TB) func(Conn) { return func(c Conn) { answer(t, c, "bob") } }, "9735",
			lightning.ErrTimeout, "timed out: the node did not send an init message within 10s", 10 * time.Second},
		{"another message", func(t testing.TB) func(Conn) { return hello(t, "bob", wire.Ping{}.Encode()) }, "9735", lightning.ErrHandshake,
			"disconnected before finishing the handshake: the first message is not init", 0},
		{"an error", func(t testing.TB) func(Conn) {
			return func(c Conn) {
				if s := answer(t, c, "bob"); s != nil {
					s.hear()
					s.say(wire.Problem{Text: "go away"}.Encode(wire.TypeError))
					c.Close()
				}
			}
		}, "9735", lightning.ErrHandshake, `disconnected before finishing the handshake: the node hung up; the node's message: "go away"`, 0},
		{"half an init", func(t testing.TB) func(Conn) { return hello(t, "bob", []byte{0, 16, 0}) }, "9735", lightning.ErrHandshake,
			"disconnected before finishing the handshake: invalid message: init: truncated", 0},
		{"half a message", func(t testing.TB) func(Conn) { return hello(t, "bob", []byte{0}) }, "9735", lightning.ErrHandshake,
			"disconnected before finishing the handshake: invalid message: type: truncated", 0},
		{"an unknown feature", func(t testing.TB) func(Conn) {
			return hello(t, "bob", wire.Init{Features: wire.Features{1, 0, 0, 0, 0, 0, 0, 0, 0}}.Encode())
		}, "9735", lightning.ErrHandshake, "disconnected before finishing the handshake: feature 64 is required and not supported", 0},
		{"other chains", func(t testing.TB) func(Conn) { return hello(t, "bob", wire.Init{Networks: [][32]byte{{2}}}.Encode()) }, "9735",
			lightning.ErrHandshake, "disconnected before finishing the handshake: no chain in common with the node", 0},
	}
}

func TestNoConnection(t *testing.T) {
	for _, c := range failingPlaces() {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				alice := w.start(t, "alice", "", func(c *Config) { c.Networks = [][32]byte{{1}} })
				var open []Conn
				if c.place != nil {
					handle := c.place(t)
					w.put("bob.example:9735", func(conn Conn) { open = append(open, conn); handle(conn) })
				}
				begun := time.Now()
				already, err := alice.Connect(t.Context(), parse(t, at(t, "bob", "bob.example:"+c.port)), 0)
				require.False(t, already)
				require.ErrorIs(t, err, c.want)
				if c.text != "" {
					require.True(t, strings.HasPrefix(err.Error(), c.text), "%v", err)
				}
				require.Equal(t, c.after, time.Since(begun))
				require.Empty(t, alice.List())
				time.Sleep(time.Minute)
				require.Len(t, w.dialled(), 1, "no caller wanted another attempt")
				require.Empty(t, alice.history())
				synctest.Wait()
				for _, conn := range open { // this node must leave no connection open
					_, err := conn.Write([]byte{0})
					require.Error(t, err)
				}
			})
		})
	}
}

func TestTimeoutOfTheCaller(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "")
		for _, c := range []struct{ timeout, want time.Duration }{{time.Second, time.Second}, {0, 10 * time.Second}, {time.Minute, time.Minute},
			{24 * time.Hour, lightning.MaxTimeout}} {
			begun := time.Now()
			_, err := alice.Connect(t.Context(), parse(t, at(t, "bob", "bob.example:1")), c.timeout)
			require.ErrorIs(t, err, lightning.ErrTimeout)
			require.Equal(t, c.want, time.Since(begun))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := alice.Connect(ctx, parse(t, at(t, "bob", "bob.example:1")), 0)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		_, err = alice.Connect(ctx, parse(t, at(t, "bob", "bob.example:1")), 0)
		require.ErrorIs(t, err, context.DeadlineExceeded, "before anything is done")
		require.Len(t, w.dialled(), 5)
	})
}

// TestOneOfTwoWaitersGivesUp checks that an attempt goes on if one of two callers stops
// waiting.
func TestOneOfTwoWaitersGivesUp(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "")
		w.put("bob.example:9735", func(conn Conn) {
			time.Sleep(20 * time.Second)
			decent(t, "bob")(conn)
		})
		impatient := make(chan error, 1)
		go func() {
			_, err := alice.Connect(t.Context(), parse(t, at(t, "bob", "bob.example:9735")), time.Second)
			impatient <- err
		}()
		time.Sleep(time.Second / 2)
		_, err := alice.Connect(t.Context(), parse(t, at(t, "bob", "bob.example:9735")), 30*time.Second)
		require.NoError(t, err)
		require.ErrorIs(t, <-impatient, lightning.ErrTimeout)
		require.Len(t, w.dialled(), 1)
	})
}

func TestRefusedBeforeAnything(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "", func(c *Config) { c.MaxPeers = 2 })
		_, err := alice.Connect(t.Context(), parse(t, at(t, "alice", "alice.example:9735")), 0)
		require.ErrorIs(t, err, lightning.ErrSelf)
		for _, name := range []string{"bob", "carol", "dave"} {
			w.put(name+".example:9735", decent(t, name))
			_, err = alice.Connect(t.Context(), parse(t, at(t, name, name+".example:9735")), 0)
			if name == "dave" {
				require.ErrorIs(t, err, lightning.ErrTooMany)
			} else {
				require.NoError(t, err)
			}
		}
		require.NoError(t, alice.Disconnect(idOf(t, "bob")))
		connects(t, alice, at(t, "dave", "dave.example:9735"))
		require.ErrorIs(t, alice.Disconnect(idOf(t, "bob")), lightning.ErrNotConnected)

		mute := w.start(t, "mute", "", func(c *Config) { c.Dialer = nil })
		_, err = mute.Connect(t.Context(), parse(t, at(t, "bob", "bob.example:9735")), 0)
		require.ErrorIs(t, err, lightning.ErrNoDialer)
		broken := errors.New("no entropy")
		poor := w.start(t, "poor", "", func(c *Config) { c.Random = failing{broken} })
		_, err = poor.Connect(t.Context(), parse(t, at(t, "bob", "bob.example:9735")), 0)
		require.ErrorIs(t, err, broken)
	})
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

// TestStop checks that stopping the node ends all connections and attempts, and that later
// calls fail. The bubble checks that no goroutine is left.
func TestStop(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice, bob := w.start(t, "alice", "alice.example:9735"), w.start(t, "bob", "bob.example:9735")
		connects(t, alice, bob.address())
		w.put("silent.example:9735", func(c Conn) { _, _ = io.Copy(io.Discard, c) })
		waiting := make(chan error, 3)
		for _, place := range []string{"silent.example:9735", "down.example:1", "silent.example:9735"} {
			go func() {
				_, err := alice.Connect(t.Context(), parse(t, at(t, "carol", place)), time.Minute)
				waiting <- err
			}()
		}
		half, err := w.Dial(t.Context(), "alice.example", 9735) // sends nothing
		require.NoError(t, err)
		synctest.Wait()
		begun := time.Now()
		alice.stop()
		require.Equal(t, begun, time.Now())
		for range cap(waiting) {
			require.ErrorIs(t, <-waiting, lightning.ErrStopped)
		}
		_, err = half.Read(make([]byte, 1))
		require.Error(t, err)
		synctest.Wait()
		require.Empty(t, bob.List())
		_, err = alice.Connect(t.Context(), parse(t, bob.address()), 0)
		require.ErrorIs(t, err, lightning.ErrStopped)
		require.Empty(t, alice.List())
	})
}

// TestBeforeRun checks that a node that does not run fails to connect when the timeout ends.
func TestBeforeRun(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		bob := w.start(t, "bob", "bob.example:9735")
		early := New(Config{Key: keyOf(t, "early"), Dialer: w, Random: newRandom("early"), Now: time.Now})
		_, err := early.Connect(t.Context(), parse(t, bob.address()), time.Second)
		require.ErrorIs(t, err, lightning.ErrTimeout)
		done := make(chan error, 1)
		go func() {
			_, err := early.Connect(t.Context(), parse(t, bob.address()), time.Minute)
			done <- err
		}()
		time.Sleep(time.Second)
		require.Empty(t, w.dialled())
		ctx, cancel := context.WithCancel(t.Context())
		ran := make(chan error, 1)
		go func() { ran <- early.Run(ctx) }()
		require.NoError(t, <-done)
		cancel()
		require.ErrorIs(t, <-ran, context.Canceled)
	})
}
