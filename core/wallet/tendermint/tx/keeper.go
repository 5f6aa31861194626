package tx

import (
	"context"

	"obverse/core/key"
)

// ChainKeeper is a key.Keeper that has to know the chain: that of wallets outside the
// node, which have a key for each.
type ChainKeeper interface {
	// OnChain gives the wallet's account on a chain. Errors are *key.WalletError and
	// key.ErrCannot.
	OnChain(ctx context.Context, p key.Policy, n Network) (key.Account, error)
}

// Network is what a wallet is told of a chain. It may know the chain by its id; it can
// be taught a chain only if no member is empty.
type Network struct {
	ID       string `json:"chain_id"`
	Name     string `json:"name"`   // for people
	Prefix   string `json:"prefix"` // of addresses
	CoinType uint32 `json:"coin_type,omitempty"`
	Ticker   string `json:"ticker"`
	Denom    string `json:"denom"` // of the coin that pays fees
	Decimals uint8  `json:"decimals"`
	GasPrice string `json:"gas_price"` // a decimal number, in Denom
	RPC      string `json:"rpc,omitempty"`
	REST     string `json:"rest,omitempty"`
}
