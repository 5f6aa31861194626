package rpc

import (
	"bytes"
	"encoding"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
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
