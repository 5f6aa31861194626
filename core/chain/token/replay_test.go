package token

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/wire"
	"obverse/core/rpc/recording"
)

// recordedBlock is a block of a recording, starting with the genesis block.
type recordedBlock struct {
	Height int
	Raw    string
}

// created is a token created on the ledger.
type created struct {
	Creation
	payload *Payload
	supply  int64
}

// ledger is the part of a chain's state that the rules need: coins with their claims, and
// creations. It is built by examining all transactions in order.
type ledger struct {
	unspent map[wire.OutPoint]Coin
	tokens  map[wire.Hash]created
}

func newLedger() *ledger { return &ledger{map[wire.OutPoint]Coin{}, map[wire.Hash]created{}} }

func (l *ledger) lookup(id wire.Hash) (Creation, bool) {
	token, ok := l.tokens[id]
	return token.Creation, ok
}

// examine examines tx with the coins that it spends.
func (l *ledger) examine(t testing.TB, tx *wire.Tx) *Transfers {
	t.Helper()
	var spent []Coin
	for i := range tx.Inputs {
		if !tx.IsCoinbase() {
			coin, ok := l.unspent[tx.Inputs[i].PrevOut]
			require.True(t, ok, "output %v", tx.Inputs[i].PrevOut)
			spent = append(spent, coin)
		}
	}
	return Examine(tx, tx.ID(), spent, l.lookup)
}

func (l *ledger) connect(t testing.TB, tx *wire.Tx) *Transfers {
	t.Helper()
	moves, id := l.examine(t, tx), tx.ID()
	for i := range tx.Inputs {
		delete(l.unspent, tx.Inputs[i].PrevOut)
	}
	for i, out := range tx.Outputs {
		coin := Coin{Value: out.Value, Script: out.Script}
		if moves.Claims != nil && moves.Claims[i] != None {
			coin.TokenID, coin.Claim = moves.TokenID, moves.Claims[i]
		}
		l.unspent[wire.OutPoint{Hash: id, Index: uint32(i)}] = coin
	}
	if moves.Payload != nil && moves.Payload.Func == Create {
		l.tokens[id] = created{moves.Payload.Creation(), moves.Payload, moves.Supply()}
	}
	return moves
}

// balance returns the number of tokens that a key holds, and the number of those that the
// transactions in next do not spend.
func (l *ledger) balance(id wire.Hash, key Key, next []*wire.Tx) (all, left int64) {
	spent := map[wire.OutPoint]bool{}
	for _, tx := range next {
		for i := range tx.Inputs {
			spent[tx.Inputs[i].PrevOut] = true
		}
	}
	holder := string(Script(HolderCodes(l.tokens[id].NFT), key))
	for out, coin := range l.unspent {
		if coin.Claim == Backed && coin.TokenID == id && string(coin.Script) == holder {
			all += coin.Value
			if !spent[out] {
				left += coin.Value
			}
		}
	}
	return all, left
}

// query is a recorded tokenbalance or tokeninfo with its answer.
type query struct {
	label  string
	tip    int
	params []string
	result struct {
		Result, CCAddress, TokenID, Owner, Name, Description, Data string

		Balance *int64
		Supply  int64
	}
}

// queries parses a transcript. Lines without a tip belong to a rule case; their tip is the
// given one.
func queries(t *testing.T, transcript []byte, tips map[string]int) (found []query) {
	t.Helper()
	for line := range strings.Lines(string(transcript)) {
		var exchange struct {
			Label             string
			Tip               *int
			Request, Response struct{ Body string }
		}
		require.NoError(t, json.Unmarshal([]byte(line), &exchange))
		var answer struct{ Result json.RawMessage }
		var request struct {
			Method string
			Params []string
		}
		if json.Unmarshal([]byte(exchange.Request.Body), &request) != nil ||
			request.Method != "tokenbalance" && request.Method != "tokeninfo" ||
			json.Unmarshal([]byte(exchange.Response.Body), &answer) != nil {
			continue
		}
		q := query{label: exchange.Label, params: request.Params}
		if json.Unmarshal(answer.Result, &q.result) != nil || q.result.Result != "success" {
			continue
		}
		if exchange.Tip != nil {
			q.tip = *exchange.Tip
		} else {
			tip, ok := tips[strings.TrimPrefix(exchange.Label, "rule probe: ")]
			require.True(t, ok, exchange.Label)
			q.tip = tip
		}
		found = append(found, q)
	}
	require.NotEmpty(t, found)
	return found
}

// check compares an answer with the ledger at the tip. komodod excludes coins that the mempool
// spends, which may include some transactions of the next block.
func (q *query) check(t *testing.T, l *ledger, keys map[string]Key, next []*wire.Tx) {
	t.Helper()
	r := &q.result
	id, err := wire.ParseHash(strings.ToLower(r.TokenID))
	require.NoError(t, err)
	if r.Balance != nil {
		key, known := keys[r.CCAddress]
		if !known {
			key = decodeKey(t, q.params[1])
			require.Equal(t, r.CCAddress, addressOf([]byte{Eval}, key))
		}
		all, left := l.balance(id, key, next)
		require.Contains(t, []int64{all, left}, *r.Balance, "%s at %d", q.label, q.tip)
		return
	}
	token, ok := l.tokens[id]
	require.True(t, ok, q.label)
	require.Equal(t, r.Supply, token.supply, q.label)
	require.Equal(t, r.Owner, hexOf(token.payload.Owner), q.label)
	require.Equal(t, r.Data, hexOf(token.payload.Blob(NFTData)), q.label)
	require.Equal(t, r.Name, jsonText(t, token.payload.Name), q.label)
	require.Equal(t, r.Description, jsonText(t, token.payload.Description), q.label)
}

// jsonText returns text after a round trip through JSON, which does not preserve bytes that are
// not UTF-8.
func jsonText(t *testing.T, text string) (read string) {
	t.Helper()
	b, err := json.Marshal(text)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, &read))
	return read
}

// replay connects the blocks and calls atTip after each, with the transactions of the next
// block. In a valid block, every transaction that spends tokens must be valid.
func replay(t *testing.T, blocks []recordedBlock, atTip func(l *ledger, tip int, next []*wire.Tx)) {
	t.Helper()
	l := newLedger()
	decoded := make([]*wire.Block, len(blocks))
	for i, b := range blocks {
		var err error
		decoded[i], err = wire.DecodeBlock(unhex(t, b.Raw))
		require.NoError(t, err)
		require.Equal(t, i, b.Height)
	}
	for i, block := range decoded {
		for _, tx := range block.Txs {
			if moves := l.connect(t, tx); spendsTokens(tx) {
				require.NoError(t, moves.Validate(), "height %d", i)
			}
		}
		var next []*wire.Tx
		if i+1 < len(decoded) {
			next = decoded[i+1].Txs
		}
		atTip(l, i, next)
	}
}

// spendsTokens reports whether an input of tx is validated by the module.
func spendsTokens(tx *wire.Tx) bool {
	for i := range tx.Inputs {
		if tree, ok := fulfillment(tx.Inputs[i].ScriptSig); ok && namesTokens(tree) {
			return true
		}
	}
	return false
}

// addresses returns the usual keys by the address that tokenbalance returns.
func addresses(t *testing.T) map[string]Key {
	found := map[string]Key{}
	keys := recordedKeys(t)
	for _, key := range append(keys[:], globalKey) {
		found[addressOf([]byte{Eval}, key)] = key
	}
	return found
}

func TestKomododSession(t *testing.T) {
	keys := addresses(t)
	transcripts := recording.Read(t, "testdata/komodod", "OBVERSE_KOMODOD", "regtest-v4/transcript.jsonl")
	for i, blocks := range komodod[[]recordedBlock](t, "regtest-v4/blocks.json") {
		calls := queries(t, transcripts[i], nil)
		checked := 0
		replay(t, blocks, func(l *ledger, tip int, next []*wire.Tx) {
			for _, q := range calls {
				if q.tip == tip {
					q.check(t, l, keys, next)
					checked++
				}
			}
		})
		require.Equal(t, len(calls), checked)
		require.Greater(t, checked, 40)
	}
}

type ruleCase struct {
	Label    string
	Hex      string
	Accepted bool
	Height   int
	Stderr   []string
	DebugLog []string `json:"debug_log"`
}

// reason returns the module's error for the transaction; called reports whether the module was
// called at all.
func (c *ruleCase) reason() (reason string, called bool) {
	for _, line := range c.Stderr {
		if _, after, found := strings.Cut(line, "CC Eval EVAL_TOKENS Invalid: "); found {
			reason, _, _ = strings.Cut(after, " spending tx ")
			return reason, true
		}
	}
	return "", strings.Contains(strings.Join(c.DebugLog, "\n"), "TokensValidate")
}

func TestKomododRules(t *testing.T) {
	type rules struct{ Cases []ruleCase }
	keys := addresses(t)
	files := komodod[rules](t, "rules-regtest/rules.json")
	transcripts := recording.Read(t, "testdata/komodod", "OBVERSE_KOMODOD", "rules-regtest/transcript.jsonl")
	for i, blocks := range komodod[[]recordedBlock](t, "rules-regtest/blocks.json") {
		tips := map[string]int{}
		for _, c := range files[i].Cases {
			tips[c.Label] = c.Height
			if c.Accepted {
				tips[c.Label]++ // it was mined before the first call
			}
		}
		calls := queries(t, transcripts[i], tips)
		checked, judged := 0, 0
		replay(t, blocks, func(l *ledger, tip int, next []*wire.Tx) {
			for _, q := range calls {
				if q.tip == tip {
					q.check(t, l, keys, next)
					checked++
				}
			}
			for _, c := range files[i].Cases {
				if reason, called := c.reason(); called && c.Height == tip {
					judged++
					t.Run(c.Label, func(t *testing.T) { c.judge(t, l, reason) })
				}
			}
		})
		require.Equal(t, len(calls), checked)
		require.Greater(t, judged, 30)
	}
}

func (c *ruleCase) judge(t *testing.T, l *ledger, reason string) {
	tx := decodeTx(t, c.Hex)
	require.True(t, spendsTokens(tx))
	err := l.examine(t, tx).Validate()
	if reason == "" {
		require.NoError(t, err)
		return
	}
	require.EqualError(t, err, reason)
}

// TestKomododNonFungible checks that the output that first holds a token with data has the code
// in the first byte of the data, and that the token is found there unless that byte is 00 or
// f2. Whether the token may be moved depends on the other module.
func TestKomododNonFungible(t *testing.T) {
	type vector struct {
		FirstByte     string `json:"first_byte"`
		Create        string `json:"create_hex"`
		TokenID       string
		Balance       string `json:"tokenbalance_body"`
		TokenTransfer string `json:"tokentransfer_body"`
	}
	k1 := recordedKeys(t)[0]
	for _, file := range komodod[[]vector](t, "nft-evalcodes.json") {
		for _, v := range file {
			t.Run(v.FirstByte, func(t *testing.T) {
				l, create := newLedger(), decodeTx(t, v.Create)
				l.provide(create, k1)
				require.Equal(t, v.TokenID, create.ID().String())
				moves := l.connect(t, create)
				require.EqualValues(t, 1, moves.Supply())
				require.Equal(t, Creation{NFT: unhex(t, v.FirstByte)[0], IsNFT: true}, moves.Payload.Creation())

				var balance struct{ Result struct{ Balance int64 } }
				require.NoError(t, json.Unmarshal([]byte(v.Balance), &balance))
				all, _ := l.balance(moves.TokenID, k1, nil)
				require.Equal(t, balance.Result.Balance, all)

				var transfer struct{ Result struct{ Hex string } }
				require.NoError(t, json.Unmarshal([]byte(v.TokenTransfer), &transfer))
				require.Equal(t, all == 1, transfer.Result.Hex != "")
				if all == 1 {
					tx := decodeTx(t, transfer.Result.Hex)
					l.provide(tx, k1)
					moves := l.connect(t, tx)
					require.NoError(t, moves.Validate())
					require.Equal(t, Backed, moves.Claims[0])
				}
			})
		}
	}
}

// provide adds coins of the key to the ledger for inputs that it does not contain.
func (l *ledger) provide(tx *wire.Tx, key Key) {
	for i := range tx.Inputs {
		if out := tx.Inputs[i].PrevOut; l.unspent[out].Script == nil {
			l.unspent[out], _ = plain(1<<40, key)
		}
	}
}

func hexOf(b []byte) string { return hex.EncodeToString(b) }
