package bunt

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
)

// BenchmarkApplyParallel measures durable batches of four keys from many goroutines.
func BenchmarkApplyParallel(b *testing.B) {
	db, disk, _ := openDisk(b)
	var next atomic.Int64
	before := disk.syncs.Load()
	b.SetParallelism(64)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			key := fmt.Sprintf("tx/%d", next.Add(1))
			err := store.Apply(b.Context(), db, batch(key, "300 bytes or so", key+"/a", "1", key+"/b", "2", "tip", key))
			if err != nil {
				b.Error(err)
				return
			}
		}
	})
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "ops/s")
	b.ReportMetric(float64(disk.syncs.Load()-before)/float64(b.N), "fsyncs/op")
}

// BenchmarkStage measures a guarded batch without waiting for the disk.
func BenchmarkStage(b *testing.B) {
	db, _, _ := openDisk(b)
	change := batch("a", "1", "b", "2", "c", "3")
	change.ExpectAbsent("x")
	b.ReportAllocs()
	for b.Loop() {
		_, err := db.Stage(b.Context(), change)
		require.NoError(b, err)
	}
}

func filled(b *testing.B) *DB {
	db := openPath(b, Memory)
	var all store.Batch
	for i := range 100_000 {
		all.Put(fmt.Sprintf("k/%06d", i), "data")
	}
	require.NoError(b, store.Apply(b.Context(), db, all))
	return db
}

func BenchmarkGet(b *testing.B) {
	db := filled(b)
	b.ReportAllocs()
	for b.Loop() {
		_, err := db.Get(b.Context(), "k/077777")
		require.NoError(b, err)
	}
}

func BenchmarkScan(b *testing.B) {
	db := filled(b)
	b.ReportAllocs()
	for b.Loop() {
		entries, err := db.Scan(b.Context(), "k/", "k/050000", 100)
		require.NoError(b, err)
		require.Len(b, entries, 100)
	}
}

// filledAsChain returns a store with rows of the sizes that a chain has: ten for each of 5,000
// addresses, whose prefixes it returns, and as many coins, whose keys it returns.
func filledAsChain(b *testing.B) (db *DB, coins, addresses []string) {
	db = openPath(b, Memory)
	var all store.Batch
	for i := range 50_000 {
		id := sha256.Sum256(fmt.Append(nil, i))
		coins = append(coins, "c"+string(id[:])+"\x00\x00\x00\x00")
		all.Put(coins[i], strings.Repeat("x", 64))
		if i%10 == 0 {
			addresses = append(addresses, "u"+string(id[:20]))
		}
		all.Put(addresses[i/10]+string(id[:])+"\x00\x00\x00\x00", "8 bytes.")
	}
	require.NoError(b, store.Apply(b.Context(), db, all))
	return db, coins, addresses
}

func BenchmarkGetCoin(b *testing.B) {
	db, coins, _ := filledAsChain(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		values, err := db.Get(b.Context(), coins[i%len(coins)])
		if err != nil || !values[0].Present {
			b.Fatal(values, err)
		}
	}
}

func BenchmarkScanAddress(b *testing.B) {
	db, _, addresses := filledAsChain(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		entries, err := db.Scan(b.Context(), addresses[i%len(addresses)], "", 100)
		if err != nil || len(entries) != 10 {
			b.Fatal(len(entries), err)
		}
	}
}
