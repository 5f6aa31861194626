package rpc

import (
	"reflect"
	"strconv"
)

// ErrorKind describes one kind of error of an interface, for documents.
type ErrorKind struct {
	Name   string
	Status int    // HTTP
	Data   any    // a value of the type of its data; nil: it has none
	Doc    string // when it is raised
}

// kindID identifies a kind: two kinds may have one name and different statuses.
type kindID struct {
	name   string
	status int
}

func (k ErrorKind) id() kindID { return kindID{k.Name, k.Status} }

// Schema returns the schema of the data, or nil.
func (k ErrorKind) Schema() *Schema {
	if k.Data == nil {
		return nil
	}
	return schemaOf(reflect.TypeOf(k.Data), output)
}

// kindNames names the kinds in documents; of two with one name the later one bears its
// status.
func kindNames(kinds []ErrorKind) map[kindID]string {
	names := make(map[kindID]string, len(kinds))
	taken := map[string]bool{}
	for _, k := range kinds {
		name := k.Name
		if taken[name] {
			name += strconv.Itoa(k.Status)
		}
		taken[name] = true
		names[k.id()] = name
	}
	return names
}
