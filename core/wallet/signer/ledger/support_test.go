package ledger_test

import (
	"context"
	"crypto/sha256"
	"slices"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/ledger"
	"obverse/core/wallet/signer/ledger/ledgertest"
)

var (
	cosmosPath   = key.Path{44 + key.Hardened, 118 + key.Hardened, key.Hardened, 0, 0}
	ethereumPath = key.Path{44 + key.Hardened, 60 + key.Hardened, key.Hardened, 0, 0}
)

// document returns a sign document with a memo.
func document(memo string) []byte {
	return []byte(`{"account_number":"7","chain_id":"cosmoshub-4","fee":{"amount":[{"amount":"4000","denom":"uatom"}],"gas":"200000"},"memo":"` + memo +
		`","msgs":[],"sequence":"3"}`)
}

// open returns a device on which an app is open, and a client for it.
func open(t *testing.T, app string) (*ledgertest.Device, *ledger.Client) {
	t.Helper()
	d := ledgertest.New(t, "usb-1")
	d.OpenApp(app)
	return d, &ledger.Client{Port: ledger.Over(ledgertest.NewBus(d))}
}

// signCosmos signs a document with the first account.
func signCosmos(ctx context.Context, c *ledger.Client, d *ledgertest.Device, document []byte) (s key.Signature, err error) {
	err = c.Cosmos(ctx, "", func(a *ledger.Cosmos) (err error) {
		s, err = a.SignAmino(ctx, cosmosPath, "cosmos", d.PublicKey(cosmosPath), document)
		return err
	})
	return s, err
}

// requireFault checks a device's error.
func requireFault(t *testing.T, want device.Fault, text string, err error) {
	t.Helper()
	require.Equal(t, &device.Error{Fault: want, Text: text}, err)
}

// requireSigned checks that a signature equals the signature by the key itself.
func requireSigned(t *testing.T, d *ledgertest.Device, document []byte, s key.Signature) {
	t.Helper()
	ring, err := key.Open(ledgertest.Phrase, true)
	require.NoError(t, err)
	private, err := ring.At(cosmosPath)
	require.NoError(t, err)
	require.Equal(t, private.Sign(sha256.Sum256(document)), s)
}

// instructions returns the instructions that a device received, except for the queries of the
// open app.
func instructions(d *ledgertest.Device) (all []byte) {
	for _, apdu := range d.Requests() {
		if apdu[0] != 0xb0 {
			all = append(all, apdu[1])
		}
	}
	return slices.Compact(all)
}

// negated returns n minus s, where n is the order of the curve.
func negated(s [32]byte) [32]byte {
	var n btcec.ModNScalar
	n.SetBytes(&s)
	return n.Negate().Bytes()
}
