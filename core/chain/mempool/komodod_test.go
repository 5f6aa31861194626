package mempool_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/mempool"
	"obverse/core/chain/params"
	"obverse/core/chain/wire"
	"obverse/core/store/bunttest"
)

// folders returns the folders with recordings of komodod: the package's own folder, and those
// named in the environment, which may lack some files.
func folders() []string {
	list := []string{"testdata/komodod"}
	for folder := range strings.SplitSeq(os.Getenv("OBVERSE_KOMODOD"), ":") {
		if folder != "" {
			list = append(list, folder)
		}
	}
	return list
}

// read reads a recording. Only the files in the package's own folder are required.
func read(t *testing.T, folder, name string) ([]byte, bool) {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil && folder != "testdata/komodod" {
		return nil, false
	}
	require.NoError(t, err)
	return b, true
}

func parse(t *testing.T, b []byte, into any) {
	t.Helper()
	require.NoError(t, json.Unmarshal(b, into))
}

// lines parses a file with one JSON value per line.
func lines[T any](t *testing.T, b []byte) (list []T) {
	t.Helper()
	for line := range bytes.Lines(b) {
		var one T
		parse(t, line, &one)
		list = append(list, one)
	}
	return list
}

type recordedBlock struct {
	Height int
	Raw    string
}

// answer is komodod's response to sendrawtransaction.
type answer struct {
	Result *string
	Error  *struct {
		Code    int
		Message string
	}
}

// send is a call of sendrawtransaction at a tip.
type send struct {
	label  string
	height int
	params []any // hex, allowhighfees
	want   answer
}

// replay submits the recorded blocks to a node, sends the transactions recorded at each height,
// and requires that the answers equal komodod's exactly.
func replay(t *testing.T, p *params.Params, blocks []recordedBlock, sends []send) {
	kv := bunttest.Memory(t)
	c := chaintest.New(t, kv, p)
	pool, err := mempool.New(t.Context(), mempool.Config{Manager: c.Manager, Store: kv, Now: chaintest.Now})
	require.NoError(t, err)
	slices.SortStableFunc(sends, func(a, b send) int { return a.height - b.height })
	for _, b := range blocks {
		if b.Height > 0 {
			raw, err := hex.DecodeString(b.Raw)
			require.NoError(t, err)
			_, err = c.Manager.Submit(t.Context(), raw)
			require.NoError(t, err, "block %d", b.Height)
		}
		for len(sends) > 0 && sends[0].height == b.Height {
			t.Run(fmt.Sprintf("%d: %s", b.Height, sends[0].label), func(t *testing.T) { requireAnswer(t, pool, sends[0]) })
			sends = sends[1:]
		}
	}
	require.Empty(t, sends)
}

func requireAnswer(t *testing.T, pool *mempool.Pool, s send) {
	t.Helper()
	id, err := acceptHex(t, pool, s.params)
	if s.want.Error == nil {
		require.NoError(t, err)
		require.Equal(t, *s.want.Result, id.String())
		return
	}
	var refused *mempool.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, s.want.Error.Code, refused.Code, refused.Message)
	require.Equal(t, s.want.Error.Message, refused.Message)
}

func acceptHex(t *testing.T, pool *mempool.Pool, params []any) (wire.Hash, error) {
	t.Helper()
	raw, err := hex.DecodeString(params[0].(string))
	if err != nil {
		return wire.Hash{}, mempool.ErrDecode // the caller compares the error
	}
	high := len(params) > 1 && params[1].(bool)
	return pool.Accept(t.Context(), raw, high)
}

func TestKomododRules(t *testing.T) {
	for _, folder := range folders() {
		raw, ok := read(t, folder, "rules-regtest/rules.json")
		if !ok {
			continue
		}
		var rules struct {
			Cases []struct {
				Label, Hex string
				Response   answer
				Height     int
			}
		}
		parse(t, raw, &rules)
		require.NotEmpty(t, rules.Cases)
		var sends []send
		for _, c := range rules.Cases {
			sends = append(sends, send{c.Label, c.Height, []any{c.Hex}, c.Response})
		}
		p, blocks := recordedChain(t, folder, "rules-regtest")
		replay(t, p, blocks, sends)
	}
}

// recordedChain reads a folder with chain.json and blocks.json.
func recordedChain(t *testing.T, folder, name string) (*params.Params, []recordedBlock) {
	t.Helper()
	raw, _ := read(t, folder, name+"/chain.json")
	options := params.Defaults()
	parse(t, raw, &options)
	p, err := params.New(options)
	require.NoError(t, err)
	raw, _ = read(t, folder, name+"/blocks.json")
	var blocks []recordedBlock
	parse(t, raw, &blocks)
	return p, blocks
}

func TestKomododTranscript(t *testing.T) {
	for _, folder := range folders() {
		raw, ok := read(t, folder, "regtest-v4/transcript.jsonl")
		if !ok {
			continue
		}
		type exchange struct {
			N, Tip            int
			Label, Note       string
			Request, Response struct{ Body string }
		}
		var sends []send
		for _, e := range lines[exchange](t, raw) {
			if s, ok := asSend(t, e.Request.Body, e.Response.Body); ok {
				s.label, s.height = fmt.Sprint(e.N, " ", e.Label, " ", e.Note), e.Tip
				sends = append(sends, s)
			}
		}
		require.NotEmpty(t, sends)
		p, blocks := recordedChain(t, folder, "regtest-v4")
		replay(t, p, blocks, sends)
	}
}

// asSend decodes a recorded exchange. The result ok is false unless the request is a
// sendrawtransaction with parameters of the right types.
func asSend(t *testing.T, request, response string) (s send, ok bool) {
	t.Helper()
	var call struct {
		Method string
		Params []any
	}
	if json.Unmarshal([]byte(request), &call) != nil || call.Method != "sendrawtransaction" {
		return s, false
	}
	parse(t, []byte(response), &s.want)
	wrongType := s.want.Error != nil && (s.want.Error.Code == -1 || s.want.Error.Code == -3)
	s.params = call.Params
	return s, !wrongType
}

// flagsOf parses the ac_* flags of a command line.
func flagsOf(t *testing.T, flags []string) *params.Params {
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
	p, err := params.New(o)
	require.NoError(t, err)
	return p
}

// probe is a transaction sent during a recording, with its answer. The answer is not an object
// if no transaction was sent.
type probe struct {
	Form   string
	Hex    string
	Answer json.RawMessage
}

func (p probe) send(t *testing.T, label string, height int) (s send, sent bool) {
	t.Helper()
	if p.Hex == "" || len(p.Answer) == 0 || p.Answer[0] != '{' {
		return s, false
	}
	s = send{label: label + " " + p.Form, height: height, params: []any{p.Hex}}
	parse(t, p.Answer, &s.want)
	return s, true
}

// TestKomododUpgrades passes the activation of Sapling with transactions of every format, and
// replays recordings with maturity and commission.
func TestKomododUpgrades(t *testing.T) {
	for _, folder := range folders() {
		for _, name := range []string{"default-sapling61", "cbmaturity10", "perc-pubkey"} {
			raw, ok := read(t, folder, "params/"+name+".json")
			if !ok {
				continue
			}
			var session struct {
				StartFlags []string `json:"start_flags"`
				Blocks     []recordedBlock
				Events     []struct {
					probe
					AfterHeight int `json:"after_height"`
					Kind        string
					TxID, TxHex string
					Results     []probe
				}
			}
			parse(t, raw, &session)
			var sends []send
			for _, e := range session.Events {
				if e.TxHex != "" { // the node made and sent it itself
					sends = append(sends, send{e.Kind, e.AfterHeight, []any{e.TxHex}, answer{Result: &e.TxID}})
				}
				for _, p := range append(e.Results, e.probe) {
					if s, sent := p.send(t, e.Kind, e.AfterHeight); sent {
						sends = append(sends, s)
					}
				}
			}
			require.NotEmpty(t, sends)
			t.Run(name, func(t *testing.T) { replay(t, flagsOf(t, session.StartFlags), session.Blocks, sends) })
		}
	}
}

// TestKomododScripts sends spends of every script type. The recording has no heights: each
// transaction was sent before the block that includes the next accepted transaction.
func TestKomododScripts(t *testing.T) {
	for _, folder := range folders() {
		raw, ok := read(t, folder, "scripts-chain.json")
		if !ok {
			continue
		}
		var session struct {
			StartFlags []string `json:"start_flags"`
			Blocks     []recordedBlock
		}
		parse(t, raw, &session)
		heights := heightsOf(t, session.Blocks)
		raw, _ = read(t, folder, "scripts.jsonl")
		var sends []send
		for _, e := range lines[struct{ Label, Request, Response string }](t, raw) {
			if s, ok := asSend(t, e.Request, e.Response); ok {
				s.label = e.Label
				sends = append(sends, s)
			}
		}
		tip := session.Blocks[len(session.Blocks)-1].Height
		for i := len(sends) - 1; i >= 0; i-- {
			if id := sends[i].want.Result; id != nil {
				if height, mined := heights[*id]; mined {
					tip = height - 1
				}
			}
			sends[i].height = tip
		}
		replay(t, flagsOf(t, session.StartFlags), session.Blocks, sends)
	}
}

func heightsOf(t *testing.T, blocks []recordedBlock) map[string]int {
	t.Helper()
	heights := map[string]int{}
	for _, recorded := range blocks {
		raw, err := hex.DecodeString(recorded.Raw)
		require.NoError(t, err)
		b, err := wire.DecodeBlock(raw)
		require.NoError(t, err, fmt.Sprint(recorded.Height))
		for _, tx := range b.Txs {
			heights[tx.ID().String()] = recorded.Height
		}
	}
	return heights
}
