package nodepool

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"obverse/core/net/fetch"
	"obverse/core/net/proxyauth"
)

// MaxNodes is how many nodes a pool may have.
const MaxNodes = 64

// Config is what a pool works with.
type Config struct {
	Nodes    []Node // in the order in which they are asked while they are equally good
	Fetcher  fetch.Fetcher
	Identity proxyauth.Signer // for nodes behind a gateway; may be nil when there are none
	Now      func() time.Time
	// HealthCheck is what a node is asked before anything else, and again after it has
	// failed. Its answer is a Health; of a node on another chain it is a *WrongChainError.
	HealthCheck Question
	// Socket finds a node's websocket; nil: nobody asks for one.
	Socket func(Node) (Endpoint, *URLError)
	// MaxLag is by how many blocks a node may be behind the others.
	MaxLag int64
	// Block is about the time between two blocks, by which it is known how many there can
	// be; 0: a second.
	Block time.Duration
	// NumericIDs: the ids of requests are numbers, otherwise texts.
	NumericIDs bool
	// TTL is how long answers are kept, by quantity; those that are not in it are asked
	// anew each time.
	TTL map[string]time.Duration
}

// Health is what a node on the chain says of itself.
type Health struct {
	Behind         bool  // it does not have the chain's newest block yet
	EarliestHeight int64 // of the oldest block that it still has, 0: unknown
}

// Pool is the nodes of a chain. Its methods may be called by many goroutines, and what
// they return is shared and must not be changed.
type Pool struct {
	config Config
	cache  *fetch.Cache[any]
	ids    atomic.Uint64
	nodes  []*node
	soon   chan struct{} // tells Run that a node rests

	mu        sync.Mutex
	announced observation
}

// New makes a pool, which asks nobody before it is asked. Its errors are ErrNoNodes,
// ErrTooManyNodes, ErrNoIdentity and URLErrors. A node that is named twice is one.
func New(c Config) (*Pool, error) {
	switch {
	case len(c.Nodes) == 0:
		return nil, ErrNoNodes
	case len(c.Nodes) > MaxNodes:
		return nil, ErrTooManyNodes
	}
	p := &Pool{config: c, cache: fetch.NewCache[any](c.Now), soon: make(chan struct{}, 1)}
	var wrong URLErrors
	for _, named := range c.Nodes {
		if named.GatewayProxy && c.Identity == nil {
			return nil, ErrNoIdentity
		}
		if err := p.add(named); err != nil {
			wrong = append(wrong, err)
		}
	}
	if wrong != nil {
		return nil, wrong
	}
	return p, nil
}

// add takes a node up, unless it is there.
func (p *Pool) add(named Node) *URLError {
	at, err := Parse(named.URL, "http", "https")
	if err != nil {
		return err
	}
	var socket Endpoint
	if p.config.Socket != nil {
		if socket, err = p.config.Socket(named); err != nil {
			return err
		}
	}
	if !slices.ContainsFunc(p.nodes, func(n *node) bool { return n.at == at }) {
		p.nodes = append(p.nodes, &node{place: len(p.nodes), Node: named, at: at, socketAt: socket})
	}
	return nil
}

// Socket gives the websocket to listen to at a turn: those of the best nodes in turn.
func (p *Pool) Socket(turn int) Endpoint {
	may, _ := p.order()
	if len(may) == 0 {
		may = p.nodes
	}
	return may[turn%len(may)].socketAt
}

// Invalidate forgets what was answered about these quantities, or about all.
func (p *Pool) Invalidate(quantities ...string) { p.cache.Invalidate(quantities...) }

// State is what is known of a node.
type State struct {
	URL            string        // without credentials
	Healthy        bool          // it is on the chain, and answered the last time
	Behind         bool          // others have newer blocks
	Ahead          bool          // it tells of blocks that the others do not have: it is asked last
	HeightProblem  string        // what is wrong with its height by what others say; "": nothing
	Reason         string        // why it is not sound; "": nothing is known yet
	RetryAt        time.Time     // it is not sound, or Ahead, and asked by itself from then on; zero: nothing is known yet
	Suspended      bool          // the rest is its own wish
	Height         int64         // the last that it told, 0: none
	EarliestHeight int64         // of the oldest block that it has, 0: unknown
	Delay          time.Duration // half of its answers took no longer
}

// Nodes reports how the nodes do, in the user's order.
func (p *Pool) Nodes() []State {
	p.mu.Lock()
	defer p.mu.Unlock()
	states := make([]State, len(p.nodes))
	for i, n := range p.nodes {
		states[i] = State{URL: n.at.Shown, Healthy: n.verified, Behind: n.rank == behind || p.lacksAnnounced(n, p.config.Now()), Ahead: n.rank == ahead, HeightProblem: n.heightProblem, Height: n.reported, EarliestHeight: n.standing.EarliestHeight,
			Delay: n.pace.quantile(50)}
		if n.rank == ahead {
			states[i].RetryAt = n.checked.Add(stale)
		}
		if n.fault != nil {
			states[i].Reason, states[i].RetryAt, states[i].Suspended = p.failed(n, n.fault).Reason, n.retryAt, n.asked
		}
	}
	return states
}

// Get asks the pool and takes the answer for a T.
func Get[T any](ctx context.Context, p *Pool, q Question) (T, error) {
	answer, err := p.Ask(ctx, q)
	value, _ := answer.(T) // none, if there is an error
	return value, err
}

// Ask asks the nodes, or shares what others have asked. Errors are an *UnreachableError,
// those that Read and Refine make of an answer, and an *RPCError.
func (p *Pool) Ask(ctx context.Context, q Question) (answer any, err error) {
	if q.Writes {
		answer, err = p.race(ctx, q)
	} else {
		var key string
		if key, err = q.key(); err != nil {
			return nil, err
		}
		at := fetch.Question{Quantity: q.Quantity, Key: key}
		answer, err = p.cache.Get(ctx, at, p.config.TTL[q.Quantity], func(ctx context.Context) (any, error) { return p.race(ctx, q) })
	}
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = &UnreachableError{p.left(), ctx.Err()}
	}
	if err != nil {
		return nil, err
	}
	return answer, nil
}

// left says of each node why it does not answer, or that it has not yet.
func (p *Pool) left() []Attempt {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []Attempt
	for _, n := range p.nodes {
		all = append(all, p.failed(n, cmp.Or(n.fault, errLate)))
	}
	return all
}

// failed says why a node has not answered before.
func (p *Pool) failed(n *node, err error) Attempt {
	return NewAttempt(n.at, err, p.config.HealthCheck.Timeout)
}

// order gives the nodes that may be asked, the best first, and those that may not.
func (p *Pool) order() (may []*node, not []Attempt) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.config.Now()
	places := make(map[*node]int)
	for _, n := range p.nodes {
		resting := now.Before(n.retryAt)
		if _, foreign := n.fault.(*WrongChainError); resting && (foreign || n.asked) {
			not = append(not, p.failed(n, n.fault))
			continue
		}
		may = append(may, n)
		switch {
		case resting:
			places[n] = 4
		case n.rank == ahead:
			places[n] = 3
		case !n.verified:
			places[n] = 2
		case n.rank == behind:
			places[n] = 1
		}
	}
	sort.SliceStable(may, func(x, y int) bool {
		a, b := may[x], may[y]
		return cmp.Or(places[a]-places[b], a.retryAt.Compare(b.retryAt), a.class()-b.class()) < 0
	})
	return may, not
}
