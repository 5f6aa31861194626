package guard_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"obverse/core/guard"
)

type secret struct{ words string }

func TestPanic(t *testing.T) {
	var reports []*guard.Panic
	ctx := guard.With(t.Context(), func(p *guard.Panic) { reports = append(reports, p) })
	require.True(t, guard.Watched(ctx))
	require.False(t, guard.Watched(t.Context()))

	for _, c := range []struct {
		do   func() error
		text string
	}{
		{func() error { panic("s3cret") }, "reading panicked: string"},
		{func() error { panic(errors.New("s3cret")) }, "reading panicked: *errors.errorString"},
		{func() error { panic(secret{"s3cret"}) }, "reading panicked: guard_test.secret"},
		{func() error { return []error{}[len(reports)] }, "reading panicked: runtime error: index out of range [3] with length 0"},
		{func() error { var none *secret; return errors.New(none.words) }, "reading panicked: runtime error: invalid memory address or nil pointer dereference"},
	} {
		err := guard.Do(ctx, "reading", c.do)
		require.EqualError(t, err, c.text)
		require.ErrorIs(t, err, guard.ErrPanic)
		last := reports[len(reports)-1]
		require.Equal(t, err, last)
		require.Contains(t, last.Stack, "guard_test.go:")
		require.NotContains(t, last.Stack+err.Error(), "s3cret")
		require.NotContains(t, last.Stack, "0x")
		require.LessOrEqual(t, strings.Count(last.Stack, "\n"), 24)
	}
	failed := errors.New("failed")
	require.Equal(t, failed, guard.Do(ctx, "reading", func() error { return failed }))
	require.NoError(t, guard.Do(ctx, "reading", func() error { return nil }))
	require.Len(t, reports, 5)
}

type away struct{ error }

func (away) Unavailable() {}

func TestWhatIsUnavailableIsNoPanic(t *testing.T) {
	ctx := guard.With(t.Context(), func(p *guard.Panic) { require.Fail(t, "reported", p) })
	missing := away{errors.New("the part is missing")}
	err := guard.Do(ctx, "reading", func() error { panic(missing) })
	require.Equal(t, missing, err)
	require.NotErrorIs(t, err, guard.ErrPanic)
}

// TestFuncOfAGroup checks that a group receives the error if no watcher is set.
func TestFuncOfAGroup(t *testing.T) {
	group, ctx := errgroup.WithContext(context.Background())
	var all sync.WaitGroup
	all.Add(1)
	group.Go(guard.Func(ctx, "a part", func() error { defer all.Done(); panic(1) }))
	all.Wait()
	require.ErrorIs(t, group.Wait(), guard.ErrPanic)
}
