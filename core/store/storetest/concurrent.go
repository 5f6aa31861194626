package storetest

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
)

// reportFailure fails the test from a goroutine, which must then return.
func reportFailure(t *testing.T, err error) bool {
	t.Error(err)
	return false
}

// testCounters increments shared counters from several goroutines, using guards. No increment
// may be lost, and none may happen without the other half of its batch.
func testCounters(t *testing.T, kv store.KV) {
	const workers, each = 8, 25
	var wg sync.WaitGroup
	for worker := range workers {
		wg.Go(func() {
			for i := range each {
				if !addOne(t, kv, fmt.Sprintf("done/%d/%d", worker, i)) {
					return
				}
			}
		})
	}
	wg.Wait()
	requireValue(t, kv, "counter", present(strconv.Itoa(workers*each)))
	entries, err := kv.Scan(t.Context(), "done/", "", workers*each+1)
	require.NoError(t, err)
	require.Len(t, entries, workers*each)
}

// addOne increments the counter and sets a mark, and retries until it succeeds.
func addOne(t *testing.T, kv store.KV, mark string) bool {
	for {
		values, err := kv.Get(t.Context(), "counter")
		if err != nil {
			return reportFailure(t, err)
		}
		n, _ := strconv.Atoi(values[0].Data)
		b := store.Batch{Guards: []store.Guard{{Key: "counter", Want: values[0]}}}
		b.Put(mark, "")
		b.Put("counter", strconv.Itoa(n+1))
		switch err := store.Apply(t.Context(), kv, b); {
		case err == nil:
			return true
		case !errors.Is(err, store.ErrConflict):
			return reportFailure(t, err)
		}
	}
}

// testWholeBatches reads two keys, which are always changed together, with Get and with Scan.
func testWholeBatches(t *testing.T, kv store.KV) {
	put(t, kv, "x/1", "0", "x/2", "0")
	var wg sync.WaitGroup
	for range 4 {
		// The number of reads is fixed because, under js, an endless reader would block the
		// event loop and thereby the writer.
		wg.Go(func() {
			for i := 0; i < 1000 && readPair(t, kv); i++ {
				runtime.Gosched()
			}
		})
	}
	for i := range 300 {
		var b store.Batch
		data := strconv.Itoa(i)
		b.Put("x/1", data)
		b.Put("x/2", data)
		_, err := kv.Stage(t.Context(), b)
		require.NoError(t, err)
		requireValue(t, kv, "x/1", present(data))
		runtime.Gosched()
	}
	wg.Wait()
}

// readPair reports whether both keys have the same data. Otherwise it fails the test.
func readPair(t *testing.T, kv store.KV) bool {
	values, err := kv.Get(t.Context(), "x/1", "x/2")
	if err != nil {
		return reportFailure(t, err)
	}
	entries, err := kv.Scan(t.Context(), "x/", "", 10)
	if err != nil {
		return reportFailure(t, err)
	}
	if len(entries) != 2 || entries[0].Data != entries[1].Data || values[0] != values[1] {
		return reportFailure(t, fmt.Errorf("half a batch: %v %v", values, entries))
	}
	return true
}
