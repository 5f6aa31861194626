package script

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/cc"
	"obverse/core/chain/wire"
	"obverse/core/rpc/recording"
)

// outputs holds the outputs that the transactions of a recording spend.
type outputs map[wire.OutPoint]wire.TxOut

func (o outputs) addTx(tx *wire.Tx) {
	id := tx.ID()
	for i, out := range tx.Outputs {
		o[wire.OutPoint{Hash: id, Index: uint32(i)}] = out
	}
}

type recordedBlock struct {
	Height int    `json:"height"`
	Raw    string `json:"raw"`
}

func (o outputs) addBlock(t *testing.T, b recordedBlock) *wire.Block {
	t.Helper()
	block, err := wire.DecodeBlock(unhex(t, b.Raw))
	require.NoError(t, err)
	for _, tx := range block.Txs {
		o.addTx(tx)
	}
	return block
}

// verifyInputs verifies every input like komodod's mempool: first with the standard flags and
// without eval, and then with the mandatory flags and with eval. It returns the reason that
// sendrawtransaction reports.
func (o outputs) verifyInputs(t *testing.T, tx *wire.Tx, cache *SigCache, eval func([]byte) bool) *Rejection {
	t.Helper()
	hashes := NewSigHashes(tx)
	for pass, flags := range []Flags{StandardFlags, MandatoryFlags} {
		for i, in := range tx.Inputs {
			out, known := o[in.PrevOut]
			require.True(t, known, "output %v", in.PrevOut)
			s := &Spend{Tx: tx, Index: i, Amount: out.Value, BranchID: branchOf(tx), Hashes: hashes, Cache: cache}
			if pass == 1 {
				s.Eval = eval
			}
			if err := s.VerifyRelay(out.Script, flags); err != nil {
				var rejection *Rejection
				require.ErrorAs(t, err, &rejection)
				return rejection
			}
		}
	}
	return nil
}

// verifyBlocks runs the scripts of all blocks, and then again with a cache that knows all
// signatures.
func verifyBlocks(t *testing.T, blocks []recordedBlock) outputs {
	t.Helper()
	known, cache, spends := outputs{}, NewSigCache(1000, nil), 0
	for _, b := range blocks {
		for _, tx := range known.addBlock(t, b).Txs {
			if tx.IsCoinbase() {
				continue
			}
			spends += len(tx.Inputs)
			for i, in := range tx.Inputs {
				out := known[in.PrevOut]
				s := &Spend{Tx: tx, Index: i, Amount: out.Value, BranchID: branchOf(tx), Cache: cache}
				require.NoError(t, s.Verify(out.Script, BlockFlags), "block %d input %d", b.Height, i)
				require.NoError(t, s.Verify(out.Script, BlockFlags), "from the cache")
				s.Tx.LockTime++
				require.Equal(t, len(in.ScriptSig) > 50, s.Verify(out.Script, BlockFlags) != nil,
					"a signature must not outlive a change")
				s.Tx.LockTime--
			}
		}
	}
	require.Greater(t, spends, 10)
	return known
}

type ruleCase struct {
	Label    string   `json:"label"`
	Hex      string   `json:"hex"`
	Stderr   []string `json:"stderr"`
	Response struct {
		Error *struct {
			Message string `json:"message"`
		} `json:"error"`
	} `json:"response"`
	Accepted bool `json:"accepted"`
}

// tokensRefused reports whether only the token module refused the case.
func (c ruleCase) tokensRefused() bool {
	return strings.Contains(strings.Join(c.Stderr, "\n"), "CC Eval EVAL_TOKENS Invalid")
}

// message returns the message of sendrawtransaction for a rejection.
func (r *Rejection) message() string {
	if r == nil {
		return ""
	}
	return map[int]string{16: "16: ", 64: "64: "}[r.Code()] + r.Error()
}

func TestKomododRules(t *testing.T) {
	var known outputs
	for _, blocks := range komodod[[]recordedBlock](t, "rules-regtest/blocks.json") {
		known = verifyBlocks(t, blocks)
	}
	type rules struct {
		Cases []ruleCase `json:"cases"`
	}
	decided := 0
	for _, c := range komodod[rules](t, "rules-regtest/rules.json")[0].Cases {
		want := ""
		if c.Response.Error != nil {
			want = c.Response.Error.Message
		}
		if !c.Accepted && !strings.Contains(want, "script-verify-flag") {
			continue // refused before scripts run
		}
		decided++
		t.Run(c.Label, func(t *testing.T) {
			evals := 0
			eval := func(code []byte) bool {
				evals++
				return !c.tokensRefused() || len(code) != 1 || code[0] != 0xf2
			}
			tx := decodeTx(t, c.Hex)
			require.Equal(t, want, known.verifyInputs(t, tx, nil, eval).message())
			if c.tokensRefused() {
				require.Equal(t, 1, evals)
				require.Nil(t, known.verifyInputs(t, tx, nil, nil))
			}
		})
	}
	require.Greater(t, decided, 60)
}

// call is a line of scripts.jsonl.
type call struct {
	Label    string `json:"label"`
	Request  string `json:"request"`
	Status   int    `json:"status"`
	Response string `json:"response"`
}

type answer struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

func scriptCalls(t *testing.T, method string, each func(t *testing.T, params []any, a answer)) (n int) {
	t.Helper()
	for _, file := range recording.Read(t, "testdata/komodod", "OBVERSE_KOMODOD", "scripts.jsonl") {
		for line := range strings.Lines(string(file)) {
			var c call
			require.NoError(t, json.Unmarshal([]byte(line), &c))
			var request struct {
				Method string `json:"method"`
				Params []any  `json:"params"`
			}
			var a answer
			if json.Unmarshal([]byte(c.Request), &request) != nil || request.Method != method ||
				json.Unmarshal([]byte(c.Response), &a) != nil || len(request.Params) == 0 {
				continue
			}
			n++
			t.Run(c.Label, func(t *testing.T) { each(t, request.Params, a) })
		}
	}
	return n
}

func TestKomododSpends(t *testing.T) {
	type recording struct {
		Blocks []recordedBlock `json:"blocks"`
	}
	known := verifyBlocks(t, komodod[recording](t, "scripts-chain.json")[0].Blocks)
	decided := 0
	scriptCalls(t, "sendrawtransaction", func(t *testing.T, params []any, a answer) {
		want := ""
		if a.Error != nil {
			want = a.Error.Message
		}
		text, isText := params[0].(string)
		if !isText || want != "" && !strings.Contains(want, "script-verify-flag") {
			return // refused before scripts run
		}
		decided++
		tx := decodeTx(t, text)
		require.Equal(t, want, known.verifyInputs(t, tx, NewSigCache(10, nil), nil).message())
	})
	require.Greater(t, decided, 25)
}

func TestKomododDecodeScript(t *testing.T) {
	n := scriptCalls(t, "decodescript", func(t *testing.T, params []any, a answer) {
		text, isText := params[0].(string)
		if a.Error != nil || !isText {
			return
		}
		var want scriptJSON
		require.NoError(t, json.Unmarshal(a.Result, &want))
		script := unhex(t, text)
		want.requirePkScript(t, script)
		require.Equal(t, want.P2SH, ScriptAddress(script).String())
	})
	require.Greater(t, n, 20)
}

func TestKomododValidateAddress(t *testing.T) {
	n := scriptCalls(t, "validateaddress", func(t *testing.T, params []any, a answer) {
		text, isText := params[0].(string)
		if !isText {
			return
		}
		var want struct {
			IsValid  bool   `json:"isvalid"`
			PkScript string `json:"scriptPubKey"`
			IsScript bool   `json:"isscript"`
			Address  string `json:"address"`
		}
		require.NoError(t, json.Unmarshal(a.Result, &want))
		address, err := ParseAddress(text)
		require.Equal(t, want.IsValid, err == nil, "%v", err)
		if err == nil {
			require.Equal(t, unhex(t, want.PkScript), address.PkScript())
			require.Equal(t, want.IsScript, address.Version == ScriptHashVersion)
			require.Equal(t, want.Address, address.String())
		}
	})
	require.Greater(t, n, 8)
}

func TestKomododMultiSig(t *testing.T) {
	n := scriptCalls(t, "createmultisig", func(t *testing.T, params []any, a answer) {
		var want struct {
			Address string `json:"address"`
			Redeem  string `json:"redeemScript"`
		}
		if a.Error != nil {
			return
		}
		require.NoError(t, json.Unmarshal(a.Result, &want))
		redeem := unhex(t, want.Redeem)
		class := Classify(redeem)
		require.Equal(t, TypeMultiSig, class.Type)
		require.Equal(t, redeem, payToMultiSig(class.ReqSigs, class.PubKeys...))
		require.Equal(t, want.Address, ScriptAddress(redeem).String())
		require.EqualValues(t, params[0], class.ReqSigs)
	})
	require.Greater(t, n, 1)
}

func TestKomododConditions(t *testing.T) {
	type file struct {
		Vectors []struct {
			Name      string `json:"name"`
			PkScript  string `json:"scriptPubKey"`
			Address   string `json:"address"`
			Condition struct {
				Bin string `json:"bin"`
			} `json:"encodeCondition"`
		} `json:"vectors"`
	}
	for _, v := range komodod[file](t, "cc-vectors.json")[0].Vectors {
		t.Run(v.Name, func(t *testing.T) {
			condition, err := cc.DecodeCondition(unhex(t, v.Condition.Bin))
			require.NoError(t, err)
			script := PayToCondition(condition)
			require.Equal(t, unhex(t, v.PkScript), script)
			class := Classify(script)
			require.Equal(t, []string{v.Address}, addressTexts(class))
		})
	}
}
