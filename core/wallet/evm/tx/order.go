package tx

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"obverse/core/key"
	"obverse/core/wallet/coin"
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
}

// Prepare finds out the gas and the price that a transaction of another program leaves
// open: a Gas of 0, a MaxFee or a Tip of nil. One with a MaxFee alone has one price if
// legacy is set. The error is a *coin.RefusedError if its gas is unknown because it would fail.
func (w *Wallet) Prepare(ctx context.Context, t wire.Transaction, legacy bool) (p Prepared, err error) {
	if err := w.fillPrice(ctx, &t, legacy); err != nil {
		return p, err
	}
	gas, err := w.Node.EstimateGas(ctx, node.Call{From: w.Address, To: t.To, Deploys: t.Deploys, Value: t.Value, Data: t.Data})
	if refused, is := errors.AsType[*coin.RefusedError](err); is && t.Gas > 0 {
		p.Fails, err = refused, nil
	}
	if err != nil {
		return p, err
	}
	if t.Gas == 0 {
		t.Gas = withReserve(gas, t.Data)
	}
	seen, err := w.Node.AgreedBalances(ctx, node.BalanceQuery{Owner: w.Address, Coin: true})
	p.Transaction, p.Funds = t, seen.Coin
	return p, err
}

// fillPrice finds out what a transaction offers for gas.
func (w *Wallet) fillPrice(ctx context.Context, t *wire.Transaction, legacy bool) error {
	if t.MaxFee != nil && (legacy || t.Tip != nil) {
		return nil
	}
	fees, err := w.Node.Fees(ctx)
	if err != nil {
		return err
	}
	maxFee, tip := offer(fees)
	switch {
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
	return nil
}

// CheckFee refuses a transaction that the account cannot pay for (a *coin.ShortageError), and
// one whose fee is so high that it is not paid without anybody having seen it.
func (w *Wallet) CheckFee(p Prepared) error {
	fee := p.Fee()
	if required := new(big.Int).Add(fee, p.Value); p.Funds.Cmp(required) < 0 {
		return &coin.ShortageError{Coin: w.Native.Ticker, Available: w.Native.coins(p.Funds), Required: w.Native.coins(required), ForFee: true}
	}
	if Unseen(fee) && !shows(w.Account) {
		return invalidf(coin.FieldFee, "by what the nodes tell it may be %s %s, and more than %s is not sent at once",
			w.Native.coins(fee), w.Native.Ticker, w.Native.coins(big.NewInt(mostUnseen)))
	}
	return nil
}

// Unseen reports whether a fee is so high that it is not paid without anybody having seen it.
func Unseen(fee *big.Int) bool { return fee.Cmp(big.NewInt(mostUnseen)) > 0 }

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
