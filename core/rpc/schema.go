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

// Schema is the part of JSON Schema 2020-12 that Go types need. Its properties
// keep their order, so that documents are stable and read like the structs.
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

// Property is one named member of an object schema.
type Property struct {
	Name   string
	Schema *Schema
}

// Properties is an object in JSON, in the order of the slice.
type Properties []Property

// MarshalJSON writes the properties in order.
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

// Described is a type that states its own schema, because its JSON form does not
// follow from its Go form. It is asked once, of the zero value.
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

// schemaOf derives the schema of a type.
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

// printedSchema describes a type that prints itself. Of an integer, such as an amount,
// zero reports whether it is a number or a string; others may print anything.
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
	return &Schema{} // an interface: any value
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

// ShapeOf returns the schema of results that are of one of several types, each given by a
// value of it; nil stands for null.
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

// Gives notes what the results of a method are if its function's type does not say it,
// which gives any value, or a pointer that is never nil; see ShapeOf. It is for documents
// alone.
func (m Method) Gives(values ...any) Method {
	m.result = sync.OnceValue(func() *Schema { return ShapeOf(values...) })
	return m
}

// Names that KindOf gives; they are the ones of komodod's messages ("Expected type
// string, got number").
const (
	KindNull   = "null"
	KindBool   = "bool"
	KindNumber = "number"
	KindString = "string"
	KindArray  = "array"
	KindObject = "object"
)

// KindOf names the JSON type of a valid JSON text; it looks at the first byte that
// is not white space. Nothing at all counts as null.
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

// Field is one member of a JSON object.
type Field struct {
	Name  string
	Value json.RawMessage
}

// Fields splits a JSON object into its members, in order and with duplicates. The
// names are exact, unlike encoding/json's, which ignores case. The values are parts
// of raw.
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

// Elements splits an array of a valid JSON text, such as a Field's value. The
// elements are parts of raw.
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

// Unquote reads a string of a valid JSON text. Half surrogate pairs and bytes that
// are not UTF-8 become U+FFFD, as in encoding/json, which most strings can do without.
func Unquote(raw []byte) (string, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) >= 2 && raw[0] == '"' && bytes.IndexByte(raw, '\\') < 0 && utf8.Valid(raw) {
		return string(raw[1 : len(raw)-1]), nil
	}
	var s string
	err := json.Unmarshal(raw, &s)
	return s, err
}

// Members goes through an object of a text that CheckText took, in order and with
// duplicates. The values are parts of raw.
func Members(raw []byte) iter.Seq2[string, json.RawMessage] {
	return func(yield func(string, json.RawMessage) bool) {
		var name string
		isName := true
		for part := range parts(raw) {
			if isName {
				// The text is known to be valid, and its names with it.
				name, _ = Unquote(part)
			} else if !yield(name, part) {
				return
			}
			isName = !isName
		}
	}
}

// Items goes through an array of a text that CheckText took. The elements are parts
// of raw.
func Items(raw []byte) iter.Seq[json.RawMessage] { return parts(raw) }

// parts cuts the inside of a valid object or array at its commas and colons.
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

// closingQuote finds the end of the string of a valid text that opens at i.
func closingQuote(text []byte, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i
}
