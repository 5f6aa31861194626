package jsval

import (
	"errors"
	"fmt"
	"syscall/js"
)

// ErrType means that a value does not have the requested type.
var ErrType = errors.New("value has the wrong type")

// Value is any JavaScript value. The zero Value is undefined.
type Value struct{ v js.Value }

// Global returns the object that the program uses as the global object. It may differ from the
// thread's global object, because the host that starts the program chooses its members.
func Global() Value { return Value{js.Global()} }

// Null returns null.
func Null() Value { return Value{js.Null()} }

// ValueOf converts a Go value to a JavaScript value: nil, bool, string, any int or float64,
// []byte (a copy, as Uint8Array), error (an Error object), Value, js.Value, *Func,
// map[string]any and []any of these. It converts any other value to undefined.
func ValueOf(x any) Value {
	switch x := x.(type) {
	case nil:
		return Null()
	case Value:
		return x
	case js.Value:
		return Value{x}
	case *Func:
		return Value{x.f.Value}
	case []byte:
		return fromBytes(x)
	case error:
		return fromError(x)
	case map[string]any:
		return fromMap(x)
	case []any:
		return fromList(x)
	case bool, string, int, int32, uint32, int64, uint64, float64:
		return Value{js.ValueOf(x)}
	}
	return Value{}
}

func fromMap(m map[string]any) Value {
	object := js.Global().Get("Object").New()
	for name, x := range m {
		object.Set(name, ValueOf(x).v)
	}
	return Value{object}
}

func fromList(list []any) Value {
	array := js.Global().Get("Array").New(len(list))
	for i, x := range list {
		array.SetIndex(i, ValueOf(x).v)
	}
	return Value{array}
}

func fromBytes(b []byte) Value {
	array := js.Global().Get("Uint8Array").New(len(b))
	js.CopyBytesToJS(array, b)
	return Value{array}
}

// Raw returns v for a library that uses values of syscall/js.
func (v Value) Raw() js.Value { return v.v }

// Missing reports whether v is undefined or null.
func (v Value) Missing() bool { return v.v.IsUndefined() || v.v.IsNull() }

// Get returns a property, which is undefined if v does not have it or has no properties.
func (v Value) Get(name string) Value {
	var found Value
	_ = try(func() { found = Value{v.v.Get(name)} })
	return found
}

// Set sets a property.
func (v Value) Set(name string, x any) error {
	return try(func() { v.v.Set(name, ValueOf(x).v) })
}

// Call calls a method. If the method throws, the error is an *Error.
func (v Value) Call(method string, args ...any) (result Value, err error) {
	err = try(func() { result = Value{v.v.Call(method, values(args)...)} })
	return result, err
}

// Invoke calls v itself.
func (v Value) Invoke(args ...any) (result Value, err error) {
	err = try(func() { result = Value{v.v.Invoke(values(args)...)} })
	return result, err
}

// New calls v as a constructor.
func (v Value) New(args ...any) (result Value, err error) {
	err = try(func() { result = Value{v.v.New(values(args)...)} })
	return result, err
}

func values(args []any) []any {
	list := make([]any, len(args))
	for i, x := range args {
		list[i] = ValueOf(x).v
	}
	return list
}

// Text returns v if it is a string, or ErrType.
func (v Value) Text() (string, error) {
	if v.v.Type() != js.TypeString {
		return "", v.mismatch("a string")
	}
	return v.v.String(), nil
}

// TextOr returns v if it is a string, or other.
func (v Value) TextOr(other string) string {
	if text, err := v.Text(); err == nil {
		return text
	}
	return other
}

// Whole returns v if it is a whole number, or ErrType. JavaScript's numbers are not exact
// above 2^53.
func (v Value) Whole() (int64, error) {
	const maxInteger = 1 << 53
	if v.v.Type() == js.TypeNumber {
		if f := v.v.Float(); f >= -maxInteger && f <= maxInteger && f == float64(int64(f)) {
			return int64(f), nil
		}
	}
	return 0, v.mismatch("a whole number")
}

// Is reports whether v is the boolean true.
func (v Value) Is() bool { return v.v.Type() == js.TypeBoolean && v.v.Bool() }

// Bytes copies the contents of a Uint8Array, or returns ErrType.
func (v Value) Bytes() ([]byte, error) {
	if v.v.Type() != js.TypeObject || !v.v.InstanceOf(js.Global().Get("Uint8Array")) {
		return nil, v.mismatch("a Uint8Array")
	}
	b := make([]byte, v.v.Get("byteLength").Int())
	js.CopyBytesToGo(b, v.v)
	return b, nil
}

// Kind returns the type of v, as typeof does, but "null" for null.
func (v Value) Kind() string { return v.v.Type().String() }

func (v Value) mismatch(want string) error {
	return fmt.Errorf("%w: it is %s and not %s", ErrType, v.Kind(), want)
}

// try runs do, and returns JavaScript exceptions and misuse of values as an error.
func try(do func()) (err error) {
	defer func() {
		switch thrown := recover().(type) {
		case nil:
		case js.Error:
			err = readError(Value{thrown.Value})
		case *js.ValueError:
			err = fmt.Errorf("%w: %s", ErrType, thrown.Error())
		case string: // syscall/js panics with a string if a property or method is missing
			err = fmt.Errorf("%w: %s", ErrType, thrown)
		default:
			panic(thrown)
		}
	}()
	do()
	return nil
}
