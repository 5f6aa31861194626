package link

import (
	"fmt"
	"io"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/lightning"
)

func TestOriginOf(t *testing.T) {
	for _, c := range []struct {
		one, other string
		same       bool
	}{
		{"192.0.2.1:1", "192.0.2.1:2", true},
		{"192.0.2.1:1", "192.0.2.2:1", false},
		{"192.0.2.1:1", "[::ffff:192.0.2.1]:1", true},
		{"[2001:db8::1]:1", "[2001:db8::ffff:0:0:1]:2", true},
		{"[2001:db8::1]:1", "[2001:db8:0:1::1]:1", false},
		{"[fe80::1%a]:1", "[fe80::2%b]:1", true},
		{"0.0.0.0:1", "[::]:1", false},
	} {
		one, other := originOf(netip.MustParseAddrPort(c.one)), originOf(netip.MustParseAddrPort(c.other))
		require.Equal(t, c.same, one == other, "%s and %s", c.one, c.other)
	}
	require.Equal(t, origin{}, originOf(netip.AddrPort{}))
	require.NotEqual(t, origin{}, originOf(netip.MustParseAddrPort("0.0.0.0:1")))
}

// from returns a numbered origin.
func from(n int) origin {
	return originOf(netip.AddrPortFrom(netip.AddrFrom4([4]byte{192, 0, 2, byte(n)}), 1))
}

// TestHandshakeEviction checks which handshake a new connection replaces: the oldest one of the
// same origin, or of the largest origin.
func TestHandshakeEviction(t *testing.T) {
	var p handshakes
	var ended []string
	enter := func(n int, name string) (leave func()) {
		return p.add(from(n), func() { ended = append(ended, name) })
	}
	first := enter(1, "first")
	for n := range maxHandshakesEach {
		enter(1, fmt.Sprint(n))
	}
	require.Equal(t, []string{"first"}, ended, "the origin had its share")
	first()
	require.Len(t, p.active, maxHandshakesEach, "it had left before")

	for n := len(p.active); n < maxHandshakes; n++ {
		enter(2+n, "alone")
	}
	require.Equal(t, []string{"first"}, ended)
	enter(2+maxHandshakesEach, "second of two")
	leave := enter(100, "one more")
	require.Equal(t, []string{"first", "0", "1"}, ended, "the origin with the most makes room for others")
	require.Len(t, p.active, maxHandshakes)
	leave()
	leave()
	require.Len(t, p.active, maxHandshakes-1)
	enter(101, "there was room")
	require.Len(t, ended, 3)

	p = handshakes{}
	ended = nil
	for n := range maxHandshakes + 2 {
		enter(n, fmt.Sprint(n))
	}
	require.Equal(t, []string{"0", "1"}, ended, "of equal ones the longest")
}

// TestIdleHandshakesBlockNoOne fills all places of one origin with idle connections. Slow peers
// and peers of the same address still connect.
func TestIdleHandshakesBlockNoOne(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "alice.example:9735")
		slow, err := w.dialFrom(t.Context(), "192.0.2.1:1", "alice.example", 9735)
		require.NoError(t, err)
		closed := make(chan time.Duration, 3*maxHandshakes)
		begun := time.Now()
		for range cap(closed) {
			conn, err := w.dialFrom(t.Context(), "203.0.113.1:1", "alice.example", 9735)
			require.NoError(t, err)
			go func() {
				_, _ = io.Copy(io.Discard, conn)
				closed <- time.Since(begun)
			}()
			synctest.Wait()
		}
		require.Len(t, closed, cap(closed)-maxHandshakesEach)
		w.callFrom(t, "203.0.113.1:1", "bob", alice).greet(usual())
		w.callFrom(t, "192.0.2.2:1", "carol", alice).greet(usual())
		time.Sleep(handshakeTimeout / 2)
		i, one := firstAct(t, "dave", alice.ID())
		_, err = slow.Write(one[:])
		require.NoError(t, err)
		lastAct(t, slow, i).greet(usual())
		synctest.Wait()
		require.Len(t, alice.List(), 3)
		time.Sleep(handshakeTimeout)
		require.Len(t, closed, cap(closed))
	})
}

// TestAuthenticatedPeersLeaveHandshakes checks that authenticated peers take no places of
// unauthenticated ones.
func TestAuthenticatedPeersLeaveHandshakes(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "alice.example:9735")
		for n := range maxHandshakes + 1 {
			s := w.call(t, fmt.Sprint("bob", n), alice)
			s.greet(usual())
			go s.behave()
			synctest.Wait()
		}
		require.Len(t, alice.List(), maxHandshakes+1)
	})
}

// TestOneOriginYieldsToOthers checks that one origin can use all places for inbound connections
// until another one needs some.
func TestOneOriginYieldsToOthers(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "alice.example:9735", func(c *Config) { c.MaxPeers = 12 })
		join := func(place, name string) (admitted bool) {
			s := w.callFrom(t, place, name, alice)
			if _, err := s.reader.Read(); err != nil {
				return false
			}
			s.say(usual().Encode())
			go s.behave()
			time.Sleep(time.Second)
			return true
		}
		const crowd, other, third = "203.0.113.1:1", "192.0.2.1:1", "192.0.2.2:1"
		for n := range 6 {
			require.True(t, join(crowd, fmt.Sprint("crowd", n)))
		}
		require.False(t, join(crowd, "crowd6"), "no room for more of them")
		require.True(t, join(other, "other0"))
		require.True(t, alice.lost(idOf(t, "crowd5"), errCrowded), "the latest had to go")
		require.Nil(t, alice.peerOf(idOf(t, "crowd5")))
		require.Len(t, alice.List(), 6)
		require.True(t, join(other, "other1"))
		require.True(t, join(other, "other2"))
		require.False(t, join(other, "other3"), "each origin has three")
		require.False(t, join(crowd, "crowd5"))
		require.True(t, join(third, "third0"))
		for _, name := range []string{"crowd0", "crowd1", "crowd2", "other0", "other1", "third0"} {
			require.NotNil(t, alice.peerOf(idOf(t, name)), name)
		}
		require.Len(t, alice.List(), 6)

		// Peers that the user wants stay, and are not counted.
		for _, name := range []string{"crowd0", "crowd1", "crowd2"} {
			already, err := alice.Connect(t.Context(), parse(t, at(t, name, "friend.example:9735")), 0)
			require.NoError(t, err)
			require.True(t, already)
		}
		for n := range 3 {
			require.True(t, join(fmt.Sprintf("198.51.100.%d:1", n), fmt.Sprint("late", n)))
		}
		require.True(t, join("198.51.100.8:1", "late8"), "in the place of other1")
		require.False(t, join("198.51.100.9:1", "late9"), "all have one")
		require.False(t, join(crowd, "crowd5"))
		require.Len(t, alice.List(), 9)
	})
}

// TestWaitedForPeerStays checks that a peer that the user waits for is not evicted.
func TestWaitedForPeerStays(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "alice.example:9735", func(c *Config) { c.MaxPeers = 4 })
		first := w.call(t, "first", alice)
		first.greet(usual())
		go first.behave()
		time.Sleep(time.Second)
		latest := w.call(t, "latest", alice) // before it sends init
		w.put("latest.example:9735", decent(t, "latest"))
		synctest.Wait()
		calling := alice.begin(t, at(t, "latest", "latest.example:9735"), 0)
		other := w.callFrom(t, "192.0.2.1:1", "other", alice)
		other.greet(usual())
		go other.behave()
		latest.greet(usual())
		go latest.behave()
		require.NoError(t, <-calling)
		synctest.Wait()
		require.Nil(t, alice.peerOf(idOf(t, "first")))
		require.Equal(t, lightning.Connected, alice.state(idOf(t, "other")))
	})
}

// TestInboundPeerLimit checks that inbound peers get no more than their places if the user
// wants more nodes than there are places.
func TestInboundPeerLimit(t *testing.T) {
	inWorld(t, func(t *testing.T, w *world) {
		alice := w.start(t, "alice", "alice.example:9735", func(c *Config) { c.MaxPeers = 4 })
		for n := range 3 {
			name := fmt.Sprint("friend", n)
			w.put(name+".example:9735", decent(t, name))
			connects(t, alice, at(t, name, name+".example:9735"))
		}
		s := w.call(t, "bob", alice)
		s.greet(usual())
		go s.behave()
		synctest.Wait()
		_, err := w.callFrom(t, "192.0.2.1:1", "carol", alice).reader.Read()
		require.Error(t, err)
		require.Len(t, alice.List(), 4)
	})
}
