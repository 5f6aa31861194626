package wallet

import (
	"cmp"
	"slices"
)

// subsetTries is the number of subsets that are tried.
const subsetTries = 1000

// bestSubset returns coins with a sum of at least target. It returns the smallest sum of
// several tries [komodod wallet/wallet.cpp ApproximateBestSubset]. komodod tries random
// subsets; here the choice depends only on the coins.
func bestSubset(coins []Coin, sum, target int64) []Coin {
	sorted := slices.Clone(coins)
	slices.SortStableFunc(sorted, func(a, b Coin) int { return cmp.Compare(b.Value, a.Value) })
	best, total := sorted, sum
	random := scramble(uint64(target) ^ uint64(sum)<<1)
	for try := 0; try < subsetTries && total != target; try++ {
		included := make([]bool, len(sorted))
		var with int64
		reached := false
		for pass := 0; pass < 2 && !reached; pass++ {
			for i := range sorted {
				if pass == 0 && random.next()&1 == 0 || pass == 1 && included[i] {
					continue
				}
				with += sorted[i].Value
				included[i] = true
				if with < target {
					continue
				}
				reached = true
				if with < total {
					total, best = with, pickIncluded(sorted, included)
				}
				with -= sorted[i].Value
				included[i] = false
			}
		}
	}
	return best
}

func pickIncluded(coins []Coin, included []bool) (picked []Coin) {
	for i, is := range included {
		if is {
			picked = append(picked, coins[i])
		}
	}
	return picked
}

// scramble generates evenly distributed numbers (xorshift64*). They need not be unpredictable.
type scramble uint64

func (s *scramble) next() uint64 {
	x := uint64(*s) | 1<<63
	x ^= x >> 12
	x ^= x << 25
	x ^= x >> 27
	*s = scramble(x)
	return x * 0x2545F4914F6CDD1D >> 33
}
