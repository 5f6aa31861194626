package jsval

import "syscall/js"

// Func is a function of Go that JavaScript can call. It holds memory until Release.
type Func struct{ f js.Func }

// NewFunc wraps do, which runs on the event loop: it must not wait for anything that
// JavaScript does. Its result is turned by Of; a panic ends the program, as anywhere.
func NewFunc(do func(args []Value) any) *Func {
	return &Func{js.FuncOf(func(_ js.Value, args []js.Value) any {
		list := make([]Value, len(args))
		for i, arg := range args {
			list[i] = Value{arg}
		}
		return ValueOf(do(list)).v
	})}
}

// Release gives its memory back. JavaScript must not call it any more.
func (f *Func) Release() { f.f.Release() }

// Arg returns an argument, undefined where there are fewer.
func Arg(args []Value, n int) Value {
	if n < len(args) {
		return args[n]
	}
	return Value{}
}
