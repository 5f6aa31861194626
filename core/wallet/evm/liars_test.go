package evm

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/coin"
	network "obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/nodetest"
	"obverse/core/wallet/evm/tx"
	"obverse/core/wallet/evm/wire"
)

// fiveNodes is a network that executes an account's transactions in the order of their nonces.
// All honest nodes have the same data.
type fiveNodes struct {
	mu       sync.Mutex
	base     *nodetest.Node // answers that do not depend on transactions
	latest   uint64
	waiting  map[uint64][]byte
	executed map[string]bool // by hash
	logs     string          // of executed transactions, as JSON; "" means none
	order    [][]byte
}

func newFiveNodes(base *nodetest.Node, latest uint64) *fiveNodes {
	return &fiveNodes{base: base, latest: latest, waiting: map[uint64][]byte{}, executed: map[string]bool{}}
}

// pending returns the transaction count, including pending transactions up to the first gap.
func (l *fiveNodes) pending() uint64 {
	n := l.latest
	for l.waiting[n] != nil {
		n++
	}
	return n
}

func nameOf(raw []byte) string {
	hash := wire.Hash(raw)
	return "0x" + hex.EncodeToString(hash[:])
}

// take returns the response of a node to a transaction.
func (l *fiveNodes) take(raw []byte) (result, refusal string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	sent, err := wire.Decode(raw)
	before := l.waiting[sent.Nonce]
	switch {
	case err != nil:
		return "", `{"code":-32602,"message":"invalid transaction"}`
	case sent.Nonce < l.latest:
		return "", `{"code":-32000,"message":"nonce too low"}`
	case before != nil && nameOf(before) == nameOf(raw):
		return "", `{"code":-32000,"message":"already known"}`
	case before != nil:
		other, _ := wire.Decode(before)
		if sent.MaxFee.Cmp(new(big.Int).Div(new(big.Int).Mul(other.MaxFee, big.NewInt(11)), big.NewInt(10))) < 0 {
			return "", `{"code":-32000,"message":"replacement transaction underpriced"}`
		}
	}
	l.waiting[sent.Nonce] = raw
	return `"` + nameOf(raw) + `"`, ""
}

// mine executes transactions in order.
func (l *fiveNodes) mine() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for l.waiting[l.latest] != nil {
		raw := l.waiting[l.latest]
		l.order, l.executed[nameOf(raw)] = append(l.order, raw), true
		delete(l.waiting, l.latest)
		l.latest++
	}
}

func (l *fiveNodes) knows(name string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, raw := range l.waiting {
		if nameOf(raw) == name {
			return true
		}
	}
	return l.executed[name]
}

// paid returns the number of executed transactions with a receiver and an amount.
func (l *fiveNodes) paid(to string, wei *big.Int) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, raw := range l.order {
		if sent, err := wire.Decode(raw); err == nil && sent.To != nil && sent.To.String() == to && sent.Value.Cmp(wei) == 0 {
			n++
		}
	}
	return n
}

// call is a call to a node.
type call struct {
	ID     json.RawMessage
	Method string
	Params []json.RawMessage
}

func (a call) text(i int) (s string) {
	_ = json.Unmarshal(a.Params[i], &s) // only strings are requested
	return s
}

// answer returns the response of an honest node.
func (l *fiveNodes) answer(a call) (result, refusal string) {
	switch a.Method {
	case "eth_getTransactionCount":
		l.mu.Lock()
		defer l.mu.Unlock()
		n := l.latest
		if a.text(1) == "pending" {
			n = l.pending()
		}
		return fmt.Sprintf(`"0x%x"`, n), ""
	case "eth_sendRawTransaction":
		raw, _ := hex.DecodeString(a.text(0)[2:])
		return l.take(raw)
	case "eth_getTransactionByHash":
		if l.knows(a.text(0)) {
			return fmt.Sprintf(`{"hash":%q,"blockNumber":null}`, a.text(0)), ""
		}
		return "null", ""
	case "eth_getTransactionReceipt":
		l.mu.Lock()
		defer l.mu.Unlock()
		if l.executed[a.text(0)] {
			return fmt.Sprintf(`{"transactionHash":%q,"blockNumber":"0x5f","status":"0x1","logs":[%s]}`, a.text(0), l.logs), ""
		}
		return "null", ""
	}
	one, _ := json.Marshal(map[string]any{"jsonrpc": "2.0", "id": 1, "method": a.Method, "params": a.Params})
	var answer struct{ Result, Error json.RawMessage }
	_ = json.Unmarshal(l.base.Answer(one), &answer) // the answer is valid JSON
	return string(answer.Result), string(answer.Error)
}

// lie changes the response of a node. If lies is false, the node responds like an honest one.
type lie func(a call) (result, refusal string, lies bool)

// liar is a node that records the transactions that it receives.
type liar struct {
	lie      lie
	mu       sync.Mutex
	received [][]byte
}

// serve returns a node, which lies if x is not nil.
func (l *fiveNodes) serve(x *liar, delay time.Duration) network.Behaviour {
	return func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
		select {
		case <-time.After(delay):
		case <-ctx.Done():
			return fetch.Response{}, ctx.Err()
		}
		var list []call
		batch := json.Unmarshal(r.Body, &list) == nil
		if !batch {
			list = make([]call, 1)
			if err := json.Unmarshal(r.Body, &list[0]); err != nil {
				return fetch.Response{}, err
			}
		}
		var answers []string
		for _, a := range list {
			member, text := "result", ""
			result, refusal := "", ""
			lies := false
			if x != nil {
				result, refusal, lies = x.answer(a)
			}
			if !lies {
				result, refusal = l.answer(a)
			}
			if text = result; refusal != "" {
				member, text = "error", refusal
			}
			answers = append(answers, fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,%q:%s}`, a.ID, member, text))
		}
		body := strings.Join(answers, ",")
		if batch {
			body = "[" + body + "]"
		}
		return fetch.Response{Status: 200, ContentType: "application/json", Body: []byte(body)}, nil
	}
}

func (x *liar) answer(a call) (result, refusal string, lies bool) {
	if a.Method == "eth_sendRawTransaction" {
		raw, _ := hex.DecodeString(a.text(0)[2:])
		x.mu.Lock()
		defer x.mu.Unlock()
		x.received = append(x.received, raw)
	}
	return x.lie(a)
}

// says returns a lie about one method.
func says(method, result string) lie {
	return func(a call) (string, string, bool) { return result, "", a.Method == method }
}

func fails(method, message string) lie {
	return func(a call) (string, string, bool) {
		return "", fmt.Sprintf(`{"code":-32000,"message":%q}`, message), a.Method == method
	}
}

// counts returns a lie about the number of transactions of an account, in blocks and including
// pending ones. "" means the truth.
func counts(latest, pending string) lie {
	return func(a call) (string, string, bool) {
		if a.Method != "eth_getTransactionCount" {
			return "", "", false
		}
		result := latest
		if a.text(1) == "pending" {
			result = pending
		}
		return result, "", result != ""
	}
}

// returned encodes a number as contracts return it.
func returned(n int64) string { return fmt.Sprintf(`"0x%064x"`, n) }

// returns returns a lie about the result of a contract's function.
func returns(selector string, n int64) lie {
	return func(a call) (string, string, bool) {
		return returned(n), "", a.Method == "eth_call" && strings.Contains(string(a.Params[0]), `"0x`+selector)
	}
}

// refusing returns a lie that also refuses transactions.
func (f lie) refusing() lie {
	return func(a call) (string, string, bool) {
		if result, refusal, lies := f(a); lies {
			return result, refusal, true
		}
		return fails("eth_sendRawTransaction", "insufficient funds for gas * price + value")(a)
	}
}

// numbers holds the values on which a transaction of an EVM network depends, each with a lie
// about it. Every new value must be added.
var numbers = []struct {
	name string
	lie  lie
}{
	{"nonce, one ahead", counts(`"0x6"`, `"0x6"`)},
	{"nonce, one ahead among those that wait", counts("", `"0x6"`)},
	{"nonce, far ahead", counts(`"0x4000000000000000"`, `"0x4000000000000000"`)},
	{"nonce, behind", counts(`"0x0"`, `"0x0"`)},
	{"nonce of blocks ahead", counts(`"0x6"`, "")},
	{"no pending count", func(a call) (string, string, bool) {
		return "", `{"code":-32000,"message":"pending state is not available"}`, a.Method == "eth_getTransactionCount" && a.text(1) == "pending"
	}},
	{"no nonce", fails("eth_getTransactionCount", "missing trie node")},
	{"chain id", says("eth_chainId", `"0x89"`)},
	{"height, far ahead", says("eth_blockNumber", `"0x10000000000"`)},
	{"height, behind", says("eth_blockNumber", `"0x1"`)},
	{"balance of nothing", says("eth_getBalance", `"0x0"`)},
	{"balance of too much", says("eth_getBalance", `"0xffffffffffffffffffffff"`)},
	{"balance of tokens of nothing", returns("70a08231", 0)},
	{"decimals, more", returns("313ce567", 8)},
	{"decimals, none", returns("313ce567", 0)},
	{"gas price, high", says("eth_gasPrice", `"0x2386f26fc10000"`)},
	{"gas price of nothing", says("eth_gasPrice", `"0x0"`)},
	{"base fee, high", says("eth_feeHistory", `{"baseFeePerGas":["0x2386f26fc10000","0x2386f26fc10000"],"reward":[["0x1","0x1","0x1"]]}`)},
	{"base fee, low", says("eth_feeHistory", `{"baseFeePerGas":["0x1","0x1"],"reward":[["0x5f5e100","0x5f5e100","0x5f5e100"]]}`)},
	{"no base fee", says("eth_feeHistory", `{}`)},
	{"tips, high", says("eth_feeHistory", `{"baseFeePerGas":["0x3b9aca00","0x3b9aca00"],"reward":[["0x2386f26fc10000","0x2386f26fc10000","0x2386f26fc10000"]]}`)},
	{"suggested tip, high", says("eth_maxPriorityFeePerGas", `"0x2386f26fc10000"`)},
	{"gas, high", says("eth_estimateGas", `"0xffffffff"`)},
	{"gas, low", says("eth_estimateGas", `"0x1"`)},
	{"gas of a failing transaction", fails("eth_estimateGas", "execution reverted")},
	{"simulation that fails", func(a call) (string, string, bool) {
		return "", `{"code":3,"message":"execution reverted"}`, a.Method == "eth_call" && strings.Contains(string(a.Params[0]), `"from"`)
	}},
	{"simulation that returns false", returns("a9059cbb", 0)},
	{"data fee", returns("f1c7a58b", 1_000_000_000_000_000_000)},
	{"transaction known", func(a call) (string, string, bool) {
		if a.Method != "eth_getTransactionByHash" {
			return "", "", false
		}
		return fmt.Sprintf(`{"hash":%q,"blockNumber":null}`, a.text(0)), "", true
	}},
	{"transaction unknown", says("eth_getTransactionByHash", "null")},
	{"hash of the transaction", says("eth_sendRawTransaction", `"0x`+strings.Repeat("11", 32)+`"`)},
	{"transaction known before it is sent", fails("eth_sendRawTransaction", "already known")},
	{"transaction with a nonce too low", fails("eth_sendRawTransaction", "nonce too low")},
}

// shapes returns all positions of two liars among five nodes.
func shapes() (all [][2]int) {
	for i := range 5 {
		for j := range i {
			all = append(all, [2]int{j, i})
		}
	}
	return all
}

// five returns five nodes, of which two lie in the same way, with a wallet that uses them.
func five(t *testing.T, b *bench, lies lie, places [2]int, honest, lying time.Duration, nonce uint64) (*fiveNodes, []*liar) {
	t.Helper()
	l := newFiveNodes(b.eth, nonce)
	var liars []*liar
	p := eth("SIX-ERC20")
	p.Nodes = nil
	for i := range 5 {
		var x *liar
		delay := honest
		if slices.Contains(places[:], i) {
			x, delay = &liar{lie: lies}, lying
			liars = append(liars, x)
		}
		url := fmt.Sprintf("https://node%d.example/", i)
		b.net.Set(url, l.serve(x, delay))
		p.Nodes = append(p.Nodes, at(url)...)
	}
	_, err := b.Activate(t.Context(), p)
	require.NoError(t, err)
	return l, liars
}

// TestTwoLiarsOfFive checks that two liars of five nodes neither cause a double payment nor
// prevent a payment, regardless of their order and speed, and of whether they refuse
// transactions.
func TestTwoLiarsOfFive(t *testing.T) {
	const half = "500000000000000000"
	wei, _ := new(big.Int).SetString(half, 10)
	for _, n := range numbers {
		for mode, f := range map[string]lie{"": n.lie, ", refusing": n.lie.refusing()} {
			if testing.Short() && mode == "" {
				continue
			}
			t.Run(n.name+mode, func(t *testing.T) {
				for i, shape := range shapes() {
					kv := bunttest.Memory(t)
					synctest.Test(t, func(t *testing.T) {
						b := openBench(t, kv)
						b.Queue = coin.OpenSendQueue(time.Now, kv)
						honest, lying := time.Duration(0), time.Duration(0)
						switch i % 3 {
						case 1:
							honest = 7 * time.Second
						case 2:
							lying = 7 * time.Second
						}
						l, liars := five(t, b, f, shape, honest, lying, 5)
						order := coin.WithdrawRequest{To: payee, Amount: rational(t, "0.5"), Send: true}
						_, err := get[*Platform](t, b, "ETH").Withdraw(t.Context(), order)
						require.NoError(t, err, "%s: %v", n.name, shape)
						_, err = get[*Token](t, b, "SIX-ERC20").Withdraw(t.Context(), coin.WithdrawRequest{To: payee, Amount: rational(t, "0.25"), Send: true})
						require.NoError(t, err, "%s: %v", n.name, shape)
						for _, raw := range l.waiting {
							sent, err := wire.Decode(raw)
							require.NoError(t, err)
							require.Equal(t, []int64{2_100_000_000, 100_000_000}, []int64{sent.MaxFee.Int64(), sent.Tip.Int64()}, "%s: %v", n.name, shape)
							require.Contains(t, []uint64{21_000, 26_250}, sent.Gas, "%s: %v", n.name, shape)
						}
						require.EqualValues(t, 6, get[*Token](t, b, "SIX-ERC20").txAsset().Decimals)
						time.Sleep(time.Minute)
						l.mine()
						require.EqualValues(t, 7, l.latest, "%s: %v: honest nodes have both", n.name, shape)
						for _, x := range liars {
							for _, raw := range x.received {
								l.take(raw)
							}
						}
						l.mine()
						require.Equal(t, 1, l.paid(payee, wei), "%s: %v", n.name, shape)
						require.EqualValues(t, 7, l.latest, "%s: %v", n.name, shape)
					})
				}
			})
		}
	}
}

// TestLiarWithTwoURLs checks that a liar with two URLs has one vote, so that it determines
// neither the decimals of a token nor the nonce.
func TestLiarWithTwoURLs(t *testing.T) {
	lies := func(a call) (string, string, bool) {
		if result, refusal, lies := counts(`"0x6"`, `"0x6"`)(a); lies {
			return result, refusal, lies
		}
		return returns("313ce567", 8)(a)
	}
	for _, second := range []string{"https://LIAR.example/", "https://liar.example:443/", "https://liar.example/other", "https://liar.example./"} {
		b := newBench(t)
		b.Queue = coin.NewSendQueue(time.Now)
		l := newFiveNodes(b.eth, 5)
		p := eth("SIX-ERC20")
		p.Nodes = at("https://liar.example/", second, "https://good.example/")
		for i, n := range p.Nodes {
			x := &liar{lie: lies}
			if i == 2 {
				x = nil
			}
			b.net.Set(n.URL, l.serve(x, 0))
		}
		done, err := b.Activate(t.Context(), p)
		require.NoError(t, err)
		require.Len(t, done.Failed, 1, "%s: %v", second, b.active())
		require.ErrorContains(t, done.Failed[0].Err, "nodes do not agree on its decimals", second)
		_, err = get[*Platform](t, b, "ETH").Withdraw(t.Context(), coin.WithdrawRequest{To: payee, Amount: rational(t, "0.5"), Send: true})
		require.NoError(t, err, second)
		require.NotNil(t, l.waiting[5], second)
	}
}

// TestLiarAlone checks that a single server, while the others limit requests, causes neither a
// report of a failed or replaced transaction, nor a double payment after an unclear outcome.
func TestLiarAlone(t *testing.T) {
	ahead := counts(`"0x6"`, `"0x6"`)
	for name, lies := range map[string]lie{
		"failed": func(a call) (string, string, bool) {
			if a.Method == "eth_getTransactionReceipt" {
				return receipt(0x5f, "0x0")(a)
			}
			return ahead(a)
		},
		"replaced": func(a call) (string, string, bool) {
			if a.Method == "eth_getTransactionReceipt" || a.Method == "eth_getTransactionByHash" {
				return "null", "", true
			}
			return ahead(a)
		},
	} {
		for _, unclear := range []bool{false, true} {
			t.Run(fmt.Sprint(name, ", unclear ", unclear), func(t *testing.T) {
				kv := bunttest.Memory(t)
				synctest.Test(t, func(t *testing.T) {
					b := openBench(t, kv)
					b.Queue = coin.OpenSendQueue(time.Now, kv)
					l, urls := newFiveNodes(b.eth, 5), []string{"https://liar.example/", "https://b.example/", "https://c.example/"}
					serve := func(behaviours ...network.Behaviour) {
						for i, is := range behaviours {
							b.net.Set(urls[i], is)
						}
					}
					honest := l.serve(nil, 0)
					serve(honest, honest, honest)
					p := eth()
					p.Nodes = at(urls...)
					_, err := b.Activate(t.Context(), p)
					require.NoError(t, err)
					platform := get[*Platform](t, b, "ETH")
					x := &liar{lie: lies}
					if unclear {
						drops := l.serve(&liar{lie: says("eth_sendRawTransaction", "null")}, 0)
						keeps := &liar{lie: func(a call) (string, string, bool) { return "null", "", a.Method == "eth_sendRawTransaction" }}
						x = keeps
						serve(l.serve(keeps, 0), drops, drops)
					}
					order := coin.WithdrawRequest{To: payee, Amount: rational(t, "0.5"), Send: true}
					done, err := platform.Withdraw(t.Context(), order)
					require.Equal(t, unclear, err != nil, err)
					time.Sleep(5 * time.Minute)
					alone := &liar{lie: lies}
					serve(l.serve(alone, 0), network.Busy(300), network.Busy(300))
					ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
					defer cancel()
					_, err = platform.Await(ctx, done.Raw, 1)
					require.ErrorIs(t, err, context.DeadlineExceeded)
					if unclear { // the user tries again
						_, err = platform.Withdraw(t.Context(), order)
						require.NoError(t, err)
					}
					for _, raw := range append(x.received, alone.received...) {
						_, _ = l.take(raw)
					}
					l.mine()
					wei, _ := new(big.Int).SetString("500000000000000000", 10)
					require.Equal(t, 1, l.paid(payee, wei))
				})
			})
		}
	}
}

// receipt returns a lie about the result of a transaction.
func receipt(block int, status string) lie {
	return func(a call) (string, string, bool) {
		return fmt.Sprintf(`{"transactionHash":%q,"blockNumber":"0x%x","status":%q}`, a.text(0), block, status), "", a.Method == "eth_getTransactionReceipt"
	}
}

// TestTwoLiarsOfFiveAwait checks that two liars of five nodes neither cause a false report of
// failure or confirmation, nor prevent a report of confirmation, nor add confirmations.
func TestTwoLiarsOfFiveAwait(t *testing.T) {
	for name, lies := range map[string]lie{
		"failed": receipt(0x5f, "0x0"), "failed long ago": receipt(1, "0x0"), "confirmed long ago": receipt(1, "0x1"), "confirmed in a later block": receipt(0x60, "0x1"),
		"in no block": says("eth_getTransactionReceipt", "null"), "more blocks": says("eth_blockNumber", `"0x6e"`), "no blocks": says("eth_blockNumber", `"0x1"`),
		"unknown": says("eth_getTransactionByHash", "null"), "another has its nonce": counts(`"0x7"`, `"0x7"`),
	} {
		t.Run(name, func(t *testing.T) {
			for _, shape := range shapes() {
				kv := bunttest.Memory(t)
				synctest.Test(t, func(t *testing.T) {
					b := openBench(t, kv)
					l, _ := five(t, b, lies, shape, 0, 0, 5)
					platform := get[*Platform](t, b, "ETH")
					done, err := platform.Withdraw(t.Context(), coin.WithdrawRequest{To: payee, Amount: rational(t, "0.5"), Send: true})
					require.NoError(t, err)
					await := func(confirmations uint64) (coin.Confirmed, error) {
						ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
						defer cancel()
						return platform.Await(ctx, done.Raw, confirmations)
					}
					_, err = await(1)
					require.ErrorIs(t, err, context.DeadlineExceeded, shape)
					l.mine()
					where, err := await(6)
					require.NoError(t, err, shape)
					require.Equal(t, coin.Confirmed{Height: 95, Confirmations: 6}, where, shape)
					_, err = await(7)
					require.ErrorIs(t, err, context.DeadlineExceeded, shape)
				})
			}
		})
	}
}

// transferLog is an event of a token transfer from the wallet's address.
func transferLog() string {
	return fmt.Sprintf(`{"address":%q,"topics":["0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef","0x%064s","0x%064s"],"data":"0x%064x"}`,
		strings.ToLower(sixAt), strings.ToLower(walletAddress[2:]), strings.ToLower(payee[2:]), 250_000)
}

// TestTwoLiarsOfFiveMoved checks that a token payment that succeeded without a transfer is
// reported as such, and that two liars of five nodes can neither fake nor hide this.
func TestTwoLiarsOfFiveMoved(t *testing.T) {
	for name, c := range map[string]struct{ honest, lying string }{"no logs": {transferLog(), ""}, "logs": {"", transferLog()}} {
		lies := func(a call) (string, string, bool) {
			if a.Method != "eth_getTransactionReceipt" {
				return "", "", false
			}
			return fmt.Sprintf(`{"transactionHash":%q,"blockNumber":"0x5f","status":"0x1","logs":[%s]}`, a.text(0), c.lying), "", true
		}
		t.Run(name, func(t *testing.T) {
			for _, shape := range shapes() {
				kv := bunttest.Memory(t)
				synctest.Test(t, func(t *testing.T) {
					b := openBench(t, kv)
					l, _ := five(t, b, lies, shape, 0, 0, 5)
					l.logs = c.honest
					token := get[*Token](t, b, "SIX-ERC20")
					done, err := token.Withdraw(t.Context(), coin.WithdrawRequest{To: payee, Amount: rational(t, "0.25"), Send: true})
					require.NoError(t, err)
					l.mine()
					where, err := token.Await(t.Context(), done.Raw, 1)
					if c.honest != "" {
						require.NoError(t, err, shape)
						require.EqualValues(t, 95, where.Height)
						return
					}
					require.ErrorContains(t, err, "the transaction failed in block 95: the contract of the token logged no transfer from the account", shape)
				})
			}
		})
	}
}

// Two liars of five nodes neither prevent NFTs from being sent, nor choose their number, nor change
// the metadata of a token.
func TestTwoLiarsOfFiveContracts(t *testing.T) {
	contract, err := address.Parse(sixAt)
	require.NoError(t, err)
	for name, lies := range map[string]lie{
		"another owner": returns("6352211e", 77), "fewer": returns("00fdd58e", 1), "more": returns("00fdd58e", 1000), "none": returns("00fdd58e", 0),
		"another allowance": returns("dd62ed3e", 0), "no code": says("eth_getCode", `"0x"`), "code": says("eth_getCode", `"0x6001"`), "another symbol": returns("95d89b41", 0x4142),
		"no contract": says("eth_call", `"0x"`), "all revert": fails("eth_call", "execution reverted"),
	} {
		t.Run(name, func(t *testing.T) {
			for _, shape := range shapes() {
				kv := bunttest.Memory(t)
				synctest.Test(t, func(t *testing.T) {
					b := openBench(t, kv)
					b.eth.SetOwner(sixAt, walletAddress).GiveToken(sixAt, walletAddress, "9").Allow(sixAt, "500000").Name(sixAt, append([]byte("SIX"), make([]byte, 29)...))
					l, _ := five(t, b, lies, shape, 0, 0, 5)
					platform, token := get[*Platform](t, b, "ETH"), get[*Token](t, b, "SIX-ERC20")
					for _, n := range []tx.NFT{{Contract: contract, ID: big.NewInt(1)}, {Contract: contract, ID: big.NewInt(1), ERC1155: true}} {
						_, err := platform.WithdrawNFT(t.Context(), n, coin.WithdrawRequest{To: payee, Send: true})
						require.NoError(t, err, shape)
					}
					whole, err := wire.Decode(l.waiting[6])
					require.NoError(t, err)
					words, is := abi.ReadCall(whole.Data[:4+5*32], abi.SafeTransferMultiple, 5)
					require.True(t, is)
					require.EqualValues(t, 9, words[3].Uint().Int64(), shape)
					allowed, err := token.Allowance(t.Context(), swaps)
					require.NoError(t, err)
					require.Equal(t, "0.5", allowed.String(), shape)
					info, err := platform.TokenInfo(t.Context(), sixAt)
					require.NoError(t, err)
					require.Equal(t, TokenInfo{"SIX", 6}, info, shape)
					for account, want := range map[string]bool{sixAt: true, payee: false} {
						is, err := platform.IsContract(t.Context(), account)
						require.NoError(t, err)
						require.Equal(t, want, is, shape)
					}
				})
			}
		})
	}
}

// Two liars of five nodes neither make unused addresses of an HD wallet known, nor hide a used one.
func TestTwoLiarsOfFiveAddresses(t *testing.T) {
	for name, lies := range map[string]lie{
		"coins": says("eth_getBalance", `"0x5"`), "no coins": says("eth_getBalance", `"0x0"`), "tokens": returns("70a08231", 5),
		"sent": says("eth_getTransactionCount", `"0x5"`), "a broken token": fails("eth_call", "execution reverted"), "refuses": fails("eth_getBalance", "no"),
	} {
		for _, shape := range shapes() {
			kv := bunttest.Memory(t)
			synctest.Test(t, func(t *testing.T) {
				b := openBench(t, kv)
				five(t, b, lies, shape, 0, 0, 0)
				platform, token := get[*Platform](t, b, "ETH"), get[*Token](t, b, "SIX-ERC20")
				addresses := []string{payee, walletAddress}
				for i := range 30 { // more than one batch
					addresses = append(addresses, fmt.Sprintf("0x%040x", 0x10000+i))
				}
				used, err := platform.Used(t.Context(), addresses, []any{platform.ChainAsset, token.ChainAsset})
				require.NoError(t, err, "%s: %v", name, shape)
				require.Len(t, used, len(addresses))
				for i, is := range used {
					require.Equal(t, i == 1, is, "%s: %v: %d", name, shape, i)
				}
			})
		}
	}
}
