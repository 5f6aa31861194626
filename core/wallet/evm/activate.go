package evm

import (
	"context"
	"errors"

	"obverse/core/key"
	"obverse/core/net/fetch"
	"obverse/core/store"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	common "obverse/core/wallet/dapp"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/dapp"
	"obverse/core/wallet/evm/history"
	evmnft "obverse/core/wallet/evm/nft"
	"obverse/core/wallet/evm/tx"
	"obverse/core/wallet/nft"
)

// Activator activates coins. It is safe for concurrent use.
type Activator struct {
	account.Config
	Dialer fetch.Dialer // for nodes with a websocket; nil means that this platform does not support them
	Store  store.KV     // for histories; nil means no histories
	NFTs   NFTs         // nil means not supported
}

// NFTs makes networks of NFTs for platforms that are activated with one. It is implemented by
// *nft.Gallery.
type NFTs interface {
	// Join makes the NFT network of a platform and lists the NFTs of its address. It becomes active
	// when the caller commits the item.
	Join(ctx context.Context, platform coin.Coin, p nft.Provider) (coin.Item, []nft.NFT, error)
}

// Params are the parameters of the activation of a platform.
type Params struct {
	account.Request
	Options
	NFTs *nft.Provider // nil means no network of NFTs
}

// Options are the activation options of a platform in addition to an account.Request. They are
// saved.
type Options struct {
	Contracts
	Gas           GasPolicy         `json:"swap_gas_fee_policy,omitempty"` // initial policy; "" means GasLegacy
	History       bool              `json:"history,omitempty"`             // whether to load the history of transactions
	Indexer       *history.Explorer `json:"history_indexer,omitempty"`     // indexer for the history; nil means that only nodes are queried
	Confirmations *uint64           `json:"confirmations,omitempty"`       // number of confirmations after which a transaction is final; nil means as in the coins file, or otherwise 1
}

// Contracts holds the addresses of contracts of swaps. They are checked, saved and reported.
type Contracts struct {
	Swap     string `json:"swap_contract,omitempty"`          // address
	Fallback string `json:"fallback_swap_contract,omitempty"` // address; may be ""
}

// Activated is the result of an activation.
type Activated struct {
	account.Activated
	NFTs []nft.NFT
}

// TokenActivated is the result of the activation of a token.
type TokenActivated struct {
	account.TokenActivated
	Contract address.Address
}

// ErrNoNFTs means that NFTs are not supported.
var ErrNoNFTs = errors.New("NFTs are not supported here")

func (a *Activator) engine() *account.Engine {
	return &account.Engine{Config: a.Config, Family: family{a}}
}

// Activate makes a platform active with tokens and a network of NFTs, see account.Engine.
// Of the parameters of the coin, Contracts are checked first (a *PayloadError).
func (a *Activator) Activate(ctx context.Context, p Params) (done Activated, err error) {
	if p.NFTs != nil {
		p.Extras = append(p.Extras, account.Extra{Ticker: nft.Prefix + p.Ticker, Make: func(ctx context.Context, platform coin.Coin) (item coin.Item, err error) {
			if a.NFTs == nil {
				return item, ErrNoNFTs
			}
			item, done.NFTs, err = a.NFTs.Join(ctx, platform, *p.NFTs)
			return item, err
		}})
	}
	done.Activated, err = a.engine().Activate(ctx, p.Request, &p.Options)
	if err != nil {
		return Activated{}, err
	}
	return done, nil
}

// ActivateToken activates a token on an active platform, see account.Engine.
func (a *Activator) ActivateToken(ctx context.Context, r account.TokenRequest) (TokenActivated, error) {
	made, done, err := a.engine().ActivateToken(ctx, r)
	if err != nil {
		return TokenActivated{}, err
	}
	token := made.(*Token)
	if token.history != nil {
		token.history.Wake() // its transfers must be loaded
	}
	return TokenActivated{done, token.Contract()}, nil
}

// Restore restores a coin that was active when the node last ran. It is one of the Kinds of a
// coin.Restorer.
func (a *Activator) Restore(ctx context.Context, saved coin.SavedCoin) error {
	return a.engine().Restore(ctx, saved)
}

// Platform is an activated native coin.
type Platform struct {
	asset
	contracts Contracts
}

var _ interface {
	coin.Keyed
	coin.Runner
} = (*Platform)(nil)

// Contracts returns the contracts of swaps.
func (p *Platform) Contracts() Contracts { return p.contracts }

// Policy implements coin.Keyed.
func (p *Platform) Policy() key.Policy { return p.account.Policy() }

// Run implements coin.Runner.
func (p *Platform) Run(ctx context.Context) error {
	if p.history == nil {
		return p.RunPlatform(ctx)
	}
	return p.RunPlatform(ctx, p.history.Coin.Run, p.history.Others.Run)
}

// Token is an activated ERC-20 token.
type Token struct{ asset }

var _ coin.Token = (*Token)(nil)

// Platform implements coin.Token.
func (t *Token) Platform() string { return t.PlatformTicker() }

// Contract returns the address of the token's contract.
func (t *Token) Contract() address.Address { return *t.txAsset().Contract }

// OnPlatform implements coin.Token.
func (t *Token) OnPlatform(platform coin.Coin) coin.Token {
	p, is := platform.(*Platform)
	if !is {
		return t
	}
	return &Token{asset{t.On(p.Asset), p.chain, t.gas}}
}

var _ nft.Readable = (*Platform)(nil)

// NFTReader implements nft.Readable.
func (p *Platform) NFTReader() nft.Reader {
	return evmnft.Reader{Pool: p.nodes.Pool, ChainID: p.chain.id, Owner: p.address}
}

var _ common.Coin = (*Platform)(nil)

// DApps implements the Coin of core/wallet/dapp.
func (p *Platform) DApps() common.Wallet {
	return &dapp.Wallet{Wallet: p.wallet(nil), Nodes: p.nodes, Token: p.tokenAt, Open: p.account.Signer}
}

// tokenAt returns the token with a contract, which is active or in the coins list.
func (p *Platform) tokenAt(ctx context.Context, contract address.Address) (tx.Asset, bool) {
	for _, active := range p.Tokens() {
		if t := active.(*tx.Asset); *t.Contract == contract {
			return *t, true
		}
	}
	for _, entry := range p.registry.Entries() {
		entered, err := coin.As[coin.ERC20](entry)
		if err != nil || coin.Canonical(entered.Platform) != coin.Canonical(p.Ticker()) {
			continue
		}
		if at, err := address.ParseOn(p.chain.id, entered.ContractAddress); err != nil || at != contract {
			continue
		}
		t := tx.Asset{Ticker: entry.Ticker, Contract: &contract}
		if entry.Decimals != nil && *entry.Decimals > 0 {
			t.Decimals = *entry.Decimals
			return t, true
		}
		decimals, err := p.nodes.Decimals(ctx, []address.Address{contract})
		if err != nil {
			return t, false
		}
		t.Decimals = decimals[0]
		return t, true
	}
	return tx.Asset{}, false
}
