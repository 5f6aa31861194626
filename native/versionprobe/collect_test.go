package versionprobe

import (
	"context"
	"encoding/json"
	"net"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc"
	"obverse/core/mmrpc/peers"
	"obverse/core/rpc"
	"obverse/core/store/bunt"
	"obverse/core/versionstat"
	"obverse/native/versionprobe/npmpeer"
)

// nodeOver returns the methods of version statistics over a store in a file. The returned function
// closes it.
func nodeOver(t *testing.T, path string, p *Probe) (call func(method string, params any) json.RawMessage, end func()) {
	t.Helper()
	const password = "Te5t_password"
	db, err := bunt.Open(path)
	require.NoError(t, err)
	collector := versionstat.New(versionstat.Config{Store: db, Now: time.Now, Probe: p})
	server := mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(password), Now: time.Now}, peers.VersionStats{Collector: collector})
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = collector.Run(ctx)
	}()
	call = func(method string, params any) json.RawMessage {
		t.Helper()
		request, err := json.Marshal(map[string]any{"mmrpc": "2.0", "userpass": password, "method": method, "params": params})
		require.NoError(t, err)
		status, reply := server.Serve(t.Context(), rpc.Caller{Local: true}, request)
		require.Equal(t, 200, status, "%s", reply)
		var answer struct{ Result json.RawMessage }
		require.NoError(t, json.Unmarshal(reply, &answer))
		return answer.Result
	}
	return call, func() {
		cancel()
		<-done
		require.NoError(t, db.Close())
	}
}

type stats struct {
	Stats []struct {
		Name, Version, Error string
		Timestamp            int64
	}
	Total int
}

// The test adds a node with a request and reads its row, over real TCP, for every kind of response
// of a node. The rows are still there after a restart.
func TestCollectedFromNpmPeers(t *testing.T) {
	right, mute, foreign := npmpeer.Start(t, "--version", "2.5.0-beta"), npmpeer.Start(t, "--mode", "none"), npmpeer.Start(t, "--mode", "without")
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	closed := listener.Addr().String()
	require.NoError(t, listener.Close())

	path := filepath.Join(t.TempDir(), "store")
	p := newProbe(t)
	call, end := nodeOver(t, path, p)
	const dead, wrong = "12D3KooWHKkHiNhZtKceQehHhPqwU5W1jXpoVBgS1qst899GjvTm", someoneElse
	for _, n := range []struct{ name, address, id string }{
		{"a right one", right.Address, right.ID},
		{"b no data", mute.Address, mute.ID},
		{"c dead", closed, dead},
		{"d wrong id", right.Address, wrong},
		{"e no protocol", foreign.Address, foreign.ID},
	} {
		result := call("add_node_to_version_stat", map[string]string{"name": n.name, "address": n.address, "peer_id": n.id})
		require.JSONEq(t, `"success"`, string(result))
	}
	require.JSONEq(t, `"success"`, string(call("start_version_stat_collection", map[string]any{"interval": 1})))
	read := func() (s stats) {
		require.NoError(t, json.Unmarshal(call("get_version_stat", map[string]any{}), &s))
		return s
	}
	require.Eventually(t, func() bool { return read().Total >= 10 }, time.Minute, 50*time.Millisecond)
	require.JSONEq(t, `"success"`, string(call("stop_version_stat_collection", nil)))
	end()

	call, end = nodeOver(t, path, p)
	defer end()
	restored := read()
	require.GreaterOrEqual(t, restored.Total, 10)
	require.Zero(t, restored.Total%5, "only whole rounds are stored")
	for i, row := range restored.Stats {
		require.Equal(t, restored.Stats[i-i%5].Timestamp, row.Timestamp)
		switch row.Name {
		case "a right one":
			require.Equal(t, "2.5.0-beta", row.Version)
			require.Empty(t, row.Error)
		case "b no data":
			require.Empty(t, row.Version+row.Error)
		case "c dead":
			require.Equal(t, sentence(dead, Canceled)+" (dial tcp "+closed+": connect: connection refused)", row.Error)
		case "d wrong id":
			require.Equal(t, sentence(wrong, Canceled)+" (the peer there is "+right.ID+")", row.Error)
		case "e no protocol":
			require.Equal(t, sentence(foreign.ID, UnsupportedProtocols), row.Error)
		default:
			require.Fail(t, row.Name)
		}
	}
}
