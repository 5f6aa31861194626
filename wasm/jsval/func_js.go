package jsval

import "syscall/js"

// Func is a function of Go that JavaScript can call. It holds memory until Release.
type Func struct{ f js.Func }

// NewFunc wraps do, which runs on the event loop and must therefore not wait for
// JavaScript. The result is converted by ValueOf; a panic ends the program.
func NewFunc(do func(args []Value) any) *Func {
	return &Func{js.FuncOf(func(_ js.Value, args []js.Value) any {
		list := make([]Value, len(args))
		for i, arg := range args {
			list[i] = Value{arg}
		}
		return ValueOf(do(list)).v
	})}
}

// Release frees the memory of the function. JavaScript must not call the function afterwards.
func (f *Func) Release() { f.f.Release() }

// Arg returns the n-th argument, or undefined if there are fewer arguments.
func Arg(args []Value, n int) Value {
	if n < len(args) {
		return args[n]
	}
	return Value{}
}
