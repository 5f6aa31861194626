package trezorudp

import (
	"encoding/hex"
	"math/big"
	"net/url"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/wire"
	"obverse/core/wallet/signer/trezor/trezortest"
	"obverse/native/test/npmprocess"
	"obverse/native/trezorudp/udptest"
)

const testdata = "../../core/wallet/signer/trezor/trezortest/testdata"

// line is a line of the peer's output: the result of Trezor's library for the device's responses.
type line struct {
	Name, Error string
	End         bool
	Result      struct {
		PublicKey, Address, Signature, SerializedTx string
		Label                                       string
		Device                                      string `json:"device_id"`
	}
}

// Trezor's library receives features, addresses and valid signatures from the emulator, over UDP
// and over Bridge. It sends the same messages as this client.
func TestTrezorsLibrary(t *testing.T) {
	for _, how := range []string{"udp", "bridge"} {
		t.Run(how, func(t *testing.T) {
			for _, requests := range byDevice(t) {
				askLibrary(t, how, requests)
			}
		})
	}
}

func byDevice(t *testing.T) map[string][]trezortest.Request {
	t.Helper()
	devices := map[string][]trezortest.Request{}
	for _, r := range trezortest.Requests(t) {
		devices[r.Device] = append(devices[r.Device], r)
	}
	return devices
}

// askLibrary makes the library send requests to a device.
func askLibrary(t *testing.T, how string, requests []trezortest.Request) {
	t.Helper()
	file, err := filepath.Abs(filepath.Join(testdata, "requests.json"))
	require.NoError(t, err)
	d := trezortest.New(t, "1")
	requests[0].Set(d)
	arguments := []string{how, port(t, how, d), file}
	for _, r := range requests {
		arguments = append(arguments, r.Name)
	}
	peer := npmprocess.Start[line](t, "trezorudp/npmpeer", "@trezor/connect", arguments...)
	for _, r := range requests {
		check(t, r, peer.Next(t, func(l line) bool { return l.Name == r.Name }), d)
	}
	require.Equal(t, trezortest.Messages(t)[requests[0].Device], trezortest.Compared(d))
}

// port serves a device.
func port(t *testing.T, how string, d *trezortest.Device) string {
	t.Helper()
	at := "udp://" + udptest.Serve(t, d)
	if how == "bridge" {
		at = serveBridge(t, d)
	}
	parsed, err := url.Parse(at)
	require.NoError(t, err)
	return parsed.Port()
}

func check(t *testing.T, r trezortest.Request, got line, d *trezortest.Device) {
	t.Helper()
	if r.Device == "rejecting" {
		require.Equal(t, "Cancelled", got.Error)
		return
	}
	require.Empty(t, got.Error, r.Name)
	if r.Method == "getFeatures" {
		require.Equal(t, "Emulator", got.Result.Label)
		return
	}
	public := d.PublicKeyOf(r.Passphrase, r.Path(t))
	account, err := address.FromKey(public)
	require.NoError(t, err)
	switch r.Method {
	case "ethereumGetPublicKey":
		require.Equal(t, hex.EncodeToString(public[:]), got.Result.PublicKey)
	case "ethereumGetAddress":
		require.Equal(t, account.String(), got.Result.Address)
		require.Contains(t, d.Screens(), []string{"Address: " + account.String()})
	case "ethereumSignTransaction":
		requireSent(t, r, got.Result.SerializedTx, account)
	case "ethereumSignMessage":
		requireSigner(t, account, address.TextHash(r.Params.Message), trezortest.Hex(t, got.Result.Signature))
	case "ethereumSignTypedData":
		hash := address.Keccak([]byte{0x19, 1}, trezortest.Hex(t, r.Params.Domain), trezortest.Hex(t, r.Params.Hash))
		requireSigner(t, account, hash, trezortest.Hex(t, got.Result.Signature))
	default:
		require.Fail(t, "nothing checks "+r.Name)
	}
}

// requireSent decodes the transaction that the library has assembled.
func requireSent(t *testing.T, r trezortest.Request, digits string, account address.Address) {
	t.Helper()
	raw, want := trezortest.Hex(t, digits), r.Transaction(t)
	sent, err := wire.Decode(raw)
	require.NoError(t, err, r.Name)
	require.Equal(t, wire.Sent{ChainID: new(big.Int).SetUint64(want.ChainID), Nonce: want.Nonce, From: account,
		Content: wire.Content{To: &want.To, Value: want.Value, Data: want.Data, Gas: want.Gas, MaxFee: want.MaxFee, Tip: want.Tip}}, sent)
}

func requireSigner(t *testing.T, want address.Address, hash [32]byte, signature []byte) {
	t.Helper()
	require.Len(t, signature, 65)
	signer, err := wire.Signer(hash, big.NewInt(int64(signature[64])-27), signature[:32], signature[32:64])
	require.NoError(t, err)
	require.Equal(t, want, signer)
}
