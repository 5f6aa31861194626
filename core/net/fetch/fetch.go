// Package fetch has the ports for outgoing requests: one function type for HTTP and one for
// websockets, which native implements with net/http and a page with the browser's APIs. Its
// Cache merges equal concurrent requests. It is independent of servers and protocols.
//
// Sources: RFC 9110 (Retry-After); the Fetch and WebSocket standards of WHATWG for what
// a page can do.
//
// Invariant: error texts contain no URL, header or body of the request, since these may
// hold credentials.
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
	Method string // GET, POST
	// URL is absolute, of http or https, without a user: credentials are a header, as
	// a page refuses them here.
	URL    string
	Header map[string]string // a page cannot set all: Content-Type, Authorization and X-… it can
	Body   []byte            // not changed, and not kept after Fetch has returned
	// Limit is how many bytes the body of the answer may have, unpacked.
	Limit int64
	// Public refuses a server outside the public internet, with ErrPrivate, for URLs from
	// untrusted sources. Natively the address of the connection counts, unless a proxy connects;
	// in a page, which cannot see it, the URL's host.
	Public bool
}

// Response is a server's response, whatever its status.
type Response struct {
	// Status is 300 to 399 for a redirect, which is not followed. A page cannot see the status and
	// reports 302 without a body.
	Status      int
	ContentType string // as the header has it, perhaps ""
	RetryAfter  string // as the header has it, perhaps "", see Delay
	Body        []byte // the caller's own
}

// Fetcher sends requests.
type Fetcher interface {
	// Fetch sends one request and reads the whole answer. It sends no cookies, follows no
	// redirect, and repeats a request only if it certainly did not arrive. It may be called
	// concurrently.
	//
	// It returns soon after ctx ends, with an error that is ctx.Err(). Its other errors are
	// ErrRequest, ErrPrivate, ErrUnreachable, ErrTimeout (if the Fetcher limits the time; also
	// when ctx is past its deadline) and ErrTooLarge. After all but the first two the request may
	// have arrived.
	Fetch(ctx context.Context, r Request) (Response, error)
}

// Func is a Fetcher that is a function.
type Func func(ctx context.Context, r Request) (Response, error)

// Fetch implements Fetcher.
func (f Func) Fetch(ctx context.Context, r Request) (Response, error) { return f(ctx, r) }

// Reasons for which there is no answer, found with errors.Is.
var (
	// ErrRequest: the request cannot be sent as it is.
	ErrRequest = errors.New("invalid request")
	// ErrUnreachable: no connection, or it broke before the end of the answer.
	ErrUnreachable = errors.New("unreachable")
	// ErrPrivate: the request may only go to the public internet, and leads elsewhere.
	ErrPrivate = errors.New("not a public address")
	// ErrTimeout: the server took too long.
	ErrTimeout = errors.New("timed out")
	// ErrTooLarge: the answer or message is larger than the limit.
	ErrTooLarge = errors.New("response too large")
)

// Dialer opens websockets.
type Dialer interface {
	// Dial opens a websocket. URL is absolute, with scheme ws or wss; Limit is the maximum size of
	// a received message in bytes; Method and Body are not used; a page cannot send a Header and
	// returns ErrRequest if there is one. ctx only applies to opening. It returns the errors of
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

// notPublic lists the ranges of IPv4 and IPv6 that netip does not recognize but IANA's
// registries of special purpose addresses mark as not globally reachable.
var notPublic = []netip.Prefix{
	netip.MustParsePrefix("0.0.0.0/8"), netip.MustParsePrefix("100.64.0.0/10"), netip.MustParsePrefix("192.0.0.0/24"),
	netip.MustParsePrefix("192.0.2.0/24"), netip.MustParsePrefix("192.88.99.0/24"), netip.MustParsePrefix("198.18.0.0/15"),
	netip.MustParsePrefix("198.51.100.0/24"), netip.MustParsePrefix("203.0.113.0/24"), netip.MustParsePrefix("240.0.0.0/4"),
}

// publicV6 is the allocated part of IPv6; the exceptions within it follow.
var (
	publicV6    = netip.MustParsePrefix("2000::/3")
	notPublicV6 = []netip.Prefix{
		netip.MustParsePrefix("2001::/23"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("2002::/16"),
		netip.MustParsePrefix("3fff::/20"),
	}
)

// IsPublic reports whether an address is one of the public internet: neither this machine
// nor a network around it, and no form that hides such an address in another (IPv4 in
// IPv6, 6to4, Teredo, NAT64).
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

// CheckPublic refuses a URL, with ErrPrivate, whose host says by itself that it is not
// public: an address that is not, in any way of writing one that a browser knows, or a
// name that no public server has. What a name stands for is not asked here.
func CheckPublic(raw string) error {
	u, err := url.Parse(raw)
	if err != nil { // which may quote a password
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
			return ErrPrivate // browsers turn some letters into others, and so names into addresses
		}
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	if last == "" {
		return ErrPrivate
	}
	if isNumber(last) {
		if a, err := netip.ParseAddr(host); err != nil || !IsPublic(a) {
			return ErrPrivate // 127.1, 0x7f000001 and 2130706433 are addresses to a browser
		}
		return nil
	}
	if last == host {
		return ErrPrivate // a name without a dot: localhost, or one of the network around
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

// isNumber reports whether the last part of a host makes it an address instead of a name, as in
// the URL standard.
func isNumber(part string) bool {
	if hex, is := strings.CutPrefix(part, "0x"); is {
		return strings.Trim(hex, "0123456789abcdef") == ""
	}
	return strings.Trim(part, "0123456789") == ""
}

// Delay returns how long the server asks to be left alone, by its Retry-After: 0 if it does
// not ask, if the time is over, or if it is not understood.
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
