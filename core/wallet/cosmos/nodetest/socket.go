package nodetest

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"sync"

	"obverse/core/net/fetch"
)

// Sockets maps URLs of websockets to nodes. It implements fetch.Dialer.
type Sockets map[string]*Node

// Dial implements fetch.Dialer.
func (s Sockets) Dial(ctx context.Context, r fetch.Request) (fetch.Socket, error) {
	n := s[r.URL]
	if n == nil {
		return nil, fmt.Errorf("%w: no such host", fetch.ErrUnreachable)
	}
	l := n.Connect()
	return l, ctx.Err()
}

// line is the client's end of a websocket.
type line struct {
	node     *Node
	messages chan []byte
	closed   chan struct{}
	close    func()
	subs     map[string]string // ids of subscriptions by query, quoted; guarded by the node's lock
}

// Connect opens a websocket in process.
func (n *Node) Connect() fetch.Socket {
	l := &line{node: n, messages: make(chan []byte, 64), closed: make(chan struct{}), subs: map[string]string{}}
	l.close = sync.OnceFunc(func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.lines, l)
		close(l.closed)
	})
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines[l] = true
	n.counts["websocket"]++
	return l
}

// Read implements fetch.Socket.
func (l *line) Read(ctx context.Context) ([]byte, error) {
	select {
	case m := <-l.messages:
		return m, nil
	case <-l.closed:
		return nil, fmt.Errorf("%w: closed", fetch.ErrUnreachable)
	case <-ctx.Done():
		l.close()
		return nil, ctx.Err()
	}
}

// Write implements fetch.Socket.
func (l *line) Write(_ context.Context, text []byte) error {
	var r request
	if err := json.Unmarshal(text, &r); err != nil {
		return fmt.Errorf("%w: %w", fetch.ErrRequest, err)
	}
	if r.Method != "subscribe" {
		return l.say(l.node.Answer(text))
	}
	l.node.mu.Lock()
	l.subs[r.Params.Query] = string(r.ID)
	l.node.counts["subscribe"]++
	l.node.mu.Unlock()
	return l.say(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{}}`, r.ID))
}

func (l *line) say(message []byte) error {
	select {
	case l.messages <- message:
		return nil
	case <-l.closed:
		return fmt.Errorf("%w: closed", fetch.ErrUnreachable)
	}
}

// Close implements fetch.Socket.
func (l *line) Close() error {
	l.close()
	return nil
}

// Listeners returns the number of open websockets.
func (n *Node) Listeners() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.lines)
}

// Hangup closes all websockets.
func (n *Node) Hangup() {
	n.mu.Lock()
	var lines []*line
	for l := range n.lines {
		lines = append(lines, l)
	}
	n.mu.Unlock()
	for _, l := range lines {
		l.close()
	}
}

// Announce adds a block and notifies subscribers of a transaction in it that pays an address.
func (n *Node) Announce(address string) {
	n.mu.Lock()
	n.height++
	height := n.height
	tx := fmt.Appendf(nil, "transaction of block %d", height)
	query := "tm.event='Tx' AND coin_received.receiver='" + address + "'"
	to := map[*line]string{}
	for l := range n.lines {
		if id, subscribed := l.subs[query]; subscribed {
			to[l] = id
		}
	}
	n.mu.Unlock()
	for l, id := range to {
		_ = l.say(fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"result":{"query":%q,"data":{"type":"tendermint/event/Tx","value":{"TxResult":`+
			`{"height":"%d","tx":%q,"result":{"data":"","log":"[]","gas_wanted":"1","gas_used":"1","events":[]}}}},"events":{"tx.hash":["%X"]}}}`,
			id, query, height, base64.StdEncoding.EncodeToString(tx), sha256.Sum256(tx))) // a closed line receives nothing
	}
}
