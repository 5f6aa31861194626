package daemon_test

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/params"
	"obverse/core/chain/wire"
	"obverse/core/daemon/daemontest"
)

// absent are methods in the recordings that we do not have: of komodod's wallet,
// and those with which it makes transactions by hand.
var absent = []string{
	"addmultisigaddress", "createmultisig", "createrawtransaction", "importaddress", "importprivkey",
	"signmessage", "signrawtransaction", "verifymessage",
}

// run replays exchanges on a node and counts what the deviations excused.
type run struct {
	node    *node
	equal   int
	excused map[string]int
	last    wire.Hash // transaction that was accepted last
}

func newRun(n *node) *run { return &run{node: n, excused: map[string]int{}} }

// sessionKey is the key of a session: see the recordings' names of them.
func sessionKey(session string) int {
	switch {
	case strings.HasPrefix(session, "A:"):
		return 0
	case strings.HasPrefix(session, "D:"):
		return 2
	}
	return 1
}

func (r *run) all(t *testing.T, exchanges []daemontest.Exchange) {
	t.Helper()
	for _, x := range exchanges {
		if !x.Transport() {
			t.Run(x.Name(), func(t *testing.T) { r.one(t, x) })
		}
	}
}

func (r *run) one(t *testing.T, x daemontest.Exchange) {
	q := &question{T: t, Exchange: x, node: r.node, key: sessionKey(x.Session),
		recorded: reply{x.Response.Status, strings.TrimSuffix(x.Response.Body, "\n")}}
	var request struct {
		Method string
		Params []json.RawMessage
	}
	require.NoError(t, json.Unmarshal([]byte(x.Request.Body), &request))
	q.method, q.args = request.Method, request.Params
	if slices.Contains(absent, q.method) {
		require.Equal(t, 404, r.node.serve(t, x.Request.Bytes()).status)
		return
	}
	r.advance(q)
	r.node.as(t, q.key)
	if q.is("sendtoaddress") { // komodod chooses coins and change at random: take its transaction
		r.accept(t, r.last)
		return
	}
	q.ours = r.node.serve(t, x.Request.Bytes())
	r.compare(q)
}

// advance connects the blocks up to the height at which the question was asked. In a
// recording without heights a block follows each transaction that was accepted.
func (r *run) advance(q *question) {
	tip := r.node.mined[r.last]
	if id, ok := q.accepted(); ok {
		tip = r.node.mined[id] - 1
		r.last = id
	}
	if q.Tip == nil {
		q.Tip = &tip
	}
	r.node.connect(q.T, *q.Tip)
}

// accepted is the id that komodod answered to a transaction.
func (q *question) accepted() (wire.Hash, bool) {
	var answer struct{ Result string }
	if !q.is("sendrawtransaction", "sendtoaddress") || q.recorded.status != 200 || json.Unmarshal([]byte(q.recorded.body), &answer) != nil {
		return wire.Hash{}, false
	}
	id, err := wire.ParseHash(answer.Result)
	return id, err == nil
}

// accept puts a transaction of a later block into the mempool.
func (r *run) accept(t *testing.T, id wire.Hash) {
	t.Helper()
	b := r.node.blocks[r.node.mined[id]].decode(t)
	at := slices.IndexFunc(b.Txs, func(tx *wire.Tx) bool { return tx.ID() == id })
	_, err := r.node.Pool.Accept(t.Context(), b.Txs[at].Encode(), false)
	require.NoError(t, err)
}

func (r *run) compare(q *question) {
	applied := []string{}
	for _, d := range excuses {
		before := [2]reply{q.recorded, q.ours}
		if d.applies(q) {
			d.level(q)
		}
		if before != [2]reply{q.recorded, q.ours} {
			applied = append(applied, d.id)
		}
	}
	require.Equal(q, q.recorded.body, q.ours.body)
	require.Equal(q, q.recorded.status, q.ours.status)
	if len(applied) == 0 {
		r.equal++
	}
	for _, id := range applied {
		r.excused[id]++
	}
}

// body compares the answer to a method at the end of a session.
func (r *run) body(t *testing.T, recorded, method string, args ...any) {
	t.Helper()
	q := &question{T: t, node: r.node, method: method, recorded: reply{200, recorded}, ours: r.node.call(t, method, args...)}
	for _, arg := range args {
		q.args = append(q.args, json.RawMessage(jsonText(arg)))
	}
	r.compare(q)
}

// folder is a recorded session and its chain.
type folder struct {
	path    string
	options params.Options
	blocks  []block
	txs     map[string]struct {
		Hex     string `json:"hex"`
		Verbose string `json:"getrawtransaction_body"`
		Decoded string `json:"decoderawtransaction_body"`
	}
}

func folders(t *testing.T, with string) (all []folder) {
	t.Helper()
	for _, path := range recordings(t, with) {
		f := folder{path: filepath.Dir(path), options: params.Defaults()}
		if _, err := os.Stat(filepath.Join(f.path, "chain.json")); err != nil {
			continue
		}
		readJSON(t, filepath.Join(f.path, "chain.json"), &f.options)
		readJSON(t, filepath.Join(f.path, "blocks.json"), &f.blocks)
		readIfThere(t, filepath.Join(f.path, "txs.json"), &f.txs)
		all = append(all, f)
	}
	return all
}

// TestKomododReplay gives a node the blocks and transactions of a recorded chain in
// their order and expects komodod's answers, every byte, but for the deviations.
func TestKomododReplay(t *testing.T) {
	equal, excused := 0, map[string]int{}
	for _, f := range folders(t, "transcript.jsonl") {
		t.Run(f.path, func(t *testing.T) {
			r := newRun(newNode(t, f.options, f.blocks))
			r.all(t, readExchanges(t, filepath.Join(f.path, "transcript.jsonl")))
			r.node.connect(t, len(f.blocks)-1)
			r.end(t, f)
			equal += r.equal
			for id, n := range r.excused {
				excused[id] += n
			}
		})
	}
	require.GreaterOrEqual(t, equal, 500)
	require.ElementsMatch(t, []string{"D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "D9", "D10", "D11", "D12"}, slices.Collect(maps.Keys(excused)))
}

// end compares what was recorded when the session was over.
func (r *run) end(t *testing.T, f folder) {
	r.node.as(t, 2)
	for _, b := range f.blocks {
		if b.V1 == "" {
			continue
		}
		t.Run("getblock "+b.Hash, func(t *testing.T) {
			r.body(t, b.V1, "getblock", b.Hash, 1)
			r.body(t, b.V2, "getblock", b.Hash, 2)
		})
	}
	for id, tx := range f.txs {
		t.Run("transaction "+id, func(t *testing.T) {
			r.body(t, tx.Verbose, "getrawtransaction", id, 1)
			if tx.Decoded != "" {
				r.body(t, tx.Decoded, "decoderawtransaction", tx.Hex)
			}
			r.body(t, `{"result":"`+tx.Hex+`","error":null,"id":"q"}`, "getrawtransaction", id)
		})
	}
	var state struct {
		Addresses map[string]map[string]string
		Scripts   map[string]map[string]json.RawMessage
	}
	readIfThere(t, filepath.Join(f.path, "state.json"), &state)
	for address, answers := range state.Addresses {
		for method, body := range answers {
			t.Run(method+" "+address, func(t *testing.T) {
				r.body(t, body, method, map[string]any{"addresses": []string{address}})
			})
		}
	}
	for pkScript, answers := range state.Scripts {
		t.Run("decodescript "+pkScript[:min(len(pkScript), 64)], func(t *testing.T) {
			want := strings.TrimSpace(jsonText(answers["decodescript"]))
			r.body(t, `{"result":`+want+`,"error":null,"id":"q"}`, "decodescript", pkScript)
		})
	}
}

// TestKomododRules replays hand-made transactions at their heights and compares
// what came of each with the list of cases.
func TestKomododRules(t *testing.T) {
	for _, f := range folders(t, "rules.json") {
		var rules struct {
			Cases []struct {
				Label    string
				Hex      string
				Height   int
				Status   int `json:"http_status"`
				Accepted bool
				Response struct {
					Error *struct {
						Code    int
						Message string
					}
				}
			}
		}
		readJSON(t, filepath.Join(f.path, "rules.json"), &rules)
		n := newNode(t, f.options, f.blocks)
		for _, c := range rules.Cases {
			n.connect(t, c.Height)
			got := n.call(t, "sendrawtransaction", c.Hex)
			require.Equal(t, c.Status, got.status, c.Label)
			if c.Accepted {
				tx, err := wire.DecodeTx(fromHex(t, c.Hex))
				require.NoError(t, err)
				require.Equal(t, `{"result":"`+tx.ID().String()+`","error":null,"id":"q"}`, got.body, c.Label)
				continue
			}
			var answer struct {
				Error struct {
					Code    int
					Message string
				}
			}
			require.NoError(t, json.Unmarshal([]byte(got.body), &answer))
			require.Equal(t, *c.Response.Error, answer.Error, c.Label)
		}
	}
}

// TestKomododScripts replays spends of every script type, and answers about scripts
// and addresses.
func TestKomododScripts(t *testing.T) {
	for _, path := range recordings(t, "scripts.jsonl") {
		var recorded struct {
			Flags  []string `json:"start_flags"`
			Blocks []block
		}
		readJSON(t, filepath.Join(filepath.Dir(path), "scripts-chain.json"), &recorded)
		r := newRun(newNode(t, optionsOf(t, recorded.Flags), recorded.Blocks))
		r.all(t, readExchanges(t, path))
		r.node.connect(t, len(recorded.Blocks)-1)
		require.GreaterOrEqual(t, r.equal, 80)
	}
}
