package link

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"sync"
	"time"

	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/noise"
)

// Limits on the resources that peers can use.
const (
	// DefaultMaxPeers is the default maximum number of peers. Inbound peers may use half of it;
	// when that is used up, no origin may have more than another.
	DefaultMaxPeers = 512
	// maxHandshakes limits the concurrent inbound handshakes, and maxHandshakesEach the ones of
	// one origin.
	maxHandshakes     = 32
	maxHandshakesEach = 8
	// maxAttempts limits the number of addresses of one node that are tried concurrently.
	maxAttempts = 8
)

// Config configures Peers.
type Config struct {
	Key      noise.Key // key of this node; implemented by *key.Private, see its LightningNode
	Dialer   Dialer    // nil means that this platform cannot dial
	Listener Listener  // nil means no inbound connections; closed by Run
	Random   io.Reader // safe for concurrent use
	Now      func() time.Time
	// Networks holds the chains of this node, see lightning.ChainHash. Nodes that only name
	// other chains are rejected. nil accepts any.
	Networks [][32]byte
	MaxPeers int // 0 means DefaultMaxPeers
	// Changed is called when a connection is up and when it has ended, from several goroutines.
	// It must not block. It may be nil.
	Changed func(lightning.Peer)
}

// Peers manages the peers of a node. It implements lightning.Network.
type Peers struct {
	config Config
	self   lightning.NodeID
	queued chan struct{} // wakes Run when queue has work
	over   chan struct{} // closed when Run begins to end

	mu     sync.Mutex
	known  map[lightning.NodeID]*peer
	queue  []func(context.Context) // functions that Run starts
	ending bool
}

// New returns a node without peers. It connects only while Run runs.
func New(c Config) *Peers {
	c.MaxPeers = cmp.Or(c.MaxPeers, DefaultMaxPeers)
	if c.Changed == nil {
		c.Changed = func(lightning.Peer) {}
	}
	return &Peers{config: c, self: c.Key.PublicKey(), queued: make(chan struct{}, 1), over: make(chan struct{}),
		known: map[lightning.NodeID]*peer{}}
}

// ID returns the node's own id.
func (p *Peers) ID() lightning.NodeID { return p.self }

// Run serves the connections until ctx ends, and then closes them. It must be called once.
func (p *Peers) Run(ctx context.Context) error {
	var work sync.WaitGroup
	if p.config.Listener != nil {
		work.Go(func() { p.accept(ctx, &work) })
	}
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-p.queued:
			for _, start := range p.take() {
				work.Go(func() { guarded(ctx, func() { start(ctx) }) })
			}
		}
	}
	p.end()
	work.Wait()
	p.forget()
	return ctx.Err()
}

// forget removes all peers.
func (p *Peers) forget() {
	p.mu.Lock()
	defer p.mu.Unlock()
	clear(p.known)
}

func (p *Peers) take() []func(context.Context) {
	p.mu.Lock()
	defer p.mu.Unlock()
	queue := p.queue
	p.queue = nil
	return queue
}

// end fails all attempts and stops accepting.
func (p *Peers) end() {
	p.mu.Lock()
	p.ending = true
	for _, n := range p.known {
		for _, t := range n.attempts {
			n.finish(t, lightning.ErrStopped)
		}
	}
	p.mu.Unlock()
	close(p.over)
	if p.config.Listener != nil {
		_ = p.config.Listener.Close() // even if this fails, no connection is accepted any more
	}
}

// Connect implements lightning.Network.
func (p *Peers) Connect(ctx context.Context, a lightning.Address, timeout time.Duration) (already bool, err error) {
	timeout = min(cmp.Or(timeout, lightning.DefaultTimeout), lightning.MaxTimeout)
	if err := ctx.Err(); err != nil {
		return false, err
	}
	n, t, err := p.join(a)
	if err != nil {
		return false, err
	}
	if t == nil {
		return true, nil
	}
	defer p.stopWaiting(n, t)
	late := time.NewTimer(timeout)
	defer late.Stop()
	select {
	case <-t.done:
		return false, t.err
	case <-late.C:
		return false, fmt.Errorf("%w: %s within %s", lightning.ErrTimeout, p.stageOf(t), timeout)
	case <-ctx.Done():
		return false, ctx.Err()
	case <-p.over:
		return false, lightning.ErrStopped
	}
}

// join returns the attempt to connect to an address, and starts one if necessary. It returns no
// attempt if the node is connected.
func (p *Peers) join(a lightning.Address) (*peer, *attempt, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.config.Dialer == nil:
		return nil, nil, lightning.ErrNoDialer
	case a.Node == p.self:
		return nil, nil, lightning.ErrSelf
	case p.ending:
		return nil, nil, lightning.ErrStopped
	}
	n := p.known[a.Node]
	if n == nil {
		if len(p.known) >= p.config.MaxPeers {
			return nil, nil, lightning.ErrTooMany
		}
		n = p.addPeer(a.Node)
	}
	if n.link != nil && n.link.up {
		if n.wanted == nil { // prefer an address that worked to one that was never tried
			n.wanted = &a
		}
		return n, nil, nil
	}
	t := n.attempts[a.Place()]
	if t == nil {
		if len(n.attempts) >= maxAttempts {
			return nil, nil, lightning.ErrTooMany
		}
		t = n.newAttempt(a)
		p.queue = append(p.queue, func(ctx context.Context) { p.reconnect(ctx, n, p.attempt(ctx, n, t)) })
		notify(p.queued)
	}
	t.waiters++
	return n, t, nil
}

// addPeer adds a node.
func (p *Peers) addPeer(id lightning.NodeID) *peer {
	n := &peer{id: id, attempts: map[string]*attempt{}, wake: make(chan struct{}, 1), since: p.config.Now()}
	p.known[id] = n
	return n
}

// notify wakes the receiver of c, now or at its next receive.
func notify(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Disconnect implements lightning.Network.
func (p *Peers) Disconnect(id lightning.NodeID) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.known[id]
	if n == nil {
		return lightning.ErrNotConnected
	}
	n.wanted = nil
	for _, t := range n.attempts {
		n.finish(t, lightning.ErrDisconnected)
		t.stop()
	}
	p.unlink(n, lightning.ErrDisconnected)
	notify(n.wake)
	p.removeIfUnused(n)
	return nil
}

// List implements lightning.Network.
func (p *Peers) List() []lightning.Peer {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := make([]lightning.Peer, 0, len(p.known))
	for _, n := range p.known {
		if peer := n.describe(); peer.State != lightning.Disconnected {
			all = append(all, peer)
		}
	}
	slices.SortFunc(all, func(a, b lightning.Peer) int { return slices.Compare(a.Node[:], b.Node[:]) })
	return all
}

// Delays before reconnecting. Each is twice as long as the previous one.
const (
	firstRetry = time.Second
	lastRetry  = 2 * time.Minute
	// stableAfter is how long a connection must last to reset the delay.
	stableAfter = 30 * time.Second
)

// attempt connects to the address of an attempt and serves the connection. It returns when the
// connection ends or another one is used instead. It returns how long the connection was up.
func (p *Peers) attempt(ctx context.Context, n *peer, t *attempt) time.Duration {
	trying, cancel := context.WithCancel(ctx)
	defer cancel()
	if !p.start(t, cancel) {
		return 0
	}
	l, err := p.dial(trying, n, t)
	switch {
	case ctx.Err() != nil && l == nil:
		p.fail(n, t, lightning.ErrStopped)
		return 0
	case err != nil:
		p.fail(n, t, err)
		return 0
	case l == nil:
		return 0
	}
	return p.serve(ctx, n, l)
}

// reconnect is called after a connection ended or failed. It retries while the user wants
// the node connected, until another connection is up.
func (p *Peers) reconnect(ctx context.Context, n *peer, lasted time.Duration) {
	if !p.startReconnecting(n) {
		return
	}
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		if lasted >= stableAfter {
			wait = firstRetry
		}
		p.waitRetry(ctx, n, p.jitter(wait))
		t, begun := p.retry(ctx, n)
		if t == nil {
			return
		}
		lasted = 0
		late := time.AfterFunc(lightning.DefaultTimeout, func() { p.stopWaiting(n, t) })
		if begun {
			lasted = p.attempt(ctx, n, t)
		} else {
			<-t.done // another goroutine runs the attempt
		}
		if late.Stop() {
			p.stopWaiting(n, t)
		}
	}
}

// startReconnecting reports whether the node must be reconnected and no goroutine does so yet.
func (p *Peers) startReconnecting(n *peer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n.link != nil || n.wanted == nil || n.reconnecting || p.ending {
		return false
	}
	n.reconnecting = true
	return true
}

// waitRetry waits for the next attempt, or until the node is woken.
func (p *Peers) waitRetry(ctx context.Context, n *peer, d time.Duration) {
	p.mu.Lock()
	select {
	case <-n.wake: // discards an earlier notification
	default:
	}
	idle := n.link == nil && n.wanted != nil
	n.next = p.config.Now().Add(d)
	p.mu.Unlock()
	if !idle {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-n.wake:
	case <-ctx.Done():
	}
}

// retry starts the next attempt, or returns the one in progress. If the node is connected or is
// not wanted any more, it returns nil and ends the reconnecting.
func (p *Peers) retry(ctx context.Context, n *peer) (t *attempt, begun bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n.link != nil || n.wanted == nil || p.ending || ctx.Err() != nil {
		n.reconnecting = false
		p.removeIfUnused(n)
		return nil, false
	}
	n.next = time.Time{}
	t = n.attempts[n.wanted.Place()]
	if t == nil {
		t, begun = n.newAttempt(*n.wanted), true
	}
	t.waiters++
	return t, begun
}

// jitter makes a pause up to a quarter shorter or longer, so that many nodes do not connect at
// the same time.
func (p *Peers) jitter(d time.Duration) time.Duration {
	var b [1]byte
	if _, err := p.config.Random.Read(b[:]); err != nil {
		return d
	}
	return d - d/4 + d/2*time.Duration(b[0])/255
}
