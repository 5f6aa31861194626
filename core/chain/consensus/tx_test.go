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

func outPoint(n byte) wire.OutPoint {
	return wire.OutPoint{Hash: wire.HashOf([]byte{n}), Index: uint32(n)}
}

// newTx returns a valid Sapling transaction that expires after height 300.
func newTx() *wire.Tx {
	return &wire.Tx{
		Overwintered: true, Version: wire.SaplingVersion, VersionGroupID: wire.SaplingGroupID, ExpiryHeight: 300,
		Inputs: []wire.TxIn{
			{PrevOut: outPoint(1), ScriptSig: []byte{script.Op1}, Sequence: 0xffffffff},
			{PrevOut: outPoint(2), ScriptSig: []byte{script.Op1}, Sequence: 0xffffffff},
		},
		Outputs: []wire.TxOut{{Value: 700, Script: []byte{script.Op1}}, {Value: 200, Script: []byte{script.Op1}}},
	}
}

// newLegacyTx returns a transaction in the format used before Overwinter.
func newLegacyTx() *wire.Tx {
	tx := newTx()
	tx.Overwintered, tx.Version, tx.VersionGroupID, tx.ExpiryHeight = false, 1, 0, 0
	return tx
}

func newCoinbase(height int) *wire.Tx {
	tx := newTx()
	tx.ExpiryHeight = 0
	tx.Inputs = []wire.TxIn{{
		PrevOut: wire.OutPoint{Index: wire.NullIndex}, ScriptSig: append(HeightPush(height), script.Op1, script.Op1), Sequence: 0xffffffff,
	}}
	return tx
}

func TestCheckTx(t *testing.T) {
	p := newParams(t)
	const inTheTx = -1 // the size of the transaction itself
	for _, test := range []struct {
		name string
		tx   *wire.Tx
		size int
		edit func(tx *wire.Tx)
		want error
	}{
		{"valid", newTx(), inTheTx, func(*wire.Tx) {}, nil},
		{"legacy", newLegacyTx(), inTheTx, func(*wire.Tx) {}, nil},
		{"legacy of a high version", newLegacyTx(), inTheTx, func(tx *wire.Tx) { tx.Version = 1<<31 - 1 }, nil},
		{"coinbase", newCoinbase(20), inTheTx, func(*wire.Tx) {}, nil},
		{"no value", newTx(), inTheTx, func(tx *wire.Tx) { tx.Outputs[0].Value = 0 }, nil},
		{"all the money", newTx(), inTheTx, func(tx *wire.Tx) { tx.Outputs[0].Value = p.MaxMoney - 200 }, nil},
		{"greatest size", newTx(), 200_000, func(*wire.Tx) {}, nil},
		{"greatest script", newTx(), inTheTx, func(tx *wire.Tx) { tx.Outputs[1].Script = make([]byte, 10_001) }, nil},
		{"greatest expiry height", newTx(), inTheTx, func(tx *wire.Tx) { tx.ExpiryHeight = 499_999_999 }, nil},
		{"two outputs of one transaction", newTx(), inTheTx, func(tx *wire.Tx) {
			tx.Inputs[1].PrevOut.Hash = tx.Inputs[0].PrevOut.Hash
		}, nil},
		{"zero hash is not null by itself", newTx(), inTheTx, func(tx *wire.Tx) { tx.Inputs[1].PrevOut.Hash = wire.Hash{} }, nil},

		{"legacy version 0", newLegacyTx(), inTheTx, func(tx *wire.Tx) { tx.Version = 0 }, ErrVersionTooLow},
		{"expiry height too high", newTx(), inTheTx, func(tx *wire.Tx) { tx.ExpiryHeight = 500_000_000 }, ErrExpiryTooHigh},
		{"no inputs", newTx(), inTheTx, func(tx *wire.Tx) { tx.Inputs = nil }, ErrNoInputs},
		{"no outputs", newTx(), inTheTx, func(tx *wire.Tx) { tx.Outputs = nil }, ErrNoOutputs},
		{"over the greatest size", newTx(), 200_001, func(*wire.Tx) {}, ErrOversize},
		{"joinsplit", newLegacyTx(), inTheTx, func(tx *wire.Tx) {
			tx.Version, tx.JoinSplits = 2, make([]wire.JoinSplit, 1)
		}, ErrShielded},
		{"shielded output", newTx(), inTheTx, func(tx *wire.Tx) {
			tx.ShieldedOutputs = make([]wire.OutputDescription, 1)
		}, ErrShielded},
		{"shielded spend alone", newTx(), inTheTx, func(tx *wire.Tx) {
			tx.Inputs, tx.Spends = nil, make([]wire.SpendDescription, 1)
		}, ErrShielded},
		{"value balance alone", newTx(), inTheTx, func(tx *wire.Tx) { tx.ValueBalance = 1 }, ErrShielded},
		{"negative value", newTx(), inTheTx, func(tx *wire.Tx) { tx.Outputs[1].Value = -1 }, ErrValueNegative},
		{"value above all money", newTx(), inTheTx, func(tx *wire.Tx) { tx.Outputs[0].Value = p.MaxMoney + 1 }, ErrValueTooLarge},
		{"greatest value of all", newTx(), inTheTx, func(tx *wire.Tx) { tx.Outputs[0].Value = 1<<63 - 1 }, ErrValueTooLarge},
		{"total above all money", newTx(), inTheTx, func(tx *wire.Tx) { tx.Outputs[0].Value = p.MaxMoney - 199 }, ErrTotalTooLarge},
		{"script too big", newTx(), inTheTx, func(tx *wire.Tx) { tx.Outputs[1].Script = make([]byte, 10_002) }, ErrScriptTooBig},
		{"input twice", newTx(), inTheTx, func(tx *wire.Tx) { tx.Inputs[1].PrevOut = tx.Inputs[0].PrevOut }, ErrDuplicateInputs},
		{"null input among others", newTx(), inTheTx, func(tx *wire.Tx) {
			tx.Inputs[1].PrevOut = wire.OutPoint{Index: wire.NullIndex}
		}, ErrNullPrevout},
		{"coinbase with one byte", newCoinbase(20), inTheTx, func(tx *wire.Tx) {
			tx.Inputs[0].ScriptSig = make([]byte, 1)
		}, ErrCoinbaseLength},
		{"coinbase with 101 bytes", newCoinbase(20), inTheTx, func(tx *wire.Tx) {
			tx.Inputs[0].ScriptSig = make([]byte, 101)
		}, ErrCoinbaseLength},
		{"coin import", newTx(), inTheTx, func(tx *wire.Tx) {
			tx.Inputs = tx.Inputs[:1]
			tx.Inputs[0].PrevOut.Index = wire.CoinImportIdx
		}, ErrCoinImport},
	} {
		t.Run(test.name, func(t *testing.T) {
			test.edit(test.tx)
			if test.size == inTheTx {
				test.size = len(test.tx.Encode())
			}
			require.ErrorIs(t, CheckTx(test.tx, test.size, p), test.want)
		})
	}
}

func TestCheckTxAt(t *testing.T) {
	p := newParams(t, "-ac_overwinter=20", "-ac_sapling=40")
	overwinter := func(tx *wire.Tx) {
		tx.Version, tx.VersionGroupID = wire.OverwinterVersion, wire.OverwinterGroupID
	}
	valid := func(*wire.Tx) {}
	legacy := func(version uint32) func(*wire.Tx) {
		return func(tx *wire.Tx) { *tx = *newLegacyTx(); tx.Version = version }
	}
	for _, test := range []struct {
		name   string
		height int
		edit   func(tx *wire.Tx)
		size   int
		want   error
	}{
		{"legacy", 19, legacy(1), 250, nil},
		{"legacy version 9", 19, legacy(9), 250, nil},
		{"v3 too early", 19, overwinter, 250, ErrOverwinterNotActive},
		{"v4 too early", 19, valid, 250, ErrOverwinterNotActive},
		{"legacy size", 19, legacy(1), 100_000, nil},
		{"legacy too large", 19, legacy(1), 100_001, ErrOversize},

		{"v3", 20, overwinter, 250, nil},
		{"v3, last height", 39, overwinter, 250, nil},
		{"legacy too late", 20, legacy(1), 250, ErrOverwinterActive},
		{"legacy version 2 too late", 39, legacy(2), 250, ErrOverwinterActive},
		{"legacy version 3 with Overwinter", 20, legacy(3), 250, ErrOverwinterFlagNotSet},
		{"v4 with Overwinter", 39, valid, 250, ErrOverwinterGroup},
		{"v3 too large", 39, overwinter, 100_001, ErrOversize},
		{"v3 expired", 39, func(tx *wire.Tx) { overwinter(tx); tx.ExpiryHeight = 38 }, 250, ErrExpired},

		{"v4", 40, valid, 250, nil},
		{"v4 much later", 300, valid, 250, nil},
		{"v4 size", 40, valid, 200_000, nil},
		{"v4 too large", 40, valid, 200_001, ErrOversize},
		{"v3 too late", 40, overwinter, 250, ErrSaplingGroup},
		{"legacy with Sapling", 40, legacy(1), 250, ErrOverwinterActive},
		{"legacy version 3 with Sapling", 40, legacy(3), 250, ErrOverwinterActive},
		{"legacy version 4 with Sapling", 40, legacy(4), 250, ErrSaplingFlagNotSet},
		{"expired", 301, valid, 250, ErrExpired},
		{"without expiry", 1 << 30, func(tx *wire.Tx) { tx.ExpiryHeight = 0 }, 250, nil},
		{"coinbases do not expire", 50, func(tx *wire.Tx) { *tx = *newCoinbase(50); tx.ExpiryHeight = 49 }, 250, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			tx := newTx()
			test.edit(tx)
			require.ErrorIs(t, CheckTxAt(tx, test.size, test.height, p), test.want)
		})
	}
}

func TestIsExpired(t *testing.T) {
	for _, test := range []struct {
		expiry uint32
		height int
		want   bool
	}{
		{0, 1 << 30, false}, {10, 9, false}, {10, 10, false}, {10, 11, true}, {499_999_999, 499_999_999, false},
	} {
		require.Equal(t, test.want, IsExpired(&wire.Tx{ExpiryHeight: test.expiry}, test.height), "%+v", test)
	}
}

func TestIsFinal(t *testing.T) {
	const height, time = 100, 1_800_000_000
	const final, almost, early = 0xffffffff, 0xfffffffe, 0xfffffffd
	for _, test := range []struct {
		name      string
		lockTime  uint32
		sequences []uint32
		want      bool
	}{
		{"no lock time", 0, []uint32{0}, true},
		{"height before", 99, []uint32{0}, true},
		{"this height", 100, []uint32{early}, false},
		{"this height, final", 100, []uint32{final}, true},
		{"this height, almost final", 100, []uint32{almost, final}, true},
		{"this height, one not", 100, []uint32{almost, early}, false},
		{"next height", 101, []uint32{almost}, false},
		{"next height, final", 101, []uint32{final, final}, true},
		{"next height, one not", 101, []uint32{final, almost}, false},
		{"greatest height", lockTimeThreshold - 1, []uint32{almost}, false},
		{"least time", lockTimeThreshold, []uint32{0}, true},
		{"time before", time - 1, []uint32{0}, true},
		{"this time", time, []uint32{early}, false},
		{"this time, almost final", time, []uint32{almost}, true},
		{"this time, final", time, []uint32{final}, true},
		{"time after", time + 1, []uint32{almost}, false},
		{"greatest time", 0xffffffff, []uint32{final}, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			tx := &wire.Tx{LockTime: test.lockTime}
			for _, sequence := range test.sequences {
				tx.Inputs = append(tx.Inputs, wire.TxIn{Sequence: sequence})
			}
			require.Equal(t, test.want, IsFinal(tx, height, time))
		})
	}
}

func TestRejectionText(t *testing.T) {
	require.EqualError(t, ErrInBelowOut, "16: bad-txns-in-belowout")
}

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

// TestVerifyReportsTheFirstFailure checks that the error is that of the first spend, regardless
// of the scheduling of the goroutines.
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
					runtime.Gosched() // lets the other spends fail first
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

// TestVerifyOfAPanic checks that a script that makes the checker panic is invalid, in any
// goroutine.
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
	// A transfer of nothing fails in the module. The valid transfer is constructed.
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

// validMoves returns a transfer of one token to the key in the payload.
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
