package dapp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/net/nodepool"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/signer/device"
)

func TestReadable(t *testing.T) {
	for text, want := range map[string]bool{
		"": true, "two\n\tlines\r\n": true, "Grüße 漢字 \u00a0": true, "👨\u200d👩\u200d👧 ✌️": true,
		"\xff": false, "\x00": false, "\x1b[2J": false, "\u202e": false, "\u2066": false, "\u200b": false, "\ufeff": false, "\u2028": false, "\u00ad": false, "\ue000": false, "\U000e0041": false,
		"a\U000e0100": false, "a\u034f": false, "\u3164": false, "a\u180b": false, "\u2800": false,
	} {
		require.Equal(t, want, Readable(text), "%q", text)
	}
	var d Description
	d.Show("a\u202eb", "\x1b")
	d.Show("\u3164", "b")
	require.Equal(t, []Line{{`"a\u202eb"`, `"\x1b"`}, {`"\u3164"`, "b"}}, d.Lines)
}

// TestWarn checks that warnings quote the text of a contract's refusal, which the contract
// chooses.
func TestWarn(t *testing.T) {
	var d Description
	d.Warn("it fails: a\u202eb")
	d.Warn("it fails: a\u202eb")
	d.Warn("plain, in\ntwo lines")
	require.Equal(t, []string{`"it fails: a\u202eb"`, "plain, in\ntwo lines"}, d.Warnings)
}

func TestErrorOf(t *testing.T) {
	for _, c := range []struct {
		err  error
		code int64
	}{
		{Invalid("x"), CodeInvalid},
		{fmt.Errorf("around: %w", OtherAccount("a", "b")), CodeUnauthorized},
		{&key.WalletError{Fault: key.WalletRefused}, CodeRejected},
		{&key.WalletError{Fault: key.WalletSwitched}, CodeUnauthorized},
		{&key.WalletError{Fault: key.WalletTimeout}, CodeInternal},
		{device.Failf(device.Rejected, "no"), CodeRejected},
		{device.Failf(device.Unexpected, "other keys"), CodeUnauthorized},
		{device.Failf(device.Locked, "locked"), CodeInternal},
		{fmt.Errorf("x: %w", key.ErrUnsupported), CodeUnsupported},
		{&coin.RefusedError{}, CodeRefused},
		{&coin.ShortageError{}, CodeRefused},
		{&coin.InvalidError{Reason: errors.New("x")}, CodeInvalid},
		{fmt.Errorf("x: %w", coin.ErrTransport), CodeDisconnected},
		{context.DeadlineExceeded, CodeDisconnected},
		{&nodepool.RPCError{Code: 3, Message: "reverted", Data: "0x"}, 3},
		{errors.New("x"), CodeInternal},
	} {
		got := ErrorOf(c.err)
		require.Equal(t, c.code, got.Code, c.err)
		require.NotEmpty(t, got.Message+"-", c.err)
	}
}

// broken is a coin with a wallet that panics.
type broken struct{}

func (broken) Ticker() string       { return "BAD" }
func (broken) Entry() *coin.Entry   { return nil }
func (broken) Policy() key.Policy   { return key.ContextPrivKey{} }
func (broken) Owner() account.Owner { return account.Owner{Address: "me"} }
func (b broken) DApps() Wallet      { return b }
func (broken) Chain() string        { return "bad:1" }

func (broken) Describe(_ context.Context, _ *Request, d *Description) error {
	for range MaxLines + 1 {
		d.Show("a", "b")
	}
	return nil
}
func (broken) Execute(context.Context, *Request) (any, error)          { panic("boom") }
func (broken) Read(context.Context, *Request) (json.RawMessage, error) { return nil, nil }

func TestFront(t *testing.T) {
	active, err := coin.Open(t.Context(), coin.Config{Store: bunttest.Memory(t)})
	require.NoError(t, err)
	claim, err := active.Begin(t.Context(), "BAD")
	require.NoError(t, err)
	require.NoError(t, claim.Commit(t.Context(), coin.Item{Coin: broken{}}))
	f := Front{active}
	answer := func(do string) string {
		return string(f.Answer(t.Context(), []byte(`{"do":"`+do+`","chain":"bad:1"}`)))
	}
	require.JSONEq(t, `{"result":[{"chain":"bad:1","coin":"BAD","address":"me","policy":"ContextPrivKey"}]}`, answer("accounts"))
	require.Contains(t, answer("execute"), `{"error":{"code":-32603,`)
	require.Contains(t, answer("describe"), "501 facts to show, limit is 500")
	require.JSONEq(t, `{"result":null}`, answer("read"))
	for request, want := range map[string]string{
		`5`: "the request has the wrong type: number", `[]`: "the request has the wrong type: array", `{"do":{}}`: "the request: do has the wrong type: object",
		`{"do":"read","chain":5}`: "the request: chain has the wrong type: number", `{`: "the request is invalid",
	} {
		require.JSONEq(t, `{"error":{"code":-32602,"message":"`+want+`"}}`, string(f.Answer(t.Context(), []byte(request))))
	}
	require.Contains(t, answer("sign"), "want accounts, describe, execute or read")
}
