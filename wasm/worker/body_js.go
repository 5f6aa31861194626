package main

import (
	"context"
	"errors"
	"net/http"
	"syscall/js"
	"time"

	"obverse/core/rpc"
	"obverse/wasm/jsval"
)

// bodyTime is how long a client may take to send a body.
const bodyTime = 30 * time.Second

// Limits of a store that is restored: what one may have and some room, and the time to send it.
const (
	maxRestore  = 44 << 20 // bytes
	restoreTime = 10 * time.Minute
)

// errDropped is the end of a wait whose request has made room for others.
var errDropped = errors.New("too many request bodies are being received")

// requestBody is the body of a request as the shell has it, which counts its memory: Body in
// web/worker/bodies.js. Methods take the zero value, for a request without a body.
type requestBody struct{ body jsval.Value }

// givenBody is a method of the library's body in addition to io.ReadCloser. The body's Read
// would leave a function of JavaScript behind for each body: stream.go releases the function
// that a promise calls, and not the one that it does not call.
type givenBody interface{ GetRawJSBody() js.Value }

func bodyOf(r *http.Request) requestBody {
	if given, is := r.Body.(givenBody); is {
		return requestBody{jsval.ValueOf(given.GetRawJSBody())}
	}
	return requestBody{}
}

// bodyError is why a body was not received.
type bodyError struct {
	status int
	text   string
}

func (e *bodyError) Error() string { return e.text }

// receive returns the whole body, for which the client has the given time.
func (b requestBody) receive(ctx context.Context, limit int64, within time.Duration) ([]byte, error) {
	if b.body.Missing() {
		return nil, nil
	}
	received, err := b.body.Call("receive", limit, within.Milliseconds())
	if err == nil {
		received, err = jsval.Await(ctx, received)
	}
	var thrown *jsval.Error
	if errors.As(err, &thrown) {
		if status, unknown := thrown.Data.Whole(); unknown == nil {
			return nil, &bodyError{int(status), thrown.Text}
		}
	}
	if err != nil {
		return nil, err
	}
	return received.Bytes()
}

// prove records that the client has shown a password.
func (b requestBody) prove() {
	if !b.body.Missing() {
		_, _ = b.body.Call("prove")
	}
}

// transport carries the request to its methods: while it waits, its body makes room for others.
func (b requestBody) transport(ctx context.Context) context.Context {
	if b.body.Missing() {
		return ctx
	}
	return rpc.WithTransport(ctx, rpc.Transport{Proven: b.prove, Waiter: func(wait func(context.Context) error) error { return b.wait(ctx, wait) }})
}

func (b requestBody) wait(ctx context.Context, wait func(context.Context) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	cut := jsval.NewFunc(func([]jsval.Value) any { cancel(); return nil })
	defer cut.Release()
	if _, err := b.body.Call("wait", cut); err != nil {
		return err
	}
	err := wait(ctx)
	if stays, failed := b.body.Call("work"); err == nil && (failed != nil || !stays.Is()) {
		return errDropped
	}
	return err
}
