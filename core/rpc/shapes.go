package rpc

import (
	"reflect"
	"sync"
)

// ShapeOf is the schema of results that are of one of several types, each given by a
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
