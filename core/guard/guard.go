// Package guard recovers panics: the work that panicked fails with an error, a watcher is
// notified, and the rest of the node runs on. Goroutines that process untrusted input use it,
// since a panic in any other ends the process.
//
// It is not for work that must not stop halfway, such as writing the store.
//
// Invariant: a report contains no values of the program. It has the text of a runtime error,
// the type of any other panic value, and the places of the stack.
package guard

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strconv"
	"strings"
)

// ErrPanic matches every *Panic.
var ErrPanic = errors.New("panic")

// Panic is the error of work that panicked.
type Panic struct {
	Work  string // what was done
	Cause string // what the runtime says, or the type of the value
	Stack string // where: functions with their files and lines, the innermost first
}

// Error omits the stack, since clients see errors.
func (p *Panic) Error() string { return p.Work + " panicked: " + p.Cause }

// Is implements errors.Is.
func (p *Panic) Is(target error) bool { return target == ErrPanic }

// Unavailable is a panic that is no mistake of the program: the work needs something that
// is unavailable now, such as a part of the program that is loaded when it is needed. The
// work fails with it as it is, and no panic is reported.
type Unavailable interface {
	error
	Unavailable()
}

type watcherKey struct{}

// With sets the function that receives panics of work with this context. It is called from many
// goroutines.
func With(ctx context.Context, report func(*Panic)) context.Context {
	return context.WithValue(ctx, watcherKey{}, report)
}

// Watched reports whether the context has such a function.
func Watched(ctx context.Context) bool {
	_, watched := ctx.Value(watcherKey{}).(func(*Panic))
	return watched
}

// Catch turns a panic into the error of the function that defers it. Deferred calls that
// it cannot see, such as those of other goroutines, need their own.
func Catch(ctx context.Context, work string, err *error) {
	switch value := recover().(type) {
	case nil:
	case Unavailable:
		*err = value
	default:
		*err = Tell(ctx, work, value)
	}
}

// Do does work.
func Do(ctx context.Context, work string, do func() error) (err error) {
	defer Catch(ctx, work, &err)
	return do()
}

// Func is Do for later, as the function of a goroutine of a group.
func Func(ctx context.Context, work string, do func() error) func() error {
	return func() error { return Do(ctx, work, do) }
}

// Tell converts the result of recover to an error and reports it. Callers use it when they have
// to do more than to fail.
func Tell(ctx context.Context, work string, value any) *Panic {
	p := &Panic{Work: work, Cause: cause(value), Stack: stack()}
	if report, watched := ctx.Value(watcherKey{}).(func(*Panic)); watched {
		report(p)
	}
	return p
}

func cause(value any) string {
	if e, ok := value.(runtime.Error); ok {
		return e.Error()
	}
	return fmt.Sprintf("%T", value)
}

// maxFrames limits the reported stack.
const maxFrames = 24

// stack lists the places below the recovery. Go's own form has the arguments too.
func stack() string {
	callers := make([]uintptr, maxFrames)
	frames := runtime.CallersFrames(callers[:runtime.Callers(4, callers)]) // without what is in this package
	var b strings.Builder
	for {
		frame, more := frames.Next()
		b.WriteString(frame.Function + " " + frame.File + ":" + strconv.Itoa(frame.Line) + "\n")
		if !more {
			return b.String()
		}
	}
}
