package e2e

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"obverse/core/number"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/native/test/anvil"
	"obverse/native/test/contracts"
)

// pastTx is a row of my_tx_history.
type pastTx struct {
	Hash   string `json:"tx_hash"`
	ID     string `json:"internal_id"`
	Change string `json:"my_balance_change"`
	Spent  string `json:"spent_by_me"`
	Height uint64 `json:"block_height"`
	Time   int64  `json:"timestamp"`
	From   []string
	To     []string
	Fee    struct {
		Total string `json:"total_fee"`
		Gas   uint64
		Price string `json:"gas_price"`
	} `json:"fee_details"`
	Type json.RawMessage `json:"transaction_type"`
}

type past struct {
	Transactions []pastTx
	Total        int
	Pages        int                    `json:"total_pages"`
	Sync         struct{ State string } `json:"sync_status"`
}

// past returns a page.
func (c *callee) past(coin, paging string) (p past) {
	c.t.Helper()
	require.NoError(c.t, json.Unmarshal(c.succeeds("my_tx_history", `{"coin":"`+coin+`","limit":100,"paging_options":`+paging+`}`), &p))
	return p
}

// whole returns all pages once the history is loaded and has a number of rows.
func (c *callee) whole(coin string, rows int) (all []pastTx) {
	c.t.Helper()
	require.EventuallyWithT(c.t, func(t *assert.CollectT) {
		p := c.past(coin, `{"PageNumber":1}`)
		assert.Equal(t, "Finished", p.Sync.State)
		assert.Equal(t, rows, p.Total)
	}, 2*time.Minute, 200*time.Millisecond, coin)
	for page := 1; len(all) < rows; page++ {
		p := c.past(coin, fmt.Sprintf(`{"PageNumber":%d}`, page))
		require.NotEmpty(c.t, p.Transactions)
		all = append(all, p.Transactions...)
	}
	return all
}

// does sends a transaction of an account for which the network has the key, or which it
// impersonates.
func does(n *anvil.Network, from, to string, wei int64, data []byte) {
	tx := map[string]any{"from": from, "to": to, "value": fmt.Sprintf("0x%x", wei), "gas": "0x30d40"}
	if len(data) > 0 {
		tx["data"] = "0x" + hex.EncodeToString(data)
	}
	n.Ask("eth_sendTransaction", tx)
}

// storyOf sends 500 transactions from account, and some more from others. failed is the number of
// failed transactions of the account.
func storyOf(t *testing.T, n *anvil.Network, account, token string) (failed int) {
	t.Helper()
	n.Ask("anvil_impersonateAccount", account)
	parsed := func(text string) address.Address {
		a, err := address.Parse(text)
		require.NoError(t, err)
		return a
	}
	const other = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	move := func(to string, units int64) []byte {
		return abi.Call(abi.Transfer, abi.Address(parsed(to)), abi.Uint(big.NewInt(units)))
	}
	for i := range int64(500) {
		switch i % 5 {
		case 0:
			does(n, account, other, 1000+i, nil)
		case 1:
			does(n, anvil.Rich, account, 2000+i, nil)
		case 2:
			does(n, account, token, 0, move(other, 10+i))
		case 3:
			does(n, anvil.Rich, token, 0, move(account, 20+i))
		default:
			if i%25 == 4 {
				does(n, account, token, 0, move(other, 1<<60)) // more than its balance
				failed++
			} else {
				does(n, account, account, 5, nil)
			}
		}
		if i%10 == 0 {
			does(n, anvil.Rich, other, 1, nil)
		}
	}
	for _, sender := range []string{account, anvil.Rich} {
		count := func(block string) string { return string(n.Ask("eth_getTransactionCount", sender, block)) }
		// The network makes a block after its response, and drops pending transactions of an
		// account that it no longer impersonates.
		require.Eventually(t, func() bool { return count("latest") == count("pending") }, time.Minute, 20*time.Millisecond, sender)
	}
	n.Ask("anvil_stopImpersonatingAccount", account)
	return failed
}

func rationalOf(t *testing.T, text string) number.Rational {
	t.Helper()
	r, err := number.ParseRational(text)
	require.NoError(t, err)
	return r
}

// sumOf returns the sum of the changes in rows.
func sumOf(t *testing.T, rows []pastTx) number.Rational {
	t.Helper()
	sum := number.Int(0)
	for _, row := range rows {
		sum = sum.Add(rationalOf(t, row.Change))
	}
	return sum
}

// checkRow compares a row with the transaction in the chain.
func checkRow(t *testing.T, n *anvil.Network, row pastTx) {
	t.Helper()
	var r struct{ BlockNumber, GasUsed, EffectiveGasPrice string }
	require.NoError(t, json.Unmarshal(n.Ask("eth_getTransactionReceipt", "0x"+row.Hash), &r))
	require.Equal(t, hexInt(t, r.BlockNumber), row.Height)
	var block struct{ Timestamp string }
	require.NoError(t, json.Unmarshal(n.Ask("eth_getBlockByNumber", r.BlockNumber, false), &block))
	require.EqualValues(t, hexInt(t, block.Timestamp), row.Time)
	fee := new(big.Int).Mul(new(big.Int).SetUint64(hexInt(t, r.GasUsed)), new(big.Int).SetUint64(hexInt(t, r.EffectiveGasPrice)))
	require.Equal(t, number.Scaled(fee, 18).String(), row.Fee.Total)
	require.Equal(t, hexInt(t, r.GasUsed), row.Fee.Gas)
}

// TestEthereumHistory compares the history of 500 transactions with the chain: the history of the
// coin from an indexer, the history of the tokens from the nodes alone, and both after a block was
// replaced.
func TestEthereumHistory(t *testing.T) {
	t.Parallel()
	account, _ := ethAddress(t)
	n := anvil.Start(t, 1)
	token := n.Deploy(contracts.Token20, 6)
	n.Do(token, "mint(address,uint256)", account, 50_000_000)
	n.Do(token, "mint(address,uint256)", anvil.Rich, 50_000_000)
	start := new(big.Int).Mul(big.NewInt(1000), big.NewInt(1e18))
	n.Give(account, start)
	failed := storyOf(t, n, account, token)
	scout := blockscout(t, n, account)

	l := newLaunch(t)
	l.coins(t, `[{"coin":"SIX-ERC20","mm2":1,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"`+token+`"}}}]`)
	c := l.callee(t)
	enabling := strings.TrimSuffix(enablingEth(`[{"ticker":"SIX-ERC20"}]`, n.URL), "}")
	kind, _ := c.refuses("enable_eth_with_tokens", enabling+`,"tx_history":true,"history_indexer":{"type":"Blockscout","url":"ftp://x"}}`)
	require.Equal(t, "InvalidRequest", kind)
	c.succeeds("enable_eth_with_tokens", enabling+`,"tx_history":true,"history_indexer":{"type":"Blockscout","url":"`+scout.URL+`"}}`)

	coins := c.whole("ETH", 400) // 100 sent, 100 received, 100 sent with tokens, 100 failed or sent to the same address
	var balance string
	require.NoError(t, json.Unmarshal(n.Ask("eth_getBalance", account, "latest"), &balance))
	wei, _ := new(big.Int).SetString(balance[2:], 16)
	require.Equal(t, number.Scaled(wei, 18).String(), number.Scaled(start, 18).Add(sumOf(t, coins)).String())
	fees := 0
	for i, row := range coins {
		if string(row.Type) == `"FeeForTokenTx"` {
			fees++
		}
		require.Equal(t, row.Hash, row.ID)
		if i%7 == 0 {
			checkRow(t, n, row)
		}
	}
	require.Equal(t, 100+failed, fees)
	tokens := c.whole("SIX-ERC20", 201) // includes the mint
	held := new(big.Int)
	held.SetString(callView(t, n, token, abi.BalanceOf, abi.Address(mustAddress(t, account)))[2:], 16)
	require.Equal(t, number.Scaled(held, 6).String(), sumOf(t, tokens).String())
	for i, row := range tokens {
		require.JSONEq(t, `{"TokenTransfer":"`+strings.ToLower(token[2:])+`"}`, string(row.Type))
		if i%7 == 0 {
			checkRow(t, n, row)
		}
	}
	after := c.past("ETH", `{"FromId":"`+coins[99].ID+`"}`)
	require.Equal(t, coins[100].ID, after.Transactions[0].ID)
	older := c.olderHistory("ETH", coins[99].ID)
	require.Equal(t, coins[100].ID, older.Transactions[0].ID)

	// Only the nodes report tokens, and transactions that this node sent.
	c.succeeds("disable_coin", `{"coin":"ETH","force_disable":true}`)
	fresh := newLaunch(t)
	fresh.coins(t, `[{"coin":"SIX-ERC20","mm2":1,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"`+token+`"}}}]`)
	d := fresh.callee(t)
	d.succeeds("enable_eth_with_tokens", enabling+`,"tx_history":true}`)
	alone := d.whole("SIX-ERC20", 201)
	require.Equal(t, tokens, alone)
	require.Equal(t, 100, d.past("ETH", `{"PageNumber":1}`).Total, "what the transfers cost")
	before := text(t, n.Ask("evm_snapshot"))
	sent := string(d.succeeds("withdraw", `{"coin":"ETH","to":"`+anvil.Rich+`","amount":"0.5","broadcast":true}`))
	mine := d.whole("ETH", 101)
	require.Contains(t, sent, mine[0].Hash)
	require.Equal(t, "-0.5", rationalOf(t, mine[0].Change).Add(rationalOf(t, mine[0].Fee.Total)).String())

	// Another block replaces the block with the transactions.
	n.Ask("evm_revert", before)
	n.Mine(1)
	d.kill()
	d = fresh.callee(t)
	d.enabled(2)
	require.NotContains(t, d.whole("ETH", 100)[0].Hash, mine[0].Hash)
	require.Equal(t, tokens, d.whole("SIX-ERC20", 201))
	for _, one := range []*callee{c, d} {
		code, _ := one.stop()
		require.Zero(t, code)
	}
}

func mustAddress(t *testing.T, text string) address.Address {
	t.Helper()
	a, err := address.Parse(text)
	require.NoError(t, err)
	return a
}

// olderHistory returns a page in the format for older clients.
func (c *callee) olderHistory(coin, after string) (p past) {
	c.t.Helper()
	a := c.Call(false, []byte(`{"userpass":"`+rpcPassword+`","method":"my_tx_history","coin":"`+coin+`","limit":100,"from_id":"`+after+`"}`))
	require.Equal(c.t, 200, a.Status, string(a.Body))
	var result struct{ Result past }
	require.NoError(c.t, json.Unmarshal(a.Body, &result))
	return result.Result
}
