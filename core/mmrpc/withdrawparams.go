package mmrpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
)

// coinAmount is an amount in any of the forms of numbers.
type coinAmount struct {
	number.Rational
	given bool
}

const wantAmount = "an amount in whole coins, as a decimal number"

// UnmarshalParam implements rpc.Unmarshaler.
func (a *coinAmount) UnmarshalParam(raw json.RawMessage) error {
	kind := rpc.KindOf(raw)
	if kind == rpc.KindNull {
		return nil
	}
	if err := a.UnmarshalJSON(raw); err != nil {
		refusal := &rpc.ParamError{Want: wantAmount, Got: kind, Err: err, Value: raw}
		if errors.Is(err, number.ErrForm) {
			refusal.Err = rpc.ErrType
		}
		return refusal
	}
	a.given = true
	return nil
}

// JSONSchema implements rpc.Described.
func (coinAmount) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Description: wantAmount, OneOf: []*rpc.Schema{{Type: "string"}, {Type: "number"}}}
}

// feePolicy is a fee that the caller chose.
type feePolicy struct{ policy coin.FeePolicy }

// otherFees are upstream's kinds of fees for coins that this node does not have.
func otherFees() []string {
	return []string{"UtxoFixed", "UtxoPerKbyte", "Qrc20Gas"}
}

const wantFee = "an object with the type of the fee and its members"

// UnmarshalParam implements rpc.Unmarshaler. Fees of kinds that are known and of no use
// here are for the coin to refuse.
func (f *feePolicy) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) == rpc.KindNull {
		return nil
	}
	members, err := object(raw, wantFee, append(feeMembers(), "type")...)
	if err != nil {
		return err
	}
	if members["type"] == nil {
		return &rpc.ParamError{Path: "type", Want: "a type of fee", Err: rpc.ErrMissing}
	}
	name, err := unquote(members["type"], "a type of fee")
	if err != nil {
		return below("type", err)
	}
	switch name {
	case coin.CosmosGas{}.PolicyType():
		return f.cosmos(members)
	case coin.EthGas{}.PolicyType():
		return f.eth(members)
	case coin.EthGasEIP1559{}.PolicyType():
		return f.eip1559(members)
	}
	for _, other := range otherFees() {
		if name == other {
			f.policy = coin.OtherFee(other)
			return nil
		}
	}
	return &rpc.ParamError{Path: "type", Want: "a type of fee", Got: rpc.KindString, Err: rpc.ErrVariant, Value: members["type"],
		Allowed: append(otherFees(), ownFees()...)}
}

// wholeNumber reads a JSON number from 0 to 2^64-1.
func wholeNumber(raw json.RawMessage, want string) (uint64, error) {
	refusal := &rpc.ParamError{Want: want, Got: rpc.KindOf(raw), Err: rpc.ErrType, Value: raw}
	if !isWhole(raw) {
		return 0, refusal
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(raw)), 10, 64)
	if err != nil {
		refusal.Err = rpc.ErrRange
		return 0, refusal
	}
	return n, nil
}

// ibcChannel is the number of a channel: 12, "12" or "channel-12".
type ibcChannel struct{ number *uint64 }

const wantChannel = "a channel's number, as 12 or channel-12"

// UnmarshalParam implements rpc.Unmarshaler.
func (c *ibcChannel) UnmarshalParam(raw json.RawMessage) error {
	digits := raw
	switch rpc.KindOf(raw) {
	case rpc.KindNull:
		return nil
	case rpc.KindString:
		text, err := unquote(raw, wantChannel)
		if err != nil {
			return err
		}
		digits = json.RawMessage(strings.TrimPrefix(text, "channel-"))
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(digits)), 10, 64)
	if err != nil || strconv.FormatUint(n, 10) != strings.TrimSpace(string(digits)) {
		return &rpc.ParamError{Want: wantChannel, Got: rpc.KindOf(raw), Err: rpc.ErrType, Value: raw}
	}
	c.number = &n
	return nil
}

// JSONSchema implements rpc.Described.
func (ibcChannel) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Description: wantChannel, OneOf: []*rpc.Schema{
		{Type: "integer", Minimum: "0"}, {Type: "string", Pattern: `^(channel-)?(0|[1-9][0-9]*)$`}}}
}

// fromAddress names an address of an HD wallet.
type fromAddress struct{ from *coin.From }

const wantFrom = "an object with derivation_path, or with account_id, chain and address_id"

var errTwoPlaces = errors.New("from names an address twice: by derivation_path and by account_id, chain and address_id")

// UnmarshalParam implements rpc.Unmarshaler.
func (f *fromAddress) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) == rpc.KindNull {
		return nil
	}
	members, err := object(raw, wantFrom, "derivation_path", "account_id", "chain", "address_id")
	if err != nil {
		return err
	}
	if members["derivation_path"] == nil {
		return f.numbers(members)
	}
	if len(members) > 1 {
		return &rpc.ParamError{Err: errTwoPlaces}
	}
	const want = "a derivation path as m/44'/118'/0'/0/0"
	text, err := unquote(members["derivation_path"], want)
	if err != nil {
		return below("derivation_path", err)
	}
	path, err := key.ParsePath(text)
	if err != nil {
		return &rpc.ParamError{Path: "derivation_path", Want: want, Got: rpc.KindString, Err: err, Value: members["derivation_path"]}
	}
	f.from = &coin.From{Path: path}
	return nil
}

func (f *fromAddress) numbers(members map[string]json.RawMessage) error {
	var ids [2]uint64
	for i, name := range []string{"account_id", "address_id"} {
		want := fmt.Sprintf("a whole number from 0 to %d", maxIndex)
		if members[name] == nil {
			return &rpc.ParamError{Path: name, Want: want, Err: rpc.ErrMissing}
		}
		id, err := wholeNumber(members[name], want)
		if err != nil {
			return below(name, err)
		}
		if id >= uint64(key.Hardened) {
			return &rpc.ParamError{Path: name, Want: want, Got: rpc.KindNumber, Err: rpc.ErrRange, Value: members[name]}
		}
		ids[i] = id
	}
	const wantChain = "External or Internal"
	if members["chain"] == nil {
		return &rpc.ParamError{Path: "chain", Want: wantChain, Err: rpc.ErrMissing}
	}
	name, err := unquote(members["chain"], wantChain)
	if err != nil {
		return below("chain", err)
	}
	chain := key.External
	switch name {
	case "External":
	case "Internal":
		chain = key.Internal
	default:
		return &rpc.ParamError{Path: "chain", Want: wantChain, Got: rpc.KindString, Err: rpc.ErrVariant, Value: members["chain"],
			Allowed: []string{"External", "Internal"}}
	}
	f.from = &coin.From{Account: uint32(ids[0]), Chain: chain, Address: uint32(ids[1])}
	return nil
}

// JSONSchema implements rpc.Described.
func (fromAddress) JSONSchema() *rpc.Schema {
	id := &rpc.Schema{Type: "integer", Minimum: "0"}
	return &rpc.Schema{Description: wantFrom, OneOf: []*rpc.Schema{
		{Type: "object", Required: []string{"derivation_path"}, Properties: rpc.Properties{
			{Name: "derivation_path", Schema: &rpc.Schema{Type: "string", Description: "m/44'/118'/0'/0/0"}}}},
		{Type: "object", Required: []string{"account_id", "chain", "address_id"}, Properties: rpc.Properties{
			{Name: "account_id", Schema: id},
			{Name: "chain", Schema: &rpc.Schema{Type: "string", Enum: []string{"External", "Internal"}}},
			{Name: "address_id", Schema: id}}},
	}}
}
