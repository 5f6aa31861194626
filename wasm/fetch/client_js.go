package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"obverse/core/net/fetch"
	"obverse/wasm/jsval"
)

// headerTimeout limits the time for a server to begin its answer or to accept a
// websocket, independent of the caller's context.
const headerTimeout = 60 * time.Second

// Client implements fetch.Fetcher and fetch.Dialer with the members fetch,
// AbortController and WebSocket of an object.
type Client struct {
	global  jsval.Value
	timeout time.Duration
	reason  error // reason of a failure, which the fetch function does not return
}

// New returns a client for a page. global is the global object of the page, or has its members.
func New(global jsval.Value) *Client { return &Client{global, headerTimeout, errHidden} }

// NewAtEdge returns a client for a Worker, to which CORS does not apply.
func NewAtEdge(global jsval.Value) *Client { return &Client{global, headerTimeout, errNoConnection} }

// Fetch implements fetch.Fetcher.
func (c *Client) Fetch(ctx context.Context, r fetch.Request) (fetch.Response, error) {
	if err := check(r, "http", "https"); err != nil {
		return fetch.Response{}, err
	}
	if r.Public {
		if err := fetch.CheckPublic(r.URL); err != nil {
			return fetch.Response{}, err
		}
	}
	if err := ctx.Err(); err != nil {
		return fetch.Response{}, c.failure(ctx, err)
	}
	controller, err := c.global.Get("AbortController").New()
	if err != nil {
		return fetch.Response{}, c.failure(ctx, err)
	}
	// No part of the request continues after Fetch has returned.
	defer func() { _, _ = controller.Call("abort") }()
	answer, err := c.send(ctx, r, controller)
	if err != nil {
		return fetch.Response{}, c.failure(ctx, err)
	}
	if answer.Get("type").TextOr("") == "opaqueredirect" {
		return fetch.Response{Status: 302}, nil
	}
	status, err := answer.Get("status").Whole()
	if err != nil {
		return fetch.Response{}, c.failure(ctx, err)
	}
	body, err := read(ctx, answer, r.Limit)
	if err != nil {
		return fetch.Response{}, c.failure(ctx, err)
	}
	return fetch.Response{Status: int(status), ContentType: header(answer, "content-type"),
		RetryAfter: header(answer, "retry-after"), Body: body}, nil
}

func (c *Client) send(ctx context.Context, r fetch.Request, controller jsval.Value) (jsval.Value, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, c.timeout, fetch.ErrTimeout)
	defer cancel()
	headers := map[string]any{}
	for name, value := range r.Header {
		headers[name] = value
	}
	options := map[string]any{
		"method": r.Method, "headers": headers, "signal": controller.Get("signal"),
		"redirect": "manual", "credentials": "omit", "cache": "no-store", "referrerPolicy": "no-referrer",
	}
	if len(r.Body) > 0 {
		options["body"] = r.Body
	}
	promise, err := c.global.Call("fetch", r.URL, options)
	if err != nil {
		return jsval.Value{}, err
	}
	answer, err := jsval.Await(ctx, promise)
	if err != nil && errors.Is(context.Cause(ctx), fetch.ErrTimeout) {
		err = fetch.ErrTimeout
	}
	return answer, err
}

// header returns a header, which is empty if a server of another origin does not expose it.
func header(answer jsval.Value, name string) string {
	value, err := answer.Get("headers").Call("get", name)
	if err != nil {
		return ""
	}
	return value.TextOr("")
}

// read reads the body in pieces, so that it can stop as soon as the body exceeds the limit.
func read(ctx context.Context, answer jsval.Value, limit int64) ([]byte, error) {
	stream := answer.Get("body")
	if stream.Missing() {
		return nil, nil
	}
	reader, err := stream.Call("getReader")
	if err != nil {
		return nil, err
	}
	var body []byte
	for {
		promise, err := reader.Call("read")
		if err != nil {
			return nil, err
		}
		piece, err := jsval.Await(ctx, promise)
		if err != nil {
			return nil, err
		}
		if piece.Get("done").Is() {
			return body, nil
		}
		size, err := piece.Get("value").Get("byteLength").Whole()
		if err != nil {
			return nil, err
		}
		if int64(len(body))+size > limit {
			return nil, tooLarge(limit)
		}
		more, err := piece.Get("value").Bytes()
		if err != nil {
			return nil, err
		}
		body = append(body, more...)
	}
}

func tooLarge(limit int64) error {
	return fmt.Errorf("%w: more than %d bytes", fetch.ErrTooLarge, limit)
}

// check rejects requests that a page cannot send, or would send in another form.
func check(r fetch.Request, schemes ...string) error {
	u, err := url.Parse(r.URL)
	switch {
	case err != nil: // the error may quote a password
		return fmt.Errorf("%w: invalid URL", fetch.ErrRequest)
	case u.Scheme != schemes[0] && u.Scheme != schemes[1]:
		return fmt.Errorf("%w: the URL must be %s", fetch.ErrRequest, strings.Join(schemes, " or "))
	case u.Host == "":
		return fmt.Errorf("%w: the URL has no host", fetch.ErrRequest)
	case u.User != nil:
		return fmt.Errorf("%w: the URL must not contain a user", fetch.ErrRequest)
	case strings.ContainsFunc(r.Method, func(c rune) bool { return c < 'A' || c > 'Z' }):
		return fmt.Errorf("%w: invalid method %q", fetch.ErrRequest, r.Method)
	case len(r.Body) > 0 && (r.Method == "GET" || r.Method == "HEAD"):
		return fmt.Errorf("%w: %s with a body", fetch.ErrRequest, r.Method)
	}
	for name, value := range r.Header {
		if !isName(name) || strings.ContainsFunc(value, func(c rune) bool { return c < ' ' && c != '\t' || c >= 0x7f }) {
			return fmt.Errorf("%w: invalid character in a header", fetch.ErrRequest)
		}
	}
	return nil
}

func isName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(c rune) bool {
		return c != '-' && c != '_' && (c < '0' || c > '9') && (c|0x20 < 'a' || c|0x20 > 'z')
	})
}

// Reasons of a failed fetch. Neither a browser nor a Worker returns the real reason.
var (
	errHidden       = errors.New("no connection, or the server does not allow web pages (CORS)")
	errNoConnection = errors.New("no connection")
)

// failure adds a kind to an error.
func (c *Client) failure(ctx context.Context, err error) error {
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%w: %w", fetch.ErrTimeout, ctx.Err())
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, fetch.ErrTooLarge), errors.Is(err, fetch.ErrTimeout):
		return err
	}
	return fmt.Errorf("%w: %w", fetch.ErrUnreachable, c.reason)
}
