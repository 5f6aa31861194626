// Package guard recovers panics: the work that panicked fails with an error, a watcher is
// notified, and the rest of the node runs on. Goroutines that process untrusted input use it,
// since an unrecovered panic in any goroutine ends the process.
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
	Work  string // name of the work
	Cause string // text of the runtime error, or the type of the panic value
	Stack string // functions with their files and lines, innermost first
}

// Error omits the stack, since clients see errors.
func (p *Panic) Error() string { return p.Work + " panicked: " + p.Cause }

// Is implements errors.Is.
func (p *Panic) Is(target error) bool { return target == ErrPanic }

// Unavailable is a panic value that does not indicate a bug: the work needs something that is
// currently unavailable, such as a part of the program that is loaded on demand. The value
// itself is the error of the work, and no panic is reported.
type Unavailable interface {
	error
	Unavailable()
}

type watcherKey struct{}

// With returns a context with a function that receives the panics of work with this context.
// The function must be safe for concurrent use.
func With(ctx context.Context, report func(*Panic)) context.Context {
	return context.WithValue(ctx, watcherKey{}, report)
}

// Watched reports whether the context has such a function.
func Watched(ctx context.Context) bool {
	_, watched := ctx.Value(watcherKey{}).(func(*Panic))
	return watched
}

// Catch converts a panic into the error of the function that defers it. Other goroutines
// started by the function need their own deferred Catch.
func Catch(ctx context.Context, work string, err *error) {
	switch value := recover().(type) {
	case nil:
	case Unavailable:
		*err = value
	default:
		*err = Tell(ctx, work, value)
	}
}

// Do calls do, and returns a panic as an error.
func Do(ctx context.Context, work string, do func() error) (err error) {
	defer Catch(ctx, work, &err)
	return do()
}

// Func returns a function that calls Do, for a goroutine of a group.
func Func(ctx context.Context, work string, do func() error) func() error {
	return func() error { return Do(ctx, work, do) }
}

// Tell converts the result of recover to an error and reports it. It is for callers that have
// more to do than return the error.
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

// stack returns the stack below the recovery. It does not contain arguments, unlike the output
// of runtime/debug.Stack.
func stack() string {
	callers := make([]uintptr, maxFrames)
	frames := runtime.CallersFrames(callers[:runtime.Callers(4, callers)]) // skips the functions of this package
	var b strings.Builder
	for {
		frame, more := frames.Next()
		b.WriteString(frame.Function + " " + frame.File + ":" + strconv.Itoa(frame.Line) + "\n")
		if !more {
			return b.String()
		}
	}
}
