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
	// Of returns the address of an opened account, and its public key, or nil if the account does
	// not have it.
	Of func(opened key.Account) (address string, public *[33]byte, err error)
	// OfKey returns the address of a public key. If it is set, the public key of an external wallet
	// is saved instead of the address.
	OfKey func(public [33]byte) (string, error)
	// OnChain returns the Opener of an external wallet for this chain. base is the common prefix of
	// the paths of the coin's accounts. It is nil if the provider of the keys need not know the
	// chain.
	OnChain func(provider key.Provider, base key.Path) Opener
}

// Opener opens an account of an external wallet on a chain. It returns the errors of ChainProvider.
type Opener func(ctx context.Context, p key.Policy, at Place) (key.Account, error)

// OnNetwork returns a Codec's OnChain for wallets that need a description of the chain.
func OnNetwork[N any](describe func(base key.Path) N) func(key.Provider, key.Path) Opener {
	return func(provider key.Provider, base key.Path) Opener {
		wallet, is := provider.(ChainProvider[N])
		if !is {
			return nil
		}
		network := describe(base)
		return func(ctx context.Context, p key.Policy, at Place) (key.Account, error) {
			return wallet.OnChain(ctx, p, at, network)
		}
	}
}

// ChainProvider is a key.Provider, such as that of an external wallet, that needs a description of
// the chain.
type ChainProvider[N any] interface {
	key.Provider
	// OnChain opens the wallet's account on a chain. Errors are *key.WalletError,
	// *device.Error and key.ErrUnsupported.
	OnChain(ctx context.Context, p key.Policy, at Place, network N) (key.Account, error)
}

// Place identifies an account of a wallet.
type Place struct {
	Path key.Path // nil: the coin has no derivation path
	// Public is the key that the account had when it was first opened; nil: unknown. A provider
	// whose signatures are checked against it need not request the key again.
	Public *[33]byte
}

// Account is the account of activated coins. Its key is obtained from its provider for each use and
// released afterwards.
type Account struct {
	Address string
	Public  *[33]byte // nil: unknown
	Base    key.Path  // common prefix of the paths of the coin's accounts; nil: unknown
	HD      bool      // other paths have other keys

	providers key.Providers
	policy    key.Policy
	path      key.Path // of this account, below Base
	codec     Codec
	external  Opener // nil: not an external wallet
}

// Owner describes an account for display.
type Owner struct {
	Address   string
	PublicKey *[33]byte // nil: unknown
	Path      key.Path  // of an HD wallet or a device; nil: a single key
}

// known is the account of an external wallet that an earlier run saved.
type known struct {
	wallet string
	public *[33]byte
}

// ErrNoPath means that the coin's entry has no derivation path, which HD wallets and devices
// require.
var ErrNoPath = errors.New("the coin has no derivation path")

// PathError means that the derivation path of a coin's entry is invalid.
type PathError struct{ Err error }

func (e *PathError) Error() string { return "coin entry: " + e.Err.Error() }

// Unwrap returns the reason.
func (e *PathError) Unwrap() error { return e.Err }

// Open opens the account that a request names. It checks in this order: the entry's derivation
// path, the policy (a *key.NotAllowedError), that there are nodes (nodepool.ErrNoNodes), and the
// account itself.
func Open(ctx context.Context, c Config, r Request, entry *coin.Entry, codec Codec) (*Account, error) {
	a := &Account{providers: c.Providers, policy: r.Policy, HD: c.HD && r.Policy.Name() == key.NameContextPrivKey, codec: codec}
	if entry.DerivationPath != "" {
		var err error
		if a.Base, err = key.ParsePath(entry.DerivationPath); err != nil {
			return nil, &PathError{err}
		}
	} else if a.HD {
		return nil, ErrNoPath
	}
	if err := c.Providers.Check(r.Policy); err != nil {
		return nil, err
	}
	if provider, err := c.Providers.Of(r.Policy); err == nil {
		a.external = codec.OnChain(provider, a.Base)
	}
	if len(r.Nodes) == 0 {
		return nil, nodepool.ErrNoNodes
	}
	if err := a.locate(r.Path); err != nil {
		return nil, err
	}
	if remembered, err := a.remembered(r.known); remembered || err != nil {
		return a, err
	}
	return a, a.open(ctx)
}

// locate sets the account's path, which devices require.
func (a *Account) locate(at AddressPath) (err error) {
	switch {
	case a.Base != nil:
		a.path, err = a.Base.Address(at.Account, at.Chain, at.Address)
	case a.policy.Name() == key.NameHardwareWallet:
		err = ErrNoPath
	}
	return err
}

// remembered sets the account of an external wallet from an earlier run. The wallet is opened again
// only when something is to be signed, since the user may not be present now.
func (a *Account) remembered(k known) (is bool, err error) {
	switch {
	case a.codec.OfKey == nil && k.wallet != "":
		a.Address = k.wallet
	case a.codec.OfKey != nil && k.public != nil:
		a.Address, err = a.codec.OfKey(*k.public)
	default:
		return false, nil
	}
	a.Public = k.public
	return true, err
}

// remember returns the account for remembered in the next run.
func (a *Account) remember() (k known) {
	if a.external == nil {
		return k
	}
	k.public = a.Public
	if a.codec.OfKey == nil {
		k.wallet = a.Address
	}
	return k
}

// fetch opens the account at its provider.
func (a *Account) fetch(ctx context.Context) (key.Account, error) {
	if a.external != nil {
		return a.external(ctx, a.policy, Place{a.path, a.Public})
	}
	return a.providers.Account(ctx, a.policy, a.path)
}

// open opens the account and sets its address.
func (a *Account) open(ctx context.Context) (err error) {
	opened, err := a.fetch(ctx)
	if err != nil {
		return err
	}
	defer opened.Close()
	a.Address, a.Public, err = a.codec.Of(opened)
	return err
}

// Signer opens the account to sign with it. The caller must close it. If it is not the account that
// the coin was activated with, the error is both coin.ErrSigning and a *key.WalletError.
func (a *Account) Signer(ctx context.Context) (key.Account, error) {
	opened, err := a.fetch(ctx)
	if err != nil {
		return nil, err
	}
	now, _, err := a.codec.Of(opened)
	if err == nil && now != a.Address {
		err = fmt.Errorf("%w: %w", coin.ErrSigning, key.Switched(now, a.Address))
	}
	if err != nil {
		opened.Close()
		return nil, err
	}
	return opened, nil
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

// From opens another address of an HD wallet. The caller must close it. Errors are hd.ErrNotHD, a
// *coin.InvalidError and those of keys.
func (a *Account) From(ctx context.Context, from coin.From) (opened key.Account, address string, err error) {
	if !a.HD {
		return nil, "", hd.ErrNotHD
	}
	if opened, err = a.Addresses().From(ctx, from); err != nil {
		return nil, "", err
	}
	if address, _, err = a.codec.Of(opened); err != nil {
		opened.Close()
		return nil, "", err
	}
	return opened, address, nil
}

// derive returns addresses of an HD wallet.
func (a *Account) derive(ctx context.Context, paths []key.Path) ([]string, error) {
	addresses := make([]string, len(paths))
	for n, path := range paths {
		opened, err := a.other(ctx, path)
		if err != nil {
			return nil, err
		}
		addresses[n], _, err = a.codec.Of(opened)
		opened.Close()
		if err != nil {
			return nil, err
		}
	}
	return addresses, nil
}

// places returns the common prefix of the paths of an HD wallet's accounts, and the path of this
// account below it. Both are nil if there is a single address.
func (a *Account) places() (base, path key.Path) {
	if !a.HD {
		return nil, nil
	}
	return a.Base, a.path
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
