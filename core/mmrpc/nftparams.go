package mmrpc

import (
	"encoding/json"
	"errors"

	"obverse/core/rpc"
	"obverse/core/wallet/nft"
)

// unequal keeps structs from being compared: nobody does, and a page need not load how.
type unequal [0]func()

// nftToken names an NFT.
type nftToken struct {
	Chain   nftChain   `json:"chain" doc:"that holds the NFT"`
	Address nftAddress `json:"token_address" doc:"of the contract: 0x and 40 hexadecimal digits"`
	ID      nftID      `json:"token_id" doc:"a decimal number of 256 bits"`
}

func (t nftToken) token() nft.Token {
	return nft.Token{Chain: nft.Chain(t.Chain), Address: string(t.Address), ID: string(t.ID)}
}

// nftChain is a chain, by a name in capitals or in small letters.
type nftChain nft.Chain

const wantChain = "one of AVALANCHE, BSC, ETH, FANTOM and POLYGON"

// UnmarshalParam implements rpc.Unmarshaler.
func (c *nftChain) UnmarshalParam(raw json.RawMessage) error {
	name, err := unquote(raw, wantChain)
	if err != nil {
		return err
	}
	chain, err := nft.ParseChain(name)
	if err != nil {
		return &rpc.ParamError{Want: wantChain, Got: "another string", Err: err, Value: raw}
	}
	*c = nftChain(chain)
	return nil
}

// JSONSchema implements rpc.Described.
func (nftChain) JSONSchema() *rpc.Schema {
	s := &rpc.Schema{Type: "string", Description: "small letters will do too"}
	for _, c := range nft.Chains() {
		s.Enum = append(s.Enum, string(c))
	}
	return s
}

func chainsOf(params []nftChain) []nft.Chain {
	chains := make([]nft.Chain, len(params))
	for i, c := range params {
		chains[i] = nft.Chain(c)
	}
	return chains
}

// nftAddress is the address of a contract, in small letters.
type nftAddress string

const wantAddress = "an address: 0x and 40 hexadecimal digits"

// UnmarshalParam implements rpc.Unmarshaler.
func (a *nftAddress) UnmarshalParam(raw json.RawMessage) error {
	text, err := unquote(raw, wantAddress)
	if err != nil {
		return err
	}
	address, ok := nft.ParseAddress(text)
	if !ok {
		return &rpc.ParamError{Want: wantAddress, Got: rpc.KindString, Err: rpc.ErrRange, Value: raw}
	}
	*a = nftAddress(address)
	return nil
}

// nftID is the id of a token within its contract.
type nftID string

const wantTokenID = "a string with a decimal number of up to 256 bits"

// UnmarshalParam implements rpc.Unmarshaler.
func (i *nftID) UnmarshalParam(raw json.RawMessage) error {
	text, err := unquote(raw, wantTokenID)
	if err != nil {
		return err
	}
	id, ok := nft.ParseUint256(text)
	if !ok {
		return &rpc.ParamError{Want: wantTokenID, Got: rpc.KindString, Err: rpc.ErrRange, Value: raw}
	}
	*i = nftID(id)
	return nil
}

// nftURL is that of a service. It may hold a credential, so it is not shown.
type nftURL string

const wantServer = "a URL of http or https, of up to 2048 bytes"

// UnmarshalParam implements rpc.Unmarshaler.
func (u *nftURL) UnmarshalParam(raw json.RawMessage) error {
	text, err := unquote(raw, wantServer)
	if err != nil {
		return err
	}
	if err := nft.CheckURL(text); err != nil {
		return &rpc.ParamError{Want: wantServer, Got: "another string", Err: err}
	}
	*u = nftURL(text)
	return nil
}

// pageNumber counts from 1.
type pageNumber uint64

var errPageZero = errors.New("invalid value: integer `0`, expected a nonzero usize")

// UnmarshalParam implements rpc.Unmarshaler.
func (p *pageNumber) UnmarshalParam(raw json.RawMessage) error {
	const want = "a whole number from 1"
	if rpc.KindOf(raw) == rpc.KindNull {
		*p = 1
		return nil
	}
	if json.Unmarshal(raw, (*uint64)(p)) != nil || rpc.KindOf(raw) != rpc.KindNumber {
		return &rpc.ParamError{Want: want, Got: rpc.KindOf(raw), Err: rpc.ErrType, Value: raw}
	}
	if *p == 0 {
		return &rpc.ParamError{Want: want, Got: rpc.KindNumber, Err: errPageZero}
	}
	return nil
}

// JSONSchema implements rpc.Described.
func (pageNumber) JSONSchema() *rpc.Schema { return &rpc.Schema{Type: "integer", Minimum: "1"} }

// nothing is the result null.
type nothing struct{}

// MarshalJSON implements json.Marshaler.
func (nothing) MarshalJSON() ([]byte, error) { return []byte("null"), nil }

// JSONSchema implements rpc.Described.
func (nothing) JSONSchema() *rpc.Schema { return &rpc.Schema{Type: "null"} }

// nullable is a text that is null when it is not known.
type nullable string

// MarshalJSON implements json.Marshaler.
func (n nullable) MarshalJSON() ([]byte, error) {
	if n == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(n))
}

// JSONSchema implements rpc.Described.
func (nullable) JSONSchema() *rpc.Schema {
	return &rpc.Schema{OneOf: []*rpc.Schema{{Type: "string"}, {Type: "null"}}}
}

// anyJSON is JSON as its author wrote it, null when there is none.
type anyJSON string

// MarshalJSON implements json.Marshaler.
func (a anyJSON) MarshalJSON() ([]byte, error) {
	if a == "" {
		return []byte("null"), nil
	}
	return []byte(a), nil
}

// JSONSchema implements rpc.Described.
func (anyJSON) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Description: "any JSON, as the NFT's author wrote it"}
}

// nftContracts are contracts that a user names, in small letters.
type nftContracts []string

const wantContracts = "a list of at most 20 addresses of ERC-721 contracts that list the NFTs of an address"

// UnmarshalParam implements rpc.Unmarshaler.
func (c *nftContracts) UnmarshalParam(raw json.RawMessage) error {
	*c = nil
	if rpc.KindOf(raw) == rpc.KindNull {
		return nil
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return &rpc.ParamError{Want: wantContracts, Got: rpc.KindOf(raw), Err: rpc.ErrType, Value: raw}
	}
	if len(list) > nft.MaxContracts {
		return &rpc.ParamError{Want: wantContracts, Got: "a longer list", Err: nft.ErrContracts}
	}
	for _, one := range list {
		var address nftAddress
		if err := address.UnmarshalParam(one); err != nil {
			return err
		}
		*c = append(*c, string(address))
	}
	return nil
}

// JSONSchema implements rpc.Described.
func (nftContracts) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Type: "array", Items: &rpc.Schema{Type: "string"}, Description: "of a Chain: contracts of ERC-721 with its enumeration, whose NFTs are listed too, however old; at most 20"}
}
