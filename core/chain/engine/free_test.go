package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/engine"
	"obverse/core/chain/mempool"
)

// TestFreeTransactionsOfAProposal checks the limit for free transactions in a proposal. No
// mempool has checked these transactions.
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

// TestFreeTransactionThatFitsNoBlock uses a node that requires no fee. The mempool must refuse
// a free transaction that is too large for every proposal, and such a transaction in a
// proposer's list must not hold up others.
func TestFreeTransactionThatFitsNoBlock(t *testing.T) {
	relay := mempool.Relay{Shared: true}
	v := newValidatorOf(t, memory(t), engine.Terms{Payee: payee(t), From: 1}, chaintest.Now(), sharedOptions, relay)
	_, err := v.Begin(t.Context(), chaintest.Now())
	require.NoError(t, err)
	split := v.payment(t, v.premine(t), 10_000) // two coins, each spent by one transaction
	split.Outputs = append(split.Outputs, split.Outputs[0])
	split.Outputs[0].Value /= 2
	split.Outputs[1].Value -= split.Outputs[0].Value
	v.resign(t, split, v.premine(t))
	require.NoError(t, v.do(t, round(1, split.Encode())).Verdicts[0])

	large := v.payment(t, split, 0)
	const more = mempool.MaxFreeBlock / 44
	large.Outputs[0].Value -= more * 1000
	for range more {
		large.Outputs = append(large.Outputs, chaintest.Pay(large.Outputs[0].Script, 1000))
	}
	v.resign(t, large, split)
	child := v.payment(t, large, 10_000)
	split.Outputs = split.Outputs[1:] // payment spends the first output
	other := v.payment(t, split, 10_000)
	other.Inputs[0].PrevOut = large.Inputs[0].PrevOut
	other.Inputs[0].PrevOut.Index = 1
	v.resign(t, other, split)

	require.Greater(t, len(large.Encode()), mempool.MaxFreeBlock)
	_, err = v.pool.Accept(t.Context(), large.Encode(), false)
	require.ErrorContains(t, err, "insufficient fee")
	chosen, err := v.Propose(t.Context(), round(2, large.Encode(), child.Encode(), other.Encode()))
	require.NoError(t, err)
	require.Equal(t, [][]byte{other.Encode()}, chosen)
	require.NoError(t, v.Judge(t.Context(), round(2, chosen...)))
}
