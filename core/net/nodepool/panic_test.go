package nodepool

import (
	"context"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/guard"
	"obverse/core/net/fetch"
)

// TestAnswersThatPanic checks that an answer that makes its reader panic is treated as a fault
// of the node: the next node is asked, and the faulty one is paused.
func TestAnswersThatPanic(t *testing.T) {
	for name, ask := range map[string]func(context.Context, *Pool) error{
		"probe": func(ctx context.Context, p *Pool) error { _, err := p.Probe(ctx); return err },
		"race":  func(ctx context.Context, p *Pool) error { _, err := p.Ask(ctx, doubles(3)); return err },
		"poll": func(ctx context.Context, p *Pool) error {
			_, err := p.Poll(ctx, doubles(3), nil)
			return err
		},
		"looking after": func(ctx context.Context, p *Pool) error {
			ctx, cancel := context.WithTimeout(ctx, time.Minute)
			defer cancel()
			_ = p.Run(ctx)
			_, err := p.Ask(context.WithoutCancel(ctx), doubles(3))
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var panics atomic.Int64
				ctx := guard.With(t.Context(), func(*guard.Panic) { panics.Add(1) })
				p := newPool(t, func(body string) fetch.Response {
					if question := name == "race" || name == "poll"; question && greets(body) {
						return adder(body)
					}
					panic("s3cret")
				}, adder)
				require.NoError(t, ask(ctx, p))
				require.Positive(t, panics.Load())
				require.LessOrEqual(t, panics.Load(), int64(10), "it is not asked again at once")
				require.False(t, p.Nodes()[0].Healthy)
			})
		})
	}
}

// TestReaderThatPanics checks that a question fails if its reader panics for every answer.
func TestReaderThatPanics(t *testing.T) {
	p := newPool(t, adder)
	q := doubles(3)
	q.ReadAll = func([]Outcome) (any, int64, error) { panic("s3cret") }
	_, err := p.Ask(t.Context(), q)
	var unreachable *UnreachableError
	require.ErrorAs(t, err, &unreachable)
	require.NotContains(t, err.Error(), "s3cret")
}
