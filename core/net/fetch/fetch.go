// Package fetch defines the ports for outgoing requests: one interface for HTTP and one for
// websockets. The native server implements them with net/http, and a page with the browser's
// APIs. Its Cache merges equal concurrent requests. The package is independent of servers and
// protocols.
//
// Sources: RFC 9110 (Retry-After); the Fetch and WebSocket standards of WHATWG for the
// abilities of a page.
//
// Invariant: error texts contain no URL, header or body of the request, since these may contain
// credentials.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// Request is a request to a server.
type Request struct {
	Method string // GET or POST
	// URL is an absolute http or https URL without user information: credentials must be in a
	// header, because a page refuses them in a URL.
	URL    string
	Header map[string]string // a page can set only some headers, such as Content-Type, Authorization and X-…
	Body   []byte            // not modified, and not retained after Fetch has returned
	// Limit is the maximum size of the response body in bytes, after decompression.
	Limit int64
	// Public refuses servers outside the public internet with ErrPrivate, for URLs from
	// untrusted sources. The native server checks the address of the connection, unless it uses
	// a proxy. A page cannot see that address, and checks the host in the URL.
	Public bool
}

// Response is a server's response, whatever its status.
type Response struct {
	// Status is 300 to 399 for a redirect, which is not followed. A page cannot see the status and
	// reports 302 without a body.
	Status      int
	ContentType string // value of the header; may be ""
	RetryAfter  string // value of the header; may be ""; see Delay
	Body        []byte // owned by the caller
}

// Fetcher sends requests.
type Fetcher interface {
	// Fetch sends one request and reads the complete response. It sends no cookies, follows no
	// redirects, and repeats a request only if it certainly did not arrive. It must be safe for
	// concurrent use.
	//
	// Fetch returns soon after ctx ends, with ctx.Err(). Its other errors are ErrRequest,
	// ErrPrivate, ErrUnreachable, ErrTimeout (if the Fetcher limits the time, or if ctx has
	// exceeded its deadline) and ErrTooLarge. Except for the first two errors, the request may
	// have arrived.
	Fetch(ctx context.Context, r Request) (Response, error)
}

// Func is a function that implements Fetcher.
type Func func(ctx context.Context, r Request) (Response, error)

// Fetch implements Fetcher.
func (f Func) Fetch(ctx context.Context, r Request) (Response, error) { return f(ctx, r) }

// Errors of Fetch.
var (
	// ErrRequest reports a request that cannot be sent.
	ErrRequest = errors.New("invalid request")
	// ErrUnreachable reports that there is no connection, or that it was closed before the end
	// of the response.
	ErrUnreachable = errors.New("unreachable")
	// ErrPrivate reports that a request restricted to the public internet leads elsewhere.
	ErrPrivate = errors.New("not a public address")
	// ErrTimeout reports that the server took too long.
	ErrTimeout = errors.New("timed out")
	// ErrTooLarge reports that the response or message exceeds the limit.
	ErrTooLarge = errors.New("response too large")
)

// Dialer opens websockets.
type Dialer interface {
	// Dial opens a websocket. The URL is absolute, with the scheme ws or wss. Limit is the
	// maximum size of a received message in bytes. Method and Body are ignored. A page cannot
	// send a Header and returns ErrRequest if there is one. The context only applies to opening
	// the websocket. Dial returns the errors of Fetch, and must be safe for concurrent use.
	Dial(ctx context.Context, r Request) (Socket, error)
}

// Socket is a connection on which both sides send text. One goroutine may read while others
// write and close.
type Socket interface {
	// Read waits for the next message. If Read fails or ctx ends, the connection is closed:
	// either the same context is used for all messages, or the socket is closed after the first
	// message that did not arrive in time. A message that exceeds the limit is reported as
	// ErrTooLarge, and the end of the connection by the other side as ErrUnreachable.
	Read(ctx context.Context) ([]byte, error)
	// Write sends a message. If Write fails, the connection is closed.
	Write(ctx context.Context, text []byte) error
	// Close closes the connection immediately. It may be called more than once.
	Close() error
}

// notPublic lists the IPv4 and IPv6 ranges that IANA's registries of special-purpose addresses
// mark as not globally reachable, except for those that package netip recognizes.
var notPublic = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("192.88.99.0/24"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"),
}

// publicV6 is the allocated part of IPv6. The exceptions in it follow.
var (
	publicV6    = netip.MustParsePrefix("2000::/3")
	notPublicV6 = []netip.Prefix{
		netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"),
		netip.MustParsePrefix("3fff::/20"),
	}
)

// IsPublic reports whether an address belongs to the public internet. It returns false for
// addresses of this machine and its local network, and for addresses that contain such an
// address in another form (IPv4 in IPv6, 6to4, Teredo, NAT64).
func IsPublic(a netip.Addr) bool {
	a = a.Unmap()
	if !a.IsValid() || a.Zone() != "" || !a.IsGlobalUnicast() || a.IsPrivate() {
		return false
	}
	special := notPublic
	if a.Is6() {
		if !publicV6.Contains(a) {
			return false
		}
		special = notPublicV6
	}
	for _, p := range special {
		if p.Contains(a) {
			return false
		}
	}
	return true
}

// CheckPublic returns ErrPrivate for a URL with a host that is clearly not public: an address
// that is not public, in any notation that browsers accept, or a name that no public server
// has. It does not resolve names.
func CheckPublic(raw string) error {
	u, err := url.Parse(raw)
	if err != nil { // err may contain a password
		return fmt.Errorf("%w: invalid URL", ErrRequest)
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if strings.Contains(host, ":") {
		if a, err := netip.ParseAddr(host); err != nil || !IsPublic(a) {
			return ErrPrivate
		}
		return nil
	}
	for _, r := range host {
		if r > '~' || r <= ' ' || strings.ContainsRune("%<>\\^|`{}\"", r) {
			return ErrPrivate // browsers normalize some letters, which may turn a name into an address
		}
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" {
		return ErrPrivate
	}
	if isNumber(last) {
		if a, err := netip.ParseAddr(host); err != nil || !IsPublic(a) {
			return ErrPrivate // browsers accept 127.1, 0x7f000001 and 2130706433 as addresses
		}
		return nil
	}
	if last == host {
		return ErrPrivate // a name without a dot: localhost, or a name in the local network
	}
	switch last {
	case "localhost", "local", "internal", "intranet", "lan", "home", "corp", "test", "onion":
		return ErrPrivate
	case "arpa":
		if strings.HasSuffix(host, "home.arpa") {
			return ErrPrivate
		}
	}
	return nil
}

// isNumber reports whether a host with this last part is an address and not a name, by the URL
// standard.
func isNumber(part string) bool {
	if hex, is := strings.CutPrefix(part, "0x"); is {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(part, "0123456789") == ""
}

// Delay returns the time for which the server asks not to be called, by its Retry-After header.
// It returns 0 if there is no such header, if the time has passed, or if the value is invalid.
func (r Response) Delay(now time.Time) time.Duration {
	text := strings.TrimSpace(r.RetryAfter)
	if seconds, err := strconv.ParseUint(text, 10, 31); err == nil {
		return time.Duration(seconds) * time.Second
	}
	for _, layout := range [...]string{"Mon, 02 Jan 2006 15:04:05 GMT", time.RFC850, time.ANSIC} {
		if at, err := time.Parse(layout, text); err == nil {
			return max(at.Sub(now), 0)
		}
	}
	return 0
}
