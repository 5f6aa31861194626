package ecdsa

import (
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/script"
)

// comparisons returns the number of signatures that TestDifference passes to both verifiers. make
// soak sets it in OBVERSE_SIGNATURES.
func comparisons(t *testing.T) int {
	if s := os.Getenv("OBVERSE_SIGNATURES"); s != "" {
		n, err := strconv.Atoi(s)
		require.NoError(t, err)
		return n
	}
	if testing.Short() {
		return 4_000
	}
	return 20_000
}

// TestDifference compares the results with btcec's, for valid signatures and for signatures with
// one invalid field.
func TestDifference(t *testing.T) {
	total, seed := comparisons(t), rand.Uint64()
	v, reference := New(), script.NewECDSA()
	keys := newSigners(rand.New(rand.NewPCG(seed, 0)), 2016)
	var done, valid, differences atomic.Int64
	counts := make([]atomic.Int64, len(kinds))
	var group sync.WaitGroup
	for worker := range runtime.GOMAXPROCS(0) {
		group.Go(func() {
			g := &generator{Rand: rand.New(rand.NewPCG(seed, uint64(worker)+1)), keys: keys}
			for n := done.Add(1); n <= int64(total) && differences.Load() < 10; n = done.Add(1) {
				if n%1_000_000 == 0 {
					t.Logf("%d signatures, %d differences", n, differences.Load())
				}
				kind := max(0, g.IntN(len(kinds)*3/2)-len(kinds)/2) // a third of them are valid
				c := kinds[kind].make(g)
				counts[kind].Add(1)
				got, want := v.Verify(c.pub, &c.hash, &c.r, &c.s), reference(c.pub, &c.hash, &c.r, &c.s)
				if want {
					valid.Add(1)
				}
				if expected := kinds[kind].valid; got != want || expected != either && want != (expected == always) {
					differences.Add(1)
					t.Errorf("%s: %t, btcec %t: key %x hash %x r %x s %x", kinds[kind].name, got, want, c.pub, c.hash, c.r, c.s)
				}
			}
		})
	}
	group.Wait()
	t.Logf("%d signatures, %d of them valid, %d differences, seed %d", total, valid.Load(), differences.Load(), seed)
	for i := range kinds {
		t.Logf("%9d %s", counts[i].Load(), kinds[i].name)
		require.NotZero(t, counts[i].Load(), kinds[i].name)
	}
	tabled := 0
	for _, k := range v.keys.all.keys {
		if k.table.Load() != nil {
			tabled++
		}
	}
	t.Logf("%d keys kept, %d tables", len(v.keys.all.keys), tabled)
	require.NotZero(t, tabled)
}
