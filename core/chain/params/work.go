package params

import (
	"math/big"
	"slices"

	"obverse/core/chain/wire"
)

// WorkLimitBits encodes the easiest target. The first 17 blocks have this target.
const WorkLimitBits = 0x200f0f0f

const (
	averagingWindow = 17 // in blocks
	medianSpan      = 11 // in blocks
)

// WorkWindow is the number of preceding blocks that determine a block's bits.
const WorkWindow = averagingWindow + medianSpan

// Target returns the number encoded by a compact form, and whether it is a valid target:
// positive and below 2^256 (arith_uint256::SetCompact).
func Target(bits uint32) (target *big.Int, valid bool) {
	size, mantissa := uint(bits>>24), bits&0x7fffff
	target = big.NewInt(int64(mantissa))
	if size <= 3 {
		target.Rsh(target, 8*(3-size))
	} else {
		target.Lsh(target, 8*(size-3))
	}
	negative := bits&0x800000 != 0
	return target, !negative && target.Sign() > 0 && target.BitLen() <= 256
}

// Compact returns the compact form of a positive number, which drops the low digits
// (arith_uint256::GetCompact).
func Compact(target *big.Int) uint32 {
	size := uint32(target.BitLen()+7) / 8
	top := new(big.Int).Set(target)
	if size <= 3 {
		top.Lsh(top, uint(8*(3-size)))
	} else {
		top.Rsh(top, uint(8*(size-3)))
	}
	mantissa := uint32(top.Uint64())
	if mantissa&0x800000 != 0 { // the bit would be read as a sign
		mantissa >>= 8
		size++
	}
	return size<<24 | mantissa
}

// Work returns the expected number of hashes for a block with the given bits, which is its
// weight in the choice between branches: 2^256 / (target + 1), or 0 for an invalid target
// (GetBlockProof).
func Work(bits uint32) *big.Int {
	target, valid := Target(bits)
	if !valid {
		return new(big.Int)
	}
	space := new(big.Int).Lsh(big.NewInt(1), 256)
	return space.Div(space, target.Add(target, big.NewInt(1)))
}

// workLimit returns the exact value of the easiest target. WorkLimitBits encodes only its
// leading digits.
func workLimit() *big.Int {
	return new(big.Int).SetBytes(slices.Repeat([]byte{0x0f}, len(wire.Hash{})))
}

// Stamp holds the fields of a block that the difficulty rule uses.
type Stamp struct{ Time, Bits uint32 }

// MedianTime returns the median of the times of the last 11 blocks, or of all blocks if there
// are fewer.
func MedianTime(blocks []Stamp) uint32 {
	var times []uint32
	for _, block := range blocks[max(0, len(blocks)-medianSpan):] {
		times = append(times, block.Time)
		for i := len(times) - 1; i > 0 && times[i] < times[i-1]; i-- { // insertion sort: slices.Sort would add 3 kB to a page
			times[i], times[i-1] = times[i-1], times[i]
		}
	}
	return times[len(times)/2]
}

// NextBits returns the bits of the block that follows the given ones: the last WorkWindow
// blocks in height order, or all blocks including genesis if there are fewer
// (GetNextWorkRequired).
func (p *Params) NextBits(before []Stamp) uint32 {
	first := len(before) - averagingWindow - 1
	if first < 0 {
		return WorkLimitBits
	}
	total := new(big.Int)
	for _, block := range before[first+1:] {
		target, _ := Target(block.Bits)
		total.Add(total, target)
	}
	passed := int64(MedianTime(before)) - int64(MedianTime(before[:first+1]))
	goal, allowed := p.timespan(passed)

	target := total.Div(total, big.NewInt(averagingWindow))
	target.Div(target, big.NewInt(goal))
	target.Mul(target, big.NewInt(allowed))
	if limit := workLimit(); target.Cmp(limit) > 0 {
		target = limit
	}
	return Compact(target)
}

// timespan returns the target timespan of the window, and the actual one after damping and
// limiting, in seconds. On regtest, both are equal.
func (p *Params) timespan(passed int64) (goal, allowed int64) {
	goal = averagingWindow * p.Spacing
	if p.Regtest {
		return goal, goal
	}
	damped := goal + (passed-goal)/4
	return goal, min(max(damped, goal*84/100), goal*132/100)
}
