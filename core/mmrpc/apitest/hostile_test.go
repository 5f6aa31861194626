package apitest

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/signer/ledger"
	"obverse/core/wallet/signer/trezor"
	"obverse/core/wallet/signer/trezor/trezortest"
	"obverse/core/wallet/signer/walletconnect/wire"
)

// liar replaces the answers of a device to signing requests by an earlier signature, or by data
// that no device sends.
type liar struct {
	mu     sync.Mutex
	before []byte // first genuine signature
	change func(before, answer []byte) []byte
}

func (l *liar) answer(honest []byte) []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.before == nil {
		l.before = bytes.Clone(honest)
	}
	if l.change == nil {
		return honest
	}
	return l.change(l.before, honest)
}

func (l *liar) lie(change func(before, answer []byte) []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.change = change
}

// lies are replacements for a signature.
var lies = map[string]func(before, answer []byte) []byte{
	"signature of an earlier message": func(before, _ []byte) []byte { return before },
	"one bit":                         func(_, a []byte) []byte { a = bytes.Clone(a); a[len(a)/2] ^= 1; return a },
	"nothing":                         func(_, a []byte) []byte { return a[:0] },
	"too short":                       func(_, a []byte) []byte { return a[:len(a)-1] },
	"too long":                        func(_, a []byte) []byte { return append(bytes.Clone(a), 0) },
	"zeros":                           func(_, a []byte) []byte { return make([]byte, len(a)) },
	"ones":                            func(_, a []byte) []byte { return bytes.Repeat([]byte{0xff}, len(a)) },
	"a thousand bytes":                func(before, _ []byte) []byte { return bytes.Repeat(before, 15)[:900] },
}

// hostile checks that calls are refused, and nothing is sent, while a device returns false
// signatures, and that the same calls succeed before and afterwards.
func (x *deviceNode) hostile(l *liar, calls []string, sent func() int) {
	for _, call := range calls {
		method, params, _ := strings.Cut(call, " ")
		l.lie(nil)
		x.ok(method, params)
		count := sent()
		for name, change := range lies {
			l.lie(change)
			status, answer := x.call(method, strings.Replace(params, `"0.1"`, `"0.05"`, 1))
			require.Equal(x.t, 410, status, "%s %s: %v", name, call, answer)
			require.Equal(x.t, "HwError", answer["error_type"])
			kind := answer["error_data"].(map[string]any)["error_type"]
			require.Contains(x.t, []any{"InvalidSignature", "UnexpectedMessage"}, kind, name)
			require.Equal(x.t, count, sent(), name)
		}
		l.lie(nil)
		x.ok(method, params)
	}
}

func TestLedgerThatLies(t *testing.T) {
	x := newDeviceNode(t)
	cosmos, eth := enableOn(`"priv_key_policy":"HardwareWallet"`)
	for app, c := range map[string]struct {
		enable, params string
		signs          func(command []byte) bool
		calls          []string
		sent           func() int
	}{
		"Cosmos": {"enable_tendermint_with_assets", cosmos, func(c []byte) bool { return c[0] == 0x55 && c[1] == 2 && c[2] == 2 },
			[]string{`withdraw ` + sendAmount("ATOM", cosmosOnDevice)}, func() int { return len(x.hub.Sent()) }},
		"Ethereum": {"enable_eth_with_tokens", eth, func(c []byte) bool { return c[0] == 0xe0 && (c[1] == 4 || c[1] == 8) },
			[]string{`withdraw ` + sendAmount("ETH", somebodyOnEth)}, x.eth.Sent},
	} {
		l := &liar{}
		x.d.OpenApp(app)
		x.ok(c.enable, c.params)
		x.d.Tamper(func(command, answer []byte) []byte {
			if end := len(answer) - 2; c.signs(command) && end > 0 {
				return append(bytes.Clone(l.answer(answer[:end])), answer[end:]...)
			}
			return answer
		})
		x.hostile(l, c.calls, c.sent)
		x.d.Tamper(nil)
	}
}

// TestReportsThatLie checks that reports that are out of sequence, excessive or repeated make a
// call fail, while the next call succeeds.
func TestReportsThatLie(t *testing.T) {
	x := newDeviceNode(t)
	_, eth := enableOn(`"priv_key_policy":"HardwareWallet"`)
	x.d.OpenApp("Ethereum")
	x.ok("enable_eth_with_tokens", eth)
	call := sendAmount("ETH", somebodyOnEth)
	for name, reports := range map[string]func(channel uint16, answer []byte) [][]byte{
		"another sequence": func(channel uint16, answer []byte) [][]byte {
			all := ledger.Split(channel, append(answer, make([]byte, 100)...))
			all[1][4] = 7
			return all
		},
		"many": func(channel uint16, _ []byte) (all [][]byte) { // the maximum that the next call may find left over
			for range 250 {
				all = append(all, append([]byte{byte(channel >> 8), byte(channel), 5, 0, 0, 4, 0}, make([]byte, 57)...))
			}
			return all
		},
		"twice": func(channel uint16, answer []byte) [][]byte {
			return append(ledger.Split(channel, answer), ledger.Split(channel, answer)...)
		},
	} {
		x.d.Frame(reports)
		status, answer := x.call("withdraw", call)
		require.Equal(t, 410, status, "%s: %v", name, answer)
		require.Equal(t, "HwError", answer["error_type"], name)
		require.Zero(t, x.eth.Sent())
		x.d.Frame(nil)
	}
	x.ok("withdraw", call)
	require.Equal(t, 1, x.eth.Sent())
}

func TestTrezorThatLies(t *testing.T) {
	x, d := newTrezorNode(t, func(s *trezortest.Settings) { s.PIN, s.Passphrase = "", false })
	_, eth := enableOn(`"priv_key_policy":"HardwareWallet"`)
	x.ok("enable_eth_with_tokens", eth)
	l := &liar{}
	d.Tamper(func(_ trezor.Kind, m trezor.Message) trezor.Message {
		if m.Kind == trezor.KindEthereumTxRequest {
			m.Body = l.answer(m.Body)
		}
		return m
	})
	x.hostile(l, []string{`withdraw ` + sendAmount("ETH", somebodyOnEth)}, x.eth.Sent)
}

// sendAmount returns the parameters for sending a tenth of a coin.
func sendAmount(ticker, to string) string {
	return `{"coin":"` + ticker + `","to":"` + to + `","amount":"0.1","broadcast":true}`
}

// TestSessionThatLies checks that nothing is sent if a WalletConnect wallet answers with data
// that was not requested or is not a valid answer.
func TestSessionThatLies(t *testing.T) {
	p := newPaired(t, "")
	var mu sync.Mutex
	honest, before := p.wallet.Answer, map[string]any{}
	lie := ""
	p.wallet.Answer = func(q wire.Request) (any, *wire.Error) {
		answer, err := honest(q)
		mu.Lock()
		defer mu.Unlock()
		if before[q.Request.Method] == nil {
			before[q.Request.Method] = answer
		}
		switch lie {
		case "":
			return answer, err
		case "before":
			return before[q.Request.Method], nil
		}
		return json.RawMessage(lie), nil
	}
	set := func(to string) {
		mu.Lock()
		defer mu.Unlock()
		lie = to
	}
	topic, _ := p.connect(p.accounts(allMethods))
	p.do("enable_tendermint_with_assets", enableHub(spellings(topic)["data"]))
	p.do("enable_eth_with_tokens", enableEVM(spellings(topic)["data"]))
	calls := []string{`sign_message {"coin":"ATOM","message":"before"}`, `sign_message {"coin":"ETH","message":"before"}`, "withdraw " + sendHub, "withdraw " + sendByEVM}
	for _, call := range calls {
		method, params, _ := strings.Cut(call, " ")
		p.do(method, params)
	}
	sent := len(p.hub.Sent())
	signature := hex.EncodeToString(make([]byte, 64))
	for _, wrong := range []string{"before", "7", "true", `""`, `[]`, `{}`, `"0x"`, `"0x` + signature + `1b"`, `{"signature":{"signature":"` + signature + `"}}`,
		`{"signature":{"pub_key":{"value":"` + signature + `"},"signature":[1,2,3]},"signed":7}`, strings.Repeat("[", 5000) + strings.Repeat("]", 5000),
		`"` + strings.Repeat("A", 300<<10) + `"`} {
		set(wrong)
		for _, call := range calls {
			method, params, _ := strings.Cut(call, " ")
			status, answer := p.call(method, strings.NewReplacer(`"0.5"`, `"0.25"`, `"before"`, `"now"`).Replace(params))
			require.NotEqual(t, 200, status, "%.40s %s: %v", wrong, call, answer)
			require.Contains(t, []any{"WalletFailed", "SigningError"}, answer["error_type"], wrong)
			require.Less(t, len(answer["error"].(string)), 1000, "a wallet's words are cut")
		}
	}
	require.Len(t, p.hub.Sent(), sent)
	set("")
	p.do("sign_message", `{"coin":"ATOM","message":"now"}`)
}
