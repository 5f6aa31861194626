package daemon_test

import (
	"encoding/hex"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/wire"
	"obverse/core/number"
)

const regtest = "ac_name=TOKTEST ac_supply=1000 ac_reward=100000000 ac_cc=2 ac_sapling=1 regtest=true"

// mined returns a station on regtest with n mined blocks.
func mined(t *testing.T, n int) *station {
	t.Helper()
	s := newStation(t, chaintest.Params(t, regtest))
	require.Len(t, result[[]string](s, "generate", n), n)
	return s
}

func TestBlocksByHashAndHeight(t *testing.T) {
	s := mined(t, 3)
	hash := result[string](s, "getblockhash", 2)
	require.Equal(t, result[string](s, "getbestblockhash"), result[string](s, "getblockhash", result[int](s, "getblockcount")))

	byHash := s.ask("getblock", hash)
	for _, form := range [][]any{{2}, {"2"}, {hash, 1}, {hash, true}, {strings.ToUpper(hash)}} {
		require.Equal(t, byHash, s.ask("getblock", form...), "%v", form)
	}
	raw := result[string](s, "getblock", hash, 0)
	require.Equal(t, raw, result[string](s, "getblock", 2, false))
	bytes, err := hex.DecodeString(raw)
	require.NoError(t, err)
	block, err := wire.DecodeBlock(bytes)
	require.NoError(t, err)
	require.Equal(t, hash, block.Hash().String())

	header := result[string](s, "getblockheader", hash, false)
	require.Equal(t, raw[:len(header)], header)
	require.Equal(t, hash, wire.HashOf(bytes[:len(header)/2]).String())
}

// TestSupplies checks that the supply includes the genesis coinbase on all chains but regtest,
// that coins burned by an OP_RETURN remain in the chain's supply, and that the genesis block
// has no vote, as in komodod.
func TestSupplies(t *testing.T) {
	const coin = 100_000_000
	for options, genesis := range map[string]int64{"": 50 * coin, " regtest=true": 0} {
		s := newStation(t, chaintest.Params(t, "ac_name=TOKTEST ac_supply=10 ac_reward=100000000 ac_cc=2 ac_sapling=1"+options))
		premine := s.Manager.Params().BlockOneValue()
		type pool struct{ ChainValueZat, ValueDeltaZat *int64 }
		type supply struct {
			ChainSupply pool
			ValuePools  []pool
			SoftForks   []struct{ Enforce struct{ Found int } }
		}
		check := func(height int, total, transparent, burned [2]int64) {
			t.Helper()
			answer := result[supply](s, "getblock", height)
			for i, want := range [][2]int64{total, transparent, {}, {}, burned} {
				got := append([]pool{answer.ChainSupply}, answer.ValuePools...)[i]
				require.Equal(t, want, [2]int64{*got.ChainValueZat, *got.ValueDeltaZat}, "%s %d %d", options, height, i)
			}
		}
		check(0, [2]int64{genesis, genesis}, [2]int64{genesis, genesis}, [2]int64{})
		result[[]string](s, "generate", 1)
		check(1, [2]int64{genesis + premine, premine}, [2]int64{genesis + premine, premine}, [2]int64{})
		s.burn(t, 7)
		result[[]string](s, "generate", 1)
		check(2, [2]int64{genesis + premine + coin, coin}, [2]int64{genesis + premine + coin - 7, coin - 7}, [2]int64{7, 7})
		info := result[supply](s, "getblockchaininfo")
		require.Equal(t, genesis+premine+coin, *info.ChainSupply.ChainValueZat)
		require.Equal(t, 2+map[bool]int{true: 1}[genesis == 0], info.SoftForks[0].Enforce.Found)
	}
}

// burn mines a transaction that sends coins to an unspendable output.
func (s *station) burn(t *testing.T, value int64) {
	t.Helper()
	p, key := s.Manager.Params(), chaintest.Key(t, 1)
	height := result[int](s, "getblockcount") + 1
	from := []chaintest.Coin{chaintest.Output(s.transaction(wireHash(t, result[struct{ Tx []string }](s, "getblock", height-1).Tx[0])), 0)}
	tx := chaintest.Spend(p, height, from, chaintest.Pay([]byte{0x6a}, value), chaintest.Pay(key.PubKey(), from[0].Value-value-10_000))
	result[string](s, "sendrawtransaction", hex.EncodeToString(chaintest.Sign(t, tx, p.BranchID(height), from, key).Encode()))
}

// TestNextDifficulty checks that the difficulty is that of the next block, regardless of the
// bits in the last block.
func TestNextDifficulty(t *testing.T) {
	s := mined(t, 20)
	b := s.sideBlock(20)
	b.Bits = 0x1f0f0f0f
	s.ask("submitblock", hex.EncodeToString(b.Encode()))
	require.Equal(t, b.Hash().String(), result[string](s, "getbestblockhash"))
	type answer struct{ Difficulty json.Number }
	require.Equal(t, json.Number("256"), result[answer](s, "getinfo").Difficulty)
	require.Equal(t, json.Number("256"), result[answer](s, "getblock", 20).Difficulty)
	next := result[answer](s, "getblockchaininfo").Difficulty
	require.NotEqual(t, json.Number("256"), next)
	require.Equal(t, next, result[answer](s, "getmininginfo").Difficulty)
	result[[]string](s, "generate", 1)
	require.Equal(t, next, result[answer](s, "getblock", 21).Difficulty)
}

// TestHeaderAgreesWithBlock checks that a header has the same members as its block, except
// those that only a block has.
func TestHeaderAgreesWithBlock(t *testing.T) {
	s := mined(t, 2)
	for height := range 3 {
		header := result[map[string]any](s, "getblockheader", height)
		block := result[map[string]any](s, "getblock", height)
		for key, value := range header {
			require.Equal(t, block[key], value, key)
		}
		for _, key := range []string{"size", "tx", "anchor", "chainSupply", "valuePools"} {
			require.Contains(t, block, key)
			delete(block, key)
		}
		require.Len(t, header, len(block))
	}
}

func TestBlockRefusals(t *testing.T) {
	s := mined(t, 2)
	for _, test := range []struct {
		code    int
		message string
		method  string
		params  []any
	}{
		{-8, "Block height out of range", "getblockhash", []any{3}},
		{-8, "Block height out of range", "getblockhash", []any{-1}},
		{-1, "JSON value is not an integer as expected", "getblockhash", []any{"1"}},
		{-8, "Block height out of range", "getblock", []any{3}},
		{-8, "Block height out of range", "getblock", []any{"2147483647"}},
		{-8, "Invalid block height parameter", "getblock", []any{"2147483648"}},
		{-8, "Invalid block height parameter", "getblock", []any{-1}},
		{-8, "Invalid block height parameter", "getblock", []any{"abc"}},
		{-8, "Invalid block height parameter", "getblock", []any{""}},
		{-8, "Invalid block height parameter", "getblock", []any{1.5}},
		{-1, "JSON value is not a string as expected", "getblock", []any{nil}},
		{-5, "Block not found", "getblock", []any{strings.Repeat("ab", 32)}},
		{-5, "Block not found", "getblock", []any{strings.Repeat("zz", 32)}},
		{-5, "Block not found", "getblockheader", []any{strings.Repeat("ab", 40)}},
		{-5, "Block not found", "getblockheader", []any{"abc"}},
		{-5, "Block not found", "getblockheader", []any{""}},
		{-5, "Block not found", "getblockheader", []any{"3"}},
		{-5, "Block not found", "getblockheader", []any{"-1"}},
		{-5, "Block not found", "getblockheader", []any{"2147483648"}},
		{-5, "Block not found", "getblockheader", []any{strings.Repeat("zz", 32)}},
		{-8, "Verbosity must be in range from 0 to 2", "getblock", []any{1, 3}},
		{-8, "Verbosity must be in range from 0 to 2", "getblock", []any{1, -1}},
		{-1, "JSON value is not an integer as expected", "getblock", []any{1, "1"}},
		{-1, "JSON value is not a boolean as expected", "getblockheader", []any{1, 1}},
		{-1, "JSON value is not an integer as expected", "gettxout", []any{strings.Repeat("ab", 32), "0"}},
		{-1, "JSON value is not a boolean as expected", "getrawmempool", []any{1}},
	} {
		s.refused(test.code, test.message, test.method, test.params...)
	}
}

// TestSideBranchBlock checks the answers for a block outside the active chain.
func TestSideBranchBlock(t *testing.T) {
	s := mined(t, 3)
	left := result[string](s, "getblockhash", 3)
	below := result[string](s, "getblockhash", 2)
	require.Equal(t, "null", string(s.answer("invalidateblock", left).Result))
	block := result[map[string]any](s, "getblock", left)
	require.EqualValues(t, -1, block["confirmations"])
	require.EqualValues(t, -1, block["rawconfirmations"])
	require.Equal(t, below, block["previousblockhash"])
	require.NotContains(t, block, "nextblockhash")
	require.NotContains(t, result[map[string]any](s, "getblock", below), "nextblockhash")

	// A block that has never been connected has no supply.
	side := s.sideBlock(2)
	require.Equal(t, `"inconclusive"`, string(s.answer("submitblock", hex.EncodeToString(side.Encode())).Result))
	var answer struct {
		Supply map[string]any   `json:"chainSupply"`
		Pools  []map[string]any `json:"valuePools"`
	}
	require.NoError(t, json.Unmarshal(s.answer("getblock", side.Hash().String()).Result, &answer))
	require.Equal(t, map[string]any{"monitored": false}, answer.Supply)
	require.Len(t, answer.Pools, 4)
	require.Equal(t, map[string]any{"id": "transparent", "monitored": false}, answer.Pools[0])
}

// sideBlock returns a different block for a height.
func (s *station) sideBlock(height int) *wire.Block {
	raw, err := hex.DecodeString(result[string](s, "getblock", height, 0))
	require.NoError(s.t, err)
	block, err := wire.DecodeBlock(raw)
	require.NoError(s.t, err)
	block.Nonce[0]++
	return block
}

func TestChainTips(t *testing.T) {
	s := mined(t, 5)
	side := s.sideBlock(3)
	require.Equal(t, `"inconclusive"`, string(s.answer("submitblock", hex.EncodeToString(side.Encode())).Result))
	fourth, fifth := result[string](s, "getblockhash", 4), result[string](s, "getblockhash", 5)
	s.ask("invalidateblock", fourth)
	type tip struct {
		Height    int
		Hash      string
		BranchLen int
		Status    string
	}
	require.Equal(t, []tip{
		{5, fifth, 2, "invalid"},
		{3, result[string](s, "getbestblockhash"), 0, "active"},
		{3, side.Hash().String(), 1, "valid-fork"},
	}, result[[]tip](s, "getchaintips"))
}

// TestDifficulty checks that the digits equal those of a double divided and printed by komodod.
func TestDifficulty(t *testing.T) {
	for bits, want := range map[uint32]string{ // computed with komodod's formula in doubles
		0x200f0f0f: "1", 0x200f0f0e: "1.000001013280048", 0x1f0f0f0f: "256", 0x1d00ffff: "252648975.1174182",
		0x1b0404cb: "4120053186926.41", 0x207fffff: "0.1176470658358414", 0x1e123456: "54211.78288180003",
		0x04000100: "1.039321740862407e+71", 0x2100ffff: "0.05882442349507896", 0x00000000: "0", 0x1f8f0f0f: "0",
	} {
		s := mined(t, 1)
		b := s.sideBlock(1)
		b.Bits = bits
		s.ask("submitblock", hex.EncodeToString(b.Encode()))
		answer := result[map[string]json.RawMessage](s, "getblock", b.Hash().String())
		require.Equal(t, want, string(answer["difficulty"]), "%08x", bits)
	}
}

func TestTxOut(t *testing.T) {
	s := mined(t, 3)
	coinbase := result[struct{ Tx []string }](s, "getblock", 3).Tx[0]
	out := result[map[string]any](s, "gettxout", coinbase, 0)
	require.Equal(t, true, out["coinbase"])
	require.EqualValues(t, 1, out["confirmations"])
	require.Equal(t, "null", string(s.answer("gettxout", coinbase, 1).Result))
	require.Equal(t, "null", string(s.answer("gettxout", coinbase, -1).Result))
	for _, bad := range []string{"", "ab", "abc", "zz", coinbase[1:], strings.Repeat("zz", 32), strings.Repeat("ab", 40), " ", "0x"} {
		require.Equal(t, `{"result":null,"error":null,"id":"q"}`, s.ask("gettxout", bad, 0), bad)
	}
	for _, same := range []string{strings.ToUpper(coinbase), " 0x" + coinbase, coinbase + " ", "ab" + coinbase, coinbase + "zz"} {
		require.Equal(t, out, result[map[string]any](s, "gettxout", same, 0), same)
	}
	s.refused(-1, "JSON value is not a string as expected", "gettxout", 5, 0)

	id := result[string](s, "sendtoaddress", chaintest.Key(t, 2).Address().Text().String(), 1)
	paid := result[map[string]any](s, "gettxout", id, 1)
	require.EqualValues(t, 0, paid["confirmations"])
	require.EqualValues(t, 1, paid["value"])
	require.Equal(t, "null", string(s.answer("gettxout", id, 1, false).Result), "it is not in the chain")

	var spent struct{ Vin []struct{ TxID string } }
	require.NoError(t, json.Unmarshal(s.answer("getrawtransaction", id, 1).Result, &spent))
	require.Equal(t, "null", string(s.answer("gettxout", spent.Vin[0].TxID, 0).Result))
	require.NotEqual(t, "null", string(s.answer("gettxout", spent.Vin[0].TxID, 0, false).Result))
}

func TestMempool(t *testing.T) {
	s := mined(t, 3)
	require.Equal(t, `{"result":{"size":0,"bytes":0,"usage":0,"fullyNotified":true},"error":null,"id":"q"}`, s.ask("getmempoolinfo"))
	require.Equal(t, `{"result":{},"error":null,"id":"q"}`, s.ask("getrawmempool", true))
	to := chaintest.Key(t, 2).Address().Text().String()
	first := result[string](s, "sendtoaddress", to, s.all(5e7)) // spends everything, so that the next transaction spends its change
	second := result[string](s, "sendtoaddress", to, "0.1")
	require.Equal(t, []string{first, second}, result[[]string](s, "getrawmempool"))

	answer := result[map[string]struct {
		Size, Height int
		Fee          json.Number
		Time         int64
		Depends      []string
	}](s, "getrawmempool", true)
	require.Equal(t, []string{first}, answer[second].Depends)
	require.Equal(t, []string{}, answer[first].Depends)
	require.Equal(t, json.Number("0.00005000"), answer[first].Fee)
	require.Equal(t, recordedNow().Unix(), answer[first].Time)
	require.Equal(t, 3, answer[first].Height)
	info := result[map[string]any](s, "getmempoolinfo")
	require.EqualValues(t, 2, info["size"])
	require.EqualValues(t, answer[first].Size+answer[second].Size, info["bytes"])

	result[[]string](s, "generate", 1)
	require.Empty(t, result[[]string](s, "getrawmempool"))
}

// all returns the wallet's spendable balance minus some satoshis.
func (s *station) all(but int64) number.Coins {
	return result[number.Coins](s, "getbalance") - number.Coins(but)
}

func TestGenerate(t *testing.T) {
	s := mined(t, 1)
	require.Empty(t, result[[]string](s, "generate", 0))
	hashes := result[[]string](s, "generate", 3)
	require.Equal(t, hashes[2], result[string](s, "getbestblockhash"))
	s.refused(-8, "numblocks must be at most 10000", "generate", 10_001)
	s.Producer = nil
	s.refused(-1, "this node makes no blocks: it has no key, another node is the producer, or several validators make them", "generate", 1)
}

func TestSubmitBlock(t *testing.T) {
	s := mined(t, 2)
	left := result[string](s, "getblockhash", 2)
	raw := result[string](s, "getblock", 2, 0)
	submit := func(raw string) string { return string(s.answer("submitblock", raw).Result) }
	require.Equal(t, `"duplicate"`, submit(raw))
	s.ask("invalidateblock", left)
	require.Equal(t, `"duplicate-invalid"`, submit(raw))

	side, err := hex.DecodeString(raw)
	require.NoError(t, err)
	block, err := wire.DecodeBlock(side)
	require.NoError(t, err)
	block.Nonce[0]++
	require.Equal(t, "null", submit(hex.EncodeToString(block.Encode())))
	child := *block
	child.Prev, err = wire.ParseHash(left)
	require.NoError(t, err)
	require.Equal(t, `"bad-prevblk"`, submit(hex.EncodeToString(child.Encode())))
	for _, garbage := range []string{"", "zz", raw + "00", raw[:100]} {
		s.refused(-22, "Block decode failed", "submitblock", garbage)
	}
}

// TestSubmitBlockWithABadScript checks that a block with an invalid signature is rejected with
// the reason of the failed script.
func TestSubmitBlockWithABadScript(t *testing.T) {
	s := mined(t, 2)
	result[string](s, "sendtoaddress", chaintest.Key(t, 2).Address().Text().String(), 1)
	result[[]string](s, "generate", 1)
	block := s.sideBlock(3)
	s.ask("invalidateblock", result[string](s, "getbestblockhash"))
	sig := block.Txs[1].Inputs[0].ScriptSig
	sig[len(sig)-10] ^= 1
	require.Equal(t, `"mandatory-script-verify-flag-failed (Script evaluated without error but finished with a false/empty top stack element)"`,
		string(s.answer("submitblock", hex.EncodeToString(remade(block))).Result))
}

func TestRegtestOnly(t *testing.T) {
	s := newStation(t, chaintest.Params(t, strings.Replace(regtest, " regtest=true", "", 1)))
	for _, method := range []string{"submitblock", "invalidateblock", "reconsiderblock"} {
		s.refused(-32601, "Method not found: available only with regtest", method, "00")
	}
	info := result[map[string]any](s, "getblockchaininfo")
	require.Equal(t, "main", info["chain"])
	require.Equal(t, true, info["synced"])
	require.Equal(t, true, result[map[string]any](s, "getmininginfo")["generate"])
}

func TestStop(t *testing.T) {
	s := mined(t, 0)
	s.refused(-1, "this node cannot be stopped by a request", "stop")
	stopped := 0
	s.Stop = func() { stopped++ }
	require.Equal(t, "Obverse server stopping", result[string](s, "stop"))
	require.Equal(t, 1, stopped)
}

func TestNetworkInfo(t *testing.T) {
	info := result[map[string]any](mined(t, 0), "getnetworkinfo")
	require.Equal(t, "/Obverse:1.2.3/", info["subversion"])
	require.EqualValues(t, 0, info["connections"])
}
