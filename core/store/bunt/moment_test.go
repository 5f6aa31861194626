package bunt

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
)

const (
	accounts = 400
	funds    = 10_000 // total of all accounts
)

// purse returns an account's row. Its size changes with each batch, so that pages are split and
// joined.
func purse(n, random int) string { return strconv.Itoa(n) + " " + strings.Repeat("-", random%700) }

// sumOfPurses returns the sum of the given accounts.
func sumOfPurses(data []string) (sum int, err error) {
	for _, d := range data {
		head, _, _ := strings.Cut(d, " ")
		n, err := strconv.Atoi(head)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return sum, nil
}

// TestReadsAreOfOneMoment moves funds between rows in many pages, removes empty accounts, and
// shrinks the file at the same time. Every Get and Scan must see the same total.
func TestReadsAreOfOneMoment(t *testing.T) {
	db, _, path := openDisk(t)
	keys := make([]string, accounts)
	for i := range keys {
		keys[i] = fmt.Sprintf("account/%s/%03d", strings.Repeat("x", i%90), i)
	}
	require.NoError(t, store.Apply(t.Context(), db, batch(keys[0], purse(funds, 0))))
	var done atomic.Bool
	var wg sync.WaitGroup
	reader := func(read func() ([]string, error)) {
		wg.Go(func() {
			// Under js, an endless reader would prevent the writer from running.
			for n := inShort(200, 20_000); n > 0 && !done.Load(); n-- {
				data, err := read()
				if err == nil {
					var sum int
					if sum, err = sumOfPurses(data); err == nil && sum != funds {
						err = fmt.Errorf("half a batch: %d of %d", sum, funds)
					}
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	reader(func() (data []string, err error) {
		values, err := db.Get(t.Context(), keys...)
		for i := range values {
			if values[i].Present {
				data = append(data, values[i].Data)
			}
		}
		return data, err
	})
	reader(func() (data []string, err error) {
		entries, err := db.Scan(t.Context(), "account/", "", accounts+1)
		for i := range entries {
			data = append(data, entries[i].Data)
		}
		return data, err
	})
	wg.Go(func() {
		for !done.Load() {
			if err := db.Shrink(t.Context()); err != nil {
				t.Error(err)
				return
			}
		}
	})
	want := moveFunds(t, db, keys, inShort(100, 400))
	done.Store(true)
	wg.Wait()
	require.Equal(t, want, dump(t, db))
	require.NoError(t, db.Close())
	require.Equal(t, want, dump(t, openPath(t, path)))
}

// moveFunds applies batches with a few moves each, and returns the final rows.
func moveFunds(t *testing.T, db *DB, keys []string, batches int) map[string]string {
	random := rand.New(rand.NewPCG(1, 2))
	held := make([]int, len(keys))
	held[0] = funds
	want := map[string]string{keys[0]: purse(funds, 0)}
	for range batches {
		var b store.Batch
		for range 1 + random.IntN(60) {
			from, to := random.IntN(len(keys)), random.IntN(len(keys))
			n := random.IntN(held[from] + 1)
			held[from] -= n
			held[to] += n
			for _, i := range []int{from, to} {
				if held[i] == 0 {
					b.Delete(keys[i])
					delete(want, keys[i])
					continue
				}
				want[keys[i]] = purse(held[i], random.IntN(700))
				b.Put(keys[i], want[keys[i]])
			}
		}
		_, err := db.Stage(t.Context(), b)
		require.NoError(t, err)
	}
	return want
}
