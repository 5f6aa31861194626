package node

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"sort"
	"sync"
	"sync/atomic"
	"time"

	"obverse/core/fetch"
	"obverse/core/proxyauth"
	"obverse/core/tendermint/wire"
	"obverse/core/trace"
)

// MaxNodes is how many nodes a pool may have.
const MaxNodes = 64

// Config is what a pool works with.
type Config struct {
	Nodes    []Node // in the order in which they are asked while they are equally good
	ChainID  string // "cosmoshub-4"
	Fetcher  fetch.Fetcher
	Dialer   fetch.Dialer     // for Events; nil: this platform has no websockets
	Identity proxyauth.Signer // for nodes behind a gateway; may be nil when there are none
	Now      func() time.Time
	// TTL is how long answers are kept, by quantity: those that are not in it have
	// their DefaultTTL.
	TTL map[string]time.Duration
}

// DefaultTTL is how long answers are kept that are not asked anew each time.
func DefaultTTL() map[string]time.Duration {
	return map[string]time.Duration{
		QuantityHeight:             time.Second,
		QuantityBlock:              10 * time.Minute,
		wire.PathBalance:           2 * time.Second,
		wire.PathAllBalances:       2 * time.Second,
		wire.PathSpendableBalances: 2 * time.Second,
		wire.PathChannel:           10 * time.Second,
		wire.PathChannelClient:     10 * time.Second,
		wire.PathClientStatus:      10 * time.Second,
		wire.PathDenomTrace:        10 * time.Minute,
	}
}

// Pool is the nodes of a chain. Its methods may be called by many goroutines, and what
// they return is shared and must not be changed.
type Pool struct {
	config Config
	ttl    map[string]time.Duration
	cache  *fetch.Cache[any]
	ids    atomic.Uint64
	nodes  []*node
	soon   chan struct{} // tells Run that a node rests

	mu    sync.Mutex
	heard sighting
}

// New makes a pool, which asks nobody before it is asked. Its errors are ErrNoNodes,
// ErrTooManyNodes, ErrNoIdentity and URLErrors. A node that is named twice is one.
func New(c Config) (*Pool, error) {
	switch {
	case len(c.Nodes) == 0:
		return nil, trace.Here(ErrNoNodes)
	case len(c.Nodes) > MaxNodes:
		return nil, trace.Here(ErrTooManyNodes)
	}
	p := &Pool{config: c, ttl: DefaultTTL(), cache: fetch.NewCache[any](c.Now), soon: make(chan struct{}, 1)}
	maps.Copy(p.ttl, c.TTL)
	var wrong URLErrors
	for _, named := range c.Nodes {
		if named.GatewayProxy && c.Identity == nil {
			return nil, trace.Here(ErrNoIdentity)
		}
		if err := p.add(named); err != nil {
			wrong = append(wrong, err)
		}
	}
	if wrong != nil {
		return nil, trace.Here(wrong)
	}
	return p, nil
}

// add takes a node up, unless it is there.
func (p *Pool) add(named Node) *URLError {
	at, err := parse(named.URL, "http", "https")
	if err != nil {
		return err
	}
	socket, err := named.socket()
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(p.nodes, func(n *node) bool { return n.endpoint == at }) {
		p.nodes = append(p.nodes, &node{Node: named, endpoint: at, socketAt: socket})
	}
	return nil
}

// Invalidate forgets what was answered about these quantities, which are a Quantity… or
// the path of a query, or about all.
func (p *Pool) Invalidate(quantities ...string) { p.cache.Invalidate(quantities...) }

// State is what is known of a node.
type State struct {
	URL            string        // without credentials
	Sound          bool          // it is on the chain, and answered the last time
	Behind         bool          // others have newer blocks
	Reason         string        // why it is not sound; "": nothing is known yet
	Height         int64         // the last that it told, 0: none
	EarliestHeight int64         // of the oldest block that it has, 0: unknown
	Delay          time.Duration // half of its answers took no longer
}

// Nodes tells how the nodes do, in the user's order.
func (p *Pool) Nodes() []State {
	p.mu.Lock()
	defer p.mu.Unlock()
	states := make([]State, len(p.nodes))
	for i, n := range p.nodes {
		states[i] = State{URL: n.shown, Sound: n.verified, Behind: n.behind, Height: n.height, EarliestHeight: n.status.EarliestHeight,
			Delay: n.pace.quantile(50)}
		if n.fault != nil {
			states[i].Reason = attempt(n, n.fault, lightPatience).Reason
		}
	}
	return states
}

// get asks the pool and takes the answer for a T.
func get[T any](ctx context.Context, p *Pool, q question) (T, error) {
	answer, err := p.ask(ctx, q)
	value, _ := answer.(T) // none, if there is an error
	return value, err
}

// ask asks the nodes, or shares what others have asked.
func (p *Pool) ask(ctx context.Context, q question) (answer any, err error) {
	if q.writes {
		answer, err = p.race(ctx, q)
	} else {
		var params []byte
		if params, err = q.encode(); err != nil {
			return nil, err
		}
		key := fetch.Question{Quantity: q.quantity, Key: q.method + string(params)}
		answer, err = p.cache.Get(ctx, key, p.ttl[q.quantity], func(ctx context.Context) (any, error) { return p.race(ctx, q) })
	}
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		err = &UnreachableError{p.left(), ctx.Err()}
	}
	if err != nil {
		return nil, trace.Here(err)
	}
	return answer, nil
}

// left says of each node why it does not answer, or that it has not yet.
func (p *Pool) left() []Attempt {
	p.mu.Lock()
	defer p.mu.Unlock()
	var all []Attempt
	for _, n := range p.nodes {
		all = append(all, attempt(n, cmp.Or(n.fault, errLate), lightPatience))
	}
	return all
}

// order gives the nodes that may be asked, the best first, and those that may not.
func (p *Pool) order() (may []*node, not []Attempt) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.config.Now()
	rank := make(map[*node]int)
	for _, n := range p.nodes {
		resting := now.Before(n.rest)
		if _, foreign := n.fault.(*WrongChainError); resting && (foreign || n.asked) {
			not = append(not, attempt(n, n.fault, lightPatience))
			continue
		}
		may = append(may, n)
		switch {
		case resting:
			rank[n] = 3
		case !n.verified:
			rank[n] = 2
		case n.behind:
			rank[n] = 1
		}
	}
	sort.SliceStable(may, func(x, y int) bool {
		a, b := may[x], may[y]
		return cmp.Or(rank[a]-rank[b], a.rest.Compare(b.rest), a.pace.class()-b.pace.class()) < 0
	})
	return may, not
}
