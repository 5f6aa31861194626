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

// Address is a family's address.
type Address interface {
	comparable
	String() string
}

// Codec is how a family finds addresses.
type Codec[A Address] struct {
	// Of is the address of an opened account, and its public key; nil: the account does
	// not show it.
	Of func(opened key.Account) (A, *[33]byte, error)
	// Parse reads an address. nil: the address of an external wallet is not saved, since
	// OfKey derives it from the wallet's public key.
	Parse func(text string) (A, error)
	OfKey func(public [33]byte) (A, error) // may be nil where Parse is not
}

// ChainProvider is a key.Provider that has to know the chain: that of external wallets. N is
// what such a wallet is told of it.
type ChainProvider[N any] interface {
	// OnChain gives the wallet's account on a chain. Errors are *key.WalletError,
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
type Account[A Address, N any] struct {
	Address A
	Public  *[33]byte // nil: unknown
	Base    key.Path  // what the paths of the coin's accounts begin with; nil: unknown
	HD      bool      // the keys of other paths are others

	providers key.Providers
	policy    key.Policy
	path      key.Path // of this account, below Base
	network   N
	codec     Codec[A]
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
// (nodepool.ErrNoNodes), and the account itself. network is what an external wallet is
// told of the chain, given the parsed path.
func Open[A Address, N any](ctx context.Context, c Config, r Request, entry *coin.Entry, codec Codec[A], network func(base key.Path) N) (*Account[A, N], error) {
	a := &Account[A, N]{providers: c.Providers, policy: r.Policy, HD: c.HD && r.Policy.Name() == key.NameContextPrivKey, codec: codec}
	if entry.DerivationPath != "" {
		var err error
		if a.Base, err = key.ParsePath(entry.DerivationPath); err != nil {
			return nil, &PathError{err}
		}
	} else if a.HD {
		return nil, ErrNoPath
	}
	a.network = network(a.Base)
	if err := c.Providers.Check(r.Policy); err != nil {
		return nil, err
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
func (a *Account[A, N]) locate(at AddressPath) (err error) {
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
func (a *Account[A, N]) remembered(k known) (is bool, err error) {
	switch {
	case a.codec.Parse != nil && k.wallet != "":
		a.Address, err = a.codec.Parse(k.wallet)
	case a.codec.Parse == nil && k.public != nil:
		a.Address, err = a.codec.OfKey(*k.public)
	default:
		return false, nil
	}
	a.Public = k.public
	return true, err
}

// remember is what remembered reads in the next run.
func (a *Account[A, N]) remember() (k known) {
	if _, is := a.external(); !is {
		return k
	}
	k.public = a.Public
	if a.codec.Parse != nil {
		k.wallet = a.Address.String()
	}
	return k
}

// external is the provider of a wallet outside the node.
func (a *Account[A, N]) external() (ChainProvider[N], bool) {
	provider, err := a.providers.Of(a.policy)
	if err != nil {
		return nil, false
	}
	wallet, is := provider.(ChainProvider[N])
	return wallet, is
}

// fetch gets the account of its provider.
func (a *Account[A, N]) fetch(ctx context.Context) (key.Account, error) {
	if wallet, is := a.external(); is {
		return wallet.OnChain(ctx, a.policy, Place{a.path, a.Public}, a.network)
	}
	return a.providers.Account(ctx, a.policy, a.path)
}

// open finds the account's address.
func (a *Account[A, N]) open(ctx context.Context) (err error) {
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
func (a *Account[A, N]) Signer(ctx context.Context) (key.Account, error) {
	opened, err := a.fetch(ctx)
	if err != nil {
		return nil, err
	}
	now, _, err := a.codec.Of(opened)
	if err == nil && now != a.Address {
		err = fmt.Errorf("%w: %w", coin.ErrSigning, key.Switched(now.String(), a.Address.String()))
	}
	if err != nil {
		opened.Close()
		return nil, err
	}
	return opened, nil
}

// check demands of an external wallet that its account is still this one.
func (a *Account[A, N]) check(ctx context.Context) error {
	if _, is := a.external(); !is {
		return nil
	}
	opened, err := a.Signer(ctx)
	if err == nil {
		opened.Close()
	}
	return err
}

// Other opens another account of an HD wallet. The caller closes it.
func (a *Account[A, N]) Other(ctx context.Context, path key.Path) (key.Account, error) {
	return a.providers.Account(ctx, a.policy, path)
}

// From opens another address of an HD wallet. The caller closes it. Errors are hd.ErrNotHD, a
// *coin.InvalidError and those of keys.
func (a *Account[A, N]) From(ctx context.Context, from coin.From) (opened key.Account, of A, err error) {
	if !a.HD {
		return nil, of, hd.ErrNotHD
	}
	path, err := from.In(a.Base)
	if err != nil {
		return nil, of, err
	}
	if opened, err = a.Other(ctx, path); err != nil {
		return nil, of, err
	}
	if of, _, err = a.codec.Of(opened); err != nil {
		opened.Close()
		return nil, of, err
	}
	return opened, of, nil
}

// derive gives addresses of an HD wallet. Their keys are given back at once.
func (a *Account[A, N]) derive(ctx context.Context, paths []key.Path) ([]string, error) {
	addresses := make([]string, len(paths))
	for n, path := range paths {
		opened, err := a.Other(ctx, path)
		if err != nil {
			return nil, err
		}
		of, _, err := a.codec.Of(opened)
		opened.Close()
		if err != nil {
			return nil, err
		}
		addresses[n] = of.String()
	}
	return addresses, nil
}

// places are what the paths of an HD wallet's accounts begin with, and that of this account;
// nil: there is one address.
func (a *Account[A, N]) places() (base, own key.Path) {
	if !a.HD {
		return nil, nil
	}
	return a.Base, a.path
}

// Policy says whose key it is.
func (a *Account[A, N]) Policy() key.Policy { return a.policy }

// Owner describes the account.
func (a *Account[A, N]) Owner() Owner {
	o := Owner{Address: a.Address.String(), PublicKey: a.Public}
	if a.HD || a.policy.Name() == key.NameHardwareWallet {
		o.Path = a.path
	}
	return o
}
