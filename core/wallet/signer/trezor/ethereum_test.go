package trezor_test

import (
	"bytes"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/trezor"
	"obverse/core/wallet/signer/trezor/trezortest"
)

func TestKeyAndAddress(t *testing.T) {
	d, client := open(t)
	ring, err := key.Open(trezortest.Phrase, true)
	require.NoError(t, err)
	k, err := ring.At(path)
	require.NoError(t, err)
	require.NoError(t, client.Ethereum(t.Context(), "", func(e *trezor.Ethereum) error {
		got, err := e.Key(t.Context(), path)
		require.NoError(t, err)
		require.Equal(t, k.PublicKey(), got, "our keys and the device's are derived alike")
		require.Empty(t, d.Screens())
		require.NoError(t, e.Confirm(t.Context(), path, 1, got))
		a, err := address.FromKey(got)
		require.NoError(t, err)
		require.Equal(t, [][]string{{"Address: " + a.String()}}, d.Screens())
		require.Equal(t, "2.8.9", e.Features().Version.String())
		_, err = e.Key(t.Context(), nil)
		requireFault(t, device.Unsupported, "device has no keys at m, want 1 to 8 numbers", err)
		_, err = e.Key(t.Context(), append(path, 1, 2, 3, 4))
		require.True(t, device.Is(err, device.Unsupported), err)
		return nil
	}))
}

func TestTransactions(t *testing.T) {
	for name, data := range map[string][]byte{"payment": nil, "short": {1}, "one part": bytes.Repeat([]byte{7}, 1024),
		"two parts": bytes.Repeat([]byte{7}, 1025), "many parts": bytes.Repeat([]byte{7}, 10000)} {
		for _, tip := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				d, client := open(t)
				sent := payment(tip, data)
				s, err := sign(t.Context(), client, d, sent)
				require.NoError(t, err)
				requireSigned(t, d, sent.SigningHash(), s)
				require.Equal(t, []string{"To: " + sent.To.String(), "Amount: 1000000000000000000", "Network: 1"}, d.Screens()[0])
			})
		}
	}
}

// TestTransactionOfALargeChain checks a chain id that does not fit in v, and a nonce of 0.
func TestTransactionOfALargeChain(t *testing.T) {
	d, client := open(t)
	sent := payment(false, nil)
	sent.ChainID, sent.Nonce, sent.Value = 1<<40, 0, new(big.Int)
	s, err := sign(t.Context(), client, d, sent)
	require.NoError(t, err)
	requireSigned(t, d, sent.SigningHash(), s)
}

func TestTexts(t *testing.T) {
	d, client := open(t)
	public := d.PublicKey(path)
	require.NoError(t, client.Ethereum(t.Context(), "", func(e *trezor.Ethereum) error {
		for _, text := range []string{"a", "two\nlines", strings.Repeat("x", 8192)} {
			s, err := e.SignText(t.Context(), path, public, text)
			require.NoError(t, err)
			requireSigned(t, d, address.TextHash(text), s)
		}
		for _, text := range []string{"", strings.Repeat("x", 8193)} {
			_, err := e.SignText(t.Context(), path, public, text)
			require.True(t, device.Is(err, device.Unsupported), err)
		}
		domain, message := [32]byte{1}, [32]byte{2}
		s, err := e.SignTyped(t.Context(), path, public, domain, message)
		require.NoError(t, err)
		requireSigned(t, d, address.Keccak([]byte{0x19, 1}, domain[:], message[:]), s)
		return nil
	}))
	require.Len(t, d.Screens(), 4)
}

// TestOtherDevice checks that a device with other keys is not asked to sign.
func TestOtherDevice(t *testing.T) {
	d, client := open(t)
	d.Set(func(s *trezortest.Settings) { s.Phrase = strings.Replace(trezortest.Phrase, "about", "above", 1) })
	other := trezortest.New(t, "usb-2")
	_, err := sign(t.Context(), client, other, payment(true, nil))
	requireFault(t, device.Unexpected, "signing: this device holds another key at m/44'/60'/0'/0/0 than the account's: connect the device that the coin was activated with", err)
	require.Empty(t, d.Screens())
}
