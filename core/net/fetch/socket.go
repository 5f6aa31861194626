package fetch

import "context"

// Dialer opens websockets.
type Dialer interface {
	// Dial opens a websocket. URL is absolute, with scheme ws or wss; Limit is the maximum size of
	// a received message in bytes; Method and Body are not used; a page cannot send a Header and
	// returns ErrRequest if there is one. ctx only applies to opening. The errors are those of
	// Fetch. Dial may be called concurrently.
	Dial(ctx context.Context, r Request) (Socket, error)
}

// Socket is a connection on which both sides send text. One goroutine may read while
// others write and close.
type Socket interface {
	// Read waits for the next message. When it fails, and when ctx ends, the
	// connection is over: a socket is read by a context for all messages, or closed
	// after the first that did not come in time. A message beyond the limit is
	// ErrTooLarge; an end by the other side is ErrUnreachable.
	Read(ctx context.Context) ([]byte, error)
	// Write sends a message. When it fails the connection is over.
	Write(ctx context.Context, text []byte) error
	// Close ends the connection at once. It may be called more than once.
	Close() error
}
