package trading

import (
	"context"
	"errors"
	"fmt"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/number"
	"obverse/core/rpc"
	"obverse/core/swap"
	"obverse/core/wallet/coin"
)

// Volumes is the area of the methods that return how much of a coin can be offered.
type Volumes struct {
	Active *coin.Active
	Ledger *swap.Ledger
}

// Methods implements Area.
func (v Volumes) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("max_maker_vol", rpc.Doc{Reads: true,
			Summary: "Return the maximum volume of a maker order",
			Detail: "The volume is the balance minus the amount locked by swaps in progress and the fee of the payment transaction. " +
				"If another coin pays the fee, its balance must cover the fee.",
			Category: categorySwaps,
		}, v.maker).Raises(wire.Kinds(mmerr.NoSuchCoin, mmerr.NotSufficientBalance, mmerr.BaseCoinShortage, mmerr.Transport, mmerr.TransactionRefused, mmerr.PrivKeyNotAllowed)...),
	}
}

type makerVolumeParams struct {
	Coin string `json:"coin" doc:"ticker of an active coin"`
}

type makerVolume struct {
	Coin    string         `json:"coin" doc:"ticker as in the request"`
	Volume  NumericFormats `json:"volume" doc:"maximum volume, in whole coins"`
	Balance NumericFormats `json:"balance" doc:"spendable balance"`
	Locked  NumericFormats `json:"locked_by_swaps" doc:"part of the balance that swaps in progress still need"`
}

func (v Volumes) maker(ctx context.Context, p makerVolumeParams) (makerVolume, error) {
	active, err := v.Active.Get(p.Coin)
	if err != nil {
		return makerVolume{}, wire.NoSuchCoin(err, p.Coin)
	}
	balancer, has := active.(coin.Balancer)
	estimator, estimates := active.(coin.Estimator)
	if !has || !estimates {
		return makerVolume{}, wire.Unable(p.Coin, "cannot be offered in orders")
	}
	balance, err := balancer.Balance(ctx)
	if err != nil {
		return makerVolume{}, volumeFailure(err)
	}
	cost, err := estimator.SpendingCost(ctx)
	if err != nil {
		return makerVolume{}, volumeFailure(err)
	}
	locked := v.Ledger.Locked(coin.Canonical(p.Coin))
	available := left(balance.Spendable, locked)
	volume := available
	sameCoin := coin.Canonical(cost.Fee.Coin) == coin.Canonical(p.Coin)
	required := cost.MinAmount
	if sameCoin {
		volume, required = available.Sub(cost.Fee.Amount), required.Add(cost.Fee.Amount)
	}
	if volume.Cmp(cost.MinAmount) < 0 {
		return makerVolume{}, mmerr.NotSufficientBalance.New(shortage(p.Coin, available, required, locked),
			fmt.Sprintf("Not enough %s for swap: available %s, required at least %s, locked by swaps %s", wire.Clip(p.Coin), available, required, lockedText(locked)))
	}
	if !sameCoin {
		if err := v.payable(cost); err != nil {
			return makerVolume{}, err
		}
	}
	return makerVolume{p.Coin, NumericFormats(volume.Formats()), NumericFormats(balance.Spendable.Formats()), NumericFormats(locked.Formats())}, nil
}

// payable returns an error unless the balance of the coin that pays the fee is sufficient.
func (v Volumes) payable(cost coin.SpendingCost) error {
	base := cost.Fee.Coin
	locked := v.Ledger.Locked(coin.Canonical(base))
	available := left(cost.Funds, locked)
	if available.Cmp(cost.Fee.Amount) >= 0 {
		return nil
	}
	return mmerr.BaseCoinShortage.New(shortage(base, available, cost.Fee.Amount, locked),
		fmt.Sprintf("Not enough base coin %s balance for swap: available %s, required at least %s, locked by swaps %s",
			base, available, cost.Fee.Amount, lockedText(locked)))
}

// left returns the part of a balance that swaps do not lock. Swaps may lock more than the
// balance.
func left(balance, locked number.Rational) number.Rational {
	if rest := balance.Sub(locked); rest.Sign() > 0 {
		return rest
	}
	return number.Int(0)
}

// shortage returns the data of an error. It contains the locked amount only if that is not
// zero.
func shortage(ticker string, available, required, locked number.Rational) mmerr.Shortage {
	s := mmerr.Shortage{Coin: ticker, Available: available.String(), Required: required.String()}
	if !locked.IsZero() {
		s.Locked = locked.String()
	}
	return s
}

// lockedText returns the locked amount in Komodo DeFi Framework's format, which is that of a
// Rust option.
func lockedText(locked number.Rational) string {
	if locked.IsZero() {
		return "None"
	}
	return fmt.Sprintf("Some(BigDecimal(%q))", locked.String())
}

func volumeFailure(err error) error {
	if errors.Is(err, coin.ErrTransport) {
		return mmerr.Transport.From(err, err.Error(), "Transport error: "+err.Error())
	}
	return wire.SendingFailure(err)
}
