package key

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
)

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
	kept := savedPolicy{Type: p.Name()}
	switch p := p.(type) {
	case SessionWallet:
		kept.Topic = p.Topic
	case WithPubkey:
		kept.Algorithm, kept.Key, kept.Ledger = p.Key.algorithm, hex.EncodeToString(p.Key.Bytes()), p.Ledger
	}
	return json.Marshal(kept)
}

// DecodePolicy reads what EncodePolicy wrote. Its error is ErrSavedPolicy.
func DecodePolicy(raw json.RawMessage) (Policy, error) {
	var kept savedPolicy
	if err := json.Unmarshal(raw, &kept); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSavedPolicy, err)
	}
	switch kept.Type {
	case NameContextPrivKey:
		return ContextPrivKey{}, nil
	case NameHardwareWallet:
		return HardwareWallet{}, nil
	case NameBrowserWallet:
		return BrowserWallet{}, nil
	case NameSessionWallet:
		return SessionWallet{Topic: kept.Topic}, nil
	case NameWithPubkey:
		public, err := hex.DecodeString(kept.Key)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrSavedPolicy, err)
		}
		external, err := NewExternalKey(kept.Algorithm, public)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrSavedPolicy, err)
		}
		return WithPubkey{Key: external, Ledger: kept.Ledger}, nil
	}
	return nil, fmt.Errorf("%w: unknown policy %q", ErrSavedPolicy, kept.Type)
}
