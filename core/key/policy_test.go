package key

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

const bobPublic = "022cd3021a2197361fb70b862c412bc8e44cff6951fa1de45ceabfdd9b4c520420"

func externalKey(t testing.TB, algorithm Algorithm, public []byte) ExternalKey {
	t.Helper()
	k, err := NewExternalKey(algorithm, public)
	require.NoError(t, err)
	return k
}

func TestSavedPolicies(t *testing.T) {
	public, err := hex.DecodeString(bobPublic)
	require.NoError(t, err)
	for _, p := range []Policy{
		ContextPrivKey{}, HardwareWallet{}, BrowserWallet{}, SessionWallet{Topic: "3569914d"},
		WithPubkey{Key: externalKey(t, Secp256k1, public)},
		WithPubkey{Key: externalKey(t, Ed25519, bytes.Repeat([]byte{0x7b}, 32)), Ledger: true},
		WithPubkey{Key: externalKey(t, AccountID, bytes.Repeat([]byte{0x7b}, 20))},
	} {
		raw, err := EncodePolicy(p)
		require.NoError(t, err)
		back, err := DecodePolicy(raw)
		require.NoError(t, err)
		require.Equal(t, p, back)
	}
}

func TestDamagedPolicies(t *testing.T) {
	for _, raw := range []string{``, `[]`, `{}`, `{"type":"Trezor"}`, `{"type":"WithPubkey"}`,
		`{"type":"WithPubkey","algorithm":"secp256k1","key":"zz"}`, `{"type":"WithPubkey","algorithm":"secp256k1","key":"02"}`,
		`{"type":"WithPubkey","algorithm":"rsa","key":"` + bobPublic + `"}`,
		`{"type":"WithPubkey","algorithm":"account_id","key":"` + bobPublic + `"}`} {
		_, err := DecodePolicy(json.RawMessage(raw))
		require.ErrorIs(t, err, ErrSavedPolicy, raw)
	}
}

func TestWatchOnly(t *testing.T) {
	public, err := hex.DecodeString(bobPublic)
	require.NoError(t, err)
	providers := Providers{WatchOnly{}}
	require.NoError(t, providers.Check(WithPubkey{}))
	secp := WithPubkey{Key: externalKey(t, Secp256k1, public), Ledger: true}
	account, err := providers.Account(t.Context(), secp, nil)
	require.NoError(t, err)
	defer account.Close()
	require.Equal(t, NameWithPubkey, account.Policy())
	keyer, err := As[PublicKeyer](account)
	require.NoError(t, err)
	got := keyer.PublicKey()
	require.Equal(t, public, got[:])
	external, err := As[ExternalAccount](account)
	require.NoError(t, err)
	require.Equal(t, secp.Key, external.ExternalKey())
	ledger, err := As[interface{ InLedger() bool }](account)
	require.NoError(t, err)
	require.True(t, ledger.InLedger())
	_, err = As[HashSigner](account)
	require.ErrorIs(t, err, ErrUnsupported, "no key can sign")

	account, err = providers.Account(t.Context(), WithPubkey{Key: externalKey(t, Ed25519, make([]byte, 32))}, nil)
	require.NoError(t, err)
	_, err = As[PublicKeyer](account)
	require.ErrorIs(t, err, ErrUnsupported, "it is of another curve")
	_, err = providers.Account(t.Context(), WithPubkey{}, nil)
	require.ErrorIs(t, err, ErrExternalKey)
}
