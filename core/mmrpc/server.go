package mmrpc

import (
	"bytes"
	"cmp"
	"context"
	"sync"
	"sync/atomic"
	"time"

	"obverse/core/clock"
	"obverse/core/metrics"
	"obverse/core/rpc"
	"obverse/core/rpc/auth"
)

// Statuses of answers that no error kind gives.
const (
	statusOK    = 200
	statusError = 500
)

// Logger receives events for an operator. Pairs are keys and values, never
// parameters or results. *slog.Logger is one; it is called from many goroutines.
type Logger interface {
	Error(message string, pairs ...any)
}

// Options of a Server.
type Options struct {
	Info         rpc.Info         // for rpc.discover
	Password     Password         // the userpass of requests; zero: nothing passes
	Guesses      *auth.Limiter    // at the password, if it is asked for elsewhere too; nil: it is not
	LocalOnly    bool             // callers on other machines are refused (rpc_local_only)
	StrictParams bool             // unknown parameters are refused (strict_params)
	Batch        int              // requests that a batch may hold; 0: DefaultBatch
	Log          Logger           // nil: no log
	Calls        metrics.Calls    // nil: nothing is counted
	Now          func() time.Time // needed
}

// Server answers request bodies of the node API. It is safe for concurrent use.
type Server struct {
	table   *rpc.Table
	options Options
	guesses *auth.Limiter
	unknown atomic.Uint64

	discover func() ([]byte, error)
}

// New makes a server of the methods of the given areas and of help and rpc.discover,
// which it derives from them.
func New(options Options, areas ...Area) *Server {
	if options.Batch == 0 {
		options.Batch = DefaultBatch
	}
	if options.Log == nil {
		options.Log = silent{}
	}
	if options.Calls == nil {
		options.Calls = metrics.Discard{}
	}
	if options.Guesses == nil {
		options.Guesses = auth.New(options.Password.strong, clock.Wall(options.Now))
	}
	options.Info.Description = cmp.Or(options.Info.Description, description)
	s := &Server{options: options, guesses: options.Guesses}
	s.discover = sync.OnceValues(func() ([]byte, error) {
		var text bytes.Buffer
		err := encode(&text, s.table.OpenRPC(s.options.Info, rpc.ByName, ErrorKinds()...))
		return text.Bytes(), err
	})
	methods := []rpc.Method{s.helpMethod(), s.discoverMethod()}
	for _, area := range areas {
		methods = append(methods, area.Methods()...)
	}
	s.table = rpc.NewTable(methods...)
	return s
}

type silent struct{}

func (silent) Error(string, ...any) {}

// Table returns the methods of the server, for documents.
func (s *Server) Table() *rpc.Table { return s.table }

// UnknownParams counts the parameters that no method reads.
func (s *Server) UnknownParams() uint64 { return s.unknown.Load() }

// RetryAfter says for how long wrong passwords of a caller are refused with Banned;
// zero: they are not. An error that such a caller gets says it in the header of the same
// name.
func (s *Server) RetryAfter(caller rpc.Caller) time.Duration {
	return s.guesses.Record(auth.Origin(caller.Address)).Ban
}

// Serve answers one body, a request or an array of them: an HTTP status, and the reply
// with its newline. Methods run with ctx, some of a batch at the same time.
func (s *Server) Serve(ctx context.Context, caller rpc.Caller, body []byte) (status int, reply []byte) {
	if err := rpc.CheckText(body); err != nil {
		s.options.Calls.Begin(ctx, api, metrics.Unknown)("ParseError")
		return statusError, append(appendLegacyError(nil, err.Error()), '\n')
	}
	if rpc.KindOf(body) == rpc.KindArray {
		status, reply = s.batch(ctx, caller, body)
	} else {
		status, reply = s.one(ctx, &attempt{caller: caller}, body)
	}
	return status, append(reply, '\n')
}
