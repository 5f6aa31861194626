package wallet_test

import (
	"iter"
	"slices"

	"obverse/core/chain"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
)

// pool represents a mempool: transactions that are not in the chain, parents before children.
type pool []*wire.Tx

func (p pool) spends(out wire.OutPoint) bool {
	return slices.ContainsFunc(p, func(tx *wire.Tx) bool {
		return slices.ContainsFunc(tx.Inputs, func(in wire.TxIn) bool { return in.PrevOut == out })
	})
}

// chainSource is a wallet.Source over a chain and a pool.
type chainSource struct {
	*chain.View
	pool  pool
	tweak func([]wallet.Coin) []wallet.Coin // changes the list of plain coins in a test
}

func (s chainSource) NextHeight() int { return s.Tip().Height + 1 }

func (s chainSource) Coins(address script.Address) iter.Seq2[wallet.Coin, error] {
	key := chain.Address{Kind: chain.KeyAddress, Hash: address.Hash}
	coins := s.unspent(s.Unspent(key))
	for _, tx := range s.pool {
		for i, out := range tx.Outputs {
			coin := chaintest.Output(tx, i)
			if slices.Contains(chain.AddressesOf(out.Script), key) && !s.pool.spends(coin.Out) {
				coins = append(coins, wallet.Coin{Out: coin.Out, Value: out.Value, Script: out.Script, Height: s.NextHeight()})
			}
		}
	}
	if s.tweak != nil {
		coins = s.tweak(coins)
	}
	return yieldAll(coins, s.Err())
}

func (s chainSource) Trusted(address script.Address) iter.Seq2[wallet.Coin, error] {
	return yieldAll(s.unspent(s.Unspent(chain.Address{Kind: chain.KeyAddress, Hash: address.Hash})), s.Err())
}

func (s chainSource) Tokens(id wire.Hash, holder script.Address) iter.Seq2[wallet.Coin, error] {
	coins := s.unspent(s.TokenUnspent(id, chain.Address{Kind: chain.ConditionAddress, Hash: holder.Hash}))
	return yieldAll(coins, s.Err())
}

// unspent returns the coins of a listing of the chain, without those that the pool spends.
func (s chainSource) unspent(listed iter.Seq[chain.Unspent]) (coins []wallet.Coin) {
	for u := range listed {
		if s.pool.spends(u.Out) {
			continue
		}
		found, _, _ := s.View.Coins(u.Out)
		c := found[0]
		coins = append(coins, wallet.Coin{Out: u.Out, Value: c.Value, Script: c.Script, Height: c.Height, Coinbase: c.Coinbase})
	}
	return coins
}

func (s chainSource) Creation(id wire.Hash) (token.Creation, bool, error) {
	c, ok := s.View.Creation(id)
	return c, ok, s.Err()
}

func yieldAll(coins []wallet.Coin, err error) iter.Seq2[wallet.Coin, error] {
	return func(yield func(wallet.Coin, error) bool) {
		for _, coin := range coins {
			if !yield(coin, nil) {
				return
			}
		}
		if err != nil {
			yield(wallet.Coin{}, err)
		}
	}
}

// listSource is a wallet.Source with the coins that a test sets.
type listSource struct {
	next     int
	coins    []wallet.Coin
	tokens   map[script.Address][]wallet.Coin // keyed by condition address
	creation *token.Creation
	err      error // returned at the end of every listing
	noToken  error // returned by Creation
}

func (s *listSource) NextHeight() int { return s.next }

func (s *listSource) Coins(script.Address) iter.Seq2[wallet.Coin, error] {
	return yieldAll(s.coins, s.err)
}

func (s *listSource) Trusted(address script.Address) iter.Seq2[wallet.Coin, error] {
	return s.Coins(address)
}

func (s *listSource) Tokens(_ wire.Hash, holder script.Address) iter.Seq2[wallet.Coin, error] {
	return yieldAll(s.tokens[holder], s.err)
}

func (s *listSource) Creation(wire.Hash) (c token.Creation, ok bool, err error) {
	if s.creation == nil {
		return c, false, s.noToken
	}
	return *s.creation, true, nil
}
