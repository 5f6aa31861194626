package consensus

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	recorded "obverse/core/rpc/recording"
)

func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(s)
	require.NoError(t, err)
	return b
}

// newParams returns the parameters of a chain with the given options and the usual ones:
// Sapling from block 1, and crypto-conditions.
func newParams(t testing.TB, flags ...string) *params.Params {
	t.Helper()
	p, err := params.New(parseFlags(t, append([]string{
		"-ac_name=TEST", "-ac_supply=1000", "-ac_reward=100000000", "-ac_cc=2", "-ac_sapling=1",
	}, flags...)))
	require.NoError(t, err)
	return p
}

// parseFlags parses the chain's options of a command line.
func parseFlags(t testing.TB, flags []string) params.Options {
	t.Helper()
	o := params.Defaults()
	for _, flag := range flags {
		key, value, given := strings.Cut(strings.TrimPrefix(flag, "-"), "=")
		if key == "regtest" && !given {
			value = "true"
		}
		if key == "regtest" || strings.HasPrefix(key, "ac_") {
			require.NoError(t, o.Set(key, value))
		}
	}
	return o
}

// recording is a chain recorded from komodod.
type recording struct {
	name   string
	params *params.Params
	Blocks []struct {
		Height    int
		Hash, Raw string
	}
	Cases  []ruleCase
	Events []event
	Flags  []string `json:"start_flags"`
}

// ruleCase is a transaction that was sent when the chain had the given height.
type ruleCase struct {
	Label, Hex string
	Height     int
	Response   answer
}

type answer struct{ Error *struct{ Message string } }

func (a answer) message() string {
	if a.Error == nil {
		return ""
	}
	return a.Error.Message
}

// event is a message sent after a block: a transaction of a wallet, or a list of hand-made
// probes.
type event struct {
	AfterHeight int `json:"after_height"`
	TxHex, Hex  string
	Results     []struct {
		Form           string
		CoinbaseHeight int `json:"coinbase_height"`
		Hex            string
		Answer         json.RawMessage
	}
}

// readJSON decodes a JSON file and reports whether the file exists.
func readJSON(t testing.TB, path string, v any) bool {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !strings.HasPrefix(path, "testdata") {
		return false // additional recordings may lack some files
	}
	if os.IsNotExist(err) {
		return false
	}
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(b, v), path)
	return true
}

// recordings reads the recorded chains in a folder. A chain is a folder with chain.json and
// blocks.json, or a single file.
func recordings(t testing.TB, folder string) (all []recording) {
	t.Helper()
	for _, name := range []string{"regtest-v4", "rules-regtest"} {
		r, o := recording{name: name}, params.Defaults()
		if readJSON(t, filepath.Join(folder, name, "chain.json"), &o) {
			require.True(t, readJSON(t, filepath.Join(folder, name, "blocks.json"), &r.Blocks))
			readJSON(t, filepath.Join(folder, name, "rules.json"), &r)
			o.Regtest = recorded.IsRegtest(r.Blocks[0].Hash)
			r.params = paramsOf(t, o)
			all = append(all, r)
		}
	}
	files, err := filepath.Glob(filepath.Join(folder, "params", "*.json"))
	require.NoError(t, err)
	for _, file := range files {
		r := recording{name: strings.TrimSuffix(filepath.Base(file), ".json")}
		if readJSON(t, file, &r); len(r.Blocks) > 0 {
			o := parseFlags(t, r.Flags)
			o.Regtest = recorded.IsRegtest(r.Blocks[0].Hash)
			r.params = paramsOf(t, o)
			all = append(all, r)
		}
	}
	return all
}

func paramsOf(t testing.TB, o params.Options) *params.Params {
	t.Helper()
	p, err := params.New(o)
	require.NoError(t, err)
	return p
}

// komodod runs a test for each recorded chain.
func komodod(t *testing.T, test func(t *testing.T, r recording)) {
	all := recordings(t, "testdata/komodod")
	require.Len(t, all, 5)
	for folder := range strings.SplitSeq(os.Getenv("OBVERSE_KOMODOD"), ":") {
		if folder != "" {
			all = append(all, recordings(t, folder)...)
		}
	}
	for _, r := range all {
		t.Run(r.name, func(t *testing.T) { test(t, r) })
	}
}

func (r *recording) block(t testing.TB, height int) *Block {
	t.Helper()
	require.Equal(t, height, r.Blocks[height].Height)
	return decoded(t, unhex(t, r.Blocks[height].Raw))
}

func decoded(t testing.TB, raw []byte) *Block {
	t.Helper()
	b, err := DecodeBlock(raw)
	require.NoError(t, err)
	return b
}

// chain is an in-memory Ledger with the data that the next block needs.
type chain struct {
	params *params.Params
	coins  map[wire.OutPoint]Coin
	tokens map[wire.Hash]token.Creation
	times  []params.Stamp
	txs    map[wire.Hash]bool
}

func newChain(p *params.Params) *chain {
	return &chain{p, map[wire.OutPoint]Coin{}, map[wire.Hash]token.Creation{}, nil, map[wire.Hash]bool{}}
}

func (c *chain) HasTx(id wire.Hash) (bool, error) { return c.txs[id], nil }

func (c *chain) Coin(out wire.OutPoint) (Coin, bool, error) {
	coin, found := c.coins[out]
	return coin, found, nil
}

func (c *chain) Creation(id wire.Hash) (token.Creation, bool, error) {
	creation, found := c.tokens[id]
	return creation, found, nil
}

// state returns the state that the next block continues.
func (c *chain) state() State { return State{Params: c.params, Place: c.place(), Ledger: c} }

func (c *chain) lookup(id wire.Hash) (token.Creation, bool) {
	creation, ok := c.tokens[id]
	return creation, ok
}

// spent returns the coins of a transaction. The result is shorter if a coin is missing.
func (c *chain) spent(tx *wire.Tx) (coins []Coin) {
	for i := range tx.Inputs {
		if coin, ok := c.coins[tx.Inputs[i].PrevOut]; ok {
			coins = append(coins, coin)
		}
	}
	return coins
}

// judge validates a transaction by all rules for a block at a height and time.
func (c *chain) judge(tx *wire.Tx, height int, time uint32) (fee int64, err error) {
	size := len(tx.Encode())
	if err := CheckTx(tx, size, c.params); err != nil {
		return 0, err
	}
	if err := CheckTxAt(tx, size, height, c.params); err != nil {
		return 0, err
	}
	if !IsFinal(tx, height, time) {
		return 0, ErrNonFinal
	}
	coins := c.spent(tx)
	if len(coins) < len(tx.Inputs) {
		return 0, ErrMissingOrSpent
	}
	if fee, err = CheckSpend(tx, coins, height, c.params); err != nil {
		return 0, err
	}
	evals := Evals(Tokens(tx, tx.ID(), coins, c.lookup), height, c.params)
	spends := Spends(tx, coins, c.params.BranchID(height), nil, evals)
	flags := Flags(script.BlockFlags, c.params)
	return fee, Verify(context.Background(), spends, func(s *Spend) error { return s.Verify(s.PkScript, flags) })
}

// connect adds a validated transaction to the state.
func (c *chain) connect(tx *wire.Tx, height int) {
	e := NewTxEffects(tx, tx.ID(), height, c.spent(tx), c.lookup)
	c.keep(&e)
}

func (c *chain) keep(e *TxEffects) {
	c.txs[e.ID] = true
	for i := range e.Spent {
		delete(c.coins, e.Tx.Inputs[i].PrevOut)
	}
	for i := range e.Created {
		if !script.IsUnspendable(e.Created[i].Script) {
			c.coins[wire.OutPoint{Hash: e.ID, Index: uint32(i)}] = e.Created[i]
		}
	}
	if e.Transfers.Creates() {
		c.tokens[e.ID] = e.Transfers.Payload.Creation()
	}
}

// place returns the place of the next block.
func (c *chain) place() Place {
	return Place{Height: len(c.times), MedianTime: params.MedianTime(c.times[max(0, len(c.times)-11):])}
}

func idsOf(b *wire.Block) (ids []wire.Hash) {
	for _, tx := range b.Txs {
		ids = append(ids, tx.ID())
	}
	return ids
}

// connectBlock adds a valid block to the state. The outputs of the genesis block cannot be
// spent.
func (c *chain) connectBlock(t testing.TB, b *Block) {
	t.Helper()
	if height := len(c.times); height > 0 {
		effects, err := Apply(t.Context(), c.state(), b)
		require.NoError(t, err, "height %d", height)
		b.Txs[0].Outputs[0].Value++
		require.Error(t, CheckCoinbase(b.Block, height, effects.Fees, c.params), "one satoshi more at height %d", height)
		b.Txs[0].Outputs[0].Value--
		before := c.value()
		for i := range effects.Txs {
			c.keep(&effects.Txs[i])
		}
		require.Equal(t, effects.Delta, c.value()-before, "height %d", height)
	}
	c.times = append(c.times, params.Stamp{Time: b.Time, Bits: b.Bits})
}

// value returns the total value of all coins.
func (c *chain) value() (sum int64) {
	for _, coin := range c.coins {
		sum += coin.Value
	}
	return sum
}
