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

// crossingWindow is how long after a connection began an inbound one is assumed to have been
// opened at the same time. A later one means that the peer has lost the first connection.
const crossingWindow = 10 * time.Second

var (
	errReplaced  = errors.New("replaced by a newer connection from this node")
	errCrossed   = errors.New("duplicate connection closed: both nodes connected at once")
	errAbandoned = errors.New("connection no longer needed")
	errFull      = errors.New("too many inbound connections")
	errCrowded   = errors.New("too many inbound connections from one address")
)

// peer is the state of a node. The mutex of Peers guards its fields.
type peer struct {
	id lightning.NodeID
	// link is the authenticated connection. It is up when both sides have sent init. It takes
	// precedence over further connections.
	link *link
	// attempts holds the attempts to connect for which callers wait, by host:port.
	attempts map[string]*attempt
	// wanted is the address to which the user wants to connect; nil means none.
	wanted *lightning.Address
	// reconnecting reports whether a goroutine keeps the node connected. wake wakes it.
	reconnecting bool
	wake         chan struct{}
	since        time.Time // time of the last change of state
	next         time.Time // time of the next attempt; zero if it is in progress
	reason       error     // reason why the node is not connected
}

// attempt is an attempt to connect to one address. The mutex of Peers guards its fields.
type attempt struct {
	address lightning.Address
	waiters int
	cancel  context.CancelFunc // nil until it starts
	link    *link              // connection for which it waits
	stage   string             // what it waits for, for errors
	done    chan struct{}      // closed when it is finished
	err     error
}

// stop cancels the attempt. Its goroutine may run a moment longer.
func (t *attempt) stop() {
	if t.cancel != nil {
		t.cancel()
	}
}

func (t *attempt) finished() bool {
	select {
	case <-t.done:
		return true
	default:
		return false
	}
}

// newAttempt adds an attempt.
func (n *peer) newAttempt(a lightning.Address) *attempt {
	t := &attempt{address: a, stage: "no connection", done: make(chan struct{})}
	n.attempts[a.Place()] = t
	return t
}

// finish passes the result to all callers that wait. Only the first call has an effect.
func (n *peer) finish(t *attempt, err error) {
	if t.finished() {
		return
	}
	t.err = err
	close(t.done)
	delete(n.attempts, t.address.Place())
}

// describe returns the public state of a peer.
func (n *peer) describe() lightning.Peer {
	d := lightning.Peer{Node: n.id, Persistent: n.wanted != nil, Since: n.since, State: lightning.Disconnected, Reason: n.reason}
	switch l := n.link; {
	case l != nil && l.up:
		d.State, d.Address, d.Inbound, d.Seen, d.Reason = lightning.Connected, l.address, l.inbound, l.seen, nil
	case n.wanted != nil:
		d.State, d.Address, d.Next = lightning.Waiting, n.wanted.Place(), n.next
	case len(n.attempts) > 0:
		d.State, d.Reason = lightning.Connecting, nil
		for place := range n.attempts {
			if d.Address == "" || place < d.Address {
				d.Address = place
			}
		}
	}
	return d
}

// removeIfUnused removes a node without a connection or attempts that the user does not want.
func (p *Peers) removeIfUnused(n *peer) {
	if n.link == nil && len(n.attempts) == 0 && n.wanted == nil && !n.reconnecting && p.known[n.id] == n {
		delete(p.known, n.id)
	}
}

// stopWaiting is called by each caller that waited for an attempt. The last one cancels it.
func (p *Peers) stopWaiting(n *peer, t *attempt) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t.waiters--
	if t.waiters == 0 && !t.finished() {
		n.reason = fmt.Errorf("%w: %s", lightning.ErrTimeout, t.stage)
		n.finish(t, errAbandoned)
		t.stop()
		if l := t.link; l != nil && !l.inbound && !n.hasWaiters(l) {
			l.end(errAbandoned)
		}
	}
	p.removeIfUnused(n)
}

// hasWaiters reports whether an attempt waits for the connection.
func (n *peer) hasWaiters(l *link) bool {
	for _, t := range n.attempts {
		if t.link == l {
			return true
		}
	}
	return false
}

// start marks an attempt as running, and reports whether it is still wanted.
func (p *Peers) start(t *attempt, cancel context.CancelFunc) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	t.cancel = cancel
	return !t.finished()
}

func (p *Peers) setStage(t *attempt, stage string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	t.stage = stage
}

func (p *Peers) stageOf(t *attempt) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return t.stage
}

// fail finishes an attempt that failed before there was a link.
func (p *Peers) fail(n *peer, t *attempt, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !t.finished() {
		n.reason = err
	}
	n.finish(t, err)
	p.removeIfUnused(n)
}

// claim makes l the node's connection before the node learns this node's id, so that there is
// never a second connection, which the node would prefer. If there is a connection already, the
// attempt waits for it.
func (p *Peers) claim(n *peer, t *attempt, l *link) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if t.finished() {
		return false
	}
	if n.link != nil {
		t.link = n.link
		return false
	}
	n.link, l.claimed = l, p.config.Now()
	t.link, t.stage = l, "the node did not send an init message"
	return true
}

// admit makes the inbound connection l the connection of its node.
func (p *Peers) admit(id lightning.NodeID, l *link) (*peer, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := p.known[id]
	switch {
	case p.ending:
		return nil, lightning.ErrStopped
	case id == p.self:
		return nil, lightning.ErrSelf
	case n == nil && !p.makeRoom(originOf(l.conn.Remote())):
		return nil, errFull
	case n == nil:
		n = p.addPeer(id)
	}
	l.claimed = p.config.Now()
	if old := n.link; old != nil {
		ours := bytes.Compare(p.self[:], id[:]) < 0 // the connection of the node with the smaller id is kept, as in lnd
		if !old.inbound && ours && l.claimed.Sub(old.claimed) < crossingWindow {
			return nil, errCrossed
		}
		for _, t := range n.attempts {
			if t.link == old {
				t.link = l
			}
		}
		old.end(errReplaced)
		close(old.replaced)
	}
	n.link = l
	notify(n.wake)
	return n, nil
}

// makeRoom reports whether another node may connect by itself. If all places are taken, it
// removes the latest connection of an origin that has more connections than the origin of the
// new one would have.
func (p *Peers) makeRoom(from origin) bool {
	shares, count := map[origin]int{}, 0
	for _, n := range p.known {
		if n.isInbound() {
			shares[originOf(n.link.conn.Remote())]++
			count++
		}
	}
	if len(p.known) < p.config.MaxPeers && count < p.config.MaxPeers/2 {
		return true
	}
	var latest *peer
	largestShare := shares[from] + 1
	for _, n := range p.known {
		if !n.isInbound() || n.reconnecting || len(n.attempts) > 0 { // removing these would free no place
			continue
		}
		share := shares[originOf(n.link.conn.Remote())]
		if share > largestShare || latest != nil && share == largestShare && n.link.claimed.After(latest.link.claimed) {
			latest, largestShare = n, share
		}
	}
	if latest == nil {
		return false
	}
	p.unlink(latest, errCrowded)
	p.removeIfUnused(latest)
	return true
}

// isInbound reports whether a node connected to this one and the user did not request the connection.
func (n *peer) isInbound() bool { return n.link != nil && n.link.inbound && n.wanted == nil }

// unlink ends a node's connection, if it has one.
func (p *Peers) unlink(n *peer, why error) {
	if l := n.link; l != nil {
		n.link = nil
		l.end(why)
	}
}

// markUp records that both sides have sent init. seen is the address of this node that the peer
// reports.
func (p *Peers) markUp(n *peer, l *link, seen netip.AddrPort) {
	p.mu.Lock()
	if n.link != l {
		p.mu.Unlock()
		return // the connection is ending
	}
	l.up, l.seen = true, seen
	n.since, n.reason, n.next = p.config.Now(), nil, time.Time{}
	for _, t := range n.attempts {
		if n.wanted == nil || t.link == l {
			n.wanted = &t.address
		}
		n.finish(t, nil)
		t.stop()
	}
	notify(n.wake)
	changed := n.describe()
	p.mu.Unlock()
	p.config.Changed(changed)
}

// drop removes an ended connection, and returns how long it was up.
func (p *Peers) drop(n *peer, l *link) (lasted time.Duration) {
	err := l.cause()
	p.mu.Lock()
	if l.up {
		lasted = p.config.Now().Sub(l.claimed)
	}
	if n.link == l {
		n.link, n.since = nil, p.config.Now()
		if !errors.Is(err, errAbandoned) { // the reason is recorded already
			n.reason = err
		}
	}
	for _, t := range n.attempts {
		if t.link == l {
			n.finish(t, failure(err))
		}
	}
	changed := n.describe()
	changed.Reason = err
	p.removeIfUnused(n)
	p.mu.Unlock()
	if l.up && !errors.Is(err, errReplaced) {
		p.config.Changed(changed)
	}
	return lasted
}

// failure returns the error for callers that wait for a connection that ended before it was up.
func failure(err error) error {
	for _, known := range []error{lightning.ErrTimeout, lightning.ErrStopped, lightning.ErrDisconnected} {
		if errors.Is(err, known) {
			return err
		}
	}
	return fmt.Errorf("%w: %w", lightning.ErrHandshake, err)
}
