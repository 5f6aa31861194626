package main

import (
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/wasm/jsval"
	"obverse/wasm/session"
)

const passphrase, publicKey = "bob passphrase", "022cd3021a2197361fb70b862c412bc8e44cff6951fa1de45ceabfdd9b4c520420"

const password = "T3st-secret-word"

// program is a bridge with the host that it calls.
type program struct {
	*bridge
	t     *testing.T
	calls jsval.Value // recorded calls of the host: [[function, arguments…]…]
	path  string
}

func load(t *testing.T) *program {
	recorder, err := jsval.Global().Call("eval", `(() => {
		const calls = [], note = name => (...args) => { calls.push([name, ...args]) };
		return Object.assign({calls}, Object.fromEntries(['ready', 'log', 'event', 'disconnected', 'stop', 'failed', 'opening'].map(name => [name, note(name)])));
	})()`)
	require.NoError(t, err)
	return &program{newBridge(&host{recorder}), t, recorder.Get("calls"), filepath.Join(t.TempDir(), "obverse.db")}
}

func configOf(t *testing.T, more map[string]any) string {
	c := map[string]any{"passphrase": passphrase, "rpc_password": password, "chain": map[string]any{"ac_name": "PAGE", "blockinterval": 0}}
	for key, value := range more {
		c[key] = value
	}
	text, err := json.Marshal(c)
	require.NoError(t, err)
	return string(text)
}

// run starts the node and stops it after the test.
func run(t *testing.T, more map[string]any) *program {
	p := load(t)
	require.NoError(t, p.begin(configOf(t, more)))
	t.Cleanup(func() {
		_, err := p.stop(nil)
		require.NoError(t, err)
	})
	return p
}

func (p *program) begin(text string) error {
	_, err := p.start(args(text, p.path))
	return err
}

func args(list ...any) []jsval.Value {
	values := make([]jsval.Value, len(list))
	for i, x := range list {
		values[i] = jsval.ValueOf(x)
	}
	return values
}

// reply decodes the response of rpc, call or daemon.
func (p *program) reply(answer any, err error) (status int, body string) {
	require.NoError(p.t, err)
	m := answer.(map[string]any)
	return m["status"].(int), m["body"].(string)
}

func (p *program) json() string {
	text, err := jsval.Global().Get("JSON").Call("stringify", p.calls)
	require.NoError(p.t, err)
	return text.TextOr("")
}

func requireKind(t *testing.T, kind string, err error) {
	t.Helper()
	var kinder jsval.Kinder
	require.ErrorAs(t, err, &kinder)
	require.Equal(t, kind, kinder.ErrorKind(), err.Error())
}

// The host provides the version of the program.
func TestVersionIsTheHosts(t *testing.T) {
	p := load(t)
	said := jsval.ValueOf(map[string]any{"version": "1.2.3-4-gabcdef", "commit": "abcdef", "built": "2026-01-02T03:04:05Z"})
	require.NoError(t, p.host.object.Set("build", said))
	require.NoError(t, p.begin(configOf(t, nil)))
	_, body := p.reply(p.rpc(args(`{"method":"version"}`)))
	require.JSONEq(t, `{"result":"1.2.3-4-gabcdef","datetime":"2026-01-02T03:04:05Z"}`, body)
	_, err := p.stop(nil)
	require.NoError(t, err)
	version, built := load(t).host.build()
	require.Equal(t, "devel", version, "a host that says nothing")
	require.Empty(t, built)
}

func TestBothInterfaces(t *testing.T) {
	p := run(t, nil)
	status, body := p.reply(p.call(args("get_public_key", "{}")))
	require.Equal(t, 200, status)
	require.JSONEq(t, `{"mmrpc":"2.0","result":{"public_key":"`+publicKey+`"},"id":null}`, body)
	status, body = p.reply(p.rpc(args(`{"userpass":"` + password + `","mmrpc":"2.0","method":"get_public_key","id":7}`)))
	require.Equal(t, 200, status)
	require.JSONEq(t, `{"mmrpc":"2.0","result":{"public_key":"`+publicKey+`"},"id":7}`, body)
	status, body = p.reply(p.rpc(args(`{"userpass":"wrong","mmrpc":"2.0","method":"get_public_key"}`)))
	require.Equal(t, 403, status)
	require.Contains(t, body, "UserpassIsInvalid")
	status, body = p.reply(p.daemon(args(`{"method":"getblockcount","params":[],"id":1}`)))
	require.Equal(t, 200, status)
	require.JSONEq(t, `{"result":1,"error":null,"id":1}`, body, "block 1 is there at once")
	status, body = p.reply(p.call(args("get_public_key", `{"x":`)))
	require.Equal(t, 400, status)
	require.Contains(t, body, "not valid JSON")
	require.NotContains(t, body, password)
	status, body = p.reply(p.call(args("add_node_to_version_stat", `{"name":"a","address":"1.2.3.4","peer_id":"b"}`)))
	require.Equal(t, 405, status)
	require.Contains(t, body, "UnsupportedMode")
}

// TestWrongPasswordsAreBanned checks that wrong passwords in bodies count as those of one caller,
// and that calls with the right one, and those of the owner, are still accepted.
func TestWrongPasswordsAreBanned(t *testing.T) {
	p := run(t, nil)
	var body string
	for range 12 {
		_, body = p.reply(p.rpc(args(`{"userpass":"wrong","mmrpc":"2.0","method":"get_public_key"}`)))
	}
	require.Contains(t, body, "Banned")
	status, body := p.reply(p.rpc(args(`{"userpass":"` + password + `","mmrpc":"2.0","method":"get_public_key"}`)))
	require.Equal(t, 200, status, body)
	status, _ = p.reply(p.call(args("get_public_key", "{}")))
	require.Equal(t, 200, status)
}

func TestBodiesAreLimited(t *testing.T) {
	p := run(t, map[string]any{"max_request_bytes": 1024})
	long := `"` + strings.Repeat("x", 1024) + `"`
	for name, do := range map[string]func([]jsval.Value) (any, error){"rpc": p.rpc, "daemon": p.daemon} {
		status, body := p.reply(do(args(long)))
		require.Equal(t, 413, status, name)
		require.Contains(t, body, "too large: the limit is 1024 bytes", name)
	}
}

func TestOutOfTurn(t *testing.T) {
	p := load(t)
	calls := map[string]func() (any, error){
		"rpc":     func() (any, error) { return p.rpc(args("{}")) },
		"call":    func() (any, error) { return p.call(args("version")) },
		"daemon":  func() (any, error) { return p.daemon(args("{}")) },
		"sign":    func() (any, error) { return p.sign(args("{}")) },
		"connect": func() (any, error) { return p.connect(args(1)) },
		"export":  func() (any, error) { return p.export(nil) },
		"import":  func() (any, error) { return p.load(args([]byte{})) },
	}
	refused := func() {
		for name, do := range calls {
			_, err := do()
			require.Error(t, err, name)
			requireKind(t, kindStopped, err)
		}
	}
	refused()
	require.NoError(t, p.begin(configOf(t, nil)))
	requireKind(t, kindRunning, p.begin(configOf(t, nil)))
	for range 2 {
		_, err := p.stop(nil)
		require.NoError(t, err)
	}
	refused()
	requireKind(t, kindRunning, p.begin(configOf(t, nil)))
}

func TestWrongArguments(t *testing.T) {
	p := run(t, nil)
	for name, do := range map[string]func([]jsval.Value) (any, error){"rpc": p.rpc, "call": p.call, "daemon": p.daemon} {
		_, err := do(args(7))
		require.ErrorIs(t, err, jsval.ErrType, name)
		_, err = do(nil)
		require.ErrorIs(t, err, jsval.ErrType, name)
	}
	for _, client := range []any{-1, 0.5, "1", nil} {
		_, err := p.connect(args(client))
		require.ErrorIs(t, err, errClient)
		_, err = p.disconnect(args(client))
		require.ErrorIs(t, err, errClient)
	}
	_, err := p.load(args("text"))
	requireKind(t, session.ImportError, err)
	fresh := load(t)
	_, err = fresh.start(args(1, "x"))
	requireKind(t, session.ConfigError, err)
	_, err = fresh.start(args("{}"))
	requireKind(t, session.StoreError, err)
}

func TestConfigs(t *testing.T) {
	for _, c := range []struct {
		name string
		text string
		kind string // "" means no error
		want string // part of the error or of the log
	}{
		{"nothing", `{}`, "", "[]"},
		{"coins as a list", `{"coins":[{"coin":"ATOM"}]}`, "", ""},
		{"unknown key", `{"pasphrase":"x"}`, "", "unknown keys, which have no effect: pasphrase (did you mean"},
		{"coins as a path", `{"coins":"coins.json"}`, session.ConfigError, "the node reads no files here"},
		{"no JSON", `{`, session.ConfigError, "JSON object"},
		{"wrong type", `{"netid":"x"}`, session.ConfigError, "netid must be"},
		{"weak password", `{"rpc_password":"weak"}`, session.ConfigError, "rpc_password is too weak"},
		{"no passphrase", `{"passphrase":"0x12zz"}`, session.ConfigError, "passphrase is invalid"},
		{"engine", `{"chain":{"engine":"pow"}}`, session.ConfigError, "chain.engine must be"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := load(t)
			err := p.begin(c.text)
			if c.kind == "" {
				require.NoError(t, err)
				require.Contains(t, p.json(), c.want)
				_, err = p.stop(nil)
				require.NoError(t, err)
				return
			}
			requireKind(t, c.kind, err)
			require.ErrorContains(t, err, c.want)
			require.NoError(t, p.begin(configOf(t, nil)), "it may be tried again")
			_, err = p.stop(nil)
			require.NoError(t, err)
		})
	}
}

func TestStoreOfAnother(t *testing.T) {
	p := load(t)
	require.NoError(t, p.begin(configOf(t, nil)))
	_, err := p.stop(nil)
	require.NoError(t, err)
	for name, more := range map[string]map[string]any{
		"passphrase": {"passphrase": "another one"},
		"chain":      {"chain": map[string]any{"ac_name": "OTHER"}},
	} {
		other := load(t)
		other.path = p.path
		requireKind(t, session.StartError, other.begin(configOf(t, more)))
		require.NotContains(t, other.json(), "another one", name)
	}
}

func TestStopOfAClient(t *testing.T) {
	p := run(t, nil)
	status, _ := p.reply(p.call(args("stop", "{}")))
	require.Equal(t, 200, status)
	require.Contains(t, p.json(), `["stop"]`)
}

func TestEvents(t *testing.T) {
	p := run(t, nil)
	const enable = `{"client_id":5,"config":{"stream_interval_seconds":0.1}}`
	status, _ := p.reply(p.call(args("stream::heartbeat::enable", enable)))
	require.NotEqual(t, 200, status, "no server listens")
	_, err := p.connect(args(5))
	require.NoError(t, err)
	_, err = p.connect(args(5))
	require.NoError(t, err, "a second connection takes over")
	status, _ = p.reply(p.call(args("stream::heartbeat::enable", enable)))
	require.Equal(t, 200, status)
	const beat = `["event",5,"{\"_type\":\"HEARTBEAT\",\"message\":{}}"]`
	p.until(beat)
	require.NotContains(t, p.json(), "disconnected", "no call for a stream that was taken over")
	_, err = p.disconnect(args(5))
	require.NoError(t, err)
	time.Sleep(20 * time.Millisecond)
	require.NotContains(t, p.json(), "disconnected", "no call for a requested disconnection")
	_, err = p.disconnect(args(6))
	require.NoError(t, err, "no client")

	_, err = p.connect(args(7))
	require.NoError(t, err)
	data, err := p.export(nil)
	require.NoError(t, err)
	_, err = p.load(args(data))
	require.NoError(t, err)
	p.until(`["disconnected",7]`)
}

// until waits for calls of the host.
func (p *program) until(want string) {
	require.Eventually(p.t, func() bool { return strings.Contains(p.json(), want) }, 10*time.Second, 5*time.Millisecond, want)
}

func TestFailureKeepsItsCause(t *testing.T) {
	cause := errors.New("no")
	require.ErrorIs(t, session.Fail(session.StoreError, cause), cause)
	require.NoError(t, session.Fail(session.StoreError, nil))
}
