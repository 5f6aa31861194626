package params_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSubsidy(t *testing.T) {
	const falling = "-ac_reward=1000 -ac_end=100 -ac_halving=10 -ac_decay=100000000"
	const fallingTo400 = "-ac_eras=2 -ac_reward=1000,400 -ac_end=100,0 -ac_halving=10,0 -ac_decay=100000000,0"
	const rising = "-ac_eras=2 -ac_reward=0,384 -ac_end=1440,0 -ac_halving=1,0 -ac_decay=100000000,0"
	for _, c := range []struct {
		name, args string
		height     int
		want       int64
	}{
		{"neither reward nor end", "", 2, 10000},
		{"an end alone", "-ac_end=5", 2, 0},
		{"a reward", "-ac_reward=300", 1_000_000, 300},
		{"before the end", "-ac_reward=300 -ac_end=30", 29, 300},
		{"at the end", "-ac_reward=300 -ac_end=30", 30, 0},
		{"before a halving", "-ac_reward=301 -ac_halving=20", 19, 301},
		{"a halving", "-ac_reward=301 -ac_halving=20", 20, 150},
		{"64 halvings", "-ac_reward=301 -ac_halving=20", 64 * 20, 0},
		{"decay", "-ac_reward=1000 -ac_halving=20 -ac_decay=33333333", 20, 333},
		{"decay rounds at each step", "-ac_reward=1000 -ac_halving=20 -ac_decay=33333333", 40, 110},
		{"decay without halving", "-ac_reward=1000 -ac_decay=50000000", 1000, 1000},
		{"full decay without end", "-ac_reward=1000 -ac_halving=20 -ac_decay=100000000", 1 << 30, 1000},
		{"full decay without halving", "-ac_reward=1000 -ac_end=50 -ac_decay=100000000", 49, 1000},
		{"linear, first step", falling, 9, 1000},
		{"linear, second step", falling, 10, 900},
		{"linear, same step", falling, 19, 900},
		{"linear, last step", falling, 99, 100},
		{"linear, over", falling, 100, 0},
		{"linear to the next era", fallingTo400, 50, 700},
		{"the next era", fallingTo400, 100, 400},
		{"rising to the next era", rising, 720, 192},
		{"rising, rounded down", rising, 1439, 383},
		{"an era counts halvings from its start", "-ac_eras=2 -ac_reward=5,80 -ac_end=30,0 -ac_halving=0,10", 49, 40},
		{"all eras over", "-ac_eras=2 -ac_reward=5,80 -ac_end=30,40", 40, 0},
		{"an era without reward", "-ac_eras=2 -ac_reward=0,80 -ac_end=30,0", 29, 0},
		{"the last value of a list goes on", "-ac_eras=3 -ac_reward=5,80 -ac_end=30,40,50", 45, 80},
		{"two rewards in one era", "-ac_reward=5,80", 1000, 5},
		{"a first era without end lasts", "-ac_eras=2 -ac_reward=5,80 -ac_end=0,40", 39, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, chain(t, c.args).Subsidy(c.height))
		})
	}
}

func TestPremine(t *testing.T) {
	for _, c := range []struct {
		name, args string
		height     int
		coins      int64 // premined in this block
		reward     int64 // in addition to the premine
		marked     bool  // with the low bits of the magic
	}{
		{"the single era's reward is left out", "-ac_supply=5 -ac_reward=7", 1, 5, 0, true},
		{"with eras it is there", "-ac_supply=5 -ac_eras=2 -ac_reward=7,8 -ac_end=9,0", 1, 5, 7, true},
		{"no supply", "-ac_supply=0", 1, 0, 0, true},
		{"the most for one block", "-ac_supply=10000000000", 1, 10_000_000_000, 0, true},
		{"after it", "-ac_supply=10000000000", 2, 0, 10000, false},
		{"spread, first", "-ac_supply=25000000007", 1, 1_000_000_007, 10000, true},
		{"spread, second", "-ac_supply=25000000007", 2, 1_000_000_000, 10000, false},
		{"spread, last", "-ac_supply=25000000007", 25, 1_000_000_000, 10000, false},
		{"spread, over", "-ac_supply=25000000007", 26, 0, 10000, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := chain(t, c.args)
			want := c.coins*1e8 + c.reward
			if c.marked {
				want += int64(p.Magic & 0xffffff)
			}
			require.Equal(t, want, p.Subsidy(c.height))
			if c.height == 1 {
				require.Equal(t, want, p.BlockOneValue())
			}
		})
	}
}

// The values come from a separate program with komodod's integer types; seven more
// are recorded (TestKomododStartOutput).
func TestMaxMoney(t *testing.T) {
	for _, c := range []struct {
		args string
		want int64
	}{
		{"-ac_supply=1000", 106320417438},
		{"-ac_supply=1000 -ac_reward=100000000 -ac_end=1000 -ac_halving=10 -ac_decay=100000000", 155604665246},
		{"-ac_supply=1000 -ac_reward=100000000 -ac_halving=3000000 -ac_decay=100000000", 600105108665246},
		{"-ac_supply=1000 -ac_eras=3 -ac_reward=0,38400000000,2400000000 -ac_end=1440,260640,0 -ac_halving=1,1440,2103840 -ac_decay=100000000,97750000,0", 12298979386960126},
		{"-ac_supply=5 -ac_eras=2 -ac_reward=100,384000 -ac_end=1444,0 -ac_halving=7,0 -ac_decay=100000000,0", 3845880149024},
		{"-ac_supply=5 -ac_eras=2 -ac_reward=384000,100 -ac_end=1444,0 -ac_halving=7,0 -ac_decay=100000000,0", 6883011554},
		{"-ac_supply=5 -ac_eras=2 -ac_reward=5,7 -ac_end=5,0 -ac_halving=7,0 -ac_decay=100000000,0", 9223372036854775807},
		{"-ac_supply=5 -ac_eras=3 -ac_reward=100000000,200000000,0 -ac_end=100,0,0", 3000005304665246},
		{"-ac_supply=5 -ac_eras=2 -ac_reward=100000000,200000000 -ac_end=10000000,0", 1000005504665246},
		{"-ac_supply=5 -ac_reward=100000007 -ac_end=12345 -ac_halving=1000 -ac_decay=33333333", 155604593636},
		{"-ac_supply=90000000000", 9000000006320417438},
		{"-ac_supply=90000000000 -ac_reward=1000000000000", 553254931395113630},
		{"-ac_supply=10000000000 -ac_reward=100000000 -ac_perc=100000000 -ac_script=51", 2002000010004665246},
		{"-ac_supply=10000000000 -ac_reward=10000000000 -ac_perc=100000000 -ac_script=51", 2199999990204665246},
		{"-ac_supply=10000000000 -ac_reward=500000000000 -ac_perc=100000000 -ac_script=51", 9223372036854775807},
		{"-ac_supply=10000000000 -ac_reward=1000000000000 -ac_perc=100000000 -ac_script=51", 9223372036854775807},
		{"-ac_supply=1000 -ac_founders=1 -ac_script=51", 163558879140},
		{"-ac_supply=1000 -ac_cc=99", 106320417438},
		{"-ac_supply=1000 -ac_cc=100", 100000000000000},
	} {
		t.Run(c.args, func(t *testing.T) { require.Equal(t, c.want, chain(t, c.args).MaxMoney) })
	}
}
