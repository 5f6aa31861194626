package nft

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"obverse/core/key"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
)

// Network is the NFTs of one address on one chain, which was activated.
type Network struct {
	ticker, platform string
	entry            *coin.Entry
	chain            Chain
	wallet           string // the platform's address, in small letters
	shown            string // as the platform writes it
	on               Platform
	onChain          bool // without an indexer
}

// Platform is what a Network needs of its platform.
type Platform interface {
	coin.Addresser
	// Height is the number of the newest block. Its error is coin.ErrTransport.
	Height(ctx context.Context) (uint64, error)
}

// What a Network can do.
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
func (n *Network) Address() string { return n.shown }

// OnPlatform implements coin.Token.
func (n *Network) OnPlatform(platform coin.Coin) coin.Token {
	moved := *n
	if moved.bind(platform) != nil {
		return n
	}
	return &moved
}

// errPlatform says that a platform does not tell the address whose NFTs are wanted, or its
// blocks.
var errPlatform = errors.New("the platform is no EVM network")

// bind puts the network on an active platform.
func (n *Network) bind(platform coin.Coin) error {
	p, is := platform.(Platform)
	if !is {
		return errPlatform
	}
	wallet, ok := ParseAddress(p.Address())
	if !ok {
		return errPlatform
	}
	n.platform, n.wallet, n.shown, n.on = platform.Ticker(), wallet, p.Address(), p
	return nil
}

// Provider is where the NFTs of a network are looked up.
type Provider struct {
	Indexer Server
	// OnChain: no indexer is asked, but the platform's nodes, which find the transfers in the chain's
	// logs.
	OnChain   bool
	Contracts []string   // with OnChain: those that list the NFTs of an address themselves, in small letters
	Policy    key.Policy // that the platform has to have; nil: any
}

// savedNetwork is what brings a network back.
type savedNetwork struct {
	URL     string `json:"url"`
	Gateway bool   `json:"gateway,omitempty"`
	OnChain bool   `json:"on_chain,omitempty"`
}

// Activated is what came of an activation.
type Activated struct {
	Platform string // ticker
	NFTs     []NFT  // each once, in the indexer's order
}

// Activate makes a network of NFTs active on a platform that is, and keeps the list of
// what its address holds. It checks in this order: that it is not active, its entry,
// that its platform is active (a *coin.PlatformError), an EVM network (a
// *account.PlatformKindError, ErrChain) and of the policy that is named (a *coin.PolicyError),
// and the indexer (a *RemoteError) or what reads the
// chain (a *ContractError).
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

// Join makes the network of NFTs of a platform that is being activated, and keeps the
// list of what its address holds: the item is for the platform's Commit, under the
// ticker that Ticker gives. Its errors are those of Activate about the entry, the
// platform and the indexer.
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
		return coin.Item{}, nil, &account.PlatformKindError{Platform: platform.Ticker(), Token: ticker}
	}
	if err := n.attach(platform); err != nil {
		return coin.Item{}, nil, err
	}
	return g.sync(ctx, n, p)
}

// sync lists what a network has and keeps it.
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

// newNetwork begins a network with its entry.
func (g *Gallery) newNetwork(ticker string) (*Network, coin.NFT, error) {
	entry, err := g.Registry.Lookup(ticker)
	if err != nil {
		return nil, coin.NFT{}, err
	}
	protocol, err := coin.As[coin.NFT](entry)
	return &Network{ticker: ticker, entry: entry}, protocol, err
}

// network makes a network on the active platform that its entry names, which has a policy.
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

// attach puts the network on a platform, which must be an EVM network with a name here.
func (n *Network) attach(platform coin.Coin) error {
	kind := &account.PlatformKindError{Platform: platform.Ticker(), Token: n.ticker}
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

// Restore brings back a network that was active when the node last ran, as a kind of
// coin.Restorer, with the list that is kept. It asks nobody.
func (g *Gallery) Restore(ctx context.Context, saved coin.SavedCoin) error {
	return g.Active.RestoreWith(ctx, saved.Ticker, func(ctx context.Context, x *coin.Activation) (coin.Item, error) {
		n, err := g.network(ctx, x, saved.Ticker, nil)
		var as savedNetwork
		if err == nil && json.Unmarshal(saved.Params, &as) == nil { // else it was activated with an indexer
			n.onChain = as.OnChain
		}
		return coin.Item{Coin: n, Params: saved.Params}, err
	})
}
