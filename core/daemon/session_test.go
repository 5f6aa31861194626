package daemon_test

import (
	"encoding/json"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/params"
	"obverse/core/daemon/daemontest"
)

// TestKomododAddresses compares the current and past balances of every address at the end of a
// recorded session. The requests had no second parameter, so those of conditions are empty.
func TestKomododAddresses(t *testing.T) {
	for _, path := range daemontest.Recordings(t, recordings, daemontest.Named("state.json")) {
		t.Run(path, func(t *testing.T) {
			var state struct{ Addresses map[string]map[string]string }
			daemontest.ReadJSON(t, path, &state)
			options, blocks := daemontest.ReadChain(t, filepath.Dir(path))
			p, err := params.New(options)
			require.NoError(t, err)
			s := newStation(t, p)
			for _, block := range blocks[1:] {
				require.Equal(t, "null", s.submit(block.Raw))
			}
			require.NotEmpty(t, state.Addresses)
			for _, address := range slices.Sorted(maps.Keys(state.Addresses)) {
				query := map[string]any{"addresses": []string{address}}
				for method, want := range state.Addresses[address] {
					require.Equal(t, strings.TrimSpace(want), s.ask(method, query), "%s %s", method, address)
				}
			}
		})
	}
}

// TestKomododShapes checks that the members match the recorded ones, in order. Values that
// describe the process and its wallet differ (D12).
func TestKomododShapes(t *testing.T) {
	t.Setenv("OBVERSE_KOMODOD", "") // another chain has other members
	compared := map[string]bool{}
	for _, path := range daemontest.Recordings(t, recordings, daemontest.Named("transcript.jsonl")) {
		s := mined(t, 2)
		for _, x := range daemontest.ReadFile(t, path) {
			var call struct{ Method any }
			if json.Unmarshal(x.Request.Bytes(), &call) != nil || strings.HasPrefix(x.Session, "A:") || x.Response.Status != 200 {
				continue // a node without a key shows less
			}
			switch call.Method {
			case "getinfo", "getblockchaininfo", "getnetworkinfo", "getmininginfo", "listunspent":
				name, _ := call.Method.(string)
				compared[name] = true
				require.Equal(t, members(t, x.Response.Body), members(t, s.ask(name)), name)
			}
		}
	}
	require.Len(t, compared, 5)
}

// members lists the names in a JSON text in the order in which they first occur.
func members(t testing.TB, body string) (names []string) {
	for _, name := range keysOf(t, json.RawMessage(body)) {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}
