package key

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Account is a key held by a provider, perhaps in a device or another program. Its operations
// are the small interfaces that it implements, found with As. Each chain names the one that it
// needs, and declares its own if a wallet signs more than a hash. Close releases the account,
// which must not be used afterwards.
type Account interface {
	Policy() PolicyName
	Close()
}

// PublicKeyer returns the public key.
type PublicKeyer interface {
	// PublicKey returns the compressed secp256k1 public key.
	PublicKey() [33]byte
}

// HashSigner signs any hash that it receives, so only providers that need not display the
// signed data to the user implement it. It may refuse.
type HashSigner interface {
	PublicKeyer
	SignHash(ctx context.Context, hash [32]byte) (Signature, error)
}

// ECDH agrees on a secret with the owner of another key, see Private.ECDH. That is
// all that a handshake may ask. It may refuse.
type ECDH interface {
	PublicKeyer
	ECDH(ctx context.Context, public [33]byte) ([32]byte, error)
}

// ErrUnsupported says that an account does not support the operation. The error's text names
// the policy and the policies that support it.
var ErrUnsupported = errors.New("cannot be used here")

// As finds one of the small interfaces in an account, or fails with ErrUnsupported.
func As[S any](account Account) (S, error) {
	s, ok := account.(S)
	if !ok {
		return s, fmt.Errorf("%s %w", account.Policy(), ErrUnsupported)
	}
	return s, nil
}

// Provider keeps the keys of one policy.
type Provider interface {
	Policy() PolicyName
}

// PathProvider is a Provider that finds an account by its path alone, on whatever chain it is used.
type PathProvider interface {
	Provider
	// Account returns the key at path, or the one that the policy's data names.
	Account(ctx context.Context, p Policy, path Path) (Account, error)
}

// ChainProvider is a Provider, such as that of an external wallet, that needs a description of the
// chain.
type ChainProvider[N any] interface {
	Provider
	// OnChain opens the wallet's account on a chain. Errors are *WalletError, *device.Error and
	// ErrUnsupported.
	OnChain(ctx context.Context, p Policy, at Place, network N) (Account, error)
}

// Place identifies an account of a wallet.
type Place struct {
	Path Path // nil: the coin has no derivation path
	// Public is the key that the account had when it was first opened; nil: unknown. A provider
	// whose signatures are checked against it need not request the key again.
	Public *[33]byte
}

// Opener opens an account of an external wallet on a chain. It returns the errors of ChainProvider.
type Opener func(ctx context.Context, p Policy, at Place) (Account, error)

// OnNetwork returns an Opener if the provider needs a description of the chain, or nil.
func OnNetwork[N any](provider Provider, network N) Opener {
	wallet, is := provider.(ChainProvider[N])
	if !is {
		return nil
	}
	return func(ctx context.Context, p Policy, at Place) (Account, error) {
		return wallet.OnChain(ctx, p, at, network)
	}
}

// Providers are all that a node has.
type Providers []Provider

// NotAllowedError refuses a policy that a node has no provider for.
type NotAllowedError struct {
	Policy PolicyName
	Have   []PolicyName
}

func (e *NotAllowedError) Error() string {
	have := "none"
	if len(e.Have) > 0 {
		names := make([]string, len(e.Have))
		for i, name := range e.Have {
			names[i] = string(name)
		}
		have = strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s is not available on this node, which has: %s", e.Policy, have)
}

// Names lists the policies that there are providers for.
func (k Providers) Names() []PolicyName {
	names := make([]PolicyName, len(k))
	for i, provider := range k {
		names[i] = provider.Policy()
	}
	return names
}

// Check returns a *NotAllowedError unless a provider supports this policy.
func (k Providers) Check(p Policy) error {
	if have := k.Names(); !slices.Contains(have, p.Name()) {
		return &NotAllowedError{p.Name(), have}
	}
	return nil
}

// For finds the policy's provider, or fails as Check does.
func (k Providers) For(p Policy) (Provider, error) {
	if err := k.Check(p); err != nil {
		return nil, err
	}
	return k[slices.IndexFunc(k, func(provider Provider) bool { return provider.Policy() == p.Name() })], nil
}

// Account asks the policy's provider. Errors are a *NotAllowedError, ErrUnsupported for a provider
// that has to know the chain, and the provider's.
func (k Providers) Account(ctx context.Context, p Policy, path Path) (Account, error) {
	provider, err := k.For(p)
	if err != nil {
		return nil, err
	}
	paths, is := provider.(PathProvider)
	if !is {
		return nil, fmt.Errorf("%s %w: an account needs a chain", p.Name(), ErrUnsupported)
	}
	return paths.Account(ctx, p, path)
}

// ErrNoPassphrase says that the node was started without one. The text is Komodo
// DeFi Framework's.
var ErrNoPassphrase = errors.New("'CryptoCtx' is not initialized")

// Policy implements Provider: the keys of the passphrase are ContextPrivKey's.
func (r *Ring) Policy() PolicyName { return NameContextPrivKey }

// Account implements Provider. It is a PublicKeyer, a HashSigner and an ECDH.
func (r *Ring) Account(ctx context.Context, _ Policy, path Path) (Account, error) {
	if r == nil {
		return nil, ErrNoPassphrase
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	private, err := r.At(path)
	if err != nil {
		return nil, err
	}
	return ringAccount{private}, nil
}

// ringAccount hides a Private, so that its secret cannot be read from an Account.
type ringAccount struct{ private *Private }

func (a ringAccount) Policy() PolicyName  { return NameContextPrivKey }
func (a ringAccount) Close()              { a.private.Wipe() }
func (a ringAccount) PublicKey() [33]byte { return a.private.PublicKey() }

func (a ringAccount) SignHash(ctx context.Context, hash [32]byte) (Signature, error) {
	if err := ctx.Err(); err != nil {
		return Signature{}, err
	}
	return a.private.Sign(hash), nil
}

func (a ringAccount) ECDH(ctx context.Context, public [33]byte) ([32]byte, error) {
	if err := ctx.Err(); err != nil {
		return [32]byte{}, err
	}
	return a.private.ECDH(public)
}

// WatchOnly is the provider of WithPubkey. It cannot sign. Its accounts are an ExternalAccount
// and, with a secp256k1 key, a PublicKeyer.
type WatchOnly struct{}

// ExternalAccount is an account with its private key outside the node.
type ExternalAccount interface {
	ExternalKey() ExternalKey
}

// Policy implements Provider.
func (WatchOnly) Policy() PolicyName { return NameWithPubkey }

// Account implements Provider; the path does not matter.
func (WatchOnly) Account(_ context.Context, p Policy, _ Path) (Account, error) {
	policy, is := p.(WithPubkey)
	if !is || policy.Key == (ExternalKey{}) {
		return nil, fmt.Errorf("%w: a policy without a public key", ErrExternalKey)
	}
	account := watched{policy}
	if policy.Key.algorithm == Secp256k1 {
		return watchedSecp256k1{account}, nil
	}
	return account, nil
}

// watched is an account that is looked at and no more.
type watched struct{ policy WithPubkey }

func (watched) Policy() PolicyName         { return NameWithPubkey }
func (watched) Close()                     {}
func (w watched) ExternalKey() ExternalKey { return w.policy.Key }

// InLedger reports whether the key is in a Ledger device.
func (w watched) InLedger() bool { return w.policy.Ledger }

// watchedSecp256k1 is one whose public key other chains know too.
type watchedSecp256k1 struct{ watched }

func (w watchedSecp256k1) PublicKey() (public [33]byte) {
	copy(public[:], w.policy.Key.bytes)
	return public
}
