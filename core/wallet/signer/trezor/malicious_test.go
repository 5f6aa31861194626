package trezor_test

import (
	"bytes"
	"context"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"google.golang.org/protobuf/encoding/protowire"

	"obverse/core/key"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/trezor"
	"obverse/core/wallet/signer/trezor/trezortest"
)

// private returns the key of the emulated device, so that a test can sign data that the device
// did not show.
func private(t testing.TB, path key.Path) *key.Private {
	t.Helper()
	ring, err := key.Open(trezortest.Phrase, true)
	require.NoError(t, err)
	k, err := ring.At(path)
	require.NoError(t, err)
	return k
}

func content(n protowire.Number, b []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(nil, n, protowire.BytesType), b)
}

func value(n protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(nil, n, protowire.VarintType), v)
}

// answering makes a device answer requests of a kind with a message.
func answering(d *trezortest.Device, expected, kind trezor.Kind, parts ...[]byte) {
	d.Tamper(func(to trezor.Kind, m trezor.Message) trezor.Message {
		if to == expected && m.Kind != trezor.KindButtonRequest {
			return trezor.Message{Kind: kind, Body: slices.Concat(parts...)}
		}
		return m
	})
}

const wrong = "signing: invalid signature from the device: it does not belong to this message and account"

// TestSignaturesAreVerified checks that an error is returned if a device signs something else,
// or returns something else than a signature.
func TestSignaturesAreVerified(t *testing.T) {
	sent, other := payment(true, nil), payment(true, nil)
	other.Nonce++
	mine, theirs := private(t, path), private(t, path[:4])
	parts := func(s key.Signature) [][]byte { return [][]byte{content(3, s.R[:]), content(4, s.S[:])} }
	for name, c := range map[string]struct {
		parts [][]byte
		fault device.Fault
		text  string
	}{
		"of another transaction": {parts(mine.Sign(other.SigningHash())), device.InvalidSignature, wrong},
		"of another key":         {parts(theirs.Sign(sent.SigningHash())), device.InvalidSignature, wrong},
		"zeros":                  {[][]byte{content(3, make([]byte, 32)), content(4, make([]byte, 32))}, device.InvalidSignature, wrong},
		"too large": {[][]byte{content(3, bytes.Repeat([]byte{255}, 32)), content(4, bytes.Repeat([]byte{255}, 32))},
			device.InvalidSignature, wrong},
		"nothing":   {nil, device.InvalidAnswer, "signing: invalid signature from the device: r or s of 0 bytes, want 32"},
		"33 bytes":  {[][]byte{content(3, make([]byte, 33)), content(4, make([]byte, 32))}, device.InvalidAnswer, "signing: invalid signature from the device: r or s of 33 bytes, want 32"},
		"a number":  {[][]byte{value(3, 1), value(4, 1)}, device.InvalidAnswer, "signing: invalid signature from the device: r or s of 0 bytes, want 32"},
		"more data": {[][]byte{value(1, 1)}, device.InvalidAnswer, "signing: device asked for 1 bytes of the data, which has 0 left, want at most 1024"},
		"half":      {[][]byte{{0x1a, 32, 1}}, device.InvalidAnswer, "signing: invalid message of kind 59 from the device"},
	} {
		t.Run(name, func(t *testing.T) {
			d, client := open(t)
			answering(d, trezor.KindEthereumSignTxEIP1559, trezor.KindEthereumTxRequest, c.parts...)
			s, err := sign(t.Context(), client, d, sent)
			requireFault(t, c.fault, c.text, err)
			require.Zero(t, s)
		})
	}
}

// TestEndlessData checks that a device that requests the same data again and again gets it
// once.
func TestEndlessData(t *testing.T) {
	d, client := open(t)
	answering(d, trezor.KindEthereumSignTxEIP1559, trezor.KindEthereumTxRequest, value(1, 1000))
	_, err := sign(t.Context(), client, d, payment(true, make([]byte, 3000)))
	requireFault(t, device.InvalidAnswer, "signing: device asked for 1000 bytes of the data, which has 976 left, want at most 1024", err)
}

func TestTextsAreVerified(t *testing.T) {
	mine := private(t, path).Sign(address.TextHash("other"))
	account, err := address.FromKey(private(t, path).PublicKey())
	require.NoError(t, err)
	signature := slices.Concat(mine.R[:], mine.S[:], []byte{27})
	for name, c := range map[string]struct {
		signature []byte
		account   string
		fault     device.Fault
	}{
		"of another text":         {signature, account.String(), device.InvalidSignature},
		"64 bytes":                {signature[:64], account.String(), device.InvalidAnswer},
		"of another account":      {signature, "0x0102030405060708090a0b0c0d0e0f1011121314", device.InvalidAnswer},
		"of something unreadable": {signature, "\x1b[2J", device.InvalidAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			d, client := open(t)
			answering(d, trezor.KindEthereumSignMessage, trezor.KindEthereumMessageSignature, content(2, c.signature), content(3, []byte(c.account)))
			answeringTyped := func(e *trezor.Ethereum) error {
				_, err := e.SignText(t.Context(), path, d.PublicKey(path), "mine")
				return err
			}
			err := client.Ethereum(t.Context(), "", answeringTyped)
			require.True(t, device.Is(err, c.fault), err)
			require.NotContains(t, err.Error(), "\x1b")
		})
	}
}

// TestAddressesAreVerified checks that an address of another key, and an invalid key, are
// rejected.
func TestAddressesAreVerified(t *testing.T) {
	d, client := open(t)
	confirm := func() error {
		return client.Ethereum(t.Context(), "", func(e *trezor.Ethereum) error { return e.Confirm(t.Context(), path, 1, d.PublicKey(path)) })
	}
	answering(d, trezor.KindEthereumAddressRequest, trezor.KindEthereumAddress, content(2, []byte("0x0102030405060708090a0b0c0d0e0f1011121314")))
	requireFault(t, device.InvalidAnswer, "confirming the address: invalid address: 0x0102030405060708090a0b0c0d0e0f1011121314 from the device, want 0x9858EfFD232B4033E47d90003D41EC34EcaEda94", confirm())
	for _, node := range [][]byte{nil, {1}, content(6, make([]byte, 33)), content(6, bytes.Repeat([]byte{2}, 500)), {0x32, 200}} {
		answering(d, trezor.KindEthereumKeyRequest, trezor.KindEthereumKey, content(1, node))
		require.True(t, device.Is(confirm(), device.InvalidAnswer))
	}
}

// TestWrongMessages checks that a message that violates the protocol or never ends results in
// an error.
func TestWrongMessages(t *testing.T) {
	features := bytes.Repeat(value(12, 1), 257)
	for name, c := range map[string]struct {
		reports func(trezor.Message) [][]byte
		fault   device.Fault
		text    string
	}{
		"another answer": {func(trezor.Message) [][]byte { return trezor.Split(trezor.Message{Kind: trezor.KindSuccess}) }, device.Timeout, "connecting timed out after 30s"},
		"endless parts": {func(trezor.Message) [][]byte {
			return slices.Repeat([][]byte{append([]byte("?"), make([]byte, 63)...)}, 300)
		}, device.InvalidAnswer, "invalid report from the device: it does not begin a message"},
		"too long": {func(trezor.Message) [][]byte {
			return trezor.Split(trezor.Message{Kind: trezor.KindFeatures, Body: make([]byte, trezor.MaxMessage+1)})
		}, device.InvalidAnswer, "invalid report from the device: it begins 16385 bytes, want at most 16384"},
		"many fields": {func(trezor.Message) [][]byte {
			return trezor.Split(trezor.Message{Kind: trezor.KindFeatures, Body: features})
		}, device.InvalidAnswer, "connecting: invalid message of kind 17 from the device"},
		"a large session": {func(trezor.Message) [][]byte {
			return trezor.Split(trezor.Message{Kind: trezor.KindFeatures, Body: content(35, make([]byte, 65))})
		}, device.InvalidAnswer, "invalid session of 65 bytes from the device, want at most 64"},
		"endless stale answers": {func(trezor.Message) [][]byte {
			return slices.Repeat(trezor.Split(trezor.Message{Kind: trezor.KindSuccess}), 300)
		}, device.InvalidAnswer, "connecting: device answered with a message of kind 2, want 17"},
		"words": {func(trezor.Message) [][]byte {
			return trezor.Split(trezor.Message{Kind: trezor.KindFailure, Body: slices.Concat(value(1, 99), content(2, []byte("\x1b[1mFirmware\nerror"+string(bytes.Repeat([]byte("x"), 500)))))})
		}, device.Failed, "connecting: device failed with code 99: [1mFirmwareerror" + string(bytes.Repeat([]byte("x"), 82))},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				d, client := open(t)
				d.Frame(c.reports)
				_, err := sign(t.Context(), client, d, payment(true, nil))
				requireFault(t, c.fault, c.text, err)
			})
		})
	}
}

// asking is a device that always returns the same message.
type asking struct{ m trezor.Message }

func (a asking) List(context.Context) ([]device.Info, error) { return []device.Info{{ID: "x"}}, nil }

func (a asking) Open(context.Context, string) (trezor.Link, error) { return a, nil }

func (a asking) Call(context.Context, trezor.Message) (trezor.Message, error) { return a.m, nil }

func (a asking) Tell(context.Context, trezor.Message) error { return nil }

func (a asking) Close() error { return nil }

func TestEndlessQuestions(t *testing.T) {
	person := &answers{pin: "1"}
	for _, kind := range []trezor.Kind{trezor.KindButtonRequest, trezor.KindPinMatrixRequest, trezor.KindPassphrase} {
		client := &trezor.Client{Port: asking{trezor.Message{Kind: kind}}}
		_, err := client.Identify(device.Prompt(t.Context(), person), "", 0)
		requireFault(t, device.InvalidAnswer, "connecting: device asked 200 times and did not answer", err)
	}
}

// scripted is a device that returns the given answers, regardless of the requests.
type scripted struct {
	asking
	answers []trezor.Message
}

func (s *scripted) Open(context.Context, string) (trezor.Link, error) { return s, nil }

func (s *scripted) Call(context.Context, trezor.Message) (trezor.Message, error) {
	if len(s.answers) == 0 {
		return trezor.Message{}, device.Failf(device.Unplugged, "gone")
	}
	m := s.answers[0]
	s.answers = s.answers[1:]
	return m, nil
}

// FuzzAnswers checks that any answers of a device result in a fault or in a signature of the
// requested data.
func FuzzAnswers(f *testing.F) {
	k := private(f, path)
	public := k.PublicKey()
	sent := payment(true, nil)
	s := k.Sign(sent.SigningHash())
	features := slices.Concat(value(2, 2), value(3, 9), value(12, 1))
	node := content(1, content(6, public[:]))
	f.Add(features, uint16(451), node, uint16(59), slices.Concat(content(3, s.R[:]), content(4, s.S[:])))
	f.Add(features, uint16(451), node, uint16(26), []byte{})
	f.Add(features, uint16(3), value(1, 4), uint16(59), value(1, 5))
	f.Fuzz(func(t *testing.T, a []byte, kindB uint16, b []byte, kindC uint16, c []byte) {
		port := &scripted{answers: []trezor.Message{{Kind: trezor.KindFeatures, Body: a}, {Kind: trezor.Kind(kindB), Body: b}, {Kind: trezor.Kind(kindC), Body: c}}}
		client := &trezor.Client{Port: port}
		var got key.Signature
		err := client.Ethereum(t.Context(), "", func(e *trezor.Ethereum) (err error) {
			got, err = e.SignTransaction(t.Context(), path, public, sent)
			return err
		})
		if err == nil {
			require.Equal(t, s, got)
			return
		}
		require.True(t, device.Is(err, device.Faults()...), err)
		require.Zero(t, got)
		require.Less(t, len(err.Error()), 400)
	})
}
