package key

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2/ecdsa"
	"github.com/stretchr/testify/require"
)

// paper is the provider of a key that cannot sign.
type paper struct{ public [33]byte }

func (paper) Policy() PolicyName { return NameHardwareWallet }
func (p paper) Account(_ context.Context, policy Policy, _ Path) (Account, error) {
	return paperAccount{p, policy}, nil
}

type paperAccount struct {
	paper
	policy Policy
}

func (a paperAccount) Policy() PolicyName  { return a.policy.Name() }
func (a paperAccount) Close()              {}
func (a paperAccount) PublicKey() [33]byte { return a.public }

func openRing(t *testing.T, passphrase string, hd bool) *Ring {
	t.Helper()
	ring, err := Open(passphrase, hd)
	require.NoError(t, err)
	return ring
}

func TestRingAsProvider(t *testing.T) {
	ring := openRing(t, mnemonic, true)
	providers := Providers{ring}
	path := Path{44 + Hardened, 118 + Hardened, Hardened, 0, 0}
	account, err := providers.Account(t.Context(), ContextPrivKey{}, path)
	require.NoError(t, err)
	require.Equal(t, NameContextPrivKey, account.Policy())

	signer, err := As[HashSigner](account)
	require.NoError(t, err)
	want, err := ring.At(path)
	require.NoError(t, err)
	require.Equal(t, want.PublicKey(), signer.PublicKey())
	hash := [32]byte{1, 2, 3}
	signature, err := signer.SignHash(t.Context(), hash)
	require.NoError(t, err)
	require.Equal(t, want.Sign(hash), signature)

	handshake, err := As[ECDH](account)
	require.NoError(t, err)
	shared, err := handshake.ECDH(t.Context(), bob(t).PublicKey())
	require.NoError(t, err)
	other, err := bob(t).ECDH(handshake.PublicKey())
	require.NoError(t, err)
	require.Equal(t, other, shared)

	_, err = As[interface{ Secret() [32]byte }](account)
	require.ErrorIs(t, err, ErrUnsupported, "an account does not reveal its secret")
	_, err = As[interface{ WIF() string }](account)
	require.ErrorIs(t, err, ErrUnsupported)
	secret := want.Secret()
	showsNothing(t, [][]byte{secret[:]}, account, struct{ hidden Account }{account})

	account.Close()
	require.Equal(t, want.PublicKey(), signer.PublicKey())
	require.True(t, account.(ringAccount).private.scalar.open().Key.IsZero())
	require.NotZero(t, ring.Node().Secret(), "the ring goes on")
}

func TestAccountsStopWithTheirContext(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	providers := Providers{openRing(t, "bob passphrase", false)}
	_, err := providers.Account(ended, ContextPrivKey{}, nil)
	require.ErrorIs(t, err, context.Canceled)
	account, err := providers.Account(t.Context(), ContextPrivKey{}, nil)
	require.NoError(t, err)
	_, err = account.(HashSigner).SignHash(ended, [32]byte{1})
	require.ErrorIs(t, err, context.Canceled)
	_, err = account.(ECDH).ECDH(ended, bob(t).PublicKey())
	require.ErrorIs(t, err, context.Canceled)
	_, err = account.(ECDH).ECDH(t.Context(), [33]byte{2})
	require.ErrorIs(t, err, ErrPoint)
}

func TestProvidersRefuse(t *testing.T) {
	ring := openRing(t, "bob passphrase", false)
	for _, c := range []struct {
		name      string
		providers Providers
		policy    Policy
		want      string
	}{
		{"device", Providers{ring}, HardwareWallet{}, "HardwareWallet is not available on this node, which has: ContextPrivKey"},
		{"browser", Providers{ring, paper{}}, BrowserWallet{}, "BrowserWallet is not available on this node, which has: ContextPrivKey, HardwareWallet"},
		{"session", Providers{ring}, SessionWallet{Topic: "topic"}, "SessionWallet is not available on this node, which has: ContextPrivKey"},
		{"pubkey", Providers{ring}, WithPubkey{}, "WithPubkey is not available on this node, which has: ContextPrivKey"},
		{"none", nil, ContextPrivKey{}, "ContextPrivKey is not available on this node, which has: none"},
	} {
		t.Run(c.name, func(t *testing.T) {
			account, err := c.providers.Account(t.Context(), c.policy, nil)
			require.Nil(t, account)
			require.EqualError(t, err, c.want)
			var refused *NotAllowedError
			require.ErrorAs(t, err, &refused)
			require.Equal(t, c.policy.Name(), refused.Policy)
			require.Equal(t, c.providers.Names(), refused.Have)
			require.EqualError(t, c.providers.Check(c.policy), c.want)
		})
	}
	require.NoError(t, Providers{ring}.Check(ContextPrivKey{}))
}

func TestEveryPolicyHasItsProvider(t *testing.T) {
	providers := Providers{openRing(t, "bob passphrase", false), paper{[33]byte{2, 9}}}
	account, err := providers.Account(t.Context(), HardwareWallet{}, nil)
	require.NoError(t, err)
	require.Equal(t, NameHardwareWallet, account.Policy())
	public, err := As[PublicKeyer](account)
	require.NoError(t, err)
	require.Equal(t, [33]byte{2, 9}, public.PublicKey())
	_, err = As[HashSigner](account)
	require.ErrorIs(t, err, ErrUnsupported)
	require.EqualError(t, err, "HardwareWallet cannot be used here")
}

func TestNodeWithoutPassphrase(t *testing.T) {
	var none *Ring
	require.Nil(t, none.Node())
	require.False(t, none.IsHD())
	none.Wipe()
	require.NoError(t, Providers{none}.Check(ContextPrivKey{}))
	account, err := Providers{none}.Account(t.Context(), ContextPrivKey{}, nil)
	require.Nil(t, account)
	require.ErrorIs(t, err, ErrNoPassphrase)
}

// TestECDH uses the private keys and shared secrets of BOLT 8, appendix A.
func TestECDH(t *testing.T) {
	for _, c := range []struct{ name, private, public, want string }{
		{"act one", "12", "028d7500dd4c12685d1f568b4c2b5048e8534b873319f3a8daa612b469132ec7f7", "1e2fb3c8fe8fb9f262f649f64d26ecf0f2c0a805a767cf02dc2d77a6ef1fdcc3"},
		{"act two", "12", "02466d7fcae563e5cb09a0d1870bb580344804617879a14949cf22285f1bae3f27", "c06363d6cc549bcb7913dbb9ac1c33fc1158680c89e972000ecd06b36c472e47"},
		{"act three", "11", "02466d7fcae563e5cb09a0d1870bb580344804617879a14949cf22285f1bae3f27", "b36b6d195982c5be874d6d542dc268234379e1ae4ff1709402135b7de5cf0766"},
	} {
		t.Run(c.name, func(t *testing.T) {
			secret, err := hex.DecodeString(c.private)
			require.NoError(t, err)
			private, err := newPrivate([32]byte(bytes.Repeat(secret, 32)))
			require.NoError(t, err)
			public, err := hex.DecodeString(c.public)
			require.NoError(t, err)
			shared, err := private.ECDH([33]byte(public))
			require.NoError(t, err)
			require.Equal(t, c.want, hex.EncodeToString(shared[:]))
		})
	}
	for name, public := range map[string][33]byte{"zero": {}, "no point": {2, 32: 5}, "uncompressed": {4, 1}, "x too large": [33]byte(append([]byte{2}, bytes.Repeat([]byte{255}, 32)...))} {
		_, err := bob(t).ECDH(public)
		require.ErrorIs(t, err, ErrPoint, name)
	}
}

// TestSignatureOfEIP155 signs the example transaction of EIP-155.
func TestSignatureOfEIP155(t *testing.T) {
	private, err := newPrivate([32]byte(bytes.Repeat([]byte{0x46}, 32)))
	require.NoError(t, err)
	hash, err := hex.DecodeString("daf5a779ae972f972197303d7b574746c7ef83eadac0f2791ad23db92e4c8e53")
	require.NoError(t, err)
	signature := private.Sign([32]byte(hash))
	require.Equal(t, "28ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276", hex.EncodeToString(signature.R[:]))
	require.Equal(t, "67cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83", hex.EncodeToString(signature.S[:]))
	require.Zero(t, signature.Recovery)
}

func TestRecoverable(t *testing.T) {
	p, seen := bob(t), map[byte]bool{}
	for i := range 32 {
		hash := [32]byte{byte(i), 7}
		signature := p.Sign(hash).Recoverable()
		seen[signature[64]] = true
		recovered, compressed, err := ecdsa.RecoverCompact(append([]byte{signature[64] + 31}, signature[:64]...), hash[:])
		require.NoError(t, err)
		require.True(t, compressed)
		public := p.PublicKey()
		require.Equal(t, public[:], recovered.SerializeCompressed())
		require.Equal(t, ecdsa.Sign(p.scalar.open(), hash[:]).Serialize(), p.SignDER(hash))
	}
	require.Len(t, seen, 2, "both parities of R occur")
}

func TestPolicyNames(t *testing.T) {
	policies := []Policy{ContextPrivKey{}, HardwareWallet{}, BrowserWallet{}, SessionWallet{}, WithPubkey{}}
	require.Len(t, PolicyNames(), len(policies))
	for i, name := range PolicyNames() {
		require.Equal(t, name, policies[i].Name())
	}
}

func TestExternalKey(t *testing.T) {
	bobs := bob(t).PublicKey()
	for _, algorithm := range []struct {
		name  Algorithm
		bytes []byte
	}{{Secp256k1, bobs[:]}, {Ed25519, bobs[1:]}} {
		k, err := NewExternalKey(algorithm.name, algorithm.bytes)
		require.NoError(t, err)
		require.Equal(t, algorithm.name, k.Algorithm())
		require.Equal(t, algorithm.bytes, k.Bytes())
		k.Bytes()[0]++
		require.Equal(t, algorithm.bytes, k.Bytes())
	}
	uncompressed := append([]byte{4}, make([]byte, 64)...)
	for _, c := range []struct {
		name      string
		algorithm Algorithm
		bytes     []byte
		want      error
	}{
		{"unknown algorithm", "sr25519", bobs[:], ErrAlgorithm},
		{"no algorithm", "", bobs[:], ErrAlgorithm},
		{"capital letter", "Secp256k1", bobs[:], ErrAlgorithm},
		{"no bytes", Secp256k1, nil, ErrExternalKey},
		{"too short", Secp256k1, bobs[:32], ErrExternalKey},
		{"too long", Secp256k1, append(bobs[:], 0), ErrExternalKey},
		{"uncompressed", Secp256k1, uncompressed, ErrExternalKey},
		{"not on the curve", Secp256k1, append([]byte{2, 32: 5}, nil...), ErrExternalKey},
		{"ed25519, no bytes", Ed25519, nil, ErrExternalKey},
		{"ed25519, 33 bytes", Ed25519, bobs[:], ErrExternalKey},
	} {
		t.Run(c.name, func(t *testing.T) {
			k, err := NewExternalKey(c.algorithm, c.bytes)
			require.Zero(t, k)
			require.True(t, errors.Is(err, c.want), "%v", err)
		})
	}
}
