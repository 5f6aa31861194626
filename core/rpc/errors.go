package rpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strconv"
)

// Reasons why parameters are refused. errors.Is finds them in a ParamError or a CountError.
var (
	// ErrCount reports too few or too many positional parameters.
	ErrCount = errors.New("wrong number of parameters")
	// ErrMissing reports that a required parameter, or a required field in one, is absent.
	ErrMissing = errors.New("missing")
	// ErrType reports a value of another JSON type, or a number out of range.
	ErrType = errors.New("wrong type")
	// ErrRange reports an integer that is too small or too large. It wraps ErrType.
	ErrRange = fmt.Errorf("%w: out of range", ErrType)
	// ErrVariant reports a string that is not an accepted value.
	ErrVariant = errors.New("unknown variant")
	// ErrUnknown reports an unknown name, if Rules.RefuseUnknown is set.
	ErrUnknown = errors.New("unknown name")
	// ErrDuplicate reports a name that occurs twice, unless Rules.FirstKeyWins is set.
	ErrDuplicate = errors.New("duplicate name")
)

// CountError reports a wrong number of positional parameters.
type CountError struct{ Got, Min, Max int }

func (e *CountError) Error() string {
	return fmt.Sprintf("%v: got %d, allowed are %d to %d", ErrCount, e.Got, e.Min, e.Max)
}

// Unwrap returns ErrCount.
func (e *CountError) Unwrap() error { return ErrCount }

// ParamError reports an invalid parameter. Its text never contains the value, which may be a
// secret. Interfaces that include values in their errors take them from Value.
type ParamError struct {
	Path    string          // as written by clients, such as "coin" or "nodes[2].url"
	Want    string          // accepted values, completing "must be …"; empty if Err describes them
	Got     string          // JSON type of the value, as returned by KindOf; empty if the value is absent
	Err     error           // one of the reasons above, or the error of the type's UnmarshalParam
	Value   json.RawMessage // the value, a part of the request; nil if it is absent or secret
	Allowed []string        // the accepted values for ErrVariant, or the known names for ErrUnknown
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

// ErrorKind describes a kind of errors of an interface, for documents.
type ErrorKind struct {
	Name   string
	Status int    // HTTP status
	Data   any    // value of the type that documents describe; nil if there is no data
	Doc    string // description of the condition
}

// kindID identifies a kind. Kinds with the same name may have different statuses.
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

// kindNames returns the names of the kinds in documents. If two kinds have the same name, the
// status is appended to the name of the second.
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
