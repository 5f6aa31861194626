package tx

import (
	"context"
	"errors"
	"fmt"
	"math/big"

	"obverse/core/key"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/wire"
)

// Nodes replace a transaction if the new one offers a tenth more (geth's txpool.pricebump).
// Some nodes require an eighth more.
const bumpNumer, bumpDenom = 9, 8

var (
	errOtherAccount  = errors.New("sent from another address")
	errOtherCoin     = errors.New("does not send this coin")
	errNotReplaced   = errors.New("already in a block, or another transaction of the account has its nonce")
	errOtherNetwork  = errors.New("for another network")
	errDeployReplace = errors.New("creates a contract")
)

// Replace makes a transaction that replaces a pending one, see coin.Replacer.
func (w *Wallet) Replace(ctx context.Context, asset Asset, raw []byte, cancel bool) (coin.Transaction, error) {
	if _, sends := w.Account.(Sender); sends {
		return coin.Transaction{}, fmt.Errorf("%s %w: the wallet sends every transaction that it signs", w.Account.Policy(), key.ErrUnsupported)
	}
	t, sent, err := w.replaced(asset, raw)
	if err != nil {
		return coin.Transaction{}, err
	}
	if cancel {
		t.to, t.units = w.Address, new(big.Int)
		sent.To, sent.Value, sent.Data = w.Address, new(big.Int), nil
	}
	next, err := w.outbid(ctx, sent, cancel)
	if err != nil {
		return coin.Transaction{}, err
	}
	signed, err := sign(ctx, w.Account, w.Address, next.Transaction)
	if err != nil {
		return coin.Transaction{}, err
	}
	return w.result(w.Address, t, draft{Prepared: next, units: t.units}, wire.Hash(signed), signed), nil
}

// replaced decodes a transaction of the account that sends a coin.
func (w *Wallet) replaced(asset Asset, raw []byte) (transfer, wire.Transaction, error) {
	t := transfer{asset: asset}
	sent, err := wire.Decode(raw)
	switch {
	case err != nil:
	case sent.ChainID == nil || !sent.ChainID.IsUint64() || sent.ChainID.Uint64() != w.ChainID:
		err = errOtherNetwork
	case sent.From != w.Address:
		err = errOtherAccount
	case sent.To == nil:
		err = errDeployReplace
	default:
		if t.to, t.units, err = moved(asset, *sent.To, sent.Value, sent.Data); err == nil {
			return t, wire.Transaction{ChainID: w.ChainID, Nonce: sent.Nonce, MaxFee: sent.MaxFee, Tip: sent.Tip, Gas: sent.Gas, To: *sent.To, Value: sent.Value, Data: sent.Data}, nil
		}
	}
	return t, wire.Transaction{}, invalid(coin.FieldRaw, err)
}

// moved returns the recipient and the amount of a coin that a transaction sends.
func moved(asset Asset, to address.Address, value *big.Int, data []byte) (address.Address, *big.Int, error) {
	if asset.Contract == nil {
		return to, value, nil
	}
	receiver, units, is := abi.ReadTransfer(data)
	if !is || to != *asset.Contract {
		return to, nil, errOtherCoin
	}
	return receiver, units, nil
}

// outbid returns a transaction with a fee for which nodes replace the previous one. It checks that
// the account can pay it.
func (w *Wallet) outbid(ctx context.Context, t wire.Transaction, cancel bool) (p Prepared, err error) {
	counts, err := w.Node.Nonces(ctx, w.Address)
	if err != nil {
		return p, err
	}
	if counts.Spent > t.Nonce {
		return p, invalid(coin.FieldRaw, errNotReplaced)
	}
	c := node.Call{From: w.Address, To: t.To, Value: t.Value, Data: t.Data}
	if p.fees, err = w.Node.Fees(ctx, c); err != nil {
		return p, err
	}
	maxFee, tip := offer(p.fees)
	switch {
	case t.Tip != nil && tip != nil:
		t.Tip = higher(t.Tip, tip)
	case t.Tip != nil:
		t.Tip = bumped(t.Tip)
	}
	t.MaxFee = higher(t.MaxFee, maxFee)
	if cancel {
		simulation, err := w.Node.Simulate(ctx, c)
		if err != nil {
			return p, err
		}
		t.Gas = simulation.Gas
	}
	held, err := w.Node.AgreedBalances(ctx, node.BalanceQuery{Owner: w.Address, Coin: true})
	if err != nil {
		return p, err
	}
	p.Transaction, p.Funds = t, held.Coin
	return p, w.affords(p)
}

// bumped returns the lowest price that replaces another one, rounded up.
func bumped(price *big.Int) *big.Int {
	more := new(big.Int).Mul(price, big.NewInt(bumpNumer))
	more.Add(more, big.NewInt(bumpDenom-1)).Div(more, big.NewInt(bumpDenom))
	return more.Add(more, big.NewInt(1)) // adds 1, so that 0 is raised too
}

// higher returns the current price, or more if the previous price requires it.
func higher(before, now *big.Int) *big.Int {
	if minimum := bumped(before); now.Cmp(minimum) < 0 {
		return minimum
	}
	return now
}
