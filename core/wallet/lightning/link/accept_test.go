package link

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/noise"
)

// TestInboundShareOfPeers checks that unknown peers get only a part of the places, and that
// peers that the user wants get others.
func TestInboundShareOfPeers(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "alice.example:9735", func(c *Config) { c.MaxPeers = 6 })
		var inbound []*testPeer
		join := func(name string) (admitted bool) {
			s := w.call(t, name, alice)
			if _, err := s.reader.Read(); err != nil {
				return false
			}
			s.say(usual().Encode())
			go s.behave()
			inbound = append(inbound, s)
			synctest.Wait()
			return true
		}
		for n := range 3 {
			require.True(t, join(fmt.Sprint("unknown", n)))
		}
		require.False(t, join("unknown3"))
		require.True(t, join("unknown0"), "it has a place")
		require.Len(t, alice.List(), 3)
		for n := range 3 {
			place := fmt.Sprintf("friend%d.example:9735", n)
			w.put(place, decent(t, fmt.Sprint("friend", n)))
			connects(t, alice, at(t, fmt.Sprint("friend", n), place))
		}
		_, err := alice.Connect(t.Context(), parse(t, at(t, "friend3", "friend3.example:9735")), 0)
		require.ErrorIs(t, err, lightning.ErrTooMany)
		inbound[1].conn.Close()
		synctest.Wait()
		require.True(t, join("unknown4"))
		time.Sleep(crossingWindow)
		require.True(t, join("friend1"), "a friend who calls has a place")
		require.Len(t, alice.List(), 6)
	})
}

// TestUnfinishedHandshakes checks that connections without a finished handshake are limited and
// end.
func TestUnfinishedHandshakes(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "alice.example:9735")
		a := parse(t, alice.address())
		var ended sync.WaitGroup
		var mu sync.Mutex
		var times []time.Duration
		begun := time.Now()
		for n := range maxHandshakes + 5 {
			conn, err := w.dialFrom(t.Context(), fmt.Sprintf("192.0.2.%d:1", n), a.Host, a.Port)
			require.NoError(t, err)
			switch n % 3 {
			case 1:
				go conn.Write([]byte{0})
			case 2:
				i := noise.NewInitiator(keyOf(t, "bob"), keyOf(t, "bob's"), alice.ID())
				one, err := i.Act1()
				require.NoError(t, err)
				go conn.Write(one[:])
			}
			synctest.Wait()
			ended.Go(func() {
				_, _ = io.Copy(io.Discard, conn)
				mu.Lock()
				defer mu.Unlock()
				times = append(times, time.Since(begun))
			})
		}
		ended.Wait()
		slices.Sort(times)
		require.Zero(t, times[4], "there were too many: the first ones had to go")
		require.Equal(t, handshakeTimeout, times[5])
		require.Equal(t, handshakeTimeout, times[len(times)-1])
		require.Empty(t, alice.List())
		bob := w.call(t, "bob", alice)
		bob.greet(usual())
	})
}

// TestHandshakesWithWrongKey checks that a handshake with a wrong key on either side fails.
func TestHandshakesWithWrongKey(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "alice.example:9735")
		twin := w.start(t, "carol", "")
		_, err := twin.Connect(t.Context(), parse(t, at(t, "bob", "alice.example:9735")), 0)
		require.ErrorIs(t, err, lightning.ErrHandshake, "there is no bob")
		self := w.call(t, "alice", alice)
		_, err = self.reader.Read()
		require.Error(t, err)
		require.Empty(t, alice.List())
		for _, junk := range [][]byte{make([]byte, 50), bytes.Repeat([]byte{1}, 50), []byte("GET / HTTP/1.1\r\nHost: alice.example\r\nAccept: *\r\n\r\n\r\n")} {
			conn, err := w.Dial(t.Context(), "alice.example", 9735)
			require.NoError(t, err)
			_, _ = conn.Write(junk) // the connection may end before all is read
			_, err = conn.Read(make([]byte, 1))
			require.Error(t, err)
		}
	})
}

// TestListenerThatFails checks a listener that fails for a while, for example because there are
// no file descriptors.
func TestListenerThatFails(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		e := &moody{ear: newEar(), fails: 5}
		alice := w.start(t, "alice", "alice.example:9735", func(c *Config) { c.Listener = e })
		w.put("alice.example:9735", e.handle)
		begun := time.Now()
		w.call(t, "bob", alice).greet(usual())
		require.Equal(t, 5*acceptRetryDelay, time.Since(begun))
	})
}

type moody struct {
	*ear
	fails int
}

func (m *moody) Accept() (Conn, error) {
	if m.fails--; m.fails >= 0 {
		return nil, errors.New("too many open files")
	}
	return m.ear.Accept()
}

// TestNewerConnectionReplaces checks that a new connection of a node replaces the previous one,
// since the node has lost that.
func TestNewerConnectionReplaces(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "alice.example:9735")
		first := w.call(t, "bob", alice)
		first.greet(usual())
		go first.behave()
		synctest.Wait()
		second := w.call(t, "bob", alice)
		second.greet(usual())
		go second.behave()
		synctest.Wait()
		require.Len(t, alice.List(), 1)
		_, err := first.conn.Write([]byte{0})
		require.Error(t, err, "it is closed")
		require.Equal(t, []lightning.State{lightning.Connected, lightning.Connected}, alice.history())
		require.NoError(t, alice.Disconnect(idOf(t, "bob")))
		_, err = second.conn.Write([]byte{0})
		require.Error(t, err)
	})
}

// TestCrossing checks that two nodes that connect to each other at the same time end with the
// same single connection, regardless of their ids.
func TestCrossing(t *testing.T) {
	for _, names := range [][2]string{{"alice", "bob"}, {"bob", "alice"}, {"carol", "dave"}, {"dave", "erin"}, {"erin", "alice"}} {
		inWorld(t, func(t *testing.T, w *world) {
			a, b := w.start(t, names[0], "a.example:9735"), w.start(t, names[1], "b.example:9735")
			var calls sync.WaitGroup
			for _, c := range [][2]*node{{a, b}, {b, a}} {
				calls.Go(func() {
					_, err := c[0].Connect(t.Context(), parse(t, c[1].address()), 0)
					require.NoError(t, err)
				})
			}
			calls.Wait()
			time.Sleep(time.Hour)
			one, other := a.peerOf(b.ID()), b.peerOf(a.ID())
			require.Equal(t, lightning.Connected, one.State)
			require.Equal(t, lightning.Connected, other.State)
			require.NotEqual(t, one.Inbound, other.Inbound, "it is the same connection")
			require.LessOrEqual(t, len(w.dialled()), 2)
		})
	}
}

// TestAdmit checks that an inbound connection of a peer replaces an older connection to it,
// since the peer has lost that. A connection that was opened a moment ago is kept if this node
// must keep it.
func TestAdmit(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "alice.example:9735")
		name := "bob"
		if bytes.Compare(alice.self[:], idBytes(t, name)) > 0 {
			name = "carol"
		}
		require.Negative(t, bytes.Compare(alice.self[:], idBytes(t, name)), "alice has the smaller id")
		w.put("peer.example:9735", decent(t, name))
		connects(t, alice, at(t, name, "peer.example:9735"))
		s := w.call(t, name, alice)
		_, err := s.reader.Read()
		require.Error(t, err, "they have crossed")
		require.False(t, alice.List()[0].Inbound)
		time.Sleep(crossingWindow)
		s = w.call(t, name, alice)
		s.greet(usual())
		synctest.Wait()
		require.True(t, alice.List()[0].Inbound)
		s.conn.Close()
	})
}

func idBytes(t *testing.T, name string) []byte {
	id := idOf(t, name)
	return id[:]
}

// TestManyNodesAtRandom lets many nodes connect, disconnect, stop and start in random order.
// Shortly after each step, every two nodes must agree on one connection or none. At the end,
// two nodes must be connected if one of them wants it.
func TestManyNodesAtRandom(t *testing.T) {
	for seed := range uint64(6) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			inWorld(t, func(t *testing.T, w *world) { randomly(t, w, rand.New(rand.NewPCG(seed, 1))) })
		})
	}
}

func randomly(t *testing.T, w *world, dice *rand.Rand) {
	const count = 6
	nodes := make([]*node, count)
	place := func(n int) string { return fmt.Sprintf("n%d.example:9735", n) }
	begin := func(n int) { nodes[n] = w.start(t, fmt.Sprint("n", n), place(n)) }
	for n := range nodes {
		begin(n)
	}
	var calls sync.WaitGroup
	for range 150 {
		a, b := dice.IntN(count), dice.IntN(count)
		switch what := dice.IntN(20); {
		case a == b:
			time.Sleep(time.Duration(dice.IntN(20000)) * time.Millisecond)
		case what < 12:
			from, to := nodes[a], nodes[b]
			calls.Go(func() { _, _ = from.Connect(t.Context(), parse(t, to.address()), 0) })
			if dice.IntN(2) == 0 {
				calls.Wait()
			}
		case what < 16:
			calls.Wait()
			_ = nodes[a].Disconnect(nodes[b].ID())
		case what < 18:
			nodes[a].stop()
			begin(a)
		default:
			synctest.Wait()
			agree(t, nodes)
		}
	}
	calls.Wait()
	wanted := map[[2]int]bool{}
	for a, one := range nodes {
		for b, other := range nodes {
			if p := one.peerOf(other.ID()); p != nil && p.Persistent {
				wanted[[2]int{min(a, b), max(a, b)}] = true
			}
		}
	}
	time.Sleep(10 * time.Minute)
	agree(t, nodes)
	require.NotEmpty(t, wanted)
	for pair := range wanted {
		require.Equal(t, lightning.Connected, nodes[pair[0]].state(nodes[pair[1]].ID()), "%v", pair)
	}
}

// agree checks that both ends know each connection.
func agree(t *testing.T, nodes []*node) {
	t.Helper()
	for _, a := range nodes {
		for _, b := range nodes {
			p, q := a.peerOf(b.ID()), b.peerOf(a.ID())
			if p == nil || p.State != lightning.Connected {
				continue
			}
			require.NotNil(t, q)
			require.Equal(t, lightning.Connected, q.State)
			require.NotEqual(t, p.Inbound, q.Inbound)
		}
	}
}
