package daemon_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/engine"
	"obverse/core/chain/mempool"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
	"obverse/core/key"
)

type sentPage struct {
	Result, Error, TokenID string
	Paid, Amount, Before   int
	Left                   map[string]string
	Transactions, Unclear  []sentTx
}

type sentTx struct {
	TxID string
	Paid []string
}

// payee returns a public key that is not the node's.
func payee(t testing.TB, n int) string {
	t.Helper()
	keys, err := key.Open(fmt.Sprint("payee ", n), false)
	require.NoError(t, err)
	pub := keys.Node().PublicKey()
	return hex.EncodeToString(pub[:])
}

// list returns an object that pays n+1 tokens to each payee n from from to to-1, and the sum.
func list(t testing.TB, from, to int) (amounts map[string]any, sum int) {
	amounts = map[string]any{}
	for n := from; n < to; n++ {
		amounts[payee(t, n)] = n + 1
		sum += n + 1
	}
	return amounts, sum
}

// newIssuer returns a station with a token of a million units.
func newIssuer(t *testing.T) (*station, string) {
	t.Helper()
	s, _ := newTokenStation(t)
	id := s.send("tokencreate", "PAY", "0.01", "for many")
	result[[]string](s, "generate", 1)
	return s, id
}

// depth returns the length of the longest chain of dependent transactions in the mempool. It
// checks that each pays at most two keys.
func (s *station) depth() (longest int) {
	depths := map[wire.Hash]int{}
	require.NoError(s.t, s.Manager.Read(s.t.Context(), func(*chain.View) error {
		for _, e := range s.Pool.Entries() {
			for i := range e.Tx.Inputs {
				depths[e.ID] = max(depths[e.ID], depths[e.Tx.Inputs[i].PrevOut.Hash])
			}
			depths[e.ID]++
			longest = max(longest, depths[e.ID])
			require.LessOrEqual(s.t, len(e.Transfers.Payload.Keys), 2)
		}
		return nil
	}))
	return longest
}

// TestTokenSendMany pays as many keys as one chain of transactions can, one more, and many.
func TestTokenSendMany(t *testing.T) {
	for _, count := range []int{1, 2, 3, 2 * wallet.MaxChain, 2*wallet.MaxChain + 1, 333} {
		t.Run(fmt.Sprint(count), func(t *testing.T) {
			s, id := newIssuer(t)
			amounts, sum := list(t, 0, count)
			sent := result[sentPage](s, "tokensendmany", id, amounts)
			require.Equal(t, []any{"success", "", id, count, sum, 0}, []any{sent.Result, sent.Error, sent.TokenID, sent.Paid, sent.Amount, sent.Before})
			require.Empty(t, sent.Left)
			transfers, split := (count+1)/2, 0
			if transfers > wallet.MaxChain {
				split = 1
				require.Empty(t, sent.Transactions[0].Paid)
			}
			paid := map[string]bool{}
			for _, tx := range sent.Transactions {
				for _, key := range tx.Paid {
					paid[key] = true
				}
			}
			require.Len(t, paid, count)
			require.Equal(t, len(sent.Transactions), result[struct{ Size int }](s, "getmempoolinfo").Size)
			require.InDelta(t, transfers+split, len(sent.Transactions), float64(transfers/wallet.MaxChain+1), "two keys in a transaction")
			require.LessOrEqual(t, s.depth(), wallet.MaxChain+1)
			result[[]string](s, "generate", 1)
			page := result[holdersPage](s, "tokenholders", id, "", 10_000)
			require.Equal(t, count+1, page.Count)
			for _, h := range page.Holders {
				if h.PubKey == k1 {
					require.Equal(t, 1_000_000-sum, h.Balance)
				} else {
					require.Equal(t, amounts[h.PubKey], h.Balance)
				}
			}
		})
	}
}

// TestTokenSendManyAgain checks that a repeated call omits keys that an earlier call without an
// answer has paid, whether their transactions are in a block or pending.
func TestTokenSendManyAgain(t *testing.T) {
	s, id := newIssuer(t)
	first, _ := list(t, 0, 10)
	result[sentPage](s, "tokensendmany", id, first) // the call is too early
	result[[]string](s, "generate", 1)
	since := result[int](s, "getblockcount")
	mined, _ := list(t, 0, 20)
	require.Equal(t, 20, result[sentPage](s, "tokensendmany", id, mined, map[string]any{"since": since}).Paid)
	result[[]string](s, "generate", 1)
	waiting, _ := list(t, 20, 30)
	require.Equal(t, 10, result[sentPage](s, "tokensendmany", id, waiting).Paid)
	all, sum := list(t, 0, 40)
	again := result[sentPage](s, "tokensendmany", id, all, map[string]any{"since": since})
	require.Equal(t, []any{"success", 10, 30}, []any{again.Result, again.Paid, again.Before})
	again = result[sentPage](s, "tokensendmany", id, all, map[string]any{"since": since})
	require.Equal(t, []any{"success", 0, 40}, []any{again.Result, again.Paid, again.Before})
	require.Empty(t, again.Transactions)
	result[[]string](s, "generate", 1)
	held := 0
	for _, h := range result[holdersPage](s, "tokenholders", id, "", 1000).Holders {
		if h.PubKey != k1 {
			held += h.Balance
		}
	}
	require.Equal(t, sum+55, held, "the ten keys before since got theirs twice")
}

// TestTokenSendManyAgainWithAnotherKey checks that a repeated call omits keys that another key of
// the wallet has paid, since the selected key is no longer the same after a restart.
func TestTokenSendManyAgainWithAnotherKey(t *testing.T) {
	s, id := newIssuer(t)
	public := result[struct{ PubKey string }](s, "validateaddress", result[string](s, "getnewaddress")).PubKey
	since := result[int](s, "getblockcount")
	s.send("tokentransfer", id, public, "5000")
	result[[]string](s, "generate", 1)
	require.Equal(t, "true", result[struct{ IsMine string }](s, "setpubkey", public).IsMine)
	result[string](s, "sendtoaddress", result[struct{ Address string }](s, "setpubkey", public).Address, 1)
	result[[]string](s, "generate", 1)
	mined, _ := list(t, 0, 10)
	require.Equal(t, 10, result[sentPage](s, "tokensendmany", id, mined).Paid)
	result[[]string](s, "generate", 1)
	waiting, _ := list(t, 10, 20)
	require.Equal(t, 10, result[sentPage](s, "tokensendmany", id, waiting).Paid)
	s.use(chaintest.Key(t, 1).Private)
	all, _ := list(t, 0, 30)
	again := result[sentPage](s, "tokensendmany", id, all, map[string]any{"since": since})
	require.Equal(t, []any{"success", 10, 20}, []any{again.Result, again.Paid, again.Before})
}

// TestTokenSendManyLockedCoins checks that coins which the user has locked are not spent.
func TestTokenSendManyLockedCoins(t *testing.T) {
	s, id := newIssuer(t)
	type coin struct {
		TxID string `json:"txid"`
		Vout int    `json:"vout"`
	}
	coins := result[[]coin](s, "listunspent")
	require.NotEmpty(t, coins)
	require.True(t, result[bool](s, "lockunspent", false, coins))
	amounts, _ := list(t, 0, 4)
	require.Contains(t, s.ask("tokensendmany", id, amounts), "insufficient normal inputs for tx fee")
	s.refusedWith(t, "cant find normal inputs", "tokencreate", "LOCKED", "0.01", "a token")
	require.True(t, result[bool](s, "lockunspent", true, coins))
	require.Equal(t, 4, result[sentPage](s, "tokensendmany", id, amounts).Paid)
}

// TestTokenSendManyCoins checks that each key also receives coins for its first transactions.
func TestTokenSendManyCoins(t *testing.T) {
	s, id := newIssuer(t)
	amounts, _ := list(t, 0, 60)
	burn := fmt.Sprintf("%x", token.BurnKey())
	amounts[burn] = 1
	require.Equal(t, 61, result[sentPage](s, "tokensendmany", id, amounts, map[string]any{"coins": "0.0005"}).Paid)
	result[[]string](s, "generate", 1)
	for key := range amounts {
		raw, err := hex.DecodeString(key)
		require.NoError(t, err)
		want := 50_000
		if key == burn {
			want = 0
		}
		address := script.PubKeyAddress(raw).String()
		balance := result[struct{ Balance int }](s, "getaddressbalance", address)
		require.Equal(t, want, balance.Balance)
	}
}

// TestTokenSendManyRefused checks that an invalid call sends nothing and returns the reason.
func TestTokenSendManyRefused(t *testing.T) {
	s, id := newIssuer(t)
	a, b := payee(t, 1), payee(t, 2)
	self := chaintest.Key(t, 1).Address().Text().String()
	options := func(text string) json.RawMessage { return json.RawMessage(text) }
	for want, params := range map[string][]any{
		"invalid tokenid": {"x", map[string]any{a: 1}},
		"no token inputs": {strings.Repeat("ab", 32), map[string]any{a: 1}},
		"insufficient token inputs: the payees get 1000001, the node's key has 1000000 that can be spent":                      {id, map[string]any{a: 1, b: 1_000_000}},
		"1 to 200000 public keys and their amounts are expected, got 0":                                                        {id, map[string]any{}},
		"amount of " + a + ` must be a whole number of tokens, got "1.5"`:                                                      {id, map[string]any{a: "1.5"}},
		"amount of " + a + " must be positive":                                                                                 {id, map[string]any{a: 0}},
		k1 + " and " + self + " are one key: name each once":                                                                   {id, options(`{"` + k1 + `":1,"` + self + `":2}`)},
		a + " and " + a + " are one key: name each once":                                                                       {id, options(`{"` + a + `":1,"` + a + `":2}`)},
		`invalid pubkey "` + fmt.Sprintf("%x", token.GlobalKey()) + `": it is the key of the tokens' module, which anyone has`: {id, map[string]any{fmt.Sprintf("%x", token.GlobalKey()): 1}},
		"the amounts add up to more tokens than there can be":                                                                  {id, map[string]any{a: "9223372036854775807", b: "9223372036854775807"}},
		`coins must be a decimal number of coins with at most 8 decimals, got "x"`:                                             {id, map[string]any{a: 1}, map[string]any{"coins": "x"}},
		"since must be a height from 0 to 4, the height of the chain, got 5":                                                   {id, map[string]any{a: 1}, map[string]any{"since": 5}},
		"since must be a height from 0 to 4, the height of the chain, got -1":                                                  {id, map[string]any{a: 1}, map[string]any{"since": -1}},
		"coins must be 0, or from 0.00001000 to 1000.00000000, got 0.00000001":                                                 {id, map[string]any{a: 1}, map[string]any{"coins": "0.00000001"}},
	} {
		s.refusedWith(t, want, "tokensendmany", params...)
	}
	many, _ := list(t, 0, 101)
	require.Contains(t, s.ask("tokensendmany", id, many, map[string]any{"coins": 1000}), "insufficient normal inputs for tx fee: 101 payees take 101000")
	s.refused(-1, "JSON value is not an object as expected", "tokensendmany", id, "x")
	for name, number := range map[string]any{"sinc": 1, "Since": 1, "coin": "0.1"} {
		s.refused(-8, fmt.Sprintf("parameter %q: unknown name, want coins or since", "options."+name), "tokensendmany", id, map[string]any{a: 1}, map[string]any{name: number})
	}
	require.Contains(t, s.ask("tokensendmany", id, map[string]any{"zz": 1}), "invalid pubkey")
	require.Zero(t, result[struct{ Size int }](s, "getmempoolinfo").Size, "nothing was sent")
}

// TestTokenSendManyLeft checks that a call reports the sent transactions and the remaining
// payees if the node accepts no more transactions.
func TestTokenSendManyLeft(t *testing.T) {
	s, id := newIssuer(t)
	var err error
	s.Pool, err = mempool.New(t.Context(), mempool.Config{Manager: s.Manager, Store: s.kv, Now: s.Now, MaxCount: 40})
	require.NoError(t, err)
	s.Producer = engine.New(engine.Config{Manager: s.Manager, Pool: s.Pool, Key: chaintest.Key(t, 1).Private, Now: s.Now})
	amounts, sum := list(t, 0, 200)
	sent := result[sentPage](s, "tokensendmany", id, amounts)
	require.Equal(t, "error", sent.Result)
	require.Contains(t, sent.Error, "the node refused a transaction: 66: mempool full")
	require.Len(t, sent.Transactions, 40)
	require.Positive(t, sent.Paid)
	require.Len(t, sent.Left, 200-sent.Paid)
	left := 0
	for key, amount := range sent.Left {
		require.Equal(t, fmt.Sprint(amounts[key]), amount)
		n, err := json.Number(amount).Int64()
		require.NoError(t, err)
		left += int(n)
	}
	require.Equal(t, sum-sent.Amount, left)
	for len(sent.Left) > 0 { // each call continues with the remaining payees of the previous one
		result[[]string](s, "generate", 1)
		sent = result[sentPage](s, "tokensendmany", id, sent.Left)
	}
	result[[]string](s, "generate", 1)
	for _, h := range result[holdersPage](s, "tokenholders", id, "", 1000).Holders {
		if h.PubKey != k1 {
			require.Equal(t, amounts[h.PubKey], h.Balance)
		}
	}
}

// TestTokenSendManySmallOutputs pays from more outputs than one transaction may spend.
func TestTokenSendManySmallOutputs(t *testing.T) {
	s, id := newIssuer(t)
	p, self := s.Manager.Params(), chaintest.Key(t, 1)
	created := s.transaction(wireHash(t, id))
	from := []chaintest.Coin{chaintest.Output(created, 1), chaintest.Output(created, 2)}
	var outs []wire.TxOut
	for range 1000 {
		outs = append(outs, chaintest.Pay(self.Tokens(), 1000))
	}
	outs = append(outs, chaintest.Pay(self.PubKey(), from[1].Value-100_000), chaintest.Transfer(created.ID(), self))
	height := result[int](s, "getblockcount") + 1
	tx := chaintest.Sign(t, chaintest.Spend(p, height, from, outs...), p.BranchID(height), from, self)
	result[string](s, "sendrawtransaction", hex.EncodeToString(tx.Encode()), true)
	result[[]string](s, "generate", 1)
	amounts := map[string]any{}
	for n := range 90 {
		amounts[payee(t, n)] = 10_000
	}
	sent := result[sentPage](s, "tokensendmany", id, amounts)
	require.Equal(t, []any{"success", 90}, []any{sent.Result, sent.Paid})
	result[[]string](s, "generate", 1)
	require.Equal(t, 91, result[holdersPage](s, "tokenholders", id).Count)
	s.refusedWith(t, "insufficient token inputs: the payees get 100001, the node's key has 100000 that can be spent", "tokensendmany", id, map[string]any{payee(t, 99): 100_001})
	require.Equal(t, "success", result[sentPage](s, "tokensendmany", id, map[string]any{payee(t, 99): 100_000}).Result, "100 outputs in one transaction")
}

// foreign sends a transaction of K2, which gets tokens and a coin for it from the node, and mines
// it. It has an output of 0 tokens to the node.
func (s *station) foreign(t *testing.T, id string, tokens int64, outs ...wire.TxOut) {
	t.Helper()
	other, p := chaintest.Key(t, 2), s.Manager.Params()
	moved := s.send("tokentransfer", id, k2, fmt.Sprint(tokens))
	result[[]string](s, "generate", 1)
	paid := s.transaction(wireHash(t, result[string](s, "sendtoaddress", other.Address().Text().String(), "1")))
	result[[]string](s, "generate", 1)
	from := []chaintest.Coin{chaintest.Output(paid, 0), chaintest.Output(s.transaction(wireHash(t, moved)), 0)}
	if from[0].Value != 100_000_000 {
		from[0] = chaintest.Output(paid, 1)
	}
	outs = append(outs, chaintest.Pay(other.PubKey(), 99_000_000), chaintest.Transfer(wireHash(t, id), chaintest.Key(t, 1)))
	height := result[int](s, "getblockcount") + 1
	tx := chaintest.Sign(t, chaintest.Spend(p, height, from, outs...), p.BranchID(height), from, other)
	result[string](s, "sendrawtransaction", hex.EncodeToString(tx.Encode()), true)
	result[[]string](s, "generate", 1)
}

// TestTokenSendManyForeign checks that transactions of others do not count as payments of the
// node, and that outputs without tokens do not count.
func TestTokenSendManyForeign(t *testing.T) {
	s, id := newIssuer(t)
	since := result[int](s, "getblockcount")
	raw, err := hex.DecodeString(payee(t, 7))
	require.NoError(t, err)
	to := token.Script(token.CreateCodes(nil), token.Key(raw))
	s.foreign(t, id, 5, chaintest.Pay(chaintest.Key(t, 1).Tokens(), 0), chaintest.Pay(chaintest.Key(t, 2).Tokens(), 5), chaintest.Pay(to, 1000))
	amounts := map[string]any{payee(t, 7): 1000}
	sent := result[sentPage](s, "tokensendmany", id, amounts, map[string]any{"since": since})
	require.Equal(t, []any{"success", 1, 0}, []any{sent.Result, sent.Paid, sent.Before})
	result[[]string](s, "generate", 1)
	require.Equal(t, 1000, s.tokens(id, payee(t, 7)))
	sent = result[sentPage](s, "tokensendmany", id, amounts, map[string]any{"since": since})
	require.Equal(t, []any{"success", 0, 1}, []any{sent.Result, sent.Paid, sent.Before})

	// The node's own payment to itself is one.
	self := map[string]any{k1: 77}
	require.Equal(t, 1, result[sentPage](s, "tokensendmany", id, self, map[string]any{"since": since}).Paid)
	result[[]string](s, "generate", 1)
	require.Equal(t, 1, result[sentPage](s, "tokensendmany", id, self, map[string]any{"since": since}).Before)
}

// TestTokenSendManyPages finds payments in more blocks, and more of them in a block, than are read
// at a time.
func TestTokenSendManyPages(t *testing.T) {
	s, id := newIssuer(t)
	for n, count := range []int{300, 2, 310, 1, 1} {
		amounts, _ := list(t, 1000*n, 1000*n+count)
		require.Equal(t, count, result[sentPage](s, "tokensendmany", id, amounts).Paid)
		result[[]string](s, "generate", 1)
	}
	all := map[string]any{}
	for n, count := range []int{301, 3, 311, 2, 2} {
		amounts, _ := list(t, 1000*n, 1000*n+count)
		maps.Copy(all, amounts)
	}
	sent := result[sentPage](s, "tokensendmany", id, all, map[string]any{"since": 0})
	require.Equal(t, []any{"success", 5, 614}, []any{sent.Result, sent.Paid, sent.Before})
}

// TestTokenSendManyDust checks that many small outputs, which anyone can send to the node, do not
// hide its large ones, in whatever order the outputs are listed.
func TestTokenSendManyDust(t *testing.T) {
	s, id := newIssuer(t)
	outs := []wire.TxOut{}
	for range 2000 {
		outs = append(outs, chaintest.Pay(chaintest.Key(t, 1).Tokens(), 1))
	}
	for range 4 { // in 15 of 16 cases the id of one is less than that of the large output
		s.foreign(t, id, 2000, outs...)
	}
	sent := result[sentPage](s, "tokensendmany", id, map[string]any{payee(t, 7): 900_000, payee(t, 8): 5000})
	require.Equal(t, []any{"success", 2}, []any{sent.Result, sent.Paid})
	s.refusedWith(t, "insufficient token inputs: the payees get 95001, the node's key has 95000 that can be spent", "tokensendmany", id, map[string]any{payee(t, 9): 95_001})
}

// TestManyUnderRelayRules pays many keys and creates a token with many holders where, unlike on
// regtest, transactions must pay a fee for their size and be of a form that nodes relay.
func TestManyUnderRelayRules(t *testing.T) {
	o := params.Defaults()
	o.Name, o.Supply, o.CC, o.Sapling = "TOKTEST", 100_000, 2, 1
	p, err := params.New(o)
	require.NoError(t, err)
	s := newStation(t, p)
	result[[]string](s, "generate", 2)
	amounts, sum := list(t, 0, 3000)
	id := s.send("tokencreate", "MANY", fmt.Sprintf("%d.%08d", 1, sum), "a token", "", amounts)
	result[[]string](s, "generate", 1)
	require.Equal(t, 3001, result[holdersPage](s, "tokenholders", id).Count)
	amounts, _ = list(t, 3000, 3150)
	require.Equal(t, 150, result[sentPage](s, "tokensendmany", id, amounts, map[string]any{"coins": "0.001"}).Paid)
	result[[]string](s, "generate", 1)
	require.Equal(t, 3151, result[holdersPage](s, "tokenholders", id).Count)
	require.Zero(t, result[struct{ Size int }](s, "getmempoolinfo").Size)
}
