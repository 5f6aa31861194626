package wallet

import (
	"errors"

	"obverse/core/chain/params"
	"obverse/core/chain/wire"
)

// Amounts of payments, in satoshis [komodod wallet/wallet.h, main.h, primitives/transaction.h].
const (
	minPayFee = 5_000      // minimum fee of a payment
	maxPayFee = 10_000_000 // maximum automatic fee of a payment
	feeRate   = 1_000      // per 1000 bytes
	relayRate = 100
	cent      = 1_000_000 // minimum change that a choice of coins leaves, if possible
)

// Recipient is an output of a payment.
type Recipient struct {
	Script  []byte
	Amount  int64
	PaysFee bool // whether the fee is taken from the amount
}

// Candidate is a coin that a payment may spend.
type Candidate struct {
	Coin
	Depth  int
	FromMe bool // whether it is change of a payment of the wallet
}

// Payment builds a payment like komodod's wallet [komodod wallet/wallet.cpp CreateTransaction,
// FundTransaction]. It chooses the same coins wherever the rules determine the choice, the same
// position of the change and the same fee.
type Payment struct {
	Params     *params.Params
	Height     int    // height of the next block
	LockTime   uint32 // lock time of a transaction without Base
	Recipients []Recipient
	Base       *wire.Tx // transaction to fund; nil means a new one
	Preset     []Coin   // coins that Base spends, in the order of its inputs
	Candidates []Candidate
	Change     []byte // output script of the change
	FeeRate    int64  // satoshis per 1000 bytes; 0 means komodod's automatic fee
	// Sign sets all scriptSigs, or placeholders of the same size.
	Sign func(tx *wire.Tx, coins []Coin) error
}

// Paid is a payment that was built.
type Paid struct {
	Tx     *wire.Tx
	Fee    int64
	Change int // index of the change, or -1 if there is no change
}

// Errors of Build, with komodod's texts. ErrFunds is one of them.
const (
	ErrNoRecipients  Error = "Transaction amounts must be positive"
	ErrDust          Error = "Transaction amount too small"
	ErrTooLittle     Error = "The transaction amount is too small to pay the fee"
	ErrDustAfterFee  Error = "The transaction amount is too small to send after the fee has been deducted"
	ErrTooLarge      Error = "Transaction too large"
	ErrSigning       Error = "Signing transaction failed"
	errPaymentRounds Error = "the fee of the transaction could not be settled"
)

// FeeError reports that the coins would be sufficient without the fee.
type FeeError struct{ Fee int64 }

func (e *FeeError) Error() string { return string(ErrFunds) }

// Unwrap returns ErrFunds.
func (e *FeeError) Unwrap() error { return ErrFunds }

// maxRounds is the maximum number of times that Build builds a payment with a higher fee.
const maxRounds = 1000

// Build chooses coins and returns the signed transaction. It fails with an Error or a FeeError.
func (p *Payment) Build() (Paid, error) {
	if len(p.Recipients) == 0 || p.total() < 0 {
		return Paid{}, ErrNoRecipients
	}
	fee := int64(0)
	for range maxRounds {
		paid, size, err := p.round(fee)
		if errors.Is(err, ErrFunds) && fee > 0 {
			return Paid{}, &FeeError{fee}
		}
		if err != nil {
			return Paid{}, err
		}
		if size >= p.Params.MaxTxSize(p.Height) {
			return Paid{}, ErrTooLarge
		}
		needed := p.fee(size)
		if fee >= needed {
			return paid, nil
		}
		fee = needed
	}
	return Paid{}, errPaymentRounds
}

func (p *Payment) total() (sum int64) {
	for _, r := range p.Recipients {
		sum += r.Amount
	}
	return sum
}

// payers returns the number of recipients that pay the fee.
func (p *Payment) payers() (n int64) {
	for _, r := range p.Recipients {
		if r.PaysFee {
			n++
		}
	}
	return n
}

// round builds the payment with the given fee.
func (p *Payment) round(fee int64) (paid Paid, size int, err error) {
	tx, err := p.draft(fee)
	if err != nil {
		return paid, 0, err
	}
	target := p.total()
	if p.payers() == 0 {
		target += fee
	}
	coins, err := p.choose(target)
	if err != nil {
		return paid, 0, err
	}
	for _, c := range coins[len(p.Preset):] {
		tx.Inputs = append(tx.Inputs, wire.TxIn{PrevOut: c.Out, Sequence: finalSequence - 1})
	}
	paid = Paid{Tx: tx, Fee: fee, Change: -1}
	if change := value(coins) - target; change > 0 {
		p.addChange(&paid, change)
	}
	if err := p.Sign(tx, coins); err != nil {
		return paid, 0, err
	}
	return paid, len(tx.Encode()), nil
}

// draft returns the transaction with the outputs of the recipients.
func (p *Payment) draft(fee int64) (*wire.Tx, error) {
	tx := &wire.Tx{}
	if p.Base != nil {
		copied := *p.Base
		tx = &copied
		tx.Inputs = append([]wire.TxIn(nil), p.Base.Inputs...)
	} else {
		format := p.Params.TxFormat(p.Height)
		tx.Overwintered, tx.Version, tx.VersionGroupID = format.Overwintered, format.Version, format.VersionGroupID
		tx.ExpiryHeight, tx.LockTime = p.Params.TxExpiry(p.Height), p.LockTime
	}
	tx.Outputs = nil
	payers, first := p.payers(), true
	for _, r := range p.Recipients {
		out := wire.TxOut{Value: r.Amount, Script: r.Script}
		if r.PaysFee {
			out.Value -= fee / payers
			if first {
				out.Value -= fee % payers
				first = false
			}
		}
		if isDust(out) {
			switch {
			case !r.PaysFee || fee == 0:
				return nil, ErrDust
			case out.Value < 0:
				return nil, ErrTooLittle
			}
			return nil, ErrDustAfterFee
		}
		tx.Outputs = append(tx.Outputs, out)
	}
	return tx, nil
}

// addChange adds the change before the last recipient. Change that nodes would not relay is
// added to the fee or, if recipients pay the fee, increased at their cost.
func (p *Payment) addChange(paid *Paid, change int64) {
	out := wire.TxOut{Value: change, Script: p.Change}
	if isDust(out) && p.payers() > 0 {
		raise := dustLimit(out) - change
		for i, r := range p.Recipients {
			if r.PaysFee && paid.Tx.Outputs[i].Value-raise >= dustLimit(paid.Tx.Outputs[i]) {
				paid.Tx.Outputs[i].Value -= raise
				out.Value += raise
				break
			}
		}
	}
	if isDust(out) {
		paid.Fee += change
		return
	}
	paid.Change = len(paid.Tx.Outputs) - 1
	outputs := append([]wire.TxOut(nil), paid.Tx.Outputs[:paid.Change]...)
	paid.Tx.Outputs = append(append(outputs, out), paid.Tx.Outputs[paid.Change:]...)
}

// fee returns the fee of a transaction with the given size.
func (p *Payment) fee(size int) int64 {
	fee := rated(feeRate, size)
	if p.FeeRate > 0 {
		fee = max(rated(p.FeeRate, size), p.FeeRate)
	}
	return max(min(max(fee, rated(relayRate, size)), maxPayFee), minPayFee)
}

func rated(rate int64, size int) int64 {
	if fee := rate * int64(size) / 1000; fee > 0 {
		return fee
	}
	return rate
}

// isDust reports whether an output costs more to spend than a third of its value.
func isDust(out wire.TxOut) bool { return out.Value < dustLimit(out) }

func dustLimit(out wire.TxOut) int64 {
	const spending = 148 // in bytes of an input
	if len(out.Script) > 0 && out.Script[0] == opReturn {
		return 0
	}
	size := 8 + len(wire.AppendVarBytes(nil, out.Script)) + spending
	return 3 * rated(relayRate, size)
}

const opReturn = 0x6a

// choose returns the preset coins and the additional coins that the payment needs.
func (p *Payment) choose(target int64) ([]Coin, error) {
	coins := append([]Coin(nil), p.Preset...)
	need := target - value(p.Preset)
	if need <= 0 && len(p.Preset) > 0 {
		return coins, nil
	}
	for _, depths := range [][2]int{{1, 6}, {1, 1}, {0, 1}} { // minimum depths of change and of other coins
		if chosen, ok := chooseFrom(p.Candidates, need, depths[0], depths[1]); ok {
			return append(coins, chosen...), nil
		}
	}
	return nil, ErrFunds
}

// chooseFrom returns coins with a sum of at least target [SelectCoinsMinConf].
func chooseFrom(candidates []Candidate, target int64, fromMe, others int) ([]Coin, bool) {
	var small []Coin
	var larger *Coin
	var sum int64
	for i := range candidates {
		c := &candidates[i]
		depth := others
		if c.FromMe {
			depth = fromMe
		}
		switch {
		case c.Depth < depth || c.Value <= 0:
		case c.Value == target:
			return []Coin{c.Coin}, true
		case c.Value < target+cent:
			small, sum = append(small, c.Coin), sum+c.Value
		case larger == nil || c.Value < larger.Value:
			larger = &c.Coin
		}
	}
	switch {
	case sum == target && len(small) > 0:
		return small, true
	case sum < target && larger == nil:
		return nil, false
	case sum < target:
		return []Coin{*larger}, true
	}
	best := bestSubset(small, sum, target)
	if value(best) != target && sum >= target+cent {
		best = bestSubset(small, sum, target+cent)
	}
	found := value(best)
	if larger != nil && (found != target && found < target+cent || larger.Value <= found) {
		return []Coin{*larger}, true
	}
	return best, true
}
