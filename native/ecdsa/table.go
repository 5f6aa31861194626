package ecdsa

import (
	"github.com/btcsuite/btcd/btcec/v2"
	"github.com/consensys/gnark-crypto/ecc/secp256k1/fp"
)

// A window is the number of bits in a digit of a table.
const (
	smallestWindow = 5
	maxPositions   = 128/smallestWindow + 1
)

// table holds d·2^(window·i)·P for each digit d above zero and each position i, so that a multiple of
// P is a sum of its points.
type table struct {
	window int
	points []affine // of position 0, then of position 1, and so on
}

func newTable(p *affine, window int) *table {
	bases := make([]jacobian, positions(window))
	bases[0].set(p)
	for i := 1; i < len(bases); i++ {
		bases[i] = bases[i-1]
		for range window {
			bases[i].double()
		}
	}
	points := make([]jacobian, 0, len(bases)<<(window-1))
	for _, base := range toAffine(bases) {
		var multiple jacobian
		for range 1 << (window - 1) {
			multiple.add(&base)
			points = append(points, multiple)
		}
	}
	return &table{window: window, points: toAffine(points)}
}

// addTo adds k times the table's point to a sum.
func (t *table) addTo(sum *extended, k *btcec.ModNScalar) {
	first, second := split(k)
	t.addHalf(sum, &first, false)
	t.addHalf(sum, &second, true)
}

func (t *table) addHalf(sum *extended, k *half, endomorphism bool) {
	var digits [maxPositions]int32
	k.digits(t.window, &digits)
	for i := range positions(t.window) {
		d := digits[i]
		if d == 0 {
			continue
		}
		p := t.points[i<<(t.window-1)+int(max(d, -d))-1].negate(d < 0)
		if endomorphism {
			p = p.endomorphism()
		}
		sum.add(&p)
	}
}

// ladderWindow is the number of bits in a digit for a key without a table.
const ladderWindow = 5

// multiply returns k times a point without a table.
func multiply(p *affine, k *btcec.ModNScalar) (product jacobian) {
	odd := oddMultiples(p)
	var turned [len(odd)]affine
	for i := range odd {
		turned[i] = odd[i].endomorphism()
	}
	first, second := split(k)
	var one, two [129]int8
	length := max(first.naf(ladderWindow, &one), second.naf(ladderWindow, &two))
	for i := length - 1; i >= 0; i-- {
		product.double()
		addDigit(&product, &odd, one[i])
		addDigit(&product, &turned, two[i])
	}
	return product
}

func addDigit(sum *jacobian, odd *[1 << (ladderWindow - 2)]affine, d int8) {
	if d != 0 {
		p := odd[max(d, -d)>>1].negate(d < 0)
		sum.add(&p)
	}
}

// oddMultiples returns p, 3p, 5p and so on. It adds them on the curve on which 2p has the
// coordinate z = 1, because adding 2p is faster there.
func oddMultiples(p *affine) [1 << (ladderWindow - 2)]affine {
	var multiples [1 << (ladderWindow - 2)]jacobian
	var twice jacobian
	twice.set(p)
	twice.double()
	step := affine{twice.x, twice.y}
	var power fp.Element
	multiples[0].set(p)
	power.Square(&twice.z)
	multiples[0].x.Mul(&p.x, &power)
	power.Mul(&power, &twice.z)
	multiples[0].y.Mul(&p.y, &power)
	for i := 1; i < len(multiples); i++ {
		multiples[i] = multiples[i-1]
		multiples[i].add(&step)
	}
	for i := range multiples {
		multiples[i].z.Mul(&multiples[i].z, &twice.z)
	}
	return [1 << (ladderWindow - 2)]affine(toAffine(multiples[:]))
}
