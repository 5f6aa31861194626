package daemontest

import (
	"encoding/hex"
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
)

// absent are methods in the recordings that we do not have: of komodod's wallet,
// and those with which it makes transactions by hand.
var absent = []string{
	"addmultisigaddress", "createmultisig", "createrawtransaction", "importaddress", "importprivkey",
	"signmessage", "signrawtransaction", "verifymessage",
}

// run replays exchanges on a node and counts what the deviations excused.
type run struct {
	chain   *chain
	equal   int
	excused map[string]int
	skipped map[string]int // why an answer is not compared at all
	keys    map[string]int // of sessions
	last    wire.Hash      // transaction that was accepted last
}

func newRun(c *chain) *run {
	return &run{chain: c, excused: map[string]int{}, skipped: map[string]int{}}
}

func (r *run) all(t *testing.T, exchanges []Exchange) {
	t.Helper()
	r.keys = keysOf(t, exchanges)
	for _, x := range exchanges {
		if !x.Transport() {
			t.Run(x.Name(), func(t *testing.T) { r.one(t, x) })
		}
	}
}

func (r *run) one(t *testing.T, x Exchange) {
	q := &question{T: t, Exchange: x, chain: r.chain, key: r.keys[x.Session],
		recorded: answer{x.Response.Status, strings.TrimSuffix(x.Response.Body, "\n")}}
	var request struct {
		Method string
		Params []json.RawMessage
	}
	require.NoError(t, json.Unmarshal([]byte(x.Request.Body), &request))
	q.method, q.args = request.Method, request.Params
	if slices.Contains(absent, q.method) {
		require.Equal(t, 404, r.chain.serve(t, x.Request.Bytes()).status)
		r.skip(q, "a method that is not here")
		return
	}
	r.advance(q)
	r.chain.As(q.key)
	if _, paid := q.accepted(); paid && q.is("sendtoaddress") {
		r.chain.Accept(r.payment(q))
		r.skip(q, "komodod chooses coins and change at random: its transaction is taken")
		return
	}
	q.ours = r.chain.serve(t, x.Request.Bytes())
	if x.Response.isDecoded() {
		q.ours.body = string([]rune(q.ours.body)) // as the recorder did
	}
	r.compare(q)
}

// payment returns the transaction of a recorded sendtoaddress, from a block or from outside the
// blocks.
func (r *run) payment(q *question) []byte {
	if q.TxHex != "" {
		return fromHex(q.T, q.TxHex)
	}
	if r.chain.txs[r.last] == nil {
		r.skip(q, "the recording lacks the transaction of a payment")
	}
	return r.chain.txs[r.last].Encode()
}

// skip leaves an exchange out of the comparison, with its reason.
func (r *run) skip(q *question, why string) {
	r.skipped[why]++
	q.Skip(why)
}

// advance connects the blocks up to the height at which the question was asked. In a
// recording without heights a block follows each transaction that was accepted.
func (r *run) advance(q *question) {
	tip := r.chain.mined[r.last]
	if id, ok := q.accepted(); ok {
		if height, mined := r.chain.mined[id]; mined {
			tip = height - 1
		}
		r.last = id
	}
	if tip = max(tip, r.chain.height); q.Tip == nil {
		q.Tip = &tip
	}
	r.chain.grow(q.T, *q.Tip)
}

// accepted returns the id that komodod answered to a transaction.
func (q *question) accepted() (wire.Hash, bool) {
	var answer struct{ Result string }
	if !q.is("sendrawtransaction", "sendtoaddress") || q.recorded.status != 200 || json.Unmarshal([]byte(q.recorded.body), &answer) != nil {
		return wire.Hash{}, false
	}
	id, err := wire.ParseHash(answer.Result)
	return id, err == nil
}

func (r *run) compare(q *question) {
	applied := []string{}
	for _, d := range excuses {
		before := [2]answer{q.recorded, q.ours}
		if d.applies(q) {
			if d.level == nil {
				r.skip(q, d.id+": "+d.what)
			}
			d.level(q)
		}
		if before != [2]answer{q.recorded, q.ours} {
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
	q := &question{T: t, chain: r.chain, method: method, recorded: answer{200, recorded}, ours: r.chain.call(t, method, args...)}
	for _, arg := range args {
		q.args = append(q.args, json.RawMessage(jsonText(arg)))
	}
	r.compare(q)
}

// folder is a recorded session and its chain.
type folder struct {
	path    string
	options params.Options
	blocks  []Block
	txs     map[string]struct {
		Hex     string `json:"hex"`
		Verbose string `json:"getrawtransaction_body"`
		Decoded string `json:"decoderawtransaction_body"`
	}
}

func folders(t *testing.T, dir, with string) (all []folder) {
	t.Helper()
	for _, path := range Recordings(t, dir, Named(with)) {
		f := folder{path: filepath.Dir(path)}
		if _, err := os.Stat(filepath.Join(f.path, "chain.json")); err != nil {
			continue
		}
		f.options, f.blocks = ReadChain(t, f.path)
		readIfThere(t, filepath.Join(f.path, "txs.json"), &f.txs)
		all = append(all, f)
	}
	return all
}

// Tally counts the answers of a replay.
type Tally struct {
	Equal   int            // byte for byte
	Excused map[string]int // equal after what a row of the list allows
	Skipped map[string]int // not compared, and why
}

// Replay gives a node the blocks and transactions of each recorded chain in their order
// and expects komodod's answers, every byte, but for the deviations.
func Replay(t *testing.T, dir string, start Start) {
	sum := Play(t, dir, start)
	require.GreaterOrEqual(t, sum.Equal, 500)
	require.ElementsMatch(t, []string{"D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "D9", "D10", "D11", "D12"}, deviations(sum.Excused, sum.Skipped))
}

// Play is Replay, whatever the recordings hold.
func Play(t *testing.T, dir string, start Start) Tally {
	sum := Tally{Excused: map[string]int{}, Skipped: map[string]int{}}
	for _, f := range folders(t, dir, "transcript.jsonl") {
		t.Run(f.path, func(t *testing.T) {
			c := newChain(t, start, f.options, f.blocks)
			for id, tx := range f.txs {
				c.add(t, id, tx.Hex)
			}
			r := newRun(c)
			r.all(t, ReadFile(t, filepath.Join(f.path, "transcript.jsonl")))
			r.chain.grow(t, len(f.blocks)-1)
			r.end(t, f)
			sum.Equal += r.equal
			addUp(sum.Excused, r.excused)
			addUp(sum.Skipped, r.skipped)
		})
	}
	t.Logf("%d answers are equal, %d after what the list allows: %v; %d skipped: %v",
		sum.Equal, total(sum.Excused), sum.Excused, total(sum.Skipped), sum.Skipped)
	return sum
}

// deviations returns the rows of the list that were needed.
func deviations(excused, skipped map[string]int) []string {
	ids := slices.Collect(maps.Keys(excused))
	for why := range skipped {
		if id, _, named := strings.Cut(why, ":"); named && strings.HasPrefix(id, "D") {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return slices.Compact(ids)
}

func addUp(sums, counts map[string]int) {
	for name, n := range counts {
		sums[name] += n
	}
}

func total(counts map[string]int) (sum int) {
	for _, n := range counts {
		sum += n
	}
	return sum
}

// end compares what was recorded when the session was over.
func (r *run) end(t *testing.T, f folder) {
	r.chain.As(2)
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

// Rules offers hand-made transactions at their heights and compares what came of each
// with the list of cases.
func Rules(t *testing.T, dir string, start Start) {
	for _, f := range folders(t, dir, "rules.json") {
		var rules struct{ Cases []ruleCase }
		ReadJSON(t, filepath.Join(f.path, "rules.json"), &rules)
		require.NotEmpty(t, rules.Cases)
		c := newChain(t, start, f.options, f.blocks)
		for _, rule := range rules.Cases {
			c.grow(t, rule.Height)
			rule.compare(t, c.call(t, "sendrawtransaction", rule.Hex))
		}
	}
}

// ruleCase is a transaction that was made to keep a rule or to break it.
type ruleCase struct {
	Label    string
	Hex      string
	Height   int
	Status   int `json:"http_status"`
	Accepted bool
	Response struct{ Error *ruleError }
}

type ruleError struct {
	Code    int
	Message string
}

func (rule ruleCase) compare(t *testing.T, got answer) {
	t.Helper()
	require.Equal(t, rule.Status, got.status, rule.Label)
	if rule.Accepted {
		tx, err := wire.DecodeTx(fromHex(t, rule.Hex))
		require.NoError(t, err)
		require.Equal(t, `{"result":"`+tx.ID().String()+`","error":null,"id":"q"}`, got.body, rule.Label)
		return
	}
	var ours struct{ Error ruleError }
	require.NoError(t, json.Unmarshal([]byte(got.body), &ours))
	require.Equal(t, *rule.Response.Error, ours.Error, rule.Label)
}

// Scripts replays spends of every script type, and answers about scripts and addresses.
func Scripts(t *testing.T, dir string, start Start) {
	for _, path := range Recordings(t, dir, Named("scripts.jsonl")) {
		var recorded struct {
			Flags  []string `json:"start_flags"`
			Blocks []Block
		}
		ReadJSON(t, filepath.Join(filepath.Dir(path), "scripts-chain.json"), &recorded)
		r := newRun(newChain(t, start, Options(t, recorded.Flags, recorded.Blocks), recorded.Blocks))
		r.all(t, ReadFile(t, path))
		r.chain.grow(t, len(recorded.Blocks)-1)
		require.GreaterOrEqual(t, r.equal, 80)
	}
}

// Part is the part of a recorded session that is asked between two heights.
type Part struct {
	Folder   string
	From, To int
	// Skip names the methods whose answers depend on blocks that differ here.
	Skip []string
}

// Play gives a node the recorded blocks up to From, and plays what was asked from there on
// up to To. It returns how many answers were as recorded.
func (p Part) Play(t *testing.T, start Start) Tally {
	options, blocks := ReadChain(t, p.Folder)
	c := newChain(t, start, options, blocks)
	c.grow(t, p.From)
	r := newRun(c)
	exchanges := ReadFile(t, filepath.Join(p.Folder, "transcript.jsonl"))
	r.keys = keysOf(t, exchanges)
	for _, x := range exchanges {
		if x.Transport() || x.Tip == nil || *x.Tip < p.From || *x.Tip > p.To {
			continue
		}
		t.Run(x.Name(), func(t *testing.T) {
			if p.leavesOut(t, c, x) {
				r.skipped["blocks of the recording"]++
				t.Skip("the answer describes a block of the recording that another block replaces")
			}
			r.one(t, x)
		})
	}
	return Tally{r.equal, r.excused, r.skipped}
}

// leavesOut reports whether an exchange is about the coinbase of a block after From.
func (p Part) leavesOut(t *testing.T, c *chain, x Exchange) bool {
	var call struct{ Method string }
	if json.Unmarshal(x.Request.Bytes(), &call) == nil && slices.Contains(p.Skip, call.Method) {
		return true
	}
	for _, b := range c.blocks[p.From+1:] {
		id := b.Decode(t).Txs[0].ID()
		if strings.Contains(x.Response.Body, id.String()) || strings.Contains(x.Response.Body, hex.EncodeToString(id[:])) {
			return true
		}
	}
	return false
}
