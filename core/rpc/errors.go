package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
)

// Reasons for which parameters are refused. They are found with errors.Is inside
// a ParamError or a CountError.
var (
	// ErrCount: too few or too many positional parameters.
	ErrCount = errors.New("wrong number of parameters")
	// ErrMissing: a required parameter, or a required field inside one, is absent.
	ErrMissing = errors.New("missing")
	// ErrType: the value has another JSON type, or a number is out of range.
	ErrType = errors.New("wrong type")
	// ErrRange: a whole number that is too small or too large. It is an ErrType too.
	ErrRange = fmt.Errorf("%w: out of range", ErrType)
	// ErrVariant means that a string is not an allowed value.
	ErrVariant = errors.New("unknown variant")
	// ErrUnknown: a name that the method does not have, under Rules.RefuseUnknown.
	ErrUnknown = errors.New("unknown name")
	// ErrDuplicate: a name that occurs twice, unless Rules.FirstKeyWins.
	ErrDuplicate = errors.New("duplicate name")
)

// CountError refuses a call for its number of positional parameters.
type CountError struct{ Got, Min, Max int }

func (e *CountError) Error() string {
	return fmt.Sprintf("%v: got %d, allowed are %d to %d", ErrCount, e.Got, e.Min, e.Max)
}

// Unwrap makes errors.Is(err, ErrCount) true.
func (e *CountError) Unwrap() error { return ErrCount }

// ParamError refuses one parameter. Its text never contains the value, which may be a secret;
// an interface that shows values takes them from Value.
type ParamError struct {
	Path    string          // as a client would write it: "coin", "nodes[2].url"
	Want    string          // the allowed values, as in "must be …"; empty if Err describes them
	Got     string          // the JSON type of the value, as KindOf names it; empty when absent
	Err     error           // one of the reasons above, or the error of the type's UnmarshalParam
	Value   json.RawMessage // the value, part of the request; nil when absent or not for showing
	Allowed []string        // with ErrVariant the values, with ErrUnknown the names that there are
}

func (e *ParamError) Error() string {
	switch {
	case errors.Is(e.Err, ErrMissing):
		return fmt.Sprintf("parameter %q is missing, it must be %s", e.Path, e.Want)
	case e.Want != "":
		return fmt.Sprintf("parameter %q must be %s, got %s", e.Path, e.Want, e.Got)
	default:
		return fmt.Sprintf("parameter %q: %v", e.Path, e.Err)
	}
}

// Unwrap returns the reason.
func (e *ParamError) Unwrap() error { return e.Err }

// ErrorKind describes one kind of error of an interface, for documents.
type ErrorKind struct {
	Name   string
	Status int    // HTTP
	Data   any    // of the type that the document gives; nil: no data
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
