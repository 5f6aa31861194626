package walletconnect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/walletconnect"
	"obverse/native/walletconnect/npmpeer"
)

// The vectors that core replays on both targets are those of the official libraries.
func TestVectorsAreOfficial(t *testing.T) {
	kept, err := os.ReadFile(filepath.Join("..", "..", "core", "wallet", "walletconnect", "wire", "testdata", "vectors.json"))
	require.NoError(t, err)
	require.JSONEq(t, string(npmpeer.Vectors(t)), string(kept))
}

// The official client as the wallet agrees to a session and answers in it.
func TestOfficialWallet(t *testing.T) {
	for _, arguments := range [][]string{nil, {"--old"}} {
		n := start(t, npmpeer.Start(t, arguments...))
		if arguments != nil { // the wallet cannot agree by a relay of old
			n.propose(t)
			continue
		}
		s := n.connect(t)
		a := n.accounts(t)
		require.Equal(t, []string{a.Cosmos}, s.Namespaces.Accounts(hub))
		require.Equal(t, []string{a.EVM}, s.Namespaces.Accounts(mainnet))
		require.Equal(t, "wallet", s.Peer.Name)
		require.NoError(t, n.Ping(t.Context(), s.Topic))
		n.peer.Do(t, "ping", npmpeer.Parameters{"by": "wallet", "topic": s.Topic}, nil)

		raw, err := n.Request(t.Context(), s.Topic, hub, "cosmos_getAccounts", struct{}{})
		require.NoError(t, err)
		var answered []struct{ Address string }
		require.NoError(t, json.Unmarshal(raw, &answered))
		require.Equal(t, a.Cosmos, answered[0].Address)
		n.peer.Do(t, "mode", npmpeer.Parameters{"mode": "reject"}, nil)
		_, err = n.Request(t.Context(), s.Topic, hub, "cosmos_getAccounts", struct{}{})
		require.ErrorIs(t, err, walletconnect.ErrRejected)

		require.NoError(t, n.Delete(t.Context(), s.Topic))
		var gone struct{ Topic string }
		n.peer.Event(t, "session_delete", &gone)
		require.Equal(t, s.Topic, gone.Topic)
	}
}
