package daemon_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/params"
	"obverse/core/chain/wire"
	"obverse/core/daemon/daemontest"
)

// recordedParams is a chain that komodod created with a set of flags.
type recordedParams struct {
	Flags     []string `json:"chain_flags"`
	Blocks    []daemontest.Block
	Subsidies map[int][]int64 // height → values of the coinbase outputs, in satoshis
	Events    []paramsEvent

	InfoAtStart  json.RawMessage `json:"getinfo_0"`
	Info         json.RawMessage `json:"getinfo"`
	ChainAtStart json.RawMessage `json:"getblockchaininfo_0"`
	Chain        json.RawMessage `json:"getblockchaininfo"`
	Mining       json.RawMessage `json:"getmininginfo"`
}

// paramsEvent is a request sent to the node at a height, with its answer.
type paramsEvent struct {
	Height  int `json:"after_height"`
	Kind    string
	Hex     string
	TxHex   string
	TxID    string
	Answer  json.RawMessage
	Results []paramsEvent
}

func TestKomododParams(t *testing.T) {
	chains := 0
	for _, path := range daemontest.Recordings(t, recordings, isJSON) {
		var recorded recordedParams
		if !readsAs(t, path, &recorded) || len(recorded.Blocks) == 0 || len(recorded.Subsidies) == 0 {
			continue // the file is another kind of recording
		}
		chains++
		t.Run(path, func(t *testing.T) {
			p, err := params.New(daemontest.Options(t, recorded.Flags, recorded.Blocks))
			require.NoError(t, err)
			s := newStation(t, p)
			s.sameInfo(recorded.InfoAtStart, recorded.ChainAtStart)
			for _, block := range recorded.Blocks {
				if block.Height > 0 {
					s.connect(&recorded, block)
				}
				s.replayEvents(recorded.Events, block.Height)
			}
			s.sameInfo(recorded.Info, recorded.Chain)
			s.sameAnswer(recorded.Mining, "getmininginfo")
		})
	}
	require.GreaterOrEqual(t, chains, 7)
}

// connect submits a block whose coinbase claims one satoshi more than the schedule allows,
// which must be refused, and then the recorded block.
func (s *station) connect(recorded *recordedParams, block daemontest.Block) {
	greedy := block.Decode(s.t)
	greedy.Txs[0].Outputs[0].Value++
	want := `"bad-cb-amount"`
	require.Equal(s.t, want, s.submit(hex.EncodeToString(remade(greedy))), "height %d", block.Height)

	require.Equal(s.t, "null", s.submit(block.Raw), "height %d", block.Height)
	require.Equal(s.t, block.Hash, result[string](s, "getbestblockhash"))

	var values []int64
	for _, out := range block.Decode(s.t).Txs[0].Outputs {
		values = append(values, out.Value)
	}
	require.Equal(s.t, recorded.Subsidies[block.Height], values)
	// subsidy and commission, without fees
	allowed := s.Manager.Params().Subsidy(block.Height) + s.Manager.Params().Commission(block.Height, block.Decode(s.t).Txs)
	require.Equal(s.t, allowed+s.fees(block), sum(values), "height %d", block.Height)
}

func sum(values []int64) (total int64) {
	for _, v := range values {
		total += v
	}
	return total
}

// fees returns the total fee of the transactions in a connected block.
func (s *station) fees(block daemontest.Block) (total int64) {
	for _, tx := range block.Decode(s.t).Txs[1:] {
		for i := range tx.Inputs {
			from := s.transaction(tx.Inputs[i].PrevOut.Hash)
			total += from.Outputs[tx.Inputs[i].PrevOut.Index].Value
		}
		for i := range tx.Outputs {
			total -= tx.Outputs[i].Value
		}
	}
	return total
}

func (s *station) transaction(id wire.Hash) *wire.Tx {
	raw, err := hex.DecodeString(result[string](s, "getrawtransaction", id.String()))
	require.NoError(s.t, err)
	tx, err := wire.DecodeTx(raw)
	require.NoError(s.t, err)
	return tx
}

// remade returns a changed block with the correct merkle root.
func remade(b *wire.Block) []byte {
	ids := make([]wire.Hash, len(b.Txs))
	for i, tx := range b.Txs {
		ids[i] = tx.ID()
	}
	b.MerkleRoot, _ = wire.MerkleRoot(ids)
	return b.Encode()
}

// replayEvents sends the requests recorded at a height, including probes of versions, maturity
// and activation heights, and compares the answers.
func (s *station) replayEvents(events []paramsEvent, height int) {
	for i := range events {
		if e := &events[i]; e.Height == height {
			s.replayEvent(e, fmt.Sprintf("height %d %s", height, e.Kind))
			for j := range e.Results {
				s.replayEvent(&e.Results[j], fmt.Sprintf("height %d %s %d", height, e.Kind, j))
			}
		}
	}
}

func (s *station) replayEvent(e *paramsEvent, label string) {
	switch {
	case e.TxHex != "": // a payment by a wallet that had additional keys
		require.Equal(s.t, e.TxID, result[string](s, "sendrawtransaction", e.TxHex), label)
	case e.Hex != "" && e.Answer != nil:
		require.JSONEq(s.t, string(e.Answer), s.ask("sendrawtransaction", e.Hex), label)
	}
}

// sameInfo compares getinfo and getblockchaininfo.
func (s *station) sameInfo(info, chain json.RawMessage) {
	s.sameAnswer(info, "getinfo")
	s.sameAnswer(chain, "getblockchaininfo")
}

// live lists members that describe the process, its files and its wallet, or regtest's
// simulated notarisation. They are not compared.
var live = map[string][]string{
	"getinfo":       {"keypoololdest", "keypoolsize", "p2pport", "rpcport", "notarized", "notarizedhash", "notarizedtxid", "balance"},
	"getmininginfo": {"currentblocksize", "currentblocktx"},
}

// sameAnswer compares the members of an answer, their order and their values. The recordings of
// params were processed by another program, which shortened the amounts.
func (s *station) sameAnswer(recorded json.RawMessage, method string) {
	s.t.Helper()
	got := s.answer(method).Result
	require.Equal(s.t, keysOf(s.t, recorded), keysOf(s.t, got), method)
	var want, ours map[string]any
	require.NoError(s.t, json.Unmarshal(recorded, &want))
	require.NoError(s.t, json.Unmarshal(got, &ours))
	for _, key := range live[method] {
		require.IsType(s.t, want[key], ours[key], key)
		delete(want, key)
		delete(ours, key)
	}
	require.Equal(s.t, want, ours, method)
}

// keysOf returns all member names in a JSON text in order.
func keysOf(t testing.TB, text json.RawMessage) (keys []string) {
	t.Helper()
	var compact bytes.Buffer
	require.NoError(t, json.Compact(&compact, text))
	return regexp.MustCompile(`"[^"]*":`).FindAllString(strings.ReplaceAll(compact.String(), `\"`, ""), -1)
}
