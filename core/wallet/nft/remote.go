package nft

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"time"

	"obverse/core/net/fetch"
	"obverse/core/net/proxyauth"
	"obverse/core/wallet/coin"
)

// Server is a service in a user's request: an indexer or an anti-spam service.
type Server struct {
	URL string // http or https; the path of a request is appended
	// Gateway signs requests with this node's identity, for a gateway of Komodo DeFi Framework.
	Gateway bool
}

// maxURL is the maximum length of the URL of a Server in bytes.
const maxURL = 2048

// CheckURL returns an error unless raw is a valid URL of a Server.
func CheckURL(raw string) error {
	_, err := parseServer(raw)
	return err
}

// ErrURL is wrapped by all errors about a URL.
var ErrURL = errors.New("not a URL of http or https")

func parseServer(raw string) (*url.URL, error) {
	if len(raw) > maxURL {
		return nil, fmt.Errorf("%w: longer than %d bytes", ErrURL, maxURL)
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil: // the error text may contain a password
		return nil, fmt.Errorf("%w: cannot be parsed", ErrURL)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%w: unsupported scheme", ErrURL)
	case u.Hostname() == "":
		return nil, fmt.Errorf("%w: no host", ErrURL)
	}
	u.Fragment, u.RawFragment = "", ""
	if u.Path == "" {
		u.Path = "/"
	}
	return u, nil
}

// RemoteError reports that a service did not answer, or that its answer is unusable. It is a
// coin.ErrTransport.
type RemoteError struct {
	URL    string // without credentials and query
	Reason string
	Err    error  // may be nil
	Status int    // HTTP status of an error response, otherwise 0
	Body   string // beginning of the error response
}

func (e *RemoteError) Error() string { return e.Reason }

// Is reports whether target is coin.ErrTransport.
func (e *RemoteError) Is(target error) bool { return target == coin.ErrTransport }

// Unwrap returns the cause.
func (e *RemoteError) Unwrap() error { return e.Err }

// apiCall is a request to a service.
type apiCall struct {
	path    []string // segments after the server's path, of letters and digits
	query   [][2]string
	body    []byte // JSON of a POST; nil means a GET
	limit   int64  // maximum size of the answer in bytes
	public  bool   // restricted to the public internet
	timeout time.Duration
}

// Limits of time and size of requests to services.
const (
	maxPage       = 16 << 20 // answer of the indexer
	maxAnswer     = 1 << 20  // other answers
	timeout       = 30 * time.Second
	shortTimeout  = 10 * time.Second
	maxAttempts   = 3 // maximum number of answers that ask to retry later
	maxRetryDelay = 10 * time.Second
)

// ask sends a request to a service and returns the body of the answer. Its errors are the
// context's and *RemoteError.
func (g *Gallery) ask(ctx context.Context, s Server, q apiCall) ([]byte, error) {
	base, err := parseServer(s.URL)
	if err != nil {
		return nil, err
	}
	for attempt := 1; ; attempt++ {
		r, err := g.request(base, s.Gateway, q)
		if err != nil {
			return nil, err
		}
		display := displayURL(r.URL)
		answer, err := g.send(ctx, r, q.timeout)
		if err != nil {
			if ctx.Err() != nil {
				return nil, &interruptedError{display, ctx.Err()}
			}
			return nil, &RemoteError{URL: display, Reason: display + ": " + err.Error(), Err: err}
		}
		if (answer.Status == 429 || answer.Status == 503) && attempt < maxAttempts {
			if wait := max(answer.Delay(g.Now()), time.Second); wait <= maxRetryDelay {
				if err := pause(ctx, wait); err != nil {
					return nil, &interruptedError{display, err}
				}
				continue
			}
		}
		if err := refused(answer, display); err != nil {
			return nil, err
		}
		return answer.Body, nil
	}
}

// refused returns a *RemoteError if an answer is an error response, or nil.
func refused(a fetch.Response, display string) error {
	media := strings.ToLower(a.ContentType)
	switch {
	case a.Status >= 300 && a.Status < 400:
		return &RemoteError{URL: display, Reason: display + ": responds with a redirect, which is not followed"}
	case a.Status < 200 || a.Status >= 300:
		body := singleLine(string(a.Body), 200)
		return &RemoteError{URL: display, Reason: fmt.Sprintf("%s: HTTP status %d: %s", display, a.Status, body), Status: a.Status, Body: body}
	case strings.HasPrefix(media, "text/html") || strings.HasPrefix(media, "image/"):
		return &RemoteError{URL: display, Reason: display + ": answers with a document of another kind, " + singleLine(a.ContentType, 100)}
	}
	return nil
}

// request returns the HTTP request of a call. As in Komodo DeFi Framework, the signature covers
// the URL of the server without the path of the call.
func (g *Gallery) request(base *url.URL, signed bool, q apiCall) (fetch.Request, error) {
	r := fetch.Request{Method: "GET", Header: map[string]string{"Accept": "application/json"}, Body: q.body, Limit: q.limit, Public: q.public}
	if q.body != nil {
		r.Method, r.Header["Content-Type"] = "POST", "application/json"
	}
	u := *base
	if u.User != nil {
		password, _ := u.User.Password()
		r.Header["Authorization"] = "Basic " + base64.StdEncoding.EncodeToString([]byte(u.User.Username()+":"+password))
		u.User = nil
	}
	if signed {
		if g.Identity == nil {
			return r, errNoIdentity
		}
		header, err := proxyauth.Sign(g.Identity, u.String(), len(q.body), g.Now())
		if err != nil {
			return r, err
		}
		r.Header[proxyauth.Header] = header
	}
	for _, part := range q.path { // letters and digits
		u.Path = strings.TrimSuffix(u.Path, "/") + "/" + part
		if u.RawPath != "" {
			u.RawPath = strings.TrimSuffix(u.RawPath, "/") + "/" + part
		}
	}
	for _, pair := range q.query {
		if u.RawQuery != "" {
			u.RawQuery += "&"
		}
		u.RawQuery += pair[0] + "=" + url.QueryEscape(pair[1])
	}
	r.URL = u.String()
	return r, nil
}

var errNoIdentity = errors.New("a service behind a gateway proxy needs an identity to sign with")

// send calls Fetch with a timeout.
func (g *Gallery) send(ctx context.Context, r fetch.Request, timeout time.Duration) (fetch.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return g.Fetcher.Fetch(ctx, r)
}

// interruptedError reports which service was being called when a context ended.
type interruptedError struct {
	url string // for display
	err error
}

func (e *interruptedError) Error() string { return e.url + ": " + e.err.Error() }

// Unwrap returns the context's error.
func (e *interruptedError) Unwrap() error { return e.err }

// withTimeout runs work with a timeout. When it expires, the error names the service that was
// being called.
func withTimeout(ctx context.Context, limit time.Duration, work func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := work(bounded)
	if bounded.Err() == nil || ctx.Err() != nil || !errors.Is(err, bounded.Err()) || errors.Is(err, coin.ErrTransport) {
		return err
	}
	late, reason := &RemoteError{Err: err}, fmt.Sprintf("the services did not answer everything within %s", limit)
	var cut *interruptedError
	if errors.As(err, &cut) {
		late.URL, reason = cut.url, fmt.Sprintf("%s: did not answer everything within %s", cut.url, limit)
	}
	late.Reason = reason
	return late
}

func pause(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// displayURL returns a URL without parts that may be credentials: the query, and long path
// segments, which are the keys of many providers.
func displayURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "the service"
	}
	if u.Scheme == "" && u.Host == "" { // a relative URI
		return singleLine(strings.TrimSpace(raw), maxName)
	}
	parts := strings.Split(u.EscapedPath(), "/")
	for i, part := range parts {
		if len(part) >= 20 {
			parts[i] = "…"
		}
	}
	return u.Scheme + "://" + u.Host + strings.Join(parts, "/")
}
