package consensus

import (
	"context"
	"errors"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/guard"
)

func coinsOf(values ...int64) (coins []Coin) {
	for _, value := range values {
		coins = append(coins, Coin{Coin: token.Coin{Value: value}})
	}
	return coins
}

func TestCheckSpend(t *testing.T) {
	p := newParams(t, "-ac_cbmaturity=10")
	aged := func(height int, coinbase bool) []Coin {
		coins := coinsOf(500, 500)
		coins[1].Height, coins[1].Coinbase = height, coinbase
		return coins
	}
	for _, test := range []struct {
		name  string
		coins []Coin // spent at height 100 by a transaction that pays 900
		fee   int64
		want  error
	}{
		{"with a fee", coinsOf(500, 450), 50, nil},
		{"without a fee", coinsOf(500, 400), 0, nil},
		{"one satoshi short", coinsOf(500, 399), 0, ErrInBelowOut},
		{"nothing", coinsOf(0, 0), 0, ErrInBelowOut},
		{"coinbase just mature", aged(90, true), 100, nil},
		{"coinbase of a block too late", aged(91, true), 0, ErrPrematureSpend},
		{"other coin of that block", aged(91, false), 100, nil},
		{"other coin of the same block", aged(100, false), 100, nil},
		{"all the money", coinsOf(p.MaxMoney, 0), p.MaxMoney - 900, nil},
		{"a coin of more", coinsOf(p.MaxMoney+1, 0), 0, ErrInputRange},
		{"coins of more", coinsOf(p.MaxMoney, 1), 0, ErrInputRange},
		{"greatest coin of all", coinsOf(p.MaxMoney, 1<<63-1), 0, ErrInputRange},
		{"negative coin", coinsOf(1000, -1), 0, ErrInputRange},
	} {
		t.Run(test.name, func(t *testing.T) {
			fee, err := CheckSpend(newTx(), test.coins, 100, p)
			require.ErrorIs(t, err, test.want)
			require.Equal(t, test.fee, fee)
		})
	}
}

func TestSpends(t *testing.T) {
	tx, cache := newTx(), script.NewSigCache(1, nil)
	coins := coinsOf(5, 6)
	coins[0].Script, coins[1].Script = []byte{script.Op1}, []byte{script.Op0}
	calls := 0
	spends := Spends(tx, coins, 7, cache, func([]byte) bool { calls++; return true })
	require.Len(t, spends, 2)
	for i := range spends {
		s := &spends[i]
		require.Equal(t, coins[i].Script, s.PkScript)
		require.Equal(t, [...]any{tx, i, coins[i].Value, uint32(7), cache}, [...]any{s.Tx, s.Index, s.Amount, s.BranchID, s.Cache})
		require.NotNil(t, s.Hashes)
		require.Same(t, spends[0].Hashes, s.Hashes)
		require.True(t, s.Eval(nil))
	}
	require.Equal(t, 2, calls)
	require.NoError(t, spends[0].Verify(spends[0].PkScript, script.BlockFlags))
	require.ErrorIs(t, spends[1].Verify(spends[1].PkScript, script.BlockFlags), script.ErrEvalFalse)
}

func TestVerifyChecksEverySpendOnce(t *testing.T) {
	for _, n := range []int{0, 1, verifyInTurn, verifyInTurn + 1, 100} {
		spends := make([]Spend, n)
		checked := make([]atomic.Int32, n)
		for i := range spends {
			spends[i].Index = i
		}
		require.NoError(t, Verify(t.Context(), spends, func(s *Spend) error {
			checked[s.Index].Add(1)
			return nil
		}))
		for i := range checked {
			require.EqualValues(t, 1, checked[i].Load(), "spend %d of %d", i, n)
		}
	}
}

// However the goroutines take turns, the error is that of the first spend that fails.
func TestVerifyReportsTheFirstFailure(t *testing.T) {
	errFirst, errLater := errors.New("first"), errors.New("later")
	spends := make([]Spend, 64)
	for i := range spends {
		spends[i].Index = i
	}
	for range 200 {
		err := Verify(t.Context(), spends, func(s *Spend) error {
			switch {
			case s.Index == 9:
				for range 50 {
					runtime.Gosched() // let the others fail before
				}
				return errFirst
			case s.Index > 9:
				return errLater
			}
			return nil
		})
		require.Equal(t, errFirst, err)
	}
}

// A script that makes the checker panic is not valid, whichever goroutine checks it.
func TestVerifyOfAPanic(t *testing.T) {
	spends := make([]Spend, 64)
	for i := range spends {
		spends[i].Index = i
	}
	for bad := range spends {
		err := Verify(t.Context(), spends, func(s *Spend) error {
			if s.Index == bad {
				panic("script")
			}
			return nil
		})
		require.ErrorIs(t, err, guard.ErrPanic)
	}
}

func TestVerifyCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	checked := atomic.Int32{}
	err := Verify(ctx, make([]Spend, 1000), func(*Spend) error {
		if checked.Add(1) == 3 {
			cancel()
		}
		return nil
	})
	require.ErrorIs(t, err, context.Canceled)
	require.Less(t, checked.Load(), int32(1000))
	require.ErrorIs(t, Verify(ctx, nil, nil), context.Canceled)
}

func TestFlags(t *testing.T) {
	require.Equal(t, script.BlockFlags, Flags(script.BlockFlags, newParams(t)))
	require.Equal(t, script.BlockFlags|script.NoCC, Flags(script.BlockFlags, newParams(t, "-ac_cc=0")))
}

func TestEvals(t *testing.T) {
	// A transfer of nothing fails in the module; the one that passes is made up.
	bad := token.Examine(newTx(), wire.Hash{}, nil, nil)
	require.ErrorIs(t, bad.Validate(), token.ErrBadPayload)
	good := validMoves(t)

	for _, test := range []struct {
		name   string
		flags  []string
		moves  *token.Transfers
		height int
		code   []byte
		want   bool
	}{
		{"tokens", nil, good, 50, []byte{token.Eval}, true},
		{"tokens refused", nil, bad, 50, []byte{token.Eval}, false},
		{"gateways", nil, bad, 50, []byte{0xf1}, true},
		{"import gateway", nil, bad, 50, []byte{0xf3}, true},
		{"assets", nil, good, 50, []byte{0xe3}, false},
		{"coin import", nil, good, 50, []byte{0xe2}, false},
		{"library", nil, good, 50, []byte{0x10}, false},
		{"zero", nil, good, 50, []byte{0}, false},
		{"empty", nil, good, 50, nil, false},
		{"parameters", nil, good, 50, []byte{token.Eval, 1}, false},
		{"before activation", []string{"-ac_ccactivate=50"}, good, 49, []byte{token.Eval}, false},
		{"at activation", []string{"-ac_ccactivate=50"}, good, 50, []byte{token.Eval}, true},
		{"no conditions", []string{"-ac_cc=0"}, good, 50, []byte{token.Eval}, false},
		{"enabled", []string{"-ac_ccenable=242"}, good, 50, []byte{token.Eval}, true},
		{"not enabled", []string{"-ac_ccenable=242"}, good, 50, []byte{0xf1}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, Evals(test.moves, test.height, newParams(t, test.flags...))(test.code))
		})
	}
}

// validMoves is a transfer of one token to the key that the payload names.
func validMoves(t *testing.T) *token.Transfers {
	t.Helper()
	key, id := token.BurnKey(), wire.HashOf([]byte("token"))
	tree := token.Condition([]byte{token.Eval}, key)
	tree.Fill(key[:], make([]byte, 64))
	fulfillment, err := tree.Encode()
	require.NoError(t, err)
	p := token.Payload{Func: token.Transfer, TokenID: id, Keys: []token.Key{key}}
	tx := &wire.Tx{
		Inputs:  []wire.TxIn{{ScriptSig: script.FulfillCondition(fulfillment, script.SigHashAll)}},
		Outputs: []wire.TxOut{{Value: 1, Script: token.Script([]byte{token.Eval}, key)}, {Script: p.Script()}},
	}
	coin := Coin{Coin: token.Coin{Value: 1, Script: tx.Outputs[0].Script, TokenID: id, Claim: token.Backed}}
	moves := Tokens(tx, tx.ID(), []Coin{coin}, func(wire.Hash) (token.Creation, bool) { return token.Creation{}, true })
	require.NoError(t, moves.Validate())
	return moves
}
