package lightvectors

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"testing"
	"time"

	cmtjson "github.com/cometbft/cometbft/libs/json"
	"github.com/cometbft/cometbft/light"
	"github.com/cometbft/cometbft/types"
	"github.com/stretchr/testify/require"
)

// vectors is the file that the tests of the light client read.
const vectors = "../../../web/test/testdata/light.json"

// verdict is a light block with CometBFT's result for its verification with the trusted block.
type verdict struct {
	Name    string          `json:"name"`
	Trusted string          `json:"trusted"` // name of the trusted block
	Block   json.RawMessage `json:"block"`
	Now     time.Time       `json:"now"`
	Period  int             `json:"period"` // seconds
	Verdict string          `json:"verdict"`
	Error   string          `json:"error,omitempty"`
}

const (
	period = time.Hour
	drift  = 10 * time.Second
)

// question is a case without its result.
type question struct {
	name    string
	trusted string // trusted5 if empty
	block   spec
	now     time.Time // a second after the block if zero
}

var (
	four    = equals(1, 2, 3, 4)
	trusted = map[string]spec{
		"four":   {height: 5, vals: four},
		"leaves": {height: 5, vals: four, next: equals(1, 5, 6, 7)},
		"three":  {height: 5, vals: equals(1, 2, 3)},
		"heavy":  {height: 5, vals: set(member{1, 1 << 50}, member{2, 1<<49 + 1}, member{3, 7})},
		"many":   {height: 5, vals: equals(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13), round: 2},
	}
)

const (
	absent = types.BlockIDFlagAbsent
	onNil  = types.BlockIDFlagNil
)

type flags = map[int]types.BlockIDFlag

func following() []question {
	return []question{
		{name: "the next height", block: spec{height: 6, vals: four}},
		{name: "a later height", block: spec{height: 100, vals: four, time: at(6)}},
		{name: "a later round", block: spec{height: 7, vals: four, round: 3}},
		{name: "three of four signed", block: spec{height: 7, vals: four, flags: flags{2: absent}}},
		{name: "one voted nil", block: spec{height: 7, vals: four, flags: flags{2: onNil}}},
		{name: "thirteen validators", trusted: "many", block: spec{height: 9, vals: trusted["many"].vals}},
		{name: "great powers", trusted: "heavy", block: spec{height: 9, vals: trusted["heavy"].vals, flags: flags{3: absent}}},
		{name: "half are others", block: spec{height: 9, vals: equals(1, 2, 5, 6)}},
		{name: "the announced validators", trusted: "leaves", block: spec{height: 6, vals: equals(1, 5, 6, 7)}},
		{name: "a wrong signature after enough", block: spec{height: 7, vals: four, spoil: func(c *types.Commit) { c.Signatures[3].Signature[5] ^= 1 }}},
		{name: "without an app hash", block: spec{height: 7, vals: four, appHash: []byte{}}},
		{name: "almost the future", block: spec{height: 7, vals: four}, now: at(7).Add(-drift + time.Millisecond)},
		{name: "almost expired", block: spec{height: 7, vals: four}, now: at(5).Add(period - time.Millisecond)},
		{name: "the power of more than a third", trusted: "three", block: spec{height: 9, vals: set(member{1, 10}, member{2, 1}, member{6, 4})}},
	}
}

func refused() []question {
	swap := func(c *types.Commit) { c.Signatures[0], c.Signatures[1] = c.Signatures[1], c.Signatures[0] }
	twice := func(c *types.Commit) {
		known := c.Signatures[0]
		for _, s := range c.Signatures {
			if s.ValidatorAddress.String() == signer(1).PubKey().Address().String() {
				known = s
			}
		}
		for i := range c.Signatures {
			c.Signatures[i] = known
		}
	}
	return []question{
		{name: "the trusted height", block: spec{height: 5, vals: four, time: at(6)}},
		{name: "an earlier height", block: spec{height: 4, vals: four, time: at(6)}},
		{name: "the same time", block: spec{height: 6, vals: four, time: at(5)}},
		{name: "an earlier time", block: spec{height: 6, vals: four, time: at(4)}},
		{name: "the future", block: spec{height: 7, vals: four}, now: at(7).Add(-drift)},
		{name: "expired", block: spec{height: 100, vals: four, time: at(6)}, now: at(5).Add(period + time.Millisecond)},
		{name: "another chain", block: spec{height: 6, vals: four, chain: "TOKTEST-2"}},
		{name: "two of four signed", block: spec{height: 6, vals: four, flags: flags{1: absent, 2: absent}}},
		{name: "two of four signed, later", block: spec{height: 9, vals: four, flags: flags{1: absent, 2: absent}}},
		{name: "two voted nil", block: spec{height: 6, vals: four, flags: flags{1: onNil, 2: onNil}}},
		{name: "exactly two thirds", trusted: "three", block: spec{height: 6, vals: trusted["three"].vals, flags: flags{3: absent}}},
		{name: "a wrong signature", block: spec{height: 6, vals: four, spoil: func(c *types.Commit) { c.Signatures[0].Signature[5] ^= 1 }}},
		{name: "signatures of a nil vote", block: spec{height: 6, vals: four, flags: flags{1: onNil}, spoil: func(c *types.Commit) {
			for i := range c.Signatures {
				c.Signatures[i].BlockIDFlag = types.BlockIDFlagCommit
			}
		}, round: 1}},
		{name: "signatures in another order", block: spec{height: 6, vals: four, spoil: swap}},
		{name: "a signature less", block: spec{height: 6, vals: four, spoil: func(c *types.Commit) { c.Signatures = c.Signatures[:3] }}},
		{name: "a signature more", block: spec{height: 6, vals: four, spoil: func(c *types.Commit) { c.Signatures = append(c.Signatures, types.NewCommitSigAbsent()) }}},
		{name: "one signed for all", block: spec{height: 9, vals: equals(1, 5, 6, 7), spoil: twice}},
		{name: "one validator in all places", block: spec{height: 9, vals: &types.ValidatorSet{
			Validators: []*types.Validator{four.Validators[0], four.Validators[0], four.Validators[0]}, Proposer: four.Validators[0]}}},
		{name: "votes of another height", block: spec{height: 6, vals: four, voted: 7}},
		{name: "a commit of another round", block: spec{height: 6, vals: four, spoil: func(c *types.Commit) { c.Round = 1 }}},
		{name: "another height in the commit", block: spec{height: 6, vals: four, spoil: func(c *types.Commit) { c.Height = 7 }}},
		{name: "validators that were not announced", block: spec{height: 6, vals: equals(1, 2, 3, 5)}},
		{name: "the old validators, not the announced", trusted: "leaves", block: spec{height: 6, vals: four}},
		{name: "validators unknown", block: spec{height: 9, vals: equals(5, 6, 7, 8)}},
		{name: "one of four known", block: spec{height: 9, vals: equals(1, 5, 6, 7)}},
		{name: "exactly a third known", trusted: "three", block: spec{height: 9, vals: equals(1, 6, 7)}},
		{name: "half are others, who signed alone", block: spec{height: 9, vals: set(member{1, 1}, member{2, 1}, member{5, 40}, member{6, 40}), flags: flags{1: absent, 2: absent}}},
	}
}

// judge verifies a block with CometBFT's light client.
func judge(t *testing.T, q question) verdict {
	if q.trusted == "" {
		q.trusted = "four"
	}
	known, block := trusted[q.trusted].block(t), q.block.block(t)
	if q.now.IsZero() {
		q.now = block.Time.Add(time.Second)
	}
	q.now = q.now.Truncate(time.Millisecond) // a page's clock has milliseconds
	raw, err := cmtjson.Marshal(block)
	require.NoError(t, err)
	v := verdict{Name: q.name, Trusted: q.trusted, Block: raw, Now: q.now, Period: int(period.Seconds()), Verdict: "ok"}
	err = light.Verify(known.SignedHeader, known.ValidatorSet, block.SignedHeader, block.ValidatorSet, period, q.now, drift, light.DefaultTrustLevel)
	switch {
	case err == nil:
		return v
	case errors.As(err, new(light.ErrOldHeaderExpired)):
		v.Verdict = "expired"
	case errors.As(err, new(light.ErrNewValSetCantBeTrusted)):
		v.Verdict = "untrusted"
	default:
		v.Verdict = "refused"
	}
	v.Error = err.Error()
	return v
}

// TestVectors compares the vectors with results of the linked version of CometBFT.
// OBVERSE_WRITE_VECTORS=1 writes them again.
func TestVectors(t *testing.T) {
	made := map[string]any{"chain": history(t), "state": states(t)}
	blocks := map[string]json.RawMessage{}
	for name, s := range trusted {
		raw, err := cmtjson.Marshal(s.block(t))
		require.NoError(t, err)
		blocks[name] = raw
	}
	var verdicts []verdict
	for _, q := range following() {
		v := judge(t, q)
		require.Equal(t, "ok", v.Verdict, "%s: %s", q.name, v.Error)
		verdicts = append(verdicts, v)
	}
	for _, q := range refused() {
		v := judge(t, q)
		require.NotEqual(t, "ok", v.Verdict, q.name)
		want, known := map[string]string{"expired": "expired", "validators unknown": "untrusted", "one of four known": "untrusted",
			"exactly a third known": "untrusted", "half are others, who signed alone": "untrusted"}[q.name]
		require.True(t, v.Verdict == want || !known && v.Verdict == "refused", "%s: %s: %s", q.name, v.Verdict, v.Error)
		verdicts = append(verdicts, v)
	}
	made["trusted"], made["verdicts"] = blocks, verdicts
	want, err := json.Marshal(made)
	require.NoError(t, err)
	if os.Getenv("OBVERSE_WRITE_VECTORS") != "" {
		require.NoError(t, os.WriteFile(vectors, want, 0o644))
	}
	got, err := os.ReadFile(vectors)
	require.NoError(t, err)
	require.True(t, bytes.Equal(want, got), "%s is not what CometBFT makes now: OBVERSE_WRITE_VECTORS=1 rewrites it", vectors)
}

// history returns a chain that replaces one of four validators every five heights, until all have
// been replaced.
func history(t *testing.T) (blocks []json.RawMessage) {
	at := func(height int64) *types.ValidatorSet {
		gone := int(height / 5)
		return equals(gone+1, gone+2, gone+3, gone+4)
	}
	for height := int64(1); height <= 23; height++ {
		raw, err := cmtjson.Marshal(spec{height: height, vals: at(height), next: at(height + 1)}.block(t))
		require.NoError(t, err)
		blocks = append(blocks, raw)
	}
	return blocks
}
