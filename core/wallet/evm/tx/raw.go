package tx

import (
	"context"
	"fmt"

	"obverse/core/key"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/wire"
)

// SignRaw implements coin.RawSigner. The transaction has the next nonce, which is not reserved.
func (w *Wallet) SignRaw(ctx context.Context, u coin.UnsignedTransaction) (raw []byte, fee coin.Fee, err error) {
	if _, sends := w.Account.(Sender); sends {
		return nil, fee, fmt.Errorf("%s %w: the wallet sends every transaction that it signs", w.Account.Policy(), key.ErrUnsupported)
	}
	t, err := w.unsigned(u)
	if err != nil {
		return nil, fee, err
	}
	c := node.Call{From: w.Address, To: t.To, Deploys: t.Deploys, Value: t.Value, Data: t.Data}
	if err := checkGas(t.Gas, node.Call{}); err != nil { // the call is not simulated
		return nil, fee, invalid(coin.FieldFee, err)
	}
	if t.Deploys {
		if err := CanDeploy(w.Account); err != nil {
			return nil, fee, err
		}
	}
	fees, err := w.Node.Fees(ctx, c)
	if err != nil {
		return nil, fee, err
	}
	if t.MaxFee == nil {
		t.MaxFee, t.Tip = offer(fees)
		if !shows(w.Account) {
			if err := w.checkUnseenFee(fees, t, t.Gas, t.MaxFee, coin.NameFee); err != nil {
				return nil, fee, err
			}
		}
	} else if err := checkFeeCap(fees, t.MaxFee); err != nil {
		return nil, fee, err
	}
	if t.Nonce, err = w.nextNonce(ctx, w.Address, false); err != nil {
		return nil, fee, err
	}
	raw, err = w.signNext(ctx, w.self(), t)
	return raw, FeeOf(t, fees.Beyond(t.Gas), w.Native), err
}

// unsigned converts the transaction.
func (w *Wallet) unsigned(u coin.UnsignedTransaction) (t wire.Transaction, err error) {
	t = wire.Transaction{ChainID: w.ChainID, Deploys: u.To == "", Data: u.Data, Gas: u.Gas}
	if u.To != "" {
		if t.To, err = address.ParseOn(w.ChainID, u.To); err != nil {
			return t, invalid(coin.FieldTo, err)
		}
	}
	if t.Value, err = Units(u.Value, w.Native.Decimals); err != nil {
		return t, invalid(coin.FieldAmount, err)
	}
	f, err := feeOf(u.Fee)
	t.MaxFee, t.Tip = f.maxFee, f.tip
	return t, err
}
