package daemon_test

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

type holdersPage struct {
	Result, TokenID, BlockHash, Next string
	Height, Count                    int
	Holders                          []struct {
		Address, PubKey string
		Balance         int
	}
}

// coinOf is an entry of listunspent.
type coinOf struct {
	TxID   string
	Vout   int
	Amount float64
}

// spread creates a token with an output to each of K1 to K3, and returns its id.
func (s *station) spread(t *testing.T, amounts ...int64) string {
	t.Helper()
	p, key, height := s.Manager.Params(), chaintest.Key(t, 1), result[int](s, "getblockcount")+1
	var large coinOf
	for _, c := range result[[]coinOf](s, "listunspent") {
		if c.Amount > large.Amount {
			large = c
		}
	}
	from := []chaintest.Coin{chaintest.Output(s.transaction(wireHash(t, large.TxID)), large.Vout)}
	var total int64
	outs := chaintest.Creation(key, "MANY", 1, 0)[:1]
	for i, amount := range amounts {
		outs = append(outs, chaintest.Pay(chaintest.Key(t, i+1).Tokens(), amount))
		total += amount
	}
	outs = append(outs, chaintest.Pay(key.PubKey(), from[0].Value-total-20_000), chaintest.Creation(key, "MANY", 1, 0)[3])
	tx := chaintest.Spend(p, height, from, outs...)
	id := result[string](s, "sendrawtransaction", hex.EncodeToString(chaintest.Sign(t, tx, p.BranchID(height), from, key).Encode()), true)
	result[[]string](s, "generate", 1)
	return id
}

func TestTokenHolders(t *testing.T) {
	s, _ := newTokenStation(t)
	id := s.spread(t, 500, 300, 200)
	tip := result[string](s, "getbestblockhash")
	all := result[holdersPage](s, "tokenholders", id)
	require.Equal(t, "success", all.Result)
	require.Equal(t, []any{id, tip, 4, 3, ""}, []any{all.TokenID, all.BlockHash, all.Height, all.Count, all.Next})
	want := map[string]int{}
	for i, amount := range []int{500, 300, 200} {
		want[chaintest.Key(t, i+1).TokenAddress().Text().String()] = amount
	}
	got := map[string]int{}
	for _, h := range all.Holders {
		got[h.Address] = h.Balance
		if h.Address == chaintest.Key(t, 1).TokenAddress().Text().String() {
			require.Equal(t, k1, h.PubKey)
		} else {
			require.Empty(t, h.PubKey, "a creation names the creator only")
		}
	}
	require.Equal(t, want, got)

	after := ""
	for i := range all.Holders {
		page := result[holdersPage](s, "tokenholders", id, after, 1)
		require.Equal(t, all.Holders[i:i+1], page.Holders)
		require.Equal(t, 3, page.Count)
		require.Equal(t, i < 2, page.Next != "", "the last page says that it is")
		after = page.Next
	}
	last := all.Holders[2].Address
	require.Contains(t, s.ask("tokenholders", id, last, 1), `"holders":[]}`)

	// A pending transfer does not count. In a block it reveals the key of the sender.
	s.send("tokentransfer", id, k2, "500")
	require.Equal(t, all, result[holdersPage](s, "tokenholders", id))
	result[[]string](s, "generate", 1)
	now := result[holdersPage](s, "tokenholders", id)
	require.Equal(t, 2, now.Count)
	for _, h := range now.Holders {
		if h.Balance == 800 {
			require.Equal(t, k2, h.PubKey)
		} else {
			require.Empty(t, h.PubKey)
		}
	}

	for want, params := range map[string][]any{
		"limit must be a whole number from 1 to 10000, got 0":     {id, "", 0},
		"limit must be a whole number from 1 to 10000, got 10001": {id, "", 10_001},
		`after must be an address or empty, got \"x\"`:            {id, "x"},
	} {
		require.Contains(t, s.ask("tokenholders", params...), `"code":-8,"message":"`+want)
	}
	s.refusedWith(t, "invalid tokenid", "tokenholders", "x")
	s.refusedWith(t, "cant find tokenid", "tokenholders", strings.Repeat("ab", 32))
	s.refusedWith(t, "tokenid isnt token creation txid", "tokenholders", result[map[string]any](s, "getblock", "1")["tx"].([]any)[0])
	s.refusedWith(t, "the transaction is still in mempool", "tokenholders", s.send("tokencreate", "WAITS", "1"))
}

type txsPage struct {
	Result, TokenID, Next string
	Height                int
	Transactions          []struct {
		TxID   string
		Height int
		Time   int64
		Amount int
	}
}

func TestTokenTransactions(t *testing.T) {
	s, id := newTokenStation(t)
	ids, amounts := []string{id}, []int{1000}
	for i := range 4 {
		ids, amounts = append(ids, s.send("tokentransfer", id, k2, fmt.Sprint(i+1))), append(amounts, i+1)
		if i%2 == 1 {
			result[[]string](s, "generate", 1)
		}
	}
	toSelf := s.send("tokentransfer", id, k1, "7")
	result[[]string](s, "generate", 1)
	check := func(want []string, amounts []int, sign int, params ...any) {
		t.Helper()
		page := result[txsPage](s, "tokentransactions", append([]any{id}, params...)...)
		require.Equal(t, []string{"success", id, ""}, []string{page.Result, page.TokenID, page.Next})
		require.Len(t, page.Transactions, len(want))
		for i, tx := range page.Transactions {
			require.Equal(t, want[i], tx.TxID)
			require.Equal(t, sign*amounts[i], tx.Amount)
			require.EqualValues(t, result[map[string]any](s, "getrawtransaction", tx.TxID, 1)["height"], tx.Height)
			require.NotZero(t, tx.Time)
		}
	}
	all, moved := append(ids[:5:5], toSelf), append(amounts[:5:5], 0)
	check(all, moved, 1)
	check(ids[1:], amounts[1:], 1, k2)
	check(ids[1:], amounts[1:], 1, chaintest.Key(t, 2).Address().Text().String())
	check(ids[1:], amounts[1:], 1, chaintest.Key(t, 2).TokenAddress().Text().String())
	self := result[txsPage](s, "tokentransactions", id, k1)
	require.Len(t, self.Transactions, 6)
	require.Equal(t, []int{1000, -1, 0}, []int{self.Transactions[0].Amount, self.Transactions[1].Amount, self.Transactions[5].Amount})
	check(nil, nil, 1, chaintest.Key(t, 3).Address().Text().String()) // no transaction reveals its key
	check(all[3:], moved[3:], 1, "", "5")
	check(all[3:], moved[3:], 1, "", all[2])
	after := ""
	for i := range all {
		page := result[txsPage](s, "tokentransactions", id, "", after, 1)
		require.Equal(t, all[i], page.Transactions[0].TxID)
		require.Equal(t, i < 5, page.Next != "")
		after = page.Next
	}
	for want, params := range map[string][]any{
		"limit must be a whole number from 1 to 1000, got 1001":                                {id, "", "", 1001},
		`after must be a txid of 64 hexadecimal digits, a height or empty, got \"-1\"`:         {id, "", "-1"},
		"after: no transaction of this chain has the id " + strings.Repeat("0", 63) + "1":      {id, "", strings.Repeat("0", 63) + "1"},
		`after must be a txid of 64 hexadecimal digits, a height or empty, got \"4294967296\"`: {id, "", "4294967296"},
	} {
		require.Contains(t, s.ask("tokentransactions", params...), `"code":-8,"message":"`+want)
	}
	require.Contains(t, s.ask("tokentransactions", id, "zz"), "invalid pubkey")
	s.refusedWith(t, "cant find tokenid", "tokentransactions", strings.Repeat("ab", 32))
}

// TestTokenListDetails checks the details in a page of tokens.
func TestTokenListDetails(t *testing.T) {
	s, id := newTokenStation(t)
	many := s.spread(t, 1, 2, 3)
	nft := s.send("tokencreate", "ONE", "0.00000001", "of a kind", "f101")
	result[[]string](s, "generate", 1)
	type listed struct {
		TokenID, Owner, Name, Supply, Description, Data string
		Height, Holders                                 int
	}
	want := map[string]listed{
		id:   {id, k1, "TOK", "0.00001000", "a token", "", 3, 1},
		many: {many, k1, "MANY", "0.00000006", "", "", 4, 3},
		nft:  {nft, k1, "ONE", "0.00000001", "of a kind", "f101", 5, 1},
	}
	for i, id := range result[[]string](s, "tokenlist") {
		after := ""
		if i > 0 {
			after = result[[]string](s, "tokenlist")[i-1]
		}
		require.Equal(t, []listed{want[id]}, result[[]listed](s, "tokenlist", after, 1, true))
		require.Equal(t, []string{id}, result[[]string](s, "tokenlist", after, 1, false))
	}
	require.Len(t, result[[]listed](s, "tokenlist", "", 1000, true), 3)
	require.Contains(t, s.ask("tokenlist", "", 1001, true), "limit must be a whole number from 1 to 1000, got 1001")
	require.Len(t, result[holdersPage](s, "tokenholders", nft).Holders, 1)
}

// TestTokenListNames checks that a page of tokens is valid UTF-8 and JSON, whatever their names.
func TestTokenListNames(t *testing.T) {
	s, _ := newTokenStation(t)
	key, p := chaintest.Key(t, 1), s.Manager.Params()
	type listed struct{ Name, NameHex, Description, DescriptionHex string }
	want := map[string]listed{
		"\xff\xfe\x80":       {Name: "\uFFFD", NameHex: "fffe80"},
		"a\xc3\x28\xe2\x82b": {Name: "a\uFFFD(\uFFFDb", NameHex: "61c328e28262"},
		"a\x00b\u2028\"\\":   {Name: "a\x00b\u2028\"\\"},
		"\uFFFD":             {Name: "\uFFFD"},
	}
	for name := range want {
		paid := result[string](s, "sendtoaddress", key.Address().Text().String(), "1")
		from := []chaintest.Coin{chaintest.Output(s.transaction(wireHash(t, paid)), 0)}
		if from[0].Value != 100_000_000 {
			from[0] = chaintest.Output(s.transaction(wireHash(t, paid)), 1)
		}
		height := result[int](s, "getblockcount") + 1
		tx := chaintest.Spend(p, height, from, chaintest.Creation(key, name, 5, 90_000_000)...)
		result[string](s, "sendrawtransaction", hex.EncodeToString(chaintest.Sign(t, tx, p.BranchID(height), from, key).Encode()), true)
		result[[]string](s, "generate", 1)
	}
	require.True(t, utf8.ValidString(s.ask("tokenlist", "", 100, true)))
	page := result[[]listed](s, "tokenlist", "", 100, true)
	for name, one := range want {
		require.Contains(t, page, one, "%q", name)
	}
	require.Len(t, page, len(want)+1)
}

// TestAddressesForKeys checks that an address is accepted instead of a public key, if the
// wallet has its key or a transaction has revealed it.
func TestAddressesForKeys(t *testing.T) {
	s, id := newTokenStation(t)
	self, other := chaintest.Key(t, 1), chaintest.Key(t, 2)
	built := func(dest string) *wire.Tx {
		raw, err := hex.DecodeString(result[map[string]string](s, "tokentransfer", id, dest, "5")["hex"])
		require.NoError(t, err)
		tx, err := wire.DecodeTx(raw)
		require.NoError(t, err)
		return tx
	}
	for _, a := range []string{self.Address().Text().String(), self.TokenAddress().Text().String()} {
		require.Equal(t, self.Tokens(), built(a).Outputs[0].Script)
	}
	if s.Ring != nil { // a further key of the wallet, which no transaction shows
		fresh := result[string](s, "getnewaddress")
		address, err := script.ParseAddress(fresh)
		require.NoError(t, err)
		held, ok := s.Ring.Key(address.Hash)
		require.True(t, ok)
		require.Equal(t, token.Script([]byte{token.Eval}, token.Key(held.Public)), built(fresh).Outputs[0].Script)
	}
	unknown := other.Address().Text().String()
	for _, call := range [][]any{{"tokentransfer", id, unknown, "5"}, {"tokenbalance", id, unknown}} {
		reply := result[map[string]string](s, call[0].(string), call[1:]...)
		require.Equal(t, "error", reply["result"])
		require.Equal(t, `invalid pubkey "`+unknown+`": tokens are sent to a public key, and no transaction of this chain shows the one of this address; `+
			`ask its owner for it, whose node shows it in getinfo as pubkey`, reply["error"])
	}
	s.send("tokentransfer", id, k2, "5")
	result[[]string](s, "generate", 1)
	for _, a := range []string{unknown, other.TokenAddress().Text().String()} {
		require.Equal(t, other.Tokens(), built(a).Outputs[0].Script)
		require.Equal(t, 5, s.tokens(id, a))
	}
	require.Regexp(t, "^invalid pubkey ", result[map[string]string](s, "tokentransfer", id, "bCfnVQhkAcTyJZWBSvpSsmVkbXFw9aWxZW", "5")["error"], "a script's address")

	// A key that only a dropped block has revealed is not known any more.
	result[any](s, "invalidateblock", result[string](s, "getbestblockhash"))
	require.Equal(t, "error", result[map[string]string](s, "tokentransfer", id, unknown, "5")["result"])
}
