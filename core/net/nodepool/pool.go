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

// MaxNodes limits the number of nodes in a pool.
const MaxNodes = 64

// Config configures a Pool.
type Config struct {
	Nodes    []Node // in the user's order, which decides between equally good nodes
	Fetcher  fetch.Fetcher
	Dialer   fetch.Dialer     // for nodes with a ws or wss URL, which are refused if it is nil
	Identity proxyauth.Signer // for nodes behind a gateway; may be nil without such nodes
	Now      func() time.Time
	// HealthCheck is the first question to each node, and is repeated after a failure. Its
	// answer is a Health, or a *WrongChainError for a node on another chain.
	HealthCheck Question
	// Socket returns the URL of a node's websocket. It is nil if websockets are not used.
	Socket func(Node) (Endpoint, *URLError)
	// MaxLag is the number of blocks by which a node may be behind the others.
	MaxLag int64
	// Block is the average time between blocks, which limits plausible heights; 0 means one
	// second.
	Block time.Duration
	// NumericIDs makes request ids numbers instead of strings.
	NumericIDs bool
	// TTL maps quantities to the time for which answers are cached. Answers about other
	// quantities are not cached.
	TTL map[string]time.Duration
}

// Health is the result of the health check of a node on the chain.
type Health struct {
	Behind         bool  // whether it does not have the chain's newest block yet
	EarliestHeight int64 // height of the oldest available block; 0 if unknown
}

// Pool is a group of nodes of one chain. It is safe for concurrent use. Its results are shared
// and must not be modified.
type Pool struct {
	config Config
	cache  *fetch.Cache[any]
	ids    atomic.Uint64
	nodes  []*node
	bad    URLErrors     // unusable nodes in the user's order
	wakeUp chan struct{} // wakes Run when a node has been paused

	mu        sync.Mutex
	announced observation
}

// New returns a pool. It sends no requests. Its errors are ErrNoNodes, ErrTooManyNodes,
// ErrNoIdentity, and URLErrors if no node has a usable URL. Nodes with unusable URLs are
// excluded if others are usable. Duplicate nodes count once.
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

// Socket returns the websocket URL for a turn. The best nodes take turns.
func (p *Pool) Socket(turn int) Endpoint {
	may, _ := p.order()
	if len(may) == 0 {
		may = p.nodes
	}
	return may[turn%len(may)].socketAt
}

// Invalidate removes the cached answers about these quantities, or all cached answers.
func (p *Pool) Invalidate(quantities ...string) { p.cache.Invalidate(quantities...) }

// Servers returns the number of servers. Several URLs of one host are one server.
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
	Healthy        bool          // whether it is on the chain and its last answer was good
	Behind         bool          // whether others have newer blocks
	Ahead          bool          // whether it reports blocks that the others do not have; such a node is asked last
	HeightProblem  string        // how its height contradicts the others; "" if it does not
	Reason         string        // why it is unhealthy; "" if unknown
	RetryAt        time.Time     // time when Run asks an unhealthy or Ahead node again; zero if unknown
	Suspended      bool          // whether it requested the pause (Retry-After)
	Height         int64         // last reported height; 0 if it reported no height
	EarliestHeight int64         // height of its oldest block; 0 if unknown
	Delay          time.Duration // median latency of its answers
}

// Nodes returns the states of the nodes in the user's order, followed by the nodes with
// unusable URLs.
func (p *Pool) Nodes() []State {
	states := p.states()
	for _, bad := range p.bad {
		states = append(states, State{URL: bad.URL, Reason: bad.Reason})
	}
	return states
}

// states returns the states of the usable nodes.
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

// Get calls Ask and returns the answer as a T.
func Get[T any](ctx context.Context, p *Pool, q Question) (T, error) {
	answer, err := p.Ask(ctx, q)
	value, _ := answer.(T) // value is zero if there is an error
	return value, err
}

// Ask asks the nodes, or shares the answer to an equal question of another caller. Its errors
// are an *UnreachableError, those returned by Read and Refine, and an *RPCError.
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

// left returns the reason why each node did not answer, or that it has not answered yet.
func (p *Pool) left() []Attempt {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []Attempt
	for _, n := range p.nodes {
		all = append(all, p.failed(n, cmp.Or(n.fault, errLate)))
	}
	return all
}

// failed returns the Attempt for a node that failed before.
func (p *Pool) failed(n *node, err error) Attempt {
	return NewAttempt(n.at, err, p.config.HealthCheck.Timeout)
}

// order returns the nodes that may be asked, best first, and the others.
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

// Trial is the result of a single health check of a node.
type Trial struct {
	URL     string        // without credentials
	Chain   string        // chain id reported by the node; "" if unknown
	Height  int64         // height of its newest block; 0 if unknown
	Latency time.Duration // latency of its answer
	Behind  bool          // whether it does not have the newest blocks yet
	Reason  string        // why it cannot be used; "" if it can be used
}

// Try runs the health check of the first node in a pool. The argument chain is the expected
// chain id. The error is that of ctx.
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
