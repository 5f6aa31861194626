package nodepool

import (
	"fmt"
	"time"
)

// rank rates a node by the heights of the others. Lower is better.
type rank int

const (
	level    rank = iota // agrees with the others
	disputed             // another node contradicts it, and neither is known to be right
	behind               // other nodes have newer blocks
	ahead                // it reports blocks that the others do not have
)

const (
	// slack is the number of blocks by which a node may exceed the plausible height.
	slack = 10
	// speedFactor is the factor by which a chain may be faster than Config.Block.
	speedFactor = 4
	// maxBlockTime limits Config.Block, which may be wrong in a coins file.
	maxBlockTime = 10 * time.Second
)

// ReportedHeight converts a height for a pool. The height of a node without blocks becomes
// firstBlock, since 0 means that an answer has no height.
func ReportedHeight(height int64) int64 { return max(height, firstBlock) }

// firstBlock is the height of a new node. It does not contradict any other height.
const firstBlock = 1

// observation is a height with the time when it was reported.
type observation struct {
	height int64
	at     time.Time
}

func (s observation) fresh(now time.Time, d time.Duration) bool {
	return s.height > 0 && now.Sub(s.at) < d
}

// maxHeightNow returns the highest plausible height at present, given an earlier observation.
func (p *Pool) maxHeightNow(s observation, now time.Time) int64 {
	block := min(max(p.config.Block, time.Millisecond), maxBlockTime)
	if p.config.Block == 0 {
		block = time.Second
	}
	passed := int64(max(now.Sub(s.at), 0)/block)*speedFactor + p.config.MaxLag + slack
	return s.height + min(passed, maxHeight-s.height)
}

const maxHeight = 1<<63 - 1

// recordHeight records the height in an answer, or 0 if it is unknown, and returns the node's
// rank. A node is behind if its height decreased, and ahead if its height rose faster than
// plausible, unless another node has a similar height.
func (p *Pool) recordHeight(n *node, height int64) rank {
	if height <= 0 {
		return level
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.config.Now()
	before := n.observation
	n.record(height, now)
	if height < before.height && !(n.previous.fresh(now, stale) && n.previous.height > before.height) {
		n.previous = before
	}
	p.rankNodes(now)
	if before.fresh(now, stale) && height > p.maxHeightNow(before, now) && len(p.nodes) > 1 && !p.supported(n) {
		n.rank, n.heightProblem = ahead, fmt.Sprintf("at block %d, %s after it was at %d", height, now.Sub(before.at).Round(time.Second), before.height)
		n.observation = before // the previous observation counts while it is fresh
	}
	if n.rank != level {
		p.wake()
	}
	if n.rank == level && p.lacksAnnounced(n, now) {
		return behind
	}
	return n.rank
}

// lacksAnnounced reports whether a node lacks the announced block. This does not change its
// rank.
func (p *Pool) lacksAnnounced(n *node, now time.Time) bool {
	return n.reported > 0 && n.reported < p.announced.height && p.announced.fresh(now, announcedTTL)
}

// record records a reported height.
func (n *node) record(height int64, now time.Time) {
	if height > n.reported {
		n.advancedAt, n.advanced = now, n.reported > 0
	}
	n.reported, n.observation = height, observation{height, now}
}

// supported reports whether another node has a similar number of blocks.
func (p *Pool) supported(n *node) bool {
	for _, other := range p.nodes {
		if other != n && other.votes() && other.height >= n.height-p.config.MaxLag {
			return true
		}
	}
	return false
}

// votes reports whether a node's height counts for the ranks of other nodes.
func (n *node) votes() bool { return n.height > firstBlock && n.fault == nil && !n.health.Behind }

// rankNodes ranks all nodes with a fresh height by the heights of the others. It does not
// change the ranks of other nodes. The lock must be held.
func (p *Pool) rankNodes(now time.Time) {
	for _, n := range p.nodes {
		switch {
		case n.verified && n.health.Behind:
			n.rank, n.heightProblem = behind, ""
		case n.previous.fresh(now, stale) && n.height < n.previous.height-p.config.MaxLag && len(p.nodes) > 1:
			n.rank, n.heightProblem = behind, fmt.Sprintf("at block %d, after it was at %d", n.height, n.previous.height)
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
	detail := fmt.Sprintf("at block %d, others at %d", n.height, c.other.height)
	if c.above+c.below+c.same+c.unknown == 1 {
		return p.rankPair(n, c, now, detail)
	}
	rises, stands := p.isAdvancing(n, now), p.isStalled(n, now)
	with := c.same + c.unknown + 1 // includes the node itself
	switch {
	case c.above > with+c.below || c.above > 0 && c.above == with+c.below && !(rises && c.stalled == c.above):
		return ahead, detail
	case c.below > with+c.above || c.below == with+c.above && stands && c.advancing > 0:
		return behind, detail
	case c.unknown > 0:
		return disputed, detail
	}
	return level, ""
}

// rankPair is like rankByOthers, for two nodes that contradict each other. The node with more
// blocks is believed if the other may be late. Otherwise the node that reports new blocks is
// believed, or neither.
func (p *Pool) rankPair(n *node, c tally, now time.Time, detail string) (rank, string) {
	switch {
	case c.below > 0 && (c.other.height <= p.maxHeightNow(n.observation, now) || p.isStalled(n, now) && c.advancing > 0):
		return behind, detail
	case c.above > 0 && p.isAdvancing(n, now) && c.stalled > 0:
		return level, ""
	}
	return disputed, detail + ": one of two nodes that disagree"
}

// class returns the node's latency class. The latency does not decide disputes.
func (n *node) class() int {
	if n.rank == disputed {
		return 0
	}
	return n.pace.class()
}

// tally counts how the heights of the others relate to a node's height. A node is ahead if at
// least half of all nodes, including itself, contradict its number of blocks, and behind if
// more than half have more blocks. In a tie, nodes that report new blocks win over nodes that
// do not.
type tally struct {
	above     int         // nodes that contradict its height as too high
	stalled   int         // those of them without new blocks
	below     int         // nodes that are above it
	advancing int         // those of them with new blocks
	same      int         // nodes at about its height
	unknown   int         // nodes with a stale height, which may be at its height
	other     observation // a node that contradicts it
}

func (p *Pool) count(c *tally, n, o *node, now time.Time) {
	switch {
	case n.height > p.maxHeightNow(o.observation, now):
		c.above++
		c.other = o.observation
		if p.isStalled(o, now) {
			c.stalled++
		}
	case p.maxHeightNow(n.observation, now)-slack < o.height: // both include the lag
		c.below++
		c.other = o.observation
		if p.isAdvancing(o, now) {
			c.advancing++
		}
	case o.fresh(now, stale):
		c.same++
	default:
		c.unknown++
	}
}

// stallTime returns how long a node may go without a new block.
func (p *Pool) stallTime() time.Duration { return max(stale, 5*p.config.Block) }

// isStalled reports whether a node has answered recently, but has had no new block for a long
// time.
func (p *Pool) isStalled(n *node, now time.Time) bool {
	return n.fresh(now, 2*stale) && now.Sub(n.advancedAt) >= p.stallTime()
}

// isAdvancing reports whether a node had a new block in one of its last two checks. The
// interval of checks is that of unused nodes.
func (p *Pool) isAdvancing(n *node, now time.Time) bool {
	return n.advanced && now.Sub(n.advancedAt) < 2*p.stallTime()
}

// ObserveBlock announces a block of the chain, for example from an event. For a while, answers
// of nodes without this block are used only if there are no others. A block that is implausible
// for at least half of the nodes is ignored.
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
