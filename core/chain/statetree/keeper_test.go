package statetree_test

import (
	"context"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/script"
	"obverse/core/chain/statetree"
	"obverse/core/chain/wire"
	"obverse/core/store"
	"obverse/core/store/bunt"
)

const options = "ac_name=TOKTEST ac_supply=1000 ac_reward=100000000 ac_cc=2 ac_sapling=1"

// scene is a chain with a hashed state: a premine, a token of which K1 holds 100 and K2 holds
// 900, and an empty block.
type scene struct {
	*chaintest.Chain
	keeper *statetree.Keeper
	token  wire.Hash
	spent  wire.OutPoint // spent output that K1 owned
	k1, k2 chaintest.Signer
	t      *testing.T
}

func memory(t *testing.T) store.KV {
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	return kv
}

func newScene(t *testing.T) *scene {
	s := &scene{keeper: statetree.New(), k1: chaintest.Key(t, 1), k2: chaintest.Key(t, 2), t: t}
	s.Chain = chaintest.WithState(t, memory(t), chaintest.Params(t, options), s.keeper)
	s.fill()
	return s
}

// fill mines the scene's blocks.
func (s *scene) fill() {
	premine := chaintest.Output(s.Mine().Txs[0], 0)
	split := s.Tx([]chaintest.Coin{premine}, chaintest.Pay(s.k1.PubKey(), 50_000), chaintest.Pay(s.k2.PubKeyHash(), 20_000))
	creation := s.Tx([]chaintest.Coin{chaintest.Output(split, 0)}, chaintest.Creation(s.k1, "T", 1000, 30_000)...)
	s.Mine(split, creation)
	s.token, s.spent = creation.ID(), premine.Out
	s.Mine(s.Tx([]chaintest.Coin{chaintest.Output(creation, 1), chaintest.Output(split, 1)},
		chaintest.Pay(s.k2.Tokens(), 900), chaintest.Pay(s.k1.Tokens(), 100), chaintest.Transfer(creation.ID(), s.k2)))
}

// versions returns the states that can be proven.
func (s *scene) versions() (all []statetree.Version) {
	require.NoError(s.t, s.Read(s.t.Context(), func(v *chain.View) error {
		all = s.keeper.Versions(v)
		require.Equal(s.t, v.Tip().Hash, all[0].Tip)
		require.Equal(s.t, v.Tip().Height, all[0].Height)
		require.Equal(s.t, v.StateRoot(), all[0].Root())
		return nil
	}))
	return all
}

// found returns the value that the tip's state proves for a record's key.
func (s *scene) found(record string) (string, bool) {
	now, key := s.versions()[0], statetree.KeyOf(record)
	value, ok, err := now.Prove(key).Verify(now.Root(), key)
	require.NoError(s.t, err)
	return value, ok
}

// reopened returns the root of a chain that reads its state from the given store.
func reopened(t *testing.T, kv store.KV) statetree.Hash {
	k := statetree.New()
	chaintest.WithState(t, kv, chaintest.Params(t, options), k)
	return k.Root()
}

func TestStateHoldsCoinsTokensAndBalances(t *testing.T) {
	s := newScene(t)
	for owner, want := range map[chaintest.Signer]uint64{s.k1: 100, s.k2: 900} {
		value, ok := s.found(chain.TokenBalanceKey(s.token, owner.TokenAddress()))
		require.True(t, ok)
		require.Equal(t, binary.LittleEndian.AppendUint64(nil, want), []byte(value))
	}
	_, ok := s.found(chain.TokenBalanceKey(s.token, chaintest.Key(t, 3).TokenAddress()))
	require.False(t, ok, "who has no tokens has no leaf")

	value, ok := s.found(chain.TokenKey(s.token))
	require.True(t, ok)
	r := wire.NewReader([]byte(value))
	require.Equal(t, int64(1000), r.Int64())
	require.Equal(t, uint32(2), r.Uint32())
	require.Zero(t, r.Byte())
	owner := s.k1.PublicKey()
	for _, want := range []string{string(owner[:]), "T", "", ""} {
		require.Equal(t, want, string(r.VarBytes(100)))
	}
	require.NoError(t, r.End())

	_, ok = s.found(chain.CoinKey(s.spent))
	require.False(t, ok, "a spent output has no leaf")
	_, ok = s.found(chain.CoinKey(wire.OutPoint{Hash: s.token, Index: 2}))
	require.True(t, ok, "an unspent output has one")
}

// TestRootSurvivesReorganisations checks that the root depends only on the records of the tip,
// regardless of how the chain arrived there.
func TestRootSurvivesReorganisations(t *testing.T) {
	s := newScene(t)
	roots := []statetree.Hash{s.versions()[0].Root()}
	require.Equal(t, roots[0], reopened(t, s.Store))
	tip := s.Tip()
	fork := s.Build(tip.Hash)
	s.Mine()
	other := s.versions()[0].Root()
	require.NotEqual(t, roots[0], other, "a coinbase is a coin")
	require.NoError(t, s.Invalidate(t.Context(), s.Tip().Hash))
	require.Equal(t, roots[0], s.versions()[0].Root(), "a block was taken back")
	s.Submit(fork)
	s.Submit(s.Build(fork.Hash()))
	require.Equal(t, s.versions()[0].Root(), reopened(t, s.Store))
	record, err := s.tipRecord()
	require.NoError(t, err)
	require.NoError(t, s.Invalidate(t.Context(), record.Prev))
	require.NoError(t, s.Invalidate(t.Context(), tip.Hash))
	_, ok := s.found(chain.TokenBalanceKey(s.token, s.k2.TokenAddress()))
	require.False(t, ok, "the transfer was taken back")
	require.Equal(t, s.versions()[0].Root(), reopened(t, s.Store))
}

func (s *scene) tipRecord() (r chain.Record, err error) {
	err = s.Read(s.t.Context(), func(v *chain.View) error {
		r, err = v.Record(v.Tip().Hash)
		return err
	})
	return r, err
}

// TestStateIsBuiltWhenSwitchedOn checks that two chains with the same blocks have the same root
// if the state of one is hashed from the beginning, and the state of the other from a later
// block on.
func TestStateIsBuiltWhenSwitchedOn(t *testing.T) {
	s := newScene(t)
	solo := &scene{Chain: chaintest.New(t, memory(t), s.Params()), k1: s.k1, k2: s.k2, t: t}
	solo.fill()
	require.Equal(t, s.Tip().Hash, solo.Tip().Hash)
	before := rows(t, solo.Store)
	require.Equal(t, [32]byte{}, solo.root(), "a chain without the option has no root")
	require.Equal(t, s.versions()[0].Root(), reopened(t, solo.Store))
	require.Equal(t, before+1, rows(t, solo.Store), "the root is all that the store keeps")

	solo.Mine() // mined without hashing, so that the stored root belongs to an earlier block
	require.Equal(t, reopened(t, solo.Store), reopened(t, solo.Store))
}

func (s *scene) root() (root [32]byte) {
	require.NoError(s.t, s.Read(s.t.Context(), func(v *chain.View) error { root = v.StateRoot(); return nil }))
	return root
}

func rows(t *testing.T, kv store.KV) int {
	all, err := kv.Scan(t.Context(), "", "", 10_000)
	require.NoError(t, err)
	return len(all)
}

// TestVersions proves earlier states against their own roots.
func TestVersions(t *testing.T) {
	s := newScene(t)
	was := s.versions()
	require.Len(t, was, 4)
	for range 20 {
		s.Mine()
	}
	require.Len(t, s.versions(), 8)
	require.Equal(t, s.Tip().Height-7, s.versions()[7].Height)
	key := statetree.KeyOf(chain.CoinKey(s.spent))
	_, ok, err := was[2].Prove(key).Verify(was[2].Root(), key)
	require.NoError(t, err)
	require.True(t, ok, "the premine was unspent then")
	require.NotEqual(t, was[0].AppHash(), was[1].AppHash())
	require.NotEqual(t, was[0].AppHash(), statetree.AppHash(was[0].Tip, was[0].Height+1, was[0].Root()))
}

// TestDamageIsNoticed checks that a store is refused if its records do not match the stored
// root, even if no other check detects it.
func TestDamageIsNoticed(t *testing.T) {
	for name, prefix := range map[string]string{"a coin's script": "c", "a token": "k", "the root": "istateroot"} {
		t.Run(name, func(t *testing.T) {
			s := newScene(t)
			all, err := s.Store.Scan(t.Context(), prefix, "", 1000)
			if prefix == "istateroot" {
				all, err = s.Store.Scan(t.Context(), "istate", "", 1000)
			}
			require.NoError(t, err)
			e := all[len(all)-1]
			data := []byte(e.Data)
			at := len(data) - 1
			if prefix == "k" {
				at = 0 // index of the supply
			}
			data[at] ^= 1
			require.NoError(t, store.Apply(t.Context(), s.Store, store.Batch{Ops: []store.Op{{Key: e.Key, Data: string(data)}}}))
			_, err = chain.Open(t.Context(), chain.Config{Store: s.Store, Params: s.Params(), HeaderRules: chaintest.AnyProducer{},
				Now: chaintest.Now, Cache: script.NewSigCache(1, nil), State: statetree.New()})
			require.ErrorIs(t, err, chain.ErrCorrupt)
			require.True(t, strings.Contains(err.Error(), "state root"), err.Error())
		})
	}
}

// TestPlannedRoot computes the root of a block before the block is written, and plans another
// block in between.
func TestPlannedRoot(t *testing.T) {
	s := newScene(t)
	one, other := s.Build(s.Tip().Hash), s.Build(s.Tip().Hash)
	plan := func(b *wire.Block) (*chain.Plan, [32]byte) {
		p, err := s.Plan(t.Context(), b.Encode())
		require.NoError(t, err)
		root, err := s.PlannedRoot(t.Context(), p)
		require.NoError(t, err)
		return p, root
	}
	first, want := plan(one)
	_, unlike := plan(other)
	require.NotEqual(t, want, unlike)
	_, again := plan(one)
	require.Equal(t, want, again)
	require.NotEqual(t, want, s.keeper.Root())
	require.NoError(t, s.Execute(t.Context(), first))
	require.Equal(t, want, s.keeper.Root())
	require.Equal(t, want, reopened(t, s.Store))
}

var errRefused = errors.New("refused")

// refusing is a store that fails to write batches while on is set.
type refusing struct {
	store.KV
	on bool
}

func (r *refusing) Stage(ctx context.Context, b store.Batch) (store.Durable, error) {
	if r.on {
		return nil, errRefused
	}
	return r.KV.Stage(ctx, b)
}

// TestRefusedBatchChangesNothing checks that a block that could not be written does not change
// the root.
func TestRefusedBatchChangesNothing(t *testing.T) {
	kv := &refusing{KV: memory(t)}
	keeper := statetree.New()
	c := chaintest.WithState(t, kv, chaintest.Params(t, options), keeper)
	c.Mine()
	root, next := keeper.Root(), c.Build(c.Tip().Hash)
	kv.on = true
	_, err := c.Manager.Submit(t.Context(), next.Encode())
	require.ErrorIs(t, err, errRefused)
	require.Equal(t, root, keeper.Root())
	kv.on = false
	c.Submit(next)
	require.NotEqual(t, root, keeper.Root())
}
