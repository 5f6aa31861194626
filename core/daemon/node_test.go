package daemon_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/chain/engine"
	"obverse/core/chain/pin"
	"obverse/core/chain/wire"
	"obverse/core/config"
	"obverse/core/key"
	"obverse/core/rpc"
	"obverse/core/store"
	"obverse/core/store/bunt"
)

const mnemonic = "emerge canoe salmon dolphin glow priority random become gasp sell blade argue"

type testLog struct{ t *testing.T }

func (l testLog) Error(message string, pairs ...any) { l.t.Log(append([]any{message}, pairs...)...) }
func (l testLog) Info(message string, pairs ...any)  { l.Error(message, pairs...) }
func (l testLog) Warn(message string, pairs ...any)  { l.Error(message, pairs...) }

func memoryStore(t *testing.T) *bunt.DB {
	db, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func nodeConfig(overrides ...string) config.Config {
	c := config.Default()
	c.Passphrase = config.NewSecret("a node under test")
	for i := 0; i < len(overrides); i += 2 {
		if err := c.Chain.Options.Set(overrides[i], overrides[i+1]); err != nil {
			panic(err)
		}
	}
	return c
}

// newNode returns a node with a config.
func newNode(t *testing.T, kv store.KV, c config.Config) (*core.Node, error) {
	t.Helper()
	return core.New(t.Context(), c, core.Platform{Store: kv, Now: time.Now, Random: rand.Reader, Log: testLog{t}, Version: "test"})
}

// ask calls a method of the daemon API and returns its result.
func ask(t *testing.T, n *core.Node, method string, params ...any) json.RawMessage {
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

// TestToken creates, broadcasts, lists, inspects and transfers a token, and repeats the queries
// after reopening the store.
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
	balances := func(n *core.Node) string {
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

// TestRunFollowsTheMempool waits for a block made by Run.
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
		config  func() config.Config
		want    error
		mention string
	}{
		"the same":       {func() config.Config { return nodeConfig() }, nil, ""},
		"another name":   {func() config.Config { return nodeConfig("ac_name", "OTHER") }, pin.ErrOtherChain, "ac_name"},
		"another reward": {func() config.Config { return nodeConfig("ac_reward", "7") }, pin.ErrOtherChain, "ac_reward"},
		"regtest":        {func() config.Config { return nodeConfig("regtest", "true") }, pin.ErrOtherChain, "regtest"},
		"another key": {func() config.Config {
			c := nodeConfig()
			c.Passphrase = config.NewSecret("another passphrase")
			return c
		}, pin.ErrOtherChain, "passphrase"},
		"no key": {func() config.Config { c := nodeConfig(); c.Passphrase = config.Secret{}; return c }, nil, ""},
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
	newer.Put("iversion", "4")
	require.NoError(t, store.Apply(t.Context(), kv, newer))
	_, err = newNode(t, kv, nodeConfig())
	require.ErrorIs(t, err, pin.ErrNewerStore)
}

// TestHDNode checks that a node with an HD wallet has a different key than a node with the same
// words as a passphrase.
func TestHDNode(t *testing.T) {
	c := nodeConfig()
	c.Passphrase, c.EnableHD = config.NewSecret(mnemonic), true
	kv := memoryStore(t)
	n, err := newNode(t, kv, c)
	require.NoError(t, err)
	require.Contains(t, string(ask(t, n, "tokenaddress")), "success")
	c.EnableHD = false
	_, err = newNode(t, kv, c)
	require.ErrorIs(t, err, pin.ErrOtherChain)
}

func TestNodeWithoutKey(t *testing.T) {
	c := nodeConfig()
	c.Passphrase = config.Secret{}
	n, err := newNode(t, memoryStore(t), c)
	require.NoError(t, err)
	require.JSONEq(t, "0", string(ask(t, n, "getblockcount")), "no producer")
	status, reply := n.Daemon(t.Context(), rpc.Caller{Authorized: true}, []byte(`{"method":"tokenlist"}`))
	require.Equal(t, 500, status)
	require.Contains(t, string(reply), "to use CC contracts, you need to launch daemon with valid -pubkey=")
}

// TestStoreOfValidators checks that a single node refuses the chain of several validators.
func TestStoreOfValidators(t *testing.T) {
	kv, c := memoryStore(t), nodeConfig()
	keys, err := key.Open(c.Passphrase.Reveal(), false)
	require.NoError(t, err)
	role := &engine.Role{Terms: engine.Terms{Payee: keys.Node().PublicKey(), From: 1}, Announce: func([]byte) {},
		Hash: func(wire.Hash, int, [32]byte) (sum [32]byte) { return sum }}
	shared := core.Platform{Store: kv, Now: time.Now, Random: rand.Reader, Log: testLog{t}, Validators: &core.Validators{Role: role}}
	n, err := core.New(t.Context(), c, shared)
	require.NoError(t, err)
	_, err = n.Shared().Begin(t.Context(), time.Now())
	require.NoError(t, err)
	require.JSONEq(t, "1", string(ask(t, n, "getblockcount")))

	_, err = newNode(t, kv, c)
	require.ErrorIs(t, err, pin.ErrOtherChain)
	require.ErrorContains(t, err, "obverse validator")
	stored := role.Terms
	for says, change := range map[string]func(*engine.Terms){
		"these begin at block 7": func(t *engine.Terms) { t.From = 7 },
		"they pay to the key":    func(t *engine.Terms) { t.Payee[5]++ },
		"they continue block":    func(t *engine.Terms) { t.Tip[0] = 1 },
	} {
		role.Terms = stored
		change(&role.Terms)
		_, err = core.New(t.Context(), c, shared)
		require.ErrorIs(t, err, engine.ErrTerms)
		require.ErrorContains(t, err, says)
	}
}
