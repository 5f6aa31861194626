package cosmos

import (
	"cmp"
	"context"
	"errors"
	"math/big"
	"slices"
	"time"

	"obverse/core/guard"
	"obverse/core/net/fetch"
	"obverse/core/number"
	"obverse/core/wallet/account"
	"obverse/core/wallet/account/txlog"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/history"
	"obverse/core/wallet/cosmos/node"
	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/cosmos/wire"
)

// chain is shared by a platform and its tokens, in addition to their account.Asset.
type chain struct {
	params  tx.Chain
	account *account.Account
	address address.Address // address of account
	nodes   *nodes
	now     func() time.Time
	queue   *coin.SendQueue
	fees    *fetch.Cache[coin.Fee]
	history *history.Log // nil if not requested
	others  *txlog.Logs  // histories of an HD wallet's other addresses, if history is not nil

	registry *coin.Registry // registry of tokens that could be active
}

// asset is a coin of a chain: native or a token.
type asset struct {
	account.Asset
	*chain
}

// Interfaces of the coins of this package.
var (
	_ coin.Addresser       = (*asset)(nil)
	_ coin.Balancer        = (*asset)(nil)
	_ coin.Withdrawer      = (*asset)(nil)
	_ coin.Broadcaster     = (*asset)(nil)
	_ coin.MessageSigner   = (*asset)(nil)
	_ coin.AddressSigner   = (*asset)(nil)
	_ coin.MessageVerifier = (*asset)(nil)
	_ coin.HistoryWatcher  = (*asset)(nil)
	_ coin.Estimator       = (*asset)(nil)
	_ coin.BalanceWatcher  = (*asset)(nil)
	_ coin.AddressReader   = (*asset)(nil)
)

// Height returns the height of the newest block. Its error is coin.ErrTransport.
func (a *asset) Height(ctx context.Context) (uint64, error) { return a.nodes.Height(ctx) }

var _ account.Chain = (*chain)(nil)

// Query implements account.Chain. Balances are at most two seconds old. A balance that cannot
// be queried is Unknown; if all cannot, Query returns the error.
func (c *chain) Query(ctx context.Context, q account.Query) (account.Result, error) {
	r := account.Result{Balances: make([]coin.Balance, len(q.Assets))}
	err := each(ctx, len(q.Assets)+1, func(ctx context.Context, i int) (err error) {
		if i == 0 {
			if q.Height {
				r.Height, err = c.nodes.Height(ctx)
			}
			return err
		}
		b := &r.Balances[i-1]
		b.Unknown = guard.Do(ctx, "asking for a balance", func() (err error) {
			*b, err = c.balance(ctx, c.account.Address, q.Assets[i-1].(*tx.Asset))
			return err
		})
		return nil
	})
	err = cmp.Or(err, ctx.Err())
	if err == nil && len(r.Balances) > 0 && !slices.ContainsFunc(r.Balances, func(b coin.Balance) bool { return b.Unknown == nil }) {
		err = r.Balances[0].Unknown
	}
	return r, err
}

// txAsset returns the asset for transactions.
func (a *asset) txAsset() *tx.Asset { return a.ChainAsset.(*tx.Asset) }

// Withdraw implements coin.Withdrawer.
func (a *asset) Withdraw(ctx context.Context, r coin.WithdrawRequest) (coin.Transaction, error) {
	opened, err := a.account.Signer(ctx)
	if err != nil {
		return coin.Transaction{}, err
	}
	defer opened.Close()
	if r.Send {
		defer a.fees.Invalidate()
	}
	return a.wallet(opened, a.Confirmations()).Withdraw(ctx, *a.txAsset(), r)
}

// Broadcast implements coin.Broadcaster.
func (a *asset) Broadcast(ctx context.Context, raw []byte) (string, error) {
	defer a.fees.Invalidate()
	return a.wallet(nil, a.Confirmations()).Broadcast(ctx, raw)
}

// Await implements coin.Broadcaster.
func (a *asset) Await(ctx context.Context, raw []byte, confirmations uint64) (coin.Confirmed, error) {
	return a.wallet(nil, a.Confirmations()).Await(ctx, raw, confirmations)
}

// RawTransaction implements coin.RawReader.
func (a *asset) RawTransaction(ctx context.Context, hash [32]byte) ([]byte, error) {
	return a.nodes.raw(ctx, hash)
}

// SignMessage implements coin.MessageSigner.
func (a *asset) SignMessage(ctx context.Context, message string) (coin.SignedMessage, error) {
	opened, err := a.account.Signer(ctx)
	if err != nil {
		return coin.SignedMessage{}, err
	}
	defer opened.Close()
	return a.wallet(opened, a.Confirmations()).SignMessage(ctx, message)
}

// SignMessageFrom implements coin.AddressSigner.
func (a *asset) SignMessageFrom(ctx context.Context, from coin.From, message string) (coin.SignedMessage, error) {
	opened, address, err := a.account.From(ctx, from)
	if err != nil {
		return coin.SignedMessage{}, err
	}
	defer opened.Close()
	return tx.SignMessage(ctx, opened, address, message)
}

// VerifyMessage implements coin.MessageVerifier.
func (a *asset) VerifyMessage(ctx context.Context, p coin.MessageProof) (bool, error) {
	return a.wallet(nil, a.Confirmations()).VerifyMessage(ctx, p)
}

// History implements coin.Historian.
func (a *asset) History(ctx context.Context, ask coin.HistoryQuery) (coin.History, error) {
	if a.history == nil {
		return coin.History{}, coin.ErrNoHistory
	}
	return a.history.History(ctx, a.view(), ask)
}

// HistoryOf implements coin.AddressHistorian.
func (a *asset) HistoryOf(ctx context.Context, from coin.From, ask coin.HistoryQuery) (coin.History, error) {
	if a.history == nil {
		return coin.History{}, coin.ErrNoHistory
	}
	wallet, err := a.HD()
	if err != nil {
		return coin.History{}, err
	}
	return a.others.History(ctx, wallet, from, a.view(), ask)
}

// view selects the coin's part of the account's history.
func (a *asset) view() history.View {
	return history.View{Asset: history.Asset(*a.txAsset()), Platform: history.Asset(a.params.Native), Named: a.named}
}

// HasHistory implements coin.HistoryWatcher.
func (a *asset) HasHistory() bool { return a.history != nil }

// WatchHistory implements coin.HistoryWatcher.
func (a *asset) WatchHistory(ctx context.Context, report func(tx coin.Transaction, height uint64)) error {
	if a.history == nil {
		return coin.ErrNoHistory
	}
	defer a.history.Watch(a.view(), report)()
	return a.WatchChanges(ctx, a.history.Wake)
}

// named returns the active token with a denom.
func (a *asset) named(denom string) (history.Asset, bool) {
	for _, active := range a.Tokens() {
		t := active.(*tx.Asset)
		if t.Denom == denom {
			return history.Asset(*t), true
		}
	}
	return history.Asset{}, false
}

// feeTTL is how long an estimate of a fee is cached.
const feeTTL = 10 * time.Second

// SpendingCost implements coin.Estimator with a plain transfer.
func (a *asset) SpendingCost(ctx context.Context) (coin.SpendingCost, error) {
	fee, err := a.fees.Get(ctx, fetch.Question{Quantity: "fee", Key: a.txAsset().Denom}, feeTTL, a.fee)
	if err != nil {
		return coin.SpendingCost{}, err
	}
	native := a.params.Native
	funds, err := a.nodes.holding(ctx, a.Address(), native.Denom)
	if err != nil {
		return coin.SpendingCost{}, err
	}
	return coin.SpendingCost{Fee: fee, Funds: number.Scaled(funds.spendable, native.Decimals), MinAmount: number.Scaled(big.NewInt(1), a.txAsset().Decimals)}, nil
}

// fee estimates the fee of a plain transfer.
func (a *asset) fee(ctx context.Context) (coin.Fee, error) {
	fee := coin.Fee{Type: "Tendermint", Coin: a.params.Native.Ticker}
	reader, err := a.reader()
	if err != nil {
		return fee, err
	}
	w := a.wallet(reader, a.Confirmations())
	w.Node = estimating{a.nodes}
	fee.Amount, fee.GasLimit, err = w.TransferFee(ctx, *a.txAsset())
	return fee, err
}

// estimating is nodes for an estimate, for which the answer of any node is sufficient.
type estimating struct{ *nodes }

// Balance implements tx.Node.
func (n estimating) Balance(ctx context.Context, address, denom string) (*big.Int, error) {
	h, err := n.holding(ctx, address, denom)
	return h.spendable, err
}

// Newest implements tx.Node.
func (n estimating) Newest(ctx context.Context) (tx.Block, error) {
	s, err := n.pool.Status(ctx)
	return tx.Block{Height: uint64(max(s.Height, 0)), Time: s.Time}, coin.Failed(err)
}

// holding is the balance of an address in a denom, in units.
type holding struct{ total, spendable *big.Int }

// holding queries the balance of an address. Only vesting accounts need a second query, for the
// spendable balance.
func (n *nodes) holding(ctx context.Context, address, denom string) (holding, error) {
	none := holding{new(big.Int), new(big.Int)}
	balance, err := n.pool.Balance(ctx, address, denom)
	if err != nil {
		return none, coin.Failed(err)
	}
	total, err := balance.Units()
	if err != nil {
		return none, coin.Failed(err)
	}
	if total.Sign() == 0 {
		return holding{total, total}, nil
	}
	return n.locked(ctx, address, denom, total)
}

// locked queries the spendable balance of an address.
func (n *nodes) locked(ctx context.Context, address, denom string, total *big.Int) (holding, error) {
	h := holding{total, total}
	kind, err := n.kind(ctx, address)
	switch {
	case errors.Is(err, node.ErrNotFound):
		return h, nil
	case err != nil, !kind.vesting:
		return h, err
	}
	h.spendable, err = n.unlocked(ctx, address, denom)
	if unknown(err) { // an older chain
		return holding{total, total}, nil
	}
	if err != nil {
		return holding{new(big.Int), new(big.Int)}, coin.Failed(err)
	}
	if h.spendable.Cmp(total) > 0 { // the second answer is from a later block
		h.spendable = total
	}
	return h, nil
}

// kindTTL is how long the type of an account is cached for displayed balances. Some chains lock
// coins of existing accounts.
const kindTTL = time.Minute

// kind is the relevant data about an account's type.
type kind struct {
	vesting  bool // the account may have coins that it cannot send yet
	ethereum bool // the address of the account's key is like Ethereum's
}

// kind queries one of the nodes for the type of an address's account. Its error is node.ErrNotFound
// for a new account, or coin.ErrTransport.
func (n *nodes) kind(ctx context.Context, address string) (kind, error) {
	return n.kinds.Get(ctx, fetch.Question{Quantity: "kind", Key: address}, kindTTL, func(ctx context.Context) (kind, error) {
		r, err := n.storedAccount(ctx, address)
		if err != nil {
			return kind{}, coin.Failed(err)
		}
		base, _ := r.Base(address) // the type may have no base account
		return kind{r.Vesting(), r.EthereumKey(base)}, nil
	})
}

// maxPages limits the pages that are searched for a denom, since anyone can send tokens of many
// denoms to an address.
const (
	pageSize = 1000
	maxPages = 20
)

var errDenoms = errors.New("the account holds too many denoms")

// unlocked queries the spendable balance of an address in a denom.
func (n *nodes) unlocked(ctx context.Context, address, denom string) (*big.Int, error) {
	page := wire.PageRequest{Limit: pageSize}
	for range maxPages {
		request := wire.AllBalancesRequest{Address: address, Page: &page}
		r, err := node.Ask[wire.AllBalancesResponse](ctx, n.pool, wire.PathSpendableBalances, &request)
		if err != nil {
			return nil, err
		}
		for _, c := range r.Balances {
			if c.Denom == denom {
				return c.Units()
			}
		}
		if len(r.Page.NextKey) == 0 {
			return new(big.Int), nil
		}
		page.Key = r.Page.NextKey
	}
	return nil, errDenoms
}
