package daemon_test

import (
	"context"
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/daemon"
	"obverse/core/daemon/daemontest"
	"obverse/core/rpc"
)

// transcripts reads those of testdata and of OBVERSE_KOMODOD.
func transcripts(t *testing.T) (all []daemontest.Exchange) {
	t.Helper()
	for _, path := range daemontest.Recordings(t, recordings, daemontest.Named("transcript.jsonl", "scripts.jsonl")) {
		all = append(all, daemontest.ReadFile(t, path)...)
	}
	require.NotEmpty(t, all)
	return all
}

type oneToken struct {
	TokenID daemon.Text `json:"tokenid"`
}

// emptyChain has the two token methods that the recordings of the envelope call, on
// a chain without tokens.
func emptyChain() []rpc.Method {
	terse := rpc.Doc{Category: "Tokens", Terse: true}
	return []rpc.Method{
		rpc.Handle("tokenlist", terse, func(context.Context, struct{}) ([]string, error) { return []string{}, nil }),
		rpc.Handle("tokeninfo", terse, func(context.Context, oneToken) (map[string]string, error) {
			return map[string]string{"result": "error"}, nil
		}),
	}
}

func TestKomododEnvelope(t *testing.T) {
	s := daemon.New(daemon.Options{}, emptyChain()...)
	replayed := 0
	for _, x := range transcripts(t) {
		if !x.Transport() || x.Response.Header("Content-Type") != "application/json" {
			continue // decided by the transport, before the body is looked at
		}
		replayed++
		t.Run(x.Name(), func(t *testing.T) {
			status, reply := s.Serve(t.Context(), rpc.Caller{Authorized: true}, x.Request.Bytes())
			got := daemontest.Response{Status: status, Body: string(reply), Headers: x.Response.Headers}
			require.Empty(t, x.Mismatch(got))
			require.True(t, json.Valid(reply))
		})
	}
	require.GreaterOrEqual(t, replayed, 60)
}
