package nft

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/nft/nfttest"
)

const manyNFTs = 10_000

// many returns count NFTs with typical metadata.
func many(count int) []nfttest.Item {
	items := make([]nfttest.Item, count)
	for n := range items {
		items[n] = smurf(fmt.Sprint(n)).With("block_number", fmt.Sprint(n), "name", "Smurfs", "symbol", "SMF", "token_uri", fmt.Sprintf("https://smurfs.example/metadata/%d", n),
			"metadata", fmt.Sprintf(`{"name":"Forest Mushrooms #%d","description":"Sweet and nutty with distinct earthy tones, these forest mushrooms will make a fine addition to all your soups.","image":"https://images.example/%d.jpg","external_url":"https://app.example/%d","attributes":[{"trait_type":"Type","value":"Ingredient"},{"trait_type":"Category","value":"COMMON"}]}`, n, n, n))
	}
	return items
}

// TestManyNFTs lists 10,000 NFTs, or a tenth of them in a short run, in pages of 100. It checks
// that all are stored and listed, newest first.
func TestManyNFTs(t *testing.T) {
	count := manyNFTs
	if testing.Short() {
		count /= 10
	}
	b := newBench(t)
	done := b.polygon(t, many(count)...)
	require.Len(t, done.NFTs, count)
	require.Len(t, b.world.Requests(), count/100)
	l, err := b.List(t.Context(), Query{Chains: []Chain{Polygon}, Limit: 10, Page: count / 10})
	require.NoError(t, err)
	require.Equal(t, count, l.Total)
	require.Len(t, l.NFTs, 10)
	require.Equal(t, "0", l.NFTs[9].ID)
	require.NoError(t, b.Refresh(t.Context(), five, services()))
}

func heapInUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// BenchmarkActivateMany reads 10,000 NFTs in 100 pages and stores them. It reports the memory
// in use at the end, including that of the store, which is in memory.
func BenchmarkActivateMany(b *testing.B) {
	items := many(manyNFTs)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		bench := newBench(b)
		bench.world.Hold("POLYGON", wallet, items...)
		bench.addPlatform(b, "MATIC", checksumWallet)
		before := heapInUse()
		b.StartTimer()
		_, err := bench.Activate(b.Context(), "NFT_MATIC", indexer())
		b.StopTimer()
		require.NoError(b, err)
		b.ReportMetric(float64(heapInUse()-before)/(1<<20), "MB-held")
		b.StartTimer()
	}
}

func benchmarkList(b *testing.B, q Query) {
	bench := newBench(b)
	bench.polygon(b, many(manyNFTs)...)
	b.ReportAllocs()
	for b.Loop() {
		l, err := bench.List(b.Context(), q)
		require.NoError(b, err)
		require.Equal(b, manyNFTs, l.Total)
	}
}

func BenchmarkListPage(b *testing.B) {
	benchmarkList(b, Query{Chains: []Chain{Polygon}, Limit: 10, Page: 500, Protect: true})
}

func BenchmarkListFiltered(b *testing.B) {
	benchmarkList(b, Query{Chains: []Chain{Polygon}, Limit: 10, Page: 500, ExcludeSpam: true})
}

func BenchmarkListAll(b *testing.B) {
	benchmarkList(b, Query{Chains: []Chain{Polygon}, Max: true, Protect: true})
}

func BenchmarkRefreshOfMany(b *testing.B) {
	bench := newBench(b)
	bench.polygon(b, many(manyNFTs)...)
	for b.Loop() {
		require.NoError(b, bench.Refresh(b.Context(), five, services()))
	}
}
