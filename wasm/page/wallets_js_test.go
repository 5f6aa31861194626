package main

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/wasm/jsval"
)

// loadWithWallet is like load, with a wallet of the page: a JavaScript function (client, text) =>
// answer.
func loadWithWallet(t *testing.T, wallet string) *program {
	p := load(t)
	f, err := jsval.Global().Call("eval", "("+wallet+")")
	require.NoError(t, err)
	require.NoError(t, p.host.object.Set("wallet", f))
	return p
}

func TestAskingWallets(t *testing.T) {
	for _, c := range []struct {
		name, wallet, answer string
		fault                key.WalletFault
		text                 string
	}{
		{"a promise", `async (client, text) => client + text`, `7{"do":"key"}`, "", ""},
		{"at once", `(client, text) => "yes"`, "yes", "", ""},
		{"a kind", `async () => { throw Object.assign(new Error("Keplr: no"), {kind: "WalletRefused"}) }`, "", key.WalletRefused, "Keplr: no"},
		{"thrown", `() => { throw Object.assign(new Error("closed"), {kind: "WalletGone"}) }`, "", key.WalletGone, "closed"},
		{"no kind", `async () => { throw new Error("boom") }`, "", key.WalletFailed, "boom"},
		{"no error", `() => Promise.reject("boom")`, "", key.WalletFailed, "boom"},
		{"no text", `async () => ({})`, "", key.WalletFailed, "it is object and not a string"},
		{"nothing", `async () => {}`, "", key.WalletFailed, "it is undefined and not a string"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := loadWithWallet(t, c.wallet).host.wallets()
			answer, err := w.Ask(calledBy(t.Context(), jsval.ValueOf(7)), []byte(`{"do":"key"}`))
			if c.fault == "" {
				require.NoError(t, err)
				require.Equal(t, c.answer, string(answer))
				return
			}
			var fault *key.WalletError
			require.ErrorAs(t, err, &fault)
			require.Equal(t, c.fault, fault.Fault)
			require.ErrorContains(t, err, c.text)
		})
	}
	require.Nil(t, load(t).host.wallets(), "a host without pages")
	never := loadWithWallet(t, `() => new Promise(() => {})`).host.wallets()
	var fault *key.WalletError
	for _, client := range []jsval.Value{{}, jsval.ValueOf("7"), jsval.ValueOf(0.5)} {
		_, err := never.Ask(calledBy(t.Context(), client), nil)
		require.ErrorAs(t, err, &fault)
		require.Equal(t, key.WalletGone, fault.Fault, "no client called")
	}
	ctx, cancel := context.WithCancel(calledBy(t.Context(), jsval.ValueOf(7)))
	cancel()
	_, err := never.Ask(ctx, nil)
	require.ErrorIs(t, err, context.Canceled)
}

const enableByWallet = `{"ticker":"ATOM","tokens_params":[],"nodes":[{"url":"http://127.0.0.1:1"}],"priv_key_policy":"BrowserWallet"}`

// A call uses the wallet of its client, in both ways to call.
func TestCallsReachTheirWallet(t *testing.T) {
	p := loadWithWallet(t, `async (client, text) => { throw new Error("client " + client + " was asked " + JSON.parse(text).do) }`)
	require.NoError(t, p.begin(configOf(t, nil)))
	status, body := p.reply(p.call(args("enable_tendermint_with_assets", enableByWallet, 9007199254740991)))
	require.Equal(t, 502, status, body)
	require.Contains(t, body, `"error":"client 9007199254740991 was asked key"`)
	require.Contains(t, body, `"error_type":"WalletFailed"`)
	request := `{"userpass":"` + password + `","mmrpc":"2.0","method":"enable_tendermint_with_assets","params":` + enableByWallet + `}`
	_, body = p.reply(p.rpc(args(request, 8)))
	require.Contains(t, body, `"error":"client 8 was asked key"`)
	_, body = p.reply(p.rpc(args("["+request+"]", 9)))
	require.Contains(t, body, `"error":"client 9 was asked key"`)
	_, body = p.reply(p.call(args("task::enable_tendermint::init", enableByWallet, 10)))
	require.Contains(t, body, `"task_id":1`)
	for strings.Contains(body, "task_id") || strings.Contains(body, "InProgress") {
		time.Sleep(time.Millisecond) // time for the page to respond
		_, body = p.reply(p.call(args("task::enable_tendermint::status", `{"task_id":1,"forget_if_finished":false}`)))
	}
	require.Contains(t, body, `"error":"client 10 was asked key"`, "a task works for the client that began it")
	for _, do := range []func() (any, error){
		func() (any, error) { return p.call(args("enable_tendermint_with_assets", enableByWallet)) },
		func() (any, error) { return p.rpc(args(request)) },
	} {
		status, body = p.reply(do())
		require.Equal(t, 410, status)
		require.Contains(t, body, `"error_type":"WalletGone"`)
	}
	_, err := p.stop(nil)
	require.NoError(t, err)

	bare := run(t, nil)
	status, body = bare.reply(bare.call(args("enable_tendermint_with_assets", enableByWallet, 7)))
	require.Equal(t, 500, status)
	require.Contains(t, body, `"error_type":"PrivKeyNotAllowed"`)
}

// waiting returns a program with a call that waits for a wallet.
func waiting(t *testing.T) (p *program, answered chan string) {
	p = loadWithWallet(t, `function () { this.calls.push(["asked"]); return new Promise(() => {}) }`)
	require.NoError(t, p.begin(configOf(t, nil)))
	answered = make(chan string, 1)
	go func() {
		_, body := p.reply(p.call(args("enable_tendermint_with_assets", enableByWallet, 7)))
		answered <- body
	}()
	p.until(`["asked"]`)
	return p, answered
}

// A call that waits for a user does not prevent clients from leaving or from replacing the data.
func TestWaitingCallsReleaseSlots(t *testing.T) {
	p, answered := waiting(t)
	_, err := p.stop(nil)
	require.NoError(t, err)
	require.NotContains(t, <-answered, `"result"`)

	from := run(t, nil)
	from.mine()
	data := export(t, from)
	p, answered = waiting(t)
	_, err = p.bridge.load(args(data))
	require.NoError(t, err)
	require.NotContains(t, <-answered, `"result"`)
	require.Contains(t, p.count(), `"result":2`)
	_, err = p.stop(nil)
	require.NoError(t, err)
	_, err = p.bridge.load(args(data))
	requireKind(t, kindStopped, err)
	left, err := filepath.Glob(p.path + "*")
	require.NoError(t, err)
	require.Len(t, left, 1, strings.Join(left, " "))
}

func TestPageURL(t *testing.T) {
	require.Empty(t, pageURL(), "a program outside pages")
	for origin, want := range map[string]string{"https://wallet.example:8443": "https://wallet.example:8443", "http://127.0.0.1:7783": "http://127.0.0.1:7783",
		"null": "", "file://": "", "chrome-extension://abcdefgh": ""} {
		require.NoError(t, jsval.Global().Set("location", map[string]any{"origin": origin}))
		require.Equal(t, want, pageURL())
	}
	require.NoError(t, jsval.Global().Set("location", jsval.Null()))
}
