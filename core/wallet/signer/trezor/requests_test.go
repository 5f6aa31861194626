package trezor_test

import (
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/trezor"
	"obverse/core/wallet/signer/trezor/trezortest"
)

// request makes a request with this project's client.
func request(t *testing.T, r trezortest.Request, c *trezor.Client, d *trezortest.Device) (err error) {
	t.Helper()
	ctx := device.Prompt(t.Context(), &answers{pin: r.PIN, passphrase: device.Passphrase{Text: r.Passphrase}})
	return c.Ethereum(ctx, "", func(e *trezor.Ethereum) (err error) {
		path := r.Path(t)
		public := d.PublicKeyOf(r.Passphrase, path)
		switch r.Method {
		case "ethereumGetPublicKey":
			got, err := e.Key(ctx, path)
			require.Equal(t, public, got)
			return err
		case "ethereumGetAddress":
			return e.Confirm(ctx, path, 1, public)
		case "ethereumSignTransaction":
			_, err = e.SignTransaction(ctx, path, public, r.Transaction(t))
		case "ethereumSignMessage":
			_, err = e.SignText(ctx, path, public, r.Params.Message)
		case "ethereumSignTypedData":
			_, err = e.SignTyped(ctx, path, public, [32]byte(trezortest.Hex(t, r.Params.Domain)), [32]byte(trezortest.Hex(t, r.Params.Hash)))
		default:
			require.Fail(t, "nothing makes "+r.Method)
		}
		return err
	})
}

// TestMessagesOfTrezorsLibrary checks that messages equal those of Trezor's library field for
// field, except for default values, which this client omits.
func TestMessagesOfTrezorsLibrary(t *testing.T) {
	var theirs [][]string
	for _, messages := range trezortest.Messages(t) {
		for _, m := range messages {
			theirs = append(theirs, fieldsOf(t, m))
		}
	}
	for _, r := range trezortest.Requests(t) {
		if r.Method == "getFeatures" {
			continue // the client begins with it by itself
		}
		t.Run(r.Name, func(t *testing.T) {
			d, client := open(t)
			r.Set(d)
			err := request(t, r, client, d)
			if r.Device == "rejecting" {
				require.EqualError(t, err, "signing: rejected on the device")
			} else {
				require.NoError(t, err)
			}
			ours := trezortest.Compared(d)
			require.NotEmpty(t, ours)
			for _, m := range ours {
				require.Contains(t, theirs, fieldsOf(t, m))
			}
		})
	}
}

// fieldsOf returns a message's kind and fields, without fields with their default value.
func fieldsOf(t *testing.T, message string) (all []string) {
	t.Helper()
	b, err := hex.DecodeString(message)
	require.NoError(t, err)
	fields, ok := trezor.ReadFields(b[2:])
	require.True(t, ok)
	for n := range 16 {
		if values := fields.Numbers(protowire.Number(n)); slices.ContainsFunc(values, func(v uint64) bool { return v != 0 }) {
			all = append(all, message[:4], hex.EncodeToString([]byte{byte(n)}))
			for _, v := range values {
				all = append(all, hex.EncodeToString(value(protowire.Number(n), v)))
			}
		}
		if content, ok := fields.Bytes(protowire.Number(n)); ok && len(content) > 0 {
			all = append(all, hex.EncodeToString([]byte{byte(n)}), trimmed(content))
		}
	}
	return append(all, message[:4])
}

// trimmed returns bytes without the 0x of an address, which devices accept with and without it.
func trimmed(content []byte) string { return strings.TrimPrefix(string(content), "0x") }
