package httpd

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/daemon"
	"obverse/core/daemon/daemontest"
	"obverse/core/rpc"
)

// recordings reads the transcripts in testdata and in OBVERSE_KOMODOD, a colon-separated list of
// folders and files.
func recordings(t *testing.T) []daemontest.Exchange {
	t.Helper()
	var all []daemontest.Exchange
	for _, path := range append([]string{"testdata"}, strings.Split(os.Getenv("OBVERSE_KOMODOD"), ":")...) {
		if !strings.HasSuffix(path, ".jsonl") {
			path = filepath.Join(path, "transcript.jsonl")
		}
		file, err := os.Open(path)
		if err != nil && path != filepath.Join("testdata", "transcript.jsonl") {
			continue // not part of this recording
		}
		require.NoError(t, err)
		exchanges, err := daemontest.Read(file)
		require.NoError(t, err, path)
		require.NoError(t, file.Close())
		all = append(all, exchanges...)
	}
	require.NotEmpty(t, all)
	return all
}

// emptyChain returns the methods that the recordings of the envelope call.
func emptyChain() []rpc.Method {
	type oneToken struct {
		TokenID daemon.Text `json:"tokenid"`
	}
	terse := rpc.Doc{Category: "Tokens", Terse: true}
	return []rpc.Method{
		rpc.Handle("tokenlist", terse, func(context.Context, struct{}) ([]string, error) { return []string{}, nil }),
		rpc.Handle("tokeninfo", terse, func(context.Context, oneToken) (any, error) { return nil, nil }),
	}
}

// replay sends a recorded request, byte for byte, to a port of the daemon API and compares the
// response with the recorded one.
func replay(t *testing.T, address string, x daemontest.Exchange, excuses ...daemontest.Excuse) {
	t.Helper()
	conn := dial(t, address, string(x.Request.Wire()))
	response, body := receive(t, conn, x.Request.Method)
	got := daemontest.Response{Status: response.StatusCode, Body: body}
	for name := range response.Header {
		got.Headers = append(got.Headers, daemontest.Header{name, response.Header.Get(name)})
	}
	require.Empty(t, x.Mismatch(got, excuses...))
}

func TestKomododHTTP(t *testing.T) {
	s, _ := start(t, Config{Daemon: Daemon{Serve: daemon.New(daemon.Options{}, emptyChain()...).Serve}})
	replayed := 0
	for _, x := range recordings(t) {
		if !x.Transport() {
			continue
		}
		replayed++
		t.Run(x.Name(), func(t *testing.T) { replay(t, s.DaemonAddress(), x, daemontest.Verbs) })
	}
	require.GreaterOrEqual(t, replayed, 84)
}

// This test checks that a replay can fail.
func TestReplaySeesAnotherAnswer(t *testing.T) {
	s, _ := start(t, Config{})
	for _, x := range recordings(t) {
		if x.N != 57 { // a valid tokenlist; here its response is compared with its request
			continue
		}
		conn := dial(t, s.DaemonAddress(), string(x.Request.Wire()))
		response, body := receive(t, conn, http.MethodPost)
		require.Contains(t, x.Mismatch(daemontest.Response{Status: response.StatusCode, Body: body}), "body")
		return
	}
	t.Fatal("exchange 57 is not there")
}
