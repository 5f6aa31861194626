package peers_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/mmrpc/activate"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/peers"
	"obverse/core/rpc"
	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/core/task"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/node"
	"obverse/core/wallet/lightning/peertest"
)

const (
	tBTC    = "tBTC-lightning"
	peerKey = "028d7500dd4c12685d1f568b4c2b5048e8534b873319f3a8daa612b469132ec7f7"
)

// lightningBench has both Lightning areas, with a simulated network.
type lightningBench struct {
	t     *testing.T
	net   *peertest.Net
	tasks *task.Manager
	table *rpc.Table
}

func newLightningBench(t *testing.T, kv store.KV) *lightningBench {
	t.Helper()
	b := &lightningBench{t: t, net: &peertest.Net{Anyone: true, Now: time.Now}, tasks: task.New()}
	active, err := coin.Open(t.Context(), coin.Config{Store: kv})
	require.NoError(t, err)
	ring, err := key.Open("bob passphrase", false)
	require.NoError(t, err)
	activator := &node.Activator{Active: active, Registry: coin.NewRegistry(nil), Ring: ring, Open: b.net.Open}
	b.table = rpc.NewTable(append(activate.EnableLightning{Activator: activator, Tasks: b.tasks}.Methods(),
		peers.Lightning{Active: active, Trusted: lightning.NewTrusted(kv), Supported: true}.Methods()...)...)
	return b
}

// call returns the result of a method as JSON.
func (b *lightningBench) call(method, params string) (string, error) {
	b.t.Helper()
	m, found := b.table.Lookup(method)
	require.True(b.t, found, method)
	result, err := m.Named(b.t.Context(), json.RawMessage(params), rpc.Rules{})
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(result)
	require.NoError(b.t, err)
	return string(text), nil
}

func (b *lightningBench) ok(method, params string) string {
	b.t.Helper()
	text, err := b.call(method, params)
	require.NoError(b.t, err)
	return text
}

// run runs the tasks until the test ends or stop is called.
func (b *lightningBench) run() (stop func()) {
	ctx, cancel := context.WithCancel(b.t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = b.tasks.Run(ctx)
	}()
	return func() { cancel(); <-ended }
}

// brittle is a store whose writes and reads can be made to fail.
type brittle struct {
	store.KV
	broken, unreadable bool
}

var errBroken = errors.New("the disk is full")

func (k *brittle) Stage(ctx context.Context, batch store.Batch) (store.Durable, error) {
	if k.broken {
		return nil, errBroken
	}
	return k.KV.Stage(ctx, batch)
}

func (k *brittle) Scan(ctx context.Context, prefix, after string, limit int) ([]store.Entry, error) {
	if k.unreadable {
		return nil, errBroken
	}
	return k.KV.Scan(ctx, prefix, after, limit)
}

// inLightningBubble runs a test with a bench and a fake clock.
func inLightningBubble(t *testing.T, test func(*testing.T, *lightningBench, *brittle)) {
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	synctest.Test(t, func(t *testing.T) {
		store := &brittle{KV: kv}
		test(t, newLightningBench(t, store), store)
	})
}

const initTBTC = `{"ticker":"tBTC-lightning","activation_params":{"name":"mine","listening_port":1}}`

func TestLightningActivationTask(t *testing.T) {
	inLightningBubble(t, func(t *testing.T, b *lightningBench, _ *brittle) {
		require.JSONEq(t, `{"task_id":1}`, b.ok("task::enable_lightning::init", initTBTC))
		require.JSONEq(t, `{"status":"InProgress","details":"ActivatingCoin"}`, b.ok("task::enable_lightning::status", `{"task_id":1}`))
		_, err := b.call("task::enable_lightning::user_action", `{"task_id":1,"user_action":{}}`)
		require.True(t, mmerr.InternalError.Is(err))
		require.EqualError(t, err, "Internal error: RPC '1' task is in unexpected status. Actual: 'InProgress', expected: 'AwaitingUserAction'")
		require.Equal(t, `"success"`, b.ok("task::enable_lightning::cancel", `{"task_id":1}`))
		_, err = b.call("task::enable_lightning::cancel", `{"task_id":1}`)
		require.True(t, mmerr.NoTaskToCancel.Is(err))
		_, err = b.call("task::enable_lightning::user_action", `{"task_id":1,"user_action":{}}`)
		require.True(t, mmerr.NoSuchTask.Is(err))

		// If two tasks start before either has finished, one of them fails because the other
		// succeeds.
		require.JSONEq(t, `{"task_id":2}`, b.ok("task::enable_lightning::init", initTBTC))
		require.JSONEq(t, `{"task_id":3}`, b.ok("task::enable_lightning::init", initTBTC))
		defer b.run()()
		synctest.Wait()
		outcomes := b.ok("task::enable_lightning::status", `{"task_id":2}`) + b.ok("task::enable_lightning::status", `{"task_id":3}`)
		require.Contains(t, outcomes, `"listening":"127.0.0.1:1"`)
		require.Regexp(t, `^{"own_node_id":"0[23][0-9a-f]{64}","listening":"127.0.0.1:1","peers":\[\]}$`, b.ok("lightning::nodes::list_peers", `{"coin":"tBTC-lightning"}`))
		require.Contains(t, outcomes, `{"status":"Error","details":{"error":"Layer 2 tBTC-lightning is already activated","error_path":"`)
		require.Contains(t, outcomes, `"error_type":"L2IsAlreadyActivated","error_data":"tBTC-lightning"}}`)
	})
}

// TestLightningActivationFails checks that the status reports a failed activation.
func TestLightningActivationFails(t *testing.T) {
	for _, c := range []struct {
		name     string
		fail     error
		broken   bool
		contains string
	}{
		{"port in use", fmt.Errorf("%w: the port is taken", node.ErrListen), false,
			`"error_type":"IOError","error_data":"cannot listen for Lightning nodes: the port is taken"`},
		{"disk full", nil, true, `"error_type":"InternalError","error_data":"internal error, see the node's log"`},
		{"late", task.ErrTimeout, false, `"error":"Initialization task has timed out 1m0s",`},
		{"late, as data", task.ErrTimeout, false, `"error_type":"TaskTimedOut","error_data":{"duration":{"secs":60,"nanos":0}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			inLightningBubble(t, func(t *testing.T, b *lightningBench, kv *brittle) {
				b.net.Fail, kv.broken = c.fail, c.broken
				b.ok("task::enable_lightning::init", initTBTC)
				defer b.run()()
				synctest.Wait()
				require.Contains(t, b.ok("task::enable_lightning::status", `{"task_id":1,"forget_if_finished":false}`), c.contains)
				kv.broken, b.net.Fail = false, nil
				require.JSONEq(t, `{"task_id":2}`, b.ok("task::enable_lightning::init", initTBTC), "it can be tried again")
				synctest.Wait()
				require.Contains(t, b.ok("task::enable_lightning::status", `{"task_id":2}`), `{"status":"Ok"`)
			})
		})
	}
}

func TestLightningTooManyTasks(t *testing.T) {
	inLightningBubble(t, func(t *testing.T, b *lightningBench, _ *brittle) {
		for range task.MaxRunning {
			b.ok("task::enable_lightning::init", initTBTC)
		}
		_, err := b.call("task::enable_lightning::init", initTBTC)
		require.True(t, mmerr.InternalError.Is(err))
		require.ErrorContains(t, err, "tasks are running")
	})
}

func TestTrustedNodesOfABrokenStore(t *testing.T) {
	inLightningBubble(t, func(t *testing.T, b *lightningBench, kv *brittle) {
		b.ok("task::enable_lightning::init", initTBTC)
		defer b.run()()
		synctest.Wait()
		const params = `{"coin":"tBTC-lightning","node_id":"` + peerKey + `"}`
		kv.broken = true
		_, err := b.call("lightning::nodes::add_trusted_node", params)
		require.True(t, mmerr.IOError.Is(err))
		require.ErrorContains(t, err, "I/O error ")
		require.JSONEq(t, `{"trusted_nodes":[]}`, b.ok("lightning::nodes::list_trusted_nodes", `{"coin":"tBTC-lightning"}`))
		kv.broken = false
		b.ok("lightning::nodes::add_trusted_node", params)
		kv.broken = true
		_, err = b.call("lightning::nodes::remove_trusted_node", params)
		require.True(t, mmerr.IOError.Is(err))
		require.JSONEq(t, `{"trusted_nodes":["`+peerKey+`"]}`, b.ok("lightning::nodes::list_trusted_nodes", `{"coin":"tBTC-lightning"}`))
		kv.unreadable = true
		_, err = b.call("lightning::nodes::list_trusted_nodes", `{"coin":"tBTC-lightning"}`)
		require.True(t, mmerr.IOError.Is(err))
		require.ErrorContains(t, err, "I/O error read the trusted nodes: the disk is full")
	})
}

// TestConnectTimeout checks that the network receives the caller's timeout, or ten seconds by
// default.
func TestConnectTimeout(t *testing.T) {
	inLightningBubble(t, func(t *testing.T, b *lightningBench, _ *brittle) {
		b.net.Silent = "silent.example:9735"
		b.ok("task::enable_lightning::init", initTBTC)
		defer b.run()()
		synctest.Wait()
		params := func(timeout string) string {
			return `{"coin":"tBTC-lightning","node_address":"` + peerKey + `@silent.example:9735"` + timeout + `}`
		}
		for text, want := range map[string]time.Duration{"": 10 * time.Second, `,"timeout":0.3`: 300 * time.Millisecond, `,"timeout":600`: 10 * time.Minute,
			`,"timeout":1e-9`: time.Nanosecond} {
			begun := time.Now()
			_, err := b.call("lightning::nodes::connect_to_node", params(text))
			require.True(t, mmerr.ConnectionError.Is(err), text)
			require.Equal(t, want, time.Since(begun), text)
		}
		begun := time.Now()
		for _, text := range []string{"0", "-1", "600.000000001", "1e9"} {
			_, err := b.call("lightning::nodes::connect_to_node", params(`,"timeout":`+text))
			var refusal *rpc.ParamError
			require.ErrorAs(t, err, &refusal, text)
			require.Equal(t, "timeout", refusal.Path)
		}
		require.Equal(t, begun, time.Now(), "nothing was tried")
	})
}

// TestLightningOptions checks the options of an activation at the limits of their ranges.
func TestLightningOptions(t *testing.T) {
	for params, want := range map[string]string{
		`"name":"` + strings.Repeat("n", 32) + `","color":"00Ff99","listening_port":0`: "",
		`"name":"","listening_port":65535`:                                             "",
		`"name":"` + strings.Repeat("ü", 16) + `n"`:                                    "activation_params.name",
		`"name":5`:                           "activation_params.name",
		`"name":"n","color":"fff"`:           "activation_params.color",
		`"name":"n","color":"0000000"`:       "activation_params.color",
		`"name":"n","color":"00000g"`:        "activation_params.color",
		`"name":"n","listening_port":65536`:  "activation_params.listening_port",
		`"name":"n","listening_port":-1`:     "activation_params.listening_port",
		`"name":"n","payment_retries":-1`:    "activation_params.payment_retries",
		`"name":"n","listening_port":"9735"`: "activation_params.listening_port",
	} {
		t.Run(params, func(t *testing.T) {
			inLightningBubble(t, func(t *testing.T, b *lightningBench, _ *brittle) {
				_, err := b.call("task::enable_lightning::init", `{"ticker":"tBTC-lightning","activation_params":{`+params+`}}`)
				if want == "" {
					require.NoError(t, err)
					defer b.run()()
					synctest.Wait()
					require.Len(t, b.net.Opened(), 1)
					require.Contains(t, params, fmt.Sprintf(`"listening_port":%d`, b.net.Opened()[0].Port))
					return
				}
				var refusal *rpc.ParamError
				require.ErrorAs(t, err, &refusal)
				require.Equal(t, want, refusal.Path)
			})
		})
	}
}

func TestConnectFailure(t *testing.T) {
	id, err := lightning.ParseNodeID(peerKey)
	require.NoError(t, err)
	const late = "Timeout error: Failed to connect to node: " + peerKey
	for _, c := range []struct {
		name, data, text string
		err              error
	}{
		{"late", late, late + ": timed out: within 10s", fmt.Errorf("%w: within 10s", lightning.ErrTimeout)},
		{"unreachable", late, strings.TrimPrefix(late, "Timeout error: ") + ": unreachable: refused", fmt.Errorf("%w: refused", lightning.ErrUnreachable)},
		{"handshake", "Handshake error: Node " + peerKey + " disconnected before finishing the handshake",
			"Handshake error: Node " + peerKey + " disconnected before finishing the handshake: disconnected before finishing the handshake: no", fmt.Errorf("%w: no", lightning.ErrHandshake)},
		{"itself", "this is the node's own id", "this is the node's own id", lightning.ErrSelf},
		{"full", "too many Lightning peers", "too many Lightning peers", lightning.ErrTooMany},
		{"disconnected", "disconnected by the user", "disconnected by the user", lightning.ErrDisconnected},
		{"stopped", "the Lightning node has stopped", "the Lightning node has stopped", lightning.ErrStopped},
		{"no connections", "this platform has no TCP connections", "this platform has no TCP connections", lightning.ErrNoDialer},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := peers.ConnectFailure(id, c.err)
			require.True(t, mmerr.ConnectionError.Is(err))
			require.EqualError(t, err, "Error connecting to node: "+c.text)
			var failure *mmerr.Error
			require.ErrorAs(t, err, &failure)
			data, _ := failure.Data()
			require.Equal(t, c.data, data)
		})
	}
	require.Equal(t, context.Canceled, peers.ConnectFailure(id, context.Canceled), "the caller has gone")
}

func TestPeerOf(t *testing.T) {
	id, err := lightning.ParseNodeID(peerKey)
	require.NoError(t, err)
	since := time.Unix(1700000000, 999)
	for name, c := range map[string]struct {
		peer lightning.Peer
		want string
	}{
		"connected": {lightning.Peer{State: lightning.Connected, Since: since, Inbound: true, Address: "127.0.0.1:9"},
			`{"node_id":"` + peerKey + `","address":"127.0.0.1:9","inbound":true,"connected_since":1700000000,"state":"connected","kept":false}`},
		"waiting": {lightning.Peer{State: lightning.Waiting, Since: since, Persistent: true, Reason: lightning.ErrUnreachable},
			`{"node_id":"` + peerKey + `","address":"","inbound":false,"connected_since":null,"state":"waiting","kept":true,"reason":"unreachable"}`},
	} {
		t.Run(name, func(t *testing.T) {
			c.peer.Node = id
			text, err := json.Marshal(peers.PeerOf(c.peer))
			require.NoError(t, err)
			require.Equal(t, c.want, string(text))
		})
	}
}

// FuzzNodeAddress checks that every text is either refused or returned unchanged.
func FuzzNodeAddress(f *testing.F) {
	for _, seed := range []string{`"` + peerKey + `@127.0.0.1:9735"`, `"rgjhk3"`, `5`, `""`, `"@"`, `"\ud800@x:1"`} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if rpc.CheckText([]byte(text)) != nil {
			return
		}
		var a peers.NodeAddress
		if err := a.UnmarshalParam(json.RawMessage(text)); err != nil {
			var refusal *rpc.ParamError
			require.ErrorAs(t, err, &refusal)
			return
		}
		whole, err := rpc.Unquote(json.RawMessage(text))
		require.NoError(t, err)
		require.Equal(t, whole, a.Text)
		again, err := lightning.ParseAddress(a.Address.String())
		require.NoError(t, err)
		require.Equal(t, a.Address, again)
	})
}

// TestPolicyOfLightning checks that Lightning coins only use the node's own key.
func TestPolicyOfLightning(t *testing.T) {
	inLightningBubble(t, func(t *testing.T, b *lightningBench, _ *brittle) {
		with := func(policy string) string {
			return `{"ticker":"tBTC-lightning","activation_params":{"name":"mine","priv_key_policy":` + policy + `}}`
		}
		for _, policy := range []string{`"Trezor"`, `{"type":"WalletConnect","session_topic":"ab"}`} {
			_, err := b.call("task::enable_lightning::init", with(policy))
			require.True(t, mmerr.PrivKeyNotAllowed.Is(err), "%v", err)
		}
		var param *rpc.ParamError
		_, err := b.call("task::enable_lightning::init", with(`{"type":"Iguana"}`))
		require.ErrorAs(t, err, &param)
		require.JSONEq(t, `{"task_id":1}`, b.ok("task::enable_lightning::init", with(`"ContextPrivKey"`)))
	})
}
