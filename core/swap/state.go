package swap

import (
	"fmt"
	"slices"

	"obverse/core/number"
)

// Side tells the two sides of a swap apart.
type Side string

// The maker offered and pays first; the taker answered and pays the dex fee.
const (
	Maker Side = "Maker"
	Taker Side = "Taker"
)

// State is how far a swap has come, as seen from this node.
type State string

// The states in their order.
const (
	Negotiating    State = "Negotiating"    // nothing was sent
	DexFeePending  State = "DexFeePending"  // the dex fee may have been sent
	DexFeeSent     State = "DexFeeSent"     // the dex fee is on its way
	PaymentPending State = "PaymentPending" // the own payment may have been sent
	PaymentSent    State = "PaymentSent"    // the own payment is on its way
	SpendPending   State = "SpendPending"   // the other side's payment is being taken
	RefundPending  State = "RefundPending"  // the own payment is being taken back
	Finished       State = "Finished"       // the other side's payment was taken
	Refunded       State = "Refunded"       // the own payment was taken back
	Failed         State = "Failed"         // given up; if a payment was sent, people must look after it
)

// part is something that a swap needs coins for.
type part uint8

const (
	dexFee   part = 1 << iota // and its fee
	payment                   // and its fee
	spendFee                  // of the transaction that takes the other side's payment
)

// rule is what a state holds and where it may lead.
type rule struct {
	holds part
	next  []State
}

// machine has every state. The fee for the spend is held during a refund as well,
// because a refund that comes too late turns into a spend.
var machine = map[State]rule{
	Negotiating:    {dexFee | payment | spendFee, []State{DexFeePending, PaymentPending, Failed}},
	DexFeePending:  {dexFee | payment | spendFee, []State{DexFeeSent, Failed}},
	DexFeeSent:     {payment | spendFee, []State{PaymentPending, Failed}},
	PaymentPending: {payment | spendFee, []State{PaymentSent, Failed}},
	PaymentSent:    {spendFee, []State{SpendPending, RefundPending, Failed}},
	SpendPending:   {spendFee, []State{Finished, RefundPending, Failed}},
	RefundPending:  {spendFee, []State{Refunded, SpendPending, Failed}},
	Finished:       {},
	Refunded:       {},
	Failed:         {},
}

// Running reports whether the swap is in progress: the state leads somewhere.
func (s State) Running() bool { return len(machine[s].next) > 0 }

// TransitionError refuses a step that the states do not allow. Nothing was changed.
type TransitionError struct {
	ID       string
	From, To State
	Allowed  []State // none when the swap has ended
}

func (e *TransitionError) Error() string {
	return fmt.Sprintf("swap %s cannot go from %s to %s, only to %v", e.ID, e.From, e.To, e.Allowed)
}

// next lists where the swap may go from its state. The dex fee is neither skipped nor
// made up.
func (s *Swap) next() []State {
	without := DexFeePending
	if s.DexFee.Amount.Sign() > 0 {
		without = PaymentPending
	}
	if s.State != Negotiating {
		without = ""
	}
	return slices.DeleteFunc(slices.Clone(machine[s.State].next), func(to State) bool { return to == without })
}

// hold is an amount of a coin that a swap still needs.
type hold struct {
	coin   string
	amount number.Rational
}

// holds lists what the swap still needs. A fee that is paid from the volume is in the
// payment already.
func (s *Swap) holds() (all []hold) {
	pay := func(p Payment) {
		all = append(all, hold{p.Coin, p.Amount})
		all = p.Fee.add(all)
	}
	held := machine[s.State].holds
	if held&dexFee != 0 {
		pay(s.DexFee)
	}
	if held&payment != 0 {
		pay(s.Payment)
	}
	if held&spendFee != 0 {
		all = s.SpendFee.add(all)
	}
	return all
}

func (f Fee) add(all []hold) []hold {
	if f.FromVolume {
		return all
	}
	return append(all, hold{f.Coin, f.Amount})
}
