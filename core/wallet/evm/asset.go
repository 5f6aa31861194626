package evm

import (
	"context"
	"math/big"
	"time"

	"obverse/core/key"
	"obverse/core/net/nodepool"
	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/tx"
	"obverse/core/wallet/evm/wire"
)

// chain is what a platform and its tokens share: one account on one network, through the
// nodes that a user named.
type chain struct {
	id      uint64
	native  tx.Asset
	account account
	nodes   nodes
	turns   *coin.Turns
	block   time.Duration // between two blocks, about
	gone    chan struct{} // closed when the platform was disabled or replaced
	told    told
	tokens  func() []*Token // that are active on this network
}

// asset is a coin of a network: its own or a token.
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
	_ coin.Estimator       = (*asset)(nil)
	_ coin.BalanceWatcher  = (*asset)(nil)
)

// Ticker implements coin.Coin.
func (a *asset) Ticker() string { return a.of.Ticker }

// Entry implements coin.Coin.
func (a *asset) Entry() *coin.Entry { return a.entry }

// Address implements coin.Addresser.
func (a *asset) Address() string { return a.account.address.String() }

// ChainID is the id of the network.
func (a *asset) ChainID() uint64 { return a.id }

// Height is the number of the network's newest block, at most a second old.
func (a *asset) Height(ctx context.Context) (uint64, error) { return a.nodes.Height(ctx) }

// Nodes tells how the network's nodes do.
func (a *asset) Nodes() []nodepool.State { return a.nodes.pool.Nodes() }

// Confirmations are how many a transaction needs before others rely on it.
func (a *asset) Confirmations() uint64 { return a.confirmations }

func (a *asset) coins(units *big.Int) number.Rational { return number.Scaled(units, a.of.Decimals) }

// lookFor is what to look at for the balances of coins.
func (c *chain) lookFor(assets []*asset) node.Look {
	l := node.Look{Owner: c.account.address}
	for _, a := range assets {
		if a.of.Contract == nil {
			l.Coin = true
		} else {
			l.Balances = append(l.Balances, *a.of.Contract)
		}
	}
	return l
}

// read gives the balances of coins that were looked for.
func read(assets []*asset, seen node.Seen) []coin.Balance {
	list := make([]coin.Balance, len(assets))
	tokens := seen.Balances
	for i, a := range assets {
		if a.of.Contract == nil {
			list[i].Spendable = a.coins(seen.Coin)
			continue
		}
		list[i].Spendable, tokens = a.coins(tokens[0]), tokens[1:]
	}
	return list
}

// balances asks for all at once.
func (c *chain) balances(ctx context.Context, assets []*asset) ([]coin.Balance, error) {
	seen, err := c.nodes.Look(ctx, c.lookFor(assets))
	if err != nil {
		return nil, err
	}
	return read(assets, seen), nil
}

// Balance implements coin.Balancer. It is at most two seconds old.
func (a *asset) Balance(ctx context.Context) (coin.Balance, error) {
	list, err := a.balances(ctx, []*asset{a})
	if err != nil {
		return coin.Balance{}, err
	}
	return list[0], nil
}

// wallet makes what sends from an account that was opened.
func (a *asset) wallet(opened key.Account) *tx.Wallet {
	const quickest = 500 * time.Millisecond
	w := &tx.Wallet{ChainID: a.id, Native: a.native, Node: a.nodes, Turns: a.turns, Account: opened, Address: a.account.address,
		Confirmations: a.confirmations, Poll: min(max(a.block/2, quickest), 5*time.Second)}
	if a.account.hd {
		w.Open, w.Path = a.account.other, a.account.base
	}
	return w
}

// Withdraw implements coin.Withdrawer.
func (a *asset) Withdraw(ctx context.Context, r coin.WithdrawRequest) (coin.Transaction, error) {
	opened, err := a.account.signer(ctx)
	if err != nil {
		return coin.Transaction{}, err
	}
	defer opened.Close()
	if r.Send { // a wallet may do it without the nodes here
		defer a.nodes.pool.Invalidate()
	}
	return a.wallet(opened).Withdraw(ctx, a.of, r)
}

// Broadcast implements coin.Broadcaster.
func (a *asset) Broadcast(ctx context.Context, raw []byte) (string, error) {
	return a.wallet(nil).Broadcast(ctx, raw)
}

// Await implements coin.Broadcaster.
func (a *asset) Await(ctx context.Context, raw []byte, confirmations uint64) (coin.Confirmed, error) {
	return a.wallet(nil).Await(ctx, raw, confirmations)
}

// SignMessage implements coin.MessageSigner.
func (a *asset) SignMessage(ctx context.Context, message string) (coin.SignedMessage, error) {
	opened, err := a.account.signer(ctx)
	if err != nil {
		return coin.SignedMessage{}, err
	}
	defer opened.Close()
	return tx.SignMessage(ctx, opened, message)
}

// VerifyMessage implements coin.MessageVerifier.
func (a *asset) VerifyMessage(_ context.Context, p coin.MessageProof) (bool, error) {
	return tx.VerifyMessage(p)
}

// Gas of a maker's payment into a swap's contract and of its refund, as Komodo DeFi
// Framework reckons.
const (
	gasCoinPayment  = 65_000
	gasCoinRefund   = 100_000
	gasTokenPayment = 150_000
	gasTokenRefund  = 150_000
)

// Gas is never reckoned cheaper than this, and always dearer than now.
const (
	leastPrice  = 1_000_000_000 // a billionth of a coin
	dearer, per = 105, 100
)

// SpendingCost implements coin.Estimator with what a maker of a swap pays, its refund
// included.
func (a *asset) SpendingCost(ctx context.Context) (coin.SpendingCost, error) {
	fees, err := a.nodes.Fees(ctx)
	if err != nil {
		return coin.SpendingCost{}, err
	}
	look := node.Look{Owner: a.account.address, Coin: true}
	seen, err := a.nodes.Look(ctx, look)
	if err != nil {
		return coin.SpendingCost{}, err
	}
	price := new(big.Int).Mul(fees.GasPrice, big.NewInt(dearer))
	price.Div(price, big.NewInt(per))
	if least := big.NewInt(leastPrice); price.Cmp(least) < 0 {
		price = least
	}
	gas := uint64(gasCoinPayment + gasCoinRefund)
	if a.of.Contract != nil {
		gas = gasTokenPayment + gasTokenRefund
	}
	fee := tx.FeeOf(wire.Transaction{MaxFee: price, Gas: gas}, a.native)
	return coin.SpendingCost{Fee: fee, Funds: number.Scaled(seen.Coin, tx.Decimals), Least: number.Int(0)}, nil
}

// Platform is a network's own coin, which was activated.
type Platform struct {
	asset
	contracts Contracts
	saved     []byte // what brings it back after a restart
}

var _ interface {
	coin.Keyed
	coin.Runner
	NFTPlatform
} = (*Platform)(nil)

// Contracts are those of swaps.
func (p *Platform) Contracts() Contracts { return p.contracts }

// Policy implements coin.Keyed.
func (p *Platform) Policy() key.Policy { return p.account.policy }

// goesOn checks that a passive platform can be switched on again by a request with a
// policy.
func (p *Platform) goesOn(ctx context.Context, policy key.Policy) error {
	if err := coin.CheckPolicy(p, policy); err != nil {
		return err
	}
	return p.account.same(ctx)
}

// Run implements coin.Runner: it looks after the nodes.
func (p *Platform) Run(ctx context.Context) error {
	defer close(p.gone)
	return p.nodes.pool.Run(ctx)
}

// Token is an ERC-20 token on a network, which was activated.
type Token struct {
	asset
	platform string // ticker
}

var _ coin.Token = (*Token)(nil)

// Platform implements coin.Token.
func (t *Token) Platform() string { return t.platform }

// Contract is the address of the token's contract.
func (t *Token) Contract() address.Address { return *t.of.Contract }

// OnPlatform implements coin.Token.
func (t *Token) OnPlatform(platform coin.Coin) coin.Token {
	p, is := platform.(*Platform)
	if !is {
		return t
	}
	moved := *t
	moved.chain, moved.platform = p.chain, p.Ticker()
	return &moved
}
