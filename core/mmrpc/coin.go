package mmrpc

import (
	"context"
	"errors"
	"slices"

	"obverse/core/coin"
	"obverse/core/mmerr"
	"obverse/core/rpc"
	"obverse/core/swap"
)

const categoryCoins = "Coins"

// Coins is the area of the methods over all active coins, of whatever kind.
type Coins struct {
	Active *coin.Active
	Swaps  *swap.Ledger // coins that its running swaps need are not disabled; nil: there are none
}

// Methods implements Area.
func (c Coins) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("get_enabled_coins", rpc.Doc{
			Summary: "List the active coins in the order of their activation", Category: categoryCoins,
		}, c.enabled).Unread(),
		rpc.Handle("disable_coin", rpc.Doc{
			Summary: "Make a coin inactive",
			Detail: "A platform coin with tokens becomes passive instead: it looks inactive and works on for its tokens. With force_disable " +
				"its tokens become inactive with it.",
			Category: categoryCoins, Legacy: true,
		}, c.disable).Raises(kinds(mmerr.NoSuchCoin, mmerr.ActiveSwaps)...),
		rpc.Handle("my_balance", rpc.Doc{
			Summary: "Show the balance of a coin", Category: categoryCoins, Legacy: true,
		}, c.balance).Raises(kinds(mmerr.NoSuchCoin, mmerr.Transport)...),
	}
}

type enabledCoins struct {
	Coins []enabledCoin `json:"coins"`
}

type enabledCoin struct {
	Ticker string `json:"ticker" doc:"as the coin was activated"`
}

func (c Coins) enabled(context.Context, struct{}) (enabledCoins, error) {
	list := enabledCoins{Coins: []enabledCoin{}}
	for _, active := range c.Active.List() {
		list.Coins = append(list.Coins, enabledCoin{active.Ticker()})
	}
	return list, nil
}

type disableCoinParams struct {
	Coin  string `json:"coin" doc:"ticker"`
	Force bool   `json:"force_disable" default:"false" doc:"disable a platform's tokens with it"`
}

type disabledCoin struct {
	Coin      string   `json:"coin" doc:"ticker as in the request"`
	Cancelled []string `json:"cancelled_orders" doc:"always empty: this node keeps no orders"`
	Passive   bool     `json:"passivized" doc:"the coin works on for its tokens"`
}

func (c Coins) disable(ctx context.Context, p disableCoinParams) (disabledCoin, error) {
	if ids := c.needed(p); len(ids) > 0 {
		return disabledCoin{}, notDisabled(mmerr.ActiveSwaps.New(ids, "There are currently matching orders, active swaps"), ids)
	}
	done, err := c.Active.Disable(ctx, p.Coin, p.Force)
	if errors.Is(err, coin.ErrNotActive) {
		return disabledCoin{}, notDisabled(noSuchCoin(err, p.Coin), nil)
	}
	return disabledCoin{Coin: p.Coin, Cancelled: []string{}, Passive: done.Passive}, err
}

// needed lists the running swaps that need what is about to be disabled.
func (c Coins) needed(p disableCoinParams) (ids []string) {
	if _, err := c.Active.Get(p.Coin); err != nil || c.Swaps == nil {
		return nil
	}
	gone := []string{p.Coin}
	if p.Force {
		gone = append(gone, c.Active.Tokens(p.Coin)...)
	}
	for _, s := range c.Swaps.Running() {
		needs := []string{s.DexFee.Coin, s.DexFee.Fee.Coin, s.Payment.Coin, s.Payment.Fee.Coin, s.SpendFee.Coin}
		if slices.ContainsFunc(gone, func(ticker string) bool { return slices.Contains(needs, coin.Canonical(ticker)) }) {
			ids = append(ids, s.ID)
		}
	}
	return ids
}

// disableFailure is upstream's answer of disable_coin where "mmrpc" is absent.
type disableFailure struct {
	Text   string `json:"error"`
	Orders struct {
		Matching  []string `json:"matching"`
		Cancelled []string `json:"cancelled"`
	} `json:"orders"`
	Swaps []string `json:"active_swaps"`
}

// legacyDisableError is an error of disable_coin with its other form.
type legacyDisableError struct {
	error
	swaps []string
}

func notDisabled(err error, swaps []string) error { return legacyDisableError{err, swaps} }

func (e legacyDisableError) Unwrap() error { return e.error }

// Legacy implements LegacyError. This method's text is without places, as upstream.
func (e legacyDisableError) Legacy(string) any {
	f := disableFailure{Text: e.Error(), Swaps: append([]string{}, e.swaps...)}
	f.Orders.Matching, f.Orders.Cancelled = []string{}, []string{}
	return f
}

type balanceParams struct {
	Coin string `json:"coin" doc:"ticker"`
}

type balanceResult struct {
	Coin        string `json:"coin" doc:"ticker as in the request"`
	Balance     string `json:"balance" doc:"what can be sent, a decimal number"`
	Unspendable string `json:"unspendable_balance" doc:"what is held but cannot be sent now, a decimal number"`
	Address     string `json:"address" doc:"the coin's own address"`
}

// Flat implements Flat.
func (balanceResult) Flat() {}

func (c Coins) balance(ctx context.Context, p balanceParams) (balanceResult, error) {
	active, err := c.Active.Get(p.Coin)
	if err != nil {
		return balanceResult{}, noSuchCoin(err, p.Coin)
	}
	balancer, has := active.(coin.Balancer)
	if !has {
		text := clip(p.Coin) + " has no balance of its own"
		return balanceResult{}, mmerr.InvalidRequest.New(text, text)
	}
	balance, err := balancer.Balance(ctx)
	if errors.Is(err, coin.ErrTransport) {
		return balanceResult{}, mmerr.Transport.From(err, err.Error(), "Transport error: "+err.Error())
	}
	shown := balanceResult{Coin: p.Coin, Balance: balance.Spendable.String(), Unspendable: balance.Unspendable.String()}
	if addresser, has := active.(coin.Addresser); has {
		shown.Address = addresser.Address()
	}
	return shown, err
}

// noSuchCoin is for a coin that has to be active and is not.
func noSuchCoin(err error, ticker string) error {
	return mmerr.NoSuchCoin.From(err, mmerr.Coin{Coin: ticker}, "No such coin "+clip(ticker))
}
