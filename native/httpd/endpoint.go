package httpd

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"sync"
	"time"

	"obverse/core/daemon"
	"obverse/core/guard"
	"obverse/core/rpc"
	"obverse/core/rpc/auth"
	"obverse/native/limit"
)

const (
	jsonType = "application/json"
	// htmlType is the content type that libevent sets if komodod sets none.
	htmlType = "text/html; charset=ISO-8859-1"
)

// endpoint is one of the two APIs: its handler, and the form of its refusals.
type endpoint struct {
	serve  Handler
	refuse func(error) (status int, reply []byte)
	retry  func(rpc.Caller) time.Duration // see Node.RetryAfter; may be nil
	gate   *gate
	memory *limit.Memory // for the bodies and answers of this port
	log    *slog.Logger
}

// exchange is one request to an endpoint, with its share of the limits.
type exchange struct {
	callContext // of the calls in the request
	endpoint    *endpoint
	seen        *observed
	request     *http.Request
	from        sender
	held        limit.Request
	read        readership
}

// answer passes a request to the API and writes the reply. check, if not nil, verifies the
// credential; without an error the caller is authorized. answer releases the memory of the body and
// the slot before it writes to the client, which may read slowly.
func (e *endpoint) answer(w http.ResponseWriter, r *http.Request, from sender, check func() error) {
	seen := observedOf(w, r)
	x := &exchange{callContext: callContext{workOf(r.Context()), &seen.calls}, endpoint: e, seen: seen, request: r, from: from}
	conn := seen.connection.limited()
	proven := conn.IsProven() && !e.gate.isShared(r)
	seen.proven.Store(proven)
	x.held.Begin(e.memory, conn, from.origin, r.ContentLength, proven)
	defer x.held.End()
	status, reply, err := x.call(w, check)
	switch {
	case errors.Is(err, auth.ErrBusy):
		retryAfter(w, turnTime)
		e.refuseFor(w, r, err)
		return
	case errors.Is(err, daemon.ErrWrongCredential): // the body was read
		e.reply(w, http.StatusUnauthorized, nil)
		return
	case err != nil:
		e.refuseFor(w, r, err)
		return
	}
	if x.Err() != nil {
		panic(http.ErrAbortHandler) // the end of the server interrupted the call, and the connection is being closed
	}
	if r.Context().Err() != nil {
		w.Header().Set("Connection", "close") // the client has closed its end
	}
	if e.retry != nil && status >= http.StatusBadRequest {
		retryAfter(w, e.retry(callerOf(from, false)))
	}
	x.held.Send(len(reply))
	e.reply(w, status, reply)
}

func callerOf(from sender, authorized bool) rpc.Caller {
	return rpc.Caller{Address: from.address, Local: from.local, Authorized: authorized}
}

// call receives the request and runs it. The error is the reason why the request was not run. A call that changes
// something runs to its end even if the client disconnects, as in komodod and KDF, since half of a call is never what a client
// wants. Its context is therefore that of the server; calls that only read use rpc.Carrier. A panic fails only this request.
func (x *exchange) call(w http.ResponseWriter, check func() error) (status int, reply []byte, err error) {
	e := x.endpoint
	defer func() {
		if v := recover(); v != nil {
			_ = guard.Tell(x, "a handler", v)
			status, reply = e.refuse(errInternal)
		}
	}()
	defer x.held.Done()
	x.held.Receive()
	body, err := e.gate.body(w, x.request, &x.held)
	if err == nil && check != nil {
		if err = check(); err == nil {
			x.MarkProven()
		}
	}
	x.held.Received()
	if err == nil {
		err = x.held.Start(e.gate.work, isBatch(body))
	}
	if err != nil {
		return 0, nil, err
	}
	x.read = readership{request: x.request.Context(), stays: e.gate.limits.Gone}
	status, reply = e.serve(x, callerOf(x.from, check != nil), body)
	return status, reply, nil
}

// Value implements context.Context.
func (x *exchange) Value(key any) any {
	if key == rpc.TransportKey {
		return x
	}
	return x.callContext.Value(key)
}

// WhenUnread implements rpc.Carrier.
func (x *exchange) WhenUnread(do func()) (stop func() bool) { return x.read.gone(do) }

// HasLeft implements rpc.Carrier.
func (x *exchange) HasLeft() bool { return x.request.Context().Err() != nil }

// TakeRoom implements rpc.Carrier.
func (x *exchange) TakeRoom(bytes int) bool { return x.held.Grow(bytes) }

// MarkProven implements rpc.Carrier.
func (x *exchange) MarkProven() {
	x.seen.proven.Store(true)
	x.held.Prove()
}

// Wait implements rpc.Carrier.
func (x *exchange) Wait(_ context.Context, wait func(context.Context) error) error {
	return x.held.Wait(func() error { return wait(x.request.Context()) })
}

// readership reports when an answer is no longer read. It waits for a moment after the client has
// closed its side of the connection, because a client that has closed only its sending side still
// reads an answer that arrives soon.
type readership struct {
	request context.Context
	stays   time.Duration
	closed  sync.Once
	until   time.Time // set when the client has closed its end
}

// gone calls do after the client has disconnected.
func (r *readership) gone(do func()) (stop func() bool) {
	return context.AfterFunc(r.request, func() {
		r.closed.Do(func() { r.until = time.Now().Add(r.stays) })
		time.AfterFunc(time.Until(r.until), do)
	})
}

// turnTime is the time after which a client retries if too many passwords are being checked.
const turnTime = time.Second

// retryAfter sets the Retry-After header, in whole seconds.
func retryAfter(w http.ResponseWriter, wait time.Duration) {
	if wait > 0 {
		w.Header().Set("Retry-After", strconv.FormatInt(int64((wait+time.Second-1)/time.Second), 10))
	}
}

// refuseFor answers a request that was not processed. It closes the connection, because the rest of
// the body would otherwise be read as the next request.
func (e *endpoint) refuseFor(w http.ResponseWriter, r *http.Request, err error) {
	w.Header().Set("Connection", "close")
	status, body := e.refuse(err)
	e.reply(w, status, body)
	if !errors.Is(err, errSlow) {
		discardBody(w, r)
	}
}

// Limits of discardBody.
const (
	lingerTime  = 5 * time.Second
	lingerBytes = 64 << 20
)

// discardBody reads the rest of a refused body. Many clients read no answer before they have
// sent the whole body, and would only see that the connection broke.
func discardBody(w http.ResponseWriter, r *http.Request) {
	control := http.NewResponseController(w)
	if r.Header.Get("Expect") != "" || control.Flush() != nil || control.SetReadDeadline(time.Now().Add(lingerTime)) != nil {
		return
	}
	_, _ = io.CopyN(io.Discard, r.Body, lingerBytes)
}

// reply writes a response of the API. An empty response with the status 401 requests the API's
// credential.
func (e *endpoint) reply(w http.ResponseWriter, status int, body []byte) {
	if status == http.StatusUnauthorized && len(body) == 0 {
		unauthorized(w, e.gate.limits.Write)
		return
	}
	write(w, e.gate.limits.Write, status, jsonType, body)
}

// unauthorized responds with a request for a credential, with komodod's text.
func unauthorized(w http.ResponseWriter, limit time.Duration) {
	challenge(w)
	write(w, limit, http.StatusUnauthorized, htmlType, nil)
}

// needCredential responds with a request for a credential on the node API's port. reason names the
// missing credential, because calls of the node API contain theirs in the body.
func needCredential(w http.ResponseWriter, limit time.Duration, reason string) {
	challenge(w)
	write(w, limit, http.StatusUnauthorized, jsonType, nodeError(reason))
}

func challenge(w http.ResponseWriter) { w.Header().Set("WWW-Authenticate", `Basic realm="jsonrpc"`) }

// write sends a whole answer within the given time. It ignores errors, which can only mean that the client
// does not read the answer.
func write(w http.ResponseWriter, limit time.Duration, status int, contentType string, body []byte) {
	if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(limit)); err != nil {
		return
	}
	w.Header().Set("Content-Type", contentType)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}

type workKey struct{}

// withWork returns the context from which the contexts of all requests are derived.
func withWork(work context.Context) context.Context {
	return context.WithValue(work, workKey{}, work)
}

// workOf returns the context of the server's work, which does not end when the client disconnects.
// Without a server it never ends.
func workOf(request context.Context) context.Context {
	if work, ok := request.Value(workKey{}).(context.Context); ok {
		return work
	}
	return context.WithoutCancel(request)
}

// callContext is the context of the calls in a request. It ends with the server's work, and contains
// the calls of the request.
type callContext struct {
	context.Context
	calls *calls
}

// Value implements context.Context.
func (c *callContext) Value(key any) any {
	if key == (callsKey{}) {
		return c.calls
	}
	return c.Context.Value(key)
}
