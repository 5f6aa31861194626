package config

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
