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
	"obverse/core/text"
)

// MaxNodes limits the nodes of a pool.
const MaxNodes = 64

// Config configures a Pool.
type Config struct {
	Nodes    []Node // in the user's order, which decides between equally good ones
	Fetcher  fetch.Fetcher
	Dialer   fetch.Dialer     // for nodes with a ws or wss URL; nil: those are refused
	Identity proxyauth.Signer // for nodes behind a gateway; may be nil without such nodes
	Now      func() time.Time
	// HealthCheck is asked of each node first, and again after a failure. Its answer is a
	// Health, or a *WrongChainError for a node on another chain.
	HealthCheck Question
	// Socket returns the URL of a node's websocket; nil: unused.
	Socket func(Node) (Endpoint, *URLError)
	// MaxLag is how many blocks a node may be behind the others.
	MaxLag int64
	// Block is the average time between blocks, which limits plausible heights; 0: a second.
	Block time.Duration
	// NumericIDs makes request ids numbers instead of strings.
	NumericIDs bool
	// TTL is how long answers are cached, by quantity; others are not cached.
	TTL map[string]time.Duration
}

// Health is the result of the health check of a node on the chain.
type Health struct {
	Behind         bool  // it does not have the chain's newest block yet
	EarliestHeight int64 // of the oldest block that it still has, 0: unknown
}

// Pool is the nodes of a chain. It is safe for concurrent use. Its results are shared and
// must not be modified.
type Pool struct {
	config Config
	cache  *fetch.Cache[any]
	ids    atomic.Uint64
	nodes  []*node
	bad    URLErrors     // nodes that cannot be used, in the user's order
	wakeUp chan struct{} // wakes Run when a node is paused

	mu        sync.Mutex
	announced observation
}

// New makes a pool. It sends no requests by itself. Its errors are ErrNoNodes,
// ErrTooManyNodes, ErrNoIdentity, and URLErrors if no node has a URL that can be used; nodes
// with other URLs are left out. Duplicate nodes count once.
func New(c Config) (*Pool, error) {
	switch {
	case len(c.Nodes) == 0:
		return nil, ErrNoNodes
	case len(c.Nodes) > MaxNodes:
		return nil, ErrTooManyNodes
	}
	p := &Pool{config: c, cache: fetch.NewCache[any](c.Now), wakeUp: make(chan struct{}, 1)}
	for _, named := range c.Nodes {
		if named.GatewayProxy && c.Identity == nil {
			return nil, ErrNoIdentity
		}
		if err := p.add(named.Trimmed()); err != nil {
			p.bad = append(p.bad, err)
		}
	}
	if len(p.nodes) == 0 {
		return nil, p.bad
	}
	return p, nil
}

// add adds a node, unless it is a duplicate.
func (p *Pool) add(named Node) *URLError {
	schemes := []string{"http", "https"}
	if p.config.Dialer != nil && !named.GatewayProxy { // a gateway's signature is an HTTP header
		schemes = append(schemes, "ws", "wss")
	}
	at, err := Parse(named.URL, schemes...)
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
		p.nodes = append(p.nodes, &node{index: len(p.nodes), server: at.server(), Node: named, at: at, socketAt: socket})
	}
	return nil
}

// Socket returns the websocket to listen to at a turn: those of the best nodes in turn.
func (p *Pool) Socket(turn int) Endpoint {
	may, _ := p.order()
	if len(may) == 0 {
		may = p.nodes
	}
	return may[turn%len(may)].socketAt
}

// Invalidate drops the cached answers about these quantities, or all.
func (p *Pool) Invalidate(quantities ...string) { p.cache.Invalidate(quantities...) }

// Servers returns how many servers the nodes are on: several URLs of one host are one server.
func (p *Pool) Servers() int {
	servers := make(map[string]bool)
	for _, n := range p.nodes {
		servers[n.server] = true
	}
	return len(servers)
}

// State is the state of a node.
type State struct {
	URL            string        // without credentials
	Healthy        bool          // it is on the chain, and its last answer was good
	Behind         bool          // others have newer blocks
	Ahead          bool          // it reports blocks that the others do not have: it is asked last
	HeightProblem  string        // how its height contradicts the others; "": not
	Reason         string        // why it is unhealthy; "": unknown
	RetryAt        time.Time     // when Run asks an unhealthy or Ahead node again; zero: unknown
	Suspended      bool          // it asked for the pause (Retry-After)
	Height         int64         // last reported, 0: none
	EarliestHeight int64         // of the oldest block that it has, 0: unknown
	Delay          time.Duration // median latency of its answers
}

// Nodes returns the states of the nodes in the user's order, and then of those whose URLs cannot
// be used.
func (p *Pool) Nodes() []State {
	states := p.states()
	for _, bad := range p.bad {
		states = append(states, State{URL: bad.URL, Reason: bad.Reason})
	}
	return states
}

// states returns the states of the nodes that can be used.
func (p *Pool) states() []State {
	p.mu.Lock()
	defer p.mu.Unlock()
	states := make([]State, len(p.nodes))
	for i, n := range p.nodes {
		states[i] = State{URL: n.at.Label, Healthy: n.verified, Behind: n.rank == behind || p.lacksAnnounced(n, p.config.Now()), Ahead: n.rank == ahead, HeightProblem: n.heightProblem, Height: n.reported, EarliestHeight: n.health.EarliestHeight,
			Delay: n.pace.quantile(50)}
		if n.rank == ahead {
			states[i].RetryAt = n.checked.Add(stale)
		}
		if n.fault != nil {
			states[i].Reason, states[i].RetryAt, states[i].Suspended = p.failed(n, n.fault).Reason, n.retryAt, n.suspended
		}
	}
	return states
}

// Get asks the pool and returns the answer as a T.
func Get[T any](ctx context.Context, p *Pool, q Question) (T, error) {
	answer, err := p.Ask(ctx, q)
	value, _ := answer.(T) // zero if there is an error
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

// left returns for each node why it did not answer, or that it has not yet.
func (p *Pool) left() []Attempt {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []Attempt
	for _, n := range p.nodes {
		all = append(all, p.failed(n, cmp.Or(n.fault, errLate)))
	}
	return all
}

// failed returns why a node did not answer before.
func (p *Pool) failed(n *node, err error) Attempt {
	return NewAttempt(n.at, err, p.config.HealthCheck.Timeout)
}

// order returns the nodes that may be asked, best first, and those that may not.
func (p *Pool) order() (may []*node, not []Attempt) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.config.Now()
	places := make(map[*node]int)
	for _, n := range p.nodes {
		resting := now.Before(n.retryAt)
		if _, foreign := n.fault.(*WrongChainError); resting && (foreign || n.suspended) {
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

// Trial is how a node does when it is asked for its health once.
type Trial struct {
	URL     string        // without credentials
	Chain   string        // id of the chain that the node says it is on; "": unknown
	Height  int64         // of its newest block; 0: unknown
	Latency time.Duration // of its answer
	Behind  bool          // it does not have the newest blocks yet
	Reason  string        // why it cannot be used; "": it can
}

// Try asks the first node of a pool whose nodes have to be on the chain. The error is of ctx.
func (p *Pool) Try(ctx context.Context, chain string) (Trial, error) {
	n := p.nodes[0]
	begin := p.config.Now()
	err := p.verify(ctx, n)
	if ctx.Err() != nil {
		return Trial{}, ctx.Err()
	}
	t := Trial{URL: n.at.Label, Latency: p.config.Now().Sub(begin)}
	var foreign *WrongChainError
	switch {
	case errors.As(err, &foreign):
		t.Chain, t.Reason = text.Clip(foreign.Got, 100), p.failed(n, err).Reason
	case err != nil:
		t.Reason = p.failed(n, err).Reason
	default:
		t.Chain = chain
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	t.Height, t.Behind = n.reported, n.health.Behind
	return t, nil
}
