package event

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"
	"time"
)

// Times of a stream of server-sent events.
const (
	// RetryTime is the delay that a client should wait before it connects again.
	RetryTime = 2 * time.Second
	// TakenOverTime is the delay that a client should wait after another connection has taken over
	// its stream. Otherwise two connections would keep taking it from each other. A browser has no
	// other way to receive the delay.
	TakenOverTime = 30 * time.Second
	// KeepAlive is the time between comments: proxies cut silent connections.
	KeepAlive = 15 * time.Second
)

// Reasons to refuse a request for the stream.
var (
	// ErrClient: the parameter id is not a client id.
	ErrClient = errors.New("parameter id must be a whole number from 0 to 18446744073709551615, the client_id of stream::heartbeat::enable and others")
	// ErrBody: the request has a body.
	ErrBody = errors.New("a request for events has no body")
	// ErrOrigin: a browser sent the request for a page that may not read events.
	ErrOrigin = errors.New("pages of this web origin may not read events")
	// ErrNoCredential: the caller needs a credential and has no valid one.
	ErrNoCredential = errors.New("events need the RPC password (Basic authentication, any user), " +
		"or as the parameter ticket an unused one that stream::ticket gave for this client")
)

// ParseClient reads the parameter id of a request. An empty one is client 0, as upstream.
// An invalid one is client 0 there: who mistypes it would wait for another client's events.
func ParseClient(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	id, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w, got %.40q", ErrClient, text)
	}
	return id, nil
}

// ParsePosition reads the id of the last event that the client has received: the header
// Last-Event-ID of browsers or, for their first request, the parameter lastEventId. Both
// empty give nil. An invalid number is a position that the hub does not know.
func ParsePosition(header, parameter string) *uint64 {
	text := header
	if text == "" {
		text = parameter
	}
	if text == "" {
		return nil
	}
	last, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		last = math.MaxUint64
	}
	return &last
}

// AppendStart appends the first block of the connection's stream.
func (c *Connection) AppendStart(text []byte) []byte {
	return fmt.Appendf(text, "retry: %d\nid: %d\n\n", RetryTime.Milliseconds(), c.start)
}

// Append appends the event's block.
func (e Event) Append(text []byte) []byte {
	return fmt.Appendf(text, "id: %d\ndata: %s\n\n", e.ID, e.Text)
}

// After reports how a stream goes on after an error of Next, whose context had a deadline for
// the next comment within ctx: text, if any, is sent, and unless end is nil the stream ends.
func After(ctx context.Context, err error) (text []byte, end error) {
	switch {
	case errors.Is(err, ErrProbed), errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return []byte(": keep-alive\n\n"), nil
	case errors.Is(err, ErrTakenOver):
		return fmt.Appendf(nil, "retry: %d\ndata: {\"_type\":%q,\"message\":{}}\n\n", TakenOverTime.Milliseconds(), TypeTakenOver), err
	}
	return nil, err
}
