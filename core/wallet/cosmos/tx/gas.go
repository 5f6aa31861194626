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

// price sets the gas and the fee, as the user chose or by a simulation. It always simulates, to
// find out before a fee is lost whether the chain would execute the transaction.
func (p *plan) price(ctx context.Context) error {
	used, err := p.simulate(ctx)
	chosen, isChosen := p.request.Fee.(coin.CosmosGas)
	switch {
	case errors.Is(err, ErrNoSimulation):
		p.gas = p.usualGas()
	case err != nil:
		return err
	case isChosen && chosen.Limit > 0 && used > chosen.Limit:
		return invalid(coin.FieldFee, &coin.GasLimitError{Limit: chosen.Limit, Used: used})
	default:
		p.gas = gasLimit(used)
	}
	rate := p.Chain.GasPrice
	if isChosen {
		p.gas, rate = cmp.Or(chosen.Limit, p.gas), chosen.Price
	}
	p.fee = feeUnits(p.gas, rate)
	if isChosen && chosen.Limit > 0 || shows(p.account) {
		return nil
	}
	return p.Chain.checkUnseen(p.fee, p.usualGas(), rate)
}

// usualGas returns the gas that a transaction of this kind may use.
func (p *plan) usualGas() uint64 {
	switch {
	case p.stake != nil:
		return StakeGas
	case p.channel != nil:
		return IBCGas
	}
	return TransferGas
}

// checkUnseen rejects a fee that is much more than usual, as from nodes that are wrong or
// malicious.
func (c Chain) checkUnseen(fee *big.Int, usualGas uint64, rate number.Rational) error {
	usual := c.Native.coins(feeUnits(usualGas, rate))
	return coin.CheckUnseenFee(c.Native.Ticker, c.Native.coins(fee), coin.FeeLimit(&usual), coin.NameFee)
}

// UnusualFee reports whether a fee is more than any usual transaction costs.
func (c Chain) UnusualFee(fee *big.Int) bool { return c.checkUnseen(fee, StakeGas, c.GasPrice) != nil }

// simulate returns the gas that the transaction uses, and sets the number of transactions that wait
// for a block. The amount of the fee does not matter, but a fee must be set.
func (p *plan) simulate(ctx context.Context) (uint64, error) {
	trial, minFee := *p, big.NewInt(1)
	trial.gas, trial.fee = TransferGas, minFee
	all := p.pays() && p.native() && p.units.Cmp(p.funds) >= 0
	switch {
	case all && p.request.Max && p.funds.Cmp(minFee) > 0:
		trial.units = new(big.Int).Sub(p.units, minFee)
	case all, p.funds.Sign() == 0:
		trial.fee = new(big.Int)
	}
	// Nodes simulate on top of transactions that wait for a block, and may lack those that were
	// sent a moment ago.
	trial.sequence = p.Queue.After(p.named(p.from.String()), p.spent)
	for tries := 1; ; tries++ {
		used, err := p.Node.Simulate(ctx, trial.draft().Unsigned(p.public))
		var answer *AnswerError
		if !errors.As(err, &answer) {
			if err == nil {
				p.pending = trial.sequence
			}
			return used, err
		}
		if answer.Sequence == nil || tries == maxSubmissions {
			return 0, p.refusal(answer)
		}
		trial.sequence = *answer.Sequence
	}
}

// refusal returns the error for a transaction that the chain would not execute.
func (p *plan) refusal(answer *AnswerError) error {
	if short := asShortage(answer.Log, p.asset, p.Chain.Native); short != nil {
		return short
	}
	if strings.Contains(answer.Log, "memo too large") {
		return invalid(coin.FieldMemo, errors.New(answer.Log))
	}
	if p.channel != nil && (strings.Contains(answer.Log, "client is not active") || strings.Contains(answer.Log, "invalid channel state")) {
		return &coin.ChannelError{Channel: *p.channel, Reason: answer.Log}
	}
	return p.Chain.refused(answer.Verdict, "", 0)
}

// TransferFee returns the current fee of a plain transfer of a coin of the chain, in whole native
// coins, and its gas. It simulates a transfer of the whole balance. If that is zero, it returns the
// usual gas and its fee.
func (w *Wallet) TransferFee(ctx context.Context, asset Asset) (fee number.Rational, gas uint64, err error) {
	p, err := w.plan(ctx, asset, coin.WithdrawRequest{To: w.Address.String(), Max: true}, nil)
	if err != nil {
		return fee, 0, err
	}
	err = p.fetchState(ctx)
	if err == nil {
		err = p.price(ctx)
	}
	if errors.Is(err, coin.ErrZeroBalance) {
		p.gas, p.fee, err = TransferGas, feeUnits(TransferGas, w.Chain.GasPrice), nil
	}
	return w.Chain.Native.coins(p.fee), p.gas, err
}

// Gas limits when no node simulates.
const (
	TransferGas = 125_000
	IBCGas      = 150_000
)

// The limit is the simulated gas times marginNumer/marginDenom: it may need more after changes of
// the state by others.
const (
	marginNumer = 13
	marginDenom = 10
)

// DefaultGasPrice is the gas price of chains for which no entry has one, as in Komodo DeFi
// Framework.
const DefaultGasPrice = "0.25"

// ErrGasPrice means that a gas price is negative.
var ErrGasPrice = errors.New("a gas price cannot be negative")

// GasPrice returns the price of a unit of gas in units of the chain's denom: that of the coins
// file, or the default.
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
	cost := price.Mul(rational(new(big.Int).SetUint64(limit)))
	units, rest := new(big.Int).DivMod(cost.Numer(), cost.Denom(), new(big.Int))
	if rest.Sign() > 0 {
		units.Add(units, big.NewInt(1))
	}
	return units
}

// rational converts an integer.
func rational(n *big.Int) number.Rational {
	r, err := number.Ratio(n, big.NewInt(1))
	if err != nil { // cannot happen: the denominator is 1
		return number.Int(0)
	}
	return r
}

func powerOfTen(decimals uint8) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
}

// toUnits converts coins to units of a denom. Its error is number.ErrPrecision.
func toUnits(coins number.Rational, decimals uint8) (*big.Int, error) {
	units := coins.Mul(rational(powerOfTen(decimals)))
	if units.Denom().Cmp(big.NewInt(1)) != 0 {
		return nil, number.ErrPrecision
	}
	return units.Numer(), nil
}
