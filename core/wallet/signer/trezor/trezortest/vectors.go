package trezortest

import (
	"embed"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/wire"
	"obverse/core/wallet/signer/trezor"
)

//go:embed testdata/*.json
var testdata embed.FS

// Request is a request to a device that both Trezor's library and this project's client make.
type Request struct {
	Name, Device, Method string
	PIN, Passphrase      string // entered by the user at the host
	Params               struct {
		Path, Message string
		Domain        string `json:"domain_separator_hash"`
		Hash          string `json:"message_hash"`
		Transaction   struct {
			To, Value, Data, Nonce                                 string
			GasLimit, GasPrice, MaxFeePerGas, MaxPriorityFeePerGas string
			ChainID                                                uint64
		}
	}
}

// Requests returns the requests.
func Requests(t testing.TB) (all []Request) { return read[[]Request](t, "requests.json") }

// Messages returns the messages of Trezor's library for the requests of each device: kind and
// fields, in hexadecimal.
func Messages(t testing.TB) map[string][]string { return read[map[string][]string](t, "messages.json") }

func read[T any](t testing.TB, name string) (into T) {
	t.Helper()
	text, err := testdata.ReadFile("testdata/" + name)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &into))
	return into
}

// Set changes the settings of a device as the request requires.
func (r Request) Set(d *Device) {
	d.Set(func(s *Settings) {
		switch r.Device {
		case "first":
			s.Model, s.PIN, s.Version = "1", "4321", trezor.Version{Major: 1, Minor: 13, Patch: 1}
		case "hidden":
			s.Passphrase = true
		}
	})
	if r.Device == "rejecting" {
		d.Use(Reject)
	}
	d.Lock()
}

// Path returns the path of the request.
func (r Request) Path(t testing.TB) key.Path {
	t.Helper()
	path, err := key.ParsePath(r.Params.Path)
	require.NoError(t, err)
	return path
}

// Transaction returns the transaction of the request.
func (r Request) Transaction(t testing.TB) wire.Transaction {
	t.Helper()
	number := func(digits string) *big.Int { return new(big.Int).SetBytes(Hex(t, digits)) }
	x := r.Params.Transaction
	to, err := address.Parse(x.To)
	require.NoError(t, err)
	made := wire.Transaction{ChainID: x.ChainID, Nonce: number(x.Nonce).Uint64(), Gas: number(x.GasLimit).Uint64(), To: to, Value: number(x.Value),
		MaxFee: number(x.GasPrice), Data: Hex(t, x.Data)}
	if x.MaxFeePerGas != "" {
		made.MaxFee, made.Tip = number(x.MaxFeePerGas), number(x.MaxPriorityFeePerGas)
	}
	return made
}

// Hex decodes hexadecimal digits, with or without 0x. Their number may be odd.
func Hex(t testing.TB, digits string) []byte {
	t.Helper()
	digits = strings.TrimPrefix(digits, "0x")
	b, err := hex.DecodeString(strings.Repeat("0", len(digits)%2) + digits)
	require.NoError(t, err)
	return b
}

// Compared lists the messages of a device that contain requests, as Messages writes them. It
// omits the other messages of the library.
func Compared(d *Device) (all []string) {
	kinds := []trezor.Kind{trezor.KindPinMatrixAck, trezor.KindPassphraseAck, trezor.KindEthereumKeyRequest, trezor.KindEthereumAddressRequest,
		trezor.KindEthereumSignTx, trezor.KindEthereumSignTxEIP1559, trezor.KindEthereumTxAck, trezor.KindEthereumSignMessage, trezor.KindEthereumSignTypedHash}
	for _, m := range d.Requests() {
		if slices.Contains(kinds, m.Kind) {
			all = append(all, hex.EncodeToString([]byte{byte(m.Kind >> 8), byte(m.Kind)})+hex.EncodeToString(m.Body))
		}
	}
	return all
}
