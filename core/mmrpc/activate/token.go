package activate

import (
	"context"
	"errors"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm"
)

// This file implements enable_erc20 as a task, whose result contains the balances of all
// accounts.

func tokenTask() wire.TaskKind {
	k := activationTask("task::enable_erc20", wire.CategoryEth, "the activation of an ERC-20 token", "")
	k.Details = "In progress, details are ActivatingCoin. With Ok, they are ticker, platform_coin, token_contract_address, current_block, required_confirmations and " +
		"wallet_balance: {wallet_type: HD, accounts} as of enable_eth_with_tokens, or {wallet_type: Iguana, address, balance}. Details of Error hold an error of enable_erc20, or TaskTimedOut."
	return k
}

func (e Eth) tokenTasks() []rpc.Method {
	return tokenTask().Methods(e.Tasks, rpc.Handle(tokenTask().Name+"::init", rpc.Doc{
		Summary: "Start to activate an ERC-20 token on an active network", Detail: "See enable_erc20. The result includes the balances of all accounts of an HD wallet.",
		Category: wire.CategoryEth,
	}, e.beginToken).Raises(wire.Kinds(mmerr.TokenIsAlreadyActivated, mmerr.InvalidTokenProtocol)...))
}

type taskToken struct {
	Ticker        string `json:"ticker"`
	Platform      string `json:"platform_coin"`
	Contract      string `json:"token_contract_address"`
	Block         uint64 `json:"current_block"`
	Confirmations uint64 `json:"required_confirmations"`
	Wallet        any    `json:"wallet_balance"`
}

// singleWallet is the balance of a wallet with one address.
type singleWallet struct {
	Type    string                      `json:"wallet_type"`
	Address string                      `json:"address"`
	Balance map[string]wire.BalanceInfo `json:"balance"`
}

func (e Eth) beginToken(ctx context.Context, p enableERC20Params) (wire.StartedTask, error) {
	if state, restored := e.Activator.Active.State(p.Ticker); state == coin.StateActive && !restored {
		return wire.StartedTask{}, tokenActivationFailure(p.Ticker, coin.ErrAlreadyActive)
	}
	if err := p.Protocol.Check(p.Ticker, e.Activator.Registry); err != nil {
		return wire.StartedTask{}, err
	}
	return tokenTask().Start(ctx, e.Tasks, func(ctx context.Context) (any, error) { return e.taskToken(ctx, p) })
}

func (e Eth) taskToken(ctx context.Context, p enableERC20Params) (result taskToken, err error) {
	done, err := e.enableToken(ctx, p)
	if err != nil {
		return result, err
	}
	result = taskToken{Ticker: p.Ticker, Platform: done.Platform, Contract: done.Contract, Confirmations: done.Confirmations}
	for address, balance := range done.Balances { // there is a single balance
		result.Wallet = singleWallet{"Iguana", address, map[string]wire.BalanceInfo{p.Ticker: balance}}
	}
	active, err := e.Activator.Active.Get(p.Ticker)
	if err != nil {
		return result, err
	}
	if chain, has := active.(wire.Heighted); has {
		if result.Block, err = chain.Height(ctx); err != nil {
			return result, tokenActivationFailure(p.Ticker, err)
		}
	}
	view, err := wire.AccountsOf(active)
	if err != nil {
		return result, nil // the wallet has one address
	}
	accounts, err := view.List(ctx)
	result.Wallet = viewHDWallet(accounts)
	return result, wire.HDFailure(err)
}

// duplicateToken returns the error for a duplicate custom token with a kind, or nil if err is
// another error.
func duplicateToken(err error) error {
	var data mmerr.Duplicate
	text := "Custom token error: Token with the same "
	if known, is := errors.AsType[*coin.DuplicateError](err); is {
		in := &mmerr.ConfigTicker{Ticker: known.Ticker}
		if known.Contract {
			data.Contract, text = in, text+"contract address"
		} else {
			data.Ticker, text = in, text+"ticker"
		}
		return mmerr.CustomTokenError.From(err, data, text+" already exists in coins configs, ticker in config: "+known.Ticker)
	}
	if active, is := errors.AsType[*evm.ActiveContractError](err); is {
		data.Active = &mmerr.ActiveContract{Ticker: active.Ticker, Contract: active.Contract.Plain()}
		return mmerr.CustomTokenError.From(err, data, "Custom token error: Token is already activated, ticker: "+active.Ticker+", contract address: "+active.Contract.Plain())
	}
	if errors.Is(err, coin.ErrEntry) {
		return &rpc.ParamError{Path: "ticker", Want: "1 to 64 bytes of text without spaces", Got: rpc.KindString, Err: err}
	}
	return nil
}
