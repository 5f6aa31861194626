package daemon

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"sync"

	"obverse/core/guard"
	"obverse/core/metrics"
	"obverse/core/rpc"
)

// DefaultBatch is the number of requests that a batch may hold unless Options say
// otherwise.
const DefaultBatch = 100

// MaxBatchReply is how long the answers of a batch may become, in bytes, before the calls
// that follow are refused. All that is called is answered.
const MaxBatchReply = 4 << 20

// Logger receives the events that an operator needs. Pairs are keys and values, never
// parameters or results. *slog.Logger implements it; it is called from many goroutines.
type Logger interface {
	Error(message string, pairs ...any)
}

// Options of a Server. The zero value will do.
type Options struct {
	Info  rpc.Info      // for rpc.discover
	Batch int           // requests that a batch may hold; 0: DefaultBatch
	Log   Logger        // nil: no logging
	Calls metrics.Calls // nil: nothing is counted
}

// Server answers request bodies of the daemon API. It is safe for concurrent use.
type Server struct {
	table    *rpc.Table
	options  Options
	discover func() ([]byte, error)
}

// New makes a server of the given methods and of help and rpc.discover, which it
// derives from them.
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

// Table is the table of all its methods.
func (s *Server) Table() *rpc.Table { return s.table }

type silent struct{}

func (silent) Error(string, ...any) {}

// Serve answers one body: an HTTP status, and the reply with its newline. Status
// 401 has an empty reply: the caller has no credential, and what it asks is not
// open. Methods run with ctx, those of a batch one after another.
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
		reply, failed := s.one(ctx, nil, body)
		return failed.status(), append(reply, '\n')
	case rpc.KindArray:
		return s.batch(ctx, body)
	}
	return StatusError, append(appendReply(nil, nil, ErrTopLevel, nil), '\n')
}

// open reports whether a body is one request for a method that needs no credential.
func (s *Server) open(body []byte) bool {
	req, err := parseRequest(body)
	if err != nil {
		return false
	}
	m, ok := s.table.Lookup(req.method)
	return ok && m.Doc.Open
}

func (s *Server) batch(ctx context.Context, body []byte) (int, []byte) {
	var requests []json.RawMessage
	if err := json.Unmarshal(body, &requests); err != nil {
		return StatusError, append(appendReply(nil, nil, ErrParse, nil), '\n')
	}
	if len(requests) > s.options.Batch {
		e := &Error{CodeRequest, fmt.Sprintf("batch of %d requests, the limit is %d", len(requests), s.options.Batch)}
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
		reply, _ = s.one(ctx, reply, raw)
		more = room(len(reply)-before) && len(reply) < MaxBatchReply
	}
	return StatusOK, append(reply, ']', '\n')
}

// refuse appends the reply to a request that is not called.
func (s *Server) refuse(ctx context.Context, dst, raw []byte, e *Error) []byte {
	req, failed := parseRequest(raw)
	if failed == nil {
		failed = e
	}
	s.options.Calls.Begin(ctx, "daemon", metrics.Unknown)(strconv.Itoa(failed.Code))
	return appendReply(dst, nil, failed, req.id)
}

// one appends the reply to one request and gives the error in it, if any.
func (s *Server) one(ctx context.Context, dst []byte, raw []byte) ([]byte, *Error) {
	req, failed := parseRequest(raw)
	if failed != nil {
		return appendReply(dst, nil, failed, req.id), failed
	}
	return s.call(ctx, dst, req)
}

// call runs one method and appends the reply. A panic in it is an error of this call alone.
func (s *Server) call(ctx context.Context, dst []byte, req request) (reply []byte, failed *Error) {
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

// print gives a result's JSON.
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
