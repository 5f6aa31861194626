package activate

import (
	"context"
	"encoding/json"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
)

// This file implements enable, which older clients use to activate coins of EVM networks.

type enableOlderParams struct {
	Coin          string      `json:"coin" doc:"ticker of a network's coin, or of a token, which activates its network as well"`
	URLs          []olderNode `json:"urls" doc:"nodes of the network, one or more: URLs, or objects with a url"`
	Swap          string      `json:"swap_contract_address" doc:"swap contract; validated and stored"`
	Fallback      string      `json:"fallback_swap_contract" default:"" doc:"another swap contract; validated and stored"`
	MM2           MM2         `json:"mm2" rpc:"optional" doc:"whether the coin is expected to work; required if the coins file does not contain it"`
	Confirmations *uint64     `json:"required_confirmations" doc:"as of enable_eth_with_tokens"`
	History       bool        `json:"tx_history" default:"false" doc:"as of enable_eth_with_tokens"`
	ethIgnored
}

// olderNode is a node of a network, given as a URL or as an object.
type olderNode struct{ coinNode }

// UnmarshalParam implements rpc.Unmarshaler.
func (n *olderNode) UnmarshalParam(raw json.RawMessage) error {
	if rpc.KindOf(raw) == rpc.KindString {
		url, err := rpc.Unquote(raw)
		n.URL = url
		return err
	}
	if rpc.KindOf(raw) != rpc.KindObject {
		return &rpc.ParamError{Want: "a URL, or an object with a url", Got: rpc.KindOf(raw), Err: rpc.ErrType}
	}
	for name, value := range rpc.Members(raw) {
		if name != "url" {
			continue
		}
		if rpc.KindOf(value) != rpc.KindString {
			return &rpc.ParamError{Want: "a string as url", Got: rpc.KindOf(value), Err: rpc.ErrType}
		}
		url, err := rpc.Unquote(value)
		n.URL = url
		return err
	}
	return &rpc.ParamError{Want: "an object with a url", Got: rpc.KindObject, Err: rpc.ErrMissing}
}

// JSONSchema implements rpc.Described.
func (olderNode) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Description: "a URL, or an object with a url"}
}

type enabledOlder struct {
	Result string `json:"result" doc:"success"`
	balanceResult
	Confirmations uint64 `json:"required_confirmations"`
	Notarization  bool   `json:"requires_notarization" doc:"always false: these networks have none"`
}

// enableOlder combines enable_eth_with_tokens or enable_erc20 with my_balance.
func (e Eth) enableOlder(ctx context.Context, p enableOlderParams) (result enabledOlder, err error) {
	switch err = e.activateOlder(ctx, p); {
	case mmerr.PlatformIsAlreadyActivated.Is(err), mmerr.TokenIsAlreadyActivated.Is(err):
		text := "Coin " + wire.Clip(p.Coin) + " already initialized" // the makerbot searches for this text
		return result, mmerr.InvalidRequest.From(err, text, text)
	case err != nil:
		return result, err
	}
	result.Result = "success"
	if active, err := e.Activator.Active.Get(p.Coin); err == nil {
		if confirmed, has := active.(interface{ Confirmations() uint64 }); has {
			result.Confirmations = confirmed.Confirmations()
		}
	}
	result.balanceResult, err = Coins{Active: e.Activator.Active}.balance(ctx, balanceParams{p.Coin})
	return result, err
}

// enableWith activates a network that a token needs.
func (e Eth) enableWith(ctx context.Context, p enableEthParams, token string) error {
	request, err := e.request(p)
	if err != nil {
		return err
	}
	done, err := e.Activator.Activate(ctx, request)
	if err != nil {
		return ActivationFailure(p.Ticker, err)
	}
	if len(done.Failed) > 0 {
		return tokenActivationFailure(token, done.Failed[0].Err)
	}
	return nil
}

func (e Eth) activateOlder(ctx context.Context, p enableOlderParams) error {
	entry, err := e.Activator.Registry.Lookup(p.Coin)
	if err != nil {
		return wire.NoSuchCoin(err, p.Coin)
	}
	platform := enableEthParams{Ticker: p.Coin, MM2: p.MM2, Swap: p.Swap, Fallback: p.Fallback, Confirmations: p.Confirmations, History: p.History, Path: pathToAddress{Chain: "External"}}
	for _, n := range p.URLs {
		platform.Nodes = append(platform.Nodes, n.coinNode)
	}
	protocol, err := entry.Protocol()
	if err == nil {
		switch params := protocol.Parameters.(type) {
		case coin.ETH:
			_, err = e.enable(ctx, platform)
			return err
		case coin.ERC20:
			if _, err := e.Activator.Active.Get(params.Platform); err == nil {
				_, err = e.enableToken(ctx, enableERC20Params{Ticker: p.Coin, Activation: tokenActivation{Confirmations: p.Confirmations}})
				return err
			}
			platform.Ticker, platform.Tokens = params.Platform, []ethTokensRequest{{tokensRequest: tokensRequest{Ticker: p.Coin}}}
			return e.enableWith(ctx, platform, p.Coin)
		}
	}
	text := "enable is for coins of EVM networks, which " + wire.Clip(p.Coin) + " is not" + wire.ActivateFirst(entry)
	return mmerr.InvalidRequest.New(text, text)
}
