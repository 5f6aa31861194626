package core

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestChanged(t *testing.T) {
	a, b := valid(t), valid(t)
	require.Empty(t, a.Changed(&b))
	b.LogLevel, b.LogFile, b.CoinList, b.Coins = "debug", "x", json.RawMessage("[]"), json.RawMessage("[]")
	require.Empty(t, a.Changed(&b), "these can change while a node runs")
	b.RPCPort, b.Passphrase, b.Daemon.RPCUser, b.AllowedHosts, b.Chain.Options.Supply = 1, NewSecret("other"), "u", []string{"a"}, 9
	require.ElementsMatch(t, []string{"rpcport", "passphrase", "daemon.rpcuser", "allowed_hosts", "chain.ac_*"}, a.Changed(&b))
}

func TestSetCoins(t *testing.T) {
	n, err := newNode(t, memoryStore(t), nodeConfig())
	require.NoError(t, err)
	known := func(ticker string) bool {
		_, err := n.wallet.coins.Lookup(ticker)
		return err == nil
	}
	require.NoError(t, n.SetCoins(json.RawMessage(`[{"coin":"NEWCOIN","mm2":1}]`)))
	require.True(t, known("NEWCOIN"))
	for _, bad := range []string{`{}`, `[`, `"x"`} {
		require.Error(t, n.SetCoins(json.RawMessage(bad)))
		require.True(t, known("NEWCOIN"), "what is wrong changes nothing")
	}
	require.NoError(t, n.SetCoins(nil))
	require.False(t, known("NEWCOIN"))
	require.True(t, known("ATOM"))
}
