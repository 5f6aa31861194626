package engine_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/engine"
	"obverse/core/chain/mempool"
	"obverse/core/chain/script"
	"obverse/core/chain/statetree"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

// validator is the state machine of one of several validators. It has its own clock.
type validator struct {
	*engine.Shared
	solo // the validator's chain, and payments by the payee
}

const sharedOptions = "ac_supply=100 ac_reward=5000"

func newValidator(t *testing.T, kv store.KV, terms engine.Terms, now time.Time) *validator {
	return newValidatorOf(t, kv, terms, now, sharedOptions, mempool.DefaultRelay())
}

func newValidatorOf(t *testing.T, kv store.KV, terms engine.Terms, now time.Time, options string, relay mempool.Relay) *validator {
	var err error
	v := &validator{solo: solo{kv: kv, now: now}}
	clock := func() time.Time { return v.now }
	v.manager, err = chain.Open(t.Context(), chain.Config{
		Store: kv, Params: chaintest.Params(t, "ac_name=TOKTEST ac_sapling=1 "+options), Now: clock,
		Cache: script.NewSigCache(1<<10, nil), HeaderRules: engine.Validators{From: terms.From}, State: statetree.New(),
	})
	require.NoError(t, err)
	v.pool, err = mempool.New(t.Context(), mempool.Config{Manager: v.manager, Store: kv, Now: clock, Relay: &relay})
	require.NoError(t, err)
	v.Shared = engine.NewShared(v.manager, v.pool, kv, &engine.Role{Terms: terms, Hash: statetree.AppHash})
	return v
}

func payee(t *testing.T) token.Key { return secret(t).PublicKey() }

// begun returns a validator of a new chain.
func begun(t *testing.T, now time.Time) *validator {
	v := newValidator(t, memory(t), engine.Terms{Payee: payee(t), From: 1}, now)
	_, err := v.Begin(t.Context(), chaintest.Now())
	require.NoError(t, err)
	return v
}

func round(height int64, txs ...[]byte) engine.Round {
	return engine.Round{Height: height, Time: chaintest.Now().Add(time.Duration(height) * time.Second), Txs: txs}
}

// do finalizes and commits a round.
func (v *validator) do(t *testing.T, r engine.Round) *engine.Outcome {
	t.Helper()
	out, err := v.Finalize(t.Context(), r)
	require.NoError(t, err)
	require.NoError(t, v.Commit(t.Context()))
	height, hash, err := v.Standing(t.Context())
	require.NoError(t, err)
	require.Equal(t, r.Height, height)
	require.Equal(t, out.AppHash, hash, "the hash before the commit is the one after it")
	return out
}

// premine returns the coinbase of block 1.
func (v *validator) premine(t *testing.T) *wire.Tx { return v.block(t, v.tip(t).Hash).Txs[0] }

// TestSharedIsDeterministic runs the same rounds, which include every kind of transaction an
// engine can deliver, on two validators with different clocks, mempools and caches.
func TestSharedIsDeterministic(t *testing.T) {
	one, other := begun(t, chaintest.Now()), begun(t, chaintest.Now().Add(-24*time.Hour))
	require.Equal(t, one.tip(t), other.tip(t))
	premine := one.premine(t)
	parent := one.payment(t, premine, 10_000)
	rival := one.payment(t, premine, 20_000)
	child := one.payment(t, parent, 10_000)
	unsigned := one.payment(t, child, 10_000)
	unsigned.Inputs[0].ScriptSig[5] ^= 1
	require.NoError(t, one.Check(t.Context(), parent.Encode()))
	require.NoError(t, other.Check(t.Context(), rival.Encode()))

	r := round(1, []byte("no transaction"), child.Encode(), parent.Encode(), rival.Encode(), parent.Encode(),
		premine.Encode(), append(child.Encode(), 0), child.Encode(), unsigned.Encode())
	require.NoError(t, one.Judge(t.Context(), round(1, parent.Encode())), "another round before this one")
	for _, v := range []*validator{one, other} {
		out := v.do(t, r)
		var valid []int
		for i, verdict := range out.Verdicts {
			if verdict == nil {
				valid = append(valid, i)
			}
		}
		require.Equal(t, []int{2, 7}, valid)
		block := v.block(t, v.tip(t).Hash)
		require.Len(t, block.Txs, 3)
		require.EqualValues(t, 5000+20_000, block.Txs[0].Outputs[0].Value, "subsidy and fees")
		require.Empty(t, block.Solution)
		require.True(t, block.Nonce.IsZero())
		require.EqualValues(t, r.Time.Unix(), block.Time, "the engine's time, whatever the clock says")
		require.Zero(t, v.pool.Size(), "what conflicts with the block is gone")
		require.False(t, v.Waits(rival.Encode()))
	}
	require.Equal(t, one.tip(t), other.tip(t))
	_, a, _ := one.Standing(t.Context())
	_, b, _ := other.Standing(t.Context())
	require.Equal(t, a, b)
}

func TestEmptyRoundsMakeNoBlocks(t *testing.T) {
	v := begun(t, chaintest.Now())
	first := v.do(t, round(1))
	second := v.do(t, round(2, []byte("no transaction")))
	require.Equal(t, first.AppHash, second.AppHash)
	require.Equal(t, 1, v.tip(t).Height)
	third := v.do(t, round(3, v.payment(t, v.premine(t), 10_000).Encode()))
	require.NotEqual(t, first.AppHash, third.AppHash)
	require.Equal(t, 2, v.tip(t).Height)
	at, err := engine.EngineHeight(t.Context(), v.kv, 2)
	require.NoError(t, err)
	require.EqualValues(t, 3, at)
}

// TestFinalizeWritesNothing stops a node between Finalize and Commit. The engine repeats the
// round, and the outcome must be the same.
func TestFinalizeWritesNothing(t *testing.T) {
	v := begun(t, chaintest.Now())
	r := round(1, v.payment(t, v.premine(t), 10_000).Encode())
	before, err := v.Finalize(t.Context(), r)
	require.NoError(t, err)
	require.Equal(t, 1, v.tip(t).Height)
	again := newValidator(t, v.kv, engine.Terms{Payee: payee(t), From: 1}, v.now)
	height, _, err := again.Standing(t.Context())
	require.NoError(t, err)
	require.Zero(t, height)
	require.ErrorContains(t, again.Commit(t.Context()), "nothing was finalized")
	require.Equal(t, before.AppHash, again.do(t, r).AppHash)
}

func TestProposalsAreJudged(t *testing.T) {
	v := begun(t, chaintest.Now())
	parent := v.payment(t, v.premine(t), 10_000)
	good, rival := parent.Encode(), v.payment(t, v.premine(t), 20_000).Encode()
	broken := v.payment(t, parent, 10_000)
	broken.Inputs[0].ScriptSig[5] ^= 1

	chosen, err := v.Propose(t.Context(), round(1, []byte("junk"), good, rival, broken.Encode()))
	require.NoError(t, err)
	require.Equal(t, [][]byte{good}, chosen)
	require.NoError(t, v.Judge(t.Context(), round(1, chosen...)))
	require.NoError(t, v.Judge(t.Context(), round(1)))
	for name, txs := range map[string][][]byte{
		"no transaction":  {good, []byte("junk")},
		"double spend":    {good, rival},
		"repeated":        {good, good},
		"wrong signature": {good, broken.Encode()},
		"wrong order":     {v.payment(t, parent, 10_000).Encode(), good},
	} {
		t.Run(name, func(t *testing.T) {
			require.ErrorIs(t, v.Judge(t.Context(), round(1, txs...)), engine.ErrProposal)
		})
	}
}

// TestHandedOver continues a solo chain, and checks that any other store is refused.
func TestHandedOver(t *testing.T) {
	s := newSolo(t, sharedOptions)
	_, err := s.Generate(t.Context(), 3)
	require.NoError(t, err)
	tip := s.tip(t)
	terms := engine.Terms{Payee: payee(t), From: 4, Tip: tip.Hash}
	v := newValidator(t, s.kv, terms, s.now)
	needsNone := func(v *validator) bool {
		t.Helper()
		none, err := v.NeedsNone(t.Context())
		require.NoError(t, err)
		return none
	}
	require.True(t, needsNone(v))
	require.False(t, needsNone(newValidator(t, memory(t), terms, s.now)))
	require.False(t, needsNone(newValidator(t, memory(t), engine.Terms{Payee: payee(t), From: 1}, s.now)))
	first, err := v.Begin(t.Context(), chaintest.Now())
	require.NoError(t, err)
	again, err := v.Begin(t.Context(), chaintest.Now())
	require.NoError(t, err)
	require.Equal(t, first, again)
	require.Equal(t, tip, v.tip(t))
	v.do(t, round(1, v.payment(t, v.premine(t), 1_000).Encode()))
	require.Equal(t, 4, v.tip(t).Height)
	_, err = v.Begin(t.Context(), chaintest.Now())
	require.ErrorIs(t, err, engine.ErrTerms)
	require.ErrorContains(t, err, "its data is missing")

	_, err = newValidator(t, memory(t), terms, s.now).Begin(t.Context(), chaintest.Now())
	require.ErrorIs(t, err, engine.ErrTerms)
	require.ErrorContains(t, err, "restore a backup")
}

func TestValidatorsSeal(t *testing.T) {
	v := begun(t, chaintest.Now())
	header := v.block(t, v.tip(t).Hash).Header
	rules := engine.Validators{From: 2}
	require.NoError(t, rules.Check(&header, 2, nil))
	require.ErrorIs(t, rules.Check(&header, 1, nil), engine.ErrSolution)
	header.Solution = make([]byte, 64)
	require.ErrorIs(t, rules.Check(&header, 2, nil), engine.ErrSolution)
}

// TestSnapshot creates a new node's chain from a snapshot of another node's blocks, and from
// nothing else.
func TestSnapshot(t *testing.T) {
	v := begun(t, chaintest.Now())
	for last, height := v.premine(t), int64(1); height <= 60; height++ {
		tx := v.payment(t, last, 1_000)
		v.do(t, round(height, tx.Encode()))
		last = tx
	}
	all, err := v.Snapshots(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	snap := all[0]
	require.EqualValues(t, 50, snap.Engine)
	parts, err := v.Cut(t.Context(), snap)
	require.NoError(t, err)
	require.Equal(t, []engine.Part{{From: 1, To: 52, End: snap.Tip}}, parts)
	snap.Ends = []wire.Hash{snap.Tip}
	chunk, err := v.Chunk(t.Context(), 1, 52)
	require.NoError(t, err)
	requireBlocksAlone(t, v, chunk, 52)
	blocks, err := v.Unpack(snap, 0, chunk)
	require.NoError(t, err)
	signed := statetree.AppHash(snap.Tip, snap.Height, snap.Root)

	fresh := func() *validator {
		return newValidator(t, memory(t), engine.Terms{Payee: payee(t), From: 1}, v.now)
	}
	joined := fresh()
	require.NoError(t, joined.Offered(t.Context(), snap, signed[:]))
	require.NoError(t, joined.Restore(t.Context(), snap, blocks))
	height, hash, err := joined.Standing(t.Context())
	require.NoError(t, err)
	require.EqualValues(t, 50, height)
	require.Equal(t, signed[:], hash)
	joined.requireEngineHeight(t, 40, 0)
	joined.requireEngineHeight(t, 51, 50) // only the engine height of the tip is signed
	for height := int64(51); height <= 60; height++ {
		joined.do(t, round(height, v.block(t, v.at(t, int(height+1))).Txs[1].Encode()))
	}
	require.Equal(t, v.tip(t), joined.tip(t))
	require.ErrorIs(t, joined.Offered(t.Context(), snap, signed[:]), engine.ErrNotNew)

	// A node that was killed after restoring some of the blocks, or before its engine had
	// stored its height, joins again.
	for _, have := range []int{20, 51} {
		killed := fresh()
		var raws [][]byte
		for height := 1; height <= have; height++ {
			raws = append(raws, v.raw(t, height))
		}
		require.NoError(t, killed.manager.Adopt(t.Context(), raws))
		for range 2 {
			require.NoError(t, killed.Offered(t.Context(), snap, signed[:]))
			require.NoError(t, killed.Restore(t.Context(), snap, blocks))
		}
		height, hash, err := killed.Standing(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 50, height)
		require.Equal(t, signed[:], hash)
	}
	other := begun(t, chaintest.Now())
	other.do(t, round(1, other.payment(t, other.premine(t), 2_000).Encode()))
	tip := other.tip(t)
	require.ErrorIs(t, other.Restore(t.Context(), snap, blocks), engine.ErrNotNew)
	require.Equal(t, tip, other.tip(t))

	requireLiesRefused(t, fresh(), snap, chunk)
}

// requireLiesRefused offers a new node modified snapshots and chunks.
func requireLiesRefused(t *testing.T, lie *validator, snap engine.Snapshot, chunk []byte) {
	signed := statetree.AppHash(snap.Tip, snap.Height, snap.Root)
	blocks, err := lie.Unpack(snap, 0, chunk)
	require.NoError(t, err)
	altered := snap
	altered.Root[0] ^= 1
	require.ErrorIs(t, lie.Offered(t.Context(), altered, signed[:]), engine.ErrSnapshot)
	for name, bad := range map[string][]byte{
		"truncated": chunk[:len(chunk)-1], "one block less": chunk[:0], "a bit": append([]byte{}, chunk...),
	} {
		if name == "a bit" {
			bad[len(bad)/2] ^= 1
		}
		_, err := lie.Unpack(snap, 0, bad)
		require.ErrorIs(t, err, engine.ErrSnapshot, name)
	}
	for name, ends := range map[string][]wire.Hash{"no chunk": nil, "too many chunks": make([]wire.Hash, 1025), "more chunks than blocks": append([]wire.Hash{snap.Tip}, make([]wire.Hash, snap.Height)...), "another end": {{1}}} {
		altered := snap
		altered.Ends = ends
		require.ErrorIs(t, lie.Offered(t.Context(), altered, signed[:]), engine.ErrSnapshot, name)
	}
	altered.Root = snap.Root
	altered.Ends = []wire.Hash{snap.Tip, {1}}
	require.NoError(t, lie.Offered(t.Context(), altered, signed[:]))
	_, err = lie.Unpack(altered, 0, chunk)
	require.ErrorIs(t, err, engine.ErrSnapshot, "the first chunk shows that the others are made up")
	require.ErrorIs(t, lie.Restore(t.Context(), snap, blocks[1:]), engine.ErrSnapshot)
	require.Zero(t, lie.tip(t).Height)
}

// requireBlocksAlone checks that a chunk contains the blocks up to a height, and no other data
// that a peer could forge.
func requireBlocksAlone(t *testing.T, v *validator, chunk []byte, to int) {
	t.Helper()
	want := 0
	for height := 1; height < to; height++ {
		want += 4 + len(v.raw(t, height))
	}
	require.Len(t, chunk, want)
}

func (v *validator) requireEngineHeight(t *testing.T, height int, want int64) {
	t.Helper()
	at, err := engine.EngineHeight(t.Context(), v.kv, height)
	require.NoError(t, err)
	require.Equal(t, want, at)
}

// TestForgetSnapshots hands a chain over twice. Data stored under engine heights of the first
// validators must not be used by the second ones.
func TestForgetSnapshots(t *testing.T) {
	v := begun(t, chaintest.Now())
	last := v.premine(t)
	for height := int64(1); height <= 110; height++ {
		last = v.payment(t, last, 1_000)
		v.do(t, round(height, last.Encode()))
	}
	require.NoError(t, engine.Forget(t.Context(), v.kv))
	tip := v.tip(t)
	again := newValidator(t, v.kv, engine.Terms{Payee: payee(t), From: tip.Height + 1, Tip: tip.Hash}, v.now)
	_, err := again.Begin(t.Context(), chaintest.Now())
	require.NoError(t, err)
	all, err := again.Snapshots(t.Context())
	require.NoError(t, err)
	require.Empty(t, all, "heights of the former engine")
	at, err := engine.EngineHeight(t.Context(), v.kv, tip.Height)
	require.NoError(t, err)
	require.Zero(t, at, "the block is not these validators'")
	for height := int64(1); height <= 60; height++ {
		last = again.payment(t, last, 1_000)
		again.do(t, round(height, last.Encode()))
	}
	all, err = again.Snapshots(t.Context())
	require.NoError(t, err)
	require.Len(t, all, 1)
	require.EqualValues(t, 50, all[0].Engine)
}

// at returns the hash of the block at a height.
func (v *validator) at(t *testing.T, height int) (hash wire.Hash) {
	require.NoError(t, v.manager.Read(t.Context(), func(view *chain.View) (err error) {
		hash, err = view.HashAt(height)
		return err
	}))
	return hash
}

// raw returns the encoded block at a height.
func (v *validator) raw(t *testing.T, height int) (raw []byte) {
	require.NoError(t, v.manager.Read(t.Context(), func(view *chain.View) (err error) {
		hash, err := view.HashAt(height)
		if err == nil {
			raw, err = view.RawBlock(hash)
		}
		return err
	}))
	return raw
}
