package consensus

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/wire"
)

// replay connects a recorded chain and calls atTip after each block.
func replay(t *testing.T, r recording, atTip func(c *chain, tip int)) {
	c := newChain(r.params)
	for height := range r.Blocks {
		c.connectBlock(t, r.block(t, height))
		atTip(c, height)
	}
}

func TestKomododBlocks(t *testing.T) {
	komodod(t, func(t *testing.T, r recording) {
		replay(t, r, func(*chain, int) {})
	})
}

// requireAnswer compares an error with the recorded answer of sendrawtransaction. A message
// with code 64 about scripts is caused by policy only: a block may contain the transaction.
func requireAnswer(t *testing.T, want string, tx *wire.Tx, err error) {
	t.Helper()
	switch {
	case want == "" || strings.HasPrefix(want, "64: non-mandatory"):
		require.NoError(t, err)
	case strings.HasPrefix(want, "16: mandatory-script-verify-flag"):
		var rejection *Rejection
		require.Error(t, err)
		require.NotErrorAs(t, err, &rejection, "only its scripts are wrong")
	case want == "64: non-final":
		require.ErrorIs(t, err, ErrNonFinal)
	case want == "16: coinbase":
		require.True(t, tx.IsCoinbase())
	default:
		require.EqualError(t, err, want)
	}
}

func TestKomododRules(t *testing.T) {
	komodod(t, func(t *testing.T, r recording) {
		judged := 0
		replay(t, r, func(c *chain, tip int) {
			for _, rule := range r.Cases {
				want := rule.Response.message()
				if rule.Height != tip || want == "TX decode failed" || strings.HasPrefix(want, "AcceptToMemoryPool: absurdly") {
					continue
				}
				judged++
				t.Run(rule.Label, func(t *testing.T) {
					tx, err := wire.DecodeTx(unhex(t, rule.Hex))
					require.NoError(t, err)
					_, err = c.judge(tx, tip+1, c.times[tip].Time)
					requireAnswer(t, want, tx, err)
				})
			}
		})
		if r.Cases != nil {
			require.Greater(t, judged, 75)
		}
	})
}

// TestKomododProbes replays probes of versions, branches, expiry and maturity. They were sent
// after the wallet had sent its transactions on top of the same block.
func TestKomododProbes(t *testing.T) {
	judged := 0
	komodod(t, func(t *testing.T, r recording) {
		replay(t, r, func(c *chain, tip int) {
			pending := &chain{c.params, maps.Clone(c.coins), maps.Clone(c.tokens), c.times, maps.Clone(c.txs)}
			for _, e := range r.Events {
				if e.AfterHeight == tip {
					judged += pending.probe(t, e, tip+1)
				}
			}
		})
	})
	require.Greater(t, judged, 60)
}

func (c *chain) probe(t *testing.T, e event, height int) (judged int) {
	time := c.times[height-1].Time
	for _, sent := range []string{e.TxHex, e.Hex} {
		if sent == "" {
			continue
		}
		tx, err := wire.DecodeTx(unhex(t, sent))
		require.NoError(t, err)
		if _, err := c.judge(tx, height, time); err == nil {
			c.connect(tx, height)
		}
	}
	for _, probe := range e.Results {
		var answer answer
		if probe.Hex == "" || json.Unmarshal(probe.Answer, &answer) != nil {
			continue // the probe's coin has already been spent
		}
		tx, err := wire.DecodeTx(unhex(t, probe.Hex))
		require.NoError(t, err)
		_, err = c.judge(tx, height, time)
		t.Run(probe.Form, func(t *testing.T) { requireAnswer(t, answer.message(), tx, err) })
		if err == nil {
			c.connect(tx, height)
		}
		judged++
	}
	return judged
}

// TestKomododCoinbaseTakesMore checks that a coinbase that claims one satoshi more in an
// otherwise valid block violates only the rule of the coinbase.
func TestKomododCoinbaseTakesMore(t *testing.T) {
	komodod(t, func(t *testing.T, r recording) {
		c := newChain(r.params)
		for height := range 3 {
			c.connectBlock(t, r.block(t, height))
		}
		b := r.block(t, 3)
		good, err := Apply(t.Context(), c.state(), b)
		require.NoError(t, err)
		b.Txs[0].Outputs[0].Value++
		b.MerkleRoot, _ = wire.MerkleRoot(idsOf(b.Block))
		b = decoded(t, b.Encode())
		require.NoError(t, CheckBlock(b, c.place(), c.params))
		_, err = Apply(t.Context(), c.state(), b)
		require.Error(t, err)
		if !r.params.PaysCommission() {
			require.ErrorIs(t, err, ErrCoinbaseAmount)
		}
		require.NoError(t, CheckCoinbase(b.Block, 3, good.Fees+1, c.params))
	})
}
