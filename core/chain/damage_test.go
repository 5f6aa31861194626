package chain_test

import (
	"errors"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

// Ways to damage a record.
func gone(e store.Entry) store.Op  { return store.Op{Key: e.Key, Delete: true} }
func cut(e store.Entry) store.Op   { return store.Op{Key: e.Key, Data: e.Data[:len(e.Data)/2]} }
func empty(e store.Entry) store.Op { return store.Op{Key: e.Key} }
func long(e store.Entry) store.Op  { return store.Op{Key: e.Key, Data: e.Data + "\x00"} }

// use is an operation on a damaged chain.
type use func(t *testing.T, s *scene) error

func reading(look func(v *chain.View, s *scene) error) use {
	return func(t *testing.T, s *scene) error {
		return s.Read(t.Context(), func(v *chain.View) error { return look(v, s) })
	}
}

func extend(t *testing.T, s *scene) error {
	b := chaintest.New(t, chaintest.InMemory(t, options).Store, s.Params()) // knows only genesis
	for _, block := range s.blocks {
		b.Submit(block)
	}
	next := b.Build(b.Tip().Hash, s.first, s.second, s.transferred)
	_, err := s.Manager.Submit(t.Context(), next.Encode())
	return err
}

func retreat(t *testing.T, s *scene) error { return s.Invalidate(t.Context(), s.blocks[2].Hash()) }

func reopen(t *testing.T, s *scene) error {
	_, err := chain.Open(t.Context(), chain.Config{Store: s.Store, Params: s.Params(), HeaderRules: chaintest.AnyProducer{}, Now: chaintest.Now})
	return err
}

var (
	tokenInfo    = reading(func(v *chain.View, s *scene) error { _, err := v.Token(s.creation); return err })
	tokenBalance = reading(func(v *chain.View, s *scene) error {
		_, err := v.TokenBalance(s.creation, s.key(1).TokenAddress())
		return err
	})
	tokenUnspent = reading(func(v *chain.View, s *scene) error {
		drain(v.TokenUnspent(s.creation, s.key(1).TokenAddress()))
		return v.Err()
	})
	tokenList = reading(func(v *chain.View, s *scene) error { _, err := v.Tokens(); return err })
	balance   = reading(func(v *chain.View, s *scene) error { _, _, err := v.Balance(s.key(1).Address()); return err })
	unspent   = reading(func(v *chain.View, s *scene) error { drain(v.Unspent(s.key(1).Address())); return v.Err() })
	history   = reading(func(v *chain.View, s *scene) error { drain(v.History(s.key(1).Address(), 0)); return v.Err() })
	coins     = reading(func(v *chain.View, s *scene) error { _, _, err := v.Coins(s.first.Inputs[0].PrevOut); return err })
	locate    = reading(func(v *chain.View, s *scene) error { _, err := v.Tx(s.blocks[2].Txs[1].ID()); return err })
	spender   = reading(func(v *chain.View, s *scene) error {
		_, _, err := v.Spender(s.blocks[2].Txs[1].Inputs[0].PrevOut)
		return err
	})
	holderCount = reading(func(v *chain.View, s *scene) error { _, err := v.HolderCount(s.creation); return err })
	holders     = reading(func(v *chain.View, s *scene) error { _, err := v.Holders(s.creation, nil, 10); return err })
	tokenTxs    = reading(func(v *chain.View, s *scene) error { _, err := v.TokenTxs(s.creation, nil, nil, 0, 10); return err })
	tokenTxsOf  = reading(func(v *chain.View, s *scene) error {
		a := s.key(1).TokenAddress()
		_, err := v.TokenTxs(s.creation, &a, nil, 0, 10)
		return err
	})
	medianTime = reading(func(v *chain.View, s *scene) error {
		r, err := v.Record(v.Tip().Hash)
		if err != nil {
			return err
		}
		_, err = v.MedianTime(v.Tip().Hash, r)
		return err
	})
)

// TestDamage damages the records of one table and then uses them. The damage must be reported,
// and no block may be marked as invalid because of it.
func TestDamage(t *testing.T) {
	for _, test := range []struct {
		name   string
		table  string
		damage func(store.Entry) store.Op
		use    use
	}{
		{"blocks gone", "b", gone, retreat},
		{"blocks cut", "b", cut, retreat},
		{"blocks longer", "b", long, retreat},
		{"records cut, reading", "h", cut, medianTime},
		{"records cut, extending", "h", cut, extend},
		{"records cut, opening", "h", cut, reopen},
		{"records gone, opening", "h", gone, reopen},
		{"heights cut", "n", cut, reading(func(v *chain.View, s *scene) error { _, err := v.HashAt(2); return err })},
		{"undo gone", "u", gone, retreat},
		{"undo cut", "u", cut, retreat},
		{"undo longer", "u", long, retreat},
		{"undo with a coin too many", "u", func(e store.Entry) store.Op { // inserted before the coins of the block; a length precedes every coin
			coin := string(wire.AppendVarBytes(nil, make([]byte, 13)))
			return store.Op{Key: e.Key, Data: string([]byte{e.Data[0] + 1}) + coin + e.Data[1:]}
		}, retreat},
		{"undo of a block that spends nothing", "u", func(e store.Entry) store.Op { return store.Op{Key: e.Key, Data: "\x00"} }, retreat},
		{"places cut", "t", cut, locate},
		{"places beyond the block", "t", func(e store.Entry) store.Op {
			return store.Op{Key: e.Key, Data: e.Data[:len(e.Data)-4] + "\xff\xff\xff\xff"}
		}, locate},
		{"places of another transaction", "t", func(e store.Entry) store.Op {
			return store.Op{Key: e.Key, Data: e.Data[:8] + "\x00\x00\x00\x00" + e.Data[12:]}
		}, locate},
		{"coins empty, reading", "c", empty, coins},
		{"coins empty, extending", "c", empty, extend},
		{"coins empty, opening", "c", empty, reopen},
		{"coins of an unknown claim", "c", func(e store.Entry) store.Op { return store.Op{Key: e.Key, Data: "\xff" + e.Data[1:]} }, coins},
		{"spenders cut", "s", cut, spender},
		{"history cut", "a", cut, history},
		{"history longer", "a", long, history},
		{"history with a longer key", "a", func(e store.Entry) store.Op { return store.Op{Key: e.Key + "x", Data: e.Data} }, history},
		{"unspent cut", "p", cut, unspent},
		{"unspent with a longer key", "p", func(e store.Entry) store.Op { return store.Op{Key: e.Key + "x", Data: e.Data} }, unspent},
		{"balances cut", "v", cut, balance},
		{"balances cut, extending", "v", cut, extend},
		{"balances empty", "v", empty, balance},
		{"tokens cut", "k", cut, tokenInfo},
		{"tokens cut, extending", "k", cut, extend},
		{"token balances cut", "q", cut, tokenBalance},
		{"token balances longer", "q", long, tokenBalance},
		{"token balances cut, opening", "q", empty, reopen},
		{"token outputs cut", "w", cut, tokenUnspent},
		{"token outputs cut, opening", "w", cut, reopen},
		{"token outputs gone, opening", "w", gone, reopen},
		{"token list with a longer key", "l", func(e store.Entry) store.Op { return store.Op{Key: e.Key + "x"} }, tokenList},
		{"old token list with a longer key", "o", func(e store.Entry) store.Op { return store.Op{Key: e.Key + "x"} }, tokenList},
		{"holder counts cut", "g", cut, holderCount},
		{"holder counts cut, extending", "g", cut, extend},
		{"holders with a longer key", "q", func(e store.Entry) store.Op { return store.Op{Key: e.Key + "x", Data: e.Data} }, holders},
		{"holders cut", "q", cut, holders},
		{"token transactions cut", "j", cut, tokenTxs},
		{"token transactions with a longer key", "j", func(e store.Entry) store.Op { return store.Op{Key: e.Key + "x", Data: e.Data} }, tokenTxs},
		{"token transactions gone, of an address", "j", gone, tokenTxsOf},
		{"token transactions of an address cut", "z", cut, tokenTxsOf},
		{"public keys cut", "e", cut, holders},
		{"public keys cut, retreating", "e", cut, retreat},
		{"unknown leaf", "x", func(e store.Entry) store.Op { return store.Op{Key: "x" + string(make([]byte, 32))} }, reopen},
		{"unknown tip", "itip", func(e store.Entry) store.Op { return store.Op{Key: e.Key, Data: string(make([]byte, 32))} }, reopen},
		{"tip empty", "itip", empty, reopen},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := newScene(t)
			require.NoError(t, reopen(t, s))
			entries, err := s.Store.Scan(t.Context(), test.table, "", 10_000)
			require.NoError(t, err)
			require.NotEmpty(t, entries)
			var b store.Batch
			for _, e := range entries {
				b.Ops = append(b.Ops, test.damage(e))
			}
			require.NoError(t, store.Apply(t.Context(), s.Store, b))
			state := everything(t, s.Store)
			err = test.use(t, s)
			require.ErrorIs(t, err, chain.ErrCorrupt)
			require.Equal(t, state, everything(t, s.Store), "nothing is written over damage")
		})
	}
}

func drain[T any](all iter.Seq[T]) {
	for range all {
	}
}

// everything returns all entries of a store.
func everything(t *testing.T, kv store.KV) map[string]string {
	t.Helper()
	all := map[string]string{}
	for after := ""; ; {
		page, err := kv.Scan(t.Context(), "", after, 500)
		require.NoError(t, err)
		if len(page) == 0 {
			return all
		}
		for _, e := range page {
			after, all[e.Key] = e.Key, e.Data
		}
	}
}

// TestDamagedBranch submits a block after its stored parent was deleted. The call must fail
// with ErrCorrupt and change nothing.
func TestDamagedBranch(t *testing.T) {
	c := chaintest.InMemory(t, options)
	fork := c.Mine().Hash()
	c.Mine()
	side := c.Build(fork)
	c.Submit(side)
	above := c.Build(side.Hash())
	var b store.Batch
	b.Delete("b" + string(hashBytes(side.Hash())))
	require.NoError(t, store.Apply(t.Context(), c.Store, b))
	tip, state := c.Tip(), indexes(t, c.Store)
	_, err := c.Manager.Submit(t.Context(), above.Encode())
	require.ErrorIs(t, err, chain.ErrCorrupt)
	require.False(t, errors.Is(err, chain.ErrKnownInvalid))
	require.Equal(t, tip, c.Tip())
	requireSame(t, state, indexes(t, c.Store))
	for _, leaf := range c.Leaves() {
		require.False(t, leaf.Record.Failed, "the block is not to blame")
	}
}

// TestSwappedBlock checks that a record with the bytes of another block is reported as damage.
func TestSwappedBlock(t *testing.T) {
	s := newScene(t)
	other, last := s.blocks[2].Encode(), s.blocks[3].Hash()
	var b store.Batch
	b.Put("b"+string(last[:]), string(other))
	require.NoError(t, store.Apply(t.Context(), s.Store, b))
	state := everything(t, s.Store)
	err := s.Invalidate(t.Context(), last)
	require.ErrorIs(t, err, chain.ErrCorrupt)
	require.ErrorContains(t, err, "its bytes hash to block "+s.blocks[2].Hash().String())
	require.Equal(t, state, everything(t, s.Store))
}

// TestMissingAncestor checks that times and bits are not validated with an incomplete list of
// ancestors.
func TestMissingAncestor(t *testing.T) {
	s := newScene(t)
	hash, next := s.blocks[0].Hash(), s.Build(s.Tip().Hash)
	var b store.Batch
	b.Delete("h" + string(hash[:]))
	require.NoError(t, store.Apply(t.Context(), s.Store, b))
	_, err := s.Manager.Submit(t.Context(), next.Encode())
	require.ErrorIs(t, err, chain.ErrCorrupt)
}

func hashBytes(h wire.Hash) []byte { return h[:] }
