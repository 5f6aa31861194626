// Package swap is the ledger of atomic swaps: which are in progress, how far each has
// come, and how much of each coin they still need, so that the same coins are not
// offered twice. It is not an engine: it sends nothing, watches no chain and knows no
// balance.
//
// # For authors of an engine
//
// Begin a swap before anything is promised to the other side, and record every step
// with Advance. Before a transaction is broadcast, record that it is pending; after it
// was seen, that it was sent. In between a crash may leave the question open, and then
// only the chain can answer it, so the ledger keeps the coins locked. What the engine
// itself must know after a crash (transaction ids, time locks) goes into Data, which is
// written in the same step as the state. After Open, Running lists what a former run
// left: each of them is the engine's to continue or to fail; the ledger does neither.
//
//	Negotiating ──▶ DexFeePending ──▶ DexFeeSent ──▶ PaymentPending ──▶ PaymentSent
//	     └────────────── without a dex fee ───────────────▲                │    │
//	                                                                       ▼    ▼
//	                                      Finished ◀── SpendPending ◀──▶ RefundPending ──▶ Refunded
//
// Every state but the last three may become Failed. A pending spend may turn into a
// refund and the other way round, since the other side may come first.
//
// Sources: Komodo DeFi Framework mm2_main/src/lp_swap (locked_amount of maker_swap.rs
// and taker_swap.rs) for what is locked until when.
//
// Invariant: Locked is the sum of what the states of the running swaps hold, and what
// a swap holds never grows.
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

// Swap is a swap as this node has it. Amounts are in whole coins; coins are named by
// their canonical tickers.
type Swap struct {
	ID      string  `json:"id"` // 1 to 64 visible ASCII characters, such as a UUID
	Side    Side    `json:"side"`
	DexFee  Payment `json:"dex_fee,omitzero"` // a taker's; zero without a fee, or if the payment contains it
	Payment Payment `json:"payment"`          // what this node pays to the other
	// SpendFee is the fee of the transaction that takes the other side's payment. It
	// may be paid in that side's coin.
	SpendFee Fee    `json:"spend_fee"`
	Data     string `json:"data,omitempty"` // the engine's own: UTF-8, at most 64 KiB, stored as it is

	// Set by the ledger.
	State   State     `json:"state"`
	Started time.Time `json:"started"`
	Changed time.Time `json:"changed"` // when State or Data was last set
}

// Payment is an amount to be sent, and the fee for sending it.
type Payment struct {
	Coin   string          `json:"coin"`
	Amount number.Rational `json:"amount"`
	Fee    Fee             `json:"fee"`
}

// Fee is the cost of a transaction. The zero Fee means no fee.
type Fee struct {
	Coin       string          `json:"coin,omitempty"`
	Amount     number.Rational `json:"amount,omitzero"`
	FromVolume bool            `json:"from_volume,omitempty"` // taken from the amount that is sent, nothing comes on top
}

// ErrInvalid says that a swap's terms or data cannot be taken. Its text names the field.
var ErrInvalid = errors.New("not a valid swap")

const (
	maxName = 64        // bytes, of ids and tickers
	maxBits = 1024      // of a numerator or a denominator
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

// rule holds the coins that a state locks and the states that may follow it.
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
