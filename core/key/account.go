package key

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Account is a key held by a provider, possibly in a device or another program. Its operations
// are the small interfaces that it implements, which As finds. Each chain uses the interface
// that it needs, and declares its own if a wallet signs more than a hash. Close releases the
// account, which must not be used afterwards.
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
// signed data to the user implement it. It may refuse to sign.
type HashSigner interface {
	PublicKeyer
	SignHash(ctx context.Context, hash [32]byte) (Signature, error)
}

// ECDH computes a secret shared with the owner of another key; see Private.ECDH. A handshake
// needs no other operation. It may refuse.
type ECDH interface {
	PublicKeyer
	ECDH(ctx context.Context, public [33]byte) ([32]byte, error)
}

// ErrUnsupported reports that an account does not support an operation. The error's text names
// the policy and the policies that support it.
var ErrUnsupported = errors.New("cannot be used here")

// As returns an account as one of the small interfaces, or ErrUnsupported if the account does
// not implement it.
func As[S any](account Account) (S, error) {
	s, ok := account.(S)
	if !ok {
		return s, fmt.Errorf("%s %w", account.Policy(), ErrUnsupported)
	}
	return s, nil
}

// Provider provides the keys of one policy.
type Provider interface {
	Policy() PolicyName
}

// PathProvider is a Provider whose accounts depend only on the path, and not on the chain.
type PathProvider interface {
	Provider
	// Account returns the key at path, or the key that the policy's data identifies.
	Account(ctx context.Context, p Policy, path Path) (Account, error)
}

// ChainProvider is a Provider that needs a description of the chain, such as that of an
// external wallet.
type ChainProvider[N any] interface {
	Provider
	// OnChain opens the wallet's account on a chain. Its errors are *WalletError, *device.Error
	// and ErrUnsupported.
	OnChain(ctx context.Context, p Policy, at Place, network N) (Account, error)
}

// Place identifies an account of a wallet.
type Place struct {
	Path Path // nil if the coin has no derivation path
	// Public is the key that the account had when it was first opened, or nil if it is unknown.
	// A provider whose signatures are verified with it need not request the key again.
	Public *[33]byte
}

// Opener opens an account of an external wallet on a chain. It returns the errors of
// ChainProvider.
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

// Providers lists the providers of a node.
type Providers []Provider

// NotAllowedError reports a policy for which a node has no provider.
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

// Names returns the policies for which there are providers.
func (k Providers) Names() []PolicyName {
	names := make([]PolicyName, len(k))
	for i, provider := range k {
		names[i] = provider.Policy()
	}
	return names
}

// Check returns a *NotAllowedError unless there is a provider for the policy.
func (k Providers) Check(p Policy) error {
	if have := k.Names(); !slices.Contains(have, p.Name()) {
		return &NotAllowedError{p.Name(), have}
	}
	return nil
}

// For returns the policy's provider. It returns the same error as Check.
func (k Providers) For(p Policy) (Provider, error) {
	if err := k.Check(p); err != nil {
		return nil, err
	}
	return k[slices.IndexFunc(k, func(provider Provider) bool { return provider.Policy() == p.Name() })], nil
}

// Account opens an account with the policy's provider. It returns a *NotAllowedError,
// ErrUnsupported for a provider that needs a description of the chain, or the error of the
// provider.
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

// ErrNoPassphrase reports that the node was started without a passphrase. The text is that of
// Komodo DeFi Framework.
var ErrNoPassphrase = errors.New("'CryptoCtx' is not initialized")

// Policy implements Provider. The keys of the passphrase belong to ContextPrivKey.
func (r *Ring) Policy() PolicyName { return NameContextPrivKey }

// Account implements Provider. The account is a PublicKeyer, a HashSigner and an ECDH.
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

// ringAccount wraps a Private, so that its secret cannot be read from the Account.
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

// WatchOnly is the provider of WithPubkey. It cannot sign. Its accounts implement
// ExternalAccount and, with a secp256k1 key, PublicKeyer.
type WatchOnly struct{}

// ExternalAccount is an account with its private key outside the node.
type ExternalAccount interface {
	ExternalKey() ExternalKey
}

// Policy implements Provider.
func (WatchOnly) Policy() PolicyName { return NameWithPubkey }

// Account implements Provider. The path is ignored.
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

// watched is a watch-only account.
type watched struct{ policy WithPubkey }

func (watched) Policy() PolicyName         { return NameWithPubkey }
func (watched) Close()                     {}
func (w watched) ExternalKey() ExternalKey { return w.policy.Key }

// InLedger reports whether the private key is in a Ledger device.
func (w watched) InLedger() bool { return w.policy.Ledger }

// watchedSecp256k1 is a watch-only account with a secp256k1 public key, which other chains also
// support.
type watchedSecp256k1 struct{ watched }

func (w watchedSecp256k1) PublicKey() (public [33]byte) {
	copy(public[:], w.policy.Key.bytes)
	return public
}
