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

// Bounds of what others can make a node hold.
const (
	// DefaultMaxPeers is how many peers there may be; those that connect to this node
	// may take half of the places, and when these are taken, no origin more than another.
	DefaultMaxPeers = 512
	// maxHandshakes is how many of them may be at the handshake at a time, and
	// maxHandshakesEach how many of one origin.
	maxHandshakes     = 32
	maxHandshakesEach = 8
	// maxTries is how many addresses of one node may be tried at a time.
	maxTries = 8
)

// Config is what the peers of a node have in common.
type Config struct {
	Key      noise.Key // who this node is; a *key.Private is one, see its LightningNode
	Dialer   Dialer    // nil: this platform cannot connect
	Listener Listener  // nil: nobody can connect to this node. Run closes it
	Random   io.Reader // for many at a time
	Now      func() time.Time
	// Networks are the chains that this node has to do with, see lightning.ChainHash.
	// Nodes that name others only are not its peers. nil: any will do.
	Networks [][32]byte
	MaxPeers int // 0: DefaultMaxPeers
	// Changed is told of every connection that is there and of its end, from many
	// goroutines. It must not wait. nil: nobody is told.
	Changed func(lightning.Peer)
}

// Peers is the peers of a node. It implements lightning.Network.
type Peers struct {
	config Config
	self   lightning.NodeID
	queued chan struct{} // tells Run of a queue
	over   chan struct{} // closed when Run begins to end

	mu     sync.Mutex
	known  map[lightning.NodeID]*peer
	queue  []func(context.Context) // for Run to start
	ending bool
}

// New makes a node without peers. Nothing happens before Run.
func New(c Config) *Peers {
	c.MaxPeers = cmp.Or(c.MaxPeers, DefaultMaxPeers)
	if c.Changed == nil {
		c.Changed = func(lightning.Peer) {}
	}
	return &Peers{config: c, self: c.Key.PublicKey(), queued: make(chan struct{}, 1), over: make(chan struct{}),
		known: map[lightning.NodeID]*peer{}}
}

// ID is the node's own id.
func (p *Peers) ID() lightning.NodeID { return p.self }

// Run holds the connections until ctx ends, and then ends them. It must run once.
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

// forget leaves nobody who waits for what will not be.
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

// end lets nobody in any more.
func (p *Peers) end() {
	p.mu.Lock()
	p.ending = true
	for _, n := range p.known {
		for _, t := range n.tries {
			n.finish(t, lightning.ErrStopped)
		}
	}
	p.mu.Unlock()
	close(p.over)
	if p.config.Listener != nil {
		_ = p.config.Listener.Close() // nothing is accepted any more, whatever it says
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
	defer p.leave(n, t)
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

// join takes part in the attempt to connect to an address, which it begins if nobody
// has. There is no try if the node is connected.
func (p *Peers) join(a lightning.Address) (*peer, *try, error) {
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
		n = p.meet(a.Node)
	}
	if n.link != nil && n.link.up {
		if n.keep == nil { // an address that has led to the node is better than one that nobody has tried
			n.keep = &a
		}
		return n, nil, nil
	}
	t := n.tries[a.Place()]
	if t == nil {
		if len(n.tries) >= maxTries {
			return nil, nil, lightning.ErrTooMany
		}
		t = n.try(a)
		p.queue = append(p.queue, func(ctx context.Context) { p.keepUp(ctx, n, p.attempt(ctx, n, t)) })
		signal(p.queued)
	}
	t.waiters++
	return n, t, nil
}

// meet makes the entry of a node.
func (p *Peers) meet(id lightning.NodeID) *peer {
	n := &peer{id: id, tries: map[string]*try{}, wake: make(chan struct{}, 1), since: p.config.Now()}
	p.known[id] = n
	return n
}

// signal leaves a token that says that something has changed.
func signal(c chan struct{}) {
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
	n.keep = nil
	for _, t := range n.tries {
		n.finish(t, lightning.ErrDisconnected)
		t.stop()
	}
	p.unlink(n, lightning.ErrDisconnected)
	signal(n.wake)
	p.tidy(n)
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
