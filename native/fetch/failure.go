package fetch

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"

	"obverse/core/net/fetch"
)

// failure returns the kind of an error of net/http, without the URL in its text.
func failure(ctx context.Context, err error) error {
	var timed net.Error
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%w: %w", fetch.ErrTimeout, ctx.Err())
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, fetch.ErrTooLarge):
		return err
	case errors.Is(err, fetch.ErrPrivate):
		return fetch.ErrPrivate
	case errors.As(err, &timed) && timed.Timeout():
		return fmt.Errorf("%w: %w", fetch.ErrTimeout, quiet(err))
	}
	return fmt.Errorf("%w: %w", fetch.ErrUnreachable, quiet(err))
}

// errNoHost replaces an error that names the resolver.
var errNoHost = errors.New("no such host")

// quiet removes the layers of an error that contain the URL, the operation and the addresses of
// this machine; "connection refused" remains.
func quiet(err error) error {
	var in *url.Error
	if errors.As(err, &in) {
		err = in.Err
	}
	var unresolved *net.DNSError
	if errors.As(err, &unresolved) && unresolved.IsNotFound {
		return errNoHost
	}
	var operation *net.OpError
	if errors.As(err, &operation) {
		err = operation.Err
	}
	var call *os.SyscallError
	if errors.As(err, &call) {
		err = call.Err
	}
	return err
}
