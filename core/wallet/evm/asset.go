package evm

import (
	"bytes"
	"context"
	"math/big"
	"sync/atomic"
	"time"

	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/history"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/tx"
	"obverse/core/wallet/evm/wire"
)

// chain is shared by a platform and its tokens, in addition to their account.Asset.
type chain struct {
	id      uint64
	native  tx.Asset
	account *account.Account
	address address.Address // address of account
	nodes   nodes
	queue   *coin.SendQueue

	usualPrice *big.Int // price of a unit of gas in the entry; nil means unknown

	history  *history.Wallet // nil means not requested
	registry *coin.Registry  // registry of tokens that could be active
}

// asset is a coin of a network: native or a token.
type asset struct {
	account.Asset
	*chain
	gas *atomic.Pointer[GasPolicy] // holds nil for GasLegacy
}

func newAsset(c *chain) asset { return asset{chain: c, gas: new(atomic.Pointer[GasPolicy])} }

// Interfaces of the coins of this package.
var (
	_ coin.Addresser       = (*asset)(nil)
	_ coin.Balancer        = (*asset)(nil)
	_ coin.Withdrawer      = (*asset)(nil)
	_ coin.Broadcaster     = (*asset)(nil)
	_ coin.MessageSigner   = (*asset)(nil)
	_ coin.AddressSigner   = (*asset)(nil)
	_ coin.MessageVerifier = (*asset)(nil)
	_ coin.Estimator       = (*asset)(nil)
	_ coin.BalanceWatcher  = (*asset)(nil)
	_ coin.AddressReader   = (*asset)(nil)
	_ coin.FeeEstimator    = (*asset)(nil)
	_ coin.RawReader       = (*asset)(nil)
	_ coin.RawSigner       = (*asset)(nil)
	_ coin.HistoryWatcher  = (*asset)(nil)
)

// ChainID returns the id of the network.
func (a *asset) ChainID() uint64 { return a.id }

// Height returns the height of the network's newest block, at most a second old.
func (a *asset) Height(ctx context.Context) (uint64, error) { return a.nodes.Height(ctx) }

var _ account.Chain = (*chain)(nil)

// Query implements account.Chain with one batch. Results are at most two seconds old.
func (c *chain) Query(ctx context.Context, q account.Query) (account.Result, error) {
	held, err := c.nodes.Balances(ctx, balanceQuery(c.address, q.Assets))
	if err != nil {
		return account.Result{}, err
	}
	return account.Result{Height: held.Height, Balances: balances(held, q.Assets)}, nil
}

// Verify implements account.Chain. An address is valid on every network.
func (c *chain) Verify(context.Context) error { return nil }

// Listen implements account.Chain. The nodes are polled.
func (c *chain) Listen(context.Context, func(bool), func()) {}

// txAsset returns the asset for transactions.
func (a *asset) txAsset() *tx.Asset { return a.ChainAsset.(*tx.Asset) }

// balanceQuery returns the query for the balances of an address in assets.
func balanceQuery(owner address.Address, assets []any) node.BalanceQuery {
	q := node.BalanceQuery{Owner: owner}
	for _, one := range assets {
		if asset := one.(*tx.Asset); asset.Contract == nil {
			q.Coin = true
		} else {
			q.Balances = append(q.Balances, *asset.Contract)
		}
	}
	return q
}

// balances returns the balances of a result, in the order of the assets.
func balances(held node.BalanceResult, assets []any) []coin.Balance {
	list, tokens := make([]coin.Balance, len(assets)), held.Balances
	for i, one := range assets {
		asset, units := one.(*tx.Asset), held.Coin
		if asset.Contract != nil {
			token := tokens[0]
			units, tokens = token.Units, tokens[1:]
			if token.Err != nil {
				list[i].Unknown = coin.Failed(token.Err)
				continue
			}
		}
		list[i].Spendable = number.Scaled(units, asset.Decimals)
	}
	return list
}

// wallet returns a wallet that sends from an opened account.
func (a *asset) wallet(opened key.Account) *tx.Wallet {
	const quickest = 500 * time.Millisecond
	return &tx.Wallet{ChainID: a.id, Native: a.native, UsualPrice: a.usualPrice, Node: a.nodes, Queue: a.queue, Account: opened, Address: a.address,
		Confirmations: a.Confirmations(), Poll: min(max(a.Blocktime()/2, quickest), 5*time.Second), Addresses: a.account.Addresses()}
}

// Withdraw implements coin.Withdrawer.
func (a *asset) Withdraw(ctx context.Context, r coin.WithdrawRequest) (coin.Transaction, error) {
	opened, err := a.account.Signer(ctx)
	if err != nil {
		return coin.Transaction{}, err
	}
	defer opened.Close()
	if r.Send { // an external wallet may send without the coin's nodes
		defer a.nodes.Invalidate()
	}
	done, err := a.wallet(opened).Withdraw(ctx, *a.txAsset(), r)
	if err == nil && r.Send && a.nodes.sent != nil && len(done.Raw) > 0 {
		a.nodes.sent(ctx, done.Raw, wire.Hash(done.Raw))
	}
	return done, err
}

// Broadcast implements coin.Broadcaster.
func (a *asset) Broadcast(ctx context.Context, raw []byte) (string, error) {
	return a.wallet(nil).Broadcast(ctx, raw)
}

// Await implements coin.Broadcaster.
func (a *asset) Await(ctx context.Context, raw []byte, confirmations uint64) (coin.Confirmed, error) {
	defer a.nodes.Invalidate() // cached results may be older than its block
	return a.wallet(nil).Await(ctx, raw, confirmations)
}

// SignMessage implements coin.MessageSigner.
func (a *asset) SignMessage(ctx context.Context, message string) (coin.SignedMessage, error) {
	opened, err := a.account.Signer(ctx)
	if err != nil {
		return coin.SignedMessage{}, err
	}
	defer opened.Close()
	return tx.SignMessage(ctx, opened, message)
}

// SignMessageFrom implements coin.AddressSigner.
func (a *asset) SignMessageFrom(ctx context.Context, from coin.From, message string) (coin.SignedMessage, error) {
	opened, _, err := a.account.From(ctx, from)
	if err != nil {
		return coin.SignedMessage{}, err
	}
	defer opened.Close()
	return tx.SignMessage(ctx, opened, message)
}

// VerifyMessage implements coin.MessageVerifier.
func (a *asset) VerifyMessage(_ context.Context, p coin.MessageProof) (bool, error) {
	return tx.VerifyMessage(a.id, p)
}

// Gas of a maker's payment into a swap's contract and of its refund, as in Komodo DeFi Framework.
const (
	gasCoinPayment  = 65_000
	gasCoinRefund   = 100_000
	gasTokenPayment = 150_000
	gasTokenRefund  = 150_000
)

// swapData is the size of the data of a payment into a swap's contract: a function and at most
// eight arguments.
const swapData = 4 + 8*32

// Minimum price of gas in estimates, and the margin above the current price.
const (
	minPrice    = 1_000_000_000 // a billionth of a coin
	dearer, per = 105, 100
)

// SpendingCost implements coin.Estimator with the fees of a swap's maker, including the refund.
func (a *asset) SpendingCost(ctx context.Context) (coin.SpendingCost, error) {
	fees, err := a.nodes.Fees(ctx, node.Call{Value: new(big.Int), Data: bytes.Repeat([]byte{1}, swapData)})
	if err != nil {
		return coin.SpendingCost{}, err
	}
	held, err := a.nodes.Balances(ctx, node.BalanceQuery{Owner: a.address, Coin: true})
	if err != nil {
		return coin.SpendingCost{}, err
	}
	price := new(big.Int).Mul(fees.GasPrice, big.NewInt(dearer))
	price.Div(price, big.NewInt(per))
	if minimum := big.NewInt(minPrice); price.Cmp(minimum) < 0 {
		price = minimum
	}
	payment, refund := uint64(gasCoinPayment), uint64(gasCoinRefund)
	if a.txAsset().Contract != nil {
		payment, refund = gasTokenPayment, gasTokenRefund
	}
	gas, data := payment+refund, new(big.Int).Add(fees.Beyond(payment), fees.Beyond(refund))
	fee := tx.FeeOf(wire.Transaction{MaxFee: price, Gas: gas}, data, a.native)
	return coin.SpendingCost{Fee: fee, Funds: number.Scaled(held.Coin, tx.Decimals), MinAmount: number.Int(0)}, nil
}
