package core

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/rpc"
	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/core/wallet/coin"
)

type testLog struct{ t *testing.T }

func (l testLog) Info(message string, pairs ...any) { l.Error(message, pairs...) }

func (l testLog) Warn(message string, pairs ...any) { l.Error(message, pairs...) }

func (l testLog) Error(message string, pairs ...any) { l.t.Log(append([]any{message}, pairs...)...) }

func memoryStore(t *testing.T) *bunt.DB {
	db, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func nodeConfig(overrides ...string) Config {
	c := DefaultConfig()
	c.Passphrase = NewSecret("a node under test")
	for i := 0; i < len(overrides); i += 2 {
		if err := c.Chain.Options.Set(overrides[i], overrides[i+1]); err != nil {
			panic(err)
		}
	}
	return c
}

func newNode(t *testing.T, kv store.KV, c Config) (*Node, error) {
	n, err := New(t.Context(), c, Platform{Store: kv, Now: time.Now, Random: rand.Reader, Log: testLog{t}, Version: "test"})
	if err == nil {
		t.Cleanup(n.Close)
	}
	return n, err
}

// ask calls a method of interface A and returns its result.
func ask(t *testing.T, n *Node, method string, params ...any) json.RawMessage {
	t.Helper()
	if params == nil {
		params = []any{}
	}
	body, err := json.Marshal(map[string]any{"id": 1, "method": method, "params": params})
	require.NoError(t, err)
	status, reply := n.Daemon(t.Context(), rpc.Caller{Authorized: true}, body)
	require.Equal(t, 200, status, "%s: %s", method, reply)
	var answer struct{ Result json.RawMessage }
	require.NoError(t, json.Unmarshal(reply, &answer))
	return answer.Result
}

func text(t *testing.T, raw json.RawMessage) (s string) {
	t.Helper()
	require.NoError(t, json.Unmarshal(raw, &s), "%s", raw)
	return s
}

func hexField(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var r struct{ Result, Hex, Error string }
	require.NoError(t, json.Unmarshal(raw, &r), "%s", raw)
	require.Equal(t, "success", r.Result, r.Error)
	return r.Hex
}

// TestToken is the project's main job: create, broadcast, list, inspect, transfer,
// and all of it again from the same store.
func TestToken(t *testing.T) {
	kv := memoryStore(t)
	n, err := newNode(t, kv, nodeConfig())
	require.NoError(t, err)
	require.JSONEq(t, "1", string(ask(t, n, "getblockcount")))
	id := text(t, ask(t, n, "sendrawtransaction", hexField(t, ask(t, n, "tokencreate", "GOLD", "0.001", "shiny"))))
	ask(t, n, "generate", 1)
	require.JSONEq(t, `["`+id+`"]`, string(ask(t, n, "tokenlist")))

	const other = "0227fac751b9a096aa38a029a9a11db2f8a650e6caf2a30c6c37c43a48ccbd00cd"
	text(t, ask(t, n, "sendrawtransaction", hexField(t, ask(t, n, "tokentransfer", id, other, "400"))))
	ask(t, n, "generate", 1)
	balances := func(n *Node) string {
		return fmt.Sprintf("%s %s %s", ask(t, n, "tokenbalance", id), ask(t, n, "tokenbalance", id, other), ask(t, n, "tokeninfo", id))
	}
	before := balances(n)
	require.Contains(t, before, `"balance":99600`)
	require.Contains(t, before, `"balance":400`)
	require.Contains(t, before, `"supply":"0.00100000"`)

	again, err := newNode(t, kv, nodeConfig())
	require.NoError(t, err)
	require.Equal(t, before, balances(again))
}

// TestRunFollowsTheMempool waits for the block that Run makes.
func TestRunFollowsTheMempool(t *testing.T) {
	c := nodeConfig()
	c.Chain.BlockInterval = 0
	n, err := newNode(t, memoryStore(t), c)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx) }()
	ask(t, n, "sendrawtransaction", hexField(t, ask(t, n, "tokencreate", "T", "1", "")))
	require.Eventually(t, func() bool { return string(ask(t, n, "tokenlist")) != "[]" }, time.Minute, time.Millisecond)
	cancel()
	require.ErrorIs(t, <-ended, context.Canceled)
}

func TestStoreIsPinned(t *testing.T) {
	kv := memoryStore(t)
	_, err := newNode(t, kv, nodeConfig())
	require.NoError(t, err)
	for name, c := range map[string]struct {
		config  func() Config
		want    error
		mention string
	}{
		"the same":       {func() Config { return nodeConfig() }, nil, ""},
		"another name":   {func() Config { return nodeConfig("ac_name", "OTHER") }, ErrOtherChain, "ac_name"},
		"another reward": {func() Config { return nodeConfig("ac_reward", "7") }, ErrOtherChain, "ac_reward"},
		"regtest":        {func() Config { return nodeConfig("regtest", "true") }, ErrOtherChain, "regtest"},
		"another key":    {func() Config { c := nodeConfig(); c.Passphrase = NewSecret("somebody else"); return c }, ErrOtherChain, "passphrase"},
		"no key":         {func() Config { c := nodeConfig(); c.Passphrase = Secret{}; return c }, nil, ""},
		"wrong daemon key": {func() Config {
			c := nodeConfig()
			c.Daemon.PubKey = "021d580113c3261f07156f1b82c339d4e1145a5ff479115e64903ff994a229ab75"
			return c
		}, ErrPublicKey, "daemon.pubkey"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := newNode(t, kv, c.config())
			require.ErrorIs(t, err, c.want)
			if c.want != nil {
				require.ErrorContains(t, err, c.mention)
			}
		})
	}
	var newer store.Batch
	newer.Put(pinVersion, "3")
	require.NoError(t, store.Apply(t.Context(), kv, newer))
	_, err = newNode(t, kv, nodeConfig())
	require.ErrorIs(t, err, ErrNewerStore)
}

// An HD wallet gives the node another key than the same words as a passphrase.
func TestHDNode(t *testing.T) {
	c := nodeConfig()
	c.Passphrase, c.EnableHD, c.Daemon.PubKey = NewSecret(mnemonic), true, mnemonicKey
	kv := memoryStore(t)
	n, err := newNode(t, kv, c)
	require.NoError(t, err)
	require.Contains(t, string(ask(t, n, "tokenaddress")), "success")
	c.EnableHD, c.Daemon.PubKey = false, ""
	_, err = newNode(t, kv, c)
	require.ErrorIs(t, err, ErrOtherChain)
}

func TestWithoutKey(t *testing.T) {
	c := nodeConfig()
	c.Passphrase = Secret{}
	n, err := newNode(t, memoryStore(t), c)
	require.NoError(t, err)
	require.JSONEq(t, "0", string(ask(t, n, "getblockcount")), "nobody makes blocks")
	status, reply := n.Daemon(t.Context(), rpc.Caller{Authorized: true}, []byte(`{"method":"tokenlist"}`))
	require.Equal(t, 500, status)
	require.Contains(t, string(reply), "to use CC contracts, you need to launch daemon with valid -pubkey=")
}

// collected keeps the warnings of a node.
type collected struct{ lines []string }

func (c *collected) Warn(message string, pairs ...any) {
	c.lines = append(c.lines, fmt.Sprintln(append([]any{message}, pairs...)...))
}

func (c *collected) Info(string, ...any) {}

func (c *collected) Error(message string, pairs ...any) { c.Warn(message, pairs...) }

// A coin that nothing can activate is taken, and the operator is told what it lacks.
func TestBareCoinsWarn(t *testing.T) {
	for entry, want := range map[string]string{
		`{"coin":"X"}`:                              `coin X reason "protocol" is missing, an object with "type" and "protocol_data"`,
		`{"coin":"X","mm2":1,"protocol":null}`:      `"protocol" is missing`,
		`{"coin":"X","protocol":{"type":"WOOF"}}`:   "WOOF",
		`{"coin":"X","protocol":{"type":"UTXO"}}`:   "",
		`{"coin":"X","protocol":{"type":"LIGHTN"}}`: "LIGHTN",
	} {
		var log collected
		known, err := readCoins(json.RawMessage("["+entry+"]"), &log)
		require.NoError(t, err)
		require.Len(t, known, 1)
		if want == "" {
			require.Empty(t, log.lines)
			continue
		}
		require.Len(t, log.lines, 1)
		require.Contains(t, log.lines[0], want)
	}
	var log collected
	_, err := readCoins(json.RawMessage(`[{"coin":"A0"}`+strings.Repeat(`,{"coin":"A"}`, 3)+`]`), &log)
	require.NoError(t, err)
	require.Len(t, log.lines, 4)
}

// A coins file of another kind does not fill the log.
func TestCoinsWarnings(t *testing.T) {
	for entries, lines := range map[int]int{0: 0, 1: 1, maxProblems: maxProblems, maxProblems + 1: maxProblems + 1, 500: maxProblems + 1} {
		var log collected
		list := `[{"coin":"GOOD","protocol":{"type":"UTXO"}}` + strings.Repeat(`,{"coin":"X","mm2":7}`, entries) + `]`
		known, err := readCoins(json.RawMessage(list), &log)
		require.NoError(t, err)
		_, err = coin.NewRegistry(known).Lookup("GOOD")
		require.NoError(t, err)
		require.Len(t, log.lines, lines)
		if lines == 1 {
			require.Contains(t, log.lines[0], "entry 1 coin X reason not a coin: mm2 must be 0 or 1")
		}
		for _, line := range log.lines[:min(entries, maxProblems)] {
			require.Equal(t, 1, strings.Count(line, "left out"), line)
			require.Contains(t, line, "coin X reason ")
		}
		if entries > maxProblems {
			require.Contains(t, log.lines[maxProblems], fmt.Sprint("count ", entries-maxProblems))
		}
	}
	require.Equal(t, 20, maxProblems)
}

// A node that is closed has no secret left, of its peers' identity nor of its key.
func TestCloseWipes(t *testing.T) {
	n, err := New(t.Context(), nodeConfig(), Platform{Store: memoryStore(t), Now: time.Now, Random: rand.Reader, Log: testLog{t}, Version: "test"})
	require.NoError(t, err)
	private := n.wallet.identity.Private()
	require.NotEqual(t, make([]byte, 32), []byte(private.Seed()))
	n.Close()
	require.Equal(t, make([]byte, 32), []byte(n.wallet.identity.Private().Seed()))
	require.Equal(t, make([]byte, 32), []byte(private.Seed()), "what was given out is overwritten too")
}

// Dashboards and alarms know figures by their names.
func TestGaugeNames(t *testing.T) {
	n, err := newNode(t, memoryStore(t), nodeConfig())
	require.NoError(t, err)
	var names []string
	for _, g := range n.Gauges() {
		require.NotEmpty(t, g.Help, g.Name)
		names = append(names, g.Name)
	}
	require.Equal(t, strings.Fields(`chain_height_blocks chain_tip_time_seconds mempool_transactions mempool_bytes
		event_streams_open event_clients_subscribed event_dropped_events_total
		coins_active version_stat_running rpc_unknown_params_total swaps_running`), names)
}

func TestGauges(t *testing.T) {
	n, err := newNode(t, memoryStore(t), nodeConfig())
	require.NoError(t, err)
	values := map[string]float64{}
	for _, g := range n.Gauges() {
		values[g.Name] = g.Read()
	}
	require.EqualValues(t, 1, values["chain_height_blocks"])
	require.Zero(t, values["mempool_transactions"])
	require.Zero(t, values["version_stat_running"])
	require.Zero(t, values["rpc_unknown_params_total"])

	status, reply := n.RPC(t.Context(), rpc.Caller{Local: true}, []byte(`{"mmrpc":"2.0","method":"help","params":{"nobody":1,"reads":2}}`))
	require.Equal(t, 200, status, "%s", reply)
	for _, g := range n.Gauges() {
		if g.Grows {
			require.True(t, strings.HasSuffix(g.Name, "_total"), g.Name)
			values[g.Name] = g.Read()
		}
	}
	require.EqualValues(t, 2, values["rpc_unknown_params_total"])
}
