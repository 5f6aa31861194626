package chaintest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/cc"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/key"
)

// Signer is a key and the output scripts that it can spend.
type Signer struct{ *key.Private }

// Key is K1, K2 or K3 of the recordings.
func Key(t testing.TB, n int) Signer {
	t.Helper()
	secrets := [...]string{
		"Ut1pMYZRM4tEFeVAEURQqcPAgKwyJ2vdMSALmHCtfFgzbocgQmSL",
		"UpUF3BDhxQ87puTW84ny6mDYFxRXGBB3Mma84UW36W86FHBUPdPw",
		"UpgSymkKJeVwuRXSFAuWQAWiCUCMi6ij44VmUxPYyZZfroPofmwu",
	}
	private, err := key.ParseWIF(secrets[n-1])
	require.NoError(t, err)
	return Signer{private}
}

// Token is the key as conditions and payloads carry it.
func (s Signer) Token() token.Key { return token.Key(s.PublicKey()) }

// PubKey is the P2PK script of the key.
func (s Signer) PubKey() []byte {
	pub := s.PublicKey()
	return script.PayToPubKey(pub[:])
}

// PubKeyHash is the P2PKH script of the key.
func (s Signer) PubKeyHash() []byte {
	pub := s.PublicKey()
	return script.PayToPubKeyHash(script.Hash160(pub[:]))
}

// Tokens is the script that holds the key's fungible tokens.
func (s Signer) Tokens() []byte { return script.PayToCondition(s.condition().Condition()) }

// Address is where the key's plain outputs are listed.
func (s Signer) Address() chain.Address { return chain.AddressesOf(s.PubKey())[0] }

// TokenAddress is where the key's tokens are listed.
func (s Signer) TokenAddress() chain.Address { return chain.AddressesOf(s.Tokens())[0] }

func (s Signer) condition() *cc.Node { return token.Condition([]byte{token.Eval}, s.Token()) }
