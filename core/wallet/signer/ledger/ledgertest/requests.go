package ledgertest

import (
	"context"
	"embed"
	"encoding/hex"
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/wire"
	"obverse/core/wallet/signer/ledger"
)

//go:embed testdata/*.json
var testdata embed.FS

// Request is a request to a device that both Ledger's libraries and this project's client make.
type Request struct {
	Name, App, Method string
	At                string `json:"path"` // without m/
	Prefix            string
	Show              bool
	Chain             string
	Document, Text    string
	Domain, Message   string
	Sent              *Sent  `json:"transaction"`
	Token             string // description that is sent to the device before, in hexadecimal, see Describe
}

// Sent is the transaction of a request.
type Sent struct {
	Chain  uint64 `json:"chain"`
	Nonce  uint64 `json:"nonce"`
	MaxFee string `json:"max_fee"`
	Tip    string `json:"tip"`
	Gas    uint64 `json:"gas"`
	To     string `json:"to"`
	Value  string `json:"value"`
	Data   string `json:"data"`
}

// Frame is an APDU in the frames of Ledger's library.
type Frame struct {
	Channel uint16
	APDU    string
	Reports []string
}

// Requests returns the requests.
func Requests(t testing.TB) (all []Request) { return read[[]Request](t, "requests.json") }

// Commands returns the commands of Ledger's libraries for each request, in hexadecimal.
func Commands(t testing.TB) map[string][]string { return read[map[string][]string](t, "commands.json") }

// Frames returns test vectors of frames.
func Frames(t testing.TB) []Frame { return read[[]Frame](t, "frames.json") }

func read[T any](t testing.TB, name string) (into T) {
	t.Helper()
	text, err := testdata.ReadFile("testdata/" + name)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &into))
	return into
}

// Path returns the path of the request.
func (r Request) Path(t testing.TB) key.Path {
	t.Helper()
	path, err := key.ParsePath("m/" + r.At)
	require.NoError(t, err)
	return path
}

// Transaction returns the transaction of the request.
func (r Request) Transaction(t testing.TB) wire.Transaction {
	t.Helper()
	number := func(text string) *big.Int {
		n, ok := new(big.Int).SetString(text, 10)
		require.True(t, ok, text)
		return n
	}
	to, err := address.Parse(r.Sent.To)
	require.NoError(t, err)
	s := wire.Transaction{ChainID: r.Sent.Chain, Nonce: r.Sent.Nonce, MaxFee: number(r.Sent.MaxFee), Gas: r.Sent.Gas, To: to,
		Value: number(r.Sent.Value), Data: Hex(t, strings.TrimPrefix(r.Sent.Data, "0x"))}
	if r.Sent.Tip != "" {
		s.Tip = number(r.Sent.Tip)
	}
	return s
}

// Hex decodes hexadecimal digits.
func Hex(t testing.TB, digits string) []byte {
	t.Helper()
	b, err := hex.DecodeString(digits)
	require.NoError(t, err)
	return b
}

// Make makes the request to a device with this project's client. It returns the signature, if
// the request is for one.
func (r Request) Make(ctx context.Context, t testing.TB, c *ledger.Client, d *Device) (s key.Signature) {
	t.Helper()
	c = &ledger.Client{Port: c.Port, Tokens: described(Hex(t, r.Token))}
	if r.App == "Cosmos" {
		require.NoError(t, c.Cosmos(ctx, "", func(a *ledger.Cosmos) (err error) { s, err = r.makeCosmos(ctx, t, a, d); return err }))
	} else {
		require.NoError(t, c.Ethereum(ctx, "", func(a *ledger.Ethereum) (err error) { s, err = r.makeEthereum(ctx, t, a, d); return err }))
	}
	return s
}

// described is the description of a token, which it returns for every contract.
type described []byte

// Token implements ledger.Tokens.
func (d described) Token(context.Context, uint64, address.Address) ([]byte, error) { return d, nil }

func (r Request) makeCosmos(ctx context.Context, t testing.TB, a *ledger.Cosmos, d *Device) (s key.Signature, err error) {
	if r.Method == "version" {
		return s, nil // the client queries the dashboard by itself
	}
	path := r.Path(t)
	public := d.PublicKey(path)
	switch {
	case r.Method == "sign":
		return a.SignAmino(ctx, path, r.Prefix, public, []byte(r.Document))
	case r.Show:
		return s, a.Confirm(ctx, path, r.Prefix, public)
	}
	got, err := a.Key(ctx, path, r.Prefix)
	require.Equal(t, public, got)
	return s, err
}

func (r Request) makeEthereum(ctx context.Context, t testing.TB, a *ledger.Ethereum, d *Device) (s key.Signature, err error) {
	if r.Method == "version" {
		return s, nil // the client does this at the beginning of a conversation
	}
	path := r.Path(t)
	public := d.PublicKey(path)
	switch {
	case r.Method == "sign":
		return a.SignTransaction(ctx, path, public, r.Transaction(t))
	case r.Method == "text":
		return a.SignText(ctx, path, public, r.Text)
	case r.Method == "typed":
		return a.SignTyped(ctx, path, public, [32]byte(Hex(t, r.Domain)), [32]byte(Hex(t, r.Message)))
	case r.Show:
		chain, ok := new(big.Int).SetString(r.Chain, 10)
		require.True(t, ok)
		return s, a.Confirm(ctx, path, chain.Uint64(), public)
	}
	got, err := a.Key(ctx, path)
	require.Equal(t, public, got)
	return s, err
}
