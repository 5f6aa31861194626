package daemon

import (
	"encoding/json"
	"fmt"
	"iter"

	"obverse/core/chain"
	"obverse/core/chain/script"
	"obverse/core/rpc"
)

// addressQuery is the first parameter of the address methods: an address, or an object with
// addresses and, depending on the method, start, end and chainInfo. Other members are ignored,
// as in komodod.
type addressQuery struct {
	addresses  []script.Address
	refused    error           // error for invalid addresses
	start, end json.RawMessage // heights; set if both are numbers
	chainInfo  bool
}

// Errors for an invalid query, with komodod's texts if it has any.
var (
	errAddressList  = &Error{CodeAddress, "Addresses is expected to be an array"}
	errAddressForm  = &Error{CodeAddress, "Invalid address: it must be a string, or an object with a list of addresses"}
	errRangeStart   = &Error{CodeAddress, "Start and end is expected to be greater than zero"}
	errRangeEnd     = &Error{CodeAddress, "End value is expected to be greater than start"}
	errOutsideChain = &Error{CodeAddress, "Start or end is outside chain range"}
)

// UnmarshalParam implements rpc.Unmarshaler.
func (q *addressQuery) UnmarshalParam(raw json.RawMessage) error {
	switch rpc.KindOf(raw) {
	case rpc.KindString:
		q.refused = q.add(raw)
		return nil
	case rpc.KindObject:
		return q.object(raw)
	}
	return errAddressForm
}

// JSONSchema implements rpc.Described.
func (addressQuery) JSONSchema() *rpc.Schema {
	return &rpc.Schema{
		Description: "an address, or an object that lists addresses",
		OneOf:       []*rpc.Schema{{Type: "string"}, addressObject{}.JSONSchema()},
	}
}

// addressObject is an addressQuery that must be an object: for other types, getaddressdeltas
// returns its usage.
type addressObject struct{ addressQuery }

// UnmarshalParam implements rpc.Unmarshaler.
func (o *addressObject) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) != rpc.KindObject {
		return rpc.ErrCount
	}
	return o.object(raw)
}

// JSONSchema implements rpc.Described.
func (addressObject) JSONSchema() *rpc.Schema {
	list := &rpc.Schema{Type: "array", Items: &rpc.Schema{Type: "string"}}
	return &rpc.Schema{
		Type: "object", Required: []string{"addresses"},
		Properties: rpc.Properties{
			{Name: "addresses", Schema: list},
			{Name: "start", Schema: &rpc.Schema{Type: "integer"}}, {Name: "end", Schema: &rpc.Schema{Type: "integer"}},
			{Name: "chainInfo", Schema: &rpc.Schema{Type: "boolean"}},
		},
	}
}

func (q *addressQuery) add(raw json.RawMessage) error {
	var text Text
	if err := text.UnmarshalParam(raw); err != nil {
		return err
	}
	address, err := script.ParseAddress(string(text))
	if err != nil {
		return &Error{CodeAddress, fmt.Sprintf("Invalid address %q: %v", clip(string(text)), err)}
	}
	q.addresses = append(q.addresses, address)
	return nil
}

func (q *addressQuery) object(raw json.RawMessage) error {
	fields, err := rpc.Fields(raw)
	if err != nil {
		return errAddressForm
	}
	q.refused = q.list(first(fields, "addresses"))
	q.chainInfo = string(first(fields, "chainInfo")) == "true"
	start, end := first(fields, "start"), first(fields, "end")
	if rpc.KindOf(start) == rpc.KindNumber && rpc.KindOf(end) == rpc.KindNumber { // a single height is ignored
		q.start, q.end = start, end
	}
	return nil
}

func (q *addressQuery) list(raw json.RawMessage) error {
	var texts []json.RawMessage
	if rpc.KindOf(raw) != rpc.KindArray || json.Unmarshal(raw, &texts) != nil {
		return errAddressList
	}
	for _, text := range texts {
		if err := q.add(text); err != nil {
			return err
		}
	}
	return nil
}

func first(fields []rpc.Field, name string) json.RawMessage {
	for _, f := range fields {
		if f.Name == name {
			return f.Value
		}
	}
	return nil
}

// keys returns the index keys of the requested addresses (komodod rpc/misc.cpp
// getAddressesFromParams).
func (q *addressQuery) keys(condition given) ([]chain.Address, error) {
	keys := make([]chain.Address, len(q.addresses))
	for i, a := range q.addresses {
		keys[i] = chain.Address{Kind: chain.KeyAddress, Hash: a.Hash}
		switch {
		case a.Version == script.ScriptHashVersion:
			keys[i].Kind = chain.ScriptAddress
		case bool(condition):
			keys[i].Kind = chain.ConditionAddress
		}
	}
	return keys, q.refused
}

// heightRange is an inclusive range of heights. If start or end is not positive, it includes
// all heights.
type heightRange struct{ start, end int }

func (q *addressQuery) heights() (r heightRange, err error) {
	if q.start == nil {
		return r, nil
	}
	var start, end Int
	if err = start.UnmarshalParam(q.start); err == nil {
		err = end.UnmarshalParam(q.end)
	}
	return heightRange{int(start), int(end)}, err
}

// checkedHeights is like heights, but refuses the ranges that only getaddressdeltas refuses.
func (q *addressQuery) checkedHeights() (heightRange, error) {
	r, err := q.heights()
	switch {
	case err != nil || q.start == nil:
		return r, err
	case r.start <= 0 || r.end <= 0:
		return r, errRangeStart
	case r.end < r.start:
		return r, errRangeEnd
	}
	return r, nil
}

func (r heightRange) isLimited() bool { return r.start > 0 && r.end > 0 }

// events iterates over an address's history within the range.
func (r heightRange) events(v *chain.View, a chain.Address) iter.Seq[chain.Event] {
	if !r.isLimited() {
		return v.History(a, 0)
	}
	return func(yield func(chain.Event) bool) {
		for e := range v.History(a, r.start) {
			if e.Height > r.end || !yield(e) {
				return
			}
		}
	}
}

// given reports whether a parameter is present, whatever its value.
type given bool

// UnmarshalParam implements rpc.Unmarshaler.
func (g *given) UnmarshalParam(json.RawMessage) error {
	*g = true
	return nil
}

// JSONSchema implements rpc.Described.
func (given) JSONSchema() *rpc.Schema { return &rpc.Schema{} }
