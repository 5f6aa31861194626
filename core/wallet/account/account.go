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

// Codec finds the addresses of a family.
type Codec struct {
	// Of returns the address of an opened account, and its public key; nil: the account does
	// not have it.
	Of func(opened key.Account) (address string, public *[33]byte, err error)
	// OfKey returns the address of a public key. With it, an external wallet's key is saved and
	// not its address. nil: the address is saved.
	OfKey func(public [33]byte) (string, error)
	// OnChain returns an external wallet's way to open an account on this chain, given the
	// path that the paths of the coin's accounts begin with; nil: the provider of the keys need
	// not know the chain.
	OnChain func(provider key.Provider, base key.Path) Opener
}

// Opener opens an account of an external wallet on a chain. Errors are those of ChainProvider.
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

// ChainProvider is a key.Provider that needs a description of the chain, as those of external
// wallets do.
type ChainProvider[N any] interface {
	key.Provider
	// OnChain opens the wallet's account on a chain. Errors are *key.WalletError,
	// *device.Error and key.ErrUnsupported.
	OnChain(ctx context.Context, p key.Policy, at Place, network N) (key.Account, error)
}

// Place is where a wallet finds an account, if it has several.
type Place struct {
	Path key.Path // nil: the coin has no derivation path
	// Public is the key that the account had when it was opened first; nil: unknown. A
	// provider whose signatures are checked against it need not ask for the key again.
	Public *[33]byte
}

// Account is whose coins these are. Its key is fetched from its provider for each use and
// given back afterwards.
type Account struct {
	Address string
	Public  *[33]byte // nil: unknown
	Base    key.Path  // what the paths of the coin's accounts begin with; nil: unknown
	HD      bool      // the keys of other paths are others

	providers key.Providers
	policy    key.Policy
	path      key.Path // of this account, below Base
	codec     Codec
	external  Opener // nil: the keys are not of an external wallet
}

// Owner is an account for people who look at an activation.
type Owner struct {
	Address   string
	PublicKey *[33]byte // nil: unknown
	Path      key.Path  // of an HD wallet or a device; nil: there is one key
}

// known is what an earlier run saved of an external wallet.
type known struct {
	wallet string
	public *[33]byte
}

// ErrNoPath says that an HD wallet, or a device, needs the derivation path of a coin whose
// entry has none.
var ErrNoPath = errors.New("the coin has no derivation path")

// PathError says that the derivation path of a coin's entry cannot be read.
type PathError struct{ Err error }

func (e *PathError) Error() string { return "coin entry: " + e.Err.Error() }

// Unwrap gives the reason.
func (e *PathError) Unwrap() error { return e.Err }

// Open finds the account that a request names. It checks in this order: the entry's
// derivation path, the policy (a *key.NotAllowedError), that there are nodes
// (nodepool.ErrNoNodes), and the account itself.
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

// locate finds the account's path. Devices have no account without one.
func (a *Account) locate(at AddressPath) (err error) {
	switch {
	case a.Base != nil:
		a.path, err = a.Base.Address(at.Account, at.Chain, at.Address)
	case a.policy.Name() == key.NameHardwareWallet:
		err = ErrNoPath
	}
	return err
}

// remembered is the account of an external wallet that an earlier run has asked. The
// wallet is asked again when something is to be signed: nobody may be there now.
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

// remember is what remembered reads in the next run.
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

// fetch gets the account of its provider.
func (a *Account) fetch(ctx context.Context) (key.Account, error) {
	if a.external != nil {
		return a.external(ctx, a.policy, Place{a.path, a.Public})
	}
	return a.providers.Account(ctx, a.policy, a.path)
}

// open finds the account's address.
func (a *Account) open(ctx context.Context) (err error) {
	opened, err := a.fetch(ctx)
	if err != nil {
		return err
	}
	defer opened.Close()
	a.Address, a.Public, err = a.codec.Of(opened)
	return err
}

// Signer opens the account to sign with it. The caller closes it. An account that is not
// the one that the coin was activated with is coin.ErrSigning, and a *key.WalletError.
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

// check demands of an external wallet that its account is still this one.
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

// Other opens another account of an HD wallet. The caller closes it.
func (a *Account) Other(ctx context.Context, path key.Path) (key.Account, error) {
	return a.providers.Account(ctx, a.policy, path)
}

// From opens another address of an HD wallet. The caller closes it. Errors are hd.ErrNotHD, a
// *coin.InvalidError and those of keys.
func (a *Account) From(ctx context.Context, from coin.From) (opened key.Account, address string, err error) {
	if !a.HD {
		return nil, "", hd.ErrNotHD
	}
	path, err := from.In(a.Base)
	if err != nil {
		return nil, "", err
	}
	if opened, err = a.Other(ctx, path); err != nil {
		return nil, "", err
	}
	if address, _, err = a.codec.Of(opened); err != nil {
		opened.Close()
		return nil, "", err
	}
	return opened, address, nil
}

// derive gives addresses of an HD wallet. Their keys are given back at once.
func (a *Account) derive(ctx context.Context, paths []key.Path) ([]string, error) {
	addresses := make([]string, len(paths))
	for n, path := range paths {
		opened, err := a.Other(ctx, path)
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

// places are what the paths of an HD wallet's accounts begin with, and that of this account;
// nil: there is one address.
func (a *Account) places() (base, own key.Path) {
	if !a.HD {
		return nil, nil
	}
	return a.Base, a.path
}

// Policy says whose key it is.
func (a *Account) Policy() key.Policy { return a.policy }

// Owner describes the account.
func (a *Account) Owner() Owner {
	o := Owner{Address: a.Address, PublicKey: a.Public}
	if a.HD || a.policy.Name() == key.NameHardwareWallet {
		o.Path = a.path
	}
	return o
}
