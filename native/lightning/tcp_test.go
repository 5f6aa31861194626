package lightning

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"net"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	core "obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/link"
)

// patience is the maximum time to wait on a loaded machine.
const timeout = time.Minute

func keyOf(t testing.TB, name string) *key.Private {
	t.Helper()
	secret := sha256.Sum256([]byte(name))
	k, err := key.Generate(bytes.NewReader(secret[:]))
	require.NoError(t, err)
	return k
}

func parse(t testing.TB, text string) core.Address {
	t.Helper()
	a, err := core.ParseAddress(text)
	require.NoError(t, err)
	return a
}

// Package net divides the time among the addresses of a name only if there is a deadline. Without
// one, a dialer that blocks at the first address does not try the others.
func TestDialHasAnEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		silent := func(ctx context.Context, _, _ string, _ syscall.RawConn) error {
			<-ctx.Done()
			return ctx.Err()
		}
		begun := time.Now()
		_, err := Dialer{net.Dialer{ControlContext: silent}}.Dial(t.Context(), "192.0.2.1", 9735)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, connectWithin, time.Since(begun))
	})
}

// node is a running Peers.
type node struct {
	*link.Peers
	stop func()
}

// start runs a node with a name until the test ends or stop is called.
func start(t testing.TB, name string, listener *Listener, change ...func(*link.Config)) *node {
	t.Helper()
	c := link.Config{Key: keyOf(t, name), Dialer: Dialer{}, Random: rand.Reader, Now: time.Now}
	if listener != nil {
		c.Listener = listener
	}
	for _, f := range change {
		f(&c)
	}
	n := &node{Peers: link.New(c)}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- n.Run(ctx) }()
	n.stop = sync.OnceFunc(func() {
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
	})
	t.Cleanup(n.stop)
	return n
}

// listening runs a node to which others can connect.
func listening(t testing.TB, name, at string) (n *node, address string) {
	t.Helper()
	listener, err := Listen(t.Context(), at)
	require.NoError(t, err)
	n = start(t, name, listener)
	return n, n.ID().String() + "@" + listener.Addr()
}

// Two nodes connect over IPv4 and IPv6.
func TestOverTCP(t *testing.T) {
	for _, at := range []string{"127.0.0.1:0", "[::1]:0"} {
		alice := start(t, "alice", nil)
		other, address := listening(t, "bob", at)
		already, err := alice.Connect(t.Context(), parse(t, address), 0)
		require.NoError(t, err)
		require.False(t, already)
		already, err = alice.Connect(t.Context(), parse(t, address), 0)
		require.NoError(t, err)
		require.True(t, already)
		require.Eventually(t, func() bool { return len(other.List()) == 1 }, timeout, time.Millisecond)
		require.Equal(t, alice.ID(), other.List()[0].Node)
		require.False(t, alice.List()[0].Seen.IsValid(), "no peer learns an address of this machine alone")

		where := parse(t, address)
		other.stop()
		require.Eventually(t, func() bool { return alice.List()[0].State == core.Waiting }, timeout, time.Millisecond)
		listener, err := Listen(t.Context(), where.Place())
		require.NoError(t, err)
		start(t, "bob", listener)
		require.Eventually(t, func() bool { return alice.List()[0].State == core.Connected }, timeout, time.Millisecond)
		alice.stop()
		require.Empty(t, alice.List())
	}
}

func TestUnreachablePeer(t *testing.T) {
	alice := start(t, "alice", nil)
	other := keyOf(t, "bob").PublicKey()
	id := core.NodeID(other).String()

	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	place := listener.Addr().String()
	require.NoError(t, listener.Close())
	_, err = alice.Connect(t.Context(), parse(t, id+"@"+place), 0)
	require.ErrorIs(t, err, core.ErrUnreachable)
	require.ErrorContains(t, err, "connection refused")

	_, err = alice.Connect(t.Context(), parse(t, id+"@node.invalid:9735"), 0)
	require.ErrorIs(t, err, core.ErrUnreachable)

	silent, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { silent.Close() })
	_, err = alice.Connect(t.Context(), parse(t, id+"@"+silent.Addr().String()), 100*time.Millisecond)
	require.ErrorIs(t, err, core.ErrTimeout)
	require.ErrorContains(t, err, "the node does not answer the handshake within 100ms")

	_, wrong := listening(t, "carol", "127.0.0.1:0")
	_, err = alice.Connect(t.Context(), parse(t, id+"@"+parse(t, wrong).Place()), 0)
	require.ErrorIs(t, err, core.ErrHandshake)
}

// Peers that open connections and send nothing do not block other peers.
func TestSilentInboundConnections(t *testing.T) {
	bob, address := listening(t, "bob", "127.0.0.1:0")
	for range 100 {
		silent, err := net.Dial("tcp", parse(t, address).Place())
		require.NoError(t, err)
		t.Cleanup(func() { silent.Close() })
	}
	alice := start(t, "alice", nil)
	_, err := alice.Connect(t.Context(), parse(t, address), timeout)
	require.NoError(t, err)
	require.Eventually(t, func() bool { return len(bob.List()) == 1 }, timeout, time.Millisecond)
}

func TestListenOnUsedPort(t *testing.T) {
	listener, err := Listen(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, listener.Close()) })
	_, err = Listen(t.Context(), listener.Addr())
	require.ErrorContains(t, err, "listen for Lightning nodes: ")
	_, err = Listen(t.Context(), "nonsense")
	require.Error(t, err)
}

// Neither closed nor rejected connections leave resources behind.
func TestNothingIsLeft(t *testing.T) {
	_, address := listening(t, "bob", "127.0.0.1:0")
	round := func() {
		alice := start(t, "alice", nil)
		_, err := alice.Connect(t.Context(), parse(t, address), 0)
		require.NoError(t, err)
		_, err = alice.Connect(t.Context(), parse(t, core.NodeID(keyOf(t, "carol").PublicKey()).String()+"@"+parse(t, address).Place()), 0)
		require.Error(t, err)
		alice.stop()
	}
	round()
	before := runtime.NumGoroutine()
	for range 10 {
		round()
	}
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+2 }, timeout, 10*time.Millisecond)
}
