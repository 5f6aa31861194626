package key

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/btcec/v2"
)

// PolicyName is the name of a policy in requests.
type PolicyName string

// Names of policies.
const (
	NameContextPrivKey PolicyName = "ContextPrivKey"
	NameHardwareWallet PolicyName = "HardwareWallet"
	NameBrowserWallet  PolicyName = "BrowserWallet"
	NameSessionWallet  PolicyName = "SessionWallet"
	NameWithPubkey     PolicyName = "WithPubkey"
)

// PolicyNames returns all names, starting with the default.
func PolicyNames() []PolicyName {
	return []PolicyName{NameContextPrivKey, NameHardwareWallet, NameBrowserWallet, NameSessionWallet, NameWithPubkey}
}

// Policy describes where a private key is and which provider signs with it. Each kind of policy
// is a type with the data that its provider needs. A node supports the policies for which it
// has a Provider.
type Policy interface{ Name() PolicyName }

// ContextPrivKey is the policy for the node's own key, which is derived from its passphrase.
// Its provider is a Ring.
type ContextPrivKey struct{}

// HardwareWallet is the policy for a device connected to the node or to the page.
type HardwareWallet struct{}

// BrowserWallet is the policy for a browser extension. Only pages support it.
type BrowserWallet struct{}

// SessionWallet is the policy for a remote program that was paired with the node.
type SessionWallet struct{ Topic string } // topic of the session

// WithPubkey is the policy for an external signer of which only the public key is known.
type WithPubkey struct {
	Key    ExternalKey
	Ledger bool // whether the key is in a Ledger device, which signs only amino JSON
}

// Name implements Policy.
func (ContextPrivKey) Name() PolicyName { return NameContextPrivKey }

// Name implements Policy.
func (HardwareWallet) Name() PolicyName { return NameHardwareWallet }

// Name implements Policy.
func (BrowserWallet) Name() PolicyName { return NameBrowserWallet }

// Name implements Policy.
func (SessionWallet) Name() PolicyName { return NameSessionWallet }

// Name implements Policy.
func (WithPubkey) Name() PolicyName { return NameWithPubkey }

// Algorithm is the type of a public key.
type Algorithm string

// Algorithms of Tendermint accounts.
const (
	Ed25519   Algorithm = "ed25519"
	Secp256k1 Algorithm = "secp256k1"
	// AccountID is used in place of an algorithm if the public key is unknown: the key consists
	// of the 20 bytes of an address. It does not exist in Komodo DeFi Framework.
	AccountID Algorithm = "account_id"
)

const accountIDLength = 20

// ExternalKey is a public key with its private key outside the node. The zero value means that
// there is no key.
type ExternalKey struct {
	algorithm Algorithm
	bytes     string
}

// Errors of NewExternalKey.
var (
	ErrAlgorithm   = errors.New("unsupported algorithm of a public key, want ed25519, secp256k1 or account_id")
	ErrExternalKey = errors.New("invalid public key")
)

// NewExternalKey returns a public key after validating it: 33 bytes of a point on the curve for
// secp256k1, 32 bytes for ed25519, and the 20 bytes of an address for account_id.
func NewExternalKey(algorithm Algorithm, public []byte) (ExternalKey, error) {
	switch algorithm {
	case Secp256k1:
		if _, err := btcec.ParsePubKey(public); err != nil || len(public) != btcec.PubKeyBytesLenCompressed {
			return ExternalKey{}, ErrExternalKey
		}
	case Ed25519:
		if len(public) != 32 {
			return ExternalKey{}, ErrExternalKey
		}
	case AccountID:
		if len(public) != accountIDLength {
			return ExternalKey{}, ErrExternalKey
		}
	default:
		return ExternalKey{}, ErrAlgorithm
	}
	return ExternalKey{algorithm, string(public)}, nil
}

// Algorithm returns the type of the key.
func (k ExternalKey) Algorithm() Algorithm { return k.algorithm }

// Bytes returns the encoded key.
func (k ExternalKey) Bytes() []byte { return []byte(k.bytes) }

// ErrSavedPolicy reports an invalid policy in a store.
var ErrSavedPolicy = errors.New("corrupt key policy in the store")

// savedPolicy is a policy in the form used in a store.
type savedPolicy struct {
	Type      PolicyName `json:"type"`
	Topic     string     `json:"topic,omitempty"`     // for a SessionWallet
	Algorithm Algorithm  `json:"algorithm,omitempty"` // this and the following fields are for a WithPubkey
	Key       string     `json:"key,omitempty"`       // in hexadecimal
	Ledger    bool       `json:"ledger,omitempty"`
}

// EncodePolicy encodes a policy for DecodePolicy.
func EncodePolicy(p Policy) (json.RawMessage, error) {
	saved := savedPolicy{Type: p.Name()}
	switch p := p.(type) {
	case SessionWallet:
		saved.Topic = p.Topic
	case WithPubkey:
		saved.Algorithm, saved.Key, saved.Ledger = p.Key.algorithm, hex.EncodeToString(p.Key.Bytes()), p.Ledger
	}
	return json.Marshal(saved)
}

// DecodePolicy decodes a policy written by EncodePolicy. Its error wraps ErrSavedPolicy.
func DecodePolicy(raw json.RawMessage) (Policy, error) {
	var saved savedPolicy
	if err := json.Unmarshal(raw, &saved); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSavedPolicy, err)
	}
	switch saved.Type {
	case NameContextPrivKey:
		return ContextPrivKey{}, nil
	case NameHardwareWallet:
		return HardwareWallet{}, nil
	case NameBrowserWallet:
		return BrowserWallet{}, nil
	case NameSessionWallet:
		return SessionWallet{Topic: saved.Topic}, nil
	case NameWithPubkey:
		public, err := hex.DecodeString(saved.Key)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrSavedPolicy, err)
		}
		external, err := NewExternalKey(saved.Algorithm, public)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrSavedPolicy, err)
		}
		return WithPubkey{Key: external, Ledger: saved.Ledger}, nil
	}
	return nil, fmt.Errorf("%w: unknown policy %q", ErrSavedPolicy, saved.Type)
}
