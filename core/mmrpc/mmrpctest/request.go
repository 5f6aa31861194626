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

// OldRequest is a request without mmrpc.
func OldRequest(method, members string) string {
	return fmt.Sprintf(`{"userpass":%q,"method":%q%s}`, Userpass, method, members)
}

// CompactJSON takes the white space out.
func CompactJSON(t *testing.T, raw json.RawMessage) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, json.Compact(&out, raw))
	return out.String()
}

// Member finds a member of a member of … an object; null if it is absent.
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

// TextMember is Member for a text.
func TextMember(t *testing.T, object string, names ...string) (text string) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(Member(t, object, names...)), &text))
	return text
}

// TextOf is a member that may be missing.
func TextOf(t *testing.T, object, name string) string {
	if Member(t, object, name) == "null" {
		return ""
	}
	return TextMember(t, object, name)
}

// Userpass is the password of the servers of tests.
const Userpass = "RPC_UserP@SSW0RD"

// Callers: one on the machine of the server, and one elsewhere.
var (
	Here  = rpc.Caller{Address: "127.0.0.1", Local: true}
	There = rpc.Caller{Address: "203.0.113.5"}
)

// Request is a request of a method with its params, both as JSON.
func Request(method, params string) string {
	return fmt.Sprintf(`{"userpass":%q,"mmrpc":"2.0","method":%q,"params":%s,"id":5}`, Userpass, method, params)
}

// Failed is the envelope of an error with its members in order; Untraced
// replaces the trace.
func Failed(text, path, kind, data, id string) string {
	if data != "" {
		data = `"error_data":` + data + `,`
	}
	return fmt.Sprintf(`{"mmrpc":"2.0","error":%s,"error_path":%q,"error_trace":"TRACE","error_type":%q,%s"id":%s}`,
		Quote(text), path, kind, data, id)
}

// Quote is a text as JSON, as the server prints it.
func Quote(s string) string {
	var out strings.Builder
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	_ = e.Encode(s)
	return strings.TrimSpace(out.String())
}

// Untraced replaces the traces of a reply, which have line numbers.
func Untraced(reply string) string {
	return regexp.MustCompile(`"error_trace":"[^"]*"`).ReplaceAllString(reply, `"error_trace":"TRACE"`)
}

// MemoryKV opens a store in memory until the end of the test.
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
