package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"obverse/core/guard"
	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/cosmos/wire"
)

const (
	messageLimit = 4 << 20
	dialTimeout  = 15 * time.Second
	// aliveEvery is the interval at which a node is queried to check the connection, and
	// silence is the maximum time without a message.
	aliveEvery = 30 * time.Second
	silence    = 75 * time.Second
	// firstPause is the pause after a connection broke. It doubles with each further failure in
	// a row, up to longestPause.
	firstPause   = time.Second
	longestPause = time.Minute
)

// ErrNoSockets means that this platform has no websockets.
var ErrNoSockets = errors.New("this platform has no websockets")

// Events subscribes to the nodes for transactions of an address. It uses one connection at a
// time, with two subscriptions.
type Events struct {
	Pool    *Pool
	Address string // bech32 address on this chain
	// Changed is called once for every transaction in a block in which the address spent or
	// received coins, including failed ones. It is called with nil whenever a subscription
	// begins, since there may have been transactions before. Cached balances of the pool are
	// removed before. Changed is called by one goroutine, which waits for it.
	Changed func(*Tx)
	// Failed, if not nil, is called with the reason why a connection ended.
	Failed func(nodepool.Attempt)
}

// Run listens until ctx ends. When a connection breaks, or a message makes its reader panic, it
// continues with the next node. Without websockets it fails with ErrNoSockets at once.
func (e *Events) Run(ctx context.Context) error {
	if e.Pool.config.Dialer == nil {
		return ErrNoSockets
	}
	pause := firstPause
	for turn := 0; ctx.Err() == nil; turn++ {
		at := e.Pool.Socket(turn)
		begin := e.Pool.config.Now()
		err := guard.Do(ctx, "listening to a node", func() error { return e.listen(ctx, at) })
		if ctx.Err() != nil {
			break
		}
		if e.Failed != nil {
			e.Failed(nodepool.NewAttempt(at, err, silence))
		}
		if e.Pool.config.Now().Sub(begin) > longestPause {
			pause = firstPause
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-timer.C:
		}
		timer.Stop()
		pause = min(2*pause, longestPause)
	}
	return ctx.Err()
}

// Ids of requests on a websocket.
const (
	idStatus   = "status"
	idSpent    = "spent"
	idReceived = "received"
)

// listen opens a connection and uses it until it ends.
func (e *Events) listen(ctx context.Context, at nodepool.Endpoint) error {
	header := map[string]string{}
	if at.Authorization != "" {
		header["Authorization"] = at.Authorization
	}
	dialing, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	socket, err := e.Pool.config.Dialer.Dial(dialing, fetch.Request{URL: at.URL, Header: header, Limit: messageLimit})
	if err != nil {
		return err
	}
	defer socket.Close()
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		_ = guard.Do(ctx, "keeping a websocket alive", func() error { keepAlive(ctx, socket); return nil })
	}()
	return e.follow(ctx, socket)
}

// keepAlive queries a node regularly, so that a working connection without events can be
// distinguished from a broken one.
func keepAlive(ctx context.Context, socket fetch.Socket) {
	ticker := time.NewTicker(aliveEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		if ask(ctx, socket, idStatus, "status", nil) != nil {
			return // the reader gets the same error
		}
	}
}

// ask sends a request.
func ask(ctx context.Context, socket fetch.Socket, id, method string, params any) error {
	request, err := nodepool.Question{Method: method, Params: params}.Request(strconv.Quote(id))
	if err != nil {
		return err
	}
	return socket.Write(ctx, request)
}

func subscribe(ctx context.Context, socket fetch.Socket, id, key, address string) error {
	return ask(ctx, socket, id, "subscribe", struct {
		Query string `json:"query"`
	}{"tm.event='Tx' AND " + key + "='" + address + "'"})
}

// follow uses a connection until it breaks. It first checks that the node is on the chain.
func (e *Events) follow(ctx context.Context, socket fetch.Socket) error {
	if err := ask(ctx, socket, idStatus, "status", nil); err != nil {
		return err
	}
	c := conversation{events: e, waiting: map[string]bool{idSpent: true, idReceived: true}}
	for {
		message, err := readMessage(ctx, socket)
		if err != nil {
			return err
		}
		if err := c.take(ctx, socket, message); err != nil {
			return err
		}
	}
}

// readMessage reads the next message. It fails if none arrives within silence.
func readMessage(ctx context.Context, socket fetch.Socket) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, silence)
	defer cancel()
	return socket.Read(ctx)
}

// conversation is the state of a connection.
type conversation struct {
	events  *Events
	begun   bool            // whether the node is known to be on the chain
	waiting map[string]bool // subscriptions that the node has not confirmed
	recent  []string        // the last transactions, since a transaction that the address sent to itself is reported twice
}

// take handles a message.
func (c *conversation) take(ctx context.Context, socket fetch.Socket, message []byte) error {
	var id struct{ ID string }
	if err := json.Unmarshal(message, &id); err != nil {
		return fmt.Errorf("%w: %w", nodepool.ErrAnswer, err)
	}
	result, err := nodepool.Open(fetch.Response{Status: 200, Body: message}, strconv.Quote(id.ID), time.Time{})
	if err != nil {
		return err
	}
	switch {
	case id.ID == idStatus:
		return c.greet(ctx, socket, result)
	case c.waiting[id.ID]:
		delete(c.waiting, id.ID)
		if len(c.waiting) == 0 {
			c.tell(nil)
		}
		return nil
	}
	return c.event(result)
}

// greet checks the node's chain and subscribes.
func (c *conversation) greet(ctx context.Context, socket fetch.Socket, result json.RawMessage) error {
	answer, _, err := statusQuestion().Read(result)
	if err != nil {
		return err
	}
	pool := c.events.Pool
	if got := answer.(Status).ChainID; got != pool.config.ChainID {
		return &nodepool.WrongChainError{Got: got, Want: pool.config.ChainID}
	}
	if c.begun {
		return nil
	}
	c.begun = true
	if err := subscribe(ctx, socket, idSpent, "coin_spent.spender", c.events.Address); err != nil {
		return err
	}
	return subscribe(ctx, socket, idReceived, "coin_received.receiver", c.events.Address)
}

// event parses an event of a subscription.
func (c *conversation) event(result json.RawMessage) error {
	var r struct {
		Data struct {
			Value struct {
				Tx *struct {
					Height count
					Index  uint32
					Tx     []byte
					Result executed
				} `json:"TxResult"`
			}
		}
	}
	err := nodepool.Read(result, &r)
	if err != nil || r.Data.Value.Tx == nil {
		return err
	}
	t := r.Data.Value.Tx
	tx := newTx(t.Height, t.Index, t.Tx, t.Result)
	if slices.Contains(c.recent, tx.Hash) {
		return nil
	}
	const remembered = 256
	c.recent = append(c.recent, tx.Hash)
	if len(c.recent) > remembered {
		c.recent = slices.Clone(c.recent[1:])
	}
	c.events.Pool.ObserveBlock(int64(tx.Height))
	c.tell(&tx)
	return nil
}

// tell reports that something has changed or may have changed.
func (c *conversation) tell(tx *Tx) {
	c.events.Pool.Invalidate(wire.PathBalance, wire.PathAllBalances, wire.PathSpendableBalances, wire.PathAccount, QuantityHeight)
	c.events.Changed(tx)
}
