package jsval

import (
	"errors"
	"syscall/js"
)

// Error is an error that JavaScript threw, or one to throw in JavaScript.
type Error struct {
	Name string // of the class, such as TypeError; "" is Error
	Text string
	Kind string // for programs; may be empty
	Data Value  // details; may be undefined
}

func (e *Error) Error() string {
	if e.Name == "" || e.Name == "Error" {
		return e.Text
	}
	return e.Name + ": " + e.Text
}

// Kinder is an error with a kind for programs.
type Kinder interface {
	error
	ErrorKind() string
}

func readError(thrown Value) *Error {
	if thrown.v.Type() != js.TypeObject {
		var text Value
		_ = try(func() { text = Value{js.Global().Get("String").Invoke(thrown.v)} })
		return &Error{Text: text.TextOr("")}
	}
	return &Error{
		Name: thrown.Get("name").TextOr(""), Text: thrown.Get("message").TextOr(""),
		Kind: thrown.Get("kind").TextOr(""), Data: thrown.Get("data"),
	}
}

// fromError returns an Error object. Its kind is that of the error, or Internal.
func fromError(err error) Value {
	object := Value{js.Global().Get("Error").New(err.Error())}
	kind, data := "Internal", Value{}
	var thrown *Error
	var kinder Kinder
	switch {
	case errors.As(err, &thrown):
		kind, data = thrown.Kind, thrown.Data
	case errors.As(err, &kinder):
		kind = kinder.ErrorKind()
	}
	_ = object.Set("kind", kind) // a new object accepts any property
	if !data.v.IsUndefined() {
		_ = object.Set("data", data)
	}
	return object
}
