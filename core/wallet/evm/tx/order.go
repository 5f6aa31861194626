package tx

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"obverse/core/key"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/wire"
)

// Prepared is a transaction whose gas and prices are known.
type Prepared struct {
	wire.Transaction
	// Fails is why the network says that the transaction would fail; nil: it would not.
	Fails error
	// Funds are what the account has of the coin that pays fees.
	Funds *big.Int

	fees node.Fees
}

// TotalFee is what the transaction may cost, with the data fee of a rollup.
func (p Prepared) TotalFee() *big.Int { return totalFee(p.Transaction, p.fees.Beyond(p.Gas)) }

// BelowBaseFee reports whether the network does not execute the transaction now, since it offers
// too little for gas.
func (p Prepared) BelowBaseFee() bool {
	return p.fees.BaseFee != nil && p.MaxFee.Cmp(p.fees.BaseFee) < 0
}

// Prepare finds out the gas and the price that a transaction of another program leaves
// open: a Gas of 0, a MaxFee or a Tip of nil. One with a MaxFee alone has one price if
// legacy is set. The error is a *coin.RefusedError if its gas is unknown because it would fail.
func (w *Wallet) Prepare(ctx context.Context, t wire.Transaction, legacy bool) (p Prepared, err error) {
	c := node.Call{From: w.Address, To: t.To, Deploys: t.Deploys, Value: t.Value, Data: t.Data}
	if p.fees, err = w.Node.Fees(ctx, c); err != nil {
		return p, err
	}
	fillPrice(p.fees, &t, legacy)
	seen, err := w.Node.Simulate(ctx, c)
	if refused, is := errors.AsType[*coin.RefusedError](err); is {
		w.explain(ctx, c, refused)
		if t.Gas > 0 {
			p.Fails, err = refused, nil
		}
	}
	if err != nil {
		return p, err
	}
	if t.Gas == 0 {
		t.Gas = withReserve(seen.Gas, t.Data)
	}
	held, err := w.Node.AgreedBalances(ctx, node.BalanceQuery{Owner: w.Address, Coin: true})
	p.Transaction, p.Funds = t, held.Coin
	return p, err
}

// explain adds to the refusal of an approval what some tokens, such as USDT, refuse it for:
// they change no allowance but one of 0.
func (w *Wallet) explain(ctx context.Context, c node.Call, refused *coin.RefusedError) {
	words, is := abi.ReadCall(c.Data, abi.Approve, 2)
	if !is || words[1].Uint().Sign() == 0 {
		return
	}
	spender, is := words[0].Address()
	if !is {
		return
	}
	if allowed, err := w.Node.Allowance(ctx, c.To, w.Address, spender); err == nil && allowed.Sign() > 0 {
		refused.Help = "the spender has an allowance already, and the token may refuse to change it: set the allowance to 0 first"
	}
}

// fillPrice completes what a transaction offers for gas.
func fillPrice(fees node.Fees, t *wire.Transaction, legacy bool) {
	maxFee, tip := offer(fees)
	switch {
	case t.MaxFee != nil && (legacy || t.Tip != nil):
	case t.MaxFee == nil && t.Tip == nil:
		t.MaxFee, t.Tip = maxFee, tip
	case t.Tip == nil: // and the network may have none of its own
		t.Tip = new(big.Int)
		if tip != nil && tip.Cmp(t.MaxFee) <= 0 {
			t.Tip = tip
		}
	default:
		t.MaxFee = new(big.Int).Add(maxFee, t.Tip)
	}
}

// CheckFee refuses a transaction that the account cannot pay for (a *coin.ShortageError), and
// one whose fee is so high that it is not paid without the user having seen it.
func (w *Wallet) CheckFee(p Prepared) error {
	fee := p.TotalFee()
	if required := fee.Add(fee, p.Value); p.Funds.Cmp(required) < 0 {
		return &coin.ShortageError{Coin: w.Native.Ticker, Available: w.Native.coins(p.Funds), Required: w.Native.coins(required), ForFee: true}
	}
	if shows(w.Account) {
		return nil
	}
	return w.CheckUnseenFee(p)
}

// CheckUnseenFee refuses a transaction whose fee is too high to be paid without the user having
// seen it, for requests that cannot name a fee.
func (w *Wallet) CheckUnseenFee(p Prepared) error {
	return w.checkUnseenFee(p.fees, p.Transaction, 0, coin.AwaitFee)
}

// Send signs a transaction that is complete but for its nonce, and sends it.
func (w *Wallet) Send(ctx context.Context, t wire.Transaction) (hash [32]byte, err error) {
	if wallet, is := w.Account.(Sender); is {
		hash, _, err = w.sendOutside(ctx, wallet, w.Address, t)
		return hash, err
	}
	turn, err := w.turn(ctx, w.Account, w.Address)
	if err != nil {
		return hash, err
	}
	defer turn.End()
	if t.Nonce, err = w.nextNonce(ctx, w.Address, false); err != nil {
		return hash, err
	}
	raw, err := w.signNext(ctx, w.Account, w.Address, t)
	if err != nil {
		return hash, err
	}
	hash = wire.Hash(raw)
	return hash, w.submit(ctx, turn, t.Nonce, raw)
}

// CanDeploy fails with key.ErrUnsupported for accounts that cannot make contracts.
func CanDeploy(account key.Account) error {
	if shows(account) {
		return fmt.Errorf("%s %w: it does not deploy contracts", account.Policy(), key.ErrUnsupported)
	}
	return nil
}
