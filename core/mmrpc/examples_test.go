package mmrpc

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/coin"
	"obverse/core/event"
	"obverse/core/peerid"
	"obverse/core/recording"
	"obverse/core/rpc"
	"obverse/core/store/bunt"
	"obverse/core/swap"
	"obverse/core/versionstat"
)

// example is a call that was documented or recorded elsewhere.
type example struct {
	Method   string          `json:"method"`
	Request  json.RawMessage `json:"request"`
	Response json.RawMessage `json:"response"`
	Status   *int            `json:"http_status_if_known"`
	Source   string          `json:"source"`

	outside bool // somebody brought it
}

// outcome takes apart what an answer says of its kind.
func (e example) outcome() (kind string, data json.RawMessage) {
	fields, err := rpc.Fields(e.Response)
	if err != nil {
		return "", nil
	}
	for _, f := range fields {
		switch f.Name {
		case "error_type":
			kind, _ = rpc.Unquote(f.Value)
		case "error_data":
			data = f.Value
		}
	}
	return kind, data
}

// userpass is the password that the recorded node had.
func (e example) userpass() string {
	text, _ := rpc.Unquote(memberOf(e.Request, "userpass")) // the empty one is none
	return text
}

// names are the ways in which a table may speak of an example, the most exact first.
func (e example) names() []string {
	kind, data := e.outcome()
	names := []string{e.Method}
	if kind != "" {
		names = []string{e.Method + " " + kind, e.Method}
		if text, err := rpc.Unquote(data); err == nil && rpc.KindOf(data) == rpc.KindString {
			names = append([]string{e.Method + " " + kind + " " + text}, names...)
		}
	}
	return names
}

// station is a node of interface B without a network.
type station struct {
	*Server
	hub    *event.Hub
	active *coin.Active
	ledger *swap.Ledger
}

// noProbe reaches no node.
type noProbe struct{}

var errNoNetwork = errors.New("there is no network")

func (noProbe) Version(context.Context, peerid.ID, string) (string, error) { return "", errNoNetwork }

func newStation(t *testing.T, userpass string) *station {
	t.Helper()
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	st := &station{hub: event.New(event.Config{Now: time.Now})}
	st.active, err = coin.Open(t.Context(), coin.Config{Store: kv})
	require.NoError(t, err)
	st.ledger, err = swap.Open(t.Context(), kv, time.Now)
	require.NoError(t, err)
	b := Backend{
		Control: Control{Version: "1.2.3", Stop: func() {}}, Keys: bobsKeys(t), Streams: Streams{Hub: st.hub},
		Coins: Coins{Active: st.active, Swaps: st.ledger}, Swaps: Swaps{Active: st.active, Ledger: st.ledger},
		VersionStats: VersionStats{Collector: versionstat.New(versionstat.Config{Store: kv, Now: time.Now, Probe: noProbe{}})},
	}
	st.Server = New(Options{Password: NewPassword(userpass), LocalOnly: true, Now: time.Now}, b.Areas()...)
	return st
}

// must calls a method that has to succeed.
func (st *station) must(t *testing.T, method, params string) {
	t.Helper()
	m, known := st.Table().Lookup(method)
	require.True(t, known)
	_, err := m.Named(t.Context(), json.RawMessage(params), rpc.Rules{})
	require.NoError(t, err)
}

// listen opens the event stream of a client.
func (st *station) listen(t *testing.T, client uint64) {
	t.Helper()
	connection, err := st.hub.Connect(client, nil)
	require.NoError(t, err)
	t.Cleanup(connection.Close)
}

// activate makes coins active that do nothing.
func (st *station) activate(t *testing.T, tickers ...string) {
	t.Helper()
	for _, ticker := range tickers {
		x, err := st.active.Begin(t.Context(), ticker)
		require.NoError(t, err)
		require.NoError(t, x.Commit(t.Context(), coin.Item{Coin: swapCoin(ticker)}))
	}
}

// published is a streamer of which only the name matters.
type published string

func (p published) ID() string { return string(p) }

// setUps bring a node into the state in which an example was recorded.
var setUps = map[string]func(*testing.T, *station){
	"stream::heartbeat::enable EnableError ClientAlreadyListening": func(t *testing.T, st *station) {
		st.listen(t, 1)
		st.must(t, "stream::heartbeat::enable", `{"client_id":1}`)
	},
	"stream::disable": func(t *testing.T, st *station) {
		st.listen(t, 1)
		_, err := st.hub.Enable(1, published("BALANCE:MATIC"))
		require.NoError(t, err)
	},
	"add_node_to_version_stat DatabaseError": func(t *testing.T, st *station) {
		st.must(t, "add_node_to_version_stat", `{"name":"other","address":"168.119.236.241","peer_id":"12D3KooWEsuiKcQaBaKEzuMtT6uFjs89P1E8MK3wGRZbeuCbCw6P"}`)
	},
	"update_version_stat_collection":            func(t *testing.T, st *station) { st.must(t, "start_version_stat_collection", `{"interval":600}`) },
	"update_version_stat_collection NotRunning": func(*testing.T, *station) {},
	"get_enabled_coins":                         func(t *testing.T, st *station) { st.activate(t, "KMD", "IRIS", "ATOM-IBC_IRIS") },
	"get_locked_amount": func(t *testing.T, st *station) {
		st.activate(t, "DOC", "RICK")
		beginSwap(t, st.ledger, "1", "DOC", "0.777", "0.00103")
		beginSwap(t, st.ledger, "2", "RICK", "0.777", "0.00103")
	},
	"get_locked_amount NoSuchCoin": func(*testing.T, *station) {},
}

// excuses say why an example is not compared.
var excuses = map[string]string{
	"start_version_stat_collection DatabaseError": "starting writes nothing that could be there twice",
}

// data is error_data where the example's own belongs to another request.
var exampleData = map[string]string{
	"get_locked_amount NoSuchCoin": `{"coin":"RICK"}`, // shown with the answer for TIME
}

// exampleLacks names a member that an answer has and the example leaves out.
var exampleLacks = map[string]string{"version": "datetime"}

// statuses of kinds for which ours is the same whatever the method.
var exampleStatuses = map[string]int{"NoSuchCoin": 404}

// exampleKinds are the names that the interface has for upstream's kinds.
var exampleKinds = map[string]string{"PrivKeyPolicyNotAllowed": "PrivKeyNotAllowed", "Internal": "InternalError"}

// find looks an example up by its most exact name.
func find[V any](table map[string]V, e example) (v V, found bool) {
	for _, name := range e.names() {
		if v, found = table[name]; found {
			return v, true
		}
	}
	return v, false
}

// envelopeKinds are given whatever the method is.
var envelopeKinds = []string{"InvalidMmRpcVersion", "LocalHostOnly", "Banned", "UserpassIsNotSet", "UserpassIsInvalid", "NoSuchMethod"}

// TestNodeExamples compares answers with documented ones: members and their order,
// types, status, kind and data.
func TestNodeExamples(t *testing.T) {
	unknown, excused, compared := map[string]int{}, map[string]int{}, 0
	table := newStation(t, password).Table()
	for from, file := range exampleFiles(t) {
		for n, e := range readExamples(t, file) {
			_, known := table.Lookup(e.Method)
			kind, _ := e.outcome()
			why, is := find(excuses, e)
			switch {
			case rpc.KindOf(e.Request) != rpc.KindObject || rpc.KindOf(e.Response) != rpc.KindObject:
				excused["no request"]++
			case is:
				excused[why]++
			case !known && !slices.Contains(envelopeKinds, kind):
				unknown[e.Method]++
			default:
				compared++
				e.outside = from > 0
				t.Run(fmt.Sprintf("%d %d %s", from, n, e.names()[0]), func(t *testing.T) { e.compare(t) })
			}
		}
	}
	require.NotZero(t, compared)
	t.Logf("%d compared; excused: %v; methods that are not there: %v", compared, excused, slices.Sorted(maps.Keys(unknown)))
}

// exampleFiles are our own and those that the environment names, by whatever name.
func exampleFiles(t *testing.T) [][]byte {
	const variable = "OBVERSE_NODE_EXAMPLES"
	files := recording.Read(t, "testdata", variable, "node-examples.json")
	for _, path := range recording.Places(variable) {
		if b, err := os.ReadFile(path); err == nil && filepath.Base(path) != "node-examples.json" {
			files = append(files, b)
		}
	}
	return files
}

// readExamples reads a file; of a batch every request is an example.
func readExamples(t *testing.T, file []byte) (list []example) {
	var read []example
	require.NoError(t, json.Unmarshal(file, &read))
	for _, e := range read {
		if rpc.KindOf(e.Request) != rpc.KindArray || rpc.KindOf(e.Response) != rpc.KindArray {
			list = append(list, e)
			continue
		}
		replies := slices.Collect(rpc.Items(e.Response))
		for i, request := range slices.Collect(rpc.Items(e.Request)) {
			method, _ := rpc.Unquote(memberOf(request, "method")) // none has no name
			list = append(list, example{Method: method, Request: request, Response: replies[i], Source: e.Source})
		}
	}
	return list
}

// surroundings are the node and the caller of an example.
func (e example) surroundings(t *testing.T) (*station, rpc.Caller) {
	kind, data := e.outcome()
	legacy, _ := rpc.Unquote(memberOf(e.Response, "error")) // none is no text
	banned := kind == "Banned" || strings.Contains(legacy, "banned")
	userpass := e.userpass()
	if banned || kind == "UserpassIsInvalid" || strings.Contains(legacy, "Userpass is invalid") {
		userpass = "another password"
	}
	st, caller := newStation(t, userpass), here
	if kind == "LocalHostOnly" || strings.Contains(legacy, "localhost") {
		caller = there
	}
	guesses := 0
	if banned {
		guesses = maxWrong
	} else if kind == "UserpassIsInvalid" {
		left, err := strconv.Atoi(string(memberOf(data, "error_data")))
		require.NoError(t, err)
		guesses = maxWrong - 1 - left
	}
	for range guesses {
		st.Serve(t.Context(), caller, []byte(guess))
	}
	if setUp, found := find(setUps, e); found {
		setUp(t, st)
	}
	return st, caller
}

func (e example) compare(t *testing.T) {
	st, caller := e.surroundings(t)
	status, reply := st.Serve(t.Context(), caller, e.Request)
	reply = bytes.TrimSpace(reply)
	kind, data := e.outcome()
	gotKind, gotData := example{Response: reply}.outcome()
	if ours, renamed := exampleKinds[kind]; renamed {
		kind = ours
	}
	if e.outside && gotKind == "NoSuchCoin" && kind != gotKind {
		t.Logf("a coin that is not here: %s", reply)
		return
	}
	require.Equal(t, kind, gotKind, "%s", reply)
	if own, found := find(exampleData, e); found && kind != "" {
		data = json.RawMessage(own)
	}
	if data == nil {
		require.Nil(t, gotData, "%s", reply)
	} else {
		require.JSONEq(t, string(data), string(gotData))
	}
	if own, fixed := exampleStatuses[kind]; fixed {
		require.Equal(t, own, status)
	} else if e.Status != nil {
		require.Equal(t, *e.Status, status)
	}
	// The documents repeat an id or leave it out as it comes; we always repeat it.
	lacks, _ := find(exampleLacks, e)
	require.Empty(t, difference("", plain(e.Response, ""), plain(reply, lacks)), "%s", reply)
	if names, _ := membersOf(reply); slices.Contains(names, "mmrpc") {
		require.Equal(t, string(memberOf(e.Request, "id")), string(memberOf(reply, "id")))
	}
}

// The comparison finds what it is there for.
func TestNodeExamplesAreHeldTo(t *testing.T) {
	const file = `[{"method":"x","request":{"userpass":"a","mmrpc":"2.0","method":"x"},"response":{"mmrpc":"2.0","error":"","error_path":"","error_trace":"","error_type":"NoSuchMethod","id":null},"http_status_if_known":400},
		{"method":"version","request":{"userpass":"a","mmrpc":"2.0","method":"version"},"response":{"mmrpc":"2.0","error":"","error_path":"","error_trace":"","error_type":"Banned","id":null},"http_status_if_known":403},
		{"method":"help","request":{"userpass":"a","method":"stop"},"response":{"error":"rpc:195] RPC call failed: rate_limiter:50] Userpass is invalid! - Rate Limit attempts left: 7"},"http_status_if_known":500},
		{"method":"stop","request":{"userpass":"a","mmrpc":"2.0","method":"stop"},"response":{"mmrpc":"2.0","error":"","error_path":"","error_trace":"","error_type":"LocalHostOnly","id":null},"http_status_if_known":403},
		{"method":"batch","request":[{"userpass":"a","mmrpc":"2.0","method":"stop"},{"userpass":"a","method":"stop"}],"response":[{"mmrpc":"2.0","error":"","error_path":"","error_trace":"","error_type":"UserpassIsInvalid","error_data":{"error_type":"NbAttemptsLeft","error_data":4},"id":null},{"result":"success"}]}]`
	examples := readExamples(t, []byte(file))
	require.Len(t, examples, 6)
	for _, e := range examples {
		e.compare(t)
	}
}

// memberOf finds a member of a request or an answer; null if there is none.
func memberOf(object json.RawMessage, wanted string) json.RawMessage {
	for name, value := range rpc.Members(object) {
		if name == wanted {
			return value
		}
	}
	return json.RawMessage("null")
}

// plain replaces the id of an answer by null and leaves a member out.
func plain(object json.RawMessage, without string) json.RawMessage {
	out := []byte{'{'}
	for name, value := range rpc.Members(object) {
		switch name {
		case without:
			continue
		case "id":
			value = json.RawMessage("null")
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, "%q:%s", name, value)
	}
	return append(out, '}')
}
