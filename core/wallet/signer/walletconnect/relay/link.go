package relay

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"obverse/core/guard"
	"obverse/core/net/fetch"
	"obverse/core/wallet/signer/walletconnect/wire"
)

// errLost means that the connection ended before the response arrived.
var errLost = errors.New("connection lost")

// Limits of one connection.
const (
	maxQueued = 64  // maximum number of messages that wait for Receive; others are not confirmed, and fetched later
	maxBatch  = 500 // maximum number of topics in one request
	maxPages  = 20  // maximum number of requests for stored messages in a row
)

// link is a connection to the relay.
type link struct {
	client *Client
	socket fetch.Socket
	queue  chan pushed
	over   chan struct{} // closed when the connection ends

	mu      sync.Mutex
	waiting map[uint64]chan answer

	dropped atomic.Bool       // whether a message did not fit in the queue
	silent  atomic.Bool       // whether a request timed out
	watched map[string]string // subscription id by topic; only used by tend
	noFetch bool              // whether the relay does not support fetching
}

// connect opens a connection and uses it until it ends or is idle.
func (c *Client) connect(ctx context.Context) error {
	address, err := c.address()
	if err != nil {
		return err
	}
	dialing, cancel := context.WithTimeout(ctx, dialTime)
	socket, err := c.config.Dial.Dial(dialing, fetch.Request{URL: address, Limit: maxFrame})
	cancel()
	if err != nil {
		return err
	}
	l := &link{client: c, socket: socket, queue: make(chan pushed, maxQueued), over: make(chan struct{}),
		waiting: map[uint64]chan answer{}, watched: map[string]string{}}
	c.change(func() {
		c.link = l
		close(c.linked)
		c.linked = make(chan struct{})
	})
	defer c.change(func() { c.link = nil })
	defer close(l.over)
	group, inner := errgroup.WithContext(ctx)
	group.Go(guard.Func(inner, "reading from a relay", func() error { return l.read(inner) }))
	group.Go(guard.Func(inner, "receiving a message", func() error { return l.deliver(inner) }))
	group.Go(guard.Func(inner, "subscribing at a relay", func() error { return l.tend(inner) }))
	<-inner.Done()
	_ = socket.Close() // ends the read
	if err := group.Wait(); !l.silent.Load() {
		return err
	}
	return errSilent
}

// errSilent ends a connection on which the relay does not respond.
var errSilent = fmt.Errorf("request timed out after %s", answerTime)

// errIdle ends a connection that is not needed.
var errIdle = errors.New("nothing to do")

// ask sends a request and waits for its response. A timeout ends the connection.
func (l *link) ask(ctx context.Context, id uint64, text []byte) (json.RawMessage, error) {
	answered := make(chan answer, 1)
	l.mu.Lock()
	l.waiting[id] = answered
	l.mu.Unlock()
	defer func() {
		l.mu.Lock()
		delete(l.waiting, id)
		l.mu.Unlock()
	}()
	// Detach the write from ctx: a canceled write would close the connection.
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), answerTime)
	defer cancel()
	if err := l.socket.Write(late, text); err != nil {
		_ = l.socket.Close() // ends the reader too
		return nil, errLost
	}
	select {
	case a := <-answered:
		return a.result, a.err
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-l.over:
		return nil, errLost
	case <-late.Done():
		l.silent.Store(true)
		_ = l.socket.Close()
		return nil, errLost
	}
}

// read handles frames from the relay.
func (l *link) read(ctx context.Context) error {
	for {
		text, err := l.socket.Read(ctx)
		if err != nil {
			return err
		}
		id, a, p, err := decodeFrame(text)
		switch {
		case err != nil:
			return err
		case a != nil:
			l.answered(id, *a)
		case p != nil:
			select {
			case l.queue <- *p:
			default:
				l.dropped.Store(true)
			}
		}
	}
}

func (l *link) answered(id uint64, a answer) {
	l.mu.Lock()
	waiting, ok := l.waiting[id]
	delete(l.waiting, id)
	l.mu.Unlock()
	if ok {
		l.works()
		waiting <- a
	}
}

// deliver passes each message to Receive once, then confirms it.
func (l *link) deliver(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case p := <-l.queue:
			if len(p.Text) <= wire.MaxEnvelope && l.client.wants(p.Topic) && l.client.seen.add(p.Topic, p.Text) {
				// Receive completes even if the connection ends in the meantime.
				l.client.config.Receive(context.WithoutCancel(ctx), p.Delivery)
			}
			if p.id == nil {
				continue
			}
			if err := l.socket.Write(ctx, encodeConfirmation(p.id)); err != nil {
				return err
			}
			if len(l.queue) == 0 && l.dropped.Load() {
				l.client.change(func() {})
			}
		}
	}
}

func (c *Client) wants(topic string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.topics[topic]
}

// tend synchronizes the relay's subscriptions with the client's topics and detects a dead
// connection.
func (l *link) tend(ctx context.Context) error {
	ticker := time.NewTicker(beat)
	defer ticker.Stop()
	for fetch := true; ; {
		added, err := l.subscribe(ctx)
		if err != nil {
			return err
		}
		if err := l.unsubscribe(ctx); err != nil {
			return err
		}
		if fetch || added || l.dropped.Swap(false) {
			if err := l.fetch(ctx); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.client.wake:
			fetch = false
		case <-ticker.C:
			fetch = true
			if !l.client.busy() {
				return errIdle
			}
		}
	}
}

// difference returns the topics to subscribe to and the topics to unsubscribe from.
func (l *link) difference() (missing, extra []string) {
	c := l.client
	c.mu.Lock()
	defer c.mu.Unlock()
	for topic := range c.topics {
		if _, has := l.watched[topic]; !has && len(missing) < maxBatch {
			missing = append(missing, topic)
		}
	}
	for topic := range l.watched {
		if !c.topics[topic] && len(extra) < maxBatch {
			extra = append(extra, topic)
		}
	}
	return missing, extra
}

type topics struct {
	Topics []string `json:"topics"`
}

// subscribe subscribes to new topics.
func (l *link) subscribe(ctx context.Context) (added bool, err error) {
	for {
		missing, _ := l.difference()
		if len(missing) == 0 {
			return added, nil
		}
		result, err := l.send(ctx, methodSubscribe, topics{missing})
		if err != nil {
			return added, fmt.Errorf("subscribe to %d topics: %w", len(missing), err)
		}
		var ids []string
		_ = json.Unmarshal(result, &ids) // without the ids, unsubscribing is not possible
		for n, topic := range missing {
			l.watched[topic] = ""
			if n < len(ids) && len(ids[n]) <= maxSubscription {
				l.watched[topic] = ids[n]
			}
		}
		added = true
	}
}

// maxSubscription limits the size of a subscription id, in bytes.
const maxSubscription = 128

type subscription struct {
	ID    string `json:"id"`
	Topic string `json:"topic"`
}

// unsubscribe ends subscriptions. If the relay does not support it, further messages are
// dropped.
func (l *link) unsubscribe(ctx context.Context) error {
	_, extra := l.difference()
	var all []subscription
	for _, topic := range extra {
		all = append(all, subscription{l.watched[topic], topic})
		delete(l.watched, topic)
	}
	if len(all) == 0 {
		return nil
	}
	_, err := l.send(ctx, methodUnsubscribe, struct {
		All []subscription `json:"subscriptions"`
	}{all})
	var refused *RefusedError
	if errors.As(err, &refused) {
		return nil
	}
	return err
}

// fetch fetches the messages that the relay stored while the node was offline. The response
// also shows that the connection works.
func (l *link) fetch(ctx context.Context) error {
	var all []string
	for topic := range l.watched {
		if all = append(all, topic); len(all) == maxBatch {
			break
		}
	}
	more := len(all) > 0
	var err error
	for n := 0; n < maxPages && more && err == nil; n++ {
		more, err = l.page(ctx, all)
	}
	return err
}

// page fetches one page of stored messages and reports whether there are more.
func (l *link) page(ctx context.Context, all []string) (more bool, err error) {
	method := methodFetch
	if l.noFetch {
		method = methodSubscribe // its response also shows that the connection works
	}
	result, err := l.send(ctx, method, topics{all})
	var refused *RefusedError
	if errors.As(err, &refused) {
		l.noFetch = l.noFetch || unknownMethod(err)
		return false, nil
	}
	if err != nil {
		return false, err
	}
	var page struct {
		Messages []Delivery `json:"messages"`
		More     bool       `json:"hasMore"`
	}
	if json.Unmarshal(result, &page) != nil { // a response to methodSubscribe
		return false, nil
	}
	for _, m := range page.Messages {
		select {
		case l.queue <- pushed{Delivery: m}:
		case <-ctx.Done():
			return false, ctx.Err()
		}
	}
	return page.More && len(page.Messages) > 0, nil
}

// send sends a request that is not repeated on another connection.
func (l *link) send(ctx context.Context, method string, params any) (json.RawMessage, error) {
	text, id, err := l.client.request(method, params)
	if err != nil {
		return nil, err
	}
	return l.ask(ctx, id, text)
}

// works records that the relay responds.
func (l *link) works() {
	c := l.client
	c.mu.Lock()
	first := !c.working
	c.working, c.reason = true, nil
	c.mu.Unlock()
	if first {
		c.config.Log.Info("connected to the relay", "relay", c.host)
	}
}

// maxSeen limits how many messages a client remembers.
const maxSeen = 2048

// seen remembers the hashes of the latest messages.
type seen struct {
	mu   sync.Mutex
	has  map[[32]byte]bool
	ring [maxSeen][32]byte
	next int
}

// add records a message and reports whether it is new.
func (s *seen) add(topic, text string) bool {
	sum := sha256.Sum256([]byte(topic + "\x00" + text))
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.has[sum] {
		return false
	}
	if s.has == nil {
		s.has = make(map[[32]byte]bool, maxSeen)
	}
	delete(s.has, s.ring[s.next])
	s.ring[s.next], s.has[sum] = sum, true
	s.next = (s.next + 1) % maxSeen
	return true
}
