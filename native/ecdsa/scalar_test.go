package ecdsa

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/stretchr/testify/require"
)

func (h *half) number() *big.Int {
	n := new(big.Int).SetUint64(h.hi)
	n.Lsh(n, 64).Or(n, new(big.Int).SetUint64(h.lo))
	if h.negative {
		n.Neg(n)
	}
	return n
}

func TestSplit(t *testing.T) {
	g := &generator{Rand: rand.New(rand.NewPCG(1, 2))}
	n, l := btcec.S256().N, lambda.Bytes()
	for range 20_000 {
		b := g.edge()
		var k btcec.ModNScalar
		k.SetBytes(&b)
		first, second := split(&k)
		sum := new(big.Int).Mul(second.number(), number(&l))
		sum.Add(sum, first.number()).Mod(sum, n)
		b = k.Bytes()
		require.Zero(t, sum.Cmp(number(&b)), "%x", b)
	}
}

func TestDigits(t *testing.T) {
	g := &generator{Rand: rand.New(rand.NewPCG(3, 4))}
	for i := range 5_000 {
		h := half{lo: g.Uint64(), hi: g.Uint64(), negative: i%2 == 0}
		if i < 100 {
			h.lo, h.hi = ^uint64(0), ^uint64(0)<<i
		}
		for window := smallestWindow; window <= 12; window++ {
			var digits [maxPositions]int32
			h.digits(window, &digits)
			sum := new(big.Int)
			for i := positions(window) - 1; i >= 0; i-- {
				require.LessOrEqual(t, max(digits[i], -digits[i]), int32(1)<<(window-1))
				sum.Lsh(sum, uint(window)).Add(sum, big.NewInt(int64(digits[i])))
			}
			require.Zero(t, sum.Cmp(h.number()), "window %d: %+v", window, h)
		}
		var naf [129]int8
		length, sum := h.naf(ladderWindow, &naf), new(big.Int)
		for i := len(naf) - 1; i >= 0; i-- {
			require.True(t, naf[i] == 0 || naf[i]%2 != 0 && i < length && max(naf[i], -naf[i]) < 1<<(ladderWindow-1))
			sum.Lsh(sum, 1).Add(sum, big.NewInt(int64(naf[i])))
		}
		require.Zero(t, sum.Cmp(h.number()), "%+v", h)
	}
}
