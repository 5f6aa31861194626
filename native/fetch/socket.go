package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/coder/websocket"

	"obverse/core/net/fetch"
)

// Dial implements fetch.Dialer.
func (c *Client) Dial(ctx context.Context, r fetch.Request) (fetch.Socket, error) {
	if err := check(r, "ws", "wss"); err != nil {
		return nil, err
	}
	opening, cancel := context.WithTimeout(ctx, headerTimeout)
	defer cancel()
	connection, _, err := websocket.Dial(opening, r.URL, &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: stay{c.transport}}, HTTPHeader: c.header(r.Header)})
	if err != nil {
		return nil, failure(ctx, err)
	}
	connection.SetReadLimit(r.Limit)
	return &socket{connection, r.Limit}, nil
}

// stay removes the target of a redirect, so that the websocket library does not follow it.
type stay struct{ http.RoundTripper }

func (s stay) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := s.RoundTripper.RoundTrip(r)
	if answer != nil {
		answer.Header.Del("Location")
	}
	return answer, err
}

type socket struct {
	*websocket.Conn
	limit int64
}

// Read implements fetch.Socket.
func (s *socket) Read(ctx context.Context) ([]byte, error) {
	kind, text, err := s.Conn.Read(ctx)
	switch {
	case errors.Is(err, websocket.ErrMessageTooBig):
		return nil, tooLarge(s.limit)
	case err != nil:
		return nil, failure(ctx, err)
	case kind != websocket.MessageText:
		return nil, errors.Join(fmt.Errorf("%w: received a binary message, want text", fetch.ErrUnreachable), s.Close())
	}
	return text, nil
}

// Write implements fetch.Socket.
func (s *socket) Write(ctx context.Context, text []byte) error {
	if err := s.Conn.Write(ctx, websocket.MessageText, text); err != nil {
		return failure(ctx, err)
	}
	return nil
}

// Close implements fetch.Socket.
func (s *socket) Close() error {
	_ = s.CloseNow() // fails if the connection is already closed
	return nil
}
