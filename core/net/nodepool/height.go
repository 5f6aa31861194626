package nodepool

import (
	"fmt"
	"time"
)

// rank is what the heights of other nodes make of a node: the lower, the better.
type rank int

const (
	level    rank = iota // as the others
	disputed             // another one says something else, and nobody can tell who is right
	behind               // others have newer blocks
	ahead                // it tells of blocks that the others do not have
)

const (
	// slack is how many blocks a node may know beyond those that there can be by the time.
	slack = 10
	// speedFactor is by how much a chain may be faster than it is said to be.
	speedFactor = 4
	// maxBlockTime bounds the time between two blocks, which a list of coins may have wrong.
	maxBlockTime = 10 * time.Second
)

// ReportedHeight is a height as the reader of an answer gives it to a pool: a node that has no
// blocks gives that of the first one, since 0 means that the answer has no height.
func ReportedHeight(height int64) int64 { return max(height, firstBlock) }

// firstBlock is the height of a node that has just begun. It contradicts nobody.
const firstBlock = 1

// observation is a height and when it was seen.
type observation struct {
	height int64
	at     time.Time
}

func (s observation) fresh(now time.Time, d time.Duration) bool {
	return s.height > 0 && now.Sub(s.at) < d
}

// maxHeightNow is the highest that a node may be now which was seen there.
func (p *Pool) maxHeightNow(s observation, now time.Time) int64 {
	block := min(max(p.config.Block, time.Millisecond), maxBlockTime)
	if p.config.Block == 0 {
		block = time.Second
	}
	passed := int64(max(now.Sub(s.at), 0)/block)*speedFactor + p.config.MaxLag + slack
	return s.height + min(passed, maxHeight-s.height)
}

const maxHeight = 1<<63 - 1

// recordHeight notes the height that a node tells, which is 0 if it tells none, and gives its rank
// by it. A node that has fallen back is behind, and one that has leapt further than time
// allows is ahead, unless another one is there too.
func (p *Pool) recordHeight(n *node, height int64) rank {
	if height <= 0 {
		return level
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.config.Now()
	before := n.observation
	n.record(height, now)
	if height < before.height && !(n.past.fresh(now, stale) && n.past.height > before.height) {
		n.past = before
	}
	p.rankNodes(now)
	if before.fresh(now, stale) && height > p.maxHeightNow(before, now) && len(p.nodes) > 1 && !p.supported(n) {
		n.rank, n.heightProblem = ahead, fmt.Sprintf("at block %d, %s after it was at %d", height, now.Sub(before.at).Round(time.Second), before.height)
		n.observation = before // which is what counts, for as long as it is fresh
	}
	if n.rank != level {
		p.wake()
	}
	if n.rank == level && p.lacksAnnounced(n, now) {
		return behind
	}
	return n.rank
}

// lacksAnnounced reports whether a node does not have the block that was heard of. It is no worse for
// it than others.
func (p *Pool) lacksAnnounced(n *node, now time.Time) bool {
	return n.reported > 0 && n.reported < p.announced.height && p.announced.fresh(now, announcedTTL)
}

// record notes what a node tells.
func (n *node) record(height int64, now time.Time) {
	if height > n.reported {
		n.advancedAt, n.advanced = now, n.reported > 0
	}
	n.reported, n.observation = height, observation{height, now}
}

// supported reports whether another node has about as many blocks.
func (p *Pool) supported(n *node) bool {
	for _, other := range p.nodes {
		if other != n && other.votes() && other.height >= n.height-p.config.MaxLag {
			return true
		}
	}
	return false
}

// votes reports whether it counts what a node says of the chain's height.
func (n *node) votes() bool { return n.height > firstBlock && n.fault == nil && !n.standing.Behind }

// rankNodes ranks all nodes that have told their height lately by what the others say; of
// those that have not, the rank stays. Call it with the lock held.
func (p *Pool) rankNodes(now time.Time) {
	for _, n := range p.nodes {
		switch {
		case n.verified && n.standing.Behind:
			n.rank, n.heightProblem = behind, ""
		case n.past.fresh(now, stale) && n.height < n.past.height-p.config.MaxLag && len(p.nodes) > 1:
			n.rank, n.heightProblem = behind, fmt.Sprintf("at block %d, after it was at %d", n.height, n.past.height)
		case n.fresh(now, stale) && n.height == n.reported:
			n.rank, n.heightProblem = p.rankByOthers(n, now)
		}
	}
}

// rankByOthers ranks a node by the heights of the others.
func (p *Pool) rankByOthers(n *node, now time.Time) (rank, string) {
	var c tally
	for _, o := range p.nodes {
		if o != n && o.votes() {
			p.count(&c, n, o, now)
		}
	}
	if c.above+c.below == 0 {
		return level, ""
	}
	told := fmt.Sprintf("at block %d, others at %d", n.height, c.other.height)
	if c.above+c.below+c.same+c.quiet == 1 {
		return p.rankPair(n, c, now, told)
	}
	rises, stands := p.isAdvancing(n, now), p.isStalled(n, now)
	with := c.same + c.quiet + 1 // itself too
	switch {
	case c.above > with+c.below || c.above > 0 && c.above == with+c.below && !(rises && c.standing == c.above):
		return ahead, told
	case c.below > with+c.above || c.below == with+c.above && stands && c.rising > 0:
		return behind, told
	case c.quiet > 0:
		return disputed, told
	}
	return level, ""
}

// rankPair is rankByOthers for one of two nodes that contradict each other. The one with more
// blocks is believed while the other can be late; else the one that gets new ones, or
// neither.
func (p *Pool) rankPair(n *node, c tally, now time.Time, told string) (rank, string) {
	switch {
	case c.below > 0 && (c.other.height <= p.maxHeightNow(n.observation, now) || p.isStalled(n, now) && c.rising > 0):
		return behind, told
	case c.above > 0 && p.isAdvancing(n, now) && c.standing > 0:
		return level, ""
	}
	return disputed, told + ": one of two nodes that disagree"
}

// class is that of its pace. Who is fast wins no dispute by it.
func (n *node) class() int {
	if n.rank == disputed {
		return 0
	}
	return n.pace.class()
}

// tally is how the others stand to a node's height. A node is ahead if half of all, itself
// included, contradict that there can be as many blocks, and behind if more than half have
// more. Where it is half and half, nodes that get no new blocks give way to those that do.
type tally struct {
	above    int         // those that it is too far above
	standing int         // of them: those that get no new blocks
	below    int         // those that it is below
	rising   int         // of them: those that get new ones
	same     int         // those that are about there
	quiet    int         // those that may be there, but have not told lately
	other    observation // of one that contradicts
}

func (p *Pool) count(c *tally, n, o *node, now time.Time) {
	switch {
	case n.height > p.maxHeightNow(o.observation, now):
		c.above++
		c.other = o.observation
		if p.isStalled(o, now) {
			c.standing++
		}
	case p.maxHeightNow(n.observation, now)-slack < o.height: // both with the lag
		c.below++
		c.other = o.observation
		if p.isAdvancing(o, now) {
			c.rising++
		}
	case o.fresh(now, stale):
		c.same++
	default:
		c.quiet++
	}
}

// stallTime is how long a node may be without a new block.
func (p *Pool) stallTime() time.Duration { return max(stale, 5*p.config.Block) }

// isStalled reports whether a node was seen lately, and for long without a new block.
func (p *Pool) isStalled(n *node, now time.Time) bool {
	return n.fresh(now, 2*stale) && now.Sub(n.advancedAt) >= p.stallTime()
}

// isAdvancing reports whether a node was seen to get a new block the last time or the one before:
// nodes that nobody needs are looked at once in such a time.
func (p *Pool) isAdvancing(n *node, now time.Time) bool {
	return n.advanced && now.Sub(n.advancedAt) < 2*p.stallTime()
}

// ObserveBlock tells the pool of a block that the chain has, from elsewhere: for a while answers
// of nodes that do not have it are taken only if there are no others. One that half of the
// nodes cannot have yet is not believed.
func (p *Pool) ObserveBlock(height int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.config.Now()
	voters, against := 0, 0
	for _, n := range p.nodes {
		if !n.votes() {
			continue
		}
		voters++
		if height > p.maxHeightNow(n.observation, now) {
			against++
		}
	}
	if voters > 0 && 2*against >= voters {
		return
	}
	if !p.announced.fresh(now, announcedTTL) || height >= p.announced.height {
		p.announced = observation{height, now}
	}
}
