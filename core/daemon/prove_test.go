package daemon_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/wire"
)

// proving is a Prover whose proofs repeat the arguments.
type proving struct {
	holder chain.Address
	err    error
}

func (p *proving) Balance(_ context.Context, id wire.Hash, holder chain.Address) (int64, json.RawMessage, error) {
	p.holder = holder
	return 7, json.RawMessage(`{"of":"` + id.String() + `"}`), p.err
}

func (p *proving) Token(_ context.Context, id wire.Hash) (json.RawMessage, error) {
	return json.RawMessage(`{"of":"` + id.String() + `"}`), p.err
}

func (p *proving) LightBlock(_ context.Context, height int64) (json.RawMessage, error) {
	return json.Marshal(height)
}

var proven = map[string]any{"prove": true}

// TestNoProofsAlone checks that a node that makes its blocks alone returns an error for a
// request for a proof, and no unproven answer.
func TestNoProofsAlone(t *testing.T) {
	s, id := newTokenStation(t)
	const message = "no proofs: one node makes the blocks of this chain, and no validators sign its state"
	s.refused(-1, message, "tokenbalance", id, k1, proven)
	s.refused(-1, message, "tokeninfo", id, proven)
	s.refused(-1, message, "getlightblock")
	require.JSONEq(t, string(s.answer("tokenbalance", id, k1).Result),
		string(s.answer("tokenbalance", id, k1, map[string]any{"prove": false}).Result))
}

// TestProofOptions checks that other values are still reported as too many parameters, as in
// komodod.
func TestProofOptions(t *testing.T) {
	s, id := newTokenStation(t)
	for _, odd := range []any{"x", 1, true, nil, []any{}} {
		s.refused(-1, "tokenbalance tokenid [pubkey]\n", "tokenbalance", id, k1, odd)
		s.refused(-1, "tokeninfo tokenid\n", "tokeninfo", id, odd)
	}
	s.refused(-1, "tokeninfo tokenid\n", "tokeninfo", id, proven, proven)
	s.refused(-8, `options: unknown name "proof", want "prove"`, "tokeninfo", id, map[string]any{"proof": true})
	s.refused(-1, "JSON value is not a boolean as expected", "tokeninfo", id, map[string]any{"prove": 1})
}

func TestProvenAnswers(t *testing.T) {
	s, id := newTokenStation(t)
	p := &proving{}
	s.Prover = p
	balance := result[map[string]any](s, "tokenbalance", id, k2, proven)
	require.EqualValues(t, 7, balance["balance"], "the answer equals the proven value")
	require.Equal(t, map[string]any{"of": id}, balance["proof"])
	require.Equal(t, chaintest.Key(t, 2).TokenAddress(), p.holder)

	info := result[map[string]any](s, "tokeninfo", id, proven)
	require.Equal(t, "TOK", info["name"])
	require.Equal(t, map[string]any{"of": id}, info["proof"])
	require.NotContains(t, result[map[string]any](s, "tokeninfo", id), "proof")

	require.Equal(t, 12, result[int](s, "getlightblock", 12))
	require.Equal(t, 0, result[int](s, "getlightblock"))
	p.err = errors.New("not signed")
	s.refused(-1, "prove balance: not signed", "tokenbalance", id, k2, proven)
	s.refused(-1, "prove token: not signed", "tokeninfo", id, proven)
}
