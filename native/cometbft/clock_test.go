package cometbft

import (
	"testing"
	"time"

	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"
	"github.com/cometbft/cometbft/types"
	"github.com/stretchr/testify/require"
)

// skewed signs like a validator with a wrong clock: its votes and proposals have other times.
type skewed struct {
	types.PrivValidator
	by time.Duration
}

func (s skewed) SignVote(chainID string, v *cmtproto.Vote) error {
	v.Timestamp = v.Timestamp.Add(s.by)
	return s.PrivValidator.SignVote(chainID, v)
}

func (s skewed) SignProposal(chainID string, p *cmtproto.Proposal) error {
	p.Timestamp = p.Timestamp.Add(s.by)
	return s.PrivValidator.SignProposal(chainID, p)
}

// TestWrongClock sets the clock of one of four validators wrong, by seconds and by hours, in either
// direction. The validator must still participate, and the others determine the times of the
// blocks.
func TestWrongClock(t *testing.T) {
	skews := []time.Duration{3 * time.Hour, -3 * time.Hour, 5 * time.Second, -5 * time.Second}
	if testing.Short() {
		skews = skews[:1]
	}
	for _, skew := range skews {
		t.Run(skew.String(), func(t *testing.T) {
			w := newNetwork(t, testOptions(t), 4)
			started := w.genesis.Time
			for _, v := range w.nodes {
				v.inMemory(t)
			}
			wrong := w.nodes[1]
			wrong.skew = skew
			w.begin(t)
			from := w.nodes[0].premine(t)
			const blocks = 6 // each validator proposes at least one
			for height := 2; height <= blocks; height++ {
				sender := w.nodes[height%len(w.nodes)]
				tx := sender.payment(t, from, 1_000)
				require.NoError(t, sender.send(tx.Encode()))
				w.agree(t, height)
				require.True(t, wrong.has(t, tx))
				from = tx
			}
			last := time.Unix(int64(w.nodes[0].blockAt(t, blocks).Time), 0)
			require.False(t, last.Before(started.Truncate(time.Second)), "%v, began at %v", last, started)
			require.False(t, last.After(time.Now().Add(time.Minute)), "%v, now %v", last, time.Now())
			votes := 0
			for height := int64(1); height < w.nodes[0].engine.Node().BlockStore().Height(); height++ {
				commit := w.nodes[0].engine.Node().BlockStore().LoadBlockCommit(height)
				for _, sig := range commit.Signatures {
					if string(sig.ValidatorAddress) == string(w.genesis.Validators[1].Address) && sig.BlockIDFlag == types.BlockIDFlagCommit {
						votes++
					}
				}
			}
			require.NotZero(t, votes, "votes with a wrong clock count")
		})
	}
}
