package link

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/noise"
	"obverse/core/wallet/lightning/wire"
)

// random is a source of random bytes for tests. It is safe for concurrent use, and returns the
// same bytes in each run.
type random struct {
	mu   sync.Mutex
	seed [32]byte
}

func newRandom(name string) *random { return &random{seed: sha256.Sum256([]byte(name))} }

func (r *random) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for n := 0; n < len(p); n += copy(p[n:], r.seed[:]) {
		r.seed = sha256.Sum256(r.seed[:])
	}
	return len(p), nil
}

// keyOf returns the key of the named node.
func keyOf(t testing.TB, name string) *key.Private {
	t.Helper()
	k, err := key.Generate(newRandom(name))
	require.NoError(t, err)
	return k
}

func idOf(t testing.TB, name string) lightning.NodeID { return keyOf(t, name).PublicKey() }

// pipe is one end of a connection in memory, on which a write waits for its reader.
type pipe struct {
	net.Conn
	remote netip.AddrPort
}

func (p pipe) Remote() netip.AddrPort { return p.remote }

// world is the network of a test. A function at each host:port handles a connection.
type world struct {
	mu     sync.Mutex
	places map[string]func(Conn)
	dials  []string
}

func newWorld() *world { return &world{places: map[string]func(Conn){}} }

func (w *world) put(place string, handle func(Conn)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.places[place] = handle
}

func (w *world) dialled() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.dials)
}

var errRefused = errors.New("connection refused")

// home is the default address of connecting peers.
const home = "198.51.100.7:4321"

// Dial implements Dialer. It refuses connections to port 1.
func (w *world) Dial(ctx context.Context, host string, port uint16) (Conn, error) {
	return w.dialFrom(ctx, home, host, port)
}

func (w *world) dialFrom(ctx context.Context, from, host string, port uint16) (Conn, error) {
	place := lightning.Address{Host: host, Port: port}.Place()
	w.mu.Lock()
	handle := w.places[place]
	w.dials = append(w.dials, place)
	w.mu.Unlock()
	switch {
	case port == 1:
		<-ctx.Done()
		return nil, ctx.Err()
	case handle == nil:
		return nil, errRefused
	}
	ours, theirs := net.Pipe()
	go handle(pipe{theirs, netip.MustParseAddrPort(from)})
	return pipe{ours, netip.MustParseAddrPort("203.0.113.9:9735")}, nil
}

// ear is a Listener that returns the connections that it is given.
type ear struct {
	conns chan Conn
	quit  chan struct{}
}

func newEar() *ear { return &ear{make(chan Conn), make(chan struct{})} }

func (e *ear) Accept() (Conn, error) {
	select {
	case c := <-e.conns:
		return c, nil
	case <-e.quit:
		return nil, net.ErrClosed
	}
}

func (e *ear) Close() error {
	close(e.quit)
	return nil
}

func (e *ear) handle(c Conn) {
	select {
	case e.conns <- c:
	case <-e.quit:
		c.Close()
	}
}

// node is a running Peers.
type node struct {
	*Peers
	place   string
	stop    func()
	mu      sync.Mutex
	updates []lightning.Peer
	last    error // last reported reason
}

func (n *node) address() string { return n.ID().String() + "@" + n.place }

// start runs the named node at a place. With an empty place, it does not listen. It stops at
// the end of the test or with stop.
func (w *world) start(t *testing.T, name, place string, change ...func(*Config)) *node {
	t.Helper()
	n := &node{place: place}
	c := Config{Key: keyOf(t, name), Dialer: w, Random: newRandom(name + "'s"), Now: time.Now, Changed: n.update}
	if place != "" {
		e := newEar()
		c.Listener = e
		w.put(place, e.handle)
	}
	for _, f := range change {
		f(&c)
	}
	n.Peers = New(c)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- n.Run(ctx) }()
	n.stop = sync.OnceFunc(func() {
		w.put(place, nil)
		cancel()
		require.ErrorIs(t, <-done, context.Canceled)
	})
	t.Cleanup(n.stop)
	return n
}

func (n *node) update(p lightning.Peer) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.updates, n.last = append(n.updates, p), p.Reason
}

// history returns the reported states and clears them.
func (n *node) history() (states []lightning.State) {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.updates {
		states = append(states, p.State)
	}
	n.updates = nil
	return states
}

// lost reports whether the connection was reported as ended for the reason why.
func (n *node) lost(id lightning.NodeID, why error) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.ContainsFunc(n.updates, func(p lightning.Peer) bool { return p.Node == id && errors.Is(p.Reason, why) })
}

// reason returns the last reported reason.
func (n *node) reason() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.last
}

// inWorld runs a test in a bubble with synthetic time.
func inWorld(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { test(t, newWorld()) })
}

func parse(t testing.TB, text string) lightning.Address {
	t.Helper()
	a, err := lightning.ParseAddress(text)
	require.NoError(t, err)
	return a
}

// connects connects to an address, and fails the test if the node was connected already.
func connects(t *testing.T, n *node, address string) {
	t.Helper()
	already, err := n.Connect(t.Context(), parse(t, address), 0)
	require.NoError(t, err)
	require.False(t, already)
}

// peerOf returns the node's entry of a peer, or nil.
func (n *node) peerOf(id lightning.NodeID) *lightning.Peer {
	for _, p := range n.List() {
		if p.Node == id {
			return &p
		}
	}
	return nil
}

func (n *node) state(id lightning.NodeID) lightning.State {
	if p := n.peerOf(id); p != nil {
		return p.State
	}
	return lightning.Disconnected
}

// testPeer is a peer that the test controls.
type testPeer struct {
	t      testing.TB
	conn   Conn
	id     lightning.NodeID // id of the other side, if it has connected
	writer *noise.Writer
	reader *noise.Reader
}

func (s *testPeer) use(session *noise.Session) {
	s.writer, s.reader = session.Writer(s.conn), session.Reader(s.conn)
}

// answer performs the listening side of a handshake. It returns nil if the other side has
// disconnected.
func answer(t testing.TB, conn Conn, name string) *testPeer {
	s := &testPeer{t: t, conn: conn}
	r := noise.NewResponder(keyOf(t, name), keyOf(t, name+"'s"))
	act := make([]byte, noise.Act1Size)
	if _, err := io.ReadFull(conn, act); err != nil || r.Act1(act) != nil {
		conn.Close()
		return nil
	}
	two, err := r.Act2()
	require.NoError(t, err)
	if _, err := conn.Write(two[:]); err != nil {
		return nil
	}
	act = make([]byte, noise.Act3Size)
	if _, err := io.ReadFull(conn, act); err != nil {
		conn.Close()
		return nil
	}
	id, session, err := r.Act3(act)
	require.NoError(t, err)
	s.id = id
	s.use(session)
	return s
}

// call connects to a node and performs the handshake.
func (w *world) call(t testing.TB, name string, to *node) *testPeer {
	return w.callFrom(t, home, name, to)
}

func (w *world) callFrom(t testing.TB, from, name string, to *node) *testPeer {
	a := parse(t, to.address())
	conn, err := w.dialFrom(t.Context(), from, a.Host, a.Port)
	require.NoError(t, err)
	i, one := firstAct(t, name, to.ID())
	_, err = conn.Write(one[:])
	require.NoError(t, err)
	return lastAct(t, conn, i)
}

// firstAct returns act 1 of a handshake by the named node.
func firstAct(t testing.TB, name string, to lightning.NodeID) (*noise.Initiator, [noise.Act1Size]byte) {
	i := noise.NewInitiator(keyOf(t, name), keyOf(t, name+"'s"), to)
	one, err := i.Act1()
	require.NoError(t, err)
	return i, one
}

// lastAct reads act 2 and writes act 3.
func lastAct(t testing.TB, conn Conn, i *noise.Initiator) *testPeer {
	s := &testPeer{t: t, conn: conn}
	act := make([]byte, noise.Act2Size)
	_, err := io.ReadFull(conn, act)
	require.NoError(t, err)
	require.NoError(t, i.Act2(act))
	three, session, err := i.Act3()
	require.NoError(t, err)
	_, err = conn.Write(three[:])
	require.NoError(t, err)
	s.use(session)
	return s
}

// hear reads a message, and fails the test at the end of the connection.
func (s *testPeer) hear() []byte {
	message, err := s.reader.Read()
	require.NoError(s.t, err)
	return bytes.Clone(message)
}

// say writes a message. It ignores errors, which the next read returns.
func (s *testPeer) say(message []byte) { _ = s.writer.Write(message) }

// greet exchanges init.
func (s *testPeer) greet(hello wire.Init) wire.Init {
	kind, payload, err := wire.Split(s.hear())
	require.NoError(s.t, err)
	require.Equal(s.t, wire.TypeInit, kind)
	theirs, err := wire.DecodeInit(payload)
	require.NoError(s.t, err)
	s.say(hello.Encode())
	return theirs
}

// usual returns the init message of an ordinary node.
func usual() wire.Init { return wire.Init{Features: wire.LocalFeatures()} }

// behave answers pings until the connection ends, and returns their number.
func (s *testPeer) behave() (pings int) {
	for {
		message, err := s.reader.Read()
		if err != nil {
			return pings
		}
		if kind, payload, _ := wire.Split(message); kind == wire.TypePing {
			ping, err := wire.DecodePing(payload)
			require.NoError(s.t, err)
			pings++
			s.say(wire.Pong(ping.Pong).Encode())
		}
	}
}

// decent returns a node with the given name that follows the protocol.
func decent(t testing.TB, name string) func(Conn) {
	return func(conn Conn) {
		if s := answer(t, conn, name); s != nil {
			s.greet(usual())
			s.behave()
		}
	}
}

// at returns an address of the named node.
func at(t testing.TB, name, place string) string { return fmt.Sprintf("%s@%s", idOf(t, name), place) }
