package link

import (
	"context"
	"time"

	"obverse/core/wallet/lightning"
)

// Delays before reconnecting: each is twice the one before.
const (
	firstRetry = time.Second
	lastRetry  = 2 * time.Minute
	// stableAfter is how long a connection must last to reset the delay.
	stableAfter = 30 * time.Second
)

// attempt connects to the address of an attempt and serves the connection. It returns when
// the connection ends or another one is used instead, and reports how long it was up.
func (p *Peers) attempt(ctx context.Context, n *peer, t *attempt) time.Duration {
	trying, cancel := context.WithCancel(ctx)
	defer cancel()
	if !p.start(t, cancel) {
		return 0
	}
	l, err := p.dial(trying, n, t)
	switch {
	case ctx.Err() != nil && l == nil:
		p.fail(n, t, lightning.ErrStopped)
		return 0
	case err != nil:
		p.fail(n, t, err)
		return 0
	case l == nil:
		return 0
	}
	return p.serve(ctx, n, l)
}

// reconnect is called after a connection ended or failed. It retries while the user wants
// the node connected, until another connection is up.
func (p *Peers) reconnect(ctx context.Context, n *peer, lasted time.Duration) {
	if !p.startReconnecting(n) {
		return
	}
	for wait := firstRetry; ; wait = min(2*wait, lastRetry) {
		if lasted >= stableAfter {
			wait = firstRetry
		}
		p.waitRetry(ctx, n, p.jitter(wait))
		t, begun := p.retry(ctx, n)
		if t == nil {
			return
		}
		lasted = 0
		late := time.AfterFunc(lightning.DefaultTimeout, func() { p.stopWaiting(n, t) })
		if begun {
			lasted = p.attempt(ctx, n, t)
		} else {
			<-t.done // another goroutine runs it
		}
		if late.Stop() {
			p.stopWaiting(n, t)
		}
	}
}

// startReconnecting reports whether the node is to be reconnected and no goroutine does it yet.
func (p *Peers) startReconnecting(n *peer) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n.link != nil || n.wanted == nil || n.reconnecting || p.ending {
		return false
	}
	n.reconnecting = true
	return true
}

// waitRetry waits for the next attempt, or until the node is woken.
func (p *Peers) waitRetry(ctx context.Context, n *peer, d time.Duration) {
	p.mu.Lock()
	select {
	case <-n.wake: // of what was before
	default:
	}
	idle := n.link == nil && n.wanted != nil
	n.next = p.config.Now().Add(d)
	p.mu.Unlock()
	if !idle {
		return
	}
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-n.wake:
	case <-ctx.Done():
	}
}

// retry begins the next attempt or returns the one under way. It returns nil and ends the
// reconnecting when the node is connected or no longer wanted.
func (p *Peers) retry(ctx context.Context, n *peer) (t *attempt, begun bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n.link != nil || n.wanted == nil || p.ending || ctx.Err() != nil {
		n.reconnecting = false
		p.removeIfUnused(n)
		return nil, false
	}
	n.next = time.Time{}
	t = n.attempts[n.wanted.Place()]
	if t == nil {
		t, begun = n.newAttempt(*n.wanted), true
	}
	t.waiters++
	return t, begun
}

// jitter makes a wait up to a quarter shorter or longer, so that many nodes do not
// call at once.
func (p *Peers) jitter(d time.Duration) time.Duration {
	var b [1]byte
	if _, err := p.config.Random.Read(b[:]); err != nil {
		return d
	}
	return d - d/4 + d/2*time.Duration(b[0])/255
}
