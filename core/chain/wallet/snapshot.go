package wallet

import (
	"iter"

	"obverse/core/chain"
	"obverse/core/chain/mempool"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// Snapshot is the Source of a running node: the coins of the chain that the mempool
// does not spend, and those that it makes. It is as short-lived as its View.
type Snapshot struct {
	View *chain.View
	Pool *mempool.Pool
}

var _ Source = Snapshot{}

// NextHeight implements Source.
func (s Snapshot) NextHeight() int { return s.View.Tip().Height + 1 }

// Coins implements Source.
func (s Snapshot) Coins(address script.Address) iter.Seq2[Coin, error] {
	key := chain.Address{Kind: chain.KeyAddress, Hash: address.Hash}
	return func(yield func(Coin, error) bool) {
		for coin, err := range s.confirmed(s.View.Unspent(key)) {
			if !yield(coin, err) || err != nil {
				return
			}
		}
		for _, entry := range s.Pool.Entries() {
			for i := range entry.Tx.Outputs {
				coin, ok := s.waiting(entry, i, key)
				if ok && !yield(coin, nil) {
					return
				}
			}
		}
	}
}

// Tokens implements Source.
func (s Snapshot) Tokens(id wire.Hash, holder script.Address) iter.Seq2[Coin, error] {
	return s.confirmed(s.View.TokenUnspent(id, chain.Address{Kind: chain.ConditionAddress, Hash: holder.Hash}))
}

// Creation implements Source.
func (s Snapshot) Creation(id wire.Hash) (token.Creation, bool, error) {
	c, ok := s.View.Creation(id)
	return c, ok, s.View.Err()
}

// TokenBalance is the number of good tokens that an address holds in the chain and
// the mempool does not spend.
func (s Snapshot) TokenBalance(id wire.Hash, holder chain.Address) (int64, error) {
	balance, err := s.View.TokenBalance(id, holder)
	return balance - s.Pool.SpentTokens(id, holder), err
}

// confirmed looks up the coins of a listing and leaves out what the mempool spends.
func (s Snapshot) confirmed(listed iter.Seq[chain.Unspent]) iter.Seq2[Coin, error] {
	return func(yield func(Coin, error) bool) {
		for u := range listed {
			if _, spent := s.Pool.SpentBy(u.Out); spent {
				continue
			}
			coins, _, err := s.View.Coins(u.Out)
			if err != nil {
				yield(Coin{}, err)
				return
			}
			c := &coins[0]
			if !yield(Coin{Out: u.Out, Value: c.Value, Script: c.Script, Height: c.Height, Coinbase: c.Coinbase}, nil) {
				return
			}
		}
		if err := s.View.Err(); err != nil {
			yield(Coin{}, err)
		}
	}
}

// waiting is an output of a transaction of the mempool, if it pays to the address
// and nothing spends it.
func (s Snapshot) waiting(entry *mempool.Entry, i int, to chain.Address) (Coin, bool) {
	out := &entry.Tx.Outputs[i]
	owners := chain.AddressesOf(out.Script)
	if len(owners) != 1 || owners[0] != to {
		return Coin{}, false
	}
	at := wire.OutPoint{Hash: entry.ID, Index: uint32(i)}
	_, spent := s.Pool.SpentBy(at)
	return Coin{Out: at, Value: out.Value, Script: out.Script, Height: s.NextHeight()}, !spent
}
