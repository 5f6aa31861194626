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

// Prepared is a transaction with gas and prices.
type Prepared struct {
	wire.Transaction
	// Fails is the error that the network reports for the transaction; nil means that it would
	// succeed.
	Fails error
	// Funds is the account's balance of the coin that pays fees.
	Funds *big.Int

	fees node.Fees
}

// TotalFee returns the highest fee of the transaction, including the data fee of a rollup.
func (p Prepared) TotalFee() *big.Int { return totalFee(p.Transaction, p.fees.Beyond(p.Gas)) }

// BelowBaseFee reports whether the transaction offers less than the current base fee.
func (p Prepared) BelowBaseFee() bool {
	return p.fees.BaseFee != nil && p.MaxFee.Cmp(p.fees.BaseFee) < 0
}

// Prepare sets the gas and the price if a transaction of another program lacks them: a Gas of
// 0, or a nil MaxFee or Tip. With legacy, a transaction with only a MaxFee remains a legacy
// one. The error is a *coin.RefusedError if the gas is unknown because the transaction would
// fail.
func (w *Wallet) Prepare(ctx context.Context, t wire.Transaction, legacy bool) (p Prepared, err error) {
	c := node.Call{From: w.Address, To: t.To, Deploys: t.Deploys, Value: t.Value, Data: t.Data}
	if p.fees, err = w.Node.Fees(ctx, c); err != nil {
		return p, err
	}
	fillPrice(p.fees, &t, legacy)
	simulation, err := w.Node.Simulate(ctx, c)
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
		t.Gas = withReserve(simulation.Gas, t.Data)
	}
	held, err := w.Node.AgreedBalances(ctx, node.BalanceQuery{Owner: w.Address, Coin: true})
	p.Transaction, p.Funds = t, held.Coin
	return p, err
}

// explain adds a hint to the refusal of an approval. Some tokens, such as USDT, change an allowance
// only if it is 0.
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

// fillPrice sets the missing prices of a transaction.
func fillPrice(fees node.Fees, t *wire.Transaction, legacy bool) {
	maxFee, tip := offer(fees)
	switch {
	case t.MaxFee != nil && (legacy || t.Tip != nil):
	case t.MaxFee == nil && t.Tip == nil:
		t.MaxFee, t.Tip = maxFee, tip
	case t.Tip == nil: // the network may have no base fee
		t.Tip = new(big.Int)
		if tip != nil && tip.Cmp(t.MaxFee) <= 0 {
			t.Tip = tip
		}
	default:
		t.MaxFee = new(big.Int).Add(maxFee, t.Tip)
	}
}

// CheckFee rejects a transaction that the account cannot pay for (a *coin.ShortageError), and a
// transaction with a fee that is too high to be paid without the user having seen it.
func (w *Wallet) CheckFee(p Prepared) error {
	if err := w.affords(p); err != nil || shows(w.Account) {
		return err
	}
	return w.CheckUnseenFee(p)
}

// affords returns an error if the account cannot pay for a transaction.
func (w *Wallet) affords(p Prepared) error {
	return w.Native.funds(p.Funds).PayFee(new(big.Int).Add(p.Value, p.TotalFee()))
}

// CheckUnseenFee rejects a transaction with a fee that is too high to be paid without the user
// having seen it, for requests in which the user cannot set a fee. A price that the program
// chose is compared with the nodes' price.
func (w *Wallet) CheckUnseenFee(p Prepared) error {
	price, _ := offer(p.fees)
	return w.checkUnseenFee(p.fees, p.Transaction, 0, price, coin.AwaitFee)
}

// Send signs a transaction that is complete except for its nonce, and sends it.
func (w *Wallet) Send(ctx context.Context, t wire.Transaction) (hash [32]byte, err error) {
	if wallet, is := w.Account.(Sender); is {
		hash, _, err = w.sendOutside(ctx, wallet, w.Address, t)
		return hash, err
	}
	_, err = w.Queue.Execute(ctx, w.named(w.Address), shows(w.Account), func(ctx context.Context) (n coin.Numbered, err error) {
		if n.Number, err = w.nextNonce(ctx, w.Address, false); err != nil {
			return n, err
		}
		t.Nonce = n.Number
		if n.Raw, err = w.signNext(ctx, w.self(), t); err != nil {
			return n, err
		}
		hash = wire.Hash(n.Raw)
		n.Hash = nameOf(hash)
		return n, nil
	}, w.submit)
	return hash, err
}

// CanDeploy returns key.ErrUnsupported for accounts that cannot create contracts.
func CanDeploy(account key.Account) error {
	if shows(account) {
		return fmt.Errorf("%s %w: the wallet does not deploy contracts", account.Policy(), key.ErrUnsupported)
	}
	return nil
}
