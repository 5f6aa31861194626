package trezor_test

import (
	"context"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/wire"
	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/trezor"
	"obverse/core/wallet/signer/trezor/trezortest"
)

var path = key.Path{44 + key.Hardened, 60 + key.Hardened, key.Hardened, 0, 0}

// open returns a device and a client for it.
func open(t testing.TB) (*trezortest.Device, *trezor.Client) {
	t.Helper()
	d := trezortest.New(t, "usb-1")
	return d, &trezor.Client{Port: trezor.Over(trezortest.NewBus(d))}
}

// first returns a device of the first model, with PIN entry at the host.
func first(t testing.TB) (*trezortest.Device, *trezor.Client) {
	t.Helper()
	d, client := open(t)
	d.Set(func(s *trezortest.Settings) {
		s.Model, s.PIN, s.Version = "1", "1234", trezor.Version{Major: 1, Minor: 12, Patch: 1}
	})
	d.Lock()
	return d, client
}

// payment returns a transaction. With tip, it has the fees of EIP-1559.
func payment(tip bool, data []byte) wire.Transaction {
	t := wire.Transaction{ChainID: 1, Nonce: 7, MaxFee: big.NewInt(30e9), Gas: 21000, To: address.Address{1, 2, 3}, Value: big.NewInt(1e18), Data: data}
	if tip {
		t.Tip = big.NewInt(1e9)
	}
	return t
}

func sign(ctx context.Context, c *trezor.Client, d *trezortest.Device, t wire.Transaction) (s key.Signature, err error) {
	err = c.Ethereum(ctx, "", func(e *trezor.Ethereum) (err error) {
		s, err = e.SignTransaction(ctx, path, d.PublicKey(path), t)
		return err
	})
	return s, err
}

// requireSigned checks a signature in the same way as a network.
func requireSigned(t testing.TB, d *trezortest.Device, hash [32]byte, s key.Signature) {
	t.Helper()
	want, err := address.FromKey(d.PublicKey(path))
	require.NoError(t, err)
	got, err := wire.Signer(hash, big.NewInt(int64(s.Recovery)), s.R[:], s.S[:])
	require.NoError(t, err)
	require.Equal(t, want, got)
}

func requireFault(t testing.TB, fault device.Fault, text string, err error) {
	t.Helper()
	require.Equal(t, device.Failf(fault, "%s", text), err)
}

// answers is a user who is asked for a PIN and a passphrase.
type answers struct {
	pin        string
	passphrase device.Passphrase
	err        error
	requests   int
}

func (a *answers) PIN(context.Context) (string, error) { a.requests++; return a.pin, a.err }

func (a *answers) Passphrase(context.Context) (device.Passphrase, error) {
	a.requests++
	return a.passphrase, a.err
}
