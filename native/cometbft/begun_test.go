package cometbft

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestChangedGenesis has an operator change the genesis of a node that has begun: CometBFT would
// ignore it. Another way to write the same is fine.
func TestChangedGenesis(t *testing.T) {
	w := begun(t, 1)
	v, settings := w.nodes[0], w.settings[0]
	tx := v.payment(t, v.premine(t), 1_000)
	require.NoError(t, v.send(tx.Encode()))
	w.agree(t, 2)
	v.end(t)
	path := GenesisFile(v.home)
	whole, err := os.ReadFile(path)
	require.NoError(t, err)

	another, err := Prepare(t.TempDir())
	require.NoError(t, err)
	for field, change := range map[string]func(*Genesis){
		"validators":   func(g *Genesis) { g.Validators = append(g.Validators, another.Validator) },
		"genesis_time": func(g *Genesis) { g.Time = g.Time.Add(time.Second) },
		"chain_id":     func(g *Genesis) { g.ChainID += "0" },
		"app_state":    func(g *Genesis) { g.Options.Supply++ },
	} {
		changed := *w.genesis
		change(&changed)
		require.NoError(t, changed.Save(v.home))
		err := v.engine.Open(t.Context(), settings, v.shared)
		require.ErrorIs(t, err, ErrGenesis)
		require.ErrorContains(t, err, path)
		require.ErrorContains(t, err, field+" differs from the genesis")
	}

	require.NoError(t, os.WriteFile(path, []byte(strings.ReplaceAll(string(whole), "\n", "\n\n  ")), 0o600))
	v.start(t, settings)
	tx = v.payment(t, tx, 1_000)
	require.NoError(t, v.send(tx.Encode()))
	w.agree(t, 3)
}
