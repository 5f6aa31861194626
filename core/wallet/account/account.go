package account

import (
	"context"
	"errors"
	"fmt"

	"obverse/core/key"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/hd"
)

// Codec derives the addresses of a family.
type Codec struct {
	// Address returns the address of an opened account, and its public key, or nil if the account does
	// not have it.
	Address func(opened key.Account) (address string, public *[33]byte, err error)
	// AddressOfKey returns the address of a public key. If it is set, the public key of an external wallet
	// is saved instead of the address.
	AddressOfKey func(public [33]byte) (string, error)
	// OnChain returns the key.Opener of an external wallet for this chain. base is the common prefix of
	// the paths of the coin's accounts. It is nil if the provider of the keys need not know the
	// chain.
	OnChain func(provider key.Provider, base key.Path) key.Opener
}

// Account is the account of activated coins. Its key is obtained from its provider for each use and
// released afterwards.
type Account struct {
	Address string
	Public  *[33]byte // nil means unknown
	Base    key.Path  // common prefix of the paths of the coin's accounts; nil means unknown
	HD      bool      // other paths have other keys

	providers key.Providers
	policy    key.Policy
	path      key.Path // of this account, below Base
	codec     Codec
	external  key.Opener // nil means not an external wallet
}

// Owner describes an account for display.
type Owner struct {
	Address   string
	PublicKey *[33]byte // nil means unknown
	Path      key.Path  // of an HD wallet or a device; nil means a single key
}

// savedAccount is the account of an external wallet that an earlier run saved.
type savedAccount struct {
	wallet string
	public *[33]byte
}

// ErrNoPath means that the coin's entry has no derivation path, which HD wallets and devices
// require.
var ErrNoPath = errors.New("the coin has no derivation path")

// Open opens the account that a request names. It checks in this order: the entry's derivation
// path, the policy (a *key.NotAllowedError), that there are nodes (nodepool.ErrNoNodes), and the
// account itself.
func Open(ctx context.Context, c Config, r Request, entry *coin.Entry, codec Codec) (*Account, error) {
	a := &Account{providers: c.Providers, policy: r.Policy, HD: c.HD && r.Policy.Name() == key.NameContextPrivKey, codec: codec}
	var err error
	if a.Base, err = entry.Path(); err != nil {
		return nil, err
	}
	if a.Base == nil && a.HD {
		return nil, ErrNoPath
	}
	if err := c.Providers.Check(r.Policy); err != nil {
		return nil, err
	}
	if provider, err := c.Providers.For(r.Policy); err == nil {
		a.external = codec.OnChain(provider, a.Base)
	}
	if len(r.Nodes) == 0 {
		return nil, nodepool.ErrNoNodes
	}
	switch {
	case a.Base != nil:
		a.path, err = a.Base.Address(r.Path.Account, r.Path.Chain, r.Path.Address)
	case r.Policy.Name() == key.NameHardwareWallet:
		err = ErrNoPath
	}
	if err != nil {
		return nil, err
	}
	if remembered, err := a.remembered(r.known); remembered || err != nil {
		return a, err
	}
	opened, err := a.fetch(ctx)
	if err == nil {
		defer opened.Close()
		a.Address, a.Public, err = codec.Address(opened)
	}
	return a, err
}

// remembered sets the account of an external wallet from an earlier run. The wallet is opened again
// only when something is to be signed, since the user may not be present now.
func (a *Account) remembered(k savedAccount) (is bool, err error) {
	switch {
	case a.codec.AddressOfKey == nil && k.wallet != "":
		a.Address = k.wallet
	case a.codec.AddressOfKey != nil && k.public != nil:
		a.Address, err = a.codec.AddressOfKey(*k.public)
	default:
		return false, nil
	}
	a.Public = k.public
	return true, err
}

// remember returns the account for remembered in the next run.
func (a *Account) remember() (k savedAccount) {
	if a.external == nil {
		return k
	}
	k.public = a.Public
	if a.codec.AddressOfKey == nil {
		k.wallet = a.Address
	}
	return k
}

// fetch opens the account at its provider.
func (a *Account) fetch(ctx context.Context) (key.Account, error) {
	if a.external != nil {
		return a.external(ctx, a.policy, key.Place{Path: a.path, Public: a.Public})
	}
	return a.providers.Account(ctx, a.policy, a.path)
}

// Signer opens the account to sign with it. The caller must close it. If it is not the account that
// the coin was activated with, the error is both coin.ErrSigning and a *key.WalletError.
func (a *Account) Signer(ctx context.Context) (key.Account, error) {
	opened, now, err := a.addressOf(a.fetch(ctx))
	if err == nil && now != a.Address {
		opened.Close()
		err = fmt.Errorf("%w: %w", coin.ErrSigning, key.Switched(now, a.Address))
	}
	if err != nil {
		return nil, err
	}
	return opened, nil
}

// addressOf returns an opened account with its address. It closes the account on failure.
func (a *Account) addressOf(opened key.Account, err error) (key.Account, string, error) {
	if err != nil {
		return nil, "", err
	}
	address, _, err := a.codec.Address(opened)
	if err != nil {
		opened.Close()
	}
	return opened, address, err
}

// check returns an error if an external wallet now has another account.
func (a *Account) check(ctx context.Context) error {
	if a.external == nil {
		return nil
	}
	opened, err := a.Signer(ctx)
	if err == nil {
		opened.Close()
	}
	return err
}

// Addresses opens the other addresses of an HD wallet.
func (a *Account) Addresses() coin.Addresses {
	if !a.HD {
		return coin.Addresses{}
	}
	return coin.Addresses{Open: a.other, Path: a.Base}
}

// other opens another account of an HD wallet. The caller must close it.
func (a *Account) other(ctx context.Context, path key.Path) (key.Account, error) {
	return a.providers.Account(ctx, a.policy, path)
}

// From opens another address of an HD wallet. The caller must close it. Errors are hd.ErrNotHD,
// a *coin.InvalidError and errors of keys.
func (a *Account) From(ctx context.Context, from coin.From) (opened key.Account, address string, err error) {
	if !a.HD {
		return nil, "", hd.ErrNotHD
	}
	return a.addressOf(a.Addresses().From(ctx, from))
}

// derive returns addresses of an HD wallet.
func (a *Account) derive(ctx context.Context, paths []key.Path) ([]string, error) {
	addresses := make([]string, len(paths))
	for n, path := range paths {
		opened, address, err := a.addressOf(a.other(ctx, path))
		if err != nil {
			return nil, err
		}
		opened.Close()
		addresses[n] = address
	}
	return addresses, nil
}

// Policy returns the policy of the key.
func (a *Account) Policy() key.Policy { return a.policy }

// Owner returns the account for display.
func (a *Account) Owner() Owner {
	o := Owner{Address: a.Address, PublicKey: a.Public}
	if a.HD || a.policy.Name() == key.NameHardwareWallet {
		o.Path = a.path
	}
	return o
}
