package nft

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"obverse/core/key"
	"obverse/core/wallet/coin"
)

// Network holds the NFTs of one address on one chain. It is an active coin.
type Network struct {
	ticker, platform string
	entry            *coin.Entry
	chain            Chain
	wallet           string // address of the platform, in lower case
	address          string // the same address in the platform's format
	on               Platform
	onChain          bool // whether it was activated without an indexer
}

// Platform has the methods that a Network needs of its platform coin.
type Platform interface {
	coin.Addresser
	// Height returns the number of the newest block. Its error is coin.ErrTransport.
	Height(ctx context.Context) (uint64, error)
}

// Interfaces that a Network implements.
var (
	_ coin.Token     = (*Network)(nil)
	_ coin.Addresser = (*Network)(nil)
)

// Ticker implements coin.Coin.
func (n *Network) Ticker() string { return n.ticker }

// Entry implements coin.Coin.
func (n *Network) Entry() *coin.Entry { return n.entry }

// Platform implements coin.Token.
func (n *Network) Platform() string { return n.platform }

// Address implements coin.Addresser.
func (n *Network) Address() string { return n.address }

// OnPlatform implements coin.Token.
func (n *Network) OnPlatform(platform coin.Coin) coin.Token {
	moved := *n
	if moved.bind(platform) != nil {
		return n
	}
	return &moved
}

// errPlatform reports that a platform does not provide an EVM address and a block height.
var errPlatform = errors.New("the platform is no EVM network")

// bind attaches the network to an active platform.
func (n *Network) bind(platform coin.Coin) error {
	p, is := platform.(Platform)
	if !is {
		return errPlatform
	}
	wallet, ok := ParseAddress(p.Address())
	if !ok {
		return errPlatform
	}
	n.platform, n.wallet, n.address, n.on = platform.Ticker(), wallet, p.Address(), p
	return nil
}

// Provider holds the servers that look up the NFTs of a network.
type Provider struct {
	Indexer Server
	// OnChain finds the transfers in the logs of the platform's nodes instead of an indexer.
	OnChain   bool
	Contracts []string   // with OnChain: contracts that list the NFTs of an address, in lower case
	Policy    key.Policy // policy that the platform must have; nil means any
}

// savedNetwork holds the parameters that restore a network after a restart.
type savedNetwork struct {
	URL     string `json:"url"`
	Gateway bool   `json:"gateway,omitempty"`
	OnChain bool   `json:"on_chain,omitempty"`
}

// Activated is the result of an activation.
type Activated struct {
	Platform string // ticker of the platform
	NFTs     []NFT  // without duplicates, in the indexer's order
}

// Activate activates an NFT network on an active platform, and stores the list of the NFTs of
// its address. It checks in this order: that the network is not active; its entry; that its
// platform is active (a *coin.PlatformError), is an EVM network (a *coin.PlatformKindError,
// ErrChain) and has the requested policy (a *coin.PolicyError); and the indexer (a
// *RemoteError) or the chain (a *ContractError).
func (g *Gallery) Activate(ctx context.Context, ticker string, p Provider) (_ Activated, err error) {
	x, err := g.Active.Begin(ctx, ticker)
	if err != nil {
		return Activated{}, err
	}
	defer x.End(&err)
	ctx = x.Context()
	n, err := g.network(ctx, x, ticker, p.Policy)
	if err != nil {
		return Activated{}, err
	}
	item, nfts, err := g.sync(ctx, n, p)
	if err != nil {
		return Activated{}, err
	}
	return Activated{n.platform, nfts}, x.Commit(ctx, item)
}

// Join makes the NFT network of a platform that is being activated, and stores the list of the
// NFTs of its address. The item is for the platform's Commit, under the ticker that Ticker
// returns. It returns the errors of Activate about the entry, the platform and the indexer.
func (g *Gallery) Join(ctx context.Context, platform coin.Coin, p Provider) (coin.Item, []NFT, error) {
	ticker, err := Ticker(platform.Ticker())
	if err != nil {
		return coin.Item{}, nil, err
	}
	n, protocol, err := g.newNetwork(ticker)
	if err != nil {
		return coin.Item{}, nil, err
	}
	if coin.Canonical(protocol.Platform) != coin.Canonical(platform.Ticker()) {
		return coin.Item{}, nil, &coin.PlatformKindError{Platform: platform.Ticker(), Token: ticker}
	}
	if err := n.attach(platform); err != nil {
		return coin.Item{}, nil, err
	}
	return g.sync(ctx, n, p)
}

// sync lists the NFTs of a network and stores them.
func (g *Gallery) sync(ctx context.Context, n *Network, p Provider) (coin.Item, []NFT, error) {
	saved, err := json.Marshal(savedNetwork{p.Indexer.URL, p.Indexer.Gateway, p.OnChain})
	if err != nil {
		return coin.Item{}, nil, err
	}
	var l listing
	if n.onChain = p.OnChain; p.OnChain {
		err := withTimeout(ctx, maxListing, func(ctx context.Context) (err error) {
			l.nfts, err = g.lookOnChain(ctx, n, Services{Contracts: p.Contracts})
			return err
		})
		return coin.Item{Coin: n, Params: saved}, l.nfts, err
	}
	err = withTimeout(ctx, maxListing, func(ctx context.Context) (err error) {
		l, err = g.list(ctx, p.Indexer, n.chain, n.wallet)
		return err
	})
	if err != nil {
		return coin.Item{}, nil, err
	}
	found := &listUpdate{chain: n.chain, wallet: n.wallet, nfts: l.nfts, cut: l.cut}
	if err := g.records.replace(ctx, found); err != nil {
		return coin.Item{}, nil, err
	}
	if err := g.records.limited(ctx, found); err != nil {
		return coin.Item{}, nil, err
	}
	return coin.Item{Coin: n, Params: saved}, l.nfts, nil
}

// newNetwork returns a network with its entry, not yet attached to a platform.
func (g *Gallery) newNetwork(ticker string) (*Network, coin.NFT, error) {
	entry, err := g.Registry.Lookup(ticker)
	if err != nil {
		return nil, coin.NFT{}, err
	}
	protocol, err := coin.As[coin.NFT](entry)
	return &Network{ticker: ticker, entry: entry}, protocol, err
}

// network returns a network on the active platform that its entry names. The platform must have
// the policy.
func (g *Gallery) network(ctx context.Context, x *coin.Activation, ticker string, policy key.Policy) (*Network, error) {
	n, protocol, err := g.newNetwork(ticker)
	if err != nil {
		return nil, err
	}
	platform, err := x.Platform(ctx, protocol.Platform)
	if err != nil {
		return nil, err
	}
	if err := n.attach(platform); err != nil {
		return nil, err
	}
	return n, coin.CheckPolicy(platform, policy)
}

// attach attaches the network to a platform, which must be an EVM network of a supported chain.
func (n *Network) attach(platform coin.Coin) error {
	kind := &coin.PlatformKindError{Platform: platform.Ticker(), Token: n.ticker}
	if platform.Entry() == nil {
		return kind
	}
	if _, err := coin.As[coin.ETH](platform.Entry()); err != nil {
		return kind
	}
	c, err := chainOf(strings.ToUpper(platform.Ticker()))
	if err != nil {
		return err
	}
	if err := n.bind(platform); err != nil {
		return kind
	}
	n.chain = c
	return nil
}

// Restore restores a network that was active when the node last ran, with its stored list. It
// is a coin.Restorer and makes no requests.
func (g *Gallery) Restore(ctx context.Context, saved coin.SavedCoin) error {
	return g.Active.RestoreWith(ctx, saved.Ticker, func(ctx context.Context, x *coin.Activation) (coin.Item, error) {
		n, err := g.network(ctx, x, saved.Ticker, nil)
		var as savedNetwork
		if err == nil && json.Unmarshal(saved.Params, &as) == nil { // if there are no parameters, it was activated with an indexer
			n.onChain = as.OnChain
		}
		return coin.Item{Coin: n, Params: saved.Params}, err
	})
}
