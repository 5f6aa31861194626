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
	// RetryTime is the time that a client should wait before it connects again.
	RetryTime = 2 * time.Second
	// TakenOverTime is the time that a client should wait after another connection has taken
	// over its stream. Otherwise two connections would keep taking it from each other. A
	// browser can only receive this time in the stream itself.
	TakenOverTime = 30 * time.Second
	// KeepAlive is the time between comments, which keep proxies from closing idle connections.
	KeepAlive = 15 * time.Second
)

// Errors for an invalid request for the stream.
var (
	// ErrClient reports that the parameter id is not a client id.
	ErrClient = errors.New("parameter id must be a whole number from 0 to 18446744073709551615, the client_id of stream::heartbeat::enable and others")
	// ErrBody reports that the request has a body.
	ErrBody = errors.New("a request for events has no body")
	// ErrOrigin reports that a browser sent the request for a page that may not read events.
	ErrOrigin = errors.New("pages of this web origin may not read events")
	// ErrNoCredential reports that the caller needs a credential and has no valid one.
	ErrNoCredential = errors.New("events need the RPC password (Basic authentication, any user), " +
		"or as the parameter ticket an unused one that stream::ticket gave for this client")
)

// ParseClient parses the parameter id of a request. An empty text means client 0, as in Komodo
// DeFi Framework. An invalid text is an error; in Komodo DeFi Framework it means client 0, so
// that a client with a mistyped id waits for another client's events.
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
// Last-Event-ID of browsers or, for their first request, the parameter lastEventId. If both are
// empty, it returns nil. An invalid number is treated like a position that the hub does not
// know.
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

// After decides how a stream continues after an error of Next, whose context has a deadline for
// the next comment within ctx. It returns a text to send, if any, and an error if the stream
// has ended.
func After(ctx context.Context, err error) (text []byte, end error) {
	switch {
	case errors.Is(err, ErrProbed), errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return []byte(": keep-alive\n\n"), nil
	case errors.Is(err, ErrTakenOver):
		return fmt.Appendf(nil, "retry: %d\ndata: {\"_type\":%q,\"message\":{}}\n\n", TakenOverTime.Milliseconds(), TypeTakenOver), err
	}
	return nil, err
}
