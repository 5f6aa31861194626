package history

import (
	"context"

	"obverse/core/net/fetch"
	"obverse/core/wallet/account/txlog"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/wire"
)

// Wallet holds the histories of the addresses of a wallet.
type Wallet struct {
	Coin   *Log        // of the coin's address
	Others *txlog.Logs // of an HD wallet
	c      WalletConfig
}

// WalletConfig holds the parts of a Wallet.
type WalletConfig struct {
	Config             // of the coin's address, without Indexer
	Explorer *Explorer // nil: no indexer
	Fetcher  fetch.Fetcher
	HD       bool // the wallet may have other addresses
}

// NewWallet returns the histories of a wallet. It reads and starts nothing.
func NewWallet(c WalletConfig) *Wallet {
	w := &Wallet{c: c}
	w.Coin = w.log(c.Address)
	w.Others = txlog.NewLogs(func(text string) *txlog.Log {
		account, _ := address.Parse(text) // cannot fail: it is an address
		return w.log(account).Log
	})
	return w
}

// log returns the history of an address.
func (w *Wallet) log(account address.Address) *Log {
	c := w.c.Config
	c.Address = account
	if w.c.Explorer != nil {
		c.Indexer = w.c.Explorer.Lists(w.c.Fetcher, account, c.Contracts)
	}
	return New(c)
}

// Sent stores a transaction that nodes accepted, to be listed once it is in a block. An error of the
// store is ignored: the transaction may be missing from the history.
func (w *Wallet) Sent(ctx context.Context, raw []byte, hash [32]byte) {
	s, err := wire.Decode(raw)
	switch {
	case err != nil:
	case s.From == w.c.Address:
		_ = w.Coin.Sent(context.WithoutCancel(ctx), hash, s.Nonce)
	case w.c.HD: // another address of the wallet, with a history that may be requested later
		_ = w.log(s.From).Sent(context.WithoutCancel(ctx), hash, s.Nonce)
		w.Others.Wake()
	}
}

// Wake loads the histories now, see txlog.Log.Wake.
func (w *Wallet) Wake() {
	w.Coin.Wake()
	w.Others.Wake()
}
