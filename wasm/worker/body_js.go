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

// bodyTime is the maximum time for which a client may send a body.
const bodyTime = 30 * time.Second

// Limits of a restored store: the maximum size of a store with some reserve, and the time to send
// it.
const (
	maxRestore  = 44 << 20 // bytes
	restoreTime = 10 * time.Minute
)

// errDropped ends the wait for a request that was dropped to free memory for others.
var errDropped = errors.New("too many request bodies are being received")

// requestBody is the body of a request in the shell, which limits its memory; see Body in
// web/worker/bodies.js. The methods accept the zero value, for a request without a body.
type requestBody struct{ body jsval.Value }

// givenBody is a method that the library's body has in addition to those of io.ReadCloser. Reading
// with Read would leak a JavaScript function for each body, since the library's stream.go releases
// only the function that a promise calls.
type givenBody interface{ GetRawJSBody() js.Value }

func bodyOf(r *http.Request) requestBody {
	if given, is := r.Body.(givenBody); is {
		return requestBody{jsval.ValueOf(given.GetRawJSBody())}
	}
	return requestBody{}
}

// bodyError is the reason why a body was not received.
type bodyError struct {
	status int
	text   string
}

func (e *bodyError) Error() string { return e.text }

// receive returns the whole body. The client must send it within the given time.
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

// prove records that the client has sent a valid password.
func (b requestBody) prove() {
	if !b.body.Missing() {
		_, _ = b.body.Call("prove")
	}
}

// transport adds the request's body to the context of its methods, so that the body can be dropped
// to free memory while a method waits.
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
