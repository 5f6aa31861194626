// Package lightvectors generates the test vectors of the light client in the JS package: light
// blocks that are signed with CometBFT's types, and the results of CometBFT's light client for
// them.
package lightvectors

import (
	"crypto/sha256"
	"fmt"
	"testing"
	"time"

	"github.com/cometbft/cometbft/crypto/ed25519"
	cmtproto "github.com/cometbft/cometbft/proto/tendermint/types"
	cmtversion "github.com/cometbft/cometbft/proto/tendermint/version"
	"github.com/cometbft/cometbft/types"
	"github.com/cometbft/cometbft/version"
	"github.com/stretchr/testify/require"
)

const chainID = "TOKTEST-1"

// start is the time of height 0. Like real times, it has nanoseconds.
var start = time.Date(2026, 3, 1, 12, 0, 0, 123_456_700, time.UTC)

func at(height int64) time.Time { return start.Add(time.Duration(height) * time.Minute) }

// signer returns the key of validator n.
func signer(n int) ed25519.PrivKey {
	return ed25519.GenPrivKeyFromSecret([]byte(fmt.Sprint("light client validator ", n)))
}

// member is a validator with its power.
type member struct {
	n     int
	power int64
}

func set(members ...member) *types.ValidatorSet {
	list := make([]*types.Validator, len(members))
	for i, m := range members {
		list[i] = types.NewValidator(signer(m.n).PubKey(), m.power)
	}
	return types.NewValidatorSet(list)
}

// equals returns validators with the power 10.
func equals(ns ...int) *types.ValidatorSet {
	members := make([]member, len(ns))
	for i, n := range ns {
		members[i] = member{n, 10}
	}
	return set(members...)
}

// spec describes a light block.
type spec struct {
	height     int64
	time       time.Time // at(height) if zero
	chain      string    // chainID if empty
	vals, next *types.ValidatorSet
	appHash    []byte
	round      int32
	voted      int64 // height in the votes; the height of the header if 0
	// flags contains the kind of vote by the number of a validator. The other validators vote for
	// the block.
	flags map[int]types.BlockIDFlag
	// spoil changes the commit after it has been signed.
	spoil func(*types.Commit)
}

func digest(what string, height int64) []byte {
	sum := sha256.Sum256(fmt.Append(nil, what, height))
	return sum[:]
}

func (s spec) header() *types.Header {
	h := &types.Header{
		Version: cmtversion.Consensus{Block: version.BlockProtocol, App: 1},
		ChainID: s.chain, Height: s.height, Time: s.time,
		ValidatorsHash: s.vals.Hash(), NextValidatorsHash: s.next.Hash(),
		ConsensusHash: digest("consensus", 0), AppHash: s.appHash, LastResultsHash: digest("results", s.height),
		LastCommitHash: digest("commit", s.height), DataHash: digest("data", s.height), EvidenceHash: digest("evidence", 0),
		ProposerAddress: s.vals.Validators[int(s.height)%s.vals.Size()].Address,
	}
	if s.height > 1 {
		h.LastBlockID = types.BlockID{Hash: digest("block", s.height-1), PartSetHeader: types.PartSetHeader{Total: 300, Hash: digest("parts", s.height-1)}}
	}
	return h
}

func (s spec) block(t *testing.T) *types.LightBlock {
	t.Helper()
	if s.time.IsZero() {
		s.time = at(s.height)
	}
	if s.chain == "" {
		s.chain = chainID
	}
	if s.next == nil {
		s.next = s.vals
	}
	if s.appHash == nil {
		s.appHash = digest("app", s.height)
	}
	h := s.header()
	id := types.BlockID{Hash: h.Hash(), PartSetHeader: types.PartSetHeader{Total: 1, Hash: digest("parts", s.height)}}
	if s.voted == 0 {
		s.voted = s.height
	}
	commit := &types.Commit{Height: s.voted, Round: s.round, BlockID: id}
	for i, v := range s.vals.Validators {
		commit.Signatures = append(commit.Signatures, s.vote(t, i, v, id))
	}
	if s.spoil != nil {
		s.spoil(commit)
	}
	return &types.LightBlock{SignedHeader: &types.SignedHeader{Header: h, Commit: commit}, ValidatorSet: s.vals}
}

// vote returns a validator's signature of a block. Each validator signs at another time.
func (s spec) vote(t *testing.T, i int, v *types.Validator, id types.BlockID) types.CommitSig {
	n := number(t, v)
	flag, known := s.flags[n]
	if !known {
		flag = types.BlockIDFlagCommit
	}
	if flag == types.BlockIDFlagAbsent {
		return types.NewCommitSigAbsent()
	}
	if flag == types.BlockIDFlagNil {
		id = types.BlockID{}
	}
	when := s.time.Add(time.Duration(i) * 1_001_001 * time.Nanosecond)
	vote := &cmtproto.Vote{Type: cmtproto.PrecommitType, Height: s.voted, Round: s.round, BlockID: id.ToProto(), Timestamp: when,
		ValidatorAddress: v.Address, ValidatorIndex: int32(i)}
	signature, err := signer(n).Sign(types.VoteSignBytes(s.chain, vote))
	require.NoError(t, err)
	return types.CommitSig{BlockIDFlag: flag, ValidatorAddress: v.Address, Timestamp: when, Signature: signature}
}

// number returns the number of a validator by its key.
func number(t *testing.T, v *types.Validator) int {
	for n := range 100 {
		if signer(n).PubKey().Equals(v.PubKey) {
			return n
		}
	}
	require.FailNow(t, "unknown key")
	return 0
}
