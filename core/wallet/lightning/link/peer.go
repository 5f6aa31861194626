package link

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"time"

	"obverse/core/wallet/lightning"
)

// crossing is how long after the beginning of a connection one from the other side is
// taken for an attempt made at the same time. Later it means that the peer has lost the
// one that there is.
const crossing = 10 * time.Second

var (
	errReplaced  = errors.New("replaced by a newer connection from this node")
	errCrossed   = errors.New("duplicate connection closed: both nodes connected at once")
	errAbandoned = errors.New("connection no longer needed")
	errFull      = errors.New("too many inbound connections")
	errCrowded   = errors.New("too many inbound connections from one address")
)

// peer is all that is known of a node. Its fields are under the mutex of Peers.
type peer struct {
	id lightning.NodeID
	// link is the connection on which both know each other; it is up when both have said
	// init. Whoever finds one there has to give way.
	link *link
	// tries are the attempts to connect that somebody waits for, by host:port.
	tries map[string]*try
	// keep is where the user wanted to connect to; nil: not wanted.
	keep *lightning.Address
	// keeping reports whether a goroutine sees to it that what is wanted is so. wake makes it
	// look.
	keeping bool
	wake    chan struct{}
	since   time.Time // of the state
	next    time.Time // the next attempt; zero: it is under way
	reason  error     // why it is not connected
}

// try is an attempt to connect to one address. Its fields are under the mutex of Peers.
type try struct {
	address lightning.Address
	waiters int
	cancel  context.CancelFunc // nil until it is at work
	riding  *link              // the connection whose fate it shares
	stage   string             // what it waits for
	done    chan struct{}      // closed when it is finished
	err     error
}

// stop ends the work. It may go on for a moment.
func (t *try) stop() {
	if t.cancel != nil {
		t.cancel()
	}
}

func (t *try) finished() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// try begins one.
func (n *peer) try(a lightning.Address) *try {
	t := &try{address: a, stage: "no connection", done: make(chan struct{})}
	n.tries[a.Place()] = t
	return t
}

// finish tells those who wait how it went, once.
func (n *peer) finish(t *try, err error) {
	if t.finished() {
		return
	}
	t.err = err
	close(t.done)
	delete(n.tries, t.address.Place())
}

// describe says what others may know.
func (n *peer) describe() lightning.Peer {
	d := lightning.Peer{Node: n.id, Kept: n.keep != nil, Since: n.since, State: lightning.Disconnected, Reason: n.reason}
	switch l := n.link; {
	case l != nil && l.up:
		d.State, d.Address, d.Inbound, d.Seen, d.Reason = lightning.Connected, l.address, l.inbound, l.seen, nil
	case n.keep != nil:
		d.State, d.Address, d.Next = lightning.Waiting, n.keep.Place(), n.next
	case len(n.tries) > 0:
		d.State, d.Reason = lightning.Connecting, nil
		for place := range n.tries {
			if d.Address == "" || place < d.Address {
				d.Address = place
			}
		}
	}
	return d
}

// tidy forgets a node of which there is nothing to remember.
func (p *Peers) tidy(n *peer) {
	if n.link == nil && len(n.tries) == 0 && n.keep == nil && !n.keeping && p.known[n.id] == n {
		delete(p.known, n.id)
	}
}

// leave is called by whoever waits for a try no longer. What nobody waits for is ended.
func (p *Peers) leave(n *peer, t *try) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t.waiters--
	if t.waiters == 0 && !t.finished() {
		n.reason = fmt.Errorf("%w: %s", lightning.ErrTimeout, t.stage)
		n.finish(t, errAbandoned)
		t.stop()
		if l := t.riding; l != nil && !l.inbound && !n.ridden(l) {
			l.end(errAbandoned)
		}
	}
	p.tidy(n)
}

// ridden reports whether somebody waits for the connection.
func (n *peer) ridden(l *link) bool {
	for _, t := range n.tries {
		if t.riding == l {
			return true
		}
	}
	return false
}

// start reports whether a try is still wanted, and how to end it.
func (p *Peers) start(t *try, cancel context.CancelFunc) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	t.cancel = cancel
	return !t.finished()
}

func (p *Peers) at(t *try, stage string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t.stage = stage
}

func (p *Peers) stageOf(t *try) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return t.stage
}

// fail ends a try that has come to nothing before there was a link.
func (p *Peers) fail(n *peer, t *try, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !t.finished() {
		n.reason = err
	}
	n.finish(t, err)
	p.tidy(n)
}

// claim makes l the node's connection, before the node is told who calls: so there is
// never a second one that the node would take for a better one. If there is a
// connection already the try shares its fate.
func (p *Peers) claim(n *peer, t *try, l *link) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.finished() {
		return false
	}
	if n.link != nil {
		t.riding = n.link
		return false
	}
	n.link, l.claimed = l, p.config.Now()
	t.riding, t.stage = l, "the node does not say what it is"
	return true
}

// admit makes l the connection of a node that has connected by itself.
func (p *Peers) admit(id lightning.NodeID, l *link) (*peer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.known[id]
	switch {
	case p.ending:
		return nil, lightning.ErrStopped
	case id == p.self:
		return nil, lightning.ErrSelf
	case n == nil && !p.room(originOf(l.conn.Remote())):
		return nil, errFull
	case n == nil:
		n = p.meet(id)
	}
	l.claimed = p.config.Now()
	if old := n.link; old != nil {
		ours := bytes.Compare(p.self[:], id[:]) < 0 // the connection of the smaller one is kept, as lnd does
		if !old.inbound && ours && l.claimed.Sub(old.claimed) < crossing {
			return nil, errCrossed
		}
		for _, t := range n.tries {
			if t.riding == old {
				t.riding = l
			}
		}
		old.end(errReplaced)
		close(old.replaced)
	}
	n.link = l
	signal(n.wake)
	return n, nil
}

// room reports whether one more may connect by itself. If the places are taken it makes
// some where an origin has more than the newcomer's would have: the latest of it goes.
func (p *Peers) room(from origin) bool {
	shares, count := map[origin]int{}, 0
	for _, n := range p.known {
		if n.stranger() {
			shares[originOf(n.link.conn.Remote())]++
			count++
		}
	}
	if len(p.known) < p.config.MaxPeers && count < p.config.MaxPeers/2 {
		return true
	}
	var latest *peer
	most := shares[from] + 1
	for _, n := range p.known {
		if !n.stranger() || n.keeping || len(n.tries) > 0 { // of those a place would not be left
			continue
		}
		share := shares[originOf(n.link.conn.Remote())]
		if share > most || latest != nil && share == most && n.link.claimed.After(latest.link.claimed) {
			latest, most = n, share
		}
	}
	if latest == nil {
		return false
	}
	p.unlink(latest, errCrowded)
	p.tidy(latest)
	return true
}

// stranger reports whether a node has connected by itself.
func (n *peer) stranger() bool { return n.link != nil && n.link.inbound && n.keep == nil }

// unlink ends a node's connection, if it has one.
func (p *Peers) unlink(n *peer, why error) {
	if l := n.link; l != nil {
		n.link = nil
		l.end(why)
	}
}

// raise says that both sides have said init; seen is where the peer sees this node.
func (p *Peers) raise(n *peer, l *link, seen netip.AddrPort) {
	p.mu.Lock()
	if n.link != l {
		p.mu.Unlock()
		return // it ends
	}
	l.up, l.seen = true, seen
	n.since, n.reason, n.next = p.config.Now(), nil, time.Time{}
	for _, t := range n.tries {
		if n.keep == nil || t.riding == l {
			n.keep = &t.address
		}
		n.finish(t, nil)
		t.stop()
	}
	signal(n.wake)
	told := n.describe()
	p.mu.Unlock()
	p.config.Changed(told)
}

// drop takes a connection out that is over, and says how long it was up.
func (p *Peers) drop(n *peer, l *link) (lasted time.Duration) {
	err := l.cause()
	p.mu.Lock()
	if l.up {
		lasted = p.config.Now().Sub(l.claimed)
	}
	if n.link == l {
		n.link, n.since = nil, p.config.Now()
		if !errors.Is(err, errAbandoned) { // of that one the reason is known
			n.reason = err
		}
	}
	for _, t := range n.tries {
		if t.riding == l {
			n.finish(t, failure(err))
		}
	}
	told := n.describe()
	told.Reason = err
	p.tidy(n)
	p.mu.Unlock()
	if l.up && !errors.Is(err, errReplaced) {
		p.config.Changed(told)
	}
	return lasted
}

// failure is what somebody is told who waited for a connection that has ended before it
// was up.
func failure(err error) error {
	for _, known := range []error{lightning.ErrTimeout, lightning.ErrStopped, lightning.ErrDisconnected} {
		if errors.Is(err, known) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", lightning.ErrHandshake, err)
}
