package activate

import (
	"context"
	"encoding/json"
	"errors"

	"obverse/core/key"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/net/nodepool"
	"obverse/core/rpc"
	"obverse/core/task"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm"
	evmnode "obverse/core/wallet/evm/node"
)

// This file maps the errors of core/wallet/coin to kinds, for the areas that activate coins.
// The errors contain the tickers of the request.

// PlatformFailure returns an error about a platform coin with a kind. It returns errors that
// already have a kind, and internal errors, unchanged.
func PlatformFailure(ticker string, err error) error {
	var parse *coin.ParseError
	var unexpected *coin.UnexpectedError
	var duplicate *coin.DuplicateError
	switch {
	case errors.As(err, &duplicate):
		return &rpc.ParamError{Path: "network", Want: "a network that the coins file does not have", Err: err}
	case errors.Is(err, coin.ErrEntry):
		return &rpc.ParamError{Path: "ticker", Want: "1 to 64 bytes without spaces", Err: err}
	case errors.Is(err, coin.ErrAlreadyActive):
		return mmerr.PlatformIsAlreadyActivated.From(err, ticker, ticker)
	case errors.Is(err, coin.ErrNotConfigured):
		return mmerr.PlatformConfigIsNotFound.From(err, ticker, "Platform "+wire.Clip(ticker)+" config is not found"+wire.Absence(err))
	case errors.As(err, &parse):
		return mmerr.CoinProtocolParseError.From(err, mmerr.Ticker{Ticker: ticker, Error: parse.Reason},
			"Platform coin "+ticker+" protocol parsing failed: "+parse.Reason)
	case errors.As(err, &unexpected):
		data := unexpectedProtocol(ticker, unexpected)
		return mmerr.UnexpectedPlatformProtocol.From(err, data, "Unexpected platform protocol "+protocolText(data)+" for "+ticker)
	case errors.Is(err, coin.ErrTransport):
		return mmerr.ActivationTransport.From(err, wire.Text(err), wire.Text(err))
	}
	return policyFailure("priv_key_policy", err)
}

// activationTask returns the kind of tasks that run an activation method.
func activationTask(name, category, what, method string) wire.TaskKind {
	return wire.TaskKind{Name: name, Category: category, What: what, First: "ActivatingCoin", Next: "ActivatingCoin", Limit: wire.ActivationLimit,
		Details: "In progress, details are ActivatingCoin, " + wire.StateWaiting + " (the user must plug in or unlock a hardware wallet, or open its app) or " +
			wire.StateFollow + " (the user must confirm on the device). With Ok, they are the result of " + method + ". Details of Error hold an error of init, or TaskTimedOut."}
}

// begin starts an activation as a task. It returns an error immediately if the coin is active
// or unknown, or if no provider has the keys of the policy.
func begin(ctx context.Context, kind wire.TaskKind, tasks *task.Manager, c account.Config, r account.Request, work func(context.Context) (any, error)) (wire.StartedTask, error) {
	if err := checkInactive(c, r.Ticker, r.Policy, r.Custom); err != nil {
		return wire.StartedTask{}, err
	}
	return kind.Start(ctx, tasks, work)
}

// checkInactive returns an error if a platform cannot be activated as a task because it is
// active, is not configured, or no provider has its keys.
func checkInactive(c account.Config, ticker string, policy key.Policy, custom func(*coin.Registry) (*coin.Entry, error)) error {
	if state, restored := c.Active.State(ticker); state == coin.StateActive && !restored {
		return PlatformFailure(ticker, coin.ErrAlreadyActive)
	}
	var err error
	if custom != nil {
		_, err = custom(c.Registry)
	} else {
		_, err = c.Registry.Lookup(ticker)
	}
	if err != nil {
		return PlatformFailure(ticker, err)
	}
	return wire.KeyFailure(c.Providers.Check(policy))
}

// ActivationFailure returns an error of the activation of a platform and its tokens with a
// kind. It is used by all families.
func ActivationFailure(ticker string, err error) error {
	var token *account.TokenError
	var creation *account.CreationError
	var payload *evm.PayloadError
	switch {
	case errors.Is(err, evm.ErrNoNFTs):
		return mmerr.InvalidPayload.From(err, evm.ErrNoNFTs.Error(), evm.ErrNoNFTs.Error())
	case errors.Is(err, coin.ErrContract):
		return notTokenContract(err)
	case errors.Is(err, coin.ErrTransport):
		return mmerr.ActivationTransport.From(err, wire.Text(err), wire.Text(err))
	case errors.As(err, &token):
		return networkFailure(token.Ticker, token.Err) // also maps the errors of tokens
	case errors.As(err, &payload):
		return mmerr.InvalidPayload.From(err, wire.Text(payload), wire.Text(payload))
	case errors.Is(err, evm.ErrNoNodes):
		return mmerr.AtLeastOneNodeRequired.From(err, wire.Text(evm.ErrNoNodes), wire.Text(evm.ErrNoNodes)+noNodes(ticker))
	case errors.As(err, &creation):
		return CreationFailure(ticker, creation.Err)
	}
	return wire.KeyFailure(PlatformFailure(ticker, err))
}

// tokenActivationFailure returns an error of the activation of a single token with a kind.
func tokenActivationFailure(ticker string, err error) error {
	var platform *coin.PlatformKindError
	switch {
	case errors.As(err, &platform):
		return mmerr.UnsupportedPlatformCoin.From(err, mmerr.PlatformToken{Platform: platform.Platform, Token: ticker}, platform.Error())
	case errors.Is(err, coin.ErrContract):
		return notTokenContract(err)
	case errors.Is(err, coin.ErrTransport):
		text := "Transport: " + wire.Text(err)
		return mmerr.CouldNotFetchBalance.From(err, text, text)
	}
	return TokenFailure(ticker, err)
}

func notTokenContract(err error) error {
	text := "not an ERC-20 token: " + wire.Text(err)
	if _, reverted := errors.AsType[*evmnode.RevertError](err); reverted { // a token may refuse calls temporarily
		text = "the token refuses to say its balance or decimals, or it is not an ERC-20 token: " + wire.Text(err)
	}
	return mmerr.NoTokenContract.From(err, text, text)
}

// policyFailure converts the error for a policy that differs from a coin's policy to an error
// about the parameter at a path.
func policyFailure(at string, err error) error {
	var policy *coin.PolicyError
	if !errors.As(err, &policy) {
		return err
	}
	return &rpc.ParamError{Path: at, Want: "that of " + policy.Ticker + ", or absent", Err: err}
}

// CreationFailure returns the error for a platform coin that cannot be created, with a cause
// that the caller may see.
func CreationFailure(ticker string, cause error) error {
	reason := wire.Text(cause)
	text := "Error on platform coin " + ticker + " creation: " + reason
	if errors.Is(cause, nodepool.ErrNoNodes) {
		text += noNodes(ticker)
	}
	return mmerr.PlatformCoinCreationError.From(cause, mmerr.Ticker{Ticker: ticker, Error: reason}, text)
}

// noNodes returns a text, appended to that of Komodo DeFi Framework, that describes the missing
// nodes of a request.
func noNodes(ticker string) string {
	return ` (parameter "nodes" of ` + wire.Clip(ticker) + ` must be a list of one or more nodes, as [{"url": "https://…"}])`
}

// TokenFailure is like PlatformFailure, for a token or an NFT network that is activated alone
// or with its platform.
func TokenFailure(ticker string, err error) error {
	var parse *coin.ParseError
	var unexpected *coin.UnexpectedError
	var platform *coin.PlatformError
	if duplicate := duplicateToken(err); duplicate != nil {
		return duplicate
	}
	switch {
	case errors.Is(err, coin.ErrAlreadyActive):
		return mmerr.TokenIsAlreadyActivated.From(err, ticker, "Token "+ticker+" is already activated")
	case errors.Is(err, coin.ErrNotConfigured):
		return mmerr.TokenConfigIsNotFound.From(err, ticker, "Token "+wire.Clip(ticker)+" config is not found"+wire.Absence(err))
	case errors.As(err, &parse):
		return mmerr.TokenProtocolParseError.From(err, mmerr.Ticker{Ticker: ticker, Error: parse.Reason},
			"Token "+ticker+" protocol parsing failed: "+parse.Reason)
	case errors.As(err, &unexpected):
		data := unexpectedProtocol(ticker, unexpected)
		return mmerr.UnexpectedTokenProtocol.From(err, data, "Unexpected token protocol "+protocolText(data)+" for "+ticker)
	case errors.As(err, &platform):
		return mmerr.PlatformCoinIsNotActivated.From(err, platform.Platform, "Platform coin "+platform.Platform+" is not activated")
	case errors.Is(err, coin.ErrTransport):
		return mmerr.Transport.From(err, wire.Text(err), wire.Text(err))
	}
	return policyFailure("activation_params.priv_key_policy", err)
}

func unexpectedProtocol(ticker string, err *coin.UnexpectedError) mmerr.TickerProtocol {
	data := mmerr.TickerProtocol{Ticker: ticker, Protocol: mmerr.Protocol{Type: string(err.Protocol.Type)}}
	if err.Protocol.Data != nil {
		data.Protocol.Data = err.Protocol.Data
	}
	return data
}

// protocolText returns the protocol in JSON.
func protocolText(data mmerr.TickerProtocol) string {
	text, err := json.Marshal(data.Protocol)
	if err != nil { // cannot happen, since the data was decoded from JSON
		return data.Protocol.Type
	}
	return string(text)
}

// MM2 is the parameter mm2 of activations: 0, 1 or absent.
type MM2 coin.Flag

// UnmarshalParam implements rpc.Unmarshaler.
func (m *MM2) UnmarshalParam(raw json.RawMessage) error {
	if err := (*coin.Flag)(m).UnmarshalJSON(raw); err != nil {
		return &rpc.ParamError{Want: "0 or 1", Got: rpc.KindOf(raw), Err: rpc.ErrType, Value: raw}
	}
	return nil
}

// JSONSchema implements rpc.Described.
func (MM2) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Type: "integer", Minimum: "0", Description: "0 or 1: whether the coin is expected to work"}
}

var errNotExpected = errors.New("mm2 is 0: the coin is not expected to work")

// CheckMM2 returns an error unless a platform coin is expected to work. The parameter of the
// request takes precedence over the coin's entry. If neither is set, the parameter is required.
func CheckMM2(ticker string, request MM2, entry *coin.Entry) error {
	expected := coin.Flag(request)
	if expected == coin.Unset {
		expected = entry.MM2
	}
	switch expected {
	case coin.Off:
		return CreationFailure(ticker, errNotExpected)
	case coin.Unset:
		return wire.Refuse(wire.Fault{Serde: "missing field `mm2`", Help: `parameter "mm2" must be 0 or 1, since the coins file does not say it for ` + ticker})
	}
	return nil
}
