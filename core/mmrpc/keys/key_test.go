package keys_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/mmrpc"
	"obverse/core/mmrpc/keys"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/servertest"
	"obverse/core/rpc"
	"obverse/core/rpc/recording"
)

// keyServer returns a server with the given keys.
func keyServer(t *testing.T, keys keys.Keys) *mmrpc.Server {
	t.Helper()
	return mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), StrictParams: true, Now: time.Now}, keys)
}

func TestKeys(t *testing.T) {
	bob := servertest.BobsKeys(t)
	hd, err := key.Open("emerge canoe salmon dolphin glow priority random become gasp sell blade argue", true)
	require.NoError(t, err)
	const peerID = `"12D3KooWJPtxrHVDPoETNfPJY4WWVzX7Ti4WPemtXDgb5qmFrDiv"`
	for _, c := range []struct {
		name string
		keys keys.Keys
		body string
		want string
	}{
		{"public key", bob, mmrpctest.Request("get_public_key", `{}`),
			`{"mmrpc":"2.0","result":{"public_key":"022cd3021a2197361fb70b862c412bc8e44cff6951fa1de45ceabfdd9b4c520420"},"id":5}`},
		{"public key of an HD wallet", keys.Keys{Ring: hd}, mmrpctest.Request("get_public_key", `{}`),
			`{"mmrpc":"2.0","result":{"public_key":"02dc2d63edf59f25ae2ac83be1e2529c11b53c9836ba3d99031233216fb3269435"},"id":5}`},
		{"public key without params", bob, fmt.Sprintf(`{"userpass":%q,"mmrpc":"2.0","method":"get_public_key"}`, mmrpctest.Userpass),
			`{"mmrpc":"2.0","result":{"public_key":"022cd3021a2197361fb70b862c412bc8e44cff6951fa1de45ceabfdd9b4c520420"},"id":null}`},
		{"public key without mmrpc", bob, fmt.Sprintf(`{"userpass":%q,"method":"get_public_key"}`, mmrpctest.Userpass),
			`{"mmrpc":"2.0","result":{"public_key":"022cd3021a2197361fb70b862c412bc8e44cff6951fa1de45ceabfdd9b4c520420"},"id":null}`},
		{"hash", bob, mmrpctest.Request("get_public_key_hash", `{}`),
			`{"mmrpc":"2.0","result":{"public_key_hash":"b506088aa2a3b4bb1da3a29bf00ce1a550ea1df9"},"id":5}`},
		{"peer id", bob, mmrpctest.Request("get_my_peer_id", `{}`), `{"mmrpc":"2.0","result":` + peerID + `,"id":5}`},
		{"peer id, old form", bob, fmt.Sprintf(`{"userpass":%q,"method":"get_my_peer_id"}`, mmrpctest.Userpass), `{"result":` + peerID + `}`},
		{"peer id, old form with more", bob, fmt.Sprintf(`{"userpass":%q,"method":"get_my_peer_id","coin":"KMD"}`, mmrpctest.Userpass), `{"result":` + peerID + `}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, reply := keyServer(t, c.keys).Serve(t.Context(), mmrpctest.Here, []byte(c.body))
			require.Equal(t, 200, status)
			require.Equal(t, c.want+"\n", string(reply))
		})
	}
}

// TestKeyParamsAreNotRead checks that params are ignored, even with strict_params.
func TestKeyParamsAreNotRead(t *testing.T) {
	s := keyServer(t, servertest.BobsKeys(t))
	for _, method := range []string{"get_public_key", "get_public_key_hash", "get_my_peer_id"} {
		_, want := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request(method, `{}`)))
		for _, params := range []string{`null`, `[]`, `[1,{}]`, `"text"`, `7`, `true`, `{"coin":"KMD"}`, `{"a":1,"a":2}`} {
			status, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request(method, params)))
			require.Equal(t, 200, status, params)
			require.Equal(t, string(want), string(reply), params)
		}
	}
	require.Zero(t, s.UnknownParams())
}

func TestKeysOfNodeWithoutPassphrase(t *testing.T) {
	s := keyServer(t, keys.Keys{})
	for method, text := range map[string]string{
		"get_public_key": "public_key not available", "get_public_key_hash": "public_key not available", "get_my_peer_id": "peer id not available",
	} {
		status, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request(method, `{}`)))
		require.Equal(t, 500, status)
		require.Equal(t, mmrpctest.Failed(text, "key", "InternalError", `"`+text+`"`, "5"), strings.TrimSpace(mmrpctest.Untraced(string(reply))))
	}
}

// TestNodeExamplesKeys compares recorded answers byte for byte, except for the keys.
func TestNodeExamplesKeys(t *testing.T) {
	s, mine, known := keyServer(t, servertest.BobsKeys(t)), rpc.NewTable(keys.Keys{}.Methods()...), 0
	keys := regexp.MustCompile(`"(0[23][0-9a-f]{64}|[0-9a-f]{40}|12D3KooW[1-9A-HJ-NP-Za-km-z]{44})"`)
	for _, data := range recording.Read(t, "../testdata", "OBVERSE_NODE_EXAMPLES", "node-examples.json") {
		var examples []struct {
			Method   string
			Request  map[string]json.RawMessage
			Response json.RawMessage
		}
		require.NoError(t, json.Unmarshal(data, &examples))
		for _, e := range examples {
			if _, found := mine.Lookup(e.Method); !found || e.Request == nil || !bytes.Contains(e.Response, []byte(`"result"`)) {
				continue // another method, or a node without a key
			}
			known++
			e.Request["userpass"] = json.RawMessage(mmrpctest.Quote(mmrpctest.Userpass))
			body, err := json.Marshal(e.Request)
			require.NoError(t, err)
			status, reply := s.Serve(t.Context(), mmrpctest.Here, body)
			require.Equal(t, 200, status)
			var want bytes.Buffer
			require.NoError(t, json.Compact(&want, e.Response))
			require.Equal(t, keys.ReplaceAllString(want.String(), "KEY"), keys.ReplaceAllString(strings.TrimSpace(string(reply)), "KEY"))
		}
	}
	require.NotZero(t, known)
}

func TestKeysNeedTheUserpass(t *testing.T) {
	s := keyServer(t, servertest.BobsKeys(t))
	for _, method := range []string{"get_public_key", "get_public_key_hash", "get_my_peer_id"} {
		status, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(`{"mmrpc":"2.0","method":"`+method+`","params":{}}`))
		require.Equal(t, 403, status)
		require.Contains(t, string(reply), "UserpassIsNotSet")
	}
}

// BenchmarkPublicKey calls the method in process with the bytes of a request.
func BenchmarkPublicKey(b *testing.B) {
	ring, err := key.Open("bob passphrase", false)
	require.NoError(b, err)
	s := mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), Now: time.Now}, keys.Keys{Ring: ring})
	body := []byte(mmrpctest.Request("get_public_key", `{}`))
	b.ReportAllocs()
	for b.Loop() {
		if status, _ := s.Serve(b.Context(), mmrpctest.Here, body); status != 200 {
			b.Fatal(status)
		}
	}
}
