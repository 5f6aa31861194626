package store_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
)

func TestBatchKeepsOrder(t *testing.T) {
	var b store.Batch
	b.Put("a", "1")
	b.Delete("a")
	b.Put("b", "")
	b.Expect("c", "")
	b.ExpectAbsent("d")
	require.Equal(t, []store.Op{{Key: "a", Data: "1"}, {Key: "a", Delete: true}, {Key: "b"}}, b.Ops)
	require.Equal(t, []store.Guard{
		{Key: "c", Want: store.Value{Present: true}},
		{Key: "d"},
	}, b.Guards)
	require.NoError(t, b.Check())
}

func TestBatchCheck(t *testing.T) {
	for name, spoil := range map[string]func(*store.Batch){
		"put":           func(b *store.Batch) { b.Put("", "x") },
		"delete":        func(b *store.Batch) { b.Delete("") },
		"expect":        func(b *store.Batch) { b.Expect("", "x") },
		"expect absent": func(b *store.Batch) { b.ExpectAbsent("") },
	} {
		t.Run(name, func(t *testing.T) {
			var b store.Batch
			b.Put("a", "1")
			b.ExpectAbsent("b")
			require.NoError(t, b.Check())
			spoil(&b)
			require.ErrorIs(t, b.Check(), store.ErrEmptyKey)
		})
	}
}

// stub is a KV with a Stage that returns a fixed result.
type stub struct {
	store.KV
	durable store.Durable
	err     error
}

func (s stub) Stage(context.Context, store.Batch) (store.Durable, error) { return s.durable, s.err }

func TestApplyGivesTheFirstError(t *testing.T) {
	refused, lost := errors.New("refused"), errors.New("lost")
	waited := false
	wait := func(err error) store.Durable {
		return func(context.Context) error { waited = true; return err }
	}
	ctx := t.Context()

	require.ErrorIs(t, store.Apply(ctx, stub{durable: wait(nil), err: refused}, store.Batch{}), refused)
	require.False(t, waited)
	require.ErrorIs(t, store.Apply(ctx, stub{durable: wait(lost)}, store.Batch{}), lost)
	require.True(t, waited)
	require.NoError(t, store.Apply(ctx, stub{durable: wait(nil)}, store.Batch{}))
}
