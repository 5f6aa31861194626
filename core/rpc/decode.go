package rpc

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// Unmarshaler is a parameter type with its own decoding. It receives the JSON text, including
// null. Its error is wrapped in a ParamError. If it returns a ParamError, the outer path is
// prepended.
type Unmarshaler interface {
	UnmarshalParam(raw json.RawMessage) error
}

// Enum is a string type with a limited set of values. Values is called once, on the zero value.
type Enum interface {
	Values() []string
}

// Closed is a struct in which unknown names are refused regardless of the Rules, as in some
// methods of Komodo DeFi Framework.
type Closed interface{ Closed() }

// decoding is the state of decoding the parameters of one call.
type decoding struct{ rules Rules }

func (d *decoding) unknown(p *plan, path string) error {
	if d.rules.Unknown != nil {
		d.rules.Unknown(path)
	}
	if !d.rules.RefuseUnknown && !p.closed {
		return nil
	}
	names := make([]string, len(p.fields))
	for i, f := range p.fields {
		names[i] = f.name
	}
	return &ParamError{Path: path, Err: ErrUnknown, Allowed: names}
}

type decodeFunc func(d *decoding, path string, raw json.RawMessage, dst reflect.Value) error

// shape describes the decoding of a Go type, and the accepted values in words.
type shape struct {
	want     string
	decode   decodeFunc
	seesNull bool // whether null is a value and does not mean that the value is absent
}

// shapeOf returns the shape of a type. The argument above lists the enclosing structs.
// Recursive types and floats have no shape.
func shapeOf(t reflect.Type, above []reflect.Type) shape {
	switch {
	case reflect.PointerTo(t).Implements(reflect.TypeFor[Unmarshaler]()):
		return shape{want: describe(t), decode: decodeCustom, seesNull: true}
	case t == reflect.TypeFor[json.RawMessage]():
		return shape{want: "any JSON value", decode: decodeRaw, seesNull: true}
	case t.Kind() == reflect.Pointer:
		return pointerShape(shapeOf(t.Elem(), above))
	case reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()),
		reflect.PointerTo(t).Implements(reflect.TypeFor[encoding.TextUnmarshaler]()):
		return jsonShape(describe(t))
	case t == reflect.TypeFor[json.Number]():
		return scalar("a number", KindNumber, decodeNumber)
	}
	return kindShape(t, above)
}

func kindShape(t reflect.Type, above []reflect.Type) shape {
	switch t.Kind() {
	case reflect.Bool:
		return scalar("true or false", KindBool, decodeBool)
	case reflect.String:
		return stringShape(t)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		top := int64(math.MaxInt64) >> (64 - t.Bits())
		return scalar(fmt.Sprintf("a whole number from %d to %d", -top-1, top), KindNumber, decodeInt)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return scalar(fmt.Sprintf("a whole number from 0 to %d", uint64(math.MaxUint64)>>(64-t.Bits())), KindNumber, decodeUint)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			break // encoding/json would encode it as base64
		}
		return sliceShape(shapeOf(t.Elem(), above))
	case reflect.Map:
		return mapShape(t, shapeOf(t.Elem(), above))
	case reflect.Struct:
		if slices.Contains(above, t) {
			panic(fmt.Sprintf("rpc: %v contains itself: give it an UnmarshalParam", t))
		}
		return shape{want: "an object", decode: structPlan(t, above).object}
	}
	panic(fmt.Sprintf("rpc: a parameter cannot be a %v", t))
}

// describe describes the values that a type with its own decoding accepts, based on its schema.
func describe(t reflect.Type) string {
	s := schemaOf(t, input)
	switch {
	case s.Description != "":
		return s.Description
	case s.Type != "":
		return "of type " + s.Type
	}
	return "a valid value"
}

func decodeCustom(_ *decoding, path string, raw json.RawMessage, dst reflect.Value) error {
	err := dst.Addr().Interface().(Unmarshaler).UnmarshalParam(raw)
	if inner := (*ParamError)(nil); errors.As(err, &inner) {
		outer := *inner
		outer.Path = join(path, inner.Path)
		if inner.Path == "" && inner.Value == nil {
			outer.Value = raw
		}
		return &outer
	}
	if err != nil {
		return &ParamError{Path: path, Got: KindOf(raw), Err: err, Value: raw}
	}
	return nil
}

func decodeRaw(_ *decoding, _ string, raw json.RawMessage, dst reflect.Value) error {
	dst.SetBytes(slices.Clone(raw))
	return nil
}

// jsonShape returns the shape of a type that encoding/json decodes. It refuses null:
// encoding/json would ignore null, so that a required value would be zero.
func jsonShape(want string) shape {
	return shape{want: want, decode: func(_ *decoding, path string, raw json.RawMessage, dst reflect.Value) error {
		got := KindOf(raw)
		if got == KindNull {
			return &ParamError{Path: path, Want: want, Got: got, Err: ErrType, Value: raw}
		}
		err := json.Unmarshal(raw, dst.Addr().Interface())
		var other *json.UnmarshalTypeError
		if errors.As(err, &other) { // the text of err contains types of this program
			return &ParamError{Path: path, Want: want, Got: got, Err: ErrType, Value: raw}
		}
		if err != nil {
			return &ParamError{Path: path, Got: got, Err: err, Value: raw}
		}
		return nil
	}}
}

// decodeNumber stores a number as text.
func decodeNumber(text string, dst reflect.Value) bool {
	dst.SetString(text)
	return true
}

func pointerShape(elem shape) shape {
	return shape{want: elem.want, seesNull: elem.seesNull, decode: func(d *decoding, path string, raw json.RawMessage, dst reflect.Value) error {
		if !elem.seesNull && KindOf(raw) == KindNull {
			dst.SetZero()
			return nil
		}
		dst.Set(reflect.New(dst.Type().Elem()))
		return elem.decode(d, path, raw, dst.Elem())
	}}
}

// scalar returns the shape of a scalar type. The function set reports whether the text is in
// range.
func scalar(want, kind string, set func(text string, dst reflect.Value) bool) shape {
	return shape{want: want, decode: func(_ *decoding, path string, raw json.RawMessage, dst reflect.Value) error {
		got := KindOf(raw)
		text := strings.TrimSpace(string(raw))
		if got == kind && set(text, dst) {
			return nil
		}
		reason := ErrType
		if got == kind && kind == KindNumber && strings.Trim(text, "-0123456789") == "" {
			reason = ErrRange
		}
		return &ParamError{Path: path, Want: want, Got: got, Err: reason, Value: raw}
	}}
}

func decodeBool(text string, dst reflect.Value) bool {
	dst.SetBool(text == "true")
	return true
}

// decodeInt decodes an integer that consists of digits only: "1.0" and "1e3" are refused. It
// does not use floating-point numbers.
func decodeInt(text string, dst reflect.Value) bool {
	n, err := strconv.ParseInt(text, 10, dst.Type().Bits())
	dst.SetInt(n)
	return err == nil
}

func decodeUint(text string, dst reflect.Value) bool {
	n, err := strconv.ParseUint(text, 10, dst.Type().Bits())
	dst.SetUint(n)
	return err == nil
}

func stringShape(t reflect.Type) shape {
	values := enumOf(t)
	if values == nil {
		return scalar("a string", KindString, decodeString)
	}
	want := "one of `" + strings.Join(values, "`, `") + "`"
	plain := scalar(want, KindString, decodeString)
	return shape{want: want, decode: func(d *decoding, path string, raw json.RawMessage, dst reflect.Value) error {
		if err := plain.decode(d, path, raw, dst); err != nil {
			return err
		}
		if !slices.Contains(values, dst.String()) {
			return &ParamError{Path: path, Want: want, Got: "another string", Err: ErrVariant, Value: raw, Allowed: values}
		}
		return nil
	}}
}

func enumOf(t reflect.Type) []string {
	if e, ok := reflect.Zero(t).Interface().(Enum); ok {
		return e.Values()
	}
	return nil
}

func decodeString(text string, dst reflect.Value) bool {
	s, err := Unquote([]byte(text))
	dst.SetString(s)
	return err == nil
}

func sliceShape(elem shape) shape {
	return shape{want: "an array", decode: func(d *decoding, path string, raw json.RawMessage, dst reflect.Value) error {
		if KindOf(raw) != KindArray {
			return &ParamError{Path: path, Want: "an array", Got: KindOf(raw), Err: ErrType, Value: raw}
		}
		items, err := Elements(raw)
		if err != nil {
			return &ParamError{Path: path, Err: err}
		}
		dst.Set(reflect.MakeSlice(dst.Type(), len(items), len(items)))
		for i, item := range items {
			if err := elem.decode(d, fmt.Sprintf("%s[%d]", path, i), item, dst.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}}
}

func mapShape(t reflect.Type, elem shape) shape {
	if t.Key().Kind() != reflect.String {
		panic(fmt.Sprintf("rpc: the keys of %v are not strings", t))
	}
	return shape{want: "an object", decode: func(d *decoding, path string, raw json.RawMessage, dst reflect.Value) error {
		if KindOf(raw) != KindObject {
			return &ParamError{Path: path, Want: "an object", Got: KindOf(raw), Err: ErrType, Value: raw}
		}
		dst.Set(reflect.MakeMap(t))
		for name, value := range Members(raw) {
			if err := setMember(d, join(path, name), Field{name, value}, elem, dst); err != nil {
				return err
			}
		}
		return nil
	}}
}

func setMember(d *decoding, path string, m Field, elem shape, dst reflect.Value) error {
	key := reflect.ValueOf(m.Name).Convert(dst.Type().Key())
	if dst.MapIndex(key).IsValid() {
		if d.rules.FirstKeyWins {
			return nil
		}
		return &ParamError{Path: path, Err: ErrDuplicate}
	}
	value := reflect.New(dst.Type().Elem()).Elem()
	if err := elem.decode(d, path, m.Value, value); err != nil {
		return err
	}
	dst.SetMapIndex(key, value)
	return nil
}
