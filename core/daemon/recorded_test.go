package daemon_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/consensus"
	"obverse/core/chain/engine"
	"obverse/core/chain/keyring"
	"obverse/core/chain/mempool"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/wallet"
	"obverse/core/daemon"
	"obverse/core/daemon/daemontest"
	"obverse/core/key"
	"obverse/core/rpc"
	"obverse/core/store"
	"obverse/core/store/bunt"
)

// transcripts returns the exchanges in testdata and in the folders of OBVERSE_KOMODOD.
func transcripts(t *testing.T) (all []daemontest.Exchange) {
	t.Helper()
	for _, path := range daemontest.Recordings(t, recordings, daemontest.Named("transcript.jsonl", "scripts.jsonl")) {
		all = append(all, daemontest.ReadFile(t, path)...)
	}
	require.NotEmpty(t, all)
	return all
}

type oneToken struct {
	TokenID daemon.Text `json:"tokenid"`
}

// emptyChain returns the two token methods that the recordings of the envelope call, for a
// chain without tokens.
func emptyChain() []rpc.Method {
	terse := rpc.Doc{Category: "Tokens", Terse: true}
	return []rpc.Method{
		rpc.Handle("tokenlist", terse, func(context.Context, struct{}) ([]string, error) { return []string{}, nil }),
		rpc.Handle("tokeninfo", terse, func(context.Context, oneToken) (map[string]string, error) {
			return map[string]string{"result": "error"}, nil
		}),
	}
}

func TestKomododEnvelope(t *testing.T) {
	s := daemon.New(daemon.Options{}, emptyChain()...)
	replayed := 0
	for _, x := range transcripts(t) {
		if !x.Transport() || x.Response.Header("Content-Type") != "application/json" {
			continue // the transport decides, without reading the body
		}
		replayed++
		t.Run(x.Name(), func(t *testing.T) {
			status, reply := s.Serve(t.Context(), rpc.Caller{Authorized: true}, x.Request.Bytes())
			got := daemontest.Response{Status: status, Body: string(reply), Headers: x.Response.Headers}
			require.Empty(t, x.Mismatch(got))
			require.True(t, json.Valid(reply))
		})
	}
	require.GreaterOrEqual(t, replayed, 60)
}

// TestKomododAddresses compares the current and past balances of every address at the end of a
// recorded session. The requests had no second parameter, so the balances of condition
// addresses are empty.
func TestKomododAddresses(t *testing.T) {
	for _, path := range daemontest.Recordings(t, recordings, daemontest.Named("state.json")) {
		t.Run(path, func(t *testing.T) {
			var state struct{ Addresses map[string]map[string]string }
			daemontest.ReadJSON(t, path, &state)
			options, blocks := daemontest.ReadChain(t, filepath.Dir(path))
			p, err := params.New(options)
			require.NoError(t, err)
			s := newStation(t, p)
			for _, block := range blocks[1:] {
				require.Equal(t, "null", s.submit(block.Raw))
			}
			require.NotEmpty(t, state.Addresses)
			for _, address := range slices.Sorted(maps.Keys(state.Addresses)) {
				query := map[string]any{"addresses": []string{address}}
				for method, want := range state.Addresses[address] {
					require.Equal(t, strings.TrimSpace(want), s.ask(method, query), "%s %s", method, address)
				}
			}
		})
	}
}

// TestKomododShapes checks that the answers have the same members as the recorded ones, in the
// same order. Values that describe the process and its wallet differ.
func TestKomododShapes(t *testing.T) {
	t.Setenv("OBVERSE_KOMODOD", "") // other chains have other members
	compared := map[string]bool{}
	for _, path := range daemontest.Recordings(t, recordings, daemontest.Named("transcript.jsonl")) {
		s := mined(t, 2)
		for _, x := range daemontest.ReadFile(t, path) {
			var call struct{ Method any }
			if json.Unmarshal(x.Request.Bytes(), &call) != nil || strings.HasPrefix(x.Session, "A:") || x.Response.Status != 200 {
				continue // a node without a key returns fewer members
			}
			switch call.Method {
			case "getinfo", "getblockchaininfo", "getnetworkinfo", "getmininginfo", "listunspent":
				name, _ := call.Method.(string)
				compared[name] = true
				require.Equal(t, members(t, x.Response.Body), members(t, s.ask(name)), name)
			}
		}
	}
	require.Len(t, compared, 5)
}

// members returns the distinct names in a JSON text in the order of their first occurrence.
func members(t testing.TB, body string) (names []string) {
	for _, name := range keysOf(t, json.RawMessage(body)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// station is a node with the key K1 on which a recording is replayed.
type station struct {
	*daemon.Backend
	t      testing.TB
	kv     store.KV
	server *daemon.Server
}

// recordedNow returns a time after every block of the recordings.
func recordedNow() time.Time { return time.Unix(1_800_000_000, 0) }

func newStation(t testing.TB, p *params.Params) *station {
	t.Helper()
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	b := &daemon.Backend{Now: recordedNow, Version: "1.2.3", RelayFee: mempool.DefaultRelay().Fee}
	b.Manager, err = chain.Open(t.Context(), chain.Config{Store: kv, Params: p, HeaderRules: engine.AnyProducer{}, Now: b.Now,
		Cache: script.NewSigCache(1<<12, nil)})
	require.NoError(t, err)
	b.Pool, err = mempool.New(t.Context(), mempool.Config{Manager: b.Manager, Store: kv, Now: b.Now})
	require.NoError(t, err)
	s := &station{b, t, kv, daemon.New(daemon.Options{}, b.Methods()...)}
	s.use(chaintest.Key(t, 1).Private)
	return s
}

// use makes a key the node's.
func (s *station) use(private *key.Private) {
	s.t.Helper()
	ring, err := keyring.Open(context.Background(), keyring.Config{Store: s.kv, Random: rand.Reader, Now: func() time.Time { return s.Now() }, Node: private})
	require.NoError(s.t, err)
	s.Ring = ring
	s.Manager.Follow(ring)
	s.Wallet = wallet.New(wallet.Config{Key: private, Ring: ring, Params: s.Manager.Params(), DataCarrierSize: mempool.DataCarrierSize})
	s.Producer = engine.New(engine.Config{Manager: s.Manager, Pool: s.Pool, Key: private, Now: s.Now})
}

// ask sends a request and returns the complete reply without the newline.
func (s *station) ask(method string, params ...any) string {
	s.t.Helper()
	if params == nil {
		params = []any{}
	}
	request, err := json.Marshal(map[string]any{"id": "q", "method": method, "params": params})
	require.NoError(s.t, err)
	_, reply := s.server.Serve(s.t.Context(), rpc.Caller{Authorized: true}, request)
	return string(bytes.TrimSpace(reply))
}

// answer is a decoded reply.
type answer struct {
	Result json.RawMessage
	Error  *struct {
		Code    int
		Message string
	}
}

func (s *station) answer(method string, params ...any) (a answer) {
	s.t.Helper()
	require.NoError(s.t, json.Unmarshal([]byte(s.ask(method, params...)), &a))
	return a
}

// result calls a method, which must succeed, and returns its result.
func result[T any](s *station, method string, params ...any) (value T) {
	s.t.Helper()
	reply := s.ask(method, params...)
	var a answer
	require.NoError(s.t, json.Unmarshal([]byte(reply), &a))
	require.Nil(s.t, a.Error, reply)
	require.NoError(s.t, json.Unmarshal(a.Result, &value), reply)
	return value
}

// submit submits a block and returns the answer. It calls submitblock if that method is
// available.
func (s *station) submit(raw string) string {
	s.t.Helper()
	if s.Manager.Params().Regtest {
		return string(s.answer("submitblock", raw).Result)
	}
	block, err := hex.DecodeString(raw)
	require.NoError(s.t, err)
	_, err = s.Manager.Submit(s.t.Context(), block)
	var rejection *consensus.Rejection
	switch {
	case err == nil:
		return "null"
	case errors.Is(err, chain.ErrSideBranch):
		return `"inconclusive"`
	case errors.As(err, &rejection):
		return strconv.Quote(rejection.Reason)
	}
	require.NoError(s.t, err)
	return ""
}

// refused calls a method, which must fail with the given code and message.
func (s *station) refused(code int, message, method string, params ...any) {
	s.t.Helper()
	a := s.answer(method, params...)
	require.NotNil(s.t, a.Error, "%s %v: %s", method, params, a.Result)
	require.Equal(s.t, message, a.Error.Message)
	require.Equal(s.t, code, a.Error.Code)
}

// recordings is the folder of this package with recordings of komodod.
const recordings = "testdata/komodod"

func isJSON(path string) bool { return filepath.Ext(path) == ".json" }

// readsAs is like daemontest.ReadJSON, but reports whether the file has the expected format.
func readsAs(t testing.TB, path string, into any) bool {
	t.Helper()
	content, err := os.ReadFile(path)
	require.NoError(t, err)
	return json.Unmarshal(content, into) == nil
}

// recorder records its requests to a node, in the layout of komodod's recordings.
type recorder struct {
	*station
	session string
	lines   []map[string]any
}

// call sends a request and records the exchange. The argument more has additional members of
// the recorded line.
func (r *recorder) call(more map[string]any, method string, params ...any) string {
	r.t.Helper()
	body, err := json.Marshal(map[string]any{"id": "curltest", "method": method, "params": append([]any{}, params...)})
	require.NoError(r.t, err)
	tip := result[int](r.station, "getblockcount")
	reply := r.station.ask(method, params...)
	line := map[string]any{"n": len(r.lines), "tip": tip, "session": r.session, "label": method, "note": "",
		"request":  map[string]any{"method": "POST", "path": "/", "headers": []any{}, "body": string(body)},
		"response": map[string]any{"status": 200, "headers": []any{}, "body": strings.Replace(reply, `"id":"q"`, `"id":"curltest"`, 1) + "\n"}}
	for name, value := range more {
		line[name] = value
	}
	r.lines = append(r.lines, line)
	var a struct{ Result any }
	require.NoError(r.t, json.Unmarshal([]byte(reply), &a))
	switch value := a.Result.(type) {
	case string:
		return value
	case map[string]any:
		text, _ := value["hex"].(string)
		return text
	}
	return ""
}

// as switches to another key.
func (r *recorder) as(key int) {
	r.use(chaintest.Key(r.t, key).Private)
}

// save writes the recording to a folder.
func (r *recorder) save(chain string) (folder string) {
	folder = filepath.Join(r.t.TempDir(), "another-layout")
	require.NoError(r.t, os.Mkdir(folder, 0o700))
	var blocks []daemontest.Block
	for height := range result[int](r.station, "getblockcount") + 1 {
		hash := result[string](r.station, "getblockhash", height)
		blocks = append(blocks, daemontest.Block{Height: height, Hash: hash, Raw: result[string](r.station, "getblock", hash, 0)})
	}
	var transcript strings.Builder
	for _, line := range r.lines {
		text, err := json.Marshal(line)
		require.NoError(r.t, err)
		transcript.Write(append(text, '\n'))
	}
	list, err := json.Marshal(blocks)
	require.NoError(r.t, err)
	for name, content := range map[string]string{"chain.json": chain, "blocks.json": string(list), "transcript.jsonl": transcript.String()} {
		require.NoError(r.t, os.WriteFile(filepath.Join(folder, name), []byte(content), 0o600))
	}
	return folder
}

// TestRecordingsOfOtherForms replays a synthetic recording in other forms: off regtest without
// saying so, with a payment that is not in any block, with a restart with another key that only
// a start option reveals, and with a list that begins with a coin of another key.
func TestRecordingsOfOtherForms(t *testing.T) {
	t.Setenv("OBVERSE_KOMODOD", "")
	const options = "ac_name=FORMS ac_supply=1000 ac_reward=100000000 ac_cc=2 ac_sapling=1"
	r := &recorder{station: newStation(t, chaintest.Params(t, options)), session: "C:main"}
	result[[]string](r.station, "generate", 2)
	r.call(nil, "getblockchaininfo")
	id := r.call(nil, "sendrawtransaction", r.call(nil, "tokencreate", "FIRST", "0.00001", strings.Repeat("d", 100)))
	result[[]string](r.station, "generate", 1)
	r.call(nil, "tokeninfo", id)
	r.call(nil, "sendrawtransaction", r.call(nil, "tokentransfer", id, k2, "400"))
	k2Address := chaintest.Key(t, 2).Address().Text().String()
	r.pay(k2Address, 2)
	result[[]string](r.station, "generate", 1)

	r.session = "F:again"
	r.as(2)
	r.call(map[string]any{"start_flags": []string{"-pubkey=" + k2}}, "tokenbalance", id)
	r.call(nil, "listunspent")
	r.call(nil, "tokentransfer", id, k1, "7")
	r.pay(k2Address, 1) // no block includes it
	r.call(nil, "listunspent", 0)
	r.call(nil, "getmempoolinfo")
	foreign := `{"txid":"00","address":"RRFHw4kaRyNBjbZTMPBXsCFBuEwx6f3opQ"},`
	for _, line := range r.lines[len(r.lines)-4:] { // komodod's wallet includes K1's coins too
		response, _ := line["response"].(map[string]any)
		if line["label"] == "listunspent" {
			response["body"] = strings.Replace(response["body"].(string), `"result":[`, `"result":[`+foreign, 1)
		}
	}
	folder := r.save(`{"ac_name":"FORMS","ac_supply":1000,"ac_reward":100000000,"ac_cc":2,"ac_sapling":1}`)

	sum := daemontest.Play(t, folder, play)
	require.Equal(t, 10, sum.Equal, "%v", sum)
	require.Equal(t, map[string]int{"D12": 1}, sum.Excused)
	require.Equal(t, map[string]int{"komodod chooses coins and change at random: its transaction is taken": 2}, sum.Skipped)
}

// pay records a payment together with its transaction, like the recordings of parameters.
func (r *recorder) pay(address string, amount int) {
	r.t.Helper()
	id := r.call(nil, "sendtoaddress", address, amount)
	r.lines[len(r.lines)-1]["txhex"] = result[string](r.station, "getrawtransaction", id)
}
