package mmrpc

import (
	"fmt"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc/auth"
)

// lines replaces the line numbers in a reply.
func lines(reply string) string {
	return regexp.MustCompile(`:\d+\]`).ReplaceAllString(mmrpctest.Untraced(reply), ":N]")
}

// TestLegacy checks requests without mmrpc.
func TestLegacy(t *testing.T) {
	const pass = `"userpass":"RPC_UserP@SSW0RD",`
	const unset = `{"error":"answer:N] RPC call failed: Userpass is not set!"}`
	for name, c := range map[string]struct {
		body   string
		status int
		want   string
	}{
		"version":           {`{"method":"version"}`, 200, `{"result":"1.2.3","datetime":"2025-01-02T03:04:05Z"}`},
		"a result":          {`{` + pass + `"method":"old","coin":"KMD"}`, 200, `{"result":{"coin":"KMD"}}`},
		"a flat result":     {`{` + pass + `"method":"flat","coin":"KMD","id":7}`, 200, `{"coin":"KMD"}`},
		"null version":      {`{` + pass + `"mmrpc":null,"method":"old","coin":"\u004bMD"}`, 200, `{"result":{"coin":"KMD"}}`},
		"an error":          {`{` + pass + `"method":"oldfails","coin":"KMD"}`, 500, `{"error":"answer:N] RPC call failed: server_test:N] No such coin KMD"}`},
		"a larger error":    {`{` + pass + `"method":"orders","coin":"KMD"}`, 500, `{"error":"answer:N] RPC call failed: server_test:N] No such coin KMD","orders":[]}`},
		"missing parameter": {`{` + pass + `"method":"old"}`, 500, "{\"error\":\"answer:N] RPC call failed: dispatcher:N] Error parsing request: missing field `coin` (parameter \\\"coin\\\" must be a string)\"}"},
		"params is not it":  {`{` + pass + `"method":"old","params":{"coin":"KMD"}}`, 500, "{\"error\":\"answer:N] RPC call failed: dispatcher:N] Error parsing request: missing field `coin` (parameter \\\"coin\\\" must be a string)\"}"},
		"no password":       {`{"method":"old","coin":"KMD"}`, 500, unset},
		"a number as such":  {`{"method":"old","coin":"KMD","userpass":5}`, 500, unset},
		"a wrong one":       {`{"method":"old","userpass":"wrong"}`, 500, `{"error":"answer:N] RPC call failed: limiter:N] Userpass is invalid! - Rate Limit attempts left: 9"}`},
		"unknown, wrong":    {`{"method":"none","userpass":"wrong"}`, 500, `{"error":"answer:N] RPC call failed: limiter:N] Userpass is invalid! - Rate Limit attempts left: 9"}`},
		"2.0 after all":     {`{` + pass + `"method":"nothing","params":{},"id":5}`, 200, `{"mmrpc":"2.0","result":null,"id":5}`},
		"2.0, top level":    {`{` + pass + `"method":"echo","coin":"KMD"}`, 400, mmrpctest.Failed(wire.Parsing+"unknown field `coin`, expected one of `mmrpc`, `userpass`, `method`, `params`, `id`", "dispatcher", "InvalidRequest", "\"unknown field `coin`, expected one of `mmrpc`, `userpass`, `method`, `params`, `id`\"", "null")},
		"unknown":           {`{` + pass + `"method":"none"}`, 400, mmrpctest.Failed("No such method", "dispatcher", "NoSuchMethod", "", "null")},
		"unknown, members":  {`{` + pass + `"method":"oldd","coin":"KMD","id":-1}`, 400, mmrpctest.Failed("No such method, did you mean `old`?", "dispatcher", "NoSuchMethod", "", "null")},
		"no method":         {`{"id":5}`, 400, mmrpctest.Failed(wire.Parsing+"missing field `method`", "dispatcher", "InvalidRequest", "\"missing field `method`\"", "5")},
		"duplicate":         {`{` + pass + `"method":"old","coin":"KMD","coin":"KMD"}`, 400, mmrpctest.Failed(wire.Parsing+"duplicate field `coin`", "dispatcher", "InvalidRequest", "\"duplicate field `coin`\"", "null")},
		"too many":          {`{` + pass + `"method":"old"` + many() + `}`, 400, mmrpctest.Failed(wire.Parsing+"more than 64 parameters", "dispatcher", "InvalidRequest", `"more than 64 parameters"`, "null")},
		"with mmrpc":        {`{` + pass + `"mmrpc":"2.0","method":"flat","params":{"coin":"KMD"}}`, 200, `{"mmrpc":"2.0","result":{"coin":"KMD"},"id":null}`},
	} {
		t.Run(name, func(t *testing.T) {
			status, reply := newBench(nil).ask(t, mmrpctest.Here, c.body)
			require.Equal(t, lines(c.want), lines(reply))
			require.Equal(t, c.status, status)
		})
	}
}

func many() (members string) {
	for i := range maxOthers + 1 {
		members += fmt.Sprintf(`,"p%d":1`, i)
	}
	return members
}

func TestLegacyRefusals(t *testing.T) {
	const body = `{"userpass":"wrong","method":"old"}`
	b := newBench(nil)
	_, reply := b.ask(t, mmrpctest.There, body)
	require.Equal(t, `{"error":"answer:N] Selected method is not allowed: Selected method can only be called from localhost."}`, lines(reply))
	for range auth.Allowed {
		b.ask(t, mmrpctest.Here, body)
	}
	status, reply := b.ask(t, mmrpctest.Here, body)
	require.Equal(t, 500, status)
	require.Equal(t, `{"error":"answer:N] Selected method is not allowed: Your IP is banned."}`, lines(reply))
	require.Positive(t, b.RetryAfter(mmrpctest.Here))
}

// TestLegacyCountsOnce checks that a wrong password in a request that is checked in both forms
// counts as one guess.
func TestLegacyCountsOnce(t *testing.T) {
	b := newBench(nil)
	b.ask(t, mmrpctest.Here, `{"userpass":"wrong","method":"nothing"}`)
	_, reply := b.ask(t, mmrpctest.Here, guessed)
	require.Contains(t, reply, "attempts left: 8")
}

func TestStrictLegacy(t *testing.T) {
	b := newBench(func(o *Options) { o.StrictParams = true })
	status, reply := b.ask(t, mmrpctest.Here, `{"userpass":"RPC_UserP@SSW0RD","method":"old","coin":"KMD","cion":1}`)
	require.Equal(t, 500, status)
	require.Contains(t, reply, "unknown field `cion`, expected `coin` (parameter \\\"cion\\\", did you mean `coin`?)")
}
