package rpc

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"sync"
	"unicode/utf8"
)

// Schema is the part of JSON Schema 2020-12 that is needed to describe Go types. Its properties
// keep their order, so that documents are deterministic and have the order of the structs.
type Schema struct {
	Type        string          `json:"type,omitempty"`
	Description string          `json:"description,omitempty"`
	Format      string          `json:"format,omitempty"`
	Pattern     string          `json:"pattern,omitempty"`
	Enum        []string        `json:"enum,omitempty"`
	Default     json.RawMessage `json:"default,omitempty"`
	Minimum     json.Number     `json:"minimum,omitempty"`
	Maximum     json.Number     `json:"maximum,omitempty"`
	Items       *Schema         `json:"items,omitempty"`
	Properties  Properties      `json:"properties,omitempty"`
	Required    []string        `json:"required,omitempty"`
	Values      *Schema         `json:"additionalProperties,omitempty"`
	OneOf       []*Schema       `json:"oneOf,omitempty"`
}

// Property is a member of an object schema.
type Property struct {
	Name   string
	Schema *Schema
}

// Properties is encoded as a JSON object with the members in the order of the slice.
type Properties []Property

// MarshalJSON returns the properties in order.
func (p Properties) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	out.WriteByte('{')
	for i, property := range p {
		if i > 0 {
			out.WriteByte(',')
		}
		name, err := json.Marshal(property.Name)
		if err != nil {
			return nil, fmt.Errorf("property name: %w", err)
		}
		schema, err := json.Marshal(property.Schema)
		if err != nil {
			return nil, fmt.Errorf("property %q: %w", property.Name, err)
		}
		out.Write(name)
		out.WriteByte(':')
		out.Write(schema)
	}
	out.WriteByte('}')
	return out.Bytes(), nil
}

// Described is a type that defines its own schema, because its JSON form cannot be derived from
// its Go type. JSONSchema is called once, on the zero value.
type Described interface {
	JSONSchema() *Schema
}

// direction distinguishes parameters, where a pointer means optional, from results, where it
// means null.
type direction bool

const (
	input  direction = false
	output direction = true
)

// schemaOf returns the schema of a type.
func schemaOf(t reflect.Type, dir direction) *Schema { return buildSchema(t, dir, nil) }

func buildSchema(t reflect.Type, dir direction, above []reflect.Type) *Schema {
	if d, ok := reflect.Zero(t).Interface().(Described); ok && t.Kind() != reflect.Pointer {
		return d.JSONSchema()
	}
	if t.Kind() == reflect.Pointer {
		elem := buildSchema(t.Elem(), dir, above)
		if dir == input {
			return elem
		}
		return &Schema{OneOf: []*Schema{elem, {Type: "null"}}}
	}
	if t == reflect.TypeFor[json.Number]() {
		return &Schema{Type: "number"}
	}
	if t.Implements(reflect.TypeFor[encoding.TextMarshaler]()) {
		return &Schema{Type: "string"}
	}
	if m, ok := reflect.Zero(t).Interface().(json.Marshaler); ok {
		return printedSchema(t, m)
	}
	return kindSchema(t, dir, above)
}

// printedSchema describes a type with its own JSON encoding. For an integer type, such as an
// amount, the encoding of its zero value shows whether it is a number or a string. Other types
// may be encoded as anything.
func printedSchema(t reflect.Type, zero json.Marshaler) *Schema {
	if t.ConvertibleTo(reflect.TypeFor[int64]()) {
		if text, err := zero.MarshalJSON(); err == nil {
			return &Schema{Type: KindOf(text)}
		}
	}
	return &Schema{}
}

func kindSchema(t reflect.Type, dir direction, above []reflect.Type) *Schema {
	switch t.Kind() {
	case reflect.Bool:
		return &Schema{Type: "boolean"}
	case reflect.String:
		return &Schema{Type: "string", Enum: enumOf(t)}
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return &Schema{Type: "integer"}
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return &Schema{Type: "integer", Minimum: "0"}
	case reflect.Float32, reflect.Float64:
		return &Schema{Type: "number"}
	case reflect.Slice, reflect.Array:
		return &Schema{Type: "array", Items: buildSchema(t.Elem(), dir, above)}
	case reflect.Map:
		return &Schema{Type: "object", Values: buildSchema(t.Elem(), dir, above)}
	case reflect.Struct:
		return structSchema(t, dir, above)
	}
	return &Schema{} // an interface can hold any value
}

func structSchema(t reflect.Type, dir direction, above []reflect.Type) *Schema {
	s := &Schema{Type: "object"}
	if slices.Contains(above, t) {
		return s
	}
	for _, f := range fieldsOf(t) {
		s.Properties = append(s.Properties, Property{f.name, fieldSchema(f, dir, append(above, t))})
		if !f.omittable && (dir == output || f.required()) {
			s.Required = append(s.Required, f.name)
		}
	}
	return s
}

func fieldSchema(f field, dir direction, above []reflect.Type) *Schema {
	t := f.typ
	if f.omittable && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	s := *buildSchema(t, dir, above)
	if f.doc != "" {
		s.Description = f.doc
	}
	if f.hasDefault {
		s.Default = f.fallback
	}
	return &s
}

// ShapeOf returns the schema of a result that has one of several types, each given by a value
// of that type. A nil represents null.
func ShapeOf(values ...any) *Schema {
	shapes := make([]*Schema, len(values))
	for i, v := range values {
		if v == nil {
			shapes[i] = &Schema{Type: "null"}
		} else {
			shapes[i] = schemaOf(reflect.TypeOf(v), output)
		}
	}
	if len(shapes) == 1 {
		return shapes[0]
	}
	return &Schema{OneOf: shapes}
}

// Gives returns a copy of the method with the given types as its results, for a function whose
// type does not specify them because it returns any, or a pointer that is never nil; see
// ShapeOf. They are only used in documents.
func (m Method) Gives(values ...any) Method {
	m.result = sync.OnceValue(func() *Schema { return ShapeOf(values...) })
	return m
}

// Names returned by KindOf. They are the names in komodod's messages ("Expected type string,
// got number").
const (
	KindNull   = "null"
	KindBool   = "bool"
	KindNumber = "number"
	KindString = "string"
	KindArray  = "array"
	KindObject = "object"
)

// KindOf returns the JSON type of a valid JSON text, based on the first byte that is not white
// space. An empty text counts as null.
func KindOf(raw []byte) string {
	raw = bytes.TrimLeft(raw, " \t\r\n")
	if len(raw) == 0 {
		return KindNull
	}
	switch raw[0] {
	case '{':
		return KindObject
	case '[':
		return KindArray
	case '"':
		return KindString
	case 't', 'f':
		return KindBool
	case 'n':
		return KindNull
	}
	return KindNumber
}

// Field is a member of a JSON object.
type Field struct {
	Name  string
	Value json.RawMessage
}

// Fields returns the members of a JSON object in order, including duplicates. The names are
// exact, unlike in encoding/json, which ignores case. The values share memory with raw.
func Fields(raw []byte) ([]Field, error) {
	if !json.Valid(raw) {
		return nil, fmt.Errorf("object: %w", json.Unmarshal(raw, new(any)))
	}
	if got := KindOf(raw); got != KindObject {
		return nil, fmt.Errorf("object: %w: %s", ErrType, got)
	}
	fields := []Field{}
	for name, value := range Members(raw) {
		fields = append(fields, Field{name, value})
	}
	return fields, nil
}

// Elements returns the elements of an array in a valid JSON text, such as a Field's value. The
// elements share memory with raw.
func Elements(raw []byte) ([]json.RawMessage, error) {
	if got := KindOf(raw); got != KindArray {
		return nil, fmt.Errorf("array: %w: %s", ErrType, got)
	}
	var list []json.RawMessage
	for element := range Items(raw) {
		list = append(list, element)
	}
	return list, nil
}

// Unquote decodes a string in a valid JSON text. Unpaired surrogates and bytes that are not
// UTF-8 become U+FFFD, as in encoding/json, which is only used if it is necessary.
func Unquote(raw []byte) (string, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) >= 2 && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1]), nil
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err
}

// Members iterates over the members of an object in a text that CheckText has accepted, in
// order and including duplicates. The values share memory with raw.
func Members(raw []byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		var name string
		isName := true
		for part := range parts(raw) {
			if isName {
				// cannot fail, since the text is valid
				name, _ = Unquote(part)
			} else if !yield(name, part) {
				return
			}
			isName = !isName
		}
	}
}

// Items iterates over the elements of an array in a text that CheckText has accepted. The
// elements share memory with raw.
func Items(raw []byte) iter.Seq[json.RawMessage] { return parts(raw) }

// parts splits the inside of a valid object or array at its commas and colons.
func parts(raw []byte) iter.Seq[json.RawMessage] {
	return func(yield func(json.RawMessage) bool) {
		raw := bytes.TrimSpace(raw)
		inside := raw[1 : len(raw)-1]
		depth, start := 0, 0
		for i := 0; i < len(inside); i++ {
			switch inside[i] {
			case '"':
				i = closingQuote(inside, i)
			case '{', '[':
				depth++
			case '}', ']':
				depth--
			case ',', ':':
				if depth > 0 {
					continue
				}
				if !yield(bytes.TrimSpace(inside[start:i])) {
					return
				}
				start = i + 1
			}
		}
		if last := bytes.TrimSpace(inside[start:]); len(last) > 0 {
			yield(last)
		}
	}
}

// closingQuote returns the index of the end of the string that begins at i in a valid text.
func closingQuote(text []byte, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}
