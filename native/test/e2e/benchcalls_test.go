package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/wire"
	"obverse/native/test/benchtable"
)

// Environment variables of BenchmarkAgainst.
const (
	againstVariable    = "OBVERSE_AGAINST"            // http://host:port of a running daemon
	credentialVariable = "OBVERSE_AGAINST_CREDENTIAL" // its cookie or conf file
)

// turnTime is the length of a turn, in which one side of a row is called.
const turnTime = 300 * time.Millisecond

// someTokens is the number of tokens of the node, unless the other daemon has a different number.
const fewTokens = 60

// daemonSide is a daemon that is measured.
type daemonSide struct {
	address    string // host:port
	credential string // value of the header
	token      string // id of a token; empty if the chain has no token
	tip        string
	tokens     int
}

// call sends the calls that prepare the rows, which are not measured.
func (s *daemonSide) call(result any, method string, params ...any) error {
	return s.ask(request(method, params...), result)
}

func (s *daemonSide) ask(body []byte, result any) error {
	call, err := http.NewRequest(http.MethodPost, "http://"+s.address+"/", bytes.NewReader(body))
	if err != nil {
		return err
	}
	call.Header.Set("Authorization", "Basic "+s.credential)
	call.Header.Set("Content-Type", "text/plain;")
	answer, err := http.DefaultClient.Do(call)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	var r reply
	if err := json.NewDecoder(answer.Body).Decode(&r); err != nil {
		return fmt.Errorf("%s: %w", answer.Status, err)
	}
	var refused struct{ Result, Error string }
	switch {
	case r.Error != nil:
		return r.Error
	case json.Unmarshal(r.Result, &refused) == nil && refused.Result == "error":
		return errors.New(refused.Error)
	}
	return json.Unmarshal(r.Result, result)
}

// learn queries the values for the parameters of the calls.
func (s *daemonSide) learn() error {
	var tokens []string
	if err := s.call(&s.tip, "getbestblockhash"); err != nil {
		return err
	}
	if s.call(&tokens, "tokenlist") == nil && len(tokens) > 0 {
		s.token, s.tokens = tokens[0], len(tokens)
	}
	return nil
}

// calledMethods returns the rows with the parameters of their calls. No call changes the chain.
func (s *daemonSide) calledMethods(receiver string) map[string][]byte {
	return map[string][]byte{
		"getblockcount": request("getblockcount"), "getinfo": request("getinfo"), "getblock": request("getblock", s.tip),
		"tokenlist": request("tokenlist"), "tokenaddress": request("tokenaddress"), "tokeninfo": request("tokeninfo", s.token),
		"tokenbalance": request("tokenbalance", s.token), "tokentransfer": request("tokentransfer", s.token, receiver, "1"),
	}
}

var calledOrder = []string{"getblockcount", "getinfo", "getblock", "tokenlist", "tokenaddress", "tokeninfo", "tokenbalance", "tokentransfer"}

// callRate repeats a call for turnTime and returns the number of calls per second.
func (s *daemonSide) callRate(b *testing.B, body []byte, connections int) float64 {
	b.Helper()
	var all []*connection
	for range connections {
		c := dial(b, s.address)
		c.credential = s.credential
		all = append(all, c)
		defer c.Close()
	}
	var done atomic.Int64
	start := time.Now()
	rate(connections, connections, func(i int) {
		for first := true; first || time.Since(start) < turnTime; first = false {
			if err := all[i].post(body); err != nil {
				panic(fmt.Sprintf("%s: %v", s.address, err))
			}
			done.Add(1)
		}
	})
	return float64(done.Load()) / time.Since(start).Seconds()
}

// holdTokens creates tokens of the nodes' key.
func holdTokens(b *testing.B, coin chaintest.Coin, count int, send func(*wire.Tx), confirm func()) {
	b.Helper()
	p := newWallet(b)
	for i := range count {
		tx, funds := p.Create(coin, fmt.Sprintf("T%d", i), 1000)
		send(tx)
		coin = funds.Coin
		if i%20 == 19 { // avoids long chains of unconfirmed transactions
			confirm()
		}
	}
	confirm()
}

// compare adds a row for each method and number of connections. If a side rejects a call, the row
// names it.
func compare(b *testing.B, t *benchtable.Table, ours, theirs *daemonSide, name string) {
	b.Helper()
	receiver := pubHex(other(b))
	ourCalls, theirCalls := ours.calledMethods(receiver), theirs.calledMethods(receiver)
	for _, method := range calledOrder {
		refused := ours.ask(ourCalls[method], new(json.RawMessage))
		if refused == nil {
			refused = theirs.ask(theirCalls[method], new(json.RawMessage))
		}
		if refused != nil {
			t.Note(method, "not compared: "+strings.TrimSpace(strings.ReplaceAll(refused.Error(), "\n", " ")))
			continue
		}
		for _, connections := range []int{1, fewFeeders} {
			var left, right []float64
			for range rounds {
				left, right = append(left, ours.callRate(b, ourCalls[method], connections)), append(right, theirs.callRate(b, theirCalls[method], connections))
			}
			t.Add(benchtable.Row{What: fmt.Sprintf("%s, %d at a time, of %s", method, connections, name), Unit: "/s", Ours: left, Reference: right})
		}
	}
}

// measureCalls compares calls with a handler that returns a constant.
func measureCalls(b *testing.B, t *benchtable.Table) {
	n := newBenchNode(b)
	web := n.serve(b)
	holdTokens(b, n.premine(), fewTokens, n.send, n.mine)
	ours := &daemonSide{address: web.address, credential: credential}
	require.NoError(b, ours.learn())
	compare(b, t, ours, &daemonSide{address: web.constant, credential: credential}, "a constant answer")
}

// programSide returns the program with a number of tokens. It runs in a separate process, like the
// other daemon.
func programSide(b *testing.B, tokens int) *daemonSide {
	b.Helper()
	n := newLaunch(b).start(b, "chain.blockinterval=0.1")
	holdTokens(b, n.premine(), tokens, func(tx *wire.Tx) { n.send(encoded(tx)) }, n.waitConfirmed)
	ours := &daemonSide{address: strings.TrimPrefix(n.ready.Daemon, "http://"), credential: credential}
	require.NoError(b, ours.learn())
	return ours
}

// BenchmarkAgainst compares the program with the running daemon in OBVERSE_AGAINST, such as
// komodod. It does not change the chain of that daemon. It is only meaningful with -benchtime 1x.
func BenchmarkAgainst(b *testing.B) {
	if os.Getenv(againstVariable) == "" {
		b.Skip(againstVariable + " names no daemon")
	}
	theirs, err := againstSide(os.Getenv(againstVariable), os.Getenv(credentialVariable))
	require.NoError(b, err)
	require.NoError(b, theirs.learn(), "%s does not answer as a daemon", theirs.address)
	t := new(benchtable.Table)
	for b.Loop() {
		ours := programSide(b, min(cmp.Or(theirs.tokens, fewTokens), 1000))
		compare(b, t, ours, theirs, theirs.address)
		t.Note("tokens on the chain", fmt.Sprintf("ours %d, at %s %d", ours.tokens, theirs.address, theirs.tokens))
	}
	require.NoError(b, t.Finish(os.Stdout))
}

// againstSide returns the daemon in the environment. Its credential is read from a file, since all
// users of a machine can read command lines.
func againstSide(where, file string) (*daemonSide, error) {
	at, err := url.Parse(where)
	switch {
	case err != nil || at.Scheme != "http" || at.Host == "" || at.Port() == "":
		return nil, fmt.Errorf("%s must be http://host:port", againstVariable)
	case at.User != nil:
		return nil, fmt.Errorf("%s must be without a password, which everybody can read there: %s names a cookie or conf file", againstVariable, credentialVariable)
	case strings.Trim(at.Path, "/") != "" || at.RawQuery != "":
		return nil, fmt.Errorf("%s must be http://host:port without a path", againstVariable)
	case file == "":
		return nil, fmt.Errorf("%s must be the path of the daemon's cookie or conf file", credentialVariable)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", credentialVariable, err)
	}
	given, err := credentialIn(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", credentialVariable, file, err)
	}
	return &daemonSide{address: at.Host, credential: encodedCredential(given)}, nil
}

// credentialIn returns the user and password of a cookie, or of a conf file with rpcuser and
// rpcpassword.
func credentialIn(text string) (string, error) {
	var user, password string
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch strings.TrimSpace(name) {
		case "rpcuser":
			user = strings.TrimSpace(value)
		case "rpcpassword":
			password = strings.TrimSpace(value)
		}
	}
	if user != "" && password != "" {
		return user + ":" + password, nil
	}
	cookie := strings.TrimSpace(text)
	if user == "" && password == "" && strings.Count(cookie, "\n") == 0 && strings.Contains(cookie, ":") {
		return cookie, nil
	}
	return "", errors.New("want a line user:password, or lines rpcuser=… and rpcpassword=…")
}

func TestAgainstSide(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) string {
		path := dir + "/" + fmt.Sprint(len(text))
		require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	for _, text := range []string{"u:p:q\n", "rpcport=1\nrpcuser = u\nrpcpassword=p:q\n"} {
		side, err := againstSide("http://127.0.0.1:7771/", write(text))
		require.NoError(t, err)
		require.Equal(t, &daemonSide{address: "127.0.0.1:7771", credential: encodedCredential("u:p:q")}, side)
	}
	good := write("a:b")
	for want, given := range map[string][2]string{
		"must be http://host:port":                        {"127.0.0.1:7771", good},
		"must be without a password":                      {"http://u:p@127.0.0.1:7771", good},
		"without a path":                                  {"http://127.0.0.1:7771/x", good},
		"must be the path of the daemon's cookie":         {"http://127.0.0.1:7771", ""},
		"no such file":                                    {"http://127.0.0.1:7771", dir + "/none"},
		"want a line user:password":                       {"http://127.0.0.1:7771", write("rpcuser=u\n")},
		"OBVERSE_AGAINST must be http://host:port":        {"http://127.0.0.1", good},
		"OBVERSE_AGAINST_CREDENTIAL: " + write("nothing"): {"http://127.0.0.1:7771", write("nothing")},
	} {
		_, err := againstSide(given[0], given[1])
		require.ErrorContains(t, err, want)
	}
}

// TestAgainstAnotherNode sends the calls of the rows to a running node.
func TestAgainstAnotherNode(t *testing.T) {
	t.Parallel()
	n := newLaunch(t).start(t, "chain.blockinterval=0.1")
	n.requireReady()
	side := &daemonSide{address: strings.TrimPrefix(n.ready.Daemon, "http://"), credential: credential}
	require.NoError(t, side.learn())
	require.Empty(t, side.token, "a new chain has no token")
	require.Error(t, side.ask(side.calledMethods(pubHex(other(t)))["tokeninfo"], new(json.RawMessage)))
	id := n.send(n.build("tokencreate", "BENCH", "0.00001", "made by a test"))
	n.waitConfirmed()
	require.NoError(t, side.learn())
	require.Equal(t, id, side.token)
	called := side.calledMethods(pubHex(other(t)))
	require.Len(t, called, len(calledOrder))
	for _, method := range calledOrder {
		require.NoError(t, side.ask(called[method], new(json.RawMessage)), method)
	}
	side.credential = encodedCredential("wrong:one")
	require.Error(t, side.learn())
}
