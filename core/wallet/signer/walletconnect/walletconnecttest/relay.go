package walletconnecttest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"

	"obverse/core/net/fetch"
)

// Relay is an in-memory relay. Dial connects to it for any URL.
type Relay struct {
	Old bool // whether it only supports irn_publish and irn_batchSubscribe

	mu      sync.Mutex
	down    bool
	mute    bool
	silent  bool // whether it does not confirm messages that it forwards
	conns   map[*conn]bool
	stored  []*stored
	next    int
	methods []string
	urls    []string
}

// stored is an unconfirmed message.
type stored struct {
	id    int
	topic string
	text  string
	from  string // client id of the sender
}

type request struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params struct {
		Topic    string   `json:"topic"`
		Message  string   `json:"message"`
		Topics   []string `json:"topics"`
		Pairing  string   `json:"pairingTopic"`
		Proposal string   `json:"sessionProposal"`
		Gone     []struct {
			Topic string `json:"topic"`
		} `json:"subscriptions"`
	} `json:"params"`
}

// Down makes the relay refuse connections and close the open ones, or accept connections again.
func (r *Relay) Down(down bool) {
	r.mu.Lock()
	r.down = down
	r.mu.Unlock()
	if down {
		r.Cut()
	}
}

// Mute makes the relay stop or resume answering requests.
func (r *Relay) Mute(mute bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.mute = mute
}

// Unconfirmed makes the relay stop or resume confirming the messages that it forwards.
func (r *Relay) Unconfirmed(silent bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.silent = silent
}

// Cut closes all connections.
func (r *Relay) Cut() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.conns {
		c.end()
	}
}

// Connections returns the number of open connections.
func (r *Relay) Connections() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.conns)
}

// Methods returns the methods requested so far, in order.
func (r *Relay) Methods() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.methods)
}

// URLs returns the URLs of all connections.
func (r *Relay) URLs() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.urls)
}

// Say sends text on all connections.
func (r *Relay) Say(text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for c := range r.conns {
		c.say(text)
	}
}

// Dial implements fetch.Dialer.
func (r *Relay) Dial(ctx context.Context, q fetch.Request) (fetch.Socket, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.urls = append(r.urls, q.URL)
	if r.down {
		return nil, fmt.Errorf("%w: connection refused", fetch.ErrUnreachable)
	}
	if r.conns == nil {
		r.conns = map[*conn]bool{}
	}
	c := &conn{relay: r, client: issuer(q.URL), limit: q.Limit, in: make(chan string, 4096), over: make(chan struct{}), topics: map[string]bool{}}
	r.conns[c] = true
	return c, nil
}

// issuer returns the client id in a connection's token.
func issuer(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		panic(err)
	}
	claims, err := base64.RawURLEncoding.DecodeString(strings.Split(u.Query().Get("auth"), ".")[1])
	if err != nil {
		panic(err)
	}
	var c struct{ Iss string }
	if err := json.Unmarshal(claims, &c); err != nil {
		panic(err)
	}
	return c.Iss
}

// conn is a connection.
type conn struct {
	relay  *Relay
	client string // client id, from the token
	limit  int64
	in     chan string
	over   chan struct{}
	closed bool
	topics map[string]bool
}

// end closes the connection. The relay's lock must be held, as for say and answer.
func (c *conn) end() {
	if !c.closed {
		c.closed = true
		close(c.over)
		delete(c.relay.conns, c)
	}
}

func (c *conn) say(text string) {
	if !c.closed {
		c.in <- text
	}
}

// Read implements fetch.Socket.
func (c *conn) Read(ctx context.Context) ([]byte, error) {
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.over:
		return nil, fetch.ErrUnreachable
	case text := <-c.in:
		if int64(len(text)) > c.limit {
			return nil, fetch.ErrTooLarge
		}
		return []byte(text), nil
	}
}

// Close implements fetch.Socket.
func (c *conn) Close() error {
	c.relay.mu.Lock()
	defer c.relay.mu.Unlock()
	c.end()
	return nil
}

// Write implements fetch.Socket.
func (c *conn) Write(_ context.Context, text []byte) error {
	var q request
	if err := json.Unmarshal(text, &q); err != nil {
		return err
	}
	r := c.relay
	r.mu.Lock()
	defer r.mu.Unlock()
	if c.closed {
		return fetch.ErrUnreachable
	}
	if q.Method == "" {
		r.confirmed(string(q.ID))
		return nil
	}
	r.methods = append(r.methods, q.Method)
	if !r.mute {
		r.serve(c, q)
	}
	return nil
}

func (r *Relay) confirmed(id string) {
	r.stored = slices.DeleteFunc(r.stored, func(k *stored) bool { return fmt.Sprint(k.id) == id })
}

func (r *Relay) serve(c *conn, q request) {
	result := any(true)
	switch {
	case q.Method == "irn_publish":
		if r.silent {
			r.publish(c, q.Params.Topic, q.Params.Message)
			return
		}
		defer r.publish(c, q.Params.Topic, q.Params.Message)
	case q.Method == "irn_batchSubscribe":
		result = q.Params.Topics // the topics serve as subscription ids
		defer r.subscribe(c, q.Params.Topics)
	case r.Old:
		c.say(`{"id":` + string(q.ID) + `,"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"}}`)
		return
	case q.Method == "wc_proposeSession":
		c.topics[q.Params.Pairing] = true
		defer r.publish(c, q.Params.Pairing, q.Params.Proposal)
	case q.Method == "irn_batchUnsubscribe":
		for _, s := range q.Params.Gone {
			delete(c.topics, s.Topic)
		}
	case q.Method == "irn_batchFetchMessages":
		result = map[string]any{"messages": r.fetch(c, q.Params.Topics), "hasMore": false}
	}
	raw, err := json.Marshal(result)
	if err != nil {
		panic(err)
	}
	c.say(`{"id":` + string(q.ID) + `,"jsonrpc":"2.0","result":` + string(raw) + `}`)
}

func (r *Relay) publish(from *conn, topic, text string) {
	r.next++
	k := &stored{id: 1000 + r.next, topic: topic, text: text, from: from.client}
	r.stored = append(r.stored, k)
	for c := range r.conns {
		if c != from && c.topics[topic] {
			c.push(k)
		}
	}
}

func (c *conn) push(k *stored) {
	data, err := json.Marshal(map[string]any{"topic": k.topic, "message": k.text, "publishedAt": 1})
	if err != nil {
		panic(err)
	}
	c.say(fmt.Sprintf(`{"id":%d,"jsonrpc":"2.0","method":"irn_subscription","params":{"id":%q,"data":%s}}`, k.id, k.topic, data))
}

func (r *Relay) subscribe(c *conn, topics []string) {
	for _, topic := range topics {
		c.topics[topic] = true
	}
	for _, k := range r.stored {
		if slices.Contains(topics, k.topic) && k.from != c.client {
			c.push(k)
		}
	}
}

func (r *Relay) fetch(c *conn, topics []string) []map[string]any {
	found := []map[string]any{}
	r.stored = slices.DeleteFunc(r.stored, func(k *stored) bool {
		mine := slices.Contains(topics, k.topic) && k.from != c.client
		if mine {
			found = append(found, map[string]any{"topic": k.topic, "message": k.text, "publishedAt": 1})
		}
		return mine
	})
	return found
}
