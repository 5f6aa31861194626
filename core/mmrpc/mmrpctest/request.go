package mmrpctest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/number"
	"obverse/core/rpc"
	"obverse/core/store"
	"obverse/core/store/bunt"
)

// OldRequest returns a request without mmrpc.
func OldRequest(method, members string) string {
	return fmt.Sprintf(`{"userpass":%q,"method":%q%s}`, Userpass, method, members)
}

// CompactJSON removes the white space from a JSON text.
func CompactJSON(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, json.Compact(&out, raw))
	return out.String()
}

// Member returns a nested member of an object, given by the names on the path to it. If a
// member is absent, the result is null.
func Member(t *testing.T, object string, names ...string) string {
	t.Helper()
	for _, name := range names {
		var members map[string]json.RawMessage
		require.NoError(t, json.Unmarshal([]byte(object), &members))
		object = "null"
		if found := members[name]; found != nil {
			object = string(found)
		}
	}
	return object
}

// TextMember is like Member, for a string.
func TextMember(t *testing.T, object string, names ...string) (text string) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(Member(t, object, names...)), &text))
	return text
}

// TextOf returns a string member, or "" if it is absent.
func TextOf(t *testing.T, object, name string) string {
	if Member(t, object, name) == "null" {
		return ""
	}
	return TextMember(t, object, name)
}

// Userpass is the password of servers in tests.
const Userpass = "RPC_UserP@SSW0RD"

// Callers on the server's machine and on another machine.
var (
	Here  = rpc.Caller{Address: "127.0.0.1", Local: true}
	There = rpc.Caller{Address: "203.0.113.5"}
)

// Request returns a request for a method with params, which are JSON.
func Request(method, params string) string {
	return fmt.Sprintf(`{"userpass":%q,"mmrpc":"2.0","method":%q,"params":%s,"id":5}`, Userpass, method, params)
}

// Failed returns the envelope of an error. Its trace is the placeholder inserted by Untraced.
func Failed(text, path, kind, data, id string) string {
	if data != "" {
		data = `"error_data":` + data + `,`
	}
	return fmt.Sprintf(`{"mmrpc":"2.0","error":%s,"error_path":%q,"error_trace":"TRACE","error_type":%q,%s"id":%s}`,
		Quote(text), path, kind, data, id)
}

// Quote returns a text as a JSON string, in the format of the server.
func Quote(s string) string {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	return strings.TrimSpace(out.String())
}

// Untraced replaces the traces in a reply with a placeholder, since they contain line numbers.
func Untraced(reply string) string {
	return regexp.MustCompile(`"error_trace":"[^"]*"`).ReplaceAllString(reply, `"error_trace":"TRACE"`)
}

// MemoryKV opens an in-memory store, which is closed at the end of the test.
func MemoryKV(t *testing.T) store.KV {
	t.Helper()
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	return kv
}

// Rational parses a decimal number.
func Rational(text string) number.Rational {
	r, err := number.ParseRational(text)
	if err != nil {
		panic(err)
	}
	return r
}
