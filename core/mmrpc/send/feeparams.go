package send

import (
	"encoding/json"

	"obverse/core/mmrpc/wire"
	"obverse/core/number"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
)

// supportedFees returns the types of fees that coins of this node accept.
func supportedFees() []string {
	return []string{coin.CosmosGas{}.PolicyType(), coin.EthGas{}.PolicyType(), coin.EthGasEIP1559{}.PolicyType()}
}

// Members of fee objects.
const (
	feePrice  = "gas_price"
	feeLimit  = "gas_limit"
	feeGas    = "gas"
	feeMax    = "max_fee_per_gas"
	feeTip    = "max_priority_fee_per_gas"
	feeOption = "gas_option"
)

func feeMembers() []string { return []string{feePrice, feeLimit, feeGas, feeMax, feeTip, feeOption} }

// cosmos parses {"gas_price","gas_limit"}. If gas_limit is absent, the coin estimates the gas.
func (f *feePolicy) cosmos(members map[string]json.RawMessage) error {
	price, err := readPrice(members, feePrice)
	if err != nil {
		return err
	}
	var limit uint64
	if members[feeLimit] != nil {
		limit, err = readGas(members, feeLimit)
	}
	f.policy = coin.CosmosGas{Price: price, Limit: limit}
	return err
}

// eth parses {"gas_price","gas"}.
func (f *feePolicy) eth(members map[string]json.RawMessage) error {
	price, err := readPrice(members, feePrice)
	if err != nil {
		return err
	}
	limit, err := readGas(members, feeGas)
	f.policy = coin.EthGas{Price: price, Limit: limit}
	return err
}

// eip1559 parses {"max_fee_per_gas","max_priority_fee_per_gas","gas_option"}. gas may be given
// in place of gas_option. If both are absent, the coin estimates the gas.
func (f *feePolicy) eip1559(members map[string]json.RawMessage) error {
	var fee coin.EthGasEIP1559
	var err error
	if fee.MaxFee, err = readPrice(members, feeMax); err != nil {
		return err
	}
	if fee.MaxTip, err = readPrice(members, feeTip); err != nil {
		return err
	}
	place := feeGas
	if members[feeOption] != nil {
		const wantOption = "an object with the type Set and gas, or the type Calc"
		option, err := wire.Object(members[feeOption], wantOption, "type", feeGas)
		if err != nil {
			return wire.Below(feeOption, err)
		}
		kind, err := wire.Unquote(option["type"], wantOption)
		if err != nil {
			return wire.Below(feeOption+".type", err)
		}
		members, place = option, feeOption
		switch kind {
		case "Calc":
			members = nil
		case "Set":
			if option[feeGas] == nil {
				return &rpc.ParamError{Path: feeOption + "." + feeGas, Want: wantGas, Err: rpc.ErrMissing}
			}
		default:
			return &rpc.ParamError{Path: feeOption + ".type", Want: wantOption, Got: rpc.KindString, Err: rpc.ErrVariant, Value: option["type"],
				Allowed: []string{"Set", "Calc"}}
		}
	}
	if members[feeGas] != nil {
		if fee.Limit, err = readGas(members, feeGas); err != nil && place == feeOption {
			err = wire.Below(feeOption, err)
		}
	}
	f.policy = fee
	return err
}

func readPrice(members map[string]json.RawMessage, name string) (number.Rational, error) {
	var price coinAmount
	const wantPrice = "a decimal number that is not negative"
	err := price.UnmarshalParam(members[name])
	switch {
	case err != nil:
		err = wire.Below(name, err)
	case !price.given:
		err = &rpc.ParamError{Path: name, Want: wantPrice, Err: rpc.ErrMissing}
	case price.Sign() < 0:
		err = &rpc.ParamError{Path: name, Want: wantPrice, Got: rpc.KindOf(members[name]), Err: rpc.ErrRange, Value: members[name]}
	}
	return price.Rational, err
}

const wantGas = "a whole number from 1 to 18446744073709551615"

func readGas(members map[string]json.RawMessage, name string) (uint64, error) {
	if members[name] == nil {
		return 0, &rpc.ParamError{Path: name, Want: wantGas, Err: rpc.ErrMissing}
	}
	limit, err := wire.WholeNumber(members[name], wantGas)
	switch {
	case err != nil:
		err = wire.Below(name, err)
	case limit == 0:
		err = &rpc.ParamError{Path: name, Want: wantGas, Got: rpc.KindNumber, Err: rpc.ErrRange, Value: members[name]}
	}
	return limit, err
}

// JSONSchema implements rpc.Described.
func (feePolicy) JSONSchema() *rpc.Schema {
	price := func(unit string) *rpc.Schema {
		return &rpc.Schema{Description: "of a unit of gas, in " + unit + "; a decimal number", OneOf: []*rpc.Schema{{Type: "string"}, {Type: "number"}}}
	}
	gas := func(text string) *rpc.Schema { return &rpc.Schema{Type: "integer", Minimum: "1", Description: text} }
	const billionths = "billionths of a coin"
	form := func(name string, members ...rpc.Property) *rpc.Schema {
		s := &rpc.Schema{Type: "object", Properties: rpc.Properties{{Name: "type", Schema: &rpc.Schema{Type: "string", Enum: []string{name}}}}, Required: []string{"type"}}
		for _, m := range members {
			s.Properties = append(s.Properties, m)
			if m.Name != feeOption && m.Name != feeLimit {
				s.Required = append(s.Required, m.Name)
			}
		}
		return s
	}
	option := &rpc.Schema{Description: "how much gas; the coin estimates it when absent", OneOf: []*rpc.Schema{
		form("Set", rpc.Property{Name: feeGas, Schema: gas("how much gas the transaction may use")}), form("Calc")}}
	names := supportedFees()
	return &rpc.Schema{Description: wantFee, OneOf: []*rpc.Schema{
		form(names[0], rpc.Property{Name: feePrice, Schema: price("units of the chain's denom")},
			rpc.Property{Name: feeLimit, Schema: gas("how much gas the transaction may use, all of which is paid for; the coin estimates it when absent")}),
		form(names[1], rpc.Property{Name: feePrice, Schema: price(billionths)}, rpc.Property{Name: feeGas, Schema: gas("how much gas the transaction may use")}),
		form(names[2], rpc.Property{Name: feeMax, Schema: price(billionths + ", at most")},
			rpc.Property{Name: feeTip, Schema: price(billionths + ", of that, beyond the network's own price")}, rpc.Property{Name: feeOption, Schema: option}),
	}}
}

// feePolicy is a fee chosen by the caller.
type feePolicy struct{ policy coin.FeePolicy }

// otherFees returns Komodo DeFi Framework's types of fees for coins that this node does not
// support.
func otherFees() []string {
	return []string{"UtxoFixed", "UtxoPerKbyte", "Qrc20Gas"}
}

const wantFee = "an object with the type of the fee and its members"
