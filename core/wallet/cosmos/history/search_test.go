package history

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/cosmos/node"
)

// made returns a chain of n transactions, in which the address sends, receives or both.
func made(n int, seed string) *nodes {
	source := &nodes{address: "me1", times: make(map[uint64]time.Time), earliest: 1, missing: node.ErrNoPage}
	for i := range n {
		height := uint64(i/2 + 1) // two transactions in a block
		source.times[height] = time.Unix(1_700_000_000+int64(height), 0)
		raw := fmt.Appendf(nil, "%s %d", seed, i)
		sum := sha256.Sum256(raw)
		cursors := []string{"message action=m"}
		if i%3 != 1 {
			cursors = append(cursors, "coin_spent spender=me1 amount=7x0", "transfer recipient=b sender=me1 amount=7x0")
		}
		if i%3 != 0 {
			cursors = append(cursors, "coin_received receiver=me1 amount=9x1", "transfer recipient=me1 sender=b amount=9x1")
		}
		source.txs = append(source.txs, node.Tx{Hash: strings.ToUpper(hex.EncodeToString(sum[:])), Height: height, Index: uint32(i % 2), Raw: raw, Events: happened(cursors...)})
	}
	return source
}

// without returns a node whose history begins later.
func (n *nodes) without(first int) *nodes {
	return &nodes{txs: n.txs, from: first, address: n.address, times: n.times, earliest: n.txs[first].Height, missing: n.missing}
}

// until returns a node that lags behind.
func (n *nodes) until(last int) *nodes {
	return &nodes{txs: n.txs[:last], from: n.from, address: n.address, times: n.times, earliest: n.earliest, missing: n.missing}
}

const spentByMe = "coin_spent.spender='me1'"

// finish runs a search to its end.
func finish(t *testing.T, cursors *[]cursor, size int, source Source) (hashes []string, err error) {
	t.Helper()
	s := &scan{query: spentByMe, size: size, cursors: cursors}
	for calls := 0; !s.done; calls++ {
		require.Less(t, calls, 1000)
		txs, err := s.next(t.Context(), source)
		if err != nil {
			return hashes, err
		}
		for _, tx := range txs {
			hashes = append(hashes, tx.Hash)
		}
		require.LessOrEqual(t, len(*cursors), maxCursors)
	}
	require.Zero(t, s.remaining())
	return hashes, nil
}

// spent returns the hashes that the search must find.
func (n *nodes) spent() (hashes []string) {
	for i, tx := range n.txs {
		if i%3 != 1 && i >= n.from {
			hashes = append(hashes, tx.Hash)
		}
	}
	return hashes
}

func TestSearchReadsEverythingOnce(t *testing.T) {
	for _, total := range []int{0, 1, 2, 5, 6, 7, 14, 15, 16, 100} {
		for _, size := range []int{1, 2, 5, 10} {
			source, cursors := made(total, "a"), []cursor{}
			got, err := finish(t, &cursors, size, source)
			require.NoError(t, err)
			require.Equal(t, source.spent(), got)
			source.calls()
			// Searching again reads one page and finds nothing new.
			got, err = finish(t, &cursors, size, source)
			require.NoError(t, err)
			require.Empty(t, got)
			require.Len(t, source.calls(), 1)
		}
	}
}

// TestSearchGoesOn checks that transactions which arrive between two searches are read once and
// in order, regardless of their number.
func TestSearchGoesOn(t *testing.T) {
	for _, steps := range [][]int{{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13}, {7, 8, 30}, {15, 15, 16}, {1, 100}} {
		source := made(100, "a")
		var cursors []cursor
		var all []string
		for _, known := range steps {
			got, err := finish(t, &cursors, 5, source.until(known))
			require.NoError(t, err)
			all = append(all, got...)
			require.Equal(t, source.until(known).spent(), all)
		}
	}
}

// TestSearchWithNodesThatBeginLater checks nodes whose pages begin with different transactions.
func TestSearchWithNodesThatBeginLater(t *testing.T) {
	archive := made(90, "a")
	later, latest := archive.without(40), archive.without(77)
	var cursors []cursor
	for n, c := range []struct {
		name  string
		node  *nodes
		want  []string
		calls int
	}{
		{"a pruned one first", later, later.spent(), 7},
		{"an archive then, from its start", archive, archive.spent(), 13},
		{"the pruned one again: nothing new, in one look more", later, nil, 3},
		{"one that is pruned further", latest, latest.spent(), 3},
		{"and back", archive, nil, 3},
	} {
		got, err := finish(t, &cursors, 5, c.node)
		require.NoError(t, err, c.name)
		require.Equal(t, c.want, got, c.name)
		require.LessOrEqual(t, len(c.node.calls()), c.calls, "%d %s", n, c.name)
	}
	require.Len(t, cursors, 3)
}

func TestSearchWithANodeThatLags(t *testing.T) {
	source := made(60, "a")
	var cursors []cursor
	_, err := finish(t, &cursors, 5, source)
	require.NoError(t, err)
	before := cursors[0]
	for _, known := range []int{0, 1, 10, 58} {
		_, err = finish(t, &cursors, 5, source.until(known))
		require.ErrorIs(t, err, errBehind)
		require.Equal(t, before, cursors[0])
	}
	got, err := finish(t, &cursors, 5, source)
	require.NoError(t, err)
	require.Empty(t, got)
}

// TestSearchOfARestartedChain checks that a chain that was restarted under its old name is read
// from its start.
func TestSearchOfARestartedChain(t *testing.T) {
	var cursors []cursor
	_, err := finish(t, &cursors, 5, made(60, "a"))
	require.NoError(t, err)
	restarted := made(60, "b")
	got, err := finish(t, &cursors, 5, restarted)
	require.NoError(t, err)
	require.Equal(t, restarted.spent(), got)
	// The same holds if its first transaction is the same.
	mixed := made(80, "c")
	mixed.txs[0] = restarted.txs[0]
	got, err = finish(t, &cursors, 5, mixed)
	require.NoError(t, err)
	require.Equal(t, mixed.spent(), got)
}

// TestSearchWithChangingNodes checks that a search never skips a transaction while nodes with
// different first transactions answer.
func TestSearchWithChangingNodes(t *testing.T) {
	archive := made(90, "a")
	pool := []*nodes{archive, archive.without(40), archive.until(88)}
	for seed := range 40 {
		state := uint32(seed)*2654435761 + 12345
		turn := func() *nodes {
			state = state*1664525 + 1013904223
			return pool[state>>24%3]
		}
		var cursors []cursor
		found := make(map[string]bool)
		for attempt := 0; ; attempt++ {
			require.Less(t, attempt, 300)
			s := &scan{query: spentByMe, size: 5, cursors: &cursors}
			var err error
			for err == nil && !s.done {
				var txs []node.Tx
				txs, err = s.next(t.Context(), turn())
				for _, tx := range txs {
					found[tx.Hash] = true
				}
			}
			// All transactions before a cursor must have been read.
			for _, l := range cursors {
				for _, node := range pool {
					if hashes := node.spent(); l.Count > 0 && len(hashes) > 0 && hashes[0] == l.First {
						for _, hash := range hashes[:min(l.Count, uint64(len(hashes)))] {
							require.True(t, found[hash], "seed %d", seed)
						}
					}
				}
			}
			if err == nil && len(found) == len(archive.spent()) {
				break
			}
			require.True(t, err == nil || errors.Is(err, errBehind) || errors.Is(err, errNodes), "%v", err)
		}
	}
}

func TestSearchRefusesInconsistentPages(t *testing.T) {
	for _, c := range []struct {
		name  string
		spoil func(*node.Found)
	}{
		{"another hash", func(f *node.Found) { f.Txs[1].Hash = f.Txs[0].Hash }},
		{"small letters", func(f *node.Found) { f.Txs[1].Hash = strings.ToLower(f.Txs[1].Hash) }},
		{"newest first", func(f *node.Found) { f.Txs[0], f.Txs[1] = f.Txs[1], f.Txs[0] }},
		{"one twice", func(f *node.Found) { f.Txs[1] = f.Txs[0] }},
		{"a short page", func(f *node.Found) { f.Txs = f.Txs[:4] }},
		{"none of many", func(f *node.Found) { f.Txs = nil }},
		{"a long page", func(f *node.Found) { f.Txs = append(f.Txs, made(40, "a").txs[39]) }},
		{"a total below", func(f *node.Found) { f.Total = 4 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var cursors []cursor
			s := &scan{query: spentByMe, size: 5, cursors: &cursors}
			_, err := s.next(t.Context(), spoiled{made(30, "a"), c.spoil})
			require.ErrorIs(t, err, errAnswer)
			require.Zero(t, s.cursor().Count)
		})
	}
	var cursors []cursor
	down := errors.New("down")
	source := made(30, "a")
	source.fail = func(string) error { return down }
	_, err := finish(t, &cursors, 5, source)
	require.ErrorIs(t, err, down)
}

// TestSearchWithoutTransactions checks nodes that report that there is no page 1, and nodes
// that return an empty one.
func TestSearchWithoutTransactions(t *testing.T) {
	source := spoiled{made(0, "a"), nil}
	var cursors []cursor
	got, err := finish(t, &cursors, 5, source)
	require.NoError(t, err)
	require.Empty(t, got)
	_, err = finish(t, &cursors, 5, made(30, "a"))
	require.NoError(t, err)
	_, err = finish(t, &cursors, 5, source)
	require.ErrorIs(t, err, errBehind)
}
