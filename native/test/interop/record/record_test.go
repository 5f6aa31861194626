package main

import (
	"encoding/hex"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/native/test/interop"
)

func TestParamsKeepTheirOrder(t *testing.T) {
	for want, p := range map[string]params{
		`{}`:                               nil,
		`{"z":"<&>","a":null,"m":[1]}`:     {{"z", "<&>"}, {"a", nil}, {"m", []int{1}}},
		`{"tx":"AAE=","page":"1"}`:         {{"tx", []byte{0, 1}}, {"page", "1"}},
		`{"query":"a.b='c' AND d.e>='5'"}`: {{"query", "a.b='c' AND d.e>='5'"}},
	} {
		got, err := marshal(p)
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	_, err := marshal(params{{"x", func() {}}})
	require.Error(t, err)
}

func TestMessage(t *testing.T) {
	require.Empty(t, message())
	require.Equal(t, "0a0161", hex.EncodeToString(message("a")))
	require.Equal(t, "120162", hex.EncodeToString(message("", "b")), "empty ones are left out")
	long := message(strings.Repeat("x", 300))
	require.Equal(t, "0aac02", hex.EncodeToString(long[:3]))
	require.Len(t, long, 303)
}

func TestUnsign(t *testing.T) {
	tx := bytesField(bytesField(bytesField(bytesField(nil, 1, "body"), 2, "auth"), 3, "signature"), 3, "another")
	got, err := unsign(tx)
	require.NoError(t, err)
	require.Equal(t, bytesField(bytesField(bytesField(bytesField(nil, 1, "body"), 2, "auth"), 3, ""), 3, ""), got)
	for name, bad := range map[string]string{"cut length": "0a", "cut field": "0a0561", "a number": "0805", "endless": "ffffffffffffffffffffff"} {
		b, err := hex.DecodeString(bad)
		require.NoError(t, err)
		_, err = unsign(b)
		require.ErrorContains(t, err, "no TxRaw", name)
	}
}

// TestTape records a server that returns JSON, text or nothing.
func TestTape(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Server-Time", "5")
		w.Header().Set("Content-Type", r.Header.Get("Content-Type"))
		switch r.URL.Path {
		case "/text":
			w.WriteHeader(http.StatusTeapot)
			w.Write([]byte("<p>"))
		case "/":
			w.Write([]byte("{\n \"z\": \"<&>\",\n \"a\": 18446744073709551616 }"))
		}
	}))
	defer server.Close()
	chain, recorded := &interop.Chain{URL: server.URL}, tape{}
	require.NoError(t, recorded.take(t.Context(), chain, "call", "health", params{{"b", "1"}, {"a", 2}}))
	_, err := recorded.send(t.Context(), chain, entry{Name: "text", Path: "text", Verb: http.MethodPut, Sent: map[string]string{"Content-Type": "x/y"}}, []byte("{"))
	require.NoError(t, err)
	_, err = recorded.send(t.Context(), chain, entry{Name: "long", Path: "none"}, []byte(`"`+strings.Repeat("x", longest)+`"`))
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "tape.json")
	require.NoError(t, recorded.write(path))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, `[
{"name":"call","request":{"jsonrpc":"2.0","id":"1","method":"health","params":{"b":"1","a":2}},"status":200,"headers":{"Content-Type":"application/json"},"response":{"z":"<&>","a":18446744073709551616}},
{"name":"text","verb":"PUT","path":"text","sent":{"Content-Type":"x/y"},"body":"{","status":418,"headers":{"Content-Type":"x/y"},"text":"<p>"},
{"name":"long","path":"none","body":"(100002 bytes)","status":200,"headers":{"Content-Type":"application/json"},"text":""}
]
`, string(text))
}

// TestRecordings checks that the recordings in the repository are complete and small, and contain
// no traces of the machine on which they were made.
func TestRecordings(t *testing.T) {
	machine := regexp.MustCompile(`/(root|home|Users|tmp|var|go/pkg|work)/|proxy\.`)
	total := 0
	for _, kind := range interop.Kinds() {
		for _, name := range []string{"chain", "rpc", "query", "broadcast", "history", "events"} {
			text, err := os.ReadFile(filepath.Join("..", "..", "..", "..", destination, string(kind), name+".json"))
			require.NoError(t, err)
			total += len(text)
			require.Empty(t, machine.FindString(string(text)), name)
			if name == "chain" {
				continue
			}
			var entries tape
			require.NoError(t, json.Unmarshal(text, &entries))
			seen := map[string]bool{}
			for _, e := range entries {
				if name == "events" {
					require.True(t, (e.Request == nil) != (e.Response == nil), e.Name)
					continue
				}
				require.False(t, seen[e.Name], "%s: %s is there twice", name, e.Name)
				seen[e.Name] = true
				require.NotZero(t, e.Status, e.Name)
				require.True(t, (e.Response == nil) != (e.Text == nil), "%s: %s", name, e.Name)
				require.True(t, (e.Request == nil) != (e.Body == nil), "%s: %s", name, e.Name)
			}
			require.Greater(t, len(seen)+len(entries), 30, name)
		}
	}
	require.Less(t, total, 1_000_000)
}
