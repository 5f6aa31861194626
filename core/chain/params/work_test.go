package params_test

import (
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/params"
)

func fromHex(t testing.TB, s string) *big.Int {
	n, ok := new(big.Int).SetString(s, 16)
	require.True(t, ok)
	return n
}

// TestTarget uses cases of bitcoin's arith_uint256 tests. The fourth column is the result of
// Compact for the decoded number.
func TestTarget(t *testing.T) {
	for _, c := range []struct {
		bits   uint32
		target string
		valid  bool
		again  uint32
	}{
		{0x00000000, "0", false, 0},
		{0x00123456, "0", false, 0},
		{0x01003456, "0", false, 0},
		{0x02000056, "0", false, 0},
		{0x01123456, "12", true, 0x01120000},
		{0x02123456, "1234", true, 0x02123400},
		{0x03123456, "123456", true, 0x03123456},
		{0x04123456, "12345600", true, 0x04123456},
		{0x02008000, "80", true, 0x02008000},
		{0x05009234, "92340000", true, 0x05009234},
		{0x04923456, "12345600", false, 0x04123456}, // negative
		{0x20123456, "123456" + strings.Repeat("0", 58), true, 0x20123456},
		{0x200f0f0f, "0f0f0f" + strings.Repeat("0", 58), true, 0x200f0f0f},
		{0x1d00ffff, "ffff" + strings.Repeat("0", 52), true, 0x1d00ffff},
		{0x22000012, "12" + strings.Repeat("0", 62), true, 0x20120000},
		{0xff123456, "", false, 0}, // exceeds 256 bits
		{0x21012345, "12345" + strings.Repeat("0", 60), false, 0},
	} {
		target, valid := params.Target(c.bits)
		require.Equal(t, c.valid, valid, "%08x", c.bits)
		if c.target != "" {
			require.Zero(t, fromHex(t, c.target).Cmp(target), "%08x is %x", c.bits, target)
		}
		if c.again != 0 || c.target == "0" {
			require.Equal(t, c.again, params.Compact(target), "%08x", c.bits)
		}
	}
}

func TestWork(t *testing.T) {
	for bits, want := range map[uint32]string{
		params.WorkLimitBits: "17", // recorded as the chain work of the genesis block
		0x1d00ffff:           "4295032833",
		0x1f00ffff:           "65537",
		0x01010000:           "57896044618658097711785492504343953926634992332820282019728792003956564819968",
		0:                    "0",
		0x04923456:           "0",
		0xff123456:           "0",
	} {
		require.Equal(t, want, params.Work(bits).String(), "%08x", bits)
	}
}

func FuzzCompact(f *testing.F) {
	f.Add(uint32(params.WorkLimitBits))
	f.Add(uint32(0x02008000))
	f.Fuzz(func(t *testing.T, bits uint32) {
		target, valid := params.Target(bits)
		if !valid {
			require.Zero(t, params.Work(bits).Sign())
			return
		}
		again, validAgain := params.Target(params.Compact(target))
		require.True(t, validAgain)
		require.Zero(t, target.Cmp(again))
		require.Positive(t, params.Work(bits).Sign())
	})
}

// stamps returns n blocks with equal bits. Their times are the given number of seconds apart.
func stamps(n int, seconds, bits uint32) (blocks []params.Stamp) {
	for i := range n {
		blocks = append(blocks, params.Stamp{Time: 1_600_000_000 + uint32(i)*seconds, Bits: bits})
	}
	return blocks
}

// TestNextBits compares with values that were computed independently. The recordings contain
// only regtest chains, so only this test covers the adjustment.
func TestNextBits(t *testing.T) {
	const limit, hard = params.WorkLimitBits, 0x1f00ffff
	for _, c := range []struct {
		name, args string
		blocks     []params.Stamp
		want       uint32
	}{
		{"after genesis", "", stamps(1, 60, hard), limit},
		{"too few blocks", "", stamps(17, 60, hard), limit},
		{"enough blocks", "", stamps(18, 0, hard), 0x1f00d6d6},
		{"on pace", "", stamps(28, 60, hard), 0x1f00ffff},
		{"on pace at the limit", "", stamps(28, 60, limit), 0x200f0f0e},
		{"much too fast", "", stamps(28, 0, hard), 0x1f00d6d6},
		{"much too fast at the limit", "", stamps(28, 0, limit), 0x200ca339},
		{"much too slow", "", stamps(28, 6000, hard), 0x1f0151d0},
		{"much too slow at the limit", "", stamps(28, 6000, limit), limit},
		{"longer blocks, on pace", "-ac_blocktime=150", stamps(28, 150, hard), 0x1f00fffe},
		{"regtest does not adjust", "-regtest", stamps(28, 0, limit), 0x200f0f0e},
		{"regtest, slow", "-regtest", stamps(28, 6000, hard), 0x1f00fffe},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, chain(t, c.args).NextBits(c.blocks))
			earlier := append([]params.Stamp{{Time: 1, Bits: 0x1d00ffff}}, c.blocks...)
			if len(c.blocks) == params.WorkWindow {
				require.Equal(t, c.want, chain(t, c.args).NextBits(earlier), "blocks before the window do not count")
			}
		})
	}
}

// TestNextBitsDamps checks that the time of the window is the time between medians, here 900
// seconds instead of 1020, and that a quarter of the difference counts, rounded towards the
// target.
func TestNextBitsDamps(t *testing.T) {
	for passed, want := range map[uint32]uint32{900: 0x1f00f877, 901: 0x1f00f8b7} {
		blocks := stamps(28, 0, 0x1f00ffff)
		for i := len(blocks) - 6; i < len(blocks); i++ {
			blocks[i].Time += passed
		}
		require.Equal(t, want, chain(t, "").NextBits(blocks))
		blocks[len(blocks)-6].Time -= passed // five of eleven times do not move the median
		require.Equal(t, uint32(0x1f00d6d6), chain(t, "").NextBits(blocks))
	}
}

// TestNextBitsAverages checks that one block with other bits in the window changes the average
// by one 17th.
func TestNextBitsAverages(t *testing.T) {
	for _, i := range []int{28 - 17, 27} {
		blocks := stamps(28, 60, 0x1f00ffff)
		blocks[i].Bits = 0x1f01fffe
		require.Equal(t, uint32(0x1f010f0d), chain(t, "").NextBits(blocks))
	}
	blocks := stamps(28, 60, 0x1f00ffff)
	blocks[28-18].Bits = 0x1f01fffe
	require.Equal(t, uint32(0x1f00ffff), chain(t, "").NextBits(blocks), "before the window")
}

func TestMedianTime(t *testing.T) {
	times := func(ts ...uint32) (blocks []params.Stamp) {
		for _, time := range ts {
			blocks = append(blocks, params.Stamp{Time: time})
		}
		return blocks
	}
	for _, c := range []struct {
		blocks []params.Stamp
		want   uint32
	}{
		{times(5), 5},
		{times(5, 9), 9},
		{times(9, 5), 9},
		{times(9, 5, 1), 5},
		{times(11, 1, 10, 2, 9, 3, 8, 4, 7, 5, 6), 6},
		{times(100, 100, 100, 11, 1, 10, 2, 9, 3, 8, 4, 7, 5, 6), 6},
	} {
		require.Equal(t, c.want, params.MedianTime(c.blocks))
	}
}
