package daemon_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/consensus"
	"obverse/core/chain/params"
	"obverse/core/chain/wire"
	"obverse/core/daemon/daemontest"
	"obverse/core/number"
)

// reorganisations is the recording of a node whose chain was reorganised.
type reorganisations struct {
	Flags     []string `json:"chain_flags"`
	Scenarios map[string]scenario
}

type scenario struct {
	Steps       []step
	FirstBranch []daemontest.Block `json:"first_branch"`
	FinalBranch []daemontest.Block `json:"final_branch"`
	BranchA     []daemontest.Block `json:"branch_a"`
	BranchB     []daemontest.Block `json:"branch_b"`
	Final       []daemontest.Block
	FinalA      []daemontest.Block `json:"final_a"`
}

type step struct {
	Step  string
	Extra *answer
	State map[string]json.RawMessage // label → exact body, or a number
}

// first returns the blocks at the beginning of the recording.
func (r *reorganisations) first() []daemontest.Block {
	return r.Scenarios[slices.Min(slices.Collect(maps.Keys(r.Scenarios)))].FirstBranch
}

// notarisation lists the steps with a recorded state that results from regtest's simulated
// notarisation of every seventh height, with the height that this node has after them instead.
var notarisation = map[string]int{
	"1: invalidateblock 14 (notarised on regtest, below the fork)": 13, // komodod rolled back to 14 and stopped
	"1: invalidateblock genesis":                                   19, // komodod rolled back to 14 before it refused
	"4: submitblock height 46 of branch B":                         46, // komodod refused the longer branch
	"4: submitblock height 47 of branch B":                         47,
	"4: submitblock height 48 of branch B":                         48,
}

// notarisedAnswers lists further methods whose answers differ on a notarised chain.
var notarisedAnswers = []string{
	"1: invalidateblock 14 (notarised on regtest, below the fork)",
	"4: submitblock height 46 of branch B", "4: submitblock height 47 of branch B",
}

func TestKomododReorganisations(t *testing.T) {
	compared := 0
	for _, path := range daemontest.Recordings(t, recordings, isJSON) {
		var recorded reorganisations
		if !readsAs(t, path, &recorded) || len(recorded.Scenarios) == 0 {
			continue // the file is another kind of recording
		}
		t.Run(path, func(t *testing.T) {
			p, err := params.New(daemontest.Options(t, recorded.Flags, recorded.first()))
			require.NoError(t, err)
			r := &reorgReplay{station: newStation(t, p), recorded: &recorded, renamed: map[string]string{},
				refusedAt: map[string]string{}}
			for _, name := range slices.Sorted(maps.Keys(recorded.Scenarios)) {
				s := recorded.Scenarios[name]
				for i := range s.Steps {
					label := name[:1] + ": " + s.Steps[i].Step
					if !t.Run(label, func(t *testing.T) { r.t = t; r.replay(label, &s, &s.Steps[i]) }) {
						return // the following steps depend on it
					}
				}
			}
			compared += r.compared
		})
	}
	require.Greater(t, compared, 800)
}

// reorgReplay holds the state of a replay between steps.
type reorgReplay struct {
	*station
	recorded  *reorganisations
	renamed   map[string]string // recorded block hash → hash of the block that replaces it
	refusedAt map[string]string // height → hash of the block that was invalidated at that height
	last      *wire.Block
	compared  int
}

func (r *reorgReplay) replay(label string, s *scenario, at *step) {
	got := r.act(s, at)
	if at.Extra != nil && got != nil && !slices.Contains(notarisedAnswers, label) {
		require.Equal(r.t, at.Extra, got)
	}
	if height, excused := notarisation[label]; excused {
		require.Equal(r.t, height, result[int](r.station, "getblockcount"))
		return
	}
	for _, state := range slices.Sorted(maps.Keys(at.State)) {
		r.compare(state, at.State[state])
	}
}

// act repeats the action of a step, and returns the answer if the action is a recorded call.
func (r *reorgReplay) act(s *scenario, at *step) *answer {
	verb, rest, _ := strings.Cut(at.Step, " ")
	what, _, _ := strings.Cut(rest, " ")
	what = strings.TrimSuffix(what, ":")
	switch {
	case verb == "height":
		r.submit(s.FirstBranch[1:]...)
	case verb == "A:":
		r.standIns(20, 22, 1795231913)
		r.rename(s.BranchA[0])
		r.submit(s.BranchA...)
	case strings.HasPrefix(at.Step, "A before"):
		r.standIns(28, 29, 1795231915)
		r.rename(s.BranchA[0])
		r.submit(s.BranchA...)
		r.sendWaiting(at)
	case strings.HasPrefix(at.Step, "A 9 blocks"):
		r.submit(s.FinalA...)
	case strings.HasPrefix(at.Step, "connected"):
		r.submit(s.BranchB...)
	case strings.Contains(at.Step, "generate"):
		r.generated(s, at)
	case verb == "submitblock":
		return r.submitBlock(s, what, rest)
	case strings.HasSuffix(verb, ":"): // the hash is unknown
		return r.ask(strings.TrimSuffix(verb, ":"), strings.Repeat("ab", 32))
	case verb == "invalidateblock":
		return r.ask(verb, r.remember(what))
	case verb == "reconsiderblock":
		return r.ask(verb, r.refusedAt[what])
	default:
		require.Equal(r.t, "3 s later", at.Step)
	}
	return nil
}

func (r *reorgReplay) ask(method string, params ...any) *answer {
	a := r.answer(method, params...)
	return &a
}

// remember returns the hash of the block that a step invalidates.
func (r *reorgReplay) remember(height string) string {
	n := 0
	if height != "genesis" {
		_, err := fmt.Sscan(height, &n)
		require.NoError(r.t, err)
	}
	r.refusedAt[height] = result[string](r.station, "getblockhash", n)
	return r.refusedAt[height]
}

// submit submits recorded blocks, on any branch.
func (r *reorgReplay) submit(blocks ...daemontest.Block) {
	for _, b := range blocks {
		require.Contains(r.t, []string{"null", `"inconclusive"`}, string(r.offer(r.relink(b)).Result))
	}
}

func (r *reorgReplay) offer(b *wire.Block) *answer {
	r.last = b
	return r.ask("submitblock", hex.EncodeToString(b.Encode()))
}

// relink returns a recorded block on top of the block that replaces its parent.
func (r *reorgReplay) relink(b daemontest.Block) *wire.Block {
	block := b.Decode(r.t)
	if ours, ok := r.renamed[block.Prev.String()]; ok {
		prev, err := wire.ParseHash(ours)
		require.NoError(r.t, err)
		block.Prev = prev
		r.renamed[b.Hash] = block.Hash().String()
	}
	return block
}

// rename records that the tip replaces the parent of a recorded block.
func (r *reorgReplay) rename(child daemontest.Block) {
	r.renamed[child.Decode(r.t).Prev.String()] = result[string](r.station, "getbestblockhash")
}

// standIns makes the blocks between the scenarios, which the recording omits. They contain only
// coinbases that pay to K1. Two of these are spent later, and their txids confirm that the
// blocks are equal to komodod's.
func (r *reorgReplay) standIns(from, to int, time uint32) {
	spent := map[int]string{20: "82cdb470", 29: "e45f19c4"}
	for height := from; height <= to; height++ {
		prev, err := wire.ParseHash(result[string](r.station, "getbestblockhash"))
		require.NoError(r.t, err)
		coinbase := &wire.Tx{
			Overwintered: true, Version: wire.SaplingVersion, VersionGroupID: wire.SaplingGroupID, LockTime: time,
			Inputs: []wire.TxIn{{
				PrevOut: wire.OutPoint{Index: wire.NullIndex}, Sequence: 0xffffffff,
				ScriptSig: append(consensus.HeightPush(height), 1, 1),
			}},
			Outputs: []wire.TxOut{chaintest.Pay(chaintest.Key(r.t, 1).PubKey(), 1e8)},
		}
		require.True(r.t, strings.HasPrefix(coinbase.ID().String(), spent[height]))
		block := &wire.Block{Txs: []*wire.Tx{coinbase}}
		block.Header = wire.Header{Version: 4, Prev: prev, SaplingRoot: consensus.EmptySaplingRoot,
			MerkleRoot: coinbase.ID(), Time: time, Bits: params.WorkLimitBits}
		block.Bits = r.bitsAt(height)
		require.Equal(r.t, "null", string(r.offer(block).Result))
	}
}

// bitsAt returns the bits at a height. On regtest, they depend only on the height.
func (r *reorgReplay) bitsAt(height int) uint32 {
	for _, s := range r.recorded.Scenarios {
		for _, b := range slices.Concat(s.FinalBranch, s.BranchA, s.Final) {
			if b.Height == height-1 || b.Height == height+1 {
				return b.Decode(r.t).Bits
			}
		}
	}
	return params.WorkLimitBits
}

// generated submits the recorded blocks that were mined in a step.
func (r *reorgReplay) generated(s *scenario, at *step) {
	var hashes []string
	require.NoError(r.t, json.Unmarshal(at.Extra.Result, &hashes))
	for _, hash := range hashes {
		blocks := slices.Concat(s.FinalBranch, s.Final, s.FinalA)
		i := slices.IndexFunc(blocks, func(b daemontest.Block) bool { return b.Hash == hash })
		require.GreaterOrEqual(r.t, i, 0, hash)
		r.submit(blocks[i])
	}
}

func (r *reorgReplay) submitBlock(s *scenario, what, rest string) *answer {
	changed := *r.last
	switch {
	case what == "height":
		var height int
		_, err := fmt.Sscanf(rest, "height %d", &height)
		require.NoError(r.t, err)
		i := slices.IndexFunc(s.BranchB, func(b daemontest.Block) bool { return b.Height == height })
		return r.offer(r.relink(s.BranchB[i]))
	case what == "garbage":
		return r.ask("submitblock", "00ff")
	case strings.Contains(rest, "merkle root"):
		changed.MerkleRoot[0] ^= 1
	case strings.Contains(rest, "unknown parent"):
		changed.Prev[0] ^= 1
	}
	return r.ask("submitblock", hex.EncodeToString(changed.Encode()))
}

// sendWaiting sends the transactions of the recorded mempool.
func (r *reorgReplay) sendWaiting(at *step) {
	var ids struct{ Result []string }
	r.parse(at.State["getrawmempool"], &ids)
	require.NotEmpty(r.t, ids.Result)
	for _, id := range ids.Result {
		var tx struct{ Result struct{ Hex string } }
		r.parse(at.State["getrawtransaction1 "+id], &tx)
		require.Equal(r.t, id, result[string](r.station, "sendrawtransaction", tx.Result.Hex))
	}
}

// parse decodes a body that was recorded as a string.
func (r *reorgReplay) parse(recorded json.RawMessage, into any) {
	var body string
	require.NoError(r.t, json.Unmarshal(recorded, &body))
	require.NoError(r.t, json.Unmarshal([]byte(body), into))
}

// compare repeats a recorded call and compares the answers byte for byte.
func (r *reorgReplay) compare(label string, recorded json.RawMessage) {
	r.compared++
	method, params := r.question(label)
	if strings.Contains(label, " count ") {
		var count int
		require.NoError(r.t, json.Unmarshal(recorded, &count))
		require.Len(r.t, result[[]any](r.station, method, params...), count, label)
		return
	}
	var want string
	require.NoError(r.t, json.Unmarshal(recorded, &want))
	want = strings.TrimSpace(want)
	for theirs, ours := range r.renamed {
		want = strings.ReplaceAll(want, theirs, ours)
	}
	got := r.station.ask(method, params...)
	for _, d := range differences {
		if d.method == "" || d.method == method {
			want = d.level(want)
			if d.both {
				got = d.level(got)
			}
		}
	}
	if want, got = r.withoutDropped(method, params, want, got); want != got {
		want, got = r.withoutSpent(method, params, want, got)
	}
	require.Equal(r.t, want, got, label)
}

// withoutDropped changes recorded answers that contain a transaction of a disconnected block.
// komodod's indexes of transactions and spends retain such a transaction (with height -1, and a
// token even with its owner and supply) until it is replaced. Here, every index follows the
// chain and does not contain it.
func (r *reorgReplay) withoutDropped(method string, params []any, want, got string) (string, string) {
	const unknown = `{"result":null,"error":{"code":-5,"message":"No information available about transaction"},"id":"q"}`
	dropped := func(id any) bool { return r.station.ask("getrawtransaction", id) == unknown }
	switch method {
	case "getrawtransaction":
		if strings.Contains(want, `"height":-1,`) {
			return unknown, got
		}
		spender := regexp.MustCompile(`,"spentTxId":"([0-9a-f]+)","spentIndex":\d+,"spentHeight":\d+`)
		return spender.ReplaceAllStringFunc(want, func(found string) string {
			if dropped(spender.FindStringSubmatch(found)[1]) {
				return ""
			}
			return found
		}), got
	case "tokeninfo", "tokenbalance":
		if dropped(params[0]) {
			return `{"result":{"result":"error","error":"cant find tokenid"},"error":null,"id":"q"}`, got
		}
	}
	return want, got
}

// withoutSpent removes the information that a transaction in the mempool spends a coin. komodod
// stores this in its mempool, and loses it when the chain changes.
func (r *reorgReplay) withoutSpent(method string, params []any, want, got string) (string, string) {
	if method != "getrawtransaction" || !slices.Contains(result[[]any](r.station, "getrawmempool"), params[0]) {
		return want, got
	}
	spent := regexp.MustCompile(`("vout":\d+)(,"address":"\w+")?(,"scriptSig":\{[^}]*\})(,"value":[0-9.]+,"valueSat":\d+)?(,"sequence")`)
	return spent.ReplaceAllString(want, "$1$3$5"), spent.ReplaceAllString(got, "$1$3$5")
}

// difference changes a recorded answer into the expected one, or removes parts that are not
// compared from both answers.
type difference struct {
	id, method string // an empty method means all methods
	both       bool
	level      func(body string) string
}

var differences = []difference{
	{"D1: supply in coins", "tokeninfo", false, func(body string) string {
		return regexp.MustCompile(`"supply":\d+`).ReplaceAllStringFunc(body, func(found string) string {
			tokens, err := strconv.ParseInt(strings.TrimPrefix(found, `"supply":`), 10, 64)
			if err != nil {
				return found
			}
			return fmt.Sprintf(`"supply":"%v"`, number.Coins(tokens))
		})
	}},
	{"D11: no make-believe notarisation", "", false, func(body string) string {
		body = regexp.MustCompile(`"last_notarized_height":\d+`).ReplaceAllString(body, `"last_notarized_height":0`)
		return regexp.MustCompile(`"confirmations":\d+,"rawconfirmations":(\d+)`).ReplaceAllString(body, `"confirmations":$1,"rawconfirmations":$1`)
	}},
	{"D12: figures of the process", "getmempoolinfo", true, func(body string) string {
		return regexp.MustCompile(`"usage":\d+,"fullyNotified":(true|false)`).ReplaceAllString(body, `"usage":0`)
	}},
	{"D12: order of the mempool", "getrawmempool", true, func(body string) string {
		return daemontest.SortedItems(body, `"[0-9a-f]{64}"`)
	}},
	{"D12: branches that end at one height come in the order of memory", "getchaintips", true, func(body string) string {
		return daemontest.SortedItems(body, `\{"height":[^}]*\}`)
	}},
}

// question converts the label of an answer to the call.
func (r *reorgReplay) question(label string) (method string, params []any) {
	words := strings.Fields(strings.Replace(label, " count ", " ", 1))
	method, words = words[0], words[1:]
	switch method {
	case "tokeninfo":
		params = []any{r.tokenID(words[0])}
	case "tokenbalance":
		params = []any{r.tokenID(words[1]), r.pubKey(words[0])}
	case "getrawtransaction1":
		method, params = "getrawtransaction", []any{words[0], 1}
	case "gettxout":
		id, n, _ := strings.Cut(words[0], ":")
		params = []any{id, json.Number(n), words[1] == "true"}
	case "getaddressbalance", "getaddressutxos":
		key := chaintest.Key(r.t, int(words[0][1]-'0'))
		address := key.Address()
		if len(words) > 1 { // for example, "token CC"
			address = key.TokenAddress()
			params = []any{1}
		}
		query := map[string]any{"addresses": []string{address.Text().String()}}
		params = append([]any{query}, params...)
	default:
		require.Empty(r.t, words, label)
	}
	return method, params
}

func (r *reorgReplay) pubKey(name string) string {
	pub := chaintest.Key(r.t, int(name[1]-'0')).PublicKey()
	return hex.EncodeToString(pub[:])
}

// tokenID returns the id with a prefix, from the transactions of the recording.
func (r *reorgReplay) tokenID(prefix string) string {
	for _, s := range r.recorded.Scenarios {
		for _, b := range slices.Concat(s.FirstBranch, s.FinalBranch, s.BranchA, s.BranchB, s.Final, s.FinalA) {
			for _, tx := range b.Decode(r.t).Txs {
				if id := tx.ID().String(); strings.HasPrefix(id, prefix) {
					return id
				}
			}
		}
	}
	require.Fail(r.t, "no transaction "+prefix)
	return ""
}
