package mmrpc

import (
	"encoding/json"
	"errors"

	"obverse/core/rpc"
	"obverse/core/wallet/evm/history"
)

// historyIndexer lists the transactions of addresses of an EVM network.
type historyIndexer struct{ of *history.Explorer }

const wantIndexer = "an object with the type Blockscout (API v2), Etherscan (its API, and others like it) or EtherscanProxy, and a url of http or https"

// UnmarshalParam implements rpc.Unmarshaler. The URL may have a key in it, so that it is not
// shown.
func (i *historyIndexer) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) == rpc.KindNull {
		return nil
	}
	members, err := object(raw, wantIndexer, "type", "url", "token_url")
	if err != nil {
		return err
	}
	var read [3]string
	for n, name := range []string{"type", "url", "token_url"} {
		switch {
		case members[name] == nil && name == "token_url":
			continue
		case members[name] == nil:
			return &rpc.ParamError{Path: name, Want: wantIndexer, Err: rpc.ErrMissing}
		}
		if read[n], err = unquote(members[name], wantIndexer); err != nil {
			return below(name, err)
		}
	}
	e := history.Explorer{Kind: history.ExplorerKind(read[0]), URL: read[1], Tokens: read[2]}
	if err := e.Check(); err != nil {
		at := "url"
		if errors.Is(err, history.ErrExplorerKind) {
			at = "type"
		}
		return &rpc.ParamError{Path: at, Want: wantIndexer, Got: "another string", Err: err}
	}
	i.of = &e
	return nil
}

// JSONSchema implements rpc.Described.
func (historyIndexer) JSONSchema() *rpc.Schema {
	kinds := &rpc.Schema{Type: "string", Enum: []string{string(history.Blockscout), string(history.Etherscan), string(history.EtherscanProxy)}}
	return &rpc.Schema{Type: "object", Description: wantIndexer, Required: []string{"type", "url"},
		Properties: rpc.Properties{{Name: "type", Schema: kinds}, {Name: "url", Schema: &rpc.Schema{Type: "string"}},
			{Name: "token_url", Schema: &rpc.Schema{Type: "string", Description: "EtherscanProxy: for tokens"}}}}
}
