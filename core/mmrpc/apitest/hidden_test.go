package apitest

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/config"
	"obverse/core/key"
	"obverse/core/metrics"
	"obverse/core/rpc"
	"obverse/core/store/bunt"
)

const (
	rpcPassword = "Ent3r_Un1Qu3-X"
	mnemonic    = "emerge canoe salmon dolphin glow priority random become gasp sell blade argue"
)

// watcher records the answers, log lines and counts of a node.
type watcher struct {
	mu     sync.Mutex
	output strings.Builder
}

func (w *watcher) add(parts ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	fmt.Fprintln(&w.output, parts...)
	for _, part := range parts {
		fmt.Fprintf(&w.output, "%+v %#v %x\n", part, part, part)
	}
}

func (w *watcher) Error(message string, pairs ...any) { w.add(append([]any{message}, pairs...)...) }
func (w *watcher) Info(message string, pairs ...any)  { w.add(append([]any{message}, pairs...)...) }
func (w *watcher) Warn(message string, pairs ...any)  { w.add(append([]any{message}, pairs...)...) }

// leaks returns the names of the secrets in the recorded output.
func (w *watcher) leaks(secrets map[string]string) (names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(secrets)) {
		if strings.Contains(w.output.String(), secrets[name]) {
			names = append(names, name)
		}
	}
	return names
}

// junk lists values that are used in place of a parameter.
var junk = []string{`null`, `true`, `-1`, `1e999`, `"x"`, `""`, `"ATOM"`, `"` + strings.Repeat("ab", 32) + `"`, `[]`, `[1]`, `{}`, `{"a":1}`}

// junkBodies returns the values in junk, or every third of them in a short run.
func junkBodies(t *testing.T) (bodies []string) {
	t.Helper()
	for n, value := range junk {
		if n%3 == 0 || !testing.Short() {
			bodies = append(bodies, value)
		}
	}
	t.Logf("%d of %d values", len(bodies), len(junk))
	return bodies
}

// methodsOf returns the names of an interface's methods and of their parameters, read from the
// interface's description.
func methodsOf(t *testing.T, reply []byte) map[string][]string {
	t.Helper()
	var answer struct {
		Result struct {
			Methods []struct {
				Name   string
				Params []struct{ Name string }
			}
		}
	}
	require.NoError(t, json.Unmarshal(reply, &answer))
	methods := map[string][]string{}
	for _, m := range answer.Result.Methods {
		methods[m.Name] = []string{}
		for _, p := range m.Params {
			methods[m.Name] = append(methods[m.Name], p.Name)
		}
	}
	require.Greater(t, len(methods), 5)
	return methods
}

// TestNoMethodTellsASecret calls every method of both interfaces with many kinds of parameters,
// and searches the answers and the log for secrets.
func TestNoMethodTellsASecret(t *testing.T) {
	for name, c := range map[string]struct {
		passphrase string
		hd         bool
	}{"passphrase": {"a node under test", false}, "mnemonic": {mnemonic, true}} {
		t.Run(name, func(t *testing.T) {
			settings := config.Default()
			settings.Passphrase, settings.EnableHD = config.NewSecret(c.passphrase), c.hd
			settings.RPCPassword, settings.Daemon.RPCPassword = config.NewSecret(rpcPassword), config.NewSecret("hidden-word")
			kv, err := bunt.Open(bunt.Memory)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, kv.Close()) })
			seen := &watcher{}
			n, err := core.New(t.Context(), settings, core.Platform{
				Store: kv, Now: time.Now, Random: rand.Reader, Log: seen, Calls: metrics.Discard{}, Version: "test",
			})
			require.NoError(t, err)
			t.Cleanup(n.Close)
			callDaemon(t, n, seen)
			callNode(t, n, seen)
			keys, err := key.Open(c.passphrase, c.hd)
			require.NoError(t, err)
			identity, err := key.OpenIdentity(t.Context(), kv, rand.Reader)
			require.NoError(t, err)
			require.Empty(t, seen.leaks(secretsOf(t, keys, identity, &settings)))
			pub := keys.Node().PublicKey()
			require.Len(t, seen.leaks(map[string]string{"public key": hex.EncodeToString(pub[:])}), 1, "the search finds what is shown")
		})
	}
}

func callDaemon(t *testing.T, n *core.Node, seen *watcher) {
	t.Helper()
	call := func(caller rpc.Caller, body string) []byte {
		_, reply := n.Daemon(t.Context(), caller, []byte(body))
		return reply
	}
	local := rpc.Caller{Address: "127.0.0.1", Local: true, Authorized: true}
	methods := methodsOf(t, call(local, `{"method":"rpc.discover"}`))
	delete(methods, "dumpprivkey") // returns a key intentionally
	some := junkBodies(t)
	for method, params := range methods {
		for _, value := range some {
			all := strings.TrimSuffix(strings.Repeat(value+",", len(params)), ",")
			for _, list := range []string{"[]", "[" + value + "]", "[" + all + "]", value} {
				body := fmt.Sprintf(`{"method":%q,"params":%s}`, method, list)
				seen.add(string(call(local, body)), string(call(rpc.Caller{}, body)))
			}
		}
	}
}

func callNode(t *testing.T, n *core.Node, seen *watcher) {
	t.Helper()
	call := func(caller rpc.Caller, body string) []byte {
		_, reply := n.RPC(t.Context(), caller, []byte(body))
		return reply
	}
	local := rpc.Caller{Address: "127.0.0.1", Local: true}
	some := junkBodies(t)
	right := fmt.Sprintf(`"mmrpc":"2.0","userpass":%q`, rpcPassword)
	for method, params := range methodsOf(t, call(local, `{`+right+`,"method":"rpc.discover"}`)) {
		for _, value := range some {
			values := []string{value}
			for _, p := range params {
				values = append(values, fmt.Sprintf(`{%q:%s}`, p, value))
			}
			for _, v := range values {
				seen.add(string(call(local, fmt.Sprintf(`{%s,"method":%q,"params":%s}`, right, method, v))))
			}
			seen.add(string(call(local, fmt.Sprintf(`{"userpass":%q,"method":%q,"coin":%s}`, rpcPassword, method, value))))
		}
		seen.add(string(call(rpc.Caller{Address: "192.0.2.1"}, fmt.Sprintf(`{"mmrpc":"2.0","userpass":"x","method":%q}`, method))))
		seen.add(string(call(local, fmt.Sprintf(`{"mmrpc":"2.0","userpass":[%q],"method":%q}`, rpcPassword, method))))
	}
}

// secretsOf returns the secrets of a node.
func secretsOf(t *testing.T, keys *key.Ring, identity *key.Identity, c *config.Config) map[string]string {
	t.Helper()
	secret := keys.Node().Secret()
	hidden := map[string]string{
		"passphrase": c.Passphrase.Reveal(), "password": c.RPCPassword.Reveal(), "daemon's password": c.Daemon.RPCPassword.Reveal(),
		"WIF": keys.Node().WIF(), "secret": hex.EncodeToString(secret[:]), "secret in base64": base64.StdEncoding.EncodeToString(secret[:]),
		"secret in numbers": strings.Trim(fmt.Sprint(secret), "[]"), "identity": hex.EncodeToString(identity.Private().Seed()),
	}
	if c.EnableHD {
		path, err := key.ParsePath("m/44'/118'/0'/0/0")
		require.NoError(t, err)
		child, err := keys.At(path)
		require.NoError(t, err)
		secret := child.Secret()
		hidden["key of a coin"] = hex.EncodeToString(secret[:])
	}
	return hidden
}
