// Package peertest implements a simulated Lightning network for tests of code that uses
// connections. It has one node that answers and one address that is silent.
//
// Invariant: The package opens no network connections, and tests can inspect all simulated
// ones.
package peertest

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/node"
)

// Net is a network of fake peers.
type Net struct {
	Peer   lightning.NodeID // the node that answers
	Place  string           // host:port of the node that answers
	Silent string           // host:port that accepts and stays silent
	Anyone bool             // whether all other nodes answer at all other addresses
	Fail   error            // error of Open; may be nil
	Now    func() time.Time

	mu     sync.Mutex
	opened []node.Setup
	run    int
	ended  int
}

// Open implements node.Open. A node with port 1 listens.
func (n *Net) Open(_ context.Context, s node.Setup) (node.Peers, string, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.Fail != nil {
		return nil, "", n.Fail
	}
	n.opened = append(n.opened, s)
	listening := ""
	if s.Port == 1 {
		listening = "127.0.0.1:1"
	}
	return &peers{net: n, self: s.Key.PublicKey(), known: map[lightning.NodeID]lightning.Peer{}}, listening, nil
}

// Opened returns the settings of all opened nodes.
func (n *Net) Opened() []node.Setup {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.Clone(n.opened)
}

// Runs returns the number of nodes that run, and of nodes that have ended.
func (n *Net) Runs() (running, ended int) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.run - n.ended, n.ended
}

// peers implements node.Peers for one node.
type peers struct {
	net   *Net
	self  lightning.NodeID
	mu    sync.Mutex
	known map[lightning.NodeID]lightning.Peer
}

// Run implements node.Peers.
func (p *peers) Run(ctx context.Context) error {
	p.count(&p.net.run)
	<-ctx.Done()
	p.count(&p.net.ended)
	return ctx.Err()
}

func (p *peers) count(n *int) {
	p.net.mu.Lock()
	defer p.net.mu.Unlock()
	*n++
}

// Connect implements lightning.Network.
func (p *peers) Connect(ctx context.Context, a lightning.Address, timeout time.Duration) (already bool, err error) {
	if a.Node == p.self {
		return false, lightning.ErrSelf
	}
	if a.Place() == p.net.Silent {
		timer := time.NewTimer(cmp.Or(timeout, lightning.DefaultTimeout))
		defer timer.Stop()
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-timer.C:
			return false, fmt.Errorf("%w: nothing was said", lightning.ErrTimeout)
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	_, already = p.known[a.Node]
	switch {
	case already:
		return true, nil
	case p.net.Anyone, a.Place() == p.net.Place && a.Node == p.net.Peer:
		p.known[a.Node] = lightning.Peer{Node: a.Node, Address: a.Place(), State: lightning.Connected, Persistent: true, Since: p.net.Now()}
		return false, nil
	case a.Place() == p.net.Place:
		return false, fmt.Errorf("%w: the node has another key", lightning.ErrHandshake)
	}
	return false, fmt.Errorf("%w: connection refused", lightning.ErrUnreachable)
}

// Disconnect implements lightning.Network.
func (p *peers) Disconnect(id lightning.NodeID) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if _, known := p.known[id]; !known {
		return lightning.ErrNotConnected
	}
	delete(p.known, id)
	return nil
}

// List implements lightning.Network.
func (p *peers) List() (list []lightning.Peer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, peer := range p.known {
		list = append(list, peer)
	}
	slices.SortFunc(list, func(x, y lightning.Peer) int { return cmp.Compare(x.Node.String(), y.Node.String()) })
	return list
}
