package tx

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"math/bits"
	"strings"

	"obverse/core/number"
	"obverse/core/wallet/coin"
)

// price returns the fee, chosen by the user or found by a simulation, and the sequence after
// the transactions that wait for a block, or 0 if it is unknown. It always simulates, to find
// out whether the chain would execute the transaction before a fee is lost.
func (w *Wallet) price(ctx context.Context, from sender, t transfer, s state, units *big.Int) (f fee, pending uint64, err error) {
	used, pending, err := w.simulate(ctx, from, t, s, units)
	chosen, isChosen := t.fee.(coin.CosmosGas)
	switch {
	case errors.Is(err, ErrNoSimulation):
		f.gas = t.usualGas()
	case err != nil:
		return f, 0, err
	case isChosen && chosen.Limit > 0 && used > chosen.Limit:
		return f, 0, invalid(coin.FieldFee, &coin.GasLimitError{Limit: chosen.Limit, Used: used})
	default:
		f.gas = gasLimit(used)
	}
	rate := w.Chain.GasPrice
	if isChosen {
		f.gas, rate = cmp.Or(chosen.Limit, f.gas), chosen.Price
	}
	f.units = feeUnits(f.gas, rate)
	if isChosen && chosen.Limit > 0 || shows(from.Account) {
		return f, pending, nil
	}
	return f, pending, w.Chain.checkUnseen(f.units, t.usualGas(), rate)
}

// usualGas returns the gas that a transaction of this kind usually uses at most.
func (t transfer) usualGas() uint64 {
	switch {
	case t.stake != nil:
		return StakeGas
	case t.channel != nil:
		return IBCGas
	}
	return TransferGas
}

// checkUnseen rejects a fee that is much higher than usual, which may result from wrong or
// malicious nodes.
func (c Chain) checkUnseen(fee *big.Int, usualGas uint64, rate number.Rational) error {
	usual := c.Native.coins(feeUnits(usualGas, rate))
	return coin.CheckUnseenFee(c.Native.Ticker, c.Native.coins(fee), coin.FeeLimit(&usual), coin.NameFee)
}

// UnusualFee reports whether a fee is higher than the fee of any usual transaction.
func (c Chain) UnusualFee(fee *big.Int) bool { return c.checkUnseen(fee, StakeGas, c.GasPrice) != nil }

// simulate returns the gas that the transaction uses, and the sequence after the transactions that
// wait for a block. The amount of the fee does not matter, but a fee must be set.
func (w *Wallet) simulate(ctx context.Context, from sender, t transfer, s state, units *big.Int) (gas, pending uint64, err error) {
	trial := fee{TransferGas, big.NewInt(1)}
	all := t.stake.pays() && w.native(t) && units.Cmp(s.funds.Units) >= 0
	switch {
	case all && t.units == nil && s.funds.Units.Cmp(trial.units) > 0:
		units = new(big.Int).Sub(units, trial.units)
	case all, s.funds.Units.Sign() == 0:
		trial.units = new(big.Int)
	}
	// Nodes simulate on top of transactions that wait for a block, and may lack those that were
	// sent a moment ago.
	pending = w.Queue.After(w.named(from.address.String()), s.Sequence)
	for tries := 1; ; tries++ {
		gas, err := w.Node.Simulate(ctx, w.draft(from, t, s, units, trial, pending).Unsigned(from.public))
		var answer *AnswerError
		switch {
		case err == nil:
			return gas, pending, nil
		case !errors.As(err, &answer):
			return 0, 0, err
		case answer.Sequence == nil || tries == maxSubmissions:
			return 0, 0, w.refusal(t, answer)
		}
		pending = *answer.Sequence
	}
}

// refusal returns the error for a transaction that the chain would not execute.
func (w *Wallet) refusal(t transfer, answer *AnswerError) error {
	if short := asShortage(answer.Log, t.asset, w.Chain.Native); short != nil {
		return short
	}
	if strings.Contains(answer.Log, "memo too large") {
		return invalid(coin.FieldMemo, errors.New(answer.Log))
	}
	if t.channel != nil && (strings.Contains(answer.Log, "client is not active") || strings.Contains(answer.Log, "invalid channel state")) {
		return &coin.ChannelError{Channel: *t.channel, Reason: answer.Log}
	}
	return w.Chain.refused(answer.Verdict, "", 0)
}

// TransferFee returns the current fee of a plain transfer of a coin of the chain, in whole native
// coins, and its gas. It simulates a transfer of the whole balance. If that is zero, it returns the
// usual gas and its fee.
func (w *Wallet) TransferFee(ctx context.Context, asset Asset) (number.Rational, uint64, error) {
	t := transfer{asset: asset, to: w.Address}
	from, err := w.sender(ctx, nil)
	if err != nil {
		return number.Rational{}, 0, err
	}
	s, err := w.read(ctx, from, t)
	if err != nil {
		return number.Rational{}, 0, err
	}
	f := fee{TransferGas, feeUnits(TransferGas, w.Chain.GasPrice)}
	if s.balance.Units.Sign() > 0 {
		if f, _, err = w.price(ctx, from, t, s, s.balance.Units); err != nil {
			return number.Rational{}, 0, err
		}
	}
	return w.Chain.Native.coins(f.units), f.gas, nil
}

// Gas limits for chains on which no node simulates.
const (
	TransferGas = 125_000
	IBCGas      = 150_000
)

// The gas limit is the simulated gas times marginNumer/marginDenom, since other transactions
// may change the state so that more is needed.
const (
	marginNumer = 13
	marginDenom = 10
)

// DefaultGasPrice is the gas price of chains for which no entry has one, as in Komodo DeFi
// Framework.
const DefaultGasPrice = "0.25"

// ErrGasPrice means that a gas price is negative.
var ErrGasPrice = errors.New("a gas price cannot be negative")

// GasPrice returns the price of a unit of gas in units of the chain's denom, which is the price
// in the coins file or otherwise the default.
func GasPrice(configured json.Number) (number.Rational, error) {
	text := configured.String()
	if text == "" {
		text = DefaultGasPrice
	}
	price, err := number.ParseRational(text)
	if err == nil && price.Sign() < 0 {
		err = ErrGasPrice
	}
	return price, err
}

// gasLimit adds the margin to simulated gas, rounded up.
func gasLimit(used uint64) uint64 {
	high, low := bits.Mul64(used, marginNumer)
	if high >= marginDenom { // more than 64 bits
		return math.MaxUint64
	}
	limit, rest := bits.Div64(high, low, marginDenom)
	if rest > 0 && limit < math.MaxUint64 {
		limit++
	}
	return limit
}

// feeUnits returns the fee for a gas limit, rounded up.
func feeUnits(limit uint64, price number.Rational) *big.Int {
	cost := price.Mul(number.Scaled(new(big.Int).SetUint64(limit), 0))
	units, rest := new(big.Int).DivMod(cost.Numer(), cost.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		units.Add(units, big.NewInt(1))
	}
	return units
}
