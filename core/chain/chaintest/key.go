package chaintest

import (
	"sync"
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

// secrets holds the keys K1, K2 and K3 of the recordings.
var secrets = [...]string{
	"Ut1pMYZRM4tEFeVAEURQqcPAgKwyJ2vdMSALmHCtfFgzbocgQmSL",
	"UpUF3BDhxQ87puTW84ny6mDYFxRXGBB3Mma84UW36W86FHBUPdPw",
	"UpgSymkKJeVwuRXSFAuWQAWiCUCMi6ij44VmUxPYyZZfroPofmwu",
}

// keys returns the keys of the secrets. It computes them once, because deriving a public key is
// slow and tests use the keys thousands of times.
var keys = sync.OnceValues(func() (found [len(secrets)]Signer, err error) {
	for n, secret := range secrets {
		private, err := key.ParseWIF(secret)
		if err != nil {
			return found, err
		}
		found[n] = Signer{private}
	}
	return found, nil
})

// Key returns K1, K2 or K3 of the recordings. The keys are shared, so tests must not wipe them.
func Key(t testing.TB, n int) Signer {
	t.Helper()
	found, err := keys()
	require.NoError(t, err)
	return found[n-1]
}

// Token returns the public key in the form that conditions and payloads contain.
func (s Signer) Token() token.Key { return token.Key(s.PublicKey()) }

// PubKey returns the P2PK script of the key.
func (s Signer) PubKey() []byte {
	pub := s.PublicKey()
	return script.PayToPubKey(pub[:])
}

// PubKeyHash returns the P2PKH script of the key.
func (s Signer) PubKeyHash() []byte {
	pub := s.PublicKey()
	return script.PayToPubKeyHash(script.Hash160(pub[:]))
}

// Tokens returns the script of outputs with the key's fungible tokens.
func (s Signer) Tokens() []byte { return script.PayToCondition(s.condition().Condition()) }

// Address returns the index key of the key's plain outputs.
func (s Signer) Address() chain.Address { return chain.AddressesOf(s.PubKey())[0] }

// TokenAddress returns the index key of the key's token outputs.
func (s Signer) TokenAddress() chain.Address { return chain.AddressesOf(s.Tokens())[0] }

func (s Signer) condition() *cc.Node { return token.Condition([]byte{token.Eval}, s.Token()) }
