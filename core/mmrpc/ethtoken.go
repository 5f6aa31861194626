package mmrpc

import (
	"context"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/wallet/coin"
)

// This file is enable_erc20 as a task, which returns the balances of all accounts.

func tokenTask() taskKind {
	k := activationTask("task::enable_erc20", categoryEth, "the activation of an ERC-20 token", "")
	k.details = "In progress, details are ActivatingCoin. With Ok, they are ticker, platform_coin, token_contract_address, current_block, required_confirmations and " +
		"wallet_balance: {wallet_type: HD, accounts} as of enable_eth_with_tokens, or {wallet_type: Iguana, address, balance}. Errors in details are those of enable_erc20, and TaskTimedOut."
	return k
}

func (e Eth) tokenTasks() []rpc.Method {
	return tokenTask().methods(e.Tasks, rpc.Handle(tokenTask().name+"::init", rpc.Doc{
		Summary: "Begin to activate an ERC-20 token on a network that is active", Detail: "As enable_erc20, with the balances of all accounts of an HD wallet.",
		Category: categoryEth,
	}, e.beginToken).Raises(kinds(mmerr.TokenIsAlreadyActivated, mmerr.InvalidTokenProtocol)...))
}

type taskToken struct {
	Ticker        string `json:"ticker"`
	Platform      string `json:"platform_coin"`
	Contract      string `json:"token_contract_address"`
	Block         uint64 `json:"current_block"`
	Confirmations uint64 `json:"required_confirmations"`
	Wallet        any    `json:"wallet_balance"`
}

// singleWallet is what a wallet with one address holds.
type singleWallet struct {
	Type    string                 `json:"wallet_type"`
	Address string                 `json:"address"`
	Balance map[string]balanceInfo `json:"balance"`
}

func (e Eth) beginToken(ctx context.Context, p enableERC20Params) (startedTask, error) {
	if state, restored := e.Activator.Active.State(p.Ticker); state == coin.StateActive && !restored {
		return startedTask{}, tokenActivationFailure(p.Ticker, coin.ErrAlreadyActive)
	}
	if err := p.Protocol.check(p.Ticker, e.Activator.Registry); err != nil {
		return startedTask{}, err
	}
	return tokenTask().start(ctx, e.Tasks, func(ctx context.Context) (any, error) { return e.taskToken(ctx, p) })
}

func (e Eth) taskToken(ctx context.Context, p enableERC20Params) (shown taskToken, err error) {
	done, err := e.enableToken(ctx, p)
	if err != nil {
		return shown, err
	}
	shown = taskToken{Ticker: p.Ticker, Platform: done.Platform, Contract: done.Contract, Confirmations: done.Confirmations}
	for address, balance := range done.Balances { // of which there is one
		shown.Wallet = singleWallet{"Iguana", address, map[string]balanceInfo{p.Ticker: balance}}
	}
	active, err := e.Activator.Active.Get(p.Ticker)
	if err != nil {
		return shown, err
	}
	if chain, has := active.(heighted); has {
		if shown.Block, err = chain.Height(ctx); err != nil {
			return shown, tokenActivationFailure(p.Ticker, err)
		}
	}
	view, err := accountsOf(active)
	if err != nil {
		return shown, nil // it has one address
	}
	accounts, err := view.List(ctx)
	shown.Wallet = viewHDWallet(accounts)
	return shown, hdFailure(err)
}
