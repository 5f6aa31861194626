package tx

import (
	"cmp"
	"context"
	"errors"
	"math/big"
	"strings"

	"obverse/core/number"
	"obverse/core/wallet/coin"
)

// price decides on the gas and the fee: as the user says, or by a simulation. A
// simulation is made anyway: it tells before a fee is lost that the chain would not do
// what is asked.
func (p *plan) price(ctx context.Context) error {
	used, err := p.simulate(ctx)
	chosen, own := p.request.Fee.(coin.CosmosGas)
	switch {
	case errors.Is(err, ErrNoSimulation):
		p.gas = p.usualGas()
	case err != nil:
		return err
	case own && chosen.Limit > 0 && used > chosen.Limit:
		return invalid(coin.FieldFee, &coin.GasLimitError{Limit: chosen.Limit, Used: used})
	default:
		p.gas = gasLimit(used)
	}
	rate := p.Chain.GasPrice
	if own {
		p.gas, rate = cmp.Or(chosen.Limit, p.gas), chosen.Price
	}
	p.fee = feeUnits(p.gas, rate)
	if own && chosen.Limit > 0 || shows(p.account) {
		return nil
	}
	return p.Chain.checkUnseen(p.fee, p.usualGas(), rate)
}

// usualGas is what a transaction of this kind may use.
func (p *plan) usualGas() uint64 {
	switch {
	case p.stake != nil:
		return StakeGas
	case p.channel != nil:
		return IBCGas
	}
	return TransferGas
}

// checkUnseen refuses a fee that is much more than usual, of nodes that are mistaken, or lie.
func (c Chain) checkUnseen(fee *big.Int, usualGas uint64, rate number.Rational) error {
	usual := c.Native.coins(feeUnits(usualGas, rate))
	return coin.CheckUnseenFee(c.Native.Ticker, c.Native.coins(fee), coin.FeeLimit(&usual), coin.NameFee)
}

// UnusualFee reports whether a fee is more than any usual transaction costs.
func (c Chain) UnusualFee(fee *big.Int) bool { return c.checkUnseen(fee, StakeGas, c.GasPrice) != nil }

// simulate reports how much gas the transaction uses, and finds how many transactions wait
// for a block. What a fee is does not matter, but that there is one does.
func (p *plan) simulate(ctx context.Context) (uint64, error) {
	trial, least := *p, big.NewInt(1)
	trial.gas, trial.fee = TransferGas, least
	all := p.pays() && p.native() && p.units.Cmp(p.funds) >= 0
	switch {
	case all && p.request.Max && p.funds.Cmp(least) > 0:
		trial.units = new(big.Int).Sub(p.units, least)
	case all, p.funds.Sign() == 0:
		trial.fee = new(big.Int)
	}
	// Nodes simulate with what waits for a block, and may lack what was sent a moment ago.
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

// refusal says what it means that the chain does not do what is asked.
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

// TransferFee is what a plain transfer of a coin of the chain costs now, in whole native
// coins, and its gas. It is simulated with all that the account holds; if that is
// nothing, it is what a transfer may cost.
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
