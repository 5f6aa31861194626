package nodetest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"obverse/core/net/fetch"
)

// Net is a network of nodes. It implements fetch.Fetcher and fetch.Dialer.
type Net struct {
	mu    sync.Mutex
	hosts map[string]Behaviour
	calls map[string]int // by URL
}

// NewNet returns a network without nodes.
func NewNet() *Net { return &Net{hosts: map[string]Behaviour{}, calls: map[string]int{}} }

// Behaviour is a function that answers the requests to a host.
type Behaviour func(context.Context, fetch.Request) (fetch.Response, error)

// Set sets the host at a URL. The URL must have the format of a pool's requests, with the
// trailing slash.
func (w *Net) Set(url string, b Behaviour) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.hosts[url] = b
}

// Calls returns the number of requests to a host.
func (w *Net) Calls(url string) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls[url]
}

// Fetch implements fetch.Fetcher.
func (w *Net) Fetch(ctx context.Context, r fetch.Request) (fetch.Response, error) {
	w.mu.Lock()
	w.calls[r.URL]++
	host := w.hosts[r.URL]
	w.mu.Unlock()
	if host == nil {
		return fetch.Response{}, fmt.Errorf("%w: no such host", fetch.ErrUnreachable)
	}
	if err := ctx.Err(); err != nil {
		return fetch.Response{}, err
	}
	response, err := host(ctx, r)
	if err == nil && int64(len(response.Body)) > r.Limit {
		err = fetch.ErrTooLarge
	}
	return response, err
}

// Well returns a host that answers with a node.
func Well(n *Node) Behaviour {
	return func(_ context.Context, r fetch.Request) (fetch.Response, error) {
		return fetch.Response{Status: 200, ContentType: "application/json", Body: n.Answer(r.Body)}, nil
	}
}

// Dead is a host that refuses connections.
func Dead(context.Context, fetch.Request) (fetch.Response, error) {
	return fetch.Response{}, fmt.Errorf("%w: connection refused", fetch.ErrUnreachable)
}

// Hangs is a host that never answers.
func Hangs(ctx context.Context, _ fetch.Request) (fetch.Response, error) {
	<-ctx.Done()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fetch.Response{}, fmt.Errorf("%w: %w", fetch.ErrTimeout, ctx.Err())
	}
	return fetch.Response{}, ctx.Err()
}

// Says returns a host that always gives the same response.
func Says(status int, body string) Behaviour {
	return func(context.Context, fetch.Request) (fetch.Response, error) {
		return fetch.Response{Status: status, ContentType: "text/plain", Body: []byte(body)}, nil
	}
}

// Busy returns a host that requests a pause of some seconds.
func Busy(seconds int) Behaviour {
	return func(context.Context, fetch.Request) (fetch.Response, error) {
		return fetch.Response{Status: 429, RetryAfter: fmt.Sprint(seconds), Body: []byte("too many requests")}, nil
	}
}

// Late returns a host that answers with a delay.
func Late(d time.Duration, b Behaviour) Behaviour {
	return func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
		select {
		case <-time.After(d):
			return b(ctx, r)
		case <-ctx.Done():
			return Hangs(ctx, r)
		}
	}
}

// Cut returns a host whose responses are truncated.
func Cut(b Behaviour) Behaviour {
	return func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
		response, err := b(ctx, r)
		response.Body = response.Body[:len(response.Body)/2]
		return response, err
	}
}

// But returns a host that answers one method, or the queries of one path, differently.
func But(what string, other, b Behaviour) Behaviour {
	return func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
		var received request
		if json.Unmarshal(r.Body, &received) == nil && (received.Method == what || received.path() == what) {
			return other(ctx, r)
		}
		return b(ctx, r)
	}
}

// Held returns a host whose answers a test releases. It reports each request on began, which
// must be buffered, and continues when proceed is closed.
func Held(began chan<- struct{}, proceed <-chan struct{}, b Behaviour) Behaviour {
	return func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
		select {
		case began <- struct{}{}:
		default:
		}
		select {
		case <-proceed:
			return b(ctx, r)
		case <-ctx.Done():
			return fetch.Response{}, ctx.Err()
		}
	}
}
