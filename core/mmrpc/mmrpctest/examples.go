package mmrpctest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/rpc"
	"obverse/core/rpc/recording"
)

// Example is a documented or recorded call.
type Example struct {
	Method   string          `json:"method"`
	Request  json.RawMessage `json:"request"`
	Response json.RawMessage `json:"response"`
	Status   *int            `json:"http_status_if_known"`
	Source   string          `json:"source"`

	outside bool // whether it comes from a folder named in the environment
}

// outcome returns the kind and the data of an answer.
func (e Example) outcome() (kind string, data json.RawMessage) {
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

// names returns the names by which a table may refer to an example, starting with the most
// specific.
func (e Example) names() []string {
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

// find looks up an example by its most specific name.
func find[V any](table map[string]V, e Example) (v V, found bool) {
	for _, name := range e.names() {
		if v, found = table[name]; found {
			return v, true
		}
	}
	return v, false
}

// envelopeKinds are the kinds of errors that do not depend on the method.
var envelopeKinds = []string{"InvalidMmRpcVersion", "LocalHostOnly", "Banned", "UserpassIsNotSet", "UserpassIsInvalid", "NoSuchMethod"}

// Examples are the examples of the package itself, followed by those in the environment.
type Examples []Example

// ReadExamples reads the file in the folder pkg, and the files named by the environment
// variable OBVERSE_NODE_EXAMPLES, whatever their names.
func ReadExamples(t testing.TB, pkg string) (all Examples) {
	t.Helper()
	const variable = "OBVERSE_NODE_EXAMPLES"
	files := recording.Read(t, pkg, variable, "node-examples.json")
	for _, path := range recording.Places(variable) {
		if b, err := os.ReadFile(path); err == nil && filepath.Base(path) != "node-examples.json" {
			files = append(files, b)
		}
	}
	for n, file := range files {
		for _, e := range ParseExamples(t, file) {
			e.outside = n > 0
			all = append(all, e)
		}
	}
	return all
}

// ParseExamples parses a file. Every request of a batch is a separate example.
func ParseExamples(t testing.TB, file []byte) (list Examples) {
	t.Helper()
	var read Examples
	require.NoError(t, json.Unmarshal(file, &read))
	for _, e := range read {
		if rpc.KindOf(e.Request) != rpc.KindArray || rpc.KindOf(e.Response) != rpc.KindArray {
			list = append(list, e)
			continue
		}
		replies := slices.Collect(rpc.Items(e.Response))
		for i, request := range slices.Collect(rpc.Items(e.Request)) {
			method, _ := rpc.Unquote(memberOf(request, "method")) // method is "" if it is absent
			list = append(list, Example{Method: method, Request: request, Response: replies[i], Source: e.Source})
		}
	}
	return list
}

// Compare starts a node for each example and compares its answer with the documented one:
// members and their order, types, status, kind and data. It returns the number of compared
// examples, and logs the others.
func (all Examples) Compare(t *testing.T, start func(*testing.T) Node) (compared int) {
	t.Helper()
	first := start(t)
	_, inside := first.(Backstage)
	known := methodsOf(t, first)
	unknown, excused := map[string]int{}, map[string]int{}
	for n, e := range all {
		kind, _ := e.outcome()
		why, is := find(excuses, e)
		switch {
		case rpc.KindOf(e.Request) != rpc.KindObject || rpc.KindOf(e.Response) != rpc.KindObject:
			excused["no request"]++
		case is:
			excused[why]++
		case e.foreign():
			excused["a coin that is not here"]++
		case !slices.Contains(known, e.Method) && !slices.Contains(envelopeKinds, kind):
			unknown[e.Method]++
		case !inside && e.needsBackstage():
			excused["a state into which no method brings the node: "+e.names()[0]]++
		default:
			compared++
			t.Run(fmt.Sprintf("%d %s", n, e.names()[0]), func(t *testing.T) {
				if why := e.Compare(t, start(t)); why != "" {
					compared--
					excused[why]++
					t.Skip(why)
				}
			})
		}
	}
	skipped := 0
	for _, count := range excused {
		skipped += count
	}
	t.Logf("%d compared; %d skipped: %v; methods that are not there: %v", compared, skipped, excused, slices.Sorted(maps.Keys(unknown)))
	return compared
}

// methodsOf returns the methods of the node.
func methodsOf(t testing.TB, n Node) (names []string) {
	t.Helper()
	v := Vector{Method: "rpc.discover"}
	var document struct {
		Result struct{ Methods []struct{ Name string } }
	}
	require.NoError(t, json.Unmarshal(n.Call(false, []byte(n.Fill(string(v.body())))).Body, &document))
	for _, m := range document.Result.Methods {
		names = append(names, m.Name)
	}
	require.NotEmpty(t, names)
	return names
}

// needsBackstage reports whether the example needs a state in backstage.
func (e Example) needsBackstage() bool {
	for _, name := range e.names() {
		if _, found := setUps[name]; found {
			return false
		}
		if _, found := backstage[name]; found {
			return true
		}
	}
	return false
}

// prepare brings a new node into the state of the example.
func (e Example) prepare(t testing.TB, n Node) {
	t.Helper()
	if e.needsBackstage() {
		setUp, _ := find(backstage, e)
		setUp(n.(Backstage))
		return
	}
	if setUp, found := find(setUps, e); found {
		setUp(t, n)
	}
}

// maxWrong is the number of wrong passwords that result in a ban.
const maxWrong = 10

// circumstances infers the circumstances of a call from the answer of an example: the request
// in the form for this node, whether it comes from another machine, and the number of preceding
// wrong passwords.
func (e Example) circumstances(t testing.TB, n Node) (request []byte, away bool, guesses int) {
	t.Helper()
	kind, data := e.outcome()
	legacy, _ := rpc.Unquote(memberOf(e.Response, "error")) // legacy is "" if there is no error text
	wrong := kind == "UserpassIsInvalid" || strings.Contains(legacy, "Userpass is invalid") || kind == "Banned" || strings.Contains(legacy, "banned")
	request = e.Request
	if rpc.KindOf(memberOf(request, "userpass")) == rpc.KindString && !wrong {
		request = with(request, "userpass", fmt.Appendf(nil, "%q", n.Fill(Password)))
	}
	switch {
	case kind == "Banned", strings.Contains(legacy, "banned"):
		guesses = maxWrong
	case kind == "UserpassIsInvalid":
		left, err := strconv.Atoi(string(memberOf(data, "error_data")))
		require.NoError(t, err)
		guesses = maxWrong - 1 - left
	}
	return request, kind == "LocalHostOnly" || strings.Contains(legacy, "localhost"), guesses
}

// Compare makes the call of the example on a new node. If the answer cannot be compared with
// the example, Compare returns the reason.
func (e Example) Compare(t testing.TB, n Node) (skipped string) {
	t.Helper()
	e.prepare(t, n)
	request, away, guesses := e.circumstances(t, n)
	for range guesses {
		n.Call(false, []byte(`{"userpass":"no password of any node","mmrpc":"2.0","method":"get_public_key"}`))
	}
	a := n.Call(away, request)
	reply := bytes.TrimSpace(a.Body)
	kind, data := e.outcome()
	gotKind, gotData := Example{Response: reply}.outcome()
	if ours, renamed := exampleKinds[kind]; renamed {
		kind = ours
	}
	if e.outside && gotKind == "NoSuchCoin" && kind != gotKind {
		return "a coin that is not here"
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
		require.Equal(t, own, a.Status)
	} else if e.Status != nil {
		require.Equal(t, *e.Status, a.Status)
	}
	// In the documentation, some answers omit the id; here, every answer repeats it.
	lacks, _ := find(exampleLacks, e)
	require.Empty(t, difference("", plain(e.Response, ""), plain(reply, lacks)), "%s", reply)
	if names, _ := membersOf(reply); slices.Contains(names, "mmrpc") {
		require.Equal(t, string(memberOf(e.Request, "id")), string(memberOf(reply, "id")))
	}
	return ""
}

// plain returns an answer with the id replaced by null, and without the given member.
func plain(object json.RawMessage, without string) json.RawMessage {
	if without != "" {
		object = with(object, without, nil)
	}
	return with(object, "id", []byte("null"))
}

// with replaces the value of a member in an object, or removes the member if value is nil.
func with(object json.RawMessage, wanted string, value []byte) json.RawMessage {
	out := []byte{'{'}
	for name, old := range rpc.Members(object) {
		if name == wanted {
			if value == nil {
				continue
			}
			old = value
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = fmt.Appendf(out, "%q:%s", name, old)
	}
	return append(out, '}')
}
