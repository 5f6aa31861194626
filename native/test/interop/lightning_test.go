package interop_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/link"
	"obverse/core/wallet/lightning/noise"
	"obverse/core/wallet/lightning/wire"
	native "obverse/native/lightning"
	"obverse/native/test/interop"
)

// peers is a running Lightning node with its reported changes.
type peers struct {
	*link.Peers
	place    string
	mu       sync.Mutex
	reported []lightning.Peer
}

// startPeers runs a node to which others can connect until the test ends.
func startPeers(t *testing.T, passphrase string) *peers {
	t.Helper()
	node, err := key.FromPassphrase(passphrase)
	require.NoError(t, err)
	identity, err := node.LightningNode()
	require.NoError(t, err)
	listener, err := native.Listen(t.Context(), "[::1]:0")
	require.NoError(t, err)
	p := &peers{place: listener.Addr()}
	p.Peers = link.New(link.Config{Key: identity, Dialer: native.Dialer{}, Listener: listener, Random: rand.Reader, Now: time.Now,
		Changed: func(c lightning.Peer) {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.reported = append(p.reported, c)
		}})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- p.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
	})
	return p
}

// changes returns the numbers of opened and closed connections.
func (p *peers) changes() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.reported)
}

// with returns the state of the connection to a node.
func (p *peers) with(id lightning.NodeID) lightning.Peer {
	list := p.List()
	n := slices.IndexFunc(list, func(peer lightning.Peer) bool { return peer.Node == id })
	if n < 0 {
		return lightning.Peer{State: lightning.Disconnected}
	}
	return list[n]
}

// lndPeer is an entry of lnd's list of peers.
type lndPeer struct {
	ID       string `json:"pub_key"`
	Inbound  bool
	PingTime string `json:"ping_time"`  // duration of the last ping in microseconds; not positive if no ping got a pong
	Flaps    int    `json:"flap_count"` // number of times that it disconnected
	Features map[string]struct{ Name string }
}

// seenBy returns lnd's entry for the node, or nil if the node is not its peer.
func (p *peers) seenBy(t *testing.T, l *interop.LND) *lndPeer {
	t.Helper()
	var list struct{ Peers []lndPeer }
	require.NoError(t, l.Ask(t.Context(), &list, "listpeers"))
	n := slices.IndexFunc(list.Peers, func(peer lndPeer) bool { return peer.ID == p.ID().String() })
	if n < 0 {
		return nil
	}
	return &list.Peers[n]
}

func addressOf(t *testing.T, id, place string) lightning.Address {
	t.Helper()
	a, err := lightning.ParseAddress(id + "@" + place)
	require.NoError(t, err)
	return a
}

// TestLightning tests the connections of the node with an lnd.
func TestLightning(t *testing.T) {
	l, err := interop.StartLND(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Stop()) })
	for _, part := range []struct {
		name string
		test func(*testing.T, *interop.LND)
	}{
		{"wrong key", testWrongKey}, {"silent", testSilent}, {"keys change", testKeysChange}, {"lnd connects", testLNDConnects},
		{"both connect", testBothConnect}, {"comes back", testComesBack},
	} {
		require.True(t, t.Run(part.name, func(t *testing.T) { part.test(t, l) }))
	}
}

func testWrongKey(t *testing.T, l *interop.LND) {
	p := startPeers(t, "wrong key")
	other, err := key.FromPassphrase("another node")
	require.NoError(t, err)
	_, err = p.Connect(t.Context(), addressOf(t, lightning.NodeID(other.PublicKey()).String(), l.Place), 0)
	require.ErrorIs(t, err, lightning.ErrHandshake)
	require.Empty(t, p.List())
}

// testSilent connects to a port on which connections stay in the kernel's queue and are never
// accepted.
func testSilent(t *testing.T, l *interop.LND) {
	p := startPeers(t, "silent")
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, silent.Close()) })
	_, err = p.Connect(t.Context(), addressOf(t, l.ID, silent.Addr().String()), 0)
	require.ErrorIs(t, err, lightning.ErrTimeout)
	require.EqualError(t, err, "timed out: the node does not answer the handshake within 10s")
}

// testKeysChange sends 1200 pings to lnd and reads its pongs, so that the keys of both directions
// change twice.
func testKeysChange(t *testing.T, l *interop.LND) {
	a := addressOf(t, l.ID, l.Place)
	conn, err := native.Dialer{}.Dial(t.Context(), a.Host, a.Port)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, conn.Close()) })
	var keys [2]*key.Private
	for n := range keys {
		keys[n], err = key.Generate(rand.Reader)
		require.NoError(t, err)
	}
	i := noise.NewInitiator(keys[0], keys[1], a.Node)
	one, err := i.Act1()
	require.NoError(t, err)
	_, err = conn.Write(one[:])
	require.NoError(t, err)
	two := make([]byte, noise.Act2Size)
	_, err = io.ReadFull(conn, two)
	require.NoError(t, err)
	require.NoError(t, i.Act2(two))
	three, session, err := i.Act3()
	require.NoError(t, err)
	_, err = conn.Write(three[:])
	require.NoError(t, err)
	writer, reader := session.Writer(conn), session.Reader(conn)
	require.NoError(t, writer.Write(wire.Init{Features: wire.LocalFeatures()}.Encode()))
	for n := range 1200 {
		require.NoError(t, writer.Write(wire.Ping{Pong: n, Ignored: 1200 - n}.Encode()))
		pong := wire.Pong(n).Encode()
		for {
			message, err := reader.Read()
			require.NoError(t, err, n)
			if kind := binary.BigEndian.Uint16(message); wire.Type(kind) == wire.TypePong {
				require.Len(t, message, len(pong))
				require.True(t, bytes.Equal(message[:4], pong[:4]))
				break
			}
		}
	}
}

// testLNDConnects makes lnd connect to the node.
func testLNDConnects(t *testing.T, l *interop.LND) {
	p := startPeers(t, "lnd connects")
	id := addressOf(t, l.ID, l.Place).Node
	_, err := l.CLI(t.Context(), "connect", p.ID().String()+"@"+p.place)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return p.with(id).State == lightning.Connected }, timeout, 10*time.Millisecond)
	require.True(t, p.with(id).Inbound)
	require.Eventually(t, func() bool { seen := p.seenBy(t, l); return seen != nil && !seen.Inbound }, timeout, 100*time.Millisecond)
	already, err := p.Connect(t.Context(), addressOf(t, l.ID, l.Place), 0)
	require.NoError(t, err)
	require.True(t, already, "on the connection that lnd has made")
	require.NoError(t, p.Disconnect(id))
	require.Eventually(t, func() bool { return p.seenBy(t, l) == nil }, timeout, 100*time.Millisecond)
}

// testBothConnect makes both nodes connect at the same time. lnd and the node must keep the same
// connection.
func testBothConnect(t *testing.T, l *interop.LND) {
	for n := range 4 {
		p := startPeers(t, "both connect "+strconv.Itoa(n))
		id := addressOf(t, l.ID, l.Place).Node
		var calls sync.WaitGroup
		calls.Go(func() { _, _ = l.CLI(t.Context(), "connect", p.ID().String()+"@"+p.place) }) // it may be connected already
		calls.Go(func() {
			_, err := p.Connect(t.Context(), addressOf(t, l.ID, l.Place), 0)
			require.NoError(t, err)
		})
		calls.Wait()
		require.Eventually(t, func() bool {
			ours, theirs := p.with(id), p.seenBy(t, l)
			return ours.State == lightning.Connected && theirs != nil && ours.Inbound != theirs.Inbound
		}, timeout, 100*time.Millisecond)
		require.NoError(t, p.Disconnect(id))
		_, _ = l.CLI(t.Context(), "disconnect", p.ID().String()) // lnd would reconnect
	}
}

// testComesBack closes a connection that the user has requested, which must be opened again.
func testComesBack(t *testing.T, l *interop.LND) {
	p := startPeers(t, "comes back")
	address := addressOf(t, l.ID, l.Place)
	var calls sync.WaitGroup
	for range 10 {
		calls.Go(func() {
			_, err := p.Connect(t.Context(), address, 0)
			require.NoError(t, err)
		})
	}
	calls.Wait()
	already, err := p.Connect(t.Context(), address, 0)
	require.NoError(t, err)
	require.True(t, already)
	require.Equal(t, 1, p.changes())
	seen := p.seenBy(t, l)
	require.NotNil(t, seen)
	require.True(t, seen.Inbound)
	require.Equal(t, "static-remote-key", seen.Features["13"].Name)

	require.NoError(t, l.Kill())
	require.Eventually(t, func() bool { return p.with(address.Node).State == lightning.Waiting }, timeout, 10*time.Millisecond)
	require.NoError(t, l.Restart(t.Context()))
	require.Eventually(t, func() bool { return p.with(address.Node).State == lightning.Connected }, timeout, 10*time.Millisecond)
	require.NotNil(t, p.seenBy(t, l))

	_, err = l.CLI(t.Context(), "disconnect", p.ID().String())
	require.NoError(t, err)
	require.Eventually(t, func() bool { return p.changes() == 5 }, timeout, 10*time.Millisecond)
	require.Equal(t, lightning.Connected, p.with(address.Node).State, "the user wants the connection")
	require.NoError(t, p.Disconnect(address.Node))
	require.Eventually(t, func() bool { return p.seenBy(t, l) == nil }, timeout, 100*time.Millisecond)
}

// TestLightningPings keeps connections with an lnd open for two minutes, in both directions. In
// this time, lnd pings twice over each.
func TestLightningPings(t *testing.T) {
	l, err := interop.StartLND(t.Context())
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Stop()) })
	address := addressOf(t, l.ID, l.Place)
	calling, called := startPeers(t, "calling"), startPeers(t, "called")
	_, err = calling.Connect(t.Context(), address, 0)
	require.NoError(t, err)
	_, err = l.CLI(t.Context(), "connect", called.ID().String()+"@"+called.place)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return called.with(address.Node).State == lightning.Connected }, timeout, 10*time.Millisecond)
	time.Sleep(2*time.Minute + 10*time.Second)
	for name, p := range map[string]*peers{"calling": calling, "called": called} {
		require.Equal(t, lightning.Connected, p.with(address.Node).State, name)
		require.Equal(t, 1, p.changes(), name)
		seen := p.seenBy(t, l)
		require.NotNil(t, seen, name)
		took, err := strconv.Atoi(seen.PingTime)
		require.NoError(t, err)
		require.Positive(t, took, "lnd has had a pong from us: %s", name)
		require.Zero(t, seen.Flaps)
	}
}
