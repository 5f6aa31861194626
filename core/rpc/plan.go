package rpc

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
)

// Rules are the rules for decoding objects with parameters, which differ between the
// interfaces.
type Rules struct {
	// FirstKeyWins uses the first of two equal names, as in komodod. Otherwise, equal names
	// result in ErrDuplicate.
	FirstKeyWins bool
	// RefuseUnknown returns ErrUnknown for unused names.
	RefuseUnknown bool
	// Unknown, if set, is called with the path of each unused name.
	Unknown func(path string)
}

// plan is the plan for decoding a struct. It is created once.
type plan struct {
	fields []field
	byName map[string]int
	closed bool
	min    int // number of required positional parameters
}

// field is a member of a struct that is decoded or encoded.
type field struct {
	name       string
	doc        string
	typ        reflect.Type
	index      []int
	shape      shape
	optional   bool
	omittable  bool            // whether it has omitempty or omitzero, and may be absent from a result
	fallback   json.RawMessage // the default, or null for absent=null; nil if there is no default
	hasDefault bool
}

// structPlan returns the decoding plan of a parameter struct. It panics if the type is
// unsupported.
func structPlan(t reflect.Type, above []reflect.Type) *plan {
	p := &plan{fields: fieldsOf(t), byName: map[string]int{}, closed: t.Implements(reflect.TypeFor[Closed]())}
	for i := range p.fields {
		f := &p.fields[i]
		if _, twice := p.byName[f.name]; twice {
			panic(fmt.Sprintf("rpc: %v has two fields named %q", t, f.name))
		}
		p.byName[f.name] = i
		f.shape = shapeOf(f.typ, append(above, t))
		if !f.optional {
			p.min = i + 1
		}
		f.checkDefault(t)
	}
	return p
}

// fieldsOf returns the fields of a struct, based on their tags. The fields of embedded structs
// are included in their place.
func fieldsOf(t reflect.Type) []field {
	var fields []field
	for i := range t.NumField() {
		sf := t.Field(i)
		name, options, _ := strings.Cut(sf.Tag.Get("json"), ",")
		if sf.Anonymous && name == "" && sf.Type.Kind() == reflect.Struct {
			for _, inner := range fieldsOf(sf.Type) {
				inner.index = append([]int{i}, inner.index...)
				fields = append(fields, inner)
			}
			continue
		}
		if !sf.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			name = sf.Name
		}
		f := field{name: name, doc: sf.Tag.Get("doc"), typ: sf.Type, index: []int{i}}
		f.omittable = strings.Contains(options, "omit")
		f.absence(sf)
		fields = append(fields, f)
	}
	return fields
}

// absence sets how an absent field is decoded, based on its tags.
func (f *field) absence(sf reflect.StructField) {
	f.optional = f.omittable || sf.Type.Kind() == reflect.Pointer
	switch rule := sf.Tag.Get("rpc"); rule {
	case "":
	case "optional":
		f.optional = true
	case "absent=null":
		f.optional, f.fallback = true, json.RawMessage("null")
	default:
		panic(fmt.Sprintf("rpc: field %s: unknown tag rpc:%q", sf.Name, rule))
	}
	text, ok := sf.Tag.Lookup("default")
	if !ok {
		return
	}
	f.optional, f.hasDefault, f.fallback = true, true, json.RawMessage(text)
	if sf.Type.Kind() == reflect.String {
		f.fallback, _ = json.Marshal(text)
	}
}

// required reports whether documents list the field as required. A missing field that is
// decoded like null, and then refused, is required.
func (f *field) required() bool { return !f.optional || f.fallback != nil && !f.hasDefault }

// checkDefault panics if the field would refuse its default, or if the field is declared as
// required but accepts null.
func (f *field) checkDefault(t reflect.Type) {
	if f.fallback == nil {
		return
	}
	d := decoding{}
	if !f.hasDefault {
		if f.shape.decode(&d, f.name, f.fallback, reflect.New(f.typ).Elem()) == nil {
			panic(fmt.Sprintf("rpc: %v: %s takes null: absent=null would do nothing", t, f.name))
		}
		return
	}
	if err := f.shape.decode(&d, f.name, f.fallback, reflect.New(f.typ).Elem()); err != nil {
		panic(fmt.Sprintf("rpc: %v: default: %v", t, err))
	}
}

func (p *plan) count(n int) error {
	if n < p.min || n > len(p.fields) {
		return &CountError{Got: n, Min: p.min, Max: len(p.fields)}
	}
	return nil
}

func (p *plan) positional(args []json.RawMessage, dst reflect.Value, rules Rules) error {
	d := decoding{rules: rules}
	for i := range p.fields {
		var raw json.RawMessage
		if i < len(args) {
			raw = args[i]
		}
		if err := p.fields[i].fill(&d, "", raw, dst); err != nil {
			return err
		}
	}
	return nil
}

func (p *plan) named(params json.RawMessage, dst reflect.Value, rules Rules) error {
	if KindOf(params) == KindNull {
		params = json.RawMessage("{}")
	}
	if !json.Valid(params) {
		return &ParamError{Path: orParams(""), Err: ErrText}
	}
	d := decoding{rules: rules}
	return p.object(&d, "", params, dst)
}

// object decodes a JSON object, which is part of a valid text, into the struct dst.
func (p *plan) object(d *decoding, path string, raw json.RawMessage, dst reflect.Value) error {
	if KindOf(raw) != KindObject {
		return &ParamError{Path: orParams(path), Want: "an object", Got: KindOf(raw), Err: ErrType, Value: raw}
	}
	values := make([]json.RawMessage, len(p.fields))
	var strange map[string]bool // unknown names, if a repeated name must be detected
	for name, value := range Members(raw) {
		i, known := p.byName[name]
		switch {
		case !known && strange[name]:
			return &ParamError{Path: join(path, name), Err: ErrDuplicate}
		case !known:
			if !d.rules.FirstKeyWins {
				if strange == nil {
					strange = map[string]bool{}
				}
				strange[name] = true
			}
			if err := d.unknown(p, join(path, name)); err != nil {
				return err
			}
		case values[i] == nil:
			values[i] = value
		case !d.rules.FirstKeyWins:
			return &ParamError{Path: join(path, name), Err: ErrDuplicate}
		}
	}
	for i := range p.fields {
		if err := p.fields[i].fill(d, path, values[i], dst); err != nil {
			return err
		}
	}
	return nil
}

// fill decodes one field; If the field is absent, raw is nil. Null counts as absent for an
// optional field whose type does not implement Unmarshaler.
func (f *field) fill(d *decoding, path string, raw json.RawMessage, dst reflect.Value) error {
	if raw != nil && f.optional && !f.shape.seesNull && KindOf(raw) == KindNull {
		raw = nil
	}
	if raw == nil {
		raw = f.fallback
	}
	if raw != nil {
		return f.shape.decode(d, join(path, f.name), raw, dst.FieldByIndex(f.index))
	}
	if !f.optional {
		return &ParamError{Path: join(path, f.name), Want: f.shape.want, Err: ErrMissing}
	}
	return nil
}

func join(path, name string) string {
	if path == "" || name == "" {
		return path + name
	}
	return path + "." + name
}

func orParams(path string) string {
	if path == "" {
		return "params"
	}
	return path
}
