package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/engine"
	"obverse/core/chain/mempool"
)

// TestFreeTransactionsOfAProposal bounds what a proposer puts into a block for nothing, on which
// no mempool has looked.
func TestFreeTransactionsOfAProposal(t *testing.T) {
	v := begun(t, chaintest.Now())
	var free, paying [][]byte
	for last, i := v.premine(t), 0; i < 350; i++ {
		last = v.payment(t, last, 0)
		free = append(free, last.Encode())
	}
	size := 0
	for last, i := v.premine(t), 0; i < 350; i++ {
		last = v.payment(t, last, 100)
		paying = append(paying, last.Encode())
		size += len(paying[i])
	}
	require.Greater(t, size, mempool.MaxFreeBlock)
	require.NoError(t, v.Judge(t.Context(), round(1, paying...)))
	require.ErrorIs(t, v.Judge(t.Context(), round(1, free...)), engine.ErrProposal)
	chosen, err := v.Propose(t.Context(), round(1, free...))
	require.NoError(t, err)
	require.NoError(t, v.Judge(t.Context(), round(1, chosen...)))
	require.ErrorIs(t, v.Judge(t.Context(), round(1, free[:len(chosen)+1]...)), engine.ErrProposal, "as much as fits")
}
