package trading_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/servertest"
	"obverse/core/number"
	"obverse/core/store/bunt"
	"obverse/core/swap"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/cosmos/wire"
)

// swapOf returns a running swap that pays an amount, given in any format.
func swapOf(t testing.TB, id, ticker, amount string) swap.Swap {
	t.Helper()
	s := swap.Swap{ID: id, Side: swap.Maker, Payment: swap.Payment{Coin: ticker, Fee: swap.Fee{Coin: ticker}}}
	require.NoError(t, json.Unmarshal([]byte(amount), &s.Payment.Amount))
	return s
}

func volumeOf(ticker string) string {
	return mmrpctest.Request("max_maker_vol", `{"coin":"`+ticker+`"}`)
}

func TestMaxMakerVolume(t *testing.T) {
	b := servertest.NewChainsBench(t)
	b.Priced(t, "MORTY", "5.49110027", "MORTY", "0", "0", "0.00000001")
	require.NoError(t, b.Ledger.Begin(t.Context(), swapOf(t, "1", "MORTY", `{"numer":"77802331","denom":"77700000"}`)))
	status, reply := b.Ask(t, volumeOf("MORTY"))
	require.Equal(t, 200, status)
	require.Equal(t, `{"mmrpc":"2.0","result":{"coin":"MORTY",`+
		`"volume":{"decimal":"4.489783268712998712998712998712998712998712998712998712998712998712998712998712998712998712998712999",`+
		`"rational":[[1,[963809003,81]],[1,[390588672,18]]],"fraction":{"numer":"348856159979","denom":"77700000000"}},`+
		`"balance":{"decimal":"5.49110027","rational":[[1,[549110027]],[1,[100000000]]],"fraction":{"numer":"549110027","denom":"100000000"}},`+
		`"locked_by_swaps":{"decimal":"1.001317001287001287001287001287001287001287001287001287001287001287001287001287001287001287001287001",`+
		`"rational":[[1,[77802331]],[1,[77700000]]],"fraction":{"numer":"77802331","denom":"77700000"}}},"id":5}`, reply)
}

func TestMaxMakerVolumeFailures(t *testing.T) {
	b := servertest.NewChainsBench(t)
	b.Priced(t, "POOR", "0.000727", "POOR", "0.000728", "0", "0.000001")
	b.Priced(t, "EXACT", "0.000729", "EXACT", "0.000728", "0", "0.000001")
	b.Priced(t, "LOCKED", "5", "LOCKED", "0.1", "0", "0.000001")
	servertest.BeginSwap(t, b.Ledger, "1", "LOCKED", "4.95", "0")
	b.Priced(t, "OVER", "5", "OVER", "0.1", "0", "0.000001")
	servertest.BeginSwap(t, b.Ledger, "2", "OVER", "7", "0")
	b.Priced(t, "TOKEN", "7", "BASE", "0.2", "0.19", "0.000001")
	b.Priced(t, "TOKEN2", "7", "BASE2", "0.2", "0.3", "0.000001")
	servertest.BeginSwap(t, b.Ledger, "3", "BASE2", "0.15", "0")
	b.Priced(t, "DUST", "0", "BASE", "0", "0", "0.000001")
	b.Add(t, &servertest.BareCoin{Symbol: "BARE"})
	b.Add(t, &servertest.PricedCoin{RichCoin: servertest.RichCoin{BareCoin: servertest.BareCoin{Symbol: "DOWN"}, Held: "1", Fails: fmt.Errorf("%w: url: timeout", coin.ErrTransport)}})
	b.Add(t, &servertest.PricedCoin{RichCoin: servertest.RichCoin{BareCoin: servertest.BareCoin{Symbol: "MUTE"}, Held: "1", Fails: nil}, Stuck: fmt.Errorf("%w: url: gone", coin.ErrTransport)})
	b.Add(t, &servertest.PricedCoin{RichCoin: servertest.RichCoin{BareCoin: servertest.BareCoin{Symbol: "HALTED"}, Held: "1", Fails: nil}, Stuck: &coin.RefusedError{Code: 5, Codespace: "bank", Log: "transfers are disabled"}})
	for _, c := range []struct {
		coin   string
		status int
		want   string
	}{
		{"POOR", 400, `"error":"Not enough POOR for swap: available 0.000727, required at least 0.000729, locked by swaps None",` +
			`"error_path":"volume","error_trace":"TRACE","error_type":"NotSufficientBalance","error_data":{"coin":"POOR","available":"0.000727","required":"0.000729"}`},
		{"EXACT", 200, `"volume":{"decimal":"0.000001"`},
		{"LOCKED", 400, `locked by swaps Some(BigDecimal(\"4.95\"))"`},
		{"LOCKED", 400, `"error_data":{"coin":"LOCKED","available":"0.05","required":"0.100001","locked_by_swaps":"4.95"}`},
		{"OVER", 400, `"error_data":{"coin":"OVER","available":"0","required":"0.100001","locked_by_swaps":"7"}`},
		{"TOKEN", 400, `"error":"Not enough base coin BASE balance for swap: available 0.19, required at least 0.2, locked by swaps None",` +
			`"error_path":"volume","error_trace":"TRACE","error_type":"NotSufficientBaseCoinBalance","error_data":{"coin":"BASE","available":"0.19","required":"0.2"}`},
		{"TOKEN2", 400, `"error_data":{"coin":"BASE2","available":"0.15","required":"0.2","locked_by_swaps":"0.15"}`},
		{"DUST", 400, `"error_data":{"coin":"DUST","available":"0","required":"0.000001"}`},
		{"TIME", 404, `"error":"No such coin TIME","error_path":"coin","error_trace":"TRACE","error_type":"NoSuchCoin","error_data":{"coin":"TIME"}`},
		{"BARE", 400, `"error_type":"InvalidRequest","error_data":"BARE cannot be offered in orders"`},
		{"DOWN", 500, `"error_type":"Transport","error_data":"the coin's nodes are unreachable: url: timeout"`},
		{"DOWN", 500, `"error":"Transport error: the coin's nodes are unreachable: url: timeout"`},
		{"MUTE", 500, `"error":"Transport error: the coin's nodes are unreachable: url: gone"`},
		{"HALTED", 400, `"error":"the chain refuses the transaction: transfers are disabled"`},
		{"HALTED", 400, `"error_type":"TransactionRefused","error_data":{"code":5,"codespace":"bank","log":"transfers are disabled"`},
	} {
		status, reply := b.Ask(t, volumeOf(c.coin))
		require.Equal(t, c.status, status, reply)
		require.Contains(t, mmrpctest.Untraced(reply), c.want)
	}
	status, reply := b.Ask(t, mmrpctest.Request("max_maker_vol", `{}`))
	require.Equal(t, 400, status)
	require.Contains(t, reply, "missing field `coin`")
}

// TestMaxMakerVolumeOfCosmos checks that a coin without swaps has a volume too: the balance
// minus the fee of a transfer.
func TestMaxMakerVolumeOfCosmos(t *testing.T) {
	b := servertest.NewChainsBench(t)
	_, reply := b.Ask(t, servertest.EnablingIris(`[{"ticker":"ATOM-IBC_IRIS"}]`, ``))
	require.Contains(t, reply, `"current_block"`)
	active, err := b.Active.Get("IRIS")
	require.NoError(t, err)
	cost, err := active.(coin.Estimator).SpendingCost(t.Context())
	require.NoError(t, err)
	require.Equal(t, "IRIS", cost.Fee.Coin)
	require.Positive(t, cost.Fee.Amount.Sign())
	require.Equal(t, "44.147264", cost.Funds.String())
	require.Equal(t, "0.000001", cost.MinAmount.String())
	status, reply := b.Ask(t, volumeOf("IRIS"))
	require.Equal(t, 200, status)
	var want []byte
	for name, value := range map[string]number.Rational{"balance": cost.Funds, "locked_by_swaps": number.Int(0), "volume": cost.Funds.Sub(cost.Fee.Amount)} {
		want, err = json.Marshal(value.Formats())
		require.NoError(t, err)
		require.JSONEq(t, string(want), mmrpctest.Member(t, reply, "result", name))
	}
	_, reply = b.Ask(t, volumeOf("ATOM-IBC_IRIS"))
	require.Contains(t, reply, `"volume":{"decimal":"0.028306",`, "another coin pays the fee")

	b.Iris.Give(servertest.IrisBob, "uiris", "100")
	_, reply = b.Ask(t, mmrpctest.Request("disable_coin", `{"coin":"IRIS","force_disable":true}`))
	require.Contains(t, reply, `"passivized":false`)
	_, reply = b.Ask(t, servertest.EnablingIris(`[{"ticker":"ATOM-IBC_IRIS"}]`, ``))
	require.Contains(t, reply, `"spendable":"0.0001"`)
	_, reply = b.Ask(t, volumeOf("IRIS"))
	require.Contains(t, reply, `"error_type":"NotSufficientBalance","error_data":{"coin":"IRIS","available":"0.0001","required":"`)
	_, reply = b.Ask(t, volumeOf("ATOM-IBC_IRIS"))
	require.Contains(t, reply, `"error_type":"NotSufficientBaseCoinBalance","error_data":{"coin":"IRIS","available":"0.0001","required":"`)
}

// TestThousandCallsAskTheNodesOnce checks that concurrent calls, and calls shortly afterwards,
// query the nodes only once.
func TestThousandCallsAskTheNodesOnce(t *testing.T) {
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	synctest.Test(t, func(t *testing.T) {
		b := servertest.OpenChainsBench(t, kv)
		b.Net.Set(servertest.IrisURL, nodetest.Late(100*time.Millisecond, nodetest.Well(b.Iris)))
		_, reply := b.Ask(t, servertest.EnablingIris(`[{"ticker":"ATOM-IBC_IRIS"}]`, `,"get_balances":false`))
		require.Contains(t, reply, `"current_block"`)
		counts := func() map[string]int {
			counts := map[string]int{}
			for _, what := range []string{wire.PathBalance, wire.PathSimulate, wire.PathAccount, "abci_query", "status", "abci_info"} {
				counts[what] = b.Iris.CallCount(what)
			}
			return counts
		}
		const calls = 1000
		round := func() {
			var group sync.WaitGroup
			for range calls / 4 {
				for _, body := range []string{
					mmrpctest.Request("my_balance", `{"coin":"IRIS"}`), mmrpctest.Request("my_balance", `{"coin":"ATOM-IBC_IRIS"}`), volumeOf("IRIS"), volumeOf("ATOM-IBC_IRIS"),
				} {
					group.Go(func() {
						status, reply := b.Serve(t.Context(), mmrpctest.Here, []byte(body))
						require.Equal(t, 200, status, "%s", reply)
						require.True(t, strings.Contains(string(reply), "44.147264") || strings.Contains(string(reply), "0.028306"), "%s", reply)
					})
				}
			}
			group.Wait()
		}
		before := counts()
		round()
		first := counts()
		require.Equal(t, 2, first[wire.PathBalance]-before[wire.PathBalance], "one for each denom")
		require.Equal(t, 2, first[wire.PathSimulate]-before[wire.PathSimulate], "one for each coin")
		require.LessOrEqual(t, first[wire.PathAccount]-before[wire.PathAccount], 2, "its kind, and its sequence for an estimate")
		require.LessOrEqual(t, first["status"]-before["status"], 1, "the newest block for an estimate")
		round()
		require.Equal(t, first, counts(), "what was just answered is not asked again")
		time.Sleep(3 * time.Second)
		round()
		later := counts()
		require.Equal(t, 2, later[wire.PathBalance]-first[wire.PathBalance], "balances are at most two seconds old")
		require.Equal(t, first[wire.PathSimulate], later[wire.PathSimulate], "fees last longer")
	})
}
