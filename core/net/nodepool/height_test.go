package nodepool

import (
	"math"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// TestMaxHeightNow checks the highest plausible height of a node that was observed at height
// 1000 some time ago.
func TestMaxHeightNow(t *testing.T) {
	const lag = 2
	for _, c := range []struct {
		name   string
		block  time.Duration
		height int64
		age    time.Duration
		max    int64
	}{
		{"now", 6 * time.Second, 1000, 0, 1000 + lag + slack},
		{"less than a block later", 6 * time.Second, 1000, 5 * time.Second, 1000 + lag + slack},
		{"a block later", 6 * time.Second, 1000, 6 * time.Second, 1000 + speedFactor + lag + slack},
		{"ten blocks later", 6 * time.Second, 1000, time.Minute, 1000 + 10*speedFactor + lag + slack},
		{"before it was seen", 6 * time.Second, 1000, -time.Hour, 1000 + lag + slack},
		{"a time between blocks that is not known", 0, 1000, time.Minute, 1000 + 60*speedFactor + lag + slack},
		{"one that is wrong", time.Hour, 1000, time.Minute, 1000 + 6*speedFactor + lag + slack},
		{"one that cannot be", time.Nanosecond, 1000, time.Second, 1000 + 1000*speedFactor + lag + slack},
		{"the largest height", 6 * time.Second, math.MaxInt64, time.Hour, math.MaxInt64},
		{"nearly that", 6 * time.Second, math.MaxInt64 - 5, 0, math.MaxInt64},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := &Pool{config: Config{MaxLag: lag, Block: c.block}}
			require.Equal(t, c.max, p.maxHeightNow(observation{c.height, testTime}, testTime.Add(c.age)))
		})
	}
	for height, want := range map[int64]int64{-5: 1, 0: 1, 1: 1, 2: 2, math.MaxInt64: math.MaxInt64} {
		require.Equal(t, want, ReportedHeight(height))
	}
}

// TestAgreement checks the ranks of nodes that report the given heights at the same time: l is
// level, d disputed, b behind, A ahead.
func TestAgreement(t *testing.T) {
	const far = 1 << 30
	for _, c := range []struct {
		name    string
		heights []int64 // 0 if the node reports no height
		ranks   string
	}{
		{"one", []int64{1000}, "l"},
		{"two that agree", []int64{1000, 1000}, "ll"},
		{"two, one late", []int64{1000, 998}, "ll"},
		{"two, one later than allowed", []int64{1000, 997}, "lb"},
		{"two, one by as much as there can be", []int64{1000, 988}, "lb"},
		{"two, too far apart", []int64{1000, 987}, "dd"},
		{"two, one of which has just begun", []int64{1000, 1}, "ld"},
		{"two that report nothing", []int64{0, 0}, "ll"},
		{"two, one of which reports nothing", []int64{far, 0}, "ll"},
		{"three that agree", []int64{1000, 999, 1000}, "lll"},
		{"three, one late", []int64{1000, 1000, 990}, "llb"},
		{"three, one far behind", []int64{1000, 1000, 10}, "llb"},
		{"three, one ahead", []int64{far, 1000, 1000}, "All"},
		{"three, all apart, of which the middle one is believed", []int64{far, far / 2, 1000}, "Alb"},
		{"four, half ahead", []int64{far, far, 1000, 1000}, "AAll"},
		{"four, one ahead and one behind", []int64{far, 1000, 1000, 10}, "Allb"},
		{"five, two behind", []int64{10, 10, 1000, 1000, 1000}, "bblll"},
		{"five, most are ahead", []int64{far, far, far, 1000, 1000}, "lllbb"},
		{"five, one of which has just begun", []int64{1, 1000, 1000, 1000, 1000}, "bllll"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				talks := make([]talk, len(c.heights))
				for i, height := range c.heights {
					talks[i] = func(time.Duration) int64 { return height }
				}
				l := newLiars(t, talks...)
				ranks := ""
				for i, s := range l.Nodes() {
					letter := map[rank]string{level: "l", disputed: "d", behind: "b", ahead: "A"}[l.nodes[i].rank]
					ranks += letter
					require.Equal(t, letter == "b", s.Behind)
					require.Equal(t, letter == "A", s.Ahead)
					require.Equal(t, letter == "l", s.HeightProblem == "", s.HeightProblem)
					require.Equal(t, c.heights[i], s.Height)
				}
				require.Equal(t, c.ranks, ranks)
				first := strings.IndexAny(ranks, "l")
				if first < 0 {
					first = 0
				}
				got, err := Get[int64](t.Context(), l.Pool, Light("height", heightOf))
				require.NoError(t, err)
				require.Equal(t, c.heights[first], got, "the first that is level is believed")
			})
		})
	}
}

// TestHeightDecreased checks that a node that reported more blocks before is behind for a
// while, unless it is the only node, or is within the permitted lag.
func TestHeightDecreased(t *testing.T) {
	for _, c := range []struct {
		name   string
		nodes  int
		by     int64
		behind bool
	}{{"a little", 3, 2, false}, {"more", 3, 3, true}, {"far", 3, 900, true}, {"far, alone", 1, 900, false}} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				talks := []talk{honest, honest, honest}[:c.nodes]
				l := newLiars(t, talks...)
				l.recordHeight(l.nodes[0], 1000)
				got := l.recordHeight(l.nodes[0], 1000-c.by)
				require.Equal(t, c.behind, got == behind)
				if c.behind {
					require.Contains(t, l.Nodes()[0].HeightProblem, "after it was at 1000")
					require.Equal(t, behind, l.recordHeight(l.nodes[0], 1000-c.by), "again")
				}
				require.Equal(t, level, l.recordHeight(l.nodes[0], 1000))
				require.Equal(t, level, l.recordHeight(l.nodes[0], 0), "an answer without a height")
			})
		})
	}
}

// TestAnnouncedBlock checks that nodes without an announced block are asked after the others
// for a while, without any lasting effect.
func TestAnnouncedBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLiars(t, honest, plus(1))
		ask := func() int64 {
			got, err := Get[int64](t.Context(), l.Pool, Light("height", heightOf))
			require.NoError(t, err)
			return got
		}
		require.EqualValues(t, 1000, ask())
		l.ObserveBlock(1001)
		require.EqualValues(t, 1001, ask())
		require.True(t, l.state('a').Behind)
		require.Empty(t, l.state('a').HeightProblem)
		l.ObserveBlock(999) // an older event has no effect
		require.EqualValues(t, 1001, ask())
		l.talks['b'] = honest
		require.EqualValues(t, 1000, ask(), "no node has it")
		l.talks['b'] = plus(1)
		time.Sleep(announcedTTL)
		require.False(t, l.state('a').Behind)
	})
}

// TestNodeRecovers checks that a node with an implausible increase is believed when another
// node follows, or when its previous height is stale.
func TestNodeRecovers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLiars(t, honest, honest, honest)
		a := l.nodes[0]
		require.Equal(t, ahead, l.recordHeight(a, 5000))
		require.Contains(t, l.Nodes()[0].HeightProblem, "at block 5000, 0s after it was at 1000")
		require.EqualValues(t, 5000, l.Nodes()[0].Height, "the height that it reported")
		require.Equal(t, stale, time.Until(l.Nodes()[0].RetryAt))
		require.Equal(t, level, l.recordHeight(a, 1001))

		time.Sleep(2 * stale)
		for _, n := range l.nodes[1:] {
			l.recordHeight(n, 5000)
		}
		require.Equal(t, level, l.recordHeight(a, 5001))
		for _, s := range l.Nodes() {
			require.False(t, s.Ahead || s.Behind, s)
		}
	})
}
