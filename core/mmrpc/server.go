package mmrpc

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"obverse/core/metrics"
	"obverse/core/mmerr"
	"obverse/core/rpc"
)

// DefaultBatch is the number of requests that a batch may hold unless Options say
// otherwise.
const DefaultBatch = 100

// atOnce is how many requests of one batch run at the same time.
const atOnce = 8

// Statuses of answers that no error kind gives.
const (
	statusOK    = 200
	statusError = 500
)

// Logger is told of what an operator must know. Pairs are keys and values, never
// parameters or results. *slog.Logger is one; it is called from many goroutines.
type Logger interface {
	Error(message string, pairs ...any)
}

// Options of a Server.
type Options struct {
	Info         rpc.Info         // for rpc.discover
	Password     Password         // the userpass of requests; zero: nothing passes
	LocalOnly    bool             // callers on other machines are refused (rpc_local_only)
	StrictParams bool             // unknown parameters are refused (strict_params)
	Batch        int              // requests that a batch may hold; 0: DefaultBatch
	Log          Logger           // nil: nobody is told
	Calls        metrics.Calls    // nil: nothing is counted
	Now          func() time.Time // needed
}

// Server answers request bodies of interface B. It is safe for concurrent use.
type Server struct {
	table   *rpc.Table
	options Options
	limiter *limiter
	unknown atomic.Uint64
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
	options.Info.Description = cmp.Or(options.Info.Description, description)
	s := &Server{options: options, limiter: newLimiter(options.Now)}
	methods := []rpc.Method{s.helpMethod(), s.discoverMethod()}
	for _, area := range areas {
		methods = append(methods, area.Methods()...)
	}
	s.table = rpc.NewTable(methods...)
	return s
}

type silent struct{}

func (silent) Error(string, ...any) {}

// Table is what the server answers, for documents.
func (s *Server) Table() *rpc.Table { return s.table }

// UnknownParams counts the parameters that no method reads.
func (s *Server) UnknownParams() uint64 { return s.unknown.Load() }

// RetryAfter says for how long a caller is banned because of wrong passwords; zero:
// not at all. An answer to a banned caller says it in the header of the same name.
func (s *Server) RetryAfter(caller rpc.Caller) time.Duration { return s.limiter.wait(caller.Address) }

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
		status, reply = s.one(ctx, caller, body)
	}
	return status, append(reply, '\n')
}

// batch answers requests independently of one another, in their order.
func (s *Server) batch(ctx context.Context, caller rpc.Caller, body []byte) (int, []byte) {
	var requests []json.RawMessage
	for raw := range rpc.Items(body) {
		if len(requests) == s.options.Batch {
			text := fmt.Sprintf("a batch may hold %d requests at most", s.options.Batch)
			s.options.Calls.Begin(ctx, api, metrics.Unknown)("InvalidRequest")
			return s.failure(mmerr.InvalidRequest.New(text, parsing+text), nil)
		}
		requests = append(requests, raw)
	}
	replies := make([][]byte, len(requests))
	var running sync.WaitGroup
	free := make(chan struct{}, atOnce)
	for i, raw := range requests {
		free <- struct{}{}
		running.Go(func() {
			defer func() { <-free }()
			_, replies[i] = s.one(ctx, caller, raw)
		})
	}
	running.Wait()
	all := []byte{'['}
	for i, reply := range replies {
		if i > 0 {
			all = append(all, ',')
		}
		all = append(all, reply...)
	}
	return statusOK, append(all, ']')
}
