package tx

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
)

// Network describes a chain to a wallet, which may know the chain by its id. A wallet can add
// an unknown chain only if all fields are set.
type Network struct {
	ID       string `json:"chain_id"`
	Name     string `json:"name"`   // for display
	Prefix   string `json:"prefix"` // prefix of addresses
	CoinType uint32 `json:"coin_type,omitempty"`
	Ticker   string `json:"ticker"`
	Denom    string `json:"denom"` // denom of the coin that pays fees
	Decimals uint8  `json:"decimals"`
	GasPrice string `json:"gas_price"` // a decimal number, in Denom
	RPC      string `json:"rpc,omitempty"`
	REST     string `json:"rest,omitempty"`
}

// Chain describes a chain for making transactions.
type Chain struct {
	ID       string // cosmoshub-4
	Prefix   string // prefix of addresses
	Native   Asset  // the coin that pays fees
	GasPrice number.Rational
	Channels map[string]uint64 // channels to other chains, by the prefix of their addresses
	// MaxMemo is the maximum length of a memo in bytes; 0 means 256, as on most chains.
	MaxMemo int
}

// CAIP2 returns the CAIP-2 id of a chain.
func CAIP2(chain string) string { return "cosmos:" + chain }

// ChainOf returns the chain of a coin's entry. It fails if the gas price is invalid.
func ChainOf(ticker string, t coin.Cosmos) (Chain, error) {
	price, err := GasPrice(t.GasPrice)
	return Chain{ID: t.ChainID, Prefix: t.AccountPrefix, Native: Asset{ticker, t.Denom, t.Decimals}, GasPrice: price, Channels: t.IBCChannels}, err
}

// Wallet sends from one account on a chain. It is safe for concurrent use.
type Wallet struct {
	Chain   Chain
	Node    Node
	Account key.Account
	Address address.Address // address of Account
	Now     func() time.Time
	Queue   *coin.SendQueue // of senders

	// Confirmations is the number of confirmations that Await waits for by default; 0 means 1.
	Confirmations uint64
	// Poll is the interval at which Await queries the transaction; 0 means one second.
	Poll time.Duration

	coin.Addresses // addresses of an HD wallet
}

// SignMessage implements coin.MessageSigner.
func (w *Wallet) SignMessage(ctx context.Context, message string) (coin.SignedMessage, error) {
	return SignMessage(ctx, w.Account, w.Address.String(), message)
}

// VerifyMessage implements coin.MessageVerifier.
func (w *Wallet) VerifyMessage(_ context.Context, p coin.MessageProof) (bool, error) {
	return VerifyMessage(w.Chain.Prefix, p)
}

// tokenID returns the id of a denom other than the chain's own.
func tokenID(denom string) string {
	sum := sha256.Sum256([]byte(strings.ToLower(denom)))
	return hex.EncodeToString(sum[:])
}
