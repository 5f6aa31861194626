package swap

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/number"
	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/core/store/table"
)

func amount(t testing.TB, text string) number.Rational {
	t.Helper()
	r, err := number.ParseRational(text)
	require.NoError(t, err)
	return r
}

func fee(t testing.TB, coin, text string) Fee { return Fee{Coin: coin, Amount: amount(t, text)} }

// maker returns a swap that sells 1.5 IRIS for ATOM.
func maker(t testing.TB, id string) Swap {
	return Swap{ID: id, Side: Maker,
		Payment:  Payment{Coin: "IRIS", Amount: amount(t, "1.5"), Fee: fee(t, "IRIS", "0.05")},
		SpendFee: fee(t, "ATOM", "0.002")}
}

// taker returns a swap that buys IRIS for 0.777 ATOM and pays the dex fee in ATOM.
func taker(t testing.TB, id string) Swap {
	return Swap{ID: id, Side: Taker,
		DexFee:   Payment{Coin: "ATOM", Amount: amount(t, "0.001"), Fee: fee(t, "ATOM", "0.0003")},
		Payment:  Payment{Coin: "ATOM", Amount: amount(t, "0.777"), Fee: fee(t, "ATOM", "0.0004")},
		SpendFee: fee(t, "IRIS", "0.05")}
}

// clock returns a clock that advances by a second with every call.
func clock() func() time.Time {
	at := time.Date(2025, 7, 28, 12, 0, 0, 5e8, time.FixedZone("X", 3600))
	var mu sync.Mutex
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		at = at.Add(time.Second)
		return at
	}
}

func memory(t testing.TB) *bunt.DB {
	t.Helper()
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { _ = kv.Close() })
	return kv
}

func open(t testing.TB, kv store.KV) *Ledger {
	t.Helper()
	l, err := Open(t.Context(), kv, clock())
	require.NoError(t, err)
	return l
}

func requireLocked(t testing.TB, l *Ledger, coin, want string) {
	t.Helper()
	require.Equal(t, want, l.Locked(coin).String(), coin)
}

// format returns swaps as text, since equal rationals need not be deeply equal.
func format(t testing.TB, swaps ...Swap) string {
	t.Helper()
	text, err := json.MarshalIndent(swaps, "", " ")
	require.NoError(t, err)
	return string(text)
}

// TestLockedAmountByState checks the locked amounts after every step of every path through the
// states.
func TestLockedAmountByState(t *testing.T) {
	free := taker(t, "x")
	free.DexFee = Payment{}
	type step struct {
		to         State
		atom, iris string
	}
	for _, c := range []struct {
		name       string
		swap       Swap
		atom, iris string // locked after Begin
		steps      []step
	}{
		{"maker finishes", maker(t, "x"), "0.002", "1.55", []step{
			{PaymentPending, "0.002", "1.55"}, {PaymentSent, "0.002", "0"}, {SpendPending, "0.002", "0"}, {Finished, "0", "0"}}},
		{"maker refunds", maker(t, "x"), "0.002", "1.55", []step{
			{PaymentPending, "0.002", "1.55"}, {PaymentSent, "0.002", "0"}, {RefundPending, "0.002", "0"}, {Refunded, "0", "0"}}},
		{"taker finishes", taker(t, "x"), "0.7787", "0.05", []step{
			{DexFeePending, "0.7787", "0.05"}, {DexFeeSent, "0.7774", "0.05"}, {PaymentPending, "0.7774", "0.05"},
			{PaymentSent, "0", "0.05"}, {SpendPending, "0", "0.05"}, {Finished, "0", "0"}}},
		{"taker without a dex fee", free, "0.7774", "0.05", []step{
			{PaymentPending, "0.7774", "0.05"}, {PaymentSent, "0", "0.05"}, {SpendPending, "0", "0.05"}, {Finished, "0", "0"}}},
		{"spend and refund take turns", maker(t, "x"), "0.002", "1.55", []step{
			{PaymentPending, "0.002", "1.55"}, {PaymentSent, "0.002", "0"}, {SpendPending, "0.002", "0"}, {RefundPending, "0.002", "0"},
			{SpendPending, "0.002", "0"}, {RefundPending, "0.002", "0"}, {Refunded, "0", "0"}}},
		{"fails at once", taker(t, "x"), "0.7787", "0.05", []step{{Failed, "0", "0"}}},
		{"fails after the dex fee", taker(t, "x"), "0.7787", "0.05", []step{
			{DexFeePending, "0.7787", "0.05"}, {DexFeeSent, "0.7774", "0.05"}, {Failed, "0", "0"}}},
		{"fails after the payment", maker(t, "x"), "0.002", "1.55", []step{
			{PaymentPending, "0.002", "1.55"}, {PaymentSent, "0.002", "0"}, {Failed, "0", "0"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			kv, ctx := memory(t), t.Context()
			l := open(t, kv)
			require.NoError(t, l.Begin(ctx, c.swap))
			requireLocked(t, l, "ATOM", c.atom)
			requireLocked(t, l, "IRIS", c.iris)
			for _, s := range c.steps {
				require.NoError(t, l.Advance(ctx, "x", s.to, ""))
				for _, l := range []*Ledger{l, open(t, kv)} { // in this run, and after a crash at this point
					requireLocked(t, l, "ATOM", s.atom)
					requireLocked(t, l, "IRIS", s.iris)
					require.Len(t, l.Running(), map[bool]int{true: 1}[s.to.Running()])
				}
			}
			require.Empty(t, l.locked)
		})
	}
}

func TestFeesFromTheVolumeAreNotCounted(t *testing.T) {
	l, s := open(t, memory(t)), maker(t, "x")
	s.Payment.Fee.FromVolume, s.SpendFee.FromVolume = true, true
	require.NoError(t, l.Begin(t.Context(), s))
	requireLocked(t, l, "IRIS", "1.5")
	requireLocked(t, l, "ATOM", "0")
}

func TestLockedAddsUpExactly(t *testing.T) {
	l, ctx := open(t, memory(t)), t.Context()
	for n := range 3 {
		s := maker(t, fmt.Sprint(n))
		third, err := number.Int(1).Quo(number.Int(3))
		require.NoError(t, err)
		s.Payment = Payment{Coin: "A-IBC_B", Amount: third}
		require.NoError(t, l.Begin(ctx, s))
	}
	require.Zero(t, l.Locked("A-IBC_B").Cmp(number.Int(1)))
	require.NoError(t, l.Advance(ctx, "1", Failed, ""))
	requireLocked(t, l, "A-IBC_B", "0."+strings.Repeat("6", 99)+"7")
	requireLocked(t, l, "ATOM", "0.004")
	requireLocked(t, l, "nothing", "0")
}

// TestTransitions checks that the transitions of the machine are allowed, and that all others
// fail and change nothing.
func TestTransitions(t *testing.T) {
	ways := map[State][]State{
		Negotiating:    {},
		DexFeePending:  {DexFeePending},
		DexFeeSent:     {DexFeePending, DexFeeSent},
		PaymentPending: {DexFeePending, DexFeeSent, PaymentPending},
		PaymentSent:    {DexFeePending, DexFeeSent, PaymentPending, PaymentSent},
		SpendPending:   {DexFeePending, DexFeeSent, PaymentPending, PaymentSent, SpendPending},
		RefundPending:  {DexFeePending, DexFeeSent, PaymentPending, PaymentSent, RefundPending},
		Finished:       {DexFeePending, DexFeeSent, PaymentPending, PaymentSent, SpendPending, Finished},
		Refunded:       {DexFeePending, DexFeeSent, PaymentPending, PaymentSent, RefundPending, Refunded},
		Failed:         {Failed},
	}
	allowed := map[State]string{
		Negotiating:    "DexFeePending Failed",
		DexFeePending:  "DexFeeSent Failed",
		DexFeeSent:     "PaymentPending Failed",
		PaymentPending: "PaymentSent Failed",
		PaymentSent:    "SpendPending RefundPending Failed",
		SpendPending:   "Finished RefundPending Failed",
		RefundPending:  "Refunded SpendPending Failed",
	}
	require.Len(t, ways, len(machine))
	for from, way := range ways {
		for to := range machine {
			t.Run(string(from+" to "+to), func(t *testing.T) {
				kv, ctx := memory(t), t.Context()
				l := open(t, kv)
				require.NoError(t, l.Begin(ctx, taker(t, "x")))
				for _, s := range way {
					require.NoError(t, l.Advance(ctx, "x", s, ""))
				}
				before, locked := get(t, l, "x"), l.Locked("ATOM")
				err := l.Advance(ctx, "x", to, "")
				if from == to || strings.Contains(" "+allowed[from]+" ", " "+string(to)+" ") {
					require.NoError(t, err)
					require.Equal(t, to, get(t, l, "x").State)
					return
				}
				var refused *TransitionError
				require.ErrorAs(t, err, &refused)
				require.Equal(t, "x", refused.ID)
				require.Equal(t, []State{from, to}, []State{refused.From, refused.To})
				require.Equal(t, allowed[from], strings.Trim(fmt.Sprint(refused.Allowed), "[]"))
				require.Equal(t, format(t, before), format(t, get(t, l, "x")))
				require.Zero(t, locked.Cmp(l.Locked("ATOM")))
			})
		}
	}
}

func TestDexFeeIsExact(t *testing.T) {
	l, ctx := open(t, memory(t)), t.Context()
	require.NoError(t, l.Begin(ctx, taker(t, "with")))
	require.NoError(t, l.Begin(ctx, maker(t, "without")))
	var refused *TransitionError
	require.ErrorAs(t, l.Advance(ctx, "with", PaymentPending, ""), &refused)
	require.ErrorAs(t, l.Advance(ctx, "without", DexFeePending, ""), &refused)
	require.Equal(t, []State{PaymentPending, Failed}, refused.Allowed)
	require.ErrorAs(t, l.Advance(ctx, "without", "paid", ""), &refused)
	require.EqualError(t, refused, "swap without cannot go from Negotiating to paid, only to [PaymentPending Failed]")
}

func get(t testing.TB, l *Ledger, id string) Swap {
	t.Helper()
	s, err := l.Get(t.Context(), id)
	require.NoError(t, err)
	return s
}

func TestDataGoesWithTheState(t *testing.T) {
	kv, ctx := memory(t), t.Context()
	l, s := open(t, kv), maker(t, "x")
	s.Data, s.State, s.Started = "start", Finished, time.Unix(1, 0)
	require.NoError(t, l.Begin(ctx, s))
	begun := get(t, l, "x")
	require.Equal(t, Negotiating, begun.State, "the ledger's fields are not the caller's")
	require.Equal(t, time.Date(2025, 7, 28, 11, 0, 1, 0, time.UTC), begun.Started)
	require.Equal(t, begun.Started, begun.Changed)

	require.NoError(t, l.Advance(ctx, "x", PaymentPending, ""))
	require.Equal(t, "start", get(t, l, "x").Data)
	require.NoError(t, l.Advance(ctx, "x", PaymentSent, "sent by ☃"))
	sent := get(t, l, "x")
	require.Equal(t, "sent by ☃", sent.Data)
	require.True(t, sent.Changed.After(sent.Started))
	require.NoError(t, l.Advance(ctx, "x", PaymentSent, ""), "again")
	require.Equal(t, format(t, sent), format(t, get(t, l, "x")))
	require.NoError(t, l.Advance(ctx, "x", PaymentSent, "more"))
	require.Equal(t, "more", get(t, l, "x").Data)
	require.Equal(t, format(t, get(t, l, "x")), format(t, l.Running()...))
	require.Equal(t, format(t, l.Running()...), format(t, open(t, kv).Running()...))
}

func TestBeginRefuses(t *testing.T) {
	third, err := number.Int(1).Quo(number.Int(3))
	require.NoError(t, err)
	long := third
	for long.Bits() <= maxBits {
		long = long.Mul(long)
	}
	for _, c := range []struct {
		name  string
		spoil func(*Swap)
		field string
	}{
		{"no id", func(s *Swap) { s.ID = "" }, "id"},
		{"long id", func(s *Swap) { s.ID = strings.Repeat("x", 65) }, "id"},
		{"id with a space", func(s *Swap) { s.ID = "a b" }, "id"},
		{"id that is not UTF-8", func(s *Swap) { s.ID = "\xff" }, "id"},
		{"no side", func(s *Swap) { s.Side = "" }, "side"},
		{"maker with a dex fee", func(s *Swap) { s.Side = Maker }, "dex_fee"},
		{"negative dex fee", func(s *Swap) { s.DexFee.Amount = number.Int(-1) }, "dex_fee.amount"},
		{"dex fee without a coin", func(s *Swap) { s.DexFee.Coin = "" }, "dex_fee.coin"},
		{"dex fee without an amount", func(s *Swap) { s.DexFee.Amount = number.Int(0) }, "dex_fee"},
		{"no payment", func(s *Swap) { s.Payment.Amount = number.Rational{} }, "payment.amount"},
		{"payment without a coin", func(s *Swap) { s.Payment.Coin = "" }, "payment.coin"},
		{"long amount", func(s *Swap) { s.Payment.Amount = long }, "payment.amount"},
		{"negative fee", func(s *Swap) { s.Payment.Fee.Amount = number.Int(-1) }, "payment.fee.amount"},
		{"fee without a coin", func(s *Swap) { s.SpendFee.Coin = "" }, "spend_fee.coin"},
		{"long fee", func(s *Swap) { s.SpendFee.Amount = long }, "spend_fee.amount"},
		{"long data", func(s *Swap) { s.Data = strings.Repeat("x", maxData+1) }, "data"},
		{"data that is not UTF-8", func(s *Swap) { s.Data = "\xff" }, "data"},
	} {
		t.Run(c.name, func(t *testing.T) {
			kv, s := memory(t), taker(t, "x")
			l := open(t, kv)
			c.spoil(&s)
			err := l.Begin(t.Context(), s)
			require.ErrorIs(t, err, ErrInvalid)
			require.ErrorContains(t, err, ErrInvalid.Error()+": "+c.field+" ")
			requireEmpty(t, kv, l)
		})
	}
}

func requireEmpty(t testing.TB, kv store.KV, l *Ledger) {
	t.Helper()
	all, err := kv.Scan(t.Context(), "", "", 1)
	require.NoError(t, err)
	require.Empty(t, all)
	require.Empty(t, l.Running())
	require.Empty(t, l.locked)
}

func TestUnknownAndKnownIDs(t *testing.T) {
	l, ctx := open(t, memory(t)), t.Context()
	_, err := l.Get(ctx, "x")
	require.ErrorIs(t, err, ErrUnknown)
	require.ErrorIs(t, l.Advance(ctx, "x", Failed, ""), ErrUnknown)
	require.NoError(t, l.Begin(ctx, maker(t, "x")))
	require.ErrorIs(t, l.Begin(ctx, maker(t, "x")), ErrExists)
	requireLocked(t, l, "IRIS", "1.55")
	require.NoError(t, l.Advance(ctx, "x", Failed, ""))
	require.ErrorIs(t, l.Begin(ctx, maker(t, "x")), ErrExists, "also when it has ended")
	require.ErrorIs(t, l.Advance(ctx, "x", Failed, strings.Repeat("x", maxData+1)), ErrInvalid)
	require.Equal(t, Failed, get(t, l, "x").State)
}

// broken is a store whose writes fail at one of their two steps.
type broken struct {
	store.KV
	stage, durable error
}

func (b *broken) Stage(ctx context.Context, batch store.Batch) (store.Durable, error) {
	if b.stage != nil {
		return nil, b.stage
	}
	durable, err := b.KV.Stage(ctx, batch)
	if b.durable != nil {
		durable = func(context.Context) error { return b.durable }
	}
	return durable, err
}

func TestNothingIsLockedThatWasNotStaged(t *testing.T) {
	kv := &broken{KV: memory(t), stage: store.ErrFailed}
	l, ctx := open(t, kv), t.Context()
	require.ErrorIs(t, l.Begin(ctx, maker(t, "x")), store.ErrFailed)
	requireEmpty(t, kv, l)
	kv.stage = nil
	require.NoError(t, l.Begin(ctx, maker(t, "x")))
	kv.stage = store.ErrFailed
	require.ErrorIs(t, l.Advance(ctx, "x", Failed, ""), store.ErrFailed)
	requireLocked(t, l, "IRIS", "1.55")
}

func TestStagedBatchesCountWithoutWaiting(t *testing.T) {
	kv := &broken{KV: memory(t), durable: context.Canceled}
	l, ctx := open(t, kv), t.Context()
	require.ErrorIs(t, l.Begin(ctx, maker(t, "x")), context.Canceled)
	requireLocked(t, l, "IRIS", "1.55")
	kv.durable = nil
	require.NoError(t, l.Advance(ctx, "x", Negotiating, ""), "waits, and changes nothing")

	ended, cancel := context.WithCancel(ctx)
	cancel()
	require.ErrorIs(t, l.Advance(ended, "x", Failed, ""), context.Canceled)
	requireLocked(t, l, "IRIS", "1.55")
}

func TestReopeningAFile(t *testing.T) {
	path, ctx := filepath.Join(t.TempDir(), "db"), t.Context()
	kv, err := bunt.Open(path)
	require.NoError(t, err)
	l := open(t, kv)
	require.NoError(t, l.Begin(ctx, taker(t, "b")))
	require.NoError(t, l.Begin(ctx, maker(t, "a")))
	require.NoError(t, l.Begin(ctx, maker(t, "c")))
	require.NoError(t, l.Advance(ctx, "c", Failed, ""))
	require.NoError(t, l.Advance(ctx, "b", DexFeePending, "fee ready"))
	want := format(t, l.Running()...)
	require.NoError(t, kv.Close())

	kv, err = bunt.Open(path)
	require.NoError(t, err)
	defer func() { require.NoError(t, kv.Close()) }()
	l = open(t, kv)
	require.Equal(t, want, format(t, l.Running()...))
	require.Equal(t, []string{"b", "a"}, []string{l.Running()[0].ID, l.Running()[1].ID})
	requireLocked(t, l, "IRIS", "1.6")
	require.NoError(t, l.Advance(ctx, "b", DexFeeSent, ""))
	require.Equal(t, Failed, get(t, l, "c").State)
}

func TestDamagedRecordsAreNotPassedOver(t *testing.T) {
	for name, spoil := range map[string]func(string) string{
		"cut":                  func(s string) string { return s[:len(s)/2] },
		"amount without sense": func(s string) string { return strings.Replace(s, `"denom":"2"`, `"denom":"0"`, 1) },
		"state of the future":  func(s string) string { return strings.Replace(s, `"Negotiating"`, `"Pondering"`, 1) },
	} {
		t.Run(name, func(t *testing.T) {
			kv, ctx := memory(t), t.Context()
			require.NoError(t, open(t, kv).Begin(ctx, maker(t, "x")))
			const key = "N/swap/id\x00\x01x\x00\x01"
			values, err := kv.Get(ctx, key)
			require.NoError(t, err)
			var damage store.Batch
			spoilt := spoil(values[0].Data)
			require.NotEqual(t, values[0].Data, spoilt)
			damage.Put(key, spoilt)
			require.NoError(t, store.Apply(ctx, kv, damage))
			_, err = Open(ctx, kv, clock())
			require.ErrorIs(t, err, table.ErrDamaged)
		})
	}
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	require.NoError(t, kv.Close())
	_, err = Open(t.Context(), kv, clock())
	require.ErrorIs(t, err, store.ErrClosed)
}

func TestManyAtOnce(t *testing.T) {
	kv, ctx := memory(t), t.Context()
	l := open(t, kv)
	var wait sync.WaitGroup
	won := make(chan string, 100)
	for n := range 16 {
		wait.Go(func() {
			for round := range 6 {
				id := fmt.Sprint(round, "/", n/2) // every id twice
				if err := l.Begin(ctx, taker(t, id)); err == nil {
					won <- id
				} else if !errors.Is(err, ErrExists) {
					t.Error(err)
				}
				for _, to := range []State{DexFeePending, DexFeeSent, PaymentPending, PaymentSent} {
					err := l.Advance(ctx, id, to, "")
					if refused := (*TransitionError)(nil); err != nil && !errors.As(err, &refused) {
						t.Error(err)
					}
					if l.Locked("ATOM").Sign() < 0 {
						t.Error("less than nothing is locked")
					}
				}
			}
		})
	}
	wait.Wait()
	require.Len(t, won, 48, "one of two wins")
	requireLocked(t, l, "ATOM", "0")
	requireLocked(t, l, "IRIS", "2.4")
	require.Equal(t, format(t, l.Running()...), format(t, open(t, kv).Running()...))
}
