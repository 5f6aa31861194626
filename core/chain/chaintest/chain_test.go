package chaintest

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
)

const options = "ac_name=TOKTEST ac_supply=1000 ac_reward=100000000 ac_cc=2 "

// TestSpends mines every kind of spend that Sign supports, in every transaction format.
func TestSpends(t *testing.T) {
	for name, upgrades := range map[string]string{
		"legacy": "ac_sapling=1000", "overwinter": "ac_overwinter=1 ac_sapling=1000", "sapling": "ac_sapling=1",
	} {
		t.Run(name, func(t *testing.T) {
			c := InMemory(t, options+upgrades)
			k1, k2 := Key(t, 1), Key(t, 2)
			premine := Output(c.Mine().Txs[0], 0)

			split := c.Tx([]Coin{premine}, Pay(k1.PubKey(), 50_000), Pay(k2.PubKeyHash(), 20_000))
			creation := c.Tx([]Coin{Output(split, 0)}, Creation(k1, "T", 1000, 30_000)...)
			transfer := c.Tx([]Coin{Output(creation, 1), Output(split, 1)},
				Pay(k2.Tokens(), 900), Pay(k1.Tokens(), 100), Transfer(creation.ID(), k2))
			c.Mine(split, creation, transfer)

			require.Equal(t, 2, c.Tip().Height)
			require.NoError(t, c.Read(t.Context(), func(v *chain.View) error {
				for key, want := range map[Signer]int64{k1: 100, k2: 900} {
					got, err := v.TokenBalance(creation.ID(), key.TokenAddress())
					require.NoError(t, err)
					require.Equal(t, want, got)
				}
				return nil
			}))
		})
	}
}

func TestBranches(t *testing.T) {
	c := InMemory(t, options+"ac_sapling=1")
	fork := c.Tip().Hash
	first := c.Mine()
	other := c.Build(fork)
	require.NotEqual(t, first.Hash(), other.Hash())
	c.Submit(other)
	require.Equal(t, first.Hash(), c.Tip().Hash)
	above := c.Build(other.Hash())
	c.Submit(above)
	require.Equal(t, above.Hash(), c.Tip().Hash)
}
