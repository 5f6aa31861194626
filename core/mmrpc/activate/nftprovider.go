package activate

import (
	"encoding/json"
	"errors"

	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/wallet/nft"
)

// nftProvider is an NFT provider: {"provider":{"type","info"}}, or only the provider object.
// The zero value means that there is no provider.
type nftProvider struct{ provider *nft.Provider }

const (
	moralisType  = "Moralis" // Komodo DeFi Framework's name for indexerType
	WantProvider = "an object with a provider: its type, Indexer, and info with url and gateway_proxy; or its type Chain"
)

// UnmarshalParam implements rpc.Unmarshaler.
func (n *nftProvider) UnmarshalParam(raw json.RawMessage) error {
	n.provider = nil
	if rpc.KindOf(raw) == rpc.KindNull {
		return nil
	}
	outer, err := wire.Object(raw, WantProvider, "provider", "type", "info")
	if err != nil {
		return err
	}
	at := ""
	if outer["provider"] != nil {
		if outer["type"] != nil || outer["info"] != nil {
			return &rpc.ParamError{Path: "provider", Err: errTwoProviders}
		}
		at = "provider"
		if outer, err = wire.Object(outer["provider"], WantProvider, "type", "info"); err != nil {
			return wire.Below(at, err)
		}
	}
	provider, err := parseProvider(outer)
	if err != nil {
		return wire.Below(at, err)
	}
	n.provider = &provider
	return nil
}

// nftActivation holds a provider, and the required policy of the platform.
type nftActivation struct {
	nftProvider
	policy PrivKeyPolicy
}

// UnmarshalParam implements rpc.Unmarshaler.
func (n *nftActivation) UnmarshalParam(raw json.RawMessage) error {
	if err := n.nftProvider.UnmarshalParam(raw); err != nil || n.provider == nil {
		return err
	}
	const name = "priv_key_policy"
	members, err := wire.Object(raw, WantProvider, name)
	if err != nil {
		return err
	}
	return wire.Below(name, n.policy.UnmarshalParam(members[name]))
}

// JSONSchema implements rpc.Described.
func (n nftActivation) JSONSchema() *rpc.Schema {
	s := n.nftProvider.JSONSchema()
	s.Properties = append(s.Properties, rpc.Property{Name: "priv_key_policy", Schema: PrivKeyPolicy{}.JSONSchema()})
	return s
}

var errTwoProviders = errors.New("the provider is named twice: in provider and next to it")

func parseProvider(members map[string]json.RawMessage) (p nft.Provider, err error) {
	const wantType = "the type of a provider"
	if members["type"] == nil {
		return p, &rpc.ParamError{Path: "type", Want: wantType, Err: rpc.ErrMissing}
	}
	name, err := wire.Unquote(members["type"], wantType)
	if err != nil {
		return p, wire.Below("type", err)
	}
	if name == wire.ChainType {
		return parseChainProvider(members["info"])
	}
	if name != wire.IndexerType && name != moralisType {
		return p, &rpc.ParamError{Path: "type", Want: wantType, Got: rpc.KindString, Err: rpc.ErrVariant, Value: members["type"], Allowed: []string{wire.IndexerType}}
	}
	if members["info"] == nil {
		return p, &rpc.ParamError{Path: "info", Want: WantProvider, Err: rpc.ErrMissing}
	}
	info, err := wire.Object(members["info"], WantProvider, "url", "gateway_proxy", "komodo_proxy")
	if err != nil {
		return p, wire.Below("info", err)
	}
	const wantURL = "the URL of the indexer"
	if info["url"] == nil {
		return p, &rpc.ParamError{Path: "info.url", Want: wantURL, Err: rpc.ErrMissing}
	}
	if p.Indexer.URL, err = wire.Unquote(info["url"], wantURL); err != nil {
		return p, wire.Below("info.url", err)
	}
	for _, flag := range []string{"gateway_proxy", "komodo_proxy"} {
		set, err := parseFlag(info[flag])
		if err != nil {
			return p, wire.Below("info."+flag, err)
		}
		p.Indexer.Gateway = p.Indexer.Gateway || set
	}
	return p, nil
}

// parseChainProvider parses the optional settings of a provider that reads the chain itself.
func parseChainProvider(raw json.RawMessage) (p nft.Provider, err error) {
	p.OnChain = true
	if rpc.KindOf(raw) == rpc.KindNull {
		return p, nil
	}
	info, err := wire.Object(raw, WantProvider, "contracts")
	if err == nil {
		var list wire.NFTContracts
		err = wire.Below("contracts", list.UnmarshalParam(info["contracts"]))
		p.Contracts = list
	}
	return p, wire.Below("info", err)
}

// check returns an error for an invalid provider. The argument at is the name of the parameter.
func (n nftProvider) check(at string) error {
	if n.provider.OnChain {
		return nil
	}
	if err := nft.CheckURL(n.provider.Indexer.URL); err != nil {
		return wire.Refuse(wire.Fault{Serde: err.Error(), Help: `parameter "` + at + `.info.url" must be ` + wire.WantServer, Cause: err})
	}
	return nil
}

// parseFlag parses a boolean. If it is absent, the result is false.
func parseFlag(raw json.RawMessage) (set bool, err error) {
	if rpc.KindOf(raw) == rpc.KindNull {
		return false, nil
	}
	if json.Unmarshal(raw, &set) != nil {
		return false, &rpc.ParamError{Want: "true or false", Got: rpc.KindOf(raw), Err: rpc.ErrType, Value: raw}
	}
	return set, nil
}

// JSONSchema implements rpc.Described.
func (nftProvider) JSONSchema() *rpc.Schema {
	flag := &rpc.Schema{Type: "boolean", Description: "requests are signed with the node's identity, for a gateway"}
	info := &rpc.Schema{Type: "object", Properties: rpc.Properties{
		{Name: "url", Schema: &rpc.Schema{Type: "string", Description: "of the indexer, which an Indexer needs"}},
		{Name: "gateway_proxy", Schema: flag},
		{Name: "contracts", Schema: wire.NFTContracts{}.JSONSchema()},
	}}
	provider := &rpc.Schema{Type: "object", Required: []string{"type"}, Properties: rpc.Properties{
		{Name: "type", Schema: &rpc.Schema{Type: "string", Enum: []string{wire.IndexerType, wire.ChainType}}},
		{Name: "info", Schema: info},
	}}
	return &rpc.Schema{Type: "object", Description: "who lists NFTs: an indexer, or with Chain the platform's own nodes", Required: []string{"provider"},
		Properties: rpc.Properties{{Name: "provider", Schema: provider}}}
}

// nftEntry is an NFT in a result.
type nftEntry struct {
	Address  string `json:"token_address" doc:"address of the contract"`
	ID       string `json:"token_id" doc:"a decimal number of 256 bits"`
	Chain    string `json:"chain" doc:"chain of the NFT, such as ETH or POLYGON"`
	Contract string `json:"contract_type" doc:"ERC721 or ERC1155"`
	Amount   string `json:"amount" doc:"a decimal number of 256 bits"`
}

// viewNFTs returns a map from <token_address>,<token_id> to entries.
func viewNFTs(list []nft.NFT) map[string]nftEntry {
	entries := map[string]nftEntry{}
	for _, n := range list {
		entries[n.Key()] = nftEntry{n.Address, n.ID, string(n.Chain), n.Type, n.Amount}
	}
	return entries
}
