package fetch

import (
	"context"
	"errors"
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
	// Fetch sends one request and reads the whole answer. It sends no cookies, follows
	// no redirect, and sends nothing twice but what surely did not arrive. Many may
	// call at a time.
	//
	// It returns soon after ctx ends, with an error that is ctx.Err(). Its other errors
	// are ErrRequest, ErrPrivate, ErrUnreachable, ErrTimeout (if it has a limit of time of
	// its own; also when ctx is past its deadline) and ErrTooLarge. After all but the
	// first two the request may have arrived.
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
