package wire

import (
	"encoding/json"
	"errors"
	"strings"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/nft"
)

// NFTFailure returns an error of the gallery with a kind.
func NFTFailure(err error) error {
	var network *nft.NetworkError
	var absent *nft.NotFoundError
	var scan *nft.ScanError
	var store *nft.StoreError
	if err == nil {
		return nil
	}
	text := strings.ReplaceAll(Text(err), "\n", "; ")
	switch {
	case errors.Is(err, nft.ErrNoIndexer):
		return Refuse(Fault{Serde: "missing field `url`", Help: `parameter "url" must be ` + WantServer + ", since the network was activated with an indexer", Cause: err})
	case errors.Is(err, nft.ErrContracts), errors.As(err, new(*nft.ContractError)):
		return Refuse(Fault{Serde: err.Error(), Help: `parameter "contracts" must be ` + wantContracts, Cause: err})
	case errors.As(err, &network):
		return mmerr.NoSuchCoin.From(err, mmerr.Coin{Coin: network.Ticker}, "No such coin "+network.Ticker+": activate it first with enable_nft")
	case errors.As(err, &absent):
		return mmerr.TokenNotFoundInWallet.From(err, NameNFT(absent.Token), text)
	case errors.As(err, &scan):
		return mmerr.UpdateSpamPhishingError.From(err, mmerr.Nested{Type: "Transport", Data: text}, text)
	case errors.As(err, &store):
		return mmerr.DbError.From(err, text, "DB error "+text)
	case errors.Is(err, coin.ErrTransport):
		return mmerr.Transport.From(err, text, text)
	}
	return err
}

// NameNFT returns an NFT in the form used in the data of errors.
func NameNFT(t nft.Token) mmerr.NFT { return mmerr.NFT{Address: t.Address, ID: t.ID} }

// NFTToken identifies an NFT.
type NFTToken struct {
	Chain   NFTChain   `json:"chain" doc:"chain of the NFT"`
	Address nftAddress `json:"token_address" doc:"address of the contract, 0x and 40 hexadecimal digits"`
	ID      nftID      `json:"token_id" doc:"a decimal number of 256 bits"`
}

// Token converts the NFT to the type of package nft.
func (t NFTToken) Token() nft.Token {
	return nft.Token{Chain: nft.Chain(t.Chain), Address: string(t.Address), ID: string(t.ID)}
}

// NFTChain is the name of a chain, in upper or lower case.
type NFTChain nft.Chain

const wantChain = "one of AVALANCHE, BSC, ETH, FANTOM and POLYGON"

// UnmarshalParam implements rpc.Unmarshaler.
func (c *NFTChain) UnmarshalParam(raw json.RawMessage) error {
	name, err := Unquote(raw, wantChain)
	if err != nil {
		return err
	}
	chain, err := nft.ParseChain(name)
	if err != nil {
		return &rpc.ParamError{Want: wantChain, Got: "another string", Err: err, Value: raw}
	}
	*c = NFTChain(chain)
	return nil
}

// JSONSchema implements rpc.Described.
func (NFTChain) JSONSchema() *rpc.Schema {
	s := &rpc.Schema{Type: "string", Description: "small letters will do too"}
	for _, c := range nft.Chains() {
		s.Enum = append(s.Enum, string(c))
	}
	return s
}

// nftAddress is the address of a contract, in lower case.
type nftAddress string

const wantAddress = "an address: 0x and 40 hexadecimal digits"

// UnmarshalParam implements rpc.Unmarshaler.
func (a *nftAddress) UnmarshalParam(raw json.RawMessage) error {
	text, err := Unquote(raw, wantAddress)
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

// nftID is the id of a token in its contract.
type nftID string

const wantTokenID = "a string with a decimal number of up to 256 bits"

// UnmarshalParam implements rpc.Unmarshaler.
func (i *nftID) UnmarshalParam(raw json.RawMessage) error {
	text, err := Unquote(raw, wantTokenID)
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

// WantServer describes a valid URL of a service.
const WantServer = "a URL of http or https, of up to 2048 bytes"

// NFTContracts lists the addresses of contracts given by the user, in lower case.
type NFTContracts []string

const wantContracts = "a list of at most 20 addresses of ERC-721 contracts that list the NFTs of an address"

// UnmarshalParam implements rpc.Unmarshaler.
func (c *NFTContracts) UnmarshalParam(raw json.RawMessage) error {
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
func (NFTContracts) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Type: "array", Items: &rpc.Schema{Type: "string"}, Description: "of a Chain: contracts of ERC-721 with its enumeration, whose NFTs are listed too, however old; at most 20"}
}

// Types of providers.
const (
	IndexerType = "Indexer"
	ChainType   = "Chain"
)
