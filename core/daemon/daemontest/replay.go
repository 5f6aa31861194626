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

// ofWallet are methods whose answers depend on the keys of komodod's wallet.
var ofWallet = []string{
	"addmultisigaddress", "createmultisig", "createrawtransaction", "importaddress", "importprivkey",
	"signmessage", "signrawtransaction", "verifymessage",
}

// run replays exchanges on a node and counts the excused ones.
type run struct {
	chain   *chain
	equal   int
	excused map[string]int
	skipped map[string]int // number of answers that are not compared, by reason
	keys    map[string]int // key numbers of sessions
	last    wire.Hash      // last accepted transaction
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
	if slices.Contains(ofWallet, q.method) {
		r.skip(q, "the wallets of these sessions have other keys: methods of the wallet have recordings of their own")
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
		q.ours.body = string([]rune(q.ours.body)) // invalid bytes are replaced as by the recorder
	}
	r.compare(q)
}

// payment returns the transaction of a recorded sendtoaddress, which may be outside the blocks.
func (r *run) payment(q *question) []byte {
	if q.TxHex != "" {
		return fromHex(q.T, q.TxHex)
	}
	if r.chain.txs[r.last] == nil {
		r.skip(q, "the recording lacks the transaction of a payment")
	}
	return r.chain.txs[r.last].Encode()
}

// skip excludes an exchange from the comparison and counts the reason.
func (r *run) skip(q *question, why string) {
	r.skipped[why]++
	q.Skip(why)
}

// advance connects the blocks up to the height at which the request was recorded. In a
// recording without heights, each accepted transaction is followed by a block.
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

// accepted returns the id in komodod's answer to an accepted transaction.
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

// body compares the answer to a call at the end of a session.
func (r *run) body(t *testing.T, recorded, method string, args ...any) {
	t.Helper()
	q := &question{T: t, chain: r.chain, method: method, recorded: answer{200, recorded}, ours: r.chain.call(t, method, args...)}
	for _, arg := range args {
		q.args = append(q.args, json.RawMessage(jsonText(arg)))
	}
	r.compare(q)
}

// folder is a recorded session with its chain.
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

// Tally counts the answers in a replay.
type Tally struct {
	Equal   int            // number of answers that are equal byte for byte
	Excused map[string]int // number of answers that are equal after a permitted difference, by its id
	Skipped map[string]int // number of answers that are not compared, by reason
}

// Replay submits the blocks and transactions of each recorded chain to a node, in order, and
// requires that all answers equal komodod's byte for byte, except for permitted differences.
func Replay(t *testing.T, dir string, start Start) {
	sum := Play(t, dir, start)
	require.GreaterOrEqual(t, sum.Equal, 500)
	require.ElementsMatch(t, []string{"D1", "D2", "D3", "D4", "D5", "D6", "D7", "D8", "D9", "D10", "D11", "D12", "D21"}, deviations(sum.Excused, sum.Skipped))
}

// Play is like Replay, but does not check the counts.
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

// deviations returns the ids of the permitted differences that occurred.
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

// end compares the state recorded at the end of the session.
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

// Rules submits hand-made transactions at their recorded heights and compares the results with
// the list of cases.
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

// ruleCase is a transaction that was made to satisfy or violate a rule.
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

// Scripts replays spends of every script type, and queries about scripts and addresses.
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

// Part is the part of a recorded session between two heights.
type Part struct {
	Folder   string
	From, To int
	// Skip lists the methods whose answers depend on blocks that differ here.
	Skip []string
}

// Play submits the recorded blocks up to From, and repeats the requests recorded from there up
// to To. It returns the counts of the comparison.
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

// leavesOut reports whether an exchange concerns the coinbase of a block after From.
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
