package key

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestWalletErrors(t *testing.T) {
	for _, fault := range WalletFaults() {
		e := NewWalletError(string(fault), "why")
		require.Equal(t, &WalletError{fault, "why"}, e)
		require.EqualError(t, e, "why")
	}
	require.Equal(t, WalletFailed, NewWalletError("Internal", "x").Fault)
	require.Equal(t, WalletFailed, NewWalletError("", "x").Fault)
	long := NewWalletError("WalletRefused", strings.Repeat("é", 300))
	require.Len(t, long.Text, maxWalletText)
	odd := NewWalletError("WalletRefused", "x"+strings.Repeat("é", 300))
	require.Equal(t, "x"+strings.Repeat("é", 249), odd.Text, "no half of a letter")
}

func TestSwitched(t *testing.T) {
	err := Switched("0xnow", "0xwas")
	require.Equal(t, WalletSwitched, err.Fault)
	require.EqualError(t, err, "it switched to account 0xnow, and the coin was activated with 0xwas: switch back, or disable the coin and activate it again")
}

func TestProviderOfPolicy(t *testing.T) {
	ring := openRing(t, "bob passphrase", false)
	provider, err := Providers{WatchOnly{}, ring}.For(ContextPrivKey{})
	require.NoError(t, err)
	require.Same(t, ring, provider)
	_, err = Providers{ring}.For(BrowserWallet{})
	require.ErrorAs(t, err, new(*NotAllowedError))
}
