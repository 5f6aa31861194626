package lightning

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/stretchr/testify/require"

	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/core/store/table"
)

// nodeOf returns a node id for a number.
func nodeOf(t testing.TB, n int) NodeID {
	t.Helper()
	secret := sha256.Sum256([]byte{byte(n), byte(n >> 8)})
	_, public := btcec.PrivKeyFromBytes(secret[:])
	return NodeID(public.SerializeCompressed())
}

func TestTrusted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store")
	kv, err := bunt.Open(path)
	require.NoError(t, err)
	ctx, trust := t.Context(), NewTrusted(kv)
	const coin = "tBTC-lightning"
	list := func(coin string) []NodeID {
		nodes, err := trust.List(ctx, coin)
		require.NoError(t, err)
		return nodes
	}
	require.Empty(t, list(coin))
	require.NoError(t, trust.Remove(ctx, coin, nodeOf(t, 1)), "nothing to remove")
	var want []NodeID
	for n := range 5 {
		for range 2 { // the second call changes nothing
			require.NoError(t, trust.Add(ctx, coin, nodeOf(t, n)))
		}
		want = append(want, nodeOf(t, n))
	}
	slices.SortFunc(want, func(a, b NodeID) int { return slices.Compare(a[:], b[:]) })
	require.Equal(t, want, list(coin))
	require.Empty(t, list("BTC-lightning"))
	require.Empty(t, list("tBTC"), "no prefix is taken for a coin")
	require.NoError(t, trust.Add(ctx, "tBTC", nodeOf(t, 9)))
	require.Equal(t, want, list(coin))

	require.NoError(t, kv.Close())
	kv, err = bunt.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	trust = NewTrusted(kv)
	require.Equal(t, want, list(coin), "kept over a restart")
	for range 2 {
		require.NoError(t, trust.Remove(ctx, coin, want[2]))
	}
	require.Equal(t, slices.Delete(slices.Clone(want), 2, 3), list(coin))
	require.Equal(t, []NodeID{nodeOf(t, 9)}, list("tBTC"))
}

// TestTrustedFull checks that the list is limited, and that a full list keeps its nodes.
func TestTrustedFull(t *testing.T) {
	kv, err := bunt.Open(":memory:")
	require.NoError(t, err)
	trust := NewTrusted(kv)
	require.NoError(t, table.Change(t.Context(), kv, func(tx *table.Tx) error {
		for n := range MaxTrusted {
			if err := trust.nodes.Put(t.Context(), tx, trusted{"c", fmt.Sprintf("%066x", n)}); err != nil {
				return err
			}
		}
		return nil
	}))
	require.ErrorIs(t, trust.Add(t.Context(), "c", nodeOf(t, 1)), ErrTrustedFull)
	require.NoError(t, trust.Add(t.Context(), "d", nodeOf(t, 1)), "another coin's list")
	require.NoError(t, table.Change(t.Context(), kv, func(tx *table.Tx) error {
		_, err := trust.nodes.Delete(t.Context(), tx, trusted{"c", fmt.Sprintf("%066x", 5)}.key())
		return err
	}))
	require.NoError(t, trust.Add(t.Context(), "c", nodeOf(t, 1)), "there is room for one")
	require.NoError(t, trust.Add(t.Context(), "c", nodeOf(t, 1)), "it is on the list")
	require.ErrorIs(t, trust.Add(t.Context(), "c", nodeOf(t, 2)), ErrTrustedFull)
}

// slow is a store in which other changes overtake a change.
type slow struct{ store.KV }

func (s slow) Stage(ctx context.Context, b store.Batch) (store.Durable, error) {
	time.Sleep(time.Millisecond)
	return s.KV.Stage(ctx, b)
}

// TestTrustedFullAtTheSameTime checks that concurrent additions fail as soon as the list is
// full.
func TestTrustedFullAtTheSameTime(t *testing.T) {
	kv, err := bunt.Open(":memory:")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	trust := NewTrusted(slow{kv})
	require.NoError(t, table.Change(t.Context(), kv, func(tx *table.Tx) error {
		for n := range MaxTrusted - 1 {
			if err := trust.nodes.Put(t.Context(), tx, trusted{"c", fmt.Sprintf("%066x", n)}); err != nil {
				return err
			}
		}
		return nil
	}))
	var adding sync.WaitGroup
	var added, refused atomic.Int32
	for n := range 20 {
		adding.Go(func() {
			switch err := trust.Add(t.Context(), "c", nodeOf(t, n)); {
			case err == nil:
				added.Add(1)
			case errors.Is(err, ErrTrustedFull):
				refused.Add(1)
			}
		})
	}
	adding.Wait()
	require.EqualValues(t, 1, added.Load())
	require.EqualValues(t, 19, refused.Load())
}

func TestTrustedOfABrokenStore(t *testing.T) {
	kv, err := bunt.Open(":memory:")
	require.NoError(t, err)
	trust := NewTrusted(kv)
	require.NoError(t, table.Change(t.Context(), kv, func(tx *table.Tx) error {
		return trust.nodes.Put(t.Context(), tx, trusted{"c", "03"})
	}))
	_, err = trust.List(t.Context(), "c")
	require.ErrorIs(t, err, table.ErrDamaged)
	require.NoError(t, kv.Close())
	require.ErrorIs(t, trust.Add(t.Context(), "c", nodeOf(t, 1)), store.ErrClosed)
	require.ErrorIs(t, trust.Remove(t.Context(), "c", nodeOf(t, 1)), store.ErrClosed)
	_, err = trust.List(t.Context(), "c")
	require.ErrorIs(t, err, store.ErrClosed)
}
