package ecdsa

import (
	"encoding/binary"
	"math/bits"

	"github.com/btcsuite/btcd/btcec/v2"
)

// half is a scalar of at most 128 bits with a sign.
type half struct {
	lo, hi   uint64
	negative bool
}

// Constants of the split: n is the order, λ the endomorphism's eigenvalue, and (a1, b1) and
// (a2, b2) are short vectors with a + bλ = 0 mod n. The words begin with the lowest.
var (
	a1      = [2]uint64{0xe86c90e49284eb15, 0x3086d221a7d46bcd}    // also b2
	minusB1 = [2]uint64{0x6f547fa90abfe4c3, 0xe4437ed6010e8828}    // -b1
	a2      = [3]uint64{0x57c1108d9d44cfd8, 0x14ca50f7a8e2f3f6, 1} // a1 - b1
	// round(2^384 · b2 / n) and round(2^384 · -b1 / n).
	g1 = [4]uint64{0xe893209a45dbb031, 0x3daa8a1471e8ca7f, 0xe86c90e49284eb15, 0x3086d221a7d46bcd}
	g2 = [4]uint64{0x1571b4ae8ac47f71, 0x221208ac9df506c6, 0x6f547fa90abfe4c4, 0xe4437ed6010e8828}
)

// split finds two halves with k = first + second·λ mod n.
func split(k *btcec.ModNScalar) (first, second half) {
	b := k.Bytes()
	var w [4]uint64
	for i := range w {
		w[i] = binary.BigEndian.Uint64(b[24-8*i:])
	}
	c1, c2 := highRounded(&w, &g1), highRounded(&w, &g2)
	// The results have 129 bits with their signs, so 192 bits are enough for the calculation.
	one := [3]uint64{w[0], w[1], w[2]}
	one = sub(one, mulLow(c1, [3]uint64{a1[0], a1[1]}))
	one = sub(one, mulLow(c2, a2))
	two := mulLow(c1, [3]uint64{minusB1[0], minusB1[1]})
	two = sub(two, mulLow(c2, [3]uint64{a1[0], a1[1]}))
	return newHalf(one), newHalf(two)
}

// newHalf converts a number in two's complement.
func newHalf(w [3]uint64) half {
	if int64(w[2]) >= 0 {
		return half{lo: w[0], hi: w[1]}
	}
	w = sub([3]uint64{}, w)
	return half{lo: w[0], hi: w[1], negative: true}
}

// highRounded returns round(a·b / 2^384).
func highRounded(a, b *[4]uint64) [2]uint64 {
	var p [8]uint64
	for i := range a {
		var carry uint64
		for j := range b {
			hi, lo := bits.Mul64(a[i], b[j])
			var c uint64
			lo, c = bits.Add64(lo, carry, 0)
			hi += c
			p[i+j], c = bits.Add64(p[i+j], lo, 0)
			carry = hi + c
		}
		p[i+4] = carry
	}
	lo, c := bits.Add64(p[6], p[5]>>63, 0)
	return [2]uint64{lo, p[7] + c}
}

// mulLow returns a·b mod 2^192.
func mulLow(a [2]uint64, b [3]uint64) (p [3]uint64) {
	h00, l00 := bits.Mul64(a[0], b[0])
	h01, l01 := bits.Mul64(a[0], b[1])
	h10, l10 := bits.Mul64(a[1], b[0])
	var c uint64
	p[0] = l00
	p[1], c = bits.Add64(h00, l01, 0)
	p[2] = h01 + c
	p[1], c = bits.Add64(p[1], l10, 0)
	p[2] += h10 + c + a[0]*b[2] + a[1]*b[1]
	return p
}

func sub(a, b [3]uint64) (d [3]uint64) {
	var c uint64
	d[0], c = bits.Sub64(a[0], b[0], 0)
	d[1], c = bits.Sub64(a[1], b[1], c)
	d[2], _ = bits.Sub64(a[2], b[2], c)
	return d
}

// bitsAt returns n bits from a position on; n is below 64.
func (h *half) bitsAt(place, n int) uint64 {
	var w uint64
	switch {
	case place >= 128:
		return 0
	case place >= 64:
		w = h.hi >> (place - 64)
	case place == 0:
		w = h.lo
	default:
		w = h.lo>>place | h.hi<<(64-place)
	}
	return w & (1<<n - 1)
}

// digits writes the digits of a half in base 2^window, from -2^(window-1) to 2^(window-1),
// lowest first. There are positions(window) of them.
func (h *half) digits(window int, out *[maxPositions]int32) {
	carry := uint64(0)
	for i := range positions(window) {
		d := h.bitsAt(i*window, window) + carry
		carry = (d + 1<<(window-1) - 1) >> window // d above 2^(window-1)
		out[i] = int32(d) - int32(carry)<<window
		if h.negative {
			out[i] = -out[i]
		}
	}
}

// positions returns the number of digits of a half, including one for a carry.
func positions(window int) int { return 128/window + 1 }

// naf writes the window non-adjacent form of a half: odd digits with an absolute value below
// 2^(window-1), with at least window-1 zeros between them.
func (h *half) naf(window int, out *[129]int8) (length int) {
	carry := uint64(0)
	for place := 0; place <= 128; {
		if h.bitsAt(place, 1) == carry {
			place++
			continue
		}
		d := int(h.bitsAt(place, window)+carry) & (1<<window - 1)
		carry = uint64(d>>(window-1)) & 1
		d -= int(carry) << window
		if h.negative {
			d = -d
		}
		out[place] = int8(d)
		length = place + 1
		place += window
	}
	return length
}
