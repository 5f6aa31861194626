package link

import (
	"bytes"
	"io"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/wire"
)

// TestReconnect checks a node that the user wants, and that stops and starts again.
func TestReconnect(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice, bob := w.start(t, "alice", ""), w.start(t, "bob", "bob.example:9735")
		connects(t, alice, bob.address())
		time.Sleep(time.Hour)
		require.Equal(t, []lightning.State{lightning.Connected}, alice.history())
		bob.stop()
		synctest.Wait()
		lost := time.Now()
		p := alice.peerOf(bob.ID())
		require.Equal(t, lightning.Waiting, p.State, "noticed at once")
		require.EqualError(t, p.Reason, "the node hung up")
		require.Equal(t, lost, p.Since)
		require.WithinRange(t, p.Next, lost.Add(firstRetry*3/4), lost.Add(firstRetry*5/4))
		require.Equal(t, []lightning.State{lightning.Waiting}, alice.history())

		time.Sleep(20 * time.Minute)
		p = alice.peerOf(bob.ID())
		require.Equal(t, lightning.Waiting, p.State)
		require.ErrorIs(t, p.Reason, lightning.ErrUnreachable)
		tries := len(w.dialled()) - 1
		require.Greater(t, tries, 10, "1, 2, 4 … seconds, then every two minutes")
		require.Less(t, tries, 25)
		require.Empty(t, alice.history(), "attempts cause no notification")

		bob = w.start(t, "bob", "bob.example:9735")
		time.Sleep(lastRetry * 5 / 4)
		require.Equal(t, lightning.Connected, alice.state(bob.ID()))
		require.Nil(t, alice.peerOf(bob.ID()).Reason)
		require.Len(t, bob.List(), 1)
		time.Sleep(stableAfter)
		require.Equal(t, []lightning.State{lightning.Connected}, alice.history())

		// After a good connection the first attempt is soon again.
		again := time.Now()
		bob.stop()
		synctest.Wait()
		require.WithinRange(t, alice.peerOf(bob.ID()).Next, again.Add(firstRetry*3/4), again.Add(firstRetry*5/4))
		require.NoError(t, alice.Disconnect(bob.ID()))
		tries = len(w.dialled())
		time.Sleep(time.Hour)
		require.Len(t, w.dialled(), tries, "not wanted any more")
	})
}

// TestKeepsWorkingAddress checks that connecting by an untried address does not replace the
// address that worked.
func TestKeepsWorkingAddress(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice, bob := w.start(t, "alice", ""), w.start(t, "bob", "bob.example:9735")
		connects(t, alice, bob.address())
		already, err := alice.Connect(t.Context(), parse(t, at(t, "bob", "elsewhere.example:1")), 0)
		require.NoError(t, err)
		require.True(t, already)
		bob.stop()
		bob = w.start(t, "bob", "bob.example:9735")
		time.Sleep(lastRetry)
		require.Equal(t, lightning.Connected, alice.state(bob.ID()))
		require.NotContains(t, w.dialled(), "elsewhere.example:1")
	})
}

// TestUnsettledNode checks that a node that disconnects as soon as it is connected is not
// called again and again.
func TestUnsettledNode(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "")
		w.put("bob.example:9735", func(conn Conn) {
			if s := answer(t, conn, "bob"); s != nil {
				s.greet(usual())
				time.Sleep(time.Second)
				conn.Close()
			}
		})
		connects(t, alice, at(t, "bob", "bob.example:9735"))
		time.Sleep(time.Hour)
		require.Less(t, len(w.dialled()), 50)
		require.Greater(t, len(w.dialled()), 25)
	})
}

// TestConnectWhileWaiting checks that a user's request does not wait for the next attempt, and
// that a working address replaces the previous one.
func TestConnectWhileWaiting(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice, bob := w.start(t, "alice", ""), w.start(t, "bob", "bob.example:9735")
		connects(t, alice, bob.address())
		bob.stop()
		time.Sleep(time.Hour)
		begun := time.Now()
		_, err := alice.Connect(t.Context(), parse(t, bob.address()), 0)
		require.ErrorIs(t, err, lightning.ErrUnreachable)
		require.Equal(t, begun, time.Now())
		require.Equal(t, lightning.Waiting, alice.state(bob.ID()), "still wanted")

		bob = w.start(t, "bob", "new.example:9735")
		connects(t, alice, at(t, "bob", "new.example:9735"))
		require.Equal(t, begun, time.Now())
		time.Sleep(time.Hour)
		require.Equal(t, "new.example:9735", alice.peerOf(bob.ID()).Address)
		tries := len(w.dialled())
		bob.stop()
		time.Sleep(time.Minute)
		for _, place := range w.dialled()[tries:] {
			require.Equal(t, "new.example:9735", place)
		}
		require.NotEmpty(t, w.dialled()[tries:])
	})
}

// TestAttemptThatHangs checks that a reconnection attempt has a timeout too, and that other
// callers can join it.
func TestAttemptThatHangs(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice, bob := w.start(t, "alice", ""), w.start(t, "bob", "bob.example:9735")
		connects(t, alice, bob.address())
		bob.stop()
		w.put("bob.example:9735", func(c Conn) { _, _ = io.Copy(io.Discard, c) })
		time.Sleep(5 * time.Second)
		p := alice.peerOf(bob.ID())
		require.Zero(t, p.Next, "it is under way")
		tries := len(w.dialled())
		done := make(chan error, 1)
		go func() {
			_, err := alice.Connect(t.Context(), parse(t, bob.address()), time.Second)
			done <- err
		}()
		require.ErrorIs(t, <-done, lightning.ErrTimeout)
		require.Len(t, w.dialled(), tries, "one attempt for both")
		time.Sleep(10 * time.Second)
		require.EqualError(t, alice.peerOf(bob.ID()).Reason, "timed out: the node does not answer the handshake")
		time.Sleep(10 * time.Minute)
		require.Less(t, len(w.dialled()), tries+10)
		require.NoError(t, alice.Disconnect(bob.ID()))
	})
}

// TestWantedNodeConnectsInbound checks that a connection from a node that the user wants is
// used while this node waits to connect, and that this node connects again after it ended.
func TestWantedNodeConnectsInbound(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice, bob := w.start(t, "alice", "alice.example:9735"), w.start(t, "bob", "bob.example:9735")
		connects(t, alice, bob.address())
		bob.stop()
		time.Sleep(time.Hour)
		alice.history()
		mobile := w.start(t, "bob", "")
		connects(t, mobile, alice.address())
		synctest.Wait()
		p := alice.peerOf(bob.ID())
		require.True(t, p.Inbound)
		require.True(t, p.Persistent)
		require.Equal(t, lightning.Connected, p.State)
		tries := len(w.dialled())
		time.Sleep(time.Hour)
		require.Len(t, w.dialled(), tries)
		require.NoError(t, mobile.Disconnect(alice.ID()))
		bob = w.start(t, "bob", "bob.example:9735")
		time.Sleep(10 * time.Second)
		require.Equal(t, "bob.example:9735", alice.peerOf(bob.ID()).Address)
		require.Equal(t, []lightning.State{lightning.Connected, lightning.Waiting, lightning.Connected}, alice.history())
	})
}

// TestUnwantedNodeIsRemoved checks that a node that has connected by itself is not called after
// it disconnected, unless the user has asked for it meanwhile.
func TestUnwantedNodeIsRemoved(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "alice.example:9735")
		for _, wanted := range []bool{false, true} {
			s := w.call(t, "bob", alice)
			s.greet(usual())
			go s.behave()
			synctest.Wait()
			if wanted {
				already, err := alice.Connect(t.Context(), parse(t, at(t, "bob", "bob.example:9735")), 0)
				require.NoError(t, err)
				require.True(t, already)
			}
			s.conn.Close()
			time.Sleep(time.Minute)
			require.Equal(t, wanted, slices.Contains(w.dialled(), "bob.example:9735"))
		}
	})
}

// TestReasonOfANodeThatStopsHalfway checks that the reason for a missing connection is that the
// node sent nothing after the handshake, and not that this node stopped waiting.
func TestReasonOfANodeThatStopsHalfway(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice, bob := w.start(t, "alice", ""), w.start(t, "bob", "bob.example:9735")
		connects(t, alice, bob.address())
		bob.stop()
		w.put("bob.example:9735", func(conn Conn) {
			if s := answer(t, &late{conn, 2 * time.Second}, "bob"); s != nil {
				_, _ = io.Copy(io.Discard, conn)
			}
		})
		time.Sleep(2*firstRetry + lightning.DefaultTimeout)
		require.EqualError(t, alice.peerOf(bob.ID()).Reason, "timed out: the node did not send an init message")
	})
}

// TestOneReconnectorPerNode checks that a node that connects and disconnects by itself while it
// is called is not called more often.
func TestOneReconnectorPerNode(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice, bob := w.start(t, "alice", "alice.example:9735"), w.start(t, "bob", "bob.example:9735")
		connects(t, alice, bob.address())
		bob.stop()
		w.put("bob.example:9735", func(c Conn) { _, _ = io.Copy(io.Discard, c) })
		time.Sleep(2 * firstRetry) // an attempt is in progress
		require.Zero(t, alice.peerOf(bob.ID()).Next)
		for range 3 {
			s := w.call(t, "bob", alice)
			synctest.Wait()
			s.conn.Close() // before init, so that the attempt goes on
			synctest.Wait()
		}
		time.Sleep(5 * time.Minute)
		tries := len(w.dialled())
		time.Sleep(time.Hour)
		require.InDelta(t, time.Hour.Seconds()/(lastRetry+lightning.DefaultTimeout).Seconds(), len(w.dialled())-tries, 5)
	})
}

// TestJitter checks that pauses vary by at most a quarter, in proportion to the random number.
func TestJitter(t *testing.T) {
	for _, c := range []struct {
		random []byte
		want   time.Duration
	}{{[]byte{0}, 90 * time.Second}, {[]byte{51}, 102 * time.Second}, {[]byte{255}, 150 * time.Second}, {nil, 2 * time.Minute}} {
		p := New(Config{Key: keyOf(t, "alice"), Random: bytes.NewReader(c.random)})
		require.Equal(t, c.want, p.jitter(lastRetry))
	}
}

// TestPings checks that dead peers are detected, and that others stay connected.
func TestPings(t *testing.T) {
	for _, c := range []struct {
		name   string
		behave func(s *testPeer)
		after  time.Duration // 0 means that the connection is kept
		reason string
	}{
		{"answers pings", func(s *testPeer) { s.behave() }, 0, ""},
		{"says nothing", func(s *testPeer) { _, _ = io.Copy(io.Discard, s.conn) }, pingInterval + pongTimeout, "timed out: no message received"},
		{"reads nothing", func(s *testPeer) {}, pingInterval + writeTimeout, "timed out: the node does not read messages"},
		{"pings by itself", func(s *testPeer) {
			go io.Copy(io.Discard, s.conn)
			for s.writer.Write(wire.Ping{Pong: 1}.Encode()) == nil {
				time.Sleep(pingInterval * 3 / 4)
			}
		}, 0, ""},
		{"says half a message", func(s *testPeer) {
			go io.Copy(io.Discard, s.conn)
			_, _ = s.conn.Write(make([]byte, 17))
		}, pingInterval + pongTimeout, "timed out: no message received"},
		{"answers late, but answers", func(s *testPeer) {
			for {
				if _, err := s.reader.Read(); err != nil {
					return
				}
				time.Sleep(pongTimeout - time.Second)
				s.say(wire.Pong(pongSize).Encode())
			}
		}, 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) {
				alice := w.start(t, "alice", "")
				calls := 0
				w.put("bob.example:9735", func(conn Conn) {
					if calls++; calls > 1 {
						conn.Close()
						return
					}
					if s := answer(t, conn, "bob"); s != nil {
						s.greet(usual())
						c.behave(s)
					}
				})
				connects(t, alice, at(t, "bob", "bob.example:9735"))
				begun := time.Now()
				if c.after == 0 {
					time.Sleep(time.Hour)
					require.Equal(t, []lightning.State{lightning.Connected}, alice.history())
					alice.stop()
					time.Sleep(time.Minute) // until bob has noticed
					return
				}
				time.Sleep(c.after - time.Millisecond)
				require.Equal(t, lightning.Connected, alice.state(idOf(t, "bob")))
				time.Sleep(2 * time.Millisecond)
				p := alice.peerOf(idOf(t, "bob"))
				require.Equal(t, lightning.Waiting, p.State)
				require.EqualError(t, p.Reason, c.reason)
				require.Equal(t, begun.Add(c.after), p.Since)
			})
		})
	}
}
