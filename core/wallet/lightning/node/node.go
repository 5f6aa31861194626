// Package node activates Lightning coins. Each active coin has a Lightning node with the user's
// key, which connects to its peers with the platform's Open. It opens no channels, so that such
// a coin never has a balance.
//
// Sources: Komodo DeFi Framework coins_activation/src/lightning_activation.rs and l2, for
// the parameters, their defaults and the order of checks.
//
// Invariant: Each active coin has exactly one node, which runs as long as the coin is active.
package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"obverse/core/key"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/lightning"
)

// Errors of activations.
var (
	// ErrNoKey means that there is no passphrase, and therefore no node id.
	ErrNoKey = errors.New("the node was started without a passphrase, from which the key of a Lightning node is made")
	// ErrUnsupported means that this platform cannot connect to Lightning nodes.
	ErrUnsupported = errors.New("this platform cannot connect to Lightning nodes")
	// ErrListen means that the node cannot listen on the port. The text has the reason.
	ErrListen = errors.New("cannot listen for Lightning nodes")
)

// Peers manages the peers of a node, as link.Peers does.
type Peers interface {
	lightning.Network
	// Run serves the connections until ctx ends, and then closes them. It must be called once.
	Run(ctx context.Context) error
}

// Setup holds the settings of a node's peers.
type Setup struct {
	Key   *key.Private // key of the node
	Chain [32]byte     // see lightning.ChainHash
	Port  uint16       // port to listen on, if listening is enabled; 0 means any free port
}

// Open returns the peers of a node. listening is the host:port at which other nodes can connect
// to it, or "" if they cannot. The error is ErrListen.
type Open func(ctx context.Context, s Setup) (p Peers, listening string, err error)

// Params are the user's parameters for activating a Lightning coin. Except for the port, they
// are for nodes that announce themselves and make payments; they are stored, but have no
// effect.
type Params struct {
	Name    string `json:"name"`
	Port    uint16 `json:"listening_port"`
	Color   string `json:"color"`
	Retries uint64 `json:"payment_retries"`
	Backup  string `json:"backup_path,omitempty"`
}

// Coin is an active Lightning coin. It implements coin.Coin, Runner, Balancer and Addresser.
type Coin struct {
	ticker    string
	entry     *coin.Entry
	facts     coin.Lightning
	id        lightning.NodeID
	port      uint16
	peers     Peers
	listening string
}

// Ticker implements coin.Coin.
func (c *Coin) Ticker() string { return c.ticker }

// Entry implements coin.Coin.
func (c *Coin) Entry() *coin.Entry { return c.entry }

// Address implements coin.Addresser. It returns the node's id, as in Komodo DeFi Framework.
func (c *Coin) Address() string { return c.id.String() }

// Balance implements coin.Balancer. It is zero, since there are no channels.
func (c *Coin) Balance(context.Context) (coin.Balance, error) { return coin.Balance{}, nil }

// PlatformTicker returns the ticker of the coin on which the Lightning network is based. That
// coin need not be active.
func (c *Coin) PlatformTicker() string { return c.facts.Platform }

// Peers returns the node's peers.
func (c *Coin) Peers() lightning.Network { return c.peers }

// Listening returns the host:port at which other nodes can connect, or "" if they cannot.
func (c *Coin) Listening() string { return c.listening }

// Run implements coin.Runner.
func (c *Coin) Run(ctx context.Context) error { return c.peers.Run(ctx) }

// Activator activates Lightning coins. Its methods are safe for concurrent use.
type Activator struct {
	Active   *coin.Active
	Registry *coin.Registry
	Ring     *key.Ring // nil means that the node was started without a passphrase
	Open     Open      // nil means that this platform cannot connect to Lightning nodes
}

// Supported reports whether this platform supports Lightning nodes.
func (a *Activator) Supported() bool { return a != nil && a.Open != nil }

// Check returns the errors of Activate that can be found in advance: coin.ErrAlreadyActive,
// coin.ErrNotConfigured, a *coin.ParseError or a *coin.UnexpectedError, and ErrNoKey.
func (a *Activator) Check(ticker string) error {
	if state, restored := a.Active.State(ticker); state == coin.StateActive && !restored {
		return fmt.Errorf("%s: %w", ticker, coin.ErrAlreadyActive)
	}
	if _, _, err := a.lookup(ticker); err != nil {
		return err
	}
	if a.Ring.Node() == nil {
		return ErrNoKey
	}
	return nil
}

func (a *Activator) lookup(ticker string) (*coin.Entry, coin.Lightning, error) {
	entry, err := a.Registry.Lookup(ticker)
	if err != nil {
		return nil, coin.Lightning{}, err
	}
	facts, err := coin.As[coin.Lightning](entry)
	return entry, facts, err
}

// Activate activates a coin. A coin that was restored at startup keeps its connections, unless
// the port changes. Activate returns the errors of Check, ErrUnsupported, ErrListen, and the
// errors of the store and of ctx.
func (a *Activator) Activate(ctx context.Context, ticker string, p Params) (_ *Coin, err error) {
	x, err := a.Active.Begin(ctx, ticker)
	if err != nil {
		return nil, err
	}
	defer x.End(&err)
	ctx = x.Context()
	if running, err := a.Active.Get(ticker); err == nil {
		if c, is := running.(*Coin); is && c.port == p.Port {
			return a.commit(ctx, x, c, p)
		}
	}
	c, err := a.open(ctx, ticker, p)
	if err != nil {
		return nil, err
	}
	return a.commit(ctx, x, c, p)
}

// open returns a coin with its own peers.
func (a *Activator) open(ctx context.Context, ticker string, p Params) (*Coin, error) {
	entry, facts, err := a.lookup(ticker)
	if err != nil {
		return nil, err
	}
	if !a.Supported() {
		return nil, ErrUnsupported
	}
	owner := a.Ring.Node()
	if owner == nil {
		return nil, ErrNoKey
	}
	identity, err := owner.LightningNode()
	if err != nil {
		return nil, err
	}
	chain, known := lightning.ChainHash(facts.Network)
	if !known { // cannot happen, since the reader of the coins file has checked it
		return nil, &coin.ParseError{Ticker: ticker, Reason: "unknown network " + facts.Network}
	}
	peers, listening, err := a.Open(ctx, Setup{Key: identity, Chain: chain, Port: p.Port})
	if err != nil {
		return nil, err
	}
	return &Coin{ticker: ticker, entry: entry, facts: facts, id: identity.PublicKey(), port: p.Port, peers: peers, listening: listening}, nil
}

// commit makes the coin active. If it fails, it ends peers that were opened for the coin.
func (a *Activator) commit(ctx context.Context, x *coin.Activation, c *Coin, p Params) (*Coin, error) {
	saved, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	if err := x.Commit(ctx, coin.Item{Coin: c, Params: saved}); err != nil {
		a.endUnused(c)
		return nil, err
	}
	return c, nil
}

// endUnused ends the peers of a coin that was not committed.
func (a *Activator) endUnused(c *Coin) {
	if running, _ := a.Active.Get(c.ticker); running != coin.Coin(c) {
		end(c.peers)
	}
}

// end releases the resources of peers that never ran.
func end(p Peers) {
	over, cancel := context.WithCancel(context.Background())
	cancel()
	_ = p.Run(over) // returns the error of the context
}

// Restore restores a coin that was active when the node last ran. It is one of the Kinds of a
// coin.Restorer.
func (a *Activator) Restore(ctx context.Context, saved coin.SavedCoin) error {
	var restored *Coin
	err := a.Active.RestoreWith(ctx, saved.Ticker, func(ctx context.Context, _ *coin.Activation) (coin.Item, error) {
		var p Params
		err := json.Unmarshal(saved.Params, &p)
		if err != nil {
			return coin.Item{}, fmt.Errorf("saved parameters of %s: %w", saved.Ticker, err)
		}
		restored, err = a.open(ctx, saved.Ticker, p)
		return coin.Item{Coin: restored, Params: saved.Params}, err
	})
	if err != nil && restored != nil {
		a.endUnused(restored)
	}
	return err
}
