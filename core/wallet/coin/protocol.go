package coin

import (
	"encoding/json"
	"fmt"
)

// ProtocolType is how a coin works: the `type` of its protocol.
type ProtocolType string

// The types that a coins file may name. Those of the first column have Parameters.
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

// ProtocolTypes lists every type, in the order in which Komodo DeFi Framework's
// documentation does; NFT, TRX and SIA came later.
func ProtocolTypes() []ProtocolType {
	return []ProtocolType{TypeUTXO, TypeQTUM, TypeQRC20, TypeETH, TypeERC20, TypeSLPToken, TypeBCH, TypeTendermint,
		TypeTendermintToken, TypeLightning, TypeSolana, TypeSPLToken, TypeZHTLC, TypeNFT, TypeTRX, TypeSIA}
}

// Protocol is a coin's protocol, read completely.
type Protocol struct {
	Type       ProtocolType
	Data       json.RawMessage // `protocol_data` as the file has it; nil: absent
	Parameters Parameters      // the data as a struct; nil for types that nothing here works with
}

// MarshalJSON gives {"type":…,"protocol_data":…}, the data only if the file has some.
func (p Protocol) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		Type ProtocolType    `json:"type"`
		Data json.RawMessage `json:"protocol_data,omitempty"`
	}{p.Type, p.Data})
}

// ParseError says that an entry's protocol cannot be read. Reason is worded as
// serde_json does.
type ParseError struct{ Ticker, Reason string }

func (e *ParseError) Error() string {
	return fmt.Sprintf("protocol of %s: %s", e.Ticker, e.Reason)
}

// UnexpectedError says that an entry has another protocol than the caller works with.
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

// olderETH makes the data of an ETH entry from before `chain_id` moved into it.
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

// As reads the entry's protocol and demands the type that belongs to P. Its errors
// are *ParseError and *UnexpectedError.
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
