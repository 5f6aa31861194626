package coin

import (
	"encoding/json"
	"fmt"
)

// ProtocolType is the `type` of a coin's protocol.
type ProtocolType string

// The types that a coins file may name. The types up to TypeLightning have Parameters.
const (
	TypeTendermint      ProtocolType = "TENDERMINT"
	TypeTendermintToken ProtocolType = "TENDERMINTTOKEN"
	TypeETH             ProtocolType = "ETH"
	TypeERC20           ProtocolType = "ERC20"
	TypeNFT             ProtocolType = "NFT"
	TypeLightning       ProtocolType = "LIGHTNING"
	TypeUTXO            ProtocolType = "UTXO"
	TypeQTUM            ProtocolType = "QTUM"
	TypeQRC20           ProtocolType = "QRC20"
	TypeSLPToken        ProtocolType = "SLPTOKEN"
	TypeBCH             ProtocolType = "BCH"
	TypeSolana          ProtocolType = "SOLANA"
	TypeSPLToken        ProtocolType = "SPLTOKEN"
	TypeZHTLC           ProtocolType = "ZHTLC"
	TypeTRX             ProtocolType = "TRX"
	TypeSIA             ProtocolType = "SIA"
)

// ProtocolTypes returns all types, in the order of Komodo DeFi Framework's documentation,
// followed by NFT, TRX and SIA, which were added later.
func ProtocolTypes() []ProtocolType {
	return []ProtocolType{TypeUTXO, TypeQTUM, TypeQRC20, TypeETH, TypeERC20, TypeSLPToken, TypeBCH, TypeTendermint,
		TypeTendermintToken, TypeLightning, TypeSolana, TypeSPLToken, TypeZHTLC, TypeNFT, TypeTRX, TypeSIA}
}

// Protocol is a parsed protocol of a coin.
type Protocol struct {
	Type       ProtocolType
	Data       json.RawMessage // `protocol_data` as the file has it; nil means absent
	Parameters Parameters      // the data as a struct; nil for types without Parameters
}

// MarshalJSON returns {"type":…,"protocol_data":…}, the data only if the file has it.
func (p Protocol) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type ProtocolType    `json:"type"`
		Data json.RawMessage `json:"protocol_data,omitempty"`
	}{p.Type, p.Data})
}

// ParseError means that an entry's protocol cannot be read. Reason is worded as serde_json does.
type ParseError struct{ Ticker, Reason string }

func (e *ParseError) Error() string {
	return fmt.Sprintf("protocol of %s: %s", e.Ticker, e.Reason)
}

// UnexpectedError means that an entry has another protocol than the caller expects.
type UnexpectedError struct {
	Ticker   string
	Protocol Protocol
}

func (e *UnexpectedError) Error() string {
	return fmt.Sprintf("%s has the protocol %s", e.Ticker, e.Protocol.Type)
}

// Protocol reads the entry's protocol. Its error is a *ParseError.
func (e *Entry) Protocol() (Protocol, error) {
	p, err := e.readProtocol()
	if err != nil {
		return Protocol{}, &ParseError{Ticker: e.Ticker, Reason: err.Error()}
	}
	return p, nil
}

func (e *Entry) readProtocol() (Protocol, error) {
	raw := e.protocol
	if raw == nil {
		raw = json.RawMessage("null")
	}
	o := newObject(raw, "adjacently tagged enum CoinProtocol")
	p := Protocol{Type: ProtocolType(o.variant("type", names(ProtocolTypes())...))}
	if o.err != nil {
		return Protocol{}, o.err
	}
	if o.has("protocol_data") {
		p.Data = o.members["protocol_data"]
	}
	read, known := readers[p.Type]
	if !known {
		return p, nil
	}
	data := p.Data
	if data == nil && p.Type == TypeETH {
		data = e.olderETH()
	}
	if data == nil {
		o.fail("missing field `protocol_data`")
		return Protocol{}, o.err
	}
	inner := newObject(data, "struct variant CoinProtocol::"+string(p.Type))
	p.Parameters = read(inner)
	return p, inner.err
}

// olderETH returns the protocol data of an ETH entry in the older format, with `chain_id`
// outside the protocol.
func (e *Entry) olderETH() json.RawMessage {
	if e.ChainID == nil {
		return nil
	}
	return json.RawMessage(fmt.Sprintf(`{"chain_id":%d}`, *e.ChainID))
}

func names(types []ProtocolType) []string {
	var all []string
	for _, t := range types {
		all = append(all, string(t))
	}
	return all
}

// As returns the entry's protocol parameters, which must have the type P. Its errors are
// *ParseError and *UnexpectedError.
func As[P Parameters](e *Entry) (P, error) {
	var none P
	p, err := e.Protocol()
	if err != nil {
		return none, err
	}
	if parameters, ok := p.Parameters.(P); ok {
		return parameters, nil
	}
	return none, &UnexpectedError{Ticker: e.Ticker, Protocol: p}
}

// Unexpected returns the error for an entry whose protocol has a supported type but does not fit: a
// *UnexpectedError or a *ParseError.
func Unexpected(entry *Entry) error {
	protocol, err := entry.Protocol()
	if err != nil {
		return err
	}
	return &UnexpectedError{Ticker: entry.Ticker, Protocol: protocol}
}

// Parameters is the data of a protocol: one of the structs below.
type Parameters interface{ Type() ProtocolType }

// Cosmos is a chain of the Cosmos family.
type Cosmos struct {
	Decimals          uint8
	Denom             string            // of the smallest unit, uatom
	AccountPrefix     string            // of bech32 addresses, cosmos
	ChainID           string            // cosmoshub-4
	ChainRegistryName string            // "" when absent
	GasPrice          json.Number       // in Denom; "" when absent
	IBCChannels       map[string]uint64 // account prefix of the other chain → number of the channel to it
}

// Type implements Parameters.
func (Cosmos) Type() ProtocolType { return TypeTendermint }

// CosmosToken is an asset on a Tendermint chain.
type CosmosToken struct {
	Platform string // ticker
	Decimals uint8
	Denom    string // ibc/…
}

// Type implements Parameters.
func (CosmosToken) Type() ProtocolType { return TypeTendermintToken }

// ETH is an EVM network.
type ETH struct{ ChainID uint64 }

// Type implements Parameters.
func (ETH) Type() ProtocolType { return TypeETH }

// ERC20 is a token on an EVM network.
type ERC20 struct {
	Platform        string // ticker
	ContractAddress string
}

// Type implements Parameters.
func (ERC20) Type() ProtocolType { return TypeERC20 }

// NFT is all non-fungible tokens on an EVM network.
type NFT struct {
	Platform string // ticker
}

// Type implements Parameters.
func (NFT) Type() ProtocolType { return TypeNFT }

// Lightning is a Lightning network over a coin.
type Lightning struct {
	Platform string // ticker
	Network  string // mainnet, testnet or regtest
	Targets  ConfirmationTargets
}

// ConfirmationTargets are the numbers of blocks within which transactions of each urgency should
// confirm.
type ConfirmationTargets struct{ Background, Normal, HighPriority uint32 }

// Type implements Parameters.
func (Lightning) Type() ProtocolType { return TypeLightning }

// readers read the data of the types that have Parameters.
var readers = map[ProtocolType]func(*object) Parameters{
	TypeTendermint: func(o *object) Parameters {
		return Cosmos{
			Decimals: uint8(o.uint("decimals", 8)), Denom: o.text("denom"), AccountPrefix: o.text("account_prefix"),
			ChainID: o.text("chain_id"), ChainRegistryName: o.optionalText("chain_registry_name"),
			GasPrice: o.optionalNumber("gas_price"), IBCChannels: o.optionalUints("ibc_channels"),
		}
	},
	TypeTendermintToken: func(o *object) Parameters {
		return CosmosToken{Platform: o.text("platform"), Decimals: uint8(o.uint("decimals", 8)), Denom: o.text("denom")}
	},
	TypeETH: func(o *object) Parameters { return ETH{ChainID: o.uint("chain_id", 64)} },
	TypeERC20: func(o *object) Parameters {
		return ERC20{Platform: o.text("platform"), ContractAddress: o.text("contract_address")}
	},
	TypeNFT: func(o *object) Parameters { return NFT{Platform: o.text("platform")} },
	TypeLightning: func(o *object) Parameters {
		l := Lightning{Platform: o.text("platform"), Network: o.variant("network", "mainnet", "testnet", "regtest")}
		raw, ok := o.member("confirmation_targets")
		if !ok {
			return l
		}
		targets := newObject(raw, "confirmation targets")
		l.Targets = ConfirmationTargets{
			Background: uint32(targets.uint("background", 32)), Normal: uint32(targets.uint("normal", 32)),
			HighPriority: uint32(targets.uint("high_priority", 32)),
		}
		if targets.err != nil {
			o.fail("%w", targets.err)
		}
		return l
	},
}
