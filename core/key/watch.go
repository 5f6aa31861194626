package key

import (
	"context"
	"fmt"
)

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
