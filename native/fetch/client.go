package fetch

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"
	"unicode"

	"obverse/core/net/fetch"
)

// Times after which a server counts as unreachable, independent of the caller's context.
const (
	connectTimeout = 10 * time.Second
	headerTimeout  = 60 * time.Second // between the request and the beginning of the answer
	idleTimeout    = 90 * time.Second // after which an unused connection is closed
)

// Client implements fetch.Fetcher and fetch.Dialer. Connections are kept open and shared.
type Client struct {
	transport *http.Transport
	public    *http.Transport // connects only to the public internet, and without a proxy
	agent     string
}

// New returns a client with the given user agent, such as "obverse/1.2".
func New(agent string) *Client { return newClient(agent, nil) }

func newClient(agent string, trust *tls.Config) *Client {
	dialer := &net.Dialer{Timeout: connectTimeout, KeepAlive: 30 * time.Second}
	transport := &http.Transport{
		Proxy:                  http.ProxyFromEnvironment,
		DialContext:            dialer.DialContext,
		TLSClientConfig:        trust,
		TLSHandshakeTimeout:    connectTimeout,
		ResponseHeaderTimeout:  headerTimeout,
		ForceAttemptHTTP2:      true,
		MaxIdleConns:           256,
		MaxIdleConnsPerHost:    8,
		MaxConnsPerHost:        64,
		IdleConnTimeout:        idleTimeout,
		MaxResponseHeaderBytes: 64 << 10,
	}
	public := transport.Clone()
	guarded := *dialer
	guarded.Control = publicOnly
	public.Proxy, public.DialContext = nil, guarded.DialContext
	return &Client{transport, public, agent}
}

// Patient returns a client that waits longer for the beginning of an answer, with connections of
// its own.
func (c *Client) Patient(limit time.Duration) *Client {
	transport, public := c.transport.Clone(), c.public.Clone()
	transport.ResponseHeaderTimeout, public.ResponseHeaderTimeout = limit, limit
	return &Client{transport, public, c.agent}
}

// publicOnly refuses addresses outside the public internet. The dialer calls it with the resolved address.
func publicOnly(_, address string, _ syscall.RawConn) error {
	to, err := netip.ParseAddrPort(address)
	if err != nil || !fetch.IsPublic(to.Addr()) {
		return fetch.ErrPrivate
	}
	return nil
}

// Close closes idle connections. Running requests continue.
func (c *Client) Close() {
	c.transport.CloseIdleConnections()
	c.public.CloseIdleConnections()
}

// Fetch implements fetch.Fetcher. It uses the transport directly, because an http.Client would follow
// redirects.
func (c *Client) Fetch(ctx context.Context, r fetch.Request) (fetch.Response, error) {
	if err := check(r, "http", "https"); err != nil {
		return fetch.Response{}, err
	}
	request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return fetch.Response{}, fmt.Errorf("%w: invalid method %q", fetch.ErrRequest, r.Method)
	}
	request.Header = c.header(r.Header)
	transport, err := c.transportFor(r, request)
	if err != nil {
		return fetch.Response{}, err
	}
	answer, err := transport.RoundTrip(request)
	if err != nil {
		return fetch.Response{}, failure(ctx, err)
	}
	defer answer.Body.Close()
	body, err := read(answer, r.Limit)
	if err != nil {
		return fetch.Response{}, failure(ctx, err)
	}
	return fetch.Response{Status: answer.StatusCode, ContentType: answer.Header.Get("Content-Type"),
		RetryAfter: answer.Header.Get("Retry-After"), Body: body}, nil
}

// transportFor returns the transport for a request. A request through a proxy goes through it
// even if it must be public: users who hide behind a proxy rely on it, and the proxy decides
// which networks can be reached.
func (c *Client) transportFor(r fetch.Request, request *http.Request) (*http.Transport, error) {
	if !r.Public {
		return c.transport, nil
	}
	if err := fetch.CheckPublic(r.URL); err != nil {
		return nil, err
	}
	if proxy, err := c.transport.Proxy(request); err == nil && proxy != nil {
		return c.transport, nil
	}
	return c.public, nil
}

// name matches the names of headers.
var name = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

// check refuses requests that cannot be sent, and those that net/http would send but a page could not.
func check(r fetch.Request, schemes ...string) error {
	u, err := url.Parse(r.URL)
	switch {
	case err != nil: // the error may quote a password
		return fmt.Errorf("%w: invalid URL", fetch.ErrRequest)
	case !slices.Contains(schemes, u.Scheme):
		return fmt.Errorf("%w: the URL must be %s", fetch.ErrRequest, strings.Join(schemes, " or "))
	case u.Host == "":
		return fmt.Errorf("%w: the URL has no host", fetch.ErrRequest)
	case u.User != nil:
		return fmt.Errorf("%w: the URL must not contain a user", fetch.ErrRequest)
	}
	for key, value := range r.Header {
		if !name.MatchString(key) || strings.ContainsFunc(value, unicode.IsControl) {
			return fmt.Errorf("%w: invalid character in a header", fetch.ErrRequest)
		}
	}
	return nil
}

// header returns the header of a request. Its X-Idempotency-Key has no values, so it is not sent, but net/http
// then repeats any request if the server closes a reused connection before it answers.
// A request may therefore arrive twice, which is harmless because nodes recognise a transaction that they have.
func (c *Client) header(from map[string]string) http.Header {
	header := http.Header{"User-Agent": {c.agent}, "X-Idempotency-Key": {}}
	for key, value := range from {
		header.Set(key, value)
	}
	return header
}

func read(answer *http.Response, limit int64) ([]byte, error) {
	if answer.ContentLength > limit {
		return nil, tooLarge(limit)
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, limit+1))
	if err == nil && int64(len(body)) > limit {
		return nil, tooLarge(limit)
	}
	return body, err
}

func tooLarge(limit int64) error {
	return fmt.Errorf("%w: more than %d bytes", fetch.ErrTooLarge, limit)
}
