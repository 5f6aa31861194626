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

// Server is a service that a user names: an indexer, or one against spam.
type Server struct {
	URL string // http or https; what is asked follows its path
	// Gateway: requests carry a signature of this node's identity, for a gateway of
	// Komodo DeFi Framework.
	Gateway bool
}

// maxURL bounds the URL of a Server in bytes.
const maxURL = 2048

// CheckURL refuses what cannot be the URL of a Server.
func CheckURL(raw string) error {
	_, err := parseServer(raw)
	return err
}

// ErrURL is in the chain of every refusal of a URL.
var ErrURL = errors.New("not a URL of http or https")

func parseServer(raw string) (*url.URL, error) {
	if len(raw) > maxURL {
		return nil, fmt.Errorf("%w: it is longer than %d bytes", ErrURL, maxURL)
	}
	u, err := url.Parse(raw)
	switch {
	case err != nil: // its text may quote a password
		return nil, fmt.Errorf("%w: it cannot be parsed", ErrURL)
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%w: its scheme is another one", ErrURL)
	case u.Hostname() == "":
		return nil, fmt.Errorf("%w: it has no host", ErrURL)
	}
	u.Fragment, u.RawFragment = "", ""
	if u.Path == "" {
		u.Path = "/"
	}
	return u, nil
}

// RemoteError says that a service gave no answer, or none that can be used. It is a
// coin.ErrTransport.
type RemoteError struct {
	URL    string // without credentials and query
	Reason string
	Err    error  // may be nil
	Status int    // of HTTP, of an answer that refuses; else 0
	Body   string // how that answer begins
}

func (e *RemoteError) Error() string { return e.Reason }

// Is finds coin.ErrTransport.
func (e *RemoteError) Is(target error) bool { return target == coin.ErrTransport }

// Unwrap gives the cause.
func (e *RemoteError) Unwrap() error { return e.Err }

// apiCall is what a service is asked.
type apiCall struct {
	path    []string // parts behind the server's path, of letters and digits
	query   [][2]string
	body    []byte // with one it is a POST of JSON
	limit   int64  // bytes of the answer
	public  bool   // of the public internet alone
	timeout time.Duration
}

// Bounds of what services may take and answer.
const (
	maxPage       = 16 << 20 // of the indexer
	maxAnswer     = 1 << 20  // of others
	timeout       = 30 * time.Second
	shortTimeout  = 10 * time.Second
	maxAttempts   = 3 // that ask to come back later, before that is the answer
	maxRetryDelay = 10 * time.Second
)

// ask asks a service and gives the body of its answer. Its errors are the context's and
// *RemoteError.
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
		shown := show(r.URL)
		answer, err := g.send(ctx, r, q.timeout)
		if err != nil {
			if ctx.Err() != nil {
				return nil, &interruptedError{shown, ctx.Err()}
			}
			return nil, &RemoteError{URL: shown, Reason: shown + ": " + err.Error(), Err: err}
		}
		if (answer.Status == 429 || answer.Status == 503) && attempt < maxAttempts {
			if wait := max(answer.Delay(g.Now()), time.Second); wait <= maxRetryDelay {
				if err := pause(ctx, wait); err != nil {
					return nil, &interruptedError{shown, err}
				}
				continue
			}
		}
		if err := refused(answer, shown); err != nil {
			return nil, err
		}
		return answer.Body, nil
	}
}

// refused says what is wrong with an answer: a *RemoteError, or nil.
func refused(a fetch.Response, shown string) error {
	media := strings.ToLower(a.ContentType)
	switch {
	case a.Status >= 300 && a.Status < 400:
		return &RemoteError{URL: shown, Reason: shown + ": responds with a redirect, which is not followed"}
	case a.Status < 200 || a.Status >= 300:
		body := singleLine(string(a.Body), 200)
		return &RemoteError{URL: shown, Reason: fmt.Sprintf("%s: HTTP status %d: %s", shown, a.Status, body), Status: a.Status, Body: body}
	case strings.HasPrefix(media, "text/html") || strings.HasPrefix(media, "image/"):
		return &RemoteError{URL: shown, Reason: shown + ": answers with a document of another kind, " + singleLine(a.ContentType, 100)}
	}
	return nil
}

// request makes the request of a question. What is signed is the server's URL without
// what is asked, as Komodo DeFi Framework does.
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
	for _, part := range q.path { // which are of digits and letters
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

// send is Fetch with a limit of time.
func (g *Gallery) send(ctx context.Context, r fetch.Request, timeout time.Duration) (fetch.Response, error) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return g.Fetcher.Fetch(ctx, r)
}

// interruptedError says which service was being asked when a context ended.
type interruptedError struct {
	url string // as shown
	err error
}

func (e *interruptedError) Error() string { return e.url + ": " + e.err.Error() }

// Unwrap gives the context's error.
func (e *interruptedError) Unwrap() error { return e.err }

// withTimeout gives work a limit of time. Past it, the service that is being asked is to blame.
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

// show leaves out of a URL what may be a credential: the query, and long words of the
// path, which are the keys of many providers.
func show(raw string) string {
	u, err := url.Parse(raw)
	if err != nil {
		return "the service"
	}
	if u.Scheme == "" && u.Host == "" { // a relative URI
		return strings.TrimSpace(raw)
	}
	parts := strings.Split(u.EscapedPath(), "/")
	for i, part := range parts {
		if len(part) >= 20 {
			parts[i] = "…"
		}
	}
	return u.Scheme + "://" + u.Host + strings.Join(parts, "/")
}
