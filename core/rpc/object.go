package rpc

import (
	"bytes"
	"encoding/json"
	"fmt"
)

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
// names are exact, unlike encoding/json's, which ignores case.
func Fields(raw []byte) ([]Field, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	open, err := dec.Token()
	if err != nil {
		return nil, fmt.Errorf("object: %w", err)
	}
	if open != json.Delim('{') {
		return nil, fmt.Errorf("object: %w: %s", ErrType, KindOf(raw))
	}
	var fields []Field
	for dec.More() {
		name, err := dec.Token()
		if err != nil {
			return nil, fmt.Errorf("object: %w", err)
		}
		f := Field{Name: name.(string)}
		if err := dec.Decode(&f.Value); err != nil {
			return nil, fmt.Errorf("object member %q: %w", f.Name, err)
		}
		fields = append(fields, f)
	}
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("object: %w", err)
	}
	return fields, nil
}
