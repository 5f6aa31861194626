package wire

import (
	"encoding/json"
	"errors"
	"fmt"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm"
	evmaddress "obverse/core/wallet/evm/address"
)

// TokenProtocol is the protocol of a token in the format of the coins file.
type TokenProtocol struct{ Raw json.RawMessage }

const (
	WantProtocol = `an object with the type "ERC20" and protocol_data with platform and contract_address`
	maxProtocol  = 4 << 10 // maximum size in bytes, since it is stored
)

var errProtocolSize = errors.New("too large")

// UnmarshalParam implements rpc.Unmarshaler. The activation checks the content of the protocol,
// as for entries of the coins file.
func (p *TokenProtocol) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) == rpc.KindNull {
		return nil
	}
	if _, err := Object(raw, WantProtocol); err != nil {
		return err
	}
	if len(raw) > maxProtocol {
		return &rpc.ParamError{Want: WantProtocol, Got: rpc.KindObject, Err: errProtocolSize}
	}
	p.Raw = raw
	return nil
}

// Token decodes the protocol in the same way as that of an entry in the coins file.
func (p TokenProtocol) Token() (token coin.ERC20, err error) {
	entry, err := coin.ParseEntry([]byte(`{"coin":"token","protocol":` + string(p.Raw) + `}`))
	if err != nil {
		return token, err
	}
	return coin.As[coin.ERC20](entry)
}

// Check returns an error for a protocol that would be invalid in a coins file. The activation
// refuses protocols of other kinds of coins.
func (p TokenProtocol) Check(ticker string, known *coin.Registry) error {
	if p.Raw == nil {
		return nil
	}
	token, err := p.Token()
	var broken *coin.ParseError
	if errors.As(err, &broken) {
		return mmerr.InvalidTokenProtocol.From(err, mmerr.Ticker{Ticker: ticker, Error: broken.Reason},
			"Token "+Clip(ticker)+" protocol parsing failed: "+broken.Reason+` (parameter "protocol" must be `+WantProtocol+")")
	}
	if err != nil {
		return nil
	}
	var chain uint64 // chain id used in the checksum
	if platform, err := known.Lookup(token.Platform); err == nil {
		network, _ := coin.As[coin.ETH](platform) // zero for other platforms, which the activation refuses
		chain = network.ChainID
	}
	if _, err := evmaddress.ParseOn(chain, token.ContractAddress); err != nil {
		return ContractParam(token.ContractAddress, err)
	}
	return nil
}

// ContractParam returns the error for an invalid contract_address in a protocol.
func ContractParam(text string, err error) error {
	return &rpc.ParamError{Path: "protocol.protocol_data.contract_address", Want: "the address of a contract, 0x and 40 hexadecimal digits", Got: rpc.KindString,
		Err: fmt.Errorf("%.70q: %w", text, err)}
}

// JSONSchema implements rpc.Described.
func (TokenProtocol) JSONSchema() *rpc.Schema {
	text := func(about string) *rpc.Schema { return &rpc.Schema{Type: "string", Description: about} }
	data := &rpc.Schema{Type: "object", Required: []string{"platform", "contract_address"},
		Properties: rpc.Properties{{Name: "platform", Schema: text("ticker of the network's coin")}, {Name: "contract_address", Schema: text("0x and 40 hexadecimal digits")}}}
	return &rpc.Schema{Type: "object", Required: []string{"type", "protocol_data"},
		Properties: rpc.Properties{{Name: "type", Schema: &rpc.Schema{Type: "string", Enum: []string{string(coin.TypeERC20)}}}, {Name: "protocol_data", Schema: data}}}
}

// GasPolicy is the name of an evm.GasPolicy.
type GasPolicy string

// Values implements rpc.Enum.
func (GasPolicy) Values() []string {
	return []string{string(evm.GasLegacy), string(evm.GasLow), string(evm.GasMedium), string(evm.GasHigh)}
}

// Saved returns the policy in the form in which it is stored: "" for the default policy.
func (p GasPolicy) Saved() evm.GasPolicy {
	if evm.GasPolicy(p) == evm.GasLegacy {
		return ""
	}
	return evm.GasPolicy(p)
}
