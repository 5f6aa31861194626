package daemon_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/engine"
	"obverse/core/chain/mempool"
	"obverse/core/chain/wallet"
	"obverse/core/daemon/daemontest"
)

// recorder writes down what it asks a node, in the layout of komodod's recordings.
type recorder struct {
	*station
	session string
	lines   []map[string]any
}

// call asks and keeps the exchange; more are further members of its line.
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

// as goes on with another key.
func (r *recorder) as(key int) {
	private := chaintest.Key(r.t, key).Private
	r.Wallet = wallet.New(wallet.Config{Key: private, Params: r.Manager.Params(), DataCarrierSize: mempool.DataCarrierSize})
	r.Producer = engine.New(engine.Config{Manager: r.Manager, Pool: r.Pool, Key: private, Now: r.Now})
}

// save writes a folder.
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

// TestRecordingsOfOtherForms replays a synthetic recording: off regtest and without the word,
// with a payment outside any block, a restart with another key that only a start option gives,
// and a list that begins with a coin of another key.
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
	r.pay(k2Address, 1) // no block takes it
	r.call(nil, "listunspent", 0)
	r.call(nil, "getmempoolinfo")
	foreign := `{"txid":"00","address":"RRFHw4kaRyNBjbZTMPBXsCFBuEwx6f3opQ"},`
	for _, line := range r.lines[len(r.lines)-4:] { // komodod's wallet has K1's coins too
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

// pay records a payment with its transaction, as the recordings of parameters do.
func (r *recorder) pay(address string, amount int) {
	r.t.Helper()
	id := r.call(nil, "sendtoaddress", address, amount)
	r.lines[len(r.lines)-1]["txhex"] = result[string](r.station, "getrawtransaction", id)
}
