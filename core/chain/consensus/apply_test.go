package consensus

import (
	"context"
	"errors"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// broken is a Ledger that fails after a number of calls.
type broken struct {
	Ledger
	left int // number of calls before it fails
}

var errBroken = errors.New("no answer")

func (b *broken) next() error {
	if b.left--; b.left < 0 {
		return errBroken
	}
	return nil
}

func (b *broken) HasTx(id wire.Hash) (bool, error) {
	if err := b.next(); err != nil {
		return false, err
	}
	return b.Ledger.HasTx(id)
}

func (b *broken) Coin(out wire.OutPoint) (Coin, bool, error) {
	if err := b.next(); err != nil {
		return Coin{}, false, err
	}
	return b.Ledger.Coin(out)
}

func (b *broken) Creation(id wire.Hash) (token.Creation, bool, error) {
	if err := b.next(); err != nil {
		return token.Creation{}, false, err
	}
	return b.Ledger.Creation(id)
}

// TestApplyIsPure applies each block of the recordings twice: the effects must be equal, and
// the ledger must not change. A failure of the ledger at any call must not be reported as an
// invalid block.
func TestApplyIsPure(t *testing.T) {
	komodod(t, func(t *testing.T, r recording) {
		c := newChain(r.params)
		for height := range r.Blocks {
			b := r.block(t, height)
			if height == 0 {
				c.connectBlock(t, b)
				continue
			}
			coins, txs, tokens := maps.Clone(c.coins), maps.Clone(c.txs), maps.Clone(c.tokens)
			first, err := Apply(t.Context(), c.state(), b)
			require.NoError(t, err)
			second, err := Apply(t.Context(), c.state(), decoded(t, b.Raw))
			require.NoError(t, err)
			require.Equal(t, first, second)
			require.Equal(t, coins, c.coins)
			require.Equal(t, txs, c.txs)
			require.Equal(t, tokens, c.tokens)

			for left := 0; ; left++ {
				state := c.state()
				state.Ledger = &broken{c, left}
				_, err := Apply(t.Context(), state, b)
				if err == nil {
					require.GreaterOrEqual(t, left, len(b.Txs), "each transaction is asked for")
					break
				}
				require.ErrorIs(t, err, ErrLedger)
				require.ErrorIs(t, err, errBroken)
				var verdict *Rejection
				require.False(t, errors.As(err, &verdict), "%v", err)
			}
			c.connectBlock(t, b)
		}
	})
}

// TestApplyCancelled checks that the end of the context is not reported as an invalid block.
func TestApplyCancelled(t *testing.T) {
	komodod(t, func(t *testing.T, r recording) {
		c := newChain(r.params)
		c.connectBlock(t, r.block(t, 0))
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := Apply(ctx, c.state(), r.block(t, 1))
		require.ErrorIs(t, err, context.Canceled)
	})
}
