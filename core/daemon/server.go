package daemon

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"obverse/core/guard"
	"obverse/core/metrics"
	"obverse/core/rpc"
	"obverse/core/rpc/auth"
)

// DefaultBatch is the default for the maximum number of requests in a batch.
const DefaultBatch = 100

// MaxBatchReply limits the total length of a batch's answers, in bytes. Once it is exceeded,
// the remaining calls are refused. A call that has been made is always answered.
const MaxBatchReply = 4 << 20

// Logger receives events for operators. The pairs are alternating keys and values, and never
// contain parameters or results. *slog.Logger implements Logger. It must be safe for concurrent
// use.
type Logger interface {
	Error(message string, pairs ...any)
}

// Options holds the settings of a Server. The zero value is usable.
type Options struct {
	Info  rpc.Info      // information for rpc.discover
	Batch int           // maximum number of requests in a batch; 0 means DefaultBatch
	Log   Logger        // nil if nothing is logged
	Calls metrics.Calls // nil if calls are not counted
}

// Server answers request bodies of the daemon API. It is safe for concurrent use.
type Server struct {
	table    *rpc.Table
	options  Options
	discover func() ([]byte, error)
}

// New returns a server with the given methods, and with help and rpc.discover, which are
// derived from them.
func New(options Options, methods ...rpc.Method) *Server {
	if options.Batch == 0 {
		options.Batch = DefaultBatch
	}
	if options.Log == nil {
		options.Log = silent{}
	}
	if options.Calls == nil {
		options.Calls = metrics.Discard{}
	}
	s := &Server{options: options}
	s.discover = sync.OnceValues(func() ([]byte, error) {
		text, err := encode(s.table.OpenRPC(s.options.Info, rpc.ByPosition))
		return bytes.TrimSpace(text), err
	})
	builtin := []rpc.Method{s.helpMethod(), s.discoverMethod()}
	s.table = rpc.NewTable(append(builtin, methods...)...)
	return s
}

// Table returns the table of all methods, including help and rpc.discover.
func (s *Server) Table() *rpc.Table { return s.table }

type silent struct{}

func (silent) Error(string, ...any) {}

// Serve answers a request body with an HTTP status and a reply that ends with a newline. If the
// status is 401, the reply is empty: the caller has no credential, and the request needs one.
// Methods run with ctx, those of a batch one after another.
func (s *Server) Serve(ctx context.Context, caller rpc.Caller, body []byte) (status int, reply []byte) {
	err := rpc.CheckText(body)
	if !caller.Authorized && (err != nil || !caller.Local || !s.open(body)) {
		return StatusUnauthorized, nil
	}
	if err != nil {
		return StatusError, append(appendReply(nil, nil, ErrParse, nil), '\n')
	}
	switch rpc.KindOf(body) {
	case rpc.KindObject:
		reply, failed := s.call(ctx, nil, body)
		return failed.status(), append(reply, '\n')
	case rpc.KindArray:
		return s.batch(ctx, body)
	}
	return StatusError, append(appendReply(nil, nil, ErrTopLevel, nil), '\n')
}

// open reports whether a body is a single request for a method that needs no credential.
func (s *Server) open(body []byte) bool {
	req, err := parseRequest(body)
	if err != nil {
		return false
	}
	m, ok := s.table.Lookup(req.method)
	return ok && m.Doc.Open
}

func (s *Server) batch(ctx context.Context, body []byte) (int, []byte) {
	requests, count := firstOf(body, s.options.Batch)
	if count > s.options.Batch {
		e := &Error{CodeRequest, fmt.Sprintf("batch of %d requests, the limit is %d", count, s.options.Batch)}
		return e.status(), append(appendReply(nil, nil, e, nil), '\n')
	}
	reply, room := []byte{'['}, rpc.TransportOf(ctx).TakeRoom
	more := true
	for i, raw := range requests {
		if i > 0 {
			reply = append(reply, ',')
		}
		before := len(reply)
		if !more {
			reply = s.refuse(ctx, reply, raw, ErrBatchReply)
			continue
		}
		reply, _ = s.call(ctx, reply, raw)
		more = room(len(reply)-before) && len(reply) < MaxBatchReply
	}
	return StatusOK, append(reply, ']', '\n')
}

// refuse appends the reply to a request without calling its method.
func (s *Server) refuse(ctx context.Context, dst, raw []byte, e *Error) []byte {
	req, failed := parseRequest(raw)
	if failed == nil {
		failed = e
	}
	s.options.Calls.Begin(ctx, "daemon", metrics.Unknown)(strconv.Itoa(failed.Code))
	return appendReply(dst, nil, failed, req.id)
}

// call runs one request and appends the reply. The result failed is the error in the reply, if
// any. If a method panics, only this call fails.
func (s *Server) call(ctx context.Context, dst, raw []byte) (reply []byte, failed *Error) {
	req, failed := parseRequest(raw)
	if failed != nil {
		return appendReply(dst, nil, failed, req.id), failed
	}
	m, ok := s.table.Lookup(req.method)
	if !ok {
		s.options.Calls.Begin(ctx, "daemon", metrics.Unknown)(strconv.Itoa(CodeNoMethod))
		failed = noMethod(req.method)
		return appendReply(dst, nil, failed, req.id), failed
	}
	end := s.options.Calls.Begin(ctx, "daemon", m.Name)
	defer func() {
		switch v := recover().(type) {
		case nil:
		case guard.Unavailable:
			failed = &Error{CodeInternal, v.Error()}
			reply = appendReply(dst, nil, failed, req.id)
		default:
			_ = guard.Tell(ctx, "the method "+m.Name, v)
			failed = ErrInternal
			reply = appendReply(dst, nil, failed, req.id)
			end(metrics.Panic)
			return
		}
		end(outcome(failed))
	}()
	value, err := m.Positional(ctx, req.params, rpc.Rules{FirstKeyWins: true})
	if result, refused := refusedBy(err, req.hints); refused {
		value, err = result, nil
	}
	if err != nil {
		failed = wireError(m, err)
		return appendReply(dst, nil, failed, req.id), failed
	}
	if custom, is := value.(appender); is {
		if reply, printed := appendPrinted(dst, custom, req.id); printed {
			return reply, nil
		}
	}
	result, failed := s.print(m, value)
	reply = appendReply(dst, result, failed, req.id)
	if w, is := value.(warner); is && failed == nil {
		reply = appendWarning(reply, w.Warning())
	}
	if h, is := value.(hinter); is && failed == nil && req.hints {
		reply = appendWarning(reply, h.Hint())
	}
	return reply, failed
}

// print returns a result as JSON.
func (s *Server) print(m rpc.Method, value any) ([]byte, *Error) {
	if printed, is := value.(rpc.Printed); is {
		return printed, nil
	}
	result, err := encode(value)
	if err != nil {
		s.options.Log.Error("encoding a result failed", "method", m.Name, "error", err.Error())
		return nil, ErrInternal
	}
	return result, nil
}

func outcome(failed *Error) string {
	if failed == nil {
		return metrics.OK
	}
	return strconv.Itoa(failed.Code)
}

// request is a parsed request. Its id is set if it could be read, even if the rest is invalid.
type request struct {
	id     json.RawMessage
	method string
	params []json.RawMessage
	hints  bool // not in komodod: "hints":true requests explanations in addition to komodod's texts
}

// maxMembers limits the number of members in a request. komodod reads three of them.
const maxMembers = 1024

// parseRequest parses a request that rpc.CheckText has accepted. Like komodod, it reads id,
// method and params in this order. The first of equal keys counts. All other keys except hints,
// including jsonrpc, are ignored.
func parseRequest(raw []byte) (req request, _ *Error) {
	if rpc.KindOf(raw) != rpc.KindObject {
		return req, ErrRequestObject
	}
	var method, params json.RawMessage
	members := 0
	for name, value := range rpc.Members(raw) {
		if members++; members > maxMembers {
			return req, ErrTooManyMembers
		}
		switch {
		case name == "id" && req.id == nil:
			req.id = value
		case name == "method" && method == nil:
			method = value
		case name == "params" && params == nil:
			params = value
		case name == "hints":
			req.hints = string(value) == "true"
		}
	}
	switch rpc.KindOf(method) {
	case rpc.KindString:
	case rpc.KindNull:
		return req, ErrMethodMissing
	default:
		return req, ErrMethodType
	}
	name, err := rpc.Unquote(method)
	if err != nil {
		return req, ErrMethodType
	}
	req.method = name
	switch rpc.KindOf(params) {
	case rpc.KindNull:
		return req, nil
	case rpc.KindArray:
		req.params, _ = firstOf(params, maxParams)
		return req, nil
	}
	return req, ErrParamsType
}

// maxParams limits the number of parameters that are kept. No method has as many: a request
// with more is refused because of their number, so the others would only use memory.
const maxParams = 32

// firstOf returns the first elements of an array, at most limit, and the number of its
// elements.
func firstOf(array json.RawMessage, limit int) (first []json.RawMessage, count int) {
	for element := range rpc.Items(array) {
		if count++; count <= limit {
			first = append(first, element)
		}
	}
	return first, count
}

// appender is a result with its own encoder, whose output must be equal to that of
// appendCompact. It returns false if the result must be encoded by encoding/json.
type appender interface {
	appendJSON(dst []byte) (text []byte, printed bool)
}

// replySize is the initial capacity of a reply. It is sufficient for most replies.
const replySize = 512

// appendPrinted is like appendReply, for a result with its own encoder.
func appendPrinted(dst []byte, result appender, id json.RawMessage) (reply []byte, printed bool) {
	text := append(slices.Grow(dst, replySize), `{"result":`...)
	if text, printed = result.appendJSON(text); !printed {
		return dst, false
	}
	return appendID(append(text, `,"error":null`...), id), true
}

// appendReply appends {"result":…,"error":…,"id":…} without a newline. The result is JSON,
// which is reformatted, or nil if e is set.
func appendReply(dst, result []byte, e *Error, id json.RawMessage) []byte {
	dst = slices.Grow(dst, len(`{"result":,"error":null,"id":null}`+"\n")+len(result)+len(id))
	dst = append(dst, `{"result":`...)
	if e != nil {
		dst = append(dst, `null,"error":`...)
		dst = appendError(dst, e)
	} else {
		dst = appendCompact(dst, result)
		dst = append(dst, `,"error":null`...)
	}
	return appendID(dst, id)
}

// warner is a result whose reply may contain a warning, in a member of the envelope that
// komodod does not have.
type warner interface{ Warning() string }

// hinter is a result whose reply contains a warning if the request asks for hints.
type hinter interface{ Hint() string }

// appendWarning adds a warning to a reply that ends with a brace.
func appendWarning(reply []byte, warning string) []byte {
	if warning == "" {
		return reply
	}
	return append(appendString(append(reply[:len(reply)-1], `,"warning":`...), warning), '}')
}

// appendID appends the id and the end of a reply.
func appendID(dst []byte, id json.RawMessage) []byte {
	dst = append(dst, `,"id":`...)
	if id == nil {
		dst = append(dst, "null"...)
	} else {
		dst = appendCompact(dst, id)
	}
	return append(dst, '}')
}

func appendError(dst []byte, e *Error) []byte {
	dst = append(dst, `{"code":`...)
	dst = strconv.AppendInt(dst, int64(e.Code), 10)
	dst = append(dst, `,"message":`...)
	dst = appendString(dst, strings.ToValidUTF8(e.Message, "\ufffd"))
	return append(dst, '}')
}

// Refusal returns the complete reply to a request that the transport refuses, for example
// because it is too large.
func Refusal(code int, message string) []byte {
	return append(appendReply(nil, nil, &Error{code, message}, nil), '\n')
}

// Errors of Check. In both cases, the status is 401.
var (
	// ErrNoCredential reports that there is no Authorization header. The reply is sent
	// immediately.
	ErrNoCredential = errors.New("no credential")
	// ErrWrongCredential reports a wrong credential. The reply is delayed.
	ErrWrongCredential = errors.New("wrong credential")
)

const basicScheme = "Basic "

// Authorizer checks the Basic credentials of one interface. It never bans an address: a correct
// credential passes even after failed attempts from the same address.
type Authorizer struct {
	digest  [sha256.Size]byte
	anyUser bool
	closed  bool // no password is set, and every credential is refused
	guesses *auth.Limiter
}

// NewAuthorizer returns an Authorizer for a user and a password. If the password is empty,
// every credential is refused.
func NewAuthorizer(user, password string, clock auth.Clock) *Authorizer {
	return &Authorizer{digest: sha256.Sum256([]byte(user + ":" + password)), closed: password == "", guesses: auth.New(auth.Strong(password), clock)}
}

// NewPasswordAuthorizer returns an Authorizer for a password with any user name. The limiter
// guesses counts all attempts at the password, including those at other interfaces.
func NewPasswordAuthorizer(password string, guesses *auth.Limiter) *Authorizer {
	return &Authorizer{digest: sha256.Sum256([]byte(password)), closed: password == "", anyUser: true, guesses: guesses}
}

// Check checks the values of the Authorization headers in a request from address. It returns
// nil, ErrNoCredential, ErrWrongCredential after a delay, or auth.ErrBusy if the credential was
// not checked. The context ends when the caller disconnects.
func (a *Authorizer) Check(ctx context.Context, address string, headers []string) error {
	if len(headers) == 0 {
		return ErrNoCredential
	}
	right := func() bool { return a.matches(headers[0]) }
	record, err := a.guesses.Try(ctx, auth.Attempt{Origin: auth.Origin(address), Right: right})
	if errors.Is(err, auth.ErrWrong) {
		return errors.Join(ErrWrongCredential, a.guesses.WaitDelay(ctx, record.Wrong, nil))
	}
	return err
}

// matches compares digests, so that timing reveals neither the secret nor its length. Spaces
// around the base64 are allowed, as in komodod, which compares the scheme case-sensitively. If
// any user name is accepted, the scheme is case-insensitive (RFC 9110, section 11.1).
func (a *Authorizer) matches(header string) bool {
	at := min(len(header), len(basicScheme))
	scheme, encoded := header[:at], header[at:]
	if a.closed || scheme != basicScheme && !(a.anyUser && strings.EqualFold(scheme, basicScheme)) {
		return false
	}
	given, err := base64.StdEncoding.DecodeString(strings.TrimSpace(encoded))
	if err != nil {
		return false
	}
	secret := string(given)
	if a.anyUser {
		_, secret, _ = strings.Cut(secret, ":")
	}
	digest := sha256.Sum256([]byte(secret))
	return subtle.ConstantTimeCompare(digest[:], a.digest[:]) == 1
}
