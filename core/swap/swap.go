// Package swap implements the ledger of atomic swaps. The ledger records the swaps in progress,
// their states and the amounts of each coin that they still need, so that the same coins are
// not offered twice. It is not an engine: it sends nothing, watches no chain and knows no
// balance.
//
// # For authors of an engine
//
// Begin a swap before promising anything to the other side, and record every step with Advance.
// Before broadcasting a transaction, record that it is pending. After it was seen, record that
// it was sent. After a crash in between, only the chain shows whether it was sent, so the
// ledger keeps the coins locked. Data holds the information that the engine itself needs after
// a crash, such as transaction ids and time locks. It is written in the same step as the state.
// After Open, Running returns the swaps of the previous run. The engine must continue or fail
// each of them; the ledger does neither.
//
//	Negotiating ──▶ DexFeePending ──▶ DexFeeSent ──▶ PaymentPending ──▶ PaymentSent
//	     └────────────── without a dex fee ───────────────▲                │    │
//	                                                                       ▼    ▼
//	                                      Finished ◀── SpendPending ◀──▶ RefundPending ──▶ Refunded
//
// Every state but the last three may become Failed. A pending spend may turn into a refund and
// vice versa, since the other side may be faster.
//
// Sources: Komodo DeFi Framework mm2_main/src/lp_swap (locked_amount of maker_swap.rs and
// taker_swap.rs) for the amounts that are locked in each state.
//
// Invariant: Locked is the sum of the amounts that the running swaps hold in their states, and
// the amount that a swap holds never grows.
package swap

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"obverse/core/number"
)

// Swap is a swap from the point of view of this node. Amounts are in whole coins, and coins are
// named by their canonical tickers.
type Swap struct {
	ID      string  `json:"id"` // 1 to 64 visible ASCII characters, such as a UUID
	Side    Side    `json:"side"`
	DexFee  Payment `json:"dex_fee,omitzero"` // for a taker; zero if there is no fee or the payment contains it
	Payment Payment `json:"payment"`          // what this node sends to the other side
	// SpendFee is the fee of the transaction that spends the other side's payment. It may be
	// paid in the coin of that payment.
	SpendFee Fee    `json:"spend_fee"`
	Data     string `json:"data,omitempty"` // data of the engine: UTF-8, at most 64 KiB, stored unchanged

	// The ledger sets the following fields.
	State   State     `json:"state"`
	Started time.Time `json:"started"`
	Changed time.Time `json:"changed"` // when State or Data was last set
}

// Payment is an amount to send, and the fee for sending it.
type Payment struct {
	Coin   string          `json:"coin"`
	Amount number.Rational `json:"amount"`
	Fee    Fee             `json:"fee"`
}

// Fee is the cost of a transaction. The zero Fee means no fee.
type Fee struct {
	Coin       string          `json:"coin,omitempty"`
	Amount     number.Rational `json:"amount,omitzero"`
	FromVolume bool            `json:"from_volume,omitempty"` // whether the fee is taken from the amount that is sent, rather than paid in addition
}

// ErrInvalid reports that the terms or the data of a swap are invalid. Its text names the
// field.
var ErrInvalid = errors.New("not a valid swap")

const (
	maxName = 64        // maximum length of ids and tickers, in bytes
	maxBits = 1024      // maximum size of a numerator or a denominator
	maxData = 64 * 1024 // bytes
)

func invalid(field, format string, args ...any) error {
	return fmt.Errorf("%w: %s %s", ErrInvalid, field, fmt.Sprintf(format, args...))
}

// check returns an error if the terms are invalid.
func (s *Swap) check() error {
	if s.Side != Maker && s.Side != Taker {
		return invalid("side", "must be Maker or Taker, got %q", s.Side)
	}
	if s.DexFee.Amount.IsZero() {
		if s.DexFee.Coin != "" || s.DexFee.Fee.Coin != "" || !s.DexFee.Fee.Amount.IsZero() {
			return invalid("dex_fee", "must have an amount, or nothing at all")
		}
	} else if s.Side == Maker {
		return invalid("dex_fee", "is the taker's, a maker pays none")
	} else if err := s.DexFee.check("dex_fee"); err != nil {
		return err
	}
	return cmp.Or(
		checkName("id", s.ID),
		s.Payment.check("payment"),
		s.SpendFee.check("spend_fee"),
		checkData(s.Data),
	)
}

func (p Payment) check(field string) error {
	if p.Amount.Sign() <= 0 {
		return invalid(field+".amount", "must be above 0, got %s", p.Amount)
	}
	return cmp.Or(checkName(field+".coin", p.Coin), checkSize(field, p.Amount), p.Fee.check(field+".fee"))
}

func (f Fee) check(field string) error {
	if f.Coin == "" && f.Amount.IsZero() {
		return nil
	}
	if f.Amount.Sign() < 0 {
		return invalid(field+".amount", "must be 0 or above, got %s", f.Amount)
	}
	return cmp.Or(checkName(field+".coin", f.Coin), checkSize(field, f.Amount))
}

func checkName(field, name string) error {
	if name == "" || len(name) > maxName {
		return invalid(field, "must be 1 to %d characters, got %d", maxName, len(name))
	}
	if strings.ContainsFunc(name, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return invalid(field, "must be visible ASCII characters, got %q", name)
	}
	return nil
}

func checkSize(field string, n number.Rational) error {
	if n.Bits() > maxBits {
		return invalid(field+".amount", "must have at most %d bits above and below, got %d", maxBits, n.Bits())
	}
	return nil
}

func checkData(data string) error {
	switch {
	case len(data) > maxData:
		return invalid("data", "must have at most %d bytes, got %d", maxData, len(data))
	case !utf8.ValidString(data):
		return invalid("data", "must be UTF-8, got other bytes")
	}
	return nil
}

// Side is the side of a swap: maker or taker.
type Side string

// The maker makes the offer and pays first. The taker accepts it and pays the dex fee.
const (
	Maker Side = "Maker"
	Taker Side = "Taker"
)

// State is the state of a swap on this node.
type State string

// The states in their order.
const (
	Negotiating    State = "Negotiating"    // nothing was sent
	DexFeePending  State = "DexFeePending"  // the dex fee may have been sent
	DexFeeSent     State = "DexFeeSent"     // the dex fee is on its way
	PaymentPending State = "PaymentPending" // this node's payment may have been sent
	PaymentSent    State = "PaymentSent"    // this node's payment was sent
	SpendPending   State = "SpendPending"   // the other side's payment is being spent
	RefundPending  State = "RefundPending"  // this node's payment is being refunded
	Finished       State = "Finished"       // the other side's payment was spent
	Refunded       State = "Refunded"       // this node's payment was refunded
	Failed         State = "Failed"         // given up; if a payment was sent, a person must look after it
)

// part is a set of the parts of a swap that need coins.
type part uint8

const (
	dexFee   part = 1 << iota // the dex fee and its transaction fee
	payment                   // the payment and its transaction fee
	spendFee                  // the fee of the transaction that spends the other side's payment
)

// rule holds the coins that a state locks and the states that may follow it.
type rule struct {
	holds part
	next  []State
}

// machine has a rule for every state. The fee for the spend is held during a refund as well,
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

// Running reports whether the swap is in progress, which means that another state may follow.
func (s State) Running() bool { return len(machine[s].next) > 0 }

// TransitionError reports a step that the states do not allow. Nothing was changed.
type TransitionError struct {
	ID       string
	From, To State
	Allowed  []State // empty if the swap has ended
}

func (e *TransitionError) Error() string {
	return fmt.Sprintf("swap %s cannot go from %s to %s, only to %v", e.ID, e.From, e.To, e.Allowed)
}

// next returns the states that may follow. The dex fee can neither be skipped nor added.
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

// holds returns the amounts that the swap still needs. The payment includes a fee that is paid
// from the volume.
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
