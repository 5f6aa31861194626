package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/daemon"
	"obverse/native/datalock"
	"obverse/native/settings"
)

// both is a server for both APIs that records the requests.
type both struct {
	address        string
	body           string
	user, password string
	answer         string
	status         int
}

func serveBoth(t *testing.T) *both {
	t.Helper()
	b := &both{status: 200, answer: `{"result":{"b":0.10000000,"a":1},"error":null,"id":"obverse"}`}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		b.body = string(text)
		b.user, b.password, _ = r.BasicAuth()
		w.WriteHeader(b.status)
		io.WriteString(w, b.answer)
	}))
	t.Cleanup(server.Close)
	b.address = server.Listener.Addr().String()
	return b
}

// callTo returns a command with a config that names the server for both APIs.
func callTo(t *testing.T, b *both) *command {
	t.Helper()
	cmd := newCommand(t)
	_, port, err := net.SplitHostPort(b.address)
	require.NoError(t, err)
	cmd.config(t, fmt.Sprintf(`{"rpcport":%s,"rpc_password":"%s","rpcip":"0.0.0.0","daemon":{"rpcport":%s,"rpcuser":"u","rpcpassword":"%s"}}`, port, password, port, password))
	return cmd
}

// callRunning is like callTo, with a process that locks the data folder as the node does.
func callRunning(t *testing.T, b *both) *command {
	t.Helper()
	cmd := callTo(t, b)
	cmd.hold(t, b)
	return cmd
}

// hold makes the server the node of the data folder.
func (c *command) hold(t *testing.T, b *both) {
	t.Helper()
	lock, err := datalock.Acquire(c.dir)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, lock.Release()) })
	require.NoError(t, lock.Publish(datalock.Running{PID: 1, Node: "http://" + b.address, Daemon: "http://" + b.address}))
}

func TestMethodPicksTheInterface(t *testing.T) {
	for _, c := range []struct {
		args []string
		node bool
	}{
		{[]string{"getinfo"}, false},
		{[]string{"tokenlist"}, false},
		{[]string{"--daemon", "help"}, false},
		{[]string{"help", "getinfo"}, false},
		{[]string{"get_something_new"}, true},
		{[]string{"help", "my_balance"}, true},
		{[]string{"help", "stream::disable"}, true},
		{[]string{"--daemon", "help", "my_balance"}, false},
		{[]string{"--node", "help"}, true},
		{[]string{"stop"}, false},
		{[]string{"rpc.discover"}, false},
		{[]string{"get_public_key"}, true},
		{[]string{"lightning::nodes::connect_to_node"}, true},
		{[]string{"version"}, true},
		{[]string{"withdraw"}, true},
		{[]string{"--node", "stop"}, true},
		{[]string{"--node", "rpc.discover"}, true},
		{[]string{"--daemon", "get_public_key"}, false},
	} {
		b := serveBoth(t)
		out := callRunning(t, b).do(append([]string{"call"}, c.args...)...)
		require.Zero(t, out.code, out.stderr)
		require.Equal(t, c.node, strings.Contains(b.body, `"mmrpc":"2.0"`), c.args)
		require.Equal(t, !c.node, b.user == "u", c.args)
		require.Equal(t, "{\n  \"b\": 0.10000000,\n  \"a\": 1\n}\n", out.stdout)
		require.Empty(t, out.stderr)
	}
}

func TestDaemonWords(t *testing.T) {
	for _, c := range []struct {
		words []string
		want  string
	}{
		{[]string{"generate", "1"}, `[1]`},
		{[]string{"sendtoaddress", "RAddress", "1.50000000"}, `["RAddress",1.50000000]`},
		{[]string{"getaddressutxos", `{"addresses":["R"]}`}, `[{"addresses":["R"]}]`},
		{[]string{"getrawmempool", "true"}, `[true]`},
		{[]string{"decodescript", "51"}, `[51]`},
		{[]string{"decodescript", `"51"`}, `["51"]`},
		{[]string{"decoderawtransaction", "0400008085"}, `["0400008085"]`},
		{[]string{"tokentransfer", "ab", "02cd", "100"}, `["ab","02cd","100"]`},
		{[]string{"tokencreate", "T", "0.001", `a "b" \`}, `["T","0.001","a \"b\" \\"]`},
		{[]string{"tokenlist"}, `[]`},
		{[]string{"tokenlist", "", "100"}, `["",100]`},
		{[]string{"tokenlist", strings.Repeat("12", 32), "7"}, `["` + strings.Repeat("12", 32) + `",7]`},
		{[]string{"tokeninfo", "ab", `{"prove":true}`}, `["ab",{"prove":true}]`},
		{[]string{"tokenlist", "", "7", "true"}, `["",7,true]`},
		{[]string{"tokenholders", "ab", "", "7"}, `["ab","",7]`},
		{[]string{"tokentransactions", "ab", "", "7", "8"}, `["ab","","7",8]`},
		{[]string{"tokensendmany", "ab", `{"02cd":1}`, `{"coins":"0.1"}`}, `["ab",{"02cd":1},{"coins":"0.1"}]`},
		{[]string{"tokencreate", "T", "1", "-", "", `{"02cd":1}`}, `["T","1","-","",{"02cd":1}]`},
		{[]string{"tokencreate", "{}", "1", `{"a":1}`}, `["{}","1","{\"a\":1}"]`},
		{[]string{"tokencreate", "T", "1", "--help"}, `["T","1","--help"]`},
		{[]string{"getinfo"}, `[]`},
	} {
		b := serveBoth(t)
		out := callRunning(t, b).do(append([]string{"call"}, c.words...)...)
		require.Zero(t, out.code, out.stderr)
		require.Contains(t, b.body, `"params":`+c.want, c.words)
	}
}

// TestAmountsFromStandardInput passes a CSV file or an object to a parameter with amounts.
func TestAmountsFromStandardInput(t *testing.T) {
	for input, want := range map[string]string{
		"02ab,5\n03cd,7\n":                       `{"02ab":"5","03cd":"7"}`,
		"pubkey,amount\r\n02ab, 5\r\n\r\n03cd,7": `{"02ab":"5","03cd":"7"}`,
		"\"02ab\",\"5\"\n":                       `{"02ab":"5"}`,
		"02ab,5\n02ab,6\n":                       `{"02ab":"5","02ab":"6"}`, // rejected by the node
		" {\"02ab\": 5}\n":                       `{"02ab":5}`,
		"":                                       `{}`,
		"R\"x,1\n":                               "",
		"02ab,5,6\n":                             "",
		"02ab\n":                                 "",
	} {
		b := serveBoth(t)
		cmd := callRunning(t, b)
		cmd.stdin = input
		out := cmd.do("call", "tokensendmany", "id", "-", `{"since":3}`)
		if want == "" {
			requireRefused(t, out)
			require.Contains(t, out.stderr, "the list on standard input: ")
			continue
		}
		require.Zero(t, out.code, out.stderr)
		require.Contains(t, b.body, `"params":["id",`+want+`,{"since":3}]`)
		require.Zero(t, cmd.do("call", "tokencreate", "T", "1", "-", "", "-").code)
		require.Contains(t, b.body, `"params":["T","1","-","",`+want+`]`)
	}
}

func TestNodeParameters(t *testing.T) {
	b := serveBoth(t)
	cmd := callRunning(t, b)
	cmd.stdin = " {\"coin\":\"IRIS\",\"n\":1.0}\n"
	for _, word := range []string{"-", `{"coin":"IRIS","n":1.0}`} {
		require.Zero(t, cmd.do("call", "max_maker_vol", word).code)
		require.Contains(t, b.body, `"params":{"coin":"IRIS","n":1.0}`)
		require.Contains(t, b.body, `"userpass":"`+password+`"`)
	}
	require.Zero(t, cmd.do("call", "get_enabled_coins").code)
	require.Contains(t, b.body, `"params":{}`)
	for _, words := range [][]string{{"IRIS"}, {"[]"}, {"null"}, {"{}", "{}"}, {""}} {
		requireRefused(t, cmd.do(append([]string{"call", "max_maker_vol"}, words...)...))
	}
}

// For help, the name of a method is a sufficient parameter.
func TestNodeHelp(t *testing.T) {
	b := serveBoth(t)
	cmd := callRunning(t, b)
	b.answer = `{"mmrpc":"2.0","result":"my_balance coin\n\nShow \"it\".\n","id":0}`
	for _, words := range [][]string{{"help", "my_balance"}, {"--node", "help", "my_balance"}, {"--node", "help", `{"command":"my_balance"}`}} {
		out := cmd.do(append([]string{"call"}, words...)...)
		require.Zero(t, out.code, out.stderr)
		require.Contains(t, b.body, `"params":{"command":"my_balance"}`)
		require.Equal(t, "my_balance coin\n\nShow \"it\".\n", out.stdout, "text as text")
	}
	requireRefused(t, cmd.do("call", "--node", "help", "a", "b"))
	for _, answer := range []string{`"one line"`, `"a\nb\u001b[2J"`, `["a\nb"]`} {
		b.answer = `{"result":` + answer + `,"error":null}`
		out := cmd.do("call", "--daemon", "help")
		require.JSONEq(t, answer, out.stdout)
	}
}

// The error for parameters that are not an object contains an example and no values.
func TestInvalidNodeParameters(t *testing.T) {
	b := serveBoth(t)
	cmd := callRunning(t, b)
	const leak = "L3aked-value"
	for _, c := range []struct {
		words []string
		stdin string
		says  string
	}{
		{[]string{"my_balance", leak}, "", `the parameters of my_balance are one JSON object, or - to read it from standard input: '{"coin":…}' (`},
		{[]string{"stream::disable", leak, leak}, "", `'{"streamer_id":…}', and it may have client_id (`},
		{[]string{"get_public_key", leak}, "", "get_public_key takes no parameters"},
		{[]string{"no_such", leak}, "", "the parameters of this method are one JSON object"},
		{[]string{"my_balance", `{"coin":"` + leak + `",}`}, "", "at line 1 column 24"},
		{[]string{"my_balance", "-"}, "{\n\"coin\": " + leak + "}", "at line 2 column 9"},
		{[]string{"my_balance", `{"coin":"` + leak}, "", "EOF while parsing"},
	} {
		cmd.stdin = c.stdin
		out := cmd.do(append([]string{"call"}, c.words...)...)
		requireRefused(t, out)
		require.Contains(t, out.stderr, c.says)
		require.NotContains(t, out.stderr, leak)
	}
	require.Empty(t, b.body)
}

// absent returns the node's response for a method of komodod that the node does not have.
func absent(method string) string {
	instead, _ := daemon.Absent(method)
	return instead
}

// The error for an unknown method must name the method that was probably meant.
func TestUnknownMethod(t *testing.T) {
	b := serveBoth(t)
	cmd := callRunning(t, b)
	const (
		daemonAnswer = `{"result":null,"error":{"code":-32601,"message":"Method not found"},"id":"x"}`
		nodeAnswer   = `{"mmrpc":"2.0","error":"No such method","error_type":"NoSuchMethod","id":0}`
	)
	b.status = 404
	for _, c := range []struct {
		words        []string
		answer, says string
	}{
		{[]string{"getpublickey"}, daemonAnswer, "error -32601: Method not found (the daemon API was asked; the node API has get_public_key: `obverse call --node get_public_key`)"},
		{[]string{"MyBalance"}, daemonAnswer, "the node API has my_balance"},
		{[]string{"--daemon", "my_balance"}, daemonAnswer, "the node API has my_balance"},
		{[]string{"getblock2"}, daemonAnswer, "(did you mean getblock of the daemon API?)"},
		{[]string{"--daemon", "verify_massage"}, daemonAnswer, "(did you mean verifymessage of the daemon API?)"},
		{[]string{"xyzzy"}, daemonAnswer, "(the daemon API was asked; `obverse call help` lists the methods of both)"},
		{[]string{"--node", "getinfo"}, nodeAnswer, "error NoSuchMethod: No such method (the node API was asked; the daemon API has getinfo: `obverse call --daemon getinfo`)"},
		{[]string{"my_balanc"}, nodeAnswer, "(did you mean my_balance of the node API?)"},
		{[]string{"my_balanc"}, strings.Replace(nodeAnswer, "method", "method, did you mean `my_balance`?", 1), "No such method, did you mean `my_balance`?\n"},
		{[]string{"help", "getinf"}, `{"result":"help: unknown command: getinf","error":null}`, "error -32601: unknown method (did you mean getinfo of the daemon API?)"},
		{[]string{"getdifficulty"}, strings.Replace(daemonAnswer, "found", "found: "+absent("getdifficulty"), 1), "Method not found: " + absent("getdifficulty") + "\n"},
		{[]string{"z_sendmany", "a"}, strings.Replace(daemonAnswer, "found", "found: "+absent("z_sendmany"), 1), "Method not found: " + absent("z_sendmany") + "\n"},
		{[]string{"--node", "getdifficulty"}, nodeAnswer, "No such method (" + absent("getdifficulty") + ")\n"},
		{[]string{"help", "getdifficulty"}, `{"result":"help: unknown command: getdifficulty","error":null}`, "unknown method (getinfo shows the difficulty)\n"},
		{[]string{"help", "my_balanc"}, nodeAnswer, "(did you mean my_balance of the node API?)"},
	} {
		b.answer = c.answer
		out := cmd.do(append([]string{"call"}, c.words...)...)
		require.Equal(t, exitFailure, out.code, c.words)
		require.Empty(t, out.stdout)
		require.Contains(t, out.stderr, c.says, c.words)
	}
	b.answer = `{"result":null,"error":{"code":-1,"message":"no"},"id":"x"}`
	require.Equal(t, "error -1: no\n", cmd.do("call", "getpublickey").stderr)
}

func TestCallErrors(t *testing.T) {
	b := serveBoth(t)
	cmd := callRunning(t, b)
	for _, c := range []struct {
		method, answer string
		status         int
		says           string
	}{
		{"tokeninfo", `{"result":{"result":"error","error":"invalid tokenid"},"error":null}`, 200, "error: invalid tokenid\n"},
		{"tokentransfer", `{"result":{"result":"error","error":"no token inputs","hint":"no such token"},"error":null}`, 200, "error: no token inputs (no such token)\n"},
		{"get_public_key", `{"mmrpc":"2.0","error":"public_key not available","error_type":"InternalError","id":0}`, 500, "error InternalError: public_key not available\n"},
		{"my_balance", `{"mmrpc":"2.0","error":"Userpass is invalid!","error_type":"UserpassIsInvalid","id":0}`, 403, "Userpass is invalid! (the node was started with other settings)"},
		{"stream::heartbeat::enable", `{"mmrpc":"2.0","error":"UnknownClient","error_type":"EnableError","error_data":"UnknownClient","id":0}`, 400,
			"error EnableError: UnknownClient (no event stream with this client_id is open: open GET /event-stream?id=… first)\n"},
		{"my_balance", `{"mmrpc":"2.0","error":"Error parsing request: missing field","error_type":"InvalidRequest","id":0}`, 400,
			"error InvalidRequest: Error parsing request: missing field\n`obverse help my_balance` explains the parameters\n"},
		{"getinfo", `{"result":null,"error":{"code":-1,"message":"getinfo\n\nShow.\n"}}`, 500, "error -1: getinfo takes no parameters\n"},
		{"getblockhash", `{"result":null,"error":{"code":-1,"message":"getblockhash height\n\nShow.\n"}}`, 500,
			"error -1: wrong number of parameters\nusage: getblockhash height\n`obverse help getblockhash` explains them\n"},
		{"getblockhash", `{"result":null,"error":{"code":-8,"message":"a\u001b[2Jb\nc"}}`, 500, "error -8: a\ufffd[2Jb\nc\n"},
		{"getinfo", ``, 401, "started with other settings"},
		{"getinfo", `<html>`, 502, "502"},
	} {
		b.answer, b.status = c.answer, c.status
		out := cmd.do("call", c.method)
		require.Equal(t, exitFailure, out.code)
		require.Empty(t, out.stdout)
		require.Contains(t, out.stderr, c.says)
		require.NotContains(t, out.stderr, password)
	}
}

// A script can read the error as the node's JSON.
func TestCallErrorAsJSON(t *testing.T) {
	b := serveBoth(t)
	cmd := callRunning(t, b)
	b.answer, b.status = `{"mmrpc":"2.0","error":"e","error_type":"NoSuchCoin","error_data":{"coin":"X"},"id":0}`, 404
	out := cmd.do("call", "--json", "my_balance", `{"coin":"X"}`)
	require.Equal(t, outcome{exitFailure, "", b.answer + "\n"}, out)
	b.answer = `{"result":null,"error":{"code":-5,"message":"m"}}`
	require.Equal(t, outcome{exitFailure, "", `{"code":-5,"message":"m"}` + "\n"}, cmd.do("call", "--json", "getblock", "x"))
}

// TestCallOfAStoppedNode checks that the credential is not sent to the ports of a stopped node,
// which another user's program may have taken.
func TestCallOfAStoppedNode(t *testing.T) {
	b := serveBoth(t)
	cmd := callTo(t, b)
	for _, method := range []string{"getinfo", "get_public_key", help} {
		out := cmd.do("call", method)
		require.Equal(t, exitFailure, out.code)
		require.Contains(t, out.stderr, "the node is not running")
		require.Empty(t, b.body)
	}
	lock, err := datalock.Acquire(cmd.dir)
	require.NoError(t, err)
	defer lock.Release()
	require.Contains(t, cmd.do("call", "getinfo").stderr, "the node is not ready yet, pid ")
	require.Empty(t, b.body, "it listens nowhere yet")
	require.Zero(t, cmd.do("call", "rpcport="+portOf(t, b), "get_public_key").code, "an address that is given is called")
}

// A node on port 0 is found by the address that it published, while it locks the folder.
func TestCallFindsARunningNode(t *testing.T) {
	b := serveBoth(t)
	cmd := newCommand(t)
	cmd.run = func(_ context.Context, _ *settings.Settings, _ *slog.Logger, ready func(node, daemon string) error) error {
		if err := ready(b.address, b.address); err != nil {
			return err
		}
		for _, method := range []string{"getinfo", "get_public_key"} {
			b.body = ""
			out := cmd.do("call", method)
			require.Zero(t, out.code, out.stderr)
			require.Contains(t, b.body, method)
		}
		return nil
	}
	require.Zero(t, cmd.do("rpcport=0", "daemon.rpcport=0").code)
	_, port, err := net.SplitHostPort(b.address)
	require.NoError(t, err)
	require.Zero(t, cmd.do("call", "daemon.rpcport="+port, "getinfo").code, "the keys of its command line find it too")
	b.body = ""
	require.Equal(t, exitFailure, cmd.do("call", "getinfo").code, "it has ended")
	require.Empty(t, b.body)
}

// An address on the command line takes precedence over the running node's address. Port 0,
// with which that node was started, is not an address.
func TestCallGoesToTheGivenAddress(t *testing.T) {
	running, given := serveBoth(t), serveBoth(t)
	_, port, err := net.SplitHostPort(given.address)
	require.NoError(t, err)
	cmd := newCommand(t)
	cmd.run = func(_ context.Context, _ *settings.Settings, _ *slog.Logger, ready func(node, daemon string) error) error {
		if err := ready(running.address, running.address); err != nil {
			return err
		}
		for _, c := range []struct {
			words []string
			goes  *both
		}{
			{[]string{"daemon.rpcport=" + port, "getinfo"}, given},
			{[]string{"rpcport=" + port, "get_public_key"}, given},
			{[]string{"rpcport=" + port, "rpcip=0.0.0.0", "get_public_key"}, given},
			{[]string{"rpcport=" + port, "getinfo"}, running},
			{[]string{"daemon.rpcport=" + port, "get_public_key"}, running},
			{[]string{"rpcport=0", "daemon.rpcport=0", "getinfo"}, running},
			{[]string{"gui=x", "getinfo"}, running},
		} {
			running.body, given.body = "", ""
			out := cmd.do(append([]string{"call"}, c.words...)...)
			require.Zero(t, out.code, out.stderr)
			require.NotEmpty(t, c.goes.body, c.words)
			require.True(t, running.body == "" || given.body == "", "exactly one of them is called")
		}
		return nil
	}
	require.Zero(t, cmd.do("rpcport=0", "daemon.rpcport=0").code)
}

// A node that was started with another user or password than those in its config is called with the
// credential that it wrote for its clients.
func TestCallUsesTheCredentialOfTheRunningNode(t *testing.T) {
	b := serveBoth(t)
	for _, c := range []struct {
		serve          []string
		env            string
		call           []string
		user, password string
	}{
		{nil, "", nil, "u", password},
		{[]string{"-rpcuser=someone"}, "", nil, "someone", password},
		{[]string{"-rpcuser=some\"o\\ne"}, `Qu"ote\d:Pass-1`, nil, `some"o\ne`, `Qu"ote\d:Pass-1`},
		{[]string{"-rpcuser=someone"}, "", []string{"daemon.rpcuser=me"}, "me", password},
		{[]string{"-rpcuser=someone"}, "", []string{"daemon.rpcport=" + portOf(t, b)}, "u", password},
	} {
		cmd := callTo(t, b)
		cmd.run = func(_ context.Context, _ *settings.Settings, _ *slog.Logger, ready func(node, daemon string) error) error {
			delete(cmd.env, "OBVERSE_DAEMON_RPCPASSWORD")
			require.NoError(t, ready(b.address, b.address))
			out := cmd.do(slices.Concat([]string{"call"}, c.call, []string{"getinfo"})...)
			require.Zero(t, out.code, out.stderr)
			require.Equal(t, c.user, b.user, c.serve)
			require.Equal(t, c.password, b.password, c.serve)
			return nil
		}
		if c.env != "" {
			cmd.env["OBVERSE_DAEMON_RPCPASSWORD"] = c.env
		}
		out := cmd.do(slices.Concat([]string{"serve", "rpcport=0", "daemon.rpcport=0"}, c.serve)...)
		require.Zero(t, out.code, out.stderr)
	}
}

// writes is a writer that calls a function for each write.
type writes func()

func (w writes) Write(text []byte) (int, error) {
	w()
	return len(text), nil
}

// The published address must not appear before the credential, since the credential of an earlier
// node is invalid.
func TestCallFindsTheCredentialOfTheRunningNode(t *testing.T) {
	cmd := newCommand(t)
	cmd.config(t, fmt.Sprintf(`{"rpc_password":"%s","daemon":{"rpcuser":"u","rpcpassword":"%s"}}`, password, password))
	file := filepath.Join(cmd.dir, curlName)
	require.NoError(t, os.WriteFile(file, []byte(curlStart+"earlier:one"+curlEnd), 0o600))
	found := 0
	p := &program{stdout: io.Discard, stderr: writes(func() {
		if r, running := datalock.Find(cmd.dir); running && r.Daemon != "" {
			found++
			c, _ := readCurl(cmd.dir)
			if c.User != "u" {
				t.Errorf("its user is %q", c.User)
			}
		}
	}), getenv: func(string) string { return "" }}
	p.run = func(_ context.Context, _ *settings.Settings, _ *slog.Logger, ready func(node, daemon string) error) error {
		return ready("127.0.0.1:1", "127.0.0.1:2")
	}
	require.Zero(t, p.main([]string{"serve", "--datadir", cmd.dir, "rpcport=0", "daemon.rpcport=0"}))
	require.Positive(t, found)
}

func portOf(t *testing.T, b *both) string {
	t.Helper()
	_, port, err := net.SplitHostPort(b.address)
	require.NoError(t, err)
	return port
}

// Options after the method are not parameters of the method.
func TestCallOptionsBehindTheMethod(t *testing.T) {
	b := serveBoth(t)
	cmd := callRunning(t, b)
	for _, words := range [][]string{
		{"getinfo", "--datadir", "/somewhere"}, {"getinfo", "--datadir=/somewhere"}, {"tokenlist", "--config", "/somewhere"},
		{"getblock", "1", "--json"}, {"my_balance", `{"coin":"X"}`, "--node"}, {"help", "--daemon"},
	} {
		out := cmd.do(append([]string{"call"}, words...)...)
		requireRefused(t, out)
		require.Contains(t, out.stderr, "options come first, as in `obverse call --")
		require.NotContains(t, out.stderr, "/somewhere")
	}
	require.Empty(t, b.body)
	require.Zero(t, cmd.do("call", "tokencreate", "T", "1", "--jsonx").code)
}
