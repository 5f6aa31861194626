package key

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/btcec/v2"
)

// PolicyName is a policy's name in requests.
type PolicyName string

// Names of all policies.
const (
	NameContextPrivKey PolicyName = "ContextPrivKey"
	NameHardwareWallet PolicyName = "HardwareWallet"
	NameBrowserWallet  PolicyName = "BrowserWallet"
	NameSessionWallet  PolicyName = "SessionWallet"
	NameWithPubkey     PolicyName = "WithPubkey"
)

// PolicyNames lists all names, the default first.
func PolicyNames() []PolicyName {
	return []PolicyName{NameContextPrivKey, NameHardwareWallet, NameBrowserWallet, NameSessionWallet, NameWithPubkey}
}

// Policy says where a private key is and which provider signs with it. Each kind of policy is a
// type with the data that its provider needs; a node supports the policies that it has a
// Provider for.
type Policy interface{ Name() PolicyName }

// ContextPrivKey is the node's own key, of its passphrase. Ring is its provider.
type ContextPrivKey struct{}

// HardwareWallet is a device that the node, or the page, talks to.
type HardwareWallet struct{}

// BrowserWallet is an extension of the browser. Pages alone can have it.
type BrowserWallet struct{}

// SessionWallet is a program elsewhere that was paired with the node.
type SessionWallet struct{ Topic string } // of the session

// WithPubkey is a policy with an external signer. Only its public key is known.
type WithPubkey struct {
	Key    ExternalKey
	Ledger bool // the key is in a Ledger device, which signs amino JSON only
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

// Algorithm is the kind of a public key.
type Algorithm string

// Algorithms of Tendermint accounts.
const (
	Ed25519   Algorithm = "ed25519"
	Secp256k1 Algorithm = "secp256k1"
	// AccountID is no algorithm: the 20 bytes of an address stand in place of a key, which is
	// not known. Komodo DeFi Framework does not have it.
	AccountID Algorithm = "account_id"
)

const accountIDLength = 20

// ExternalKey is a public key with its private key outside the node. The zero value means no
// connection.
type ExternalKey struct {
	algorithm Algorithm
	bytes     string
}

// Errors of NewExternalKey.
var (
	ErrAlgorithm   = errors.New("unsupported algorithm of a public key, want ed25519, secp256k1 or account_id")
	ErrExternalKey = errors.New("invalid public key")
)

// NewExternalKey checks a public key: 33 bytes on the curve for secp256k1, 32 bytes
// for ed25519, and the 20 bytes of an address for account_id.
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

// Algorithm returns the kind of the key.
func (k ExternalKey) Algorithm() Algorithm { return k.algorithm }

// Bytes returns the key itself.
func (k ExternalKey) Bytes() []byte { return []byte(k.bytes) }

// ErrSavedPolicy says that a store holds something else where a policy should be.
var ErrSavedPolicy = errors.New("corrupt key policy in the store")

// savedPolicy is a policy as a store keeps it.
type savedPolicy struct {
	Type      PolicyName `json:"type"`
	Topic     string     `json:"topic,omitempty"`     // of a SessionWallet
	Algorithm Algorithm  `json:"algorithm,omitempty"` // of a WithPubkey, as the rest
	Key       string     `json:"key,omitempty"`       // in hexadecimal
	Ledger    bool       `json:"ledger,omitempty"`
}

// EncodePolicy writes a policy for DecodePolicy.
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

// DecodePolicy reads what EncodePolicy wrote. Its error is ErrSavedPolicy.
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
