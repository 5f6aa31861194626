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

// Statuses of answers without an error kind.
const (
	statusOK    = 200
	statusError = 500
)

// Logger receives events for operators. The pairs are alternating keys and values, and never
// contain parameters or results. *slog.Logger implements Logger. It must be safe for concurrent
// use.
type Logger interface {
	Error(message string, pairs ...any)
}

// Options holds the settings of a Server.
type Options struct {
	Info         rpc.Info         // information for rpc.discover
	Password     Password         // the userpass of requests; the zero value refuses all
	Guesses      *auth.Limiter    // limiter shared with other users of the password; nil if there are no others
	LocalOnly    bool             // refuses callers on other machines (rpc_local_only)
	StrictParams bool             // refuses unknown parameters (strict_params)
	Batch        int              // maximum number of requests in a batch; 0 means DefaultBatch
	Log          Logger           // nil if nothing is logged
	Calls        metrics.Calls    // nil if calls are not counted
	Now          func() time.Time // required
}

// Server answers request bodies of the node API. It is safe for concurrent use.
type Server struct {
	table   *rpc.Table
	options Options
	guesses *auth.Limiter
	unknown atomic.Uint64

	discover func() ([]byte, error)
}

// New returns a server with the methods of the given areas, and with help and rpc.discover,
// which are derived from them.
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

// Table returns the server's methods, for documents.
func (s *Server) Table() *rpc.Table { return s.table }

// UnknownParams returns the number of received parameters that no method uses.
func (s *Server) UnknownParams() uint64 { return s.unknown.Load() }

// RetryAfter returns how long wrong passwords of a caller will be refused with Banned, or zero
// if they are not refused. Errors sent to such a caller have this time in their Retry-After
// header.
func (s *Server) RetryAfter(caller rpc.Caller) time.Duration {
	return s.guesses.Record(auth.Origin(caller.Address)).Ban
}

// Serve answers a body that contains a request or an array of requests. It returns an HTTP
// status and a reply that ends with a newline. Methods run with ctx, and those of a batch may
// run concurrently.
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
