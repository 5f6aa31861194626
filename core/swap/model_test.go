package swap

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/number"
)

// model is a simple model of the ledger. It holds all swaps in a map and computes every result
// from all of them. It follows the wording of the sources for which amounts are locked until
// when.
type model map[string]Swap

func (m model) locked(coin string) (sum number.Rational) {
	add := func(name string, amount number.Rational) {
		if name == coin {
			sum = sum.Add(amount)
		}
	}
	cost := func(f Fee) {
		if !f.FromVolume {
			add(f.Coin, f.Amount)
		}
	}
	for _, s := range m {
		switch s.State {
		case Finished, Refunded, Failed:
			continue
		}
		if s.Side == Taker && (s.State == Negotiating || s.State == DexFeePending) {
			add(s.DexFee.Coin, s.DexFee.Amount)
			cost(s.DexFee.Fee)
		}
		switch s.State {
		case Negotiating, DexFeePending, DexFeeSent, PaymentPending:
			add(s.Payment.Coin, s.Payment.Amount)
			cost(s.Payment.Fee)
		}
		cost(s.SpendFee)
	}
	return sum
}

// TestRandomSequences makes thousands of random steps, valid and invalid, and opens the ledger
// again now and then.
func TestRandomSequences(t *testing.T) {
	states := slices.Sorted(maps.Keys(machine))
	coins := []string{"ATOM", "IRIS", "OSMOSIS"}
	for seed := range uint64(8) {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			dice := rand.New(rand.NewPCG(seed, 1))
			kv, ctx := memory(t), t.Context()
			l, m := open(t, kv), model{}
			for range 400 {
				id := fmt.Sprint(dice.IntN(12))
				if dice.IntN(4) == 0 {
					s := randomSwap(t, dice, id, coins)
					_, known := m[id]
					if err := l.Begin(ctx, s); known {
						require.ErrorIs(t, err, ErrExists)
					} else {
						require.NoError(t, err)
						s.State = Negotiating
						m[id] = s
					}
				} else {
					to := states[dice.IntN(len(states))]
					if s := m[id]; l.Advance(ctx, id, to, "") == nil {
						require.NotEmpty(t, s.ID)
						s.State = to
						m[id] = s
					}
				}
				if dice.IntN(20) == 0 {
					l = open(t, kv)
				}
				for _, coin := range coins {
					require.Zero(t, m.locked(coin).Cmp(l.Locked(coin)), coin)
				}
			}
			for _, s := range m {
				require.Equal(t, s.State, get(t, l, s.ID).State)
			}
		})
	}
}

func randomSwap(t *testing.T, dice *rand.Rand, id string, coins []string) Swap {
	amount := func() number.Rational {
		n, err := number.Int(1 + dice.Int64N(1000)).Quo(number.Int(1 + dice.Int64N(30)))
		require.NoError(t, err)
		return n
	}
	cost := func() Fee {
		if dice.IntN(4) == 0 {
			return Fee{}
		}
		return Fee{Coin: coins[dice.IntN(len(coins))], Amount: amount(), FromVolume: dice.IntN(3) == 0}
	}
	pay := func() Payment { return Payment{Coin: coins[dice.IntN(len(coins))], Amount: amount(), Fee: cost()} }
	s := Swap{ID: id, Side: Maker, Payment: pay(), SpendFee: cost()}
	if dice.IntN(2) == 0 {
		s.Side = Taker
		if dice.IntN(3) > 0 {
			s.DexFee = pay()
		}
	}
	return s
}

// FuzzRecord checks that reading a record never panics, and that a valid swap is written as it
// was read.
func FuzzRecord(f *testing.F) {
	text, err := json.Marshal(taker(f, "x"))
	require.NoError(f, err)
	f.Add(text)
	f.Add([]byte(`{"id":"x","payment":{"amount":{"numer":"1","denom":"0"}}}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		var s, again Swap
		if json.Unmarshal(data, &s) != nil || s.check() != nil {
			return
		}
		text, err := json.Marshal(s)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(text, &again))
		require.Equal(t, format(t, s), format(t, again))
		require.NoError(t, again.check())
		s.State = Negotiating
		require.NotEmpty(t, s.holds())
	})
}
