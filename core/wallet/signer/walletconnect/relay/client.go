package relay

import (
	"context"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/btcsuite/btcd/btcutil/base58"

	"obverse/core/clock"
	"obverse/core/guard"
	"obverse/core/net/fetch"
)

// Timeouts of a client.
const (
	dialTime    = 20 * time.Second
	answerTime  = 15 * time.Second       // for one request on one connection; then the connection is closed
	timeout     = time.Minute            // for one request across all connections
	beat        = 2 * time.Minute        // between requests on a quiet connection, to detect a dead one
	minBackoff  = 250 * time.Millisecond // after the first failure; doubled after each further one
	maxBackoff  = 15 * time.Second       // well below timeout
	maxDoubling = 6
)

// ErrUnanswered means that the relay did not confirm a request in time or was unreachable.
var ErrUnanswered = errors.New("the relay did not confirm the request")

// Logger logs connection events.
type Logger interface {
	Info(message string, pairs ...any)
	Warn(message string, pairs ...any)
}

// Config configures a Client.
type Config struct {
	URL       string // ws or wss, without a query
	ProjectID string // issued by the relay's operator
	Seed      [32]byte
	Dial      fetch.Dialer
	Now       func() time.Time
	Random    io.Reader
	Log       Logger
	// Receive is called with messages, one at a time. The relay keeps a message until Receive
	// has returned.
	Receive func(ctx context.Context, m Delivery)
}

// Client is a client of one relay. It is safe for concurrent use.
type Client struct {
	config Config
	host   string // for log lines
	key    ed25519.PrivateKey
	seen   seen
	wake   chan struct{} // signals that there is work to do

	mu      sync.Mutex
	topics  map[string]bool
	calls   int           // number of calls that wait for a connection or a response
	link    *link         // nil if not connected
	linked  chan struct{} // closed with the next connection
	lastID  uint64
	reason  error // reason why the last connection failed
	working bool  // whether the relay has confirmed a request since the last failure
}

// New returns a client. It connects while Run runs.
func New(c Config) (*Client, error) {
	u, err := url.Parse(c.URL)
	if err != nil || u.Host == "" || u.Scheme != "ws" && u.Scheme != "wss" || u.RawQuery != "" || u.User != nil || u.Fragment != "" {
		return nil, errors.New("relay URL is invalid, want ws:// or wss:// with a host and without a user, query or fragment")
	}
	return &Client{config: c, host: u.Host, key: ed25519.NewKeyFromSeed(c.Seed[:]), wake: make(chan struct{}, 1),
		topics: map[string]bool{}, linked: make(chan struct{})}, nil
}

// Watch subscribes to a topic. Receive also gets the messages that the relay has stored for it.
func (c *Client) Watch(topic string) { c.change(func() { c.topics[topic] = true }) }

// Unwatch ends the subscription to a topic.
func (c *Client) Unwatch(topic string) { c.change(func() { delete(c.topics, topic) }) }

func (c *Client) change(do func()) {
	c.mu.Lock()
	do()
	c.mu.Unlock()
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Publication is a message to publish.
type Publication struct {
	Delivery
	TTL         time.Duration // how long the relay stores the message
	Tag         int           // type of message, a number of the specification
	Prompt      bool          // the relay may send the receiver a push notification
	Correlation uint64        // id of the message
}

// Publish sends a message and returns once the relay has confirmed it. It returns
// ErrUnanswered, a *RefusedError, or the error of ctx.
func (c *Client) Publish(ctx context.Context, p Publication) error {
	c.seen.add(p.Topic, p.Text)
	_, err := c.call(ctx, methodPublish, struct {
		Delivery
		publishing
	}{p.Delivery, publishingOf(p)})
	return err
}

// publishing holds the params of a message except its text.
type publishing struct {
	TTL         int64  `json:"ttl"`
	Prompt      bool   `json:"prompt"`
	Tag         int    `json:"tag"`
	Correlation uint64 `json:"correlationId,omitempty"`
}

func publishingOf(p Publication) publishing {
	return publishing{int64(p.TTL / time.Second), p.Prompt, p.Tag, p.Correlation}
}

// Propose sends a session proposal. For relays without the method for proposals it falls back
// to Publish.
func (c *Client) Propose(ctx context.Context, p Publication) error {
	c.seen.add(p.Topic, p.Text)
	_, err := c.call(ctx, methodPropose, struct {
		Topic string `json:"pairingTopic"`
		Text  string `json:"sessionProposal"`
		publishing
	}{p.Topic, p.Text, publishingOf(p)})
	if unknownMethod(err) {
		return c.Publish(ctx, p)
	}
	return err
}

// call sends a request and repeats it on each new connection until it is answered.
func (c *Client) call(ctx context.Context, method string, params any) (json.RawMessage, error) {
	text, id, err := c.request(method, params)
	if err != nil {
		return nil, err
	}
	bounded, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	c.change(func() { c.calls++ })
	defer c.change(func() { c.calls-- })
	for {
		l, err := c.connected(bounded)
		if err != nil {
			return nil, c.gaveUp(ctx)
		}
		result, err := l.ask(bounded, id, text)
		switch {
		case errors.Is(err, errLost):
			if err := clock.Sleep(bounded, minBackoff); err != nil {
				return nil, c.gaveUp(ctx)
			}
		case err != nil && bounded.Err() != nil:
			return nil, c.gaveUp(ctx)
		default:
			return result, err
		}
	}
}

// gaveUp returns the error of a request that was not answered.
func (c *Client) gaveUp(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.reason != nil {
		return fmt.Errorf("%w within %s: relay %s: %w", ErrUnanswered, timeout, c.host, c.reason)
	}
	return fmt.Errorf("%w within %s: relay %s", ErrUnanswered, timeout, c.host)
}

// request encodes a request with a new id. The id consists of milliseconds and a counter,
// within JavaScript's safe integers.
func (c *Client) request(method string, params any) ([]byte, uint64, error) {
	c.mu.Lock()
	c.lastID = max(c.lastID+1, uint64(c.config.Now().UnixMilli())*1000)
	id := c.lastID
	c.mu.Unlock()
	text, err := encodeRequest(id, method, params)
	return text, id, err
}

// connected returns the current connection, or waits for one.
func (c *Client) connected(ctx context.Context) (*link, error) {
	for {
		c.mu.Lock()
		l, next := c.link, c.linked
		c.mu.Unlock()
		if l != nil {
			return l, nil
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-next:
		}
	}
}

// busy reports whether a connection is needed.
func (c *Client) busy() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.topics) > 0 || c.calls > 0
}

// Run keeps the client connected while there is work to do, until ctx is done.
func (c *Client) Run(ctx context.Context) error {
	for failures := 0; ; {
		if err := c.awaitWork(ctx); err != nil {
			return err
		}
		began := c.config.Now()
		err := guard.Do(ctx, "the connection to a relay", func() error { return c.connect(ctx) })
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if c.failed(err) && c.config.Now().Sub(began) > maxBackoff { // a relay may repeatedly answer once and disconnect
			failures = 0
		}
		if err := clock.Sleep(ctx, min(minBackoff<<min(failures, maxDoubling), maxBackoff)); err != nil {
			return err
		}
		failures++
	}
}

func (c *Client) awaitWork(ctx context.Context) error {
	for !c.busy() {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-c.wake:
		}
	}
	return ctx.Err()
}

// failed records why a connection ended, and reports whether it had worked.
func (c *Client) failed(err error) bool {
	c.mu.Lock()
	worked := c.working
	first := worked || c.reason == nil
	c.working, c.reason = false, err
	c.mu.Unlock()
	if first && err != nil && !errors.Is(err, errIdle) {
		c.config.Log.Warn("connection to the relay failed", "relay", c.host, "error", err)
	}
	return worked
}

// address returns the URL to connect to. The token is in the query, since browsers cannot send
// headers with a WebSocket.
func (c *Client) address() (string, error) {
	var subject [32]byte
	if _, err := io.ReadFull(c.config.Random, subject[:]); err != nil {
		return "", fmt.Errorf("make a token: source of randomness: %w", err)
	}
	auth, err := token(c.key, subject, c.config.URL, c.config.Now())
	if err != nil {
		return "", err
	}
	separator := "/?"
	if strings.Count(c.config.URL, "/") > 2 {
		separator = "?"
	}
	return c.config.URL + separator + "auth=" + auth + "&projectId=" + url.QueryEscape(c.config.ProjectID) + "&useOnCloseEvent=true", nil
}

// tokenLife is the lifetime of a token. It is long enough for a clock that is wrong by hours. A
// connection may outlast its token.
const tokenLife = 24 * time.Hour

// ed25519Code is the multicodec prefix of an Ed25519 key in a did:key.
const ed25519Code = "\xed\x01"

// clientID returns the client's id at the relay: its public key as a DID.
func clientID(public ed25519.PublicKey) string {
	return "did:key:z" + base58.Encode(append([]byte(ed25519Code), public...))
}

// claims holds the claims of a token, in the order of the official clients.
type claims struct {
	Issuer   string `json:"iss"`
	Subject  string `json:"sub"`
	Audience string `json:"aud"`
	Issued   int64  `json:"iat"`
	Expires  int64  `json:"exp"`
}

// token returns the JWT that identifies the client to the relay. subject is a nonce.
func token(key ed25519.PrivateKey, subject [32]byte, url string, now time.Time) (string, error) {
	body, err := json.Marshal(claims{clientID(key.Public().(ed25519.PublicKey)), hex.EncodeToString(subject[:]), url,
		now.Unix(), now.Add(tokenLife).Unix()})
	if err != nil {
		return "", err
	}
	signed := encode([]byte(`{"alg":"EdDSA","typ":"JWT"}`)) + "." + encode(body)
	return signed + "." + encode(ed25519.Sign(key, []byte(signed))), nil
}

func encode(b []byte) string { return base64.RawURLEncoding.EncodeToString(b) }
