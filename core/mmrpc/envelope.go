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

// version is the one of the envelope.
const version = "2.0"

// Names of the members of a request, in upstream's order.
var envelopeNames = []string{"mmrpc", "userpass", "method", "params", "id"}

// maxMembers limits the members of a request to many more than anyone needs. They are
// counted before the password is checked.
const maxMembers = 1024

// maxOthers bounds the parameters at the top level of a request without mmrpc.
const maxOthers = 64

// envelope is a request as it came: the parts are not checked but for what fault says.
type envelope struct {
	mmrpc, params json.RawMessage
	userpass      json.RawMessage // as it came, or nil
	method        string
	named         bool // there is a method, and it is a string
	id            json.RawMessage
	others        []rpc.Field // members of other names
	fault         error       // a fault: the first thing that is wrong by the rules of 2.0
	rest          error       // the same, leaving out names that 2.0 does not know
	broken        error       // the first thing that is wrong with or without mmrpc
}

// readEnvelope takes a request apart. raw is part of a text that rpc.CheckText took.
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
		e.method, _ = rpc.Unquote(value) // the text is known to be valid
		e.named = true
	case "params":
		e.params = value
	case "id":
		e.setID(value)
	}
}

// setID takes a whole number or null; what is no id is answered with null.
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

// other keeps a member that 2.0 does not know.
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
	if e.fault == nil { // the words cost something
		e.fault = wire.Fault{Serde: "unknown field `" + wire.Clip(name) + "`, expected " + wire.OneOf(envelopeNames), Help: wire.DidYouMean(name, envelopeNames)}
	}
}

func (e *envelope) twice(name string) {
	if e.broken == nil { // the words cost something
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

// password is the userpass, and whether there is one.
func (e *envelope) password() (given string, present bool) {
	if rpc.KindOf(e.userpass) != rpc.KindString {
		return "", false
	}
	given, err := rpc.Unquote(e.userpass)
	return given, err == nil
}

// topLevel makes an object of the parameters of a legacy request.
func (e *envelope) topLevel() json.RawMessage {
	object := []byte{'{'}
	for i, f := range e.others {
		if i > 0 {
			object = append(object, ',')
		}
		name, err := json.Marshal(f.Name)
		if err != nil {
			continue // a string has no such error
		}
		object = append(append(append(object, name...), ':'), f.Value...)
	}
	return append(object, '}')
}
