package jsval

import (
	"context"
	"syscall/js"

	"obverse/core/guard"
)

// Await waits for a promise, or for any value with a then method, and returns other values at
// once. If the promise is rejected, the error is an *Error. If ctx ends first, Await returns the error of ctx
// and ignores the result of the promise. It must not be called on the event
// loop, which means in a Func.
func Await(ctx context.Context, promise Value) (Value, error) {
	if promise.Get("then").v.Type() != js.TypeFunction {
		return promise, nil
	}
	type outcome struct {
		value Value
		err   error
	}
	done := make(chan outcome, 1)
	var fulfilled, rejected *Func
	settle := func(o outcome) {
		fulfilled.Release()
		rejected.Release()
		done <- o
	}
	fulfilled = NewFunc(func(args []Value) any { settle(outcome{value: Arg(args, 0)}); return nil })
	rejected = NewFunc(func(args []Value) any { settle(outcome{err: readError(Arg(args, 0))}); return nil })
	if _, err := promise.Call("then", fulfilled, rejected); err != nil {
		fulfilled.Release()
		rejected.Release()
		return Value{}, err
	}
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		return Value{}, ctx.Err()
	}
}

// Promise runs do with args in a goroutine and returns a promise of its result.
func Promise(do func(args []Value) (any, error), args []Value) Value {
	var promise Value
	executor := NewFunc(func(settle []Value) any {
		go func() {
			var value any
			var err error
			defer func() { // resolving functions do not throw
				if err != nil {
					_, _ = settle[1].Invoke(err)
					return
				}
				_, _ = settle[0].Invoke(value)
			}()
			defer guard.Catch(context.Background(), "a call", &err)
			value, err = do(args)
		}()
		return nil
	})
	defer executor.Release() // the constructor calls it once, before it returns
	promise, _ = Global().Get("Promise").New(executor)
	return promise
}
