package mmrpc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/guard"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
)

// pieces is an area with a method for every possible outcome.
type pieces struct {
	meet chan struct{} // "meet" waits for another call of "meet"
}

type mode string

func (mode) Values() []string { return []string{"Default", "Swift", "Safe"} }

type soleMode string

func (soleMode) Values() []string { return []string{"Default"} }

type pieceParams struct {
	Coin   string        `json:"coin" doc:"the ticker"`
	Height uint32        `json:"height" default:"7"`
	Nodes  []piece       `json:"nodes" rpc:"optional"`
	Mode   mode          `json:"mode" default:"Default"`
	Sole   soleMode      `json:"sole" default:"Default"`
	Every  *wire.Seconds `json:"every"`
	Flag   bool          `json:"flag" rpc:"optional"`
}

type piece struct {
	URL string `json:"url"`
}

type flatResult struct {
	Coin string `json:"coin"`
}

func (flatResult) Flat() {}

type ordersError struct{ error }

func (e ordersError) Unwrap() error { return e.error }

func (e ordersError) Legacy(text string) any {
	return struct {
		Error  string   `json:"error"`
		Orders []string `json:"orders"`
	}{text, []string{}}
}

var errDeep = errors.New("disk 0x1234 of user bob is full")

func (p pieces) Methods() []rpc.Method {
	type none = struct{}
	type coin struct {
		Coin string `json:"coin"`
	}
	return []rpc.Method{
		rpc.Handle("echo", rpc.Doc{Summary: "Echo", Category: "Test"}, func(_ context.Context, p pieceParams) (pieceParams, error) { return p, nil }),
		rpc.Handle("nothing", rpc.Doc{}, func(context.Context, none) (any, error) { return nil, nil }),
		rpc.Handle("markup", rpc.Doc{}, func(context.Context, none) (string, error) { return "<&>\u2028\xff", nil }),
		rpc.Handle("kind", rpc.Doc{}, func(_ context.Context, c coin) (any, error) {
			return nil, mmerr.NoSuchCoin.From(errDeep, mmerr.Coin{Coin: c.Coin}, "No such coin "+c.Coin)
		}),
		rpc.Handle("bare", rpc.Doc{}, func(context.Context, none) (any, error) {
			return nil, mmerr.NotRunning.New(mmerr.None{}, "not running")
		}),
		rpc.Handle("fails", rpc.Doc{}, func(context.Context, none) (any, error) { return nil, fmt.Errorf("read: %w", errDeep) }),
		rpc.Handle("lacks", rpc.Doc{}, func(context.Context, none) (any, error) { panic(away{errors.New("the part is missing")}) }),
		rpc.Handle("panics", rpc.Doc{}, func(context.Context, none) (any, error) { panic("the secret") }),
		rpc.Handle("unprintable", rpc.Doc{}, func(context.Context, none) (float64, error) { return math.NaN(), nil }),
		rpc.Handle("waits", rpc.Doc{}, func(ctx context.Context, _ none) (any, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}),
		rpc.Handle("meet", rpc.Doc{}, func(context.Context, none) (bool, error) {
			select {
			case p.meet <- struct{}{}:
			case <-p.meet:
			}
			return true, nil
		}),
		rpc.Handle("old", rpc.Doc{Legacy: true}, func(_ context.Context, c coin) (coin, error) { return c, nil }),
		rpc.Handle("flat", rpc.Doc{Legacy: true}, func(_ context.Context, c coin) (flatResult, error) { return flatResult(c), nil }),
		rpc.Handle("oldfails", rpc.Doc{Legacy: true}, func(_ context.Context, c coin) (any, error) {
			return nil, mmerr.NoSuchCoin.New(mmerr.Coin{Coin: c.Coin}, "No such coin "+c.Coin)
		}),
		rpc.Handle("orders", rpc.Doc{Legacy: true}, func(_ context.Context, c coin) (any, error) {
			return nil, ordersError{mmerr.NoSuchCoin.New(mmerr.Coin{Coin: c.Coin}, "No such coin "+c.Coin)}
		}),
	}
}

// journal is a Logger that also counts calls.
type journal struct {
	mu    sync.Mutex
	lines []string
	calls []string
}

func (j *journal) Error(message string, pairs ...any) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.lines = append(j.lines, message+fmt.Sprint(pairs...))
}

func (j *journal) Begin(_ context.Context, api, method string) func(string) {
	return func(outcome string) {
		j.mu.Lock()
		defer j.mu.Unlock()
		j.calls = append(j.calls, api+" "+method+" "+outcome)
	}
}

// bench is a server with its dependencies.
type bench struct {
	*Server
	*journal
	now time.Time
}

// away is the panic value of a method that is currently unavailable; see guard.Unavailable.
type away struct{ error }

func (away) Unavailable() {}

func newBench(change func(*Options)) *bench {
	b := &bench{journal: &journal{}, now: time.Unix(1700000000, 0)}
	o := Options{Password: NewPassword(mmrpctest.Userpass), LocalOnly: true, Log: b.journal, Calls: b.journal, Now: func() time.Time { return b.now }}
	if change != nil {
		change(&o)
	}
	b.Server = New(o, pieces{meet: make(chan struct{})}, Control{Version: "1.2.3", Built: "2025-01-02T03:04:05Z"})
	return b
}

func (b *bench) ask(t *testing.T, caller rpc.Caller, body string) (int, string) {
	t.Helper()
	ctx := guard.With(t.Context(), func(p *guard.Panic) { b.Error("recovered from a panic", p.Work, p.Cause, p.Stack) })
	status, reply := b.Serve(ctx, caller, []byte(body))
	require.True(t, json.Valid(reply), "%s", reply)
	require.True(t, strings.HasSuffix(string(reply), "\n"))
	return status, strings.TrimSuffix(string(reply), "\n")
}
