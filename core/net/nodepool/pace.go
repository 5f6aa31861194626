package nodepool

import (
	"math/bits"
	"slices"
	"sort"
	"time"
)

// Bounds of the time after which a second node is asked.
const (
	maxHedge = time.Second            // also while nothing is known of a node
	minHedge = 400 * time.Millisecond // below, asking two nodes costs more than it gains
)

// pace is how long a node took for its last answers.
type pace struct {
	times [16]time.Duration
	count int
}

func (p *pace) note(d time.Duration) {
	p.times[p.count%len(p.times)] = d
	p.count++
}

// quantile is the time that q of 100 answers did not exceed, 0 if there are none.
func (p *pace) quantile(q int) time.Duration {
	known := slices.Clone(p.times[:min(p.count, len(p.times))])
	sort.Slice(known, func(i, j int) bool { return known[i] < known[j] })
	if len(known) == 0 {
		return 0
	}
	return known[(len(known)-1)*q/100]
}

// hedge is when a second node is asked: when nine of ten answers would have been there
// for a while.
func (p *pace) hedge() time.Duration {
	if p.count == 0 {
		return maxHedge
	}
	return min(max(p.quantile(90)*3/2, minHedge), maxHedge)
}

// class tells slow nodes from fast ones, in powers of two, so that nodes of about the
// same speed stay in the user's order.
func (p *pace) class() int {
	return bits.Len64(uint64(p.quantile(50) / (50 * time.Millisecond)))
}
