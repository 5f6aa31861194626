package mempool_test

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/mempool"
	"obverse/core/chain/wire"
	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/core/store/bunttest"
)

// TestReopen reopens the store of a pool in which a transaction of a disconnected block
// precedes transactions that arrived earlier.
func TestReopen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "chain.db")
	kv, err := bunt.Open(path)
	require.NoError(t, err)
	n := startOn(t, kv, sapling, noLimits)
	returned := n.payment(n.coin())
	n.Mine(returned)
	child, other := n.payment(chaintest.Output(returned, 0)), n.payment(n.coin())
	n.mustAccept(child, other)
	n.reorganise(3)
	want := []*wire.Tx{returned, child, other}
	n.requirePool(want...)

	for range 2 {
		require.NoError(t, kv.Close())
		kv, err = bunt.Open(path)
		require.NoError(t, err)
		again := open(t, kv, sapling, noLimits)
		again.requirePool(want...)
		last := again.payment(n.coin())
		again.mustAccept(last)
		want = append(want, last)
		again.requirePool(want...)
	}
	require.NoError(t, kv.Close())
}

// TestReopenDrops adds records to the store that the pool must drop when it is opened.
func TestReopenDrops(t *testing.T) {
	n := start(t, sapling)
	good, mined, child := n.payment(n.coin()), n.payment(n.coin()), &wire.Tx{}
	child = n.payment(chaintest.Output(mined, 0))
	unsigned := n.payment(n.coin())
	unsigned.Outputs[0].Value--
	dependent := n.payment(chaintest.Output(unsigned, 0))
	expired := resigned(func(tx *wire.Tx) { tx.ExpiryHeight = 3 })(n)
	n.Mine(mined)
	for i, tx := range []*wire.Tx{mined, unsigned, good, dependent, expired, good, child} {
		requireRecord(t, n.Store, byte(i), tx.Encode())
	}
	again := open(t, n.Store, sapling, noLimits)
	again.requirePool(good, child)
}

// requireRecord writes a record of the pool.
func requireRecord(t *testing.T, kv store.KV, sequence byte, raw []byte) {
	t.Helper()
	var b store.Batch
	b.Put("y\x80\x00\x00\x00\x00\x00\x00"+string(sequence), string(raw))
	require.NoError(t, store.Apply(t.Context(), kv, b))
}

func TestReopenDamaged(t *testing.T) {
	n := start(t, sapling)
	raw := n.payment(n.coin()).Encode()
	for name, spoilt := range map[string][]byte{"short": raw[:20], "long": append(raw, 0), "empty": nil} {
		requireRecord(t, n.Store, 1, spoilt)
		_, err := mempool.New(t.Context(), mempool.Config{Manager: n.Manager, Store: n.Store, Now: chaintest.Now})
		require.ErrorIs(t, err, mempool.ErrCorrupt, name)
	}
}

// history is a store that records its batches, so that a test can recreate every state in which
// a crash could have left the store.
type history struct {
	store.KV
	mu      sync.Mutex
	batches []store.Batch
}

func (h *history) Stage(ctx context.Context, b store.Batch) (store.Durable, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	durable, err := h.KV.Stage(ctx, b)
	if err == nil {
		h.batches = append(h.batches, b)
	}
	return durable, err
}

// after returns a store with the first count batches.
func (h *history) after(t *testing.T, count int) store.KV {
	t.Helper()
	kv := bunttest.Memory(t)
	for _, b := range h.batches[:count] {
		require.NoError(t, store.Apply(t.Context(), kv, store.Batch{Ops: b.Ops}))
	}
	return kv
}

// TestCrash recreates the store after every batch, and requires that it contains every
// transaction acknowledged by then.
func TestCrash(t *testing.T) {
	h := &history{KV: bunttest.Memory(t)}
	n := startOn(t, h, sapling, noLimits)
	begun := len(h.batches)
	acknowledged := map[wire.Hash]int{} // → number of batches at that time
	accept := func(tx *wire.Tx) *wire.Tx {
		n.mustAccept(tx)
		acknowledged[tx.ID()] = len(h.batches)
		return tx
	}
	a := accept(n.payment(n.coin()))
	b := accept(n.payment(chaintest.Output(a, 0)))
	n.Mine(a, b)
	c := accept(n.payment(chaintest.Output(b, 0)))
	n.Mine(c)
	d := accept(n.payment(n.coin(), chaintest.Output(c, 0)))
	n.reorganise(3)
	n.requirePool(a, b, c, d)
	n.Mine(a)
	accept(n.payment(n.coin()))
	n.reorganise(5, a, b)
	require.Greater(t, len(h.batches), begun+10)

	for count := begun; count <= len(h.batches); count++ {
		at := open(t, h.after(t, count), sapling, noLimits)
		for id, by := range acknowledged {
			if by <= count {
				at.requireStored(id, count)
			}
		}
	}
}

// requireStored requires that a transaction is in the pool or in the chain, but not in both.
func (n *node) requireStored(id wire.Hash, count int) {
	n.t.Helper()
	n.look(func(v *chain.View) {
		_, waiting := n.pool.Entry(id)
		mined, err := v.HasTx(id)
		require.NoError(n.t, err)
		require.True(n.t, waiting != mined, "after %d batches: %v waits %v, is mined %v", count, id, waiting, mined)
	})
}

// broken is a store whose writes fail.
type broken struct {
	store.KV
	err error
}

func (b *broken) Stage(ctx context.Context, batch store.Batch) (store.Durable, error) {
	if b.err != nil {
		return nil, b.err
	}
	return b.KV.Stage(ctx, batch)
}

func TestStoreFailure(t *testing.T) {
	b := &broken{KV: bunttest.Memory(t)}
	n := startOn(t, b, sapling, noLimits)
	tx := n.payment(n.coin())
	b.err = store.ErrFailed
	err := n.accept(tx)
	require.ErrorIs(t, err, store.ErrFailed)
	var refused *mempool.Error
	require.False(t, errors.As(err, &refused)) // the transaction is not the cause
	n.requirePool()
	b.err = nil
	n.mustAccept(tx)
	n.requirePool(tx)
}

// TestHear checks that a transaction from another node stays in memory until a client receives
// an answer that promises that it, or a transaction that depends on it, is stored.
func TestHear(t *testing.T) {
	n := start(t, sapling)
	parent := n.payment(n.coin())
	child := n.payment(chaintest.Output(parent, 0))
	other := n.payment(n.coin())
	for _, tx := range []*wire.Tx{parent, other} {
		_, err := n.pool.Hear(t.Context(), tx.Encode())
		require.NoError(t, err)
	}
	_, err := n.pool.Hear(t.Context(), append(parent.Encode(), 0))
	require.ErrorIs(t, err, mempool.ErrDecode)
	n.requireRecords()
	require.True(t, n.pool.Has(parent.ID()) && n.pool.Has(other.ID()))

	n.mustAccept(child) // stores the parent too
	_, err = n.pool.Hear(t.Context(), child.Encode())
	require.NoError(t, err)
	n.requireRecords(parent, child)
	n.mustAccept(other)
	n.requireRecords(parent, other, child)
	n.mustAccept(other, parent)
	n.requireRecords(parent, other, child)
}

// unsynced is a store that stages batches, but does not make them durable.
type unsynced struct {
	store.KV
	err error
}

func (u *unsynced) Stage(ctx context.Context, batch store.Batch) (store.Durable, error) {
	durable, err := u.KV.Stage(ctx, batch)
	if err != nil || u.err == nil {
		return durable, err
	}
	return func(context.Context) error { return u.err }, nil
}

// requireUnclear requires an error that names the transaction.
func requireUnclear(t *testing.T, tx *wire.Tx, cause, err error) {
	t.Helper()
	var unclear *mempool.UnclearError
	require.ErrorAs(t, err, &unclear)
	require.Equal(t, tx.ID(), unclear.ID)
	require.ErrorIs(t, err, cause)
	require.ErrorContains(t, err, "transaction "+tx.ID().String()+" may have been sent: "+cause.Error())
}

// TestUnclear checks that Accept does not report a transaction as not sent if it is in the pool,
// or may be there when the store is opened again.
func TestUnclear(t *testing.T) {
	u := &unsynced{KV: bunttest.Memory(t)}
	n := startOn(t, u, sapling, noLimits)
	tx := n.payment(n.coin())
	u.err = store.ErrFailed
	for range 2 {
		err := n.accept(tx)
		requireUnclear(t, tx, store.ErrFailed, err)
		require.ErrorContains(t, err, "look for it after a restart of the node before you send again")
		n.requirePool(tx)
	}
	open(t, u.KV, sapling, noLimits).requirePool(tx)

	b := &broken{KV: bunttest.Memory(t)}
	n = startOn(t, b, sapling, noLimits)
	tx = n.payment(n.coin())
	b.err = errors.Join(store.ErrFailed, store.ErrMaybeStored)
	requireUnclear(t, tx, b.err, n.accept(tx))
	n.requirePool()
	b.err = store.ErrFailed
	require.False(t, errors.As(n.accept(tx), new(*mempool.UnclearError)))
	_, err := n.pool.Hear(t.Context(), tx.Encode())
	require.NoError(t, err)
	requireUnclear(t, tx, store.ErrFailed, n.accept(tx))

	n = start(t, sapling)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = n.pool.Accept(ctx, n.payment(n.coin()).Encode(), false)
	require.ErrorIs(t, err, context.Canceled)
	require.False(t, errors.As(err, new(*mempool.UnclearError)))
	n.requirePool()
}
