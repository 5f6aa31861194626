package httpd

import (
	"context"
	"errors"
	"net/http"
	"sync"
	"time"

	"obverse/core/event"
	"obverse/native/limit"
)

// eventHeaders sets the headers of the answer; the last one keeps nginx from buffering events.
func eventHeaders(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Accel-Buffering", "no")
	w.WriteHeader(http.StatusOK)
}

// stream writes events to one client, which has a limited time to read each.
type stream struct {
	w         http.ResponseWriter
	control   *http.ResponseController
	cancel    context.CancelFunc // of the context that is passed to run
	keepAlive time.Duration
	text      []byte // reused

	mu    sync.Mutex
	limit time.Duration // time for the client to read one event
}

func newStream(w http.ResponseWriter, limits Limits, cancel context.CancelFunc) *stream {
	return &stream{w: w, control: http.NewResponseController(w), cancel: cancel, keepAlive: limits.KeepAlive, limit: limits.Write}
}

// End makes run return soon, even if the client does not read.
func (s *stream) End() {
	s.cancel()
	s.mu.Lock()
	s.limit = min(s.limit, limit.EndTime)
	s.mu.Unlock()
	_ = s.expect() // the next write would fail too
}

// expect sets the deadline for the client to read the next event.
func (s *stream) expect() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.control.SetWriteDeadline(time.Now().Add(s.limit))
}

// run writes until ctx ends, the client disconnects or stops reading, or the connection is taken over.
// It returns no error, because there is no client to receive one. It also writes comments, because proxies close
// silent connections, and when another connection checks whether the client is still connected.
func (s *stream) run(ctx context.Context, connection *event.Connection) {
	eventHeaders(s.w)
	err := s.write(connection.AppendStart(nil))
	for err == nil {
		var text []byte
		if text, err = event.After(ctx, s.copy(ctx, connection)); text != nil {
			err = errors.Join(err, s.write(text))
		}
	}
	s.finish(err, connection)
	_ = s.expect() // for the end of the answer
}

// finish writes the events that were published before the end of the server, such as the shutdown event.
func (s *stream) finish(reason error, connection *event.Connection) {
	if !errors.Is(reason, context.Canceled) && !errors.Is(reason, event.ErrStopped) {
		return
	}
	for {
		e, ok := connection.Waiting()
		if !ok {
			return
		}
		s.text = e.Append(s.text[:0])
		if s.write(s.text) != nil {
			return
		}
	}
}

// copy writes events until the next comment is due, and returns the reason why it ended.
func (s *stream) copy(ctx context.Context, connection *event.Connection) error {
	ctx, cancel := context.WithTimeout(ctx, s.keepAlive)
	defer cancel()
	for {
		e, err := connection.Next(ctx)
		if err != nil {
			return err
		}
		s.text = e.Append(s.text[:0])
		if err := s.write(s.text); err != nil {
			return err
		}
	}
}

func (s *stream) write(text []byte) error {
	if err := s.expect(); err != nil {
		return err
	}
	if _, err := s.w.Write(text); err != nil {
		return err
	}
	return s.control.Flush()
}
