package daemon

import (
	"encoding/json"
	"fmt"
	"iter"

	"obverse/core/chain"
	"obverse/core/chain/script"
	"obverse/core/rpc"
)

// addressQuery is the first parameter of the address methods: an address, or an
// object with addresses and, where the method has them, start, end and chainInfo.
// Other members are ignored, as upstream does.
type addressQuery struct {
	addresses  []script.Address
	start, end int // heights, both included; 0 for no limit
	chainInfo  bool
}

// Refusals of a query, with upstream's words where it has any.
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
		return q.add(raw)
	case rpc.KindObject:
		return q.object(raw)
	}
	return errAddressForm
}

// JSONSchema implements rpc.Described.
func (addressQuery) JSONSchema() *rpc.Schema {
	list := &rpc.Schema{Type: "array", Items: &rpc.Schema{Type: "string"}}
	return &rpc.Schema{
		Description: "an address, or an object that lists addresses",
		OneOf: []*rpc.Schema{{Type: "string"}, {
			Type: "object", Required: []string{"addresses"},
			Properties: rpc.Properties{
				{Name: "addresses", Schema: list},
				{Name: "start", Schema: &rpc.Schema{Type: "integer"}}, {Name: "end", Schema: &rpc.Schema{Type: "integer"}},
				{Name: "chainInfo", Schema: &rpc.Schema{Type: "boolean"}},
			},
		}},
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
	list := first(fields, "addresses")
	if rpc.KindOf(list) != rpc.KindArray {
		return errAddressList
	}
	var texts []json.RawMessage
	if err := json.Unmarshal(list, &texts); err != nil {
		return errAddressList
	}
	for _, text := range texts {
		if err := q.add(text); err != nil {
			return err
		}
	}
	q.chainInfo = string(first(fields, "chainInfo")) == "true"
	start, end := first(fields, "start"), first(fields, "end")
	if rpc.KindOf(start) != rpc.KindNumber || rpc.KindOf(end) != rpc.KindNumber {
		return nil // one alone counts for nothing
	}
	return q.limit(start, end)
}

func first(fields []rpc.Field, name string) json.RawMessage {
	for _, f := range fields {
		if f.Name == name {
			return f.Value
		}
	}
	return nil
}

func (q *addressQuery) limit(start, end json.RawMessage) error {
	var from, to Int
	if err := from.UnmarshalParam(start); err != nil {
		return err
	}
	if err := to.UnmarshalParam(end); err != nil {
		return err
	}
	q.start, q.end = int(from), int(to)
	switch {
	case from <= 0 || to <= 0:
		return errRangeStart
	case to < from:
		return errRangeEnd
	}
	return nil
}

func (q *addressQuery) isLimited() bool { return q.start > 0 }

// events goes through an address's history within the limits.
func (q *addressQuery) events(v *chain.View, a chain.Address) iter.Seq[chain.Event] {
	return func(yield func(chain.Event) bool) {
		for e := range v.History(a, q.start) {
			if q.isLimited() && e.Height > q.end || !yield(e) {
				return
			}
		}
	}
}

// given tells that a parameter is there, whatever it says.
type given bool

// UnmarshalParam implements rpc.Unmarshaler.
func (g *given) UnmarshalParam(json.RawMessage) error {
	*g = true
	return nil
}

// JSONSchema implements rpc.Described.
func (given) JSONSchema() *rpc.Schema { return &rpc.Schema{} }
