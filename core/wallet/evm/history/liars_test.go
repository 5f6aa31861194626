package history

import (
	"context"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/store"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/coin"
	network "obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/nodetest"
	"obverse/core/wallet/evm/wire"
)

// signature is a valid signature. The address of its account follows from it.
var signature = [65]byte{31: 1, 63: 1}

// payments returns a payment of the coin and a payment of the token to the account.
func payments(t testing.TB) []wire.Transaction {
	return []wire.Transaction{{ChainID: 1, MaxFee: big.NewInt(1), Gas: 50_000, Value: big.NewInt(2e18), To: parse(t, addressText)},
		{ChainID: 1, MaxFee: big.NewInt(1), Gas: 50_000, Value: new(big.Int), To: parse(t, tokenText),
			Data: abi.Call(abi.Transfer, abi.Address(parse(t, addressText)), abi.Uint(big.NewInt(150)))}}
}

// lie changes the answers of nodes by replacing a match.
type lie struct{ matches, with string }

// load makes nodes of which some have a payment, and loads the history of an address from them
// for some time. Each letter is a node: "h" has the payment, or is a liar if the payment does
// not exist; "l" lacks it; "u" and "U" are like these without an index of transactions; "s"
// stopped long before the payment; "d" is down; "x" has it and lies.
func load(t *testing.T, kv store.KV, nodes string, paid wire.Transaction, addr address.Address, listed func(hash string) Lists, lies lie, after time.Duration) *Log {
	t.Helper()
	net := network.NewNet()
	c := node.Config{ChainID: 1, Block: 12 * time.Second, Fetcher: net, Now: time.Now}
	hash := wire.Hash(paid.Signed(signature))
	name := fmt.Sprintf("%x", hash)
	peers := make([]*nodetest.Node, len(nodes))
	for i := range nodes {
		peers[i] = nodetest.New(1, 100)
	}
	time.Sleep(time.Hour)
	for i, kind := range nodes {
		url := fmt.Sprintf("https://%c.example/", 'a'+i)
		c.Nodes = append(c.Nodes, nodepool.Node{URL: url})
		n := peers[i]
		is := n.Well
		switch kind {
		case 'h', 'x':
			n.Take(paid, signature)
		case 'u':
			n.Unindexed().Take(paid, signature)
		case 'U':
			n.Unindexed()
		}
		if kind != 's' {
			n.Mine().At(111)
		}
		if kind == 'x' {
			is = func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
				answer, err := n.Well(ctx, r)
				answer.Body = regexp.MustCompile(lies.matches).ReplaceAll(answer.Body, []byte(lies.with))
				return answer, err
			}
		}
		if kind != 'd' {
			net.Set(url, is)
		}
	}
	pool, err := node.New(c)
	require.NoError(t, err)
	config := Config{Store: kv, Source: Nodes{pool, time.Now}, Chain: 1, Address: addr, Now: time.Now,
		Contracts: func() []address.Address { return []address.Address{parse(t, tokenText)} }}
	if listed != nil {
		config.Indexer = listed(name)
	}
	l := New(config)
	if addr != parse(t, addressText) {
		require.NoError(t, l.Sent(t.Context(), hash, paid.Nonce))
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- l.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-ended })
	time.Sleep(after)
	synctest.Wait()
	return l
}

const long = 5 * time.Minute // longer than the time after which a single server is believed while the others are silent

// indexed returns an indexer that lists a transaction.
func indexed(hash string) Lists { return &index{hashes: []string{hash}} }

// TestIncomingOfLiars checks that a payment reported by one server is listed only if most
// servers that can know it have it.
func TestIncomingOfLiars(t *testing.T) {
	for _, c := range []struct {
		nodes   string
		after   time.Duration
		listed  bool
		doubted bool // whether the list reports that transactions may be missing
	}{
		{"h", time.Minute, true, false},
		{"hhh", time.Minute, true, false},
		{"hl", long, false, true},
		{"hll", long, false, true},
		{"lhl", long, false, true},
		{"hllhl", long, false, true},
		{"hUU", long, false, true},
		{"huu", time.Minute, true, false},
		{"hs", time.Minute, true, false},
		{"hss", long, false, true}, // the height of the chain does not change
		{"hhs", time.Minute, true, false},
		{"hd", time.Minute, false, true},
		{"hd", long, true, false},
		{"hhd", time.Minute, true, false},
	} {
		for i, paid := range payments(t) {
			for _, indexer := range []func(string) Lists{indexed, nil} {
				if i == 0 && indexer == nil { // nodes do not list payments of the coin
					continue
				}
				t.Run(fmt.Sprint(c.nodes, c.after, i, indexer == nil), func(t *testing.T) {
					kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
					synctest.Test(t, func(t *testing.T) {
						l := load(t, kv, c.nodes, paid, parse(t, addressText), indexer, lie{}, c.after)
						require.Equal(t, c.after == long || c.nodes != "hd", l.Status().State == coin.SyncFinished, l.Status().Message)
						want := []string(nil)
						if c.listed {
							want = []string{"101 " + []string{"StandardTransfer 2", "TokenTransfer 1.5"}[i]}
						}
						require.Equal(t, want, rows(t, l, views[i]))
						require.Equal(t, c.doubted, slices.Contains(reasonsOf(t, l, views[i]), coin.GapNoAnswer))
					})
				})
			}
		}
	}
}

// TestPaymentsChangedByLiars checks that a liar neither changes an existing payment nor
// prevents its listing.
func TestPaymentsChangedByLiars(t *testing.T) {
	for i, paid := range payments(t) {
		want := []string{"101 StandardTransfer 2", "101 TokenTransfer 1.5"}[i : i+1]
		for _, l := range []lie{
			{`"value":"0x[0-9a-f]*"`, `"value":"0x56bc75e2d63100000"`}, {`"data":"0x[0-9a-f]*"`, `"data":"0x` + fmt.Sprintf("%064x", 99999) + `"`},
			{`"status":"0x1"`, `"status":"0x0"`}, {`"logs":\[[^]]+\][^]]*\]`, `"logs":[]`}, {`"blockNumber":"0x65"`, `"blockNumber":"0x66"`},
			{`"hash":"0x[0-9a-f]*","timestamp"`, fmt.Sprintf(`"hash":"0x%064x","timestamp"`, 7)}, {`"transactions":\[[^]]*\]`, `"transactions":[]`},
			{`"effectiveGasPrice":"0x1"`, `"effectiveGasPrice":"0xffffffffffff"`},
		} {
			t.Run(fmt.Sprint(i, l), func(t *testing.T) {
				for _, nodes := range []string{"xhh", "hxh", "hhx", "xhxhh"} {
					kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
					synctest.Test(t, func(t *testing.T) {
						log := load(t, kv, nodes, paid, parse(t, addressText), indexed, l, time.Minute)
						require.Equal(t, coin.SyncFinished, log.Status().State, log.Status().Message)
						require.Equal(t, want, rows(t, log, views[i]), nodes)
						h, err := log.History(t.Context(), views[i], coin.HistoryQuery{Limit: 1, Page: 1})
						require.NoError(t, err)
						require.Equal(t, "0.000000000000021", h.Transactions[0].Fee.Amount.String())
					})
				}
			})
		}
	}
}

// TestPaymentsLeftOut checks that a node that omits new payments does not hide them.
func TestPaymentsLeftOut(t *testing.T) {
	for _, nodes := range []string{"xh", "hx", "xhh"} {
		kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
		synctest.Test(t, func(t *testing.T) {
			none := lie{`\[\{"transactionHash"[^]]*\]`, "[]"}
			log := load(t, kv, nodes, payments(t)[1], parse(t, addressText), nil, none, time.Minute)
			require.Equal(t, []string{"101 TokenTransfer 1.5"}, rows(t, log, views[1]), nodes)
		})
	}
}

// TestFailedByOneNode checks that a transaction that the account sent is listed as most nodes
// have it. It is listed as failed, or as having moved nothing, only if most nodes report so.
func TestFailedByOneNode(t *testing.T) {
	paid := payments(t)[1]
	raw, err := wire.Decode(paid.Signed(signature))
	require.NoError(t, err)
	failed := lie{`"status":"0x1",("gasUsed":"0x5208",)"logs":\[[^]]+\][^]]*\]`, `"status":"0x0",$1"logs":[]`}
	nothing := lie{`"logs":\[[^]]+\][^]]*\]`, `"logs":[]`}
	for _, c := range []struct {
		nodes string
		lie   lie
		coin  string
		token string
	}{
		{"xhh", failed, "-0.000000000000021", "101 TokenTransfer -1.5"},
		{"xhh", nothing, "-0.000000000000021", "101 TokenTransfer -1.5"},
		{"xh", failed, "", ""},
		{"xd", failed, "", ""},
		{"xd", nothing, "", ""},
		{"x", failed, "-0.000000000000021", ""},
		{"xxh", failed, "-0.000000000000021", ""},
		{"x", nothing, "-0.000000000000021", "101 FeeForTokenTx 0"},
		{"xhx", nothing, "-0.000000000000021", "101 FeeForTokenTx 0"},
	} {
		t.Run(fmt.Sprint(c.nodes, c.lie), func(t *testing.T) {
			kv := bunttest.Memory(t) // opened outside the bubble because buntdb has a goroutine
			synctest.Test(t, func(t *testing.T) {
				l := load(t, kv, c.nodes, paid, raw.From, nil, c.lie, time.Minute)
				for i, want := range []string{c.coin, c.token} {
					if i == 0 && want != "" {
						want = "101 FeeForTokenTx " + want
					}
					got := strings.Join(rows(t, l, views[i]), ",")
					require.Equal(t, want, got)
				}
			})
		})
	}
}
