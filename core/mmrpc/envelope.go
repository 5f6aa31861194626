package mmrpc

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"

	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
)

// version is the version of the envelope.
const version = "2.0"

// envelopeNames are the names of a request's members, in the order of Komodo DeFi Framework.
var envelopeNames = []string{"mmrpc", "userpass", "method", "params", "id"}

// maxMembers limits the members of a request to a number far above the needs of clients. They
// are counted before the password is checked.
const maxMembers = 1024

// maxOthers limits the number of parameters at the top level of a request without mmrpc.
const maxOthers = 64

// envelope is a decoded request. Its parts are not checked, except for the errors in fault,
// rest and broken.
type envelope struct {
	mmrpc, params json.RawMessage
	userpass      json.RawMessage // undecoded, or nil
	method        string
	named         bool // whether the method is present and a string
	id            json.RawMessage
	others        []rpc.Field // members with other names
	fault         error       // first error by the rules of 2.0
	rest          error       // like fault, without errors for names that 2.0 does not define
	broken        error       // first error that also applies to requests without mmrpc
}

// readEnvelope decodes a request, which must be part of a text that rpc.CheckText has accepted.
func readEnvelope(raw json.RawMessage) *envelope {
	e := &envelope{}
	if rpc.KindOf(raw) != rpc.KindObject {
		e.fail(wire.Fault{Serde: "invalid type: " + wire.Unexpected(raw) + ", expected struct MmRpcRequest"})
		return e
	}
	seen := [5]bool{}
	members := 0
	for name, value := range rpc.Members(raw) {
		if members++; members > maxMembers {
			e.breaks(wire.Fault{Serde: fmt.Sprintf("more than %d members", maxMembers)})
			return e
		}
		at := slices.Index(envelopeNames, name)
		if at < 0 {
			e.other(name, value)
			continue
		}
		if seen[at] {
			e.twice(name)
			continue
		}
		seen[at] = true
		e.member(name, value)
	}
	if !seen[2] {
		e.fail(wire.Fault{Serde: "missing field `method`"})
	}
	return e
}

func (e *envelope) member(name string, value json.RawMessage) {
	switch name {
	case "mmrpc":
		e.mmrpc = value
	case "userpass":
		e.userpass = value
		if kind := rpc.KindOf(value); kind != rpc.KindString && kind != rpc.KindNull {
			e.fail(wire.Fault{Serde: "invalid type: " + wire.KindWords(kind) + ", expected a string", Help: "userpass is the RPC password"})
		}
	case "method":
		if rpc.KindOf(value) != rpc.KindString {
			e.fail(wire.Fault{Serde: "invalid type: " + wire.Unexpected(value) + ", expected a string", Help: "method is the name of one"})
			return
		}
		e.method, _ = rpc.Unquote(value) // cannot fail, since the text is valid
		e.named = true
	case "params":
		e.params = value
	case "id":
		e.setID(value)
	}
}

// setID sets the id to a whole number or null. Invalid ids are ignored, so that the answer has
// the id null.
func (e *envelope) setID(value json.RawMessage) {
	if rpc.KindOf(value) == rpc.KindNull {
		return
	}
	if _, err := strconv.ParseUint(string(value), 10, 64); err == nil {
		e.id = value
		return
	}
	problem := "type"
	if wire.IsWhole(value) {
		problem = "value"
	}
	e.fail(wire.Fault{Serde: "invalid " + problem + ": " + wire.Unexpected(value) + ", expected usize", Help: "id is a whole number that is not negative"})
}

// other adds a member that 2.0 does not define.
func (e *envelope) other(name string, value json.RawMessage) {
	if slices.ContainsFunc(e.others, func(f rpc.Field) bool { return f.Name == name }) {
		e.twice(name)
		return
	}
	if len(e.others) == maxOthers {
		if e.broken != nil {
			return
		}
		e.breaks(wire.Fault{Serde: fmt.Sprintf("more than %d parameters", maxOthers)})
		return
	}
	e.others = append(e.others, rpc.Field{Name: name, Value: value})
	if e.fault == nil { // avoids formatting a text that is not used
		e.fault = wire.Fault{Serde: "unknown field `" + wire.Clip(name) + "`, expected " + wire.OneOf(envelopeNames), Help: wire.DidYouMean(name, envelopeNames)}
	}
}

func (e *envelope) twice(name string) {
	if e.broken == nil { // avoids formatting a text that is not used
		e.breaks(wire.Fault{Serde: "duplicate field `" + wire.Clip(name) + "`"})
	}
}

func (e *envelope) breaks(fault error) {
	e.fail(fault)
	e.broken = cmp.Or(e.broken, fault)
}

func (e *envelope) fail(fault error) {
	e.fault, e.rest = cmp.Or(e.fault, fault), cmp.Or(e.rest, fault)
}

// legacy reports whether the request has no mmrpc.
func (e *envelope) legacy() bool { return e.mmrpc == nil || rpc.KindOf(e.mmrpc) == rpc.KindNull }

// password returns the userpass, and whether it is present.
func (e *envelope) password() (given string, present bool) {
	if rpc.KindOf(e.userpass) != rpc.KindString {
		return "", false
	}
	given, err := rpc.Unquote(e.userpass)
	return given, err == nil
}

// topLevel returns an object with the parameters of a legacy request.
func (e *envelope) topLevel() json.RawMessage {
	object := []byte{'{'}
	for i, f := range e.others {
		if i > 0 {
			object = append(object, ',')
		}
		name, err := json.Marshal(f.Name)
		if err != nil {
			continue // cannot happen with a string
		}
		object = append(append(append(object, name...), ':'), f.Value...)
	}
	return append(object, '}')
}
