package tendermint

import (
	"context"
	"math/big"
	"time"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/tendermint/history"
	"obverse/core/wallet/tendermint/tx"
)

// chain is what a platform and its tokens share: one account on one chain, through the
// nodes that a user named.
type chain struct {
	facts   tx.Chain
	account account
	nodes   *nodes
	now     func() time.Time
	turns   *coin.Turns
	fees    *fetch.Cache[coin.Fee]
	history *history.Log // nil: nobody asked for it
	watch   *watch
	block   time.Duration   // between two blocks, about
	tokens  func() []*Token // that are active on this chain
}

// asset is a coin of a chain: its own or a token.
type asset struct {
	*chain
	of            tx.Asset
	entry         *coin.Entry
	confirmations uint64 // that a transaction needs before others rely on it
}

// What the coins of this package can do.
var (
	_ coin.Addresser       = (*asset)(nil)
	_ coin.Balancer        = (*asset)(nil)
	_ coin.Withdrawer      = (*asset)(nil)
	_ coin.Broadcaster     = (*asset)(nil)
	_ coin.MessageSigner   = (*asset)(nil)
	_ coin.MessageVerifier = (*asset)(nil)
	_ coin.Historian       = (*asset)(nil)
	_ coin.Estimator       = (*asset)(nil)
	_ coin.BalanceWatcher  = (*asset)(nil)
)

// Ticker implements coin.Coin.
func (a *asset) Ticker() string { return a.of.Ticker }

// Entry implements coin.Coin.
func (a *asset) Entry() *coin.Entry { return a.entry }

// Address implements coin.Addresser.
func (a *asset) Address() string { return a.account.address.String() }

// Nodes tells how the chain's nodes do.
func (a *asset) Nodes() []nodepool.State { return a.nodes.pool.Nodes() }

// Confirmations are how many a transaction needs before others rely on it.
func (a *asset) Confirmations() uint64 { return a.confirmations }

// Height is that of the newest block. Its error is coin.ErrTransport.
func (a *asset) Height(ctx context.Context) (uint64, error) { return a.nodes.Height(ctx) }

func (a *asset) coins(units *big.Int) number.Rational { return number.Scaled(units, a.of.Decimals) }

// Balance implements coin.Balancer. It is at most two seconds old.
func (a *asset) Balance(ctx context.Context) (coin.Balance, error) {
	h, err := a.nodes.holding(ctx, a.Address(), a.of.Denom)
	if err != nil {
		return coin.Balance{}, err
	}
	spendable := a.coins(h.spendable)
	return coin.Balance{Spendable: spendable, Unspendable: a.coins(h.total).Sub(spendable)}, nil
}

// Withdraw implements coin.Withdrawer.
func (a *asset) Withdraw(ctx context.Context, r coin.WithdrawRequest) (coin.Transaction, error) {
	opened, err := a.account.signer(ctx)
	if err != nil {
		return coin.Transaction{}, err
	}
	defer opened.Close()
	if r.Send {
		defer a.fees.Invalidate()
	}
	return a.wallet(opened, a.confirmations).Withdraw(ctx, a.of, r)
}

// Broadcast implements coin.Broadcaster.
func (a *asset) Broadcast(ctx context.Context, raw []byte) (string, error) {
	defer a.fees.Invalidate()
	return a.wallet(nil, a.confirmations).Broadcast(ctx, raw)
}

// Await implements coin.Broadcaster.
func (a *asset) Await(ctx context.Context, raw []byte, confirmations uint64) (coin.Confirmed, error) {
	return a.wallet(nil, a.confirmations).Await(ctx, raw, confirmations)
}

// SignMessage implements coin.MessageSigner.
func (a *asset) SignMessage(ctx context.Context, message string) (coin.SignedMessage, error) {
	opened, err := a.account.signer(ctx)
	if err != nil {
		return coin.SignedMessage{}, err
	}
	defer opened.Close()
	return a.wallet(opened, a.confirmations).SignMessage(ctx, message)
}

// VerifyMessage implements coin.MessageVerifier.
func (a *asset) VerifyMessage(ctx context.Context, p coin.MessageProof) (bool, error) {
	return a.wallet(nil, a.confirmations).VerifyMessage(ctx, p)
}

// History implements coin.Historian.
func (a *asset) History(ctx context.Context, ask coin.HistoryQuery) (coin.History, error) {
	if a.history == nil {
		return coin.History{}, coin.ErrNoHistory
	}
	view := history.View{Asset: history.Asset(a.of), Platform: history.Asset(a.facts.Native), Named: a.named}
	return a.history.History(ctx, view, ask)
}

// named finds a token by its denom.
func (c *chain) named(denom string) (history.Asset, bool) {
	for _, t := range c.tokens() {
		if t.of.Denom == denom {
			return history.Asset(t.of), true
		}
	}
	return history.Asset{}, false
}

// feeTTL is how long an estimate of a fee is believed.
const feeTTL = 10 * time.Second

// SpendingCost implements coin.Estimator with a plain transfer.
func (a *asset) SpendingCost(ctx context.Context) (coin.SpendingCost, error) {
	fee, err := a.fees.Get(ctx, fetch.Question{Quantity: "fee", Key: a.of.Denom}, feeTTL, a.fee)
	if err != nil {
		return coin.SpendingCost{}, err
	}
	native := a.facts.Native
	funds, err := a.nodes.holding(ctx, a.Address(), native.Denom)
	if err != nil {
		return coin.SpendingCost{}, err
	}
	return coin.SpendingCost{Fee: fee, Funds: number.Scaled(funds.spendable, native.Decimals), Least: a.coins(big.NewInt(1))}, nil
}

// fee estimates what a plain transfer costs.
func (a *asset) fee(ctx context.Context) (coin.Fee, error) {
	fee := coin.Fee{Type: "Tendermint", Coin: a.facts.Native.Ticker}
	reader, err := a.account.reader()
	if err != nil {
		return fee, err
	}
	fee.Amount, fee.GasLimit, err = a.wallet(reader, a.confirmations).TransferFee(ctx, a.of)
	return fee, err
}
