package daemon

import (
	"iter"

	"obverse/core/chain"
	"obverse/core/chain/mempool"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
)

// source shows a wallet the coins of one moment: those of the chain that the
// mempool does not spend, and those that it makes.
type source struct {
	view *chain.View
	pool *mempool.Pool
}

var _ wallet.Source = source{}

// NextHeight implements wallet.Source.
func (s source) NextHeight() int { return s.view.Tip().Height + 1 }

// Coins implements wallet.Source.
func (s source) Coins(address script.Address) iter.Seq2[wallet.Coin, error] {
	key := chain.Address{Kind: chain.KeyAddress, Hash: address.Hash}
	return func(yield func(wallet.Coin, error) bool) {
		for coin, err := range s.confirmed(s.view.Unspent(key)) {
			if !yield(coin, err) || err != nil {
				return
			}
		}
		for _, entry := range s.pool.Entries() {
			for i := range entry.Tx.Outputs {
				coin, ok := s.waiting(entry, i, key)
				if ok && !yield(coin, nil) {
					return
				}
			}
		}
	}
}

// Tokens implements wallet.Source.
func (s source) Tokens(id wire.Hash, holder script.Address) iter.Seq2[wallet.Coin, error] {
	return s.confirmed(s.view.TokenUnspent(id, chain.Address{Kind: chain.ConditionAddress, Hash: holder.Hash}))
}

// Creation implements wallet.Source.
func (s source) Creation(id wire.Hash) (token.Creation, bool, error) {
	c, ok := s.view.Creation(id)
	return c, ok, s.view.Err()
}

// confirmed looks up the coins of a listing and leaves out what the mempool spends.
func (s source) confirmed(listed iter.Seq[chain.Unspent]) iter.Seq2[wallet.Coin, error] {
	return func(yield func(wallet.Coin, error) bool) {
		for u := range listed {
			if _, spent := s.pool.SpentBy(u.Out); spent {
				continue
			}
			coins, _, err := s.view.Coins(u.Out)
			if err != nil {
				yield(wallet.Coin{}, err)
				return
			}
			c := &coins[0]
			if !yield(wallet.Coin{Out: u.Out, Value: c.Value, Script: c.Script, Height: c.Height, Coinbase: c.Coinbase}, nil) {
				return
			}
		}
		if err := s.view.Err(); err != nil {
			yield(wallet.Coin{}, err)
		}
	}
}

// waiting is an output of a transaction of the mempool, if it pays to the address
// and nothing spends it.
func (s source) waiting(entry *mempool.Entry, i int, to chain.Address) (wallet.Coin, bool) {
	out := &entry.Tx.Outputs[i]
	owners := chain.AddressesOf(out.Script)
	if len(owners) != 1 || owners[0] != to {
		return wallet.Coin{}, false
	}
	at := wire.OutPoint{Hash: entry.ID, Index: uint32(i)}
	_, spent := s.pool.SpentBy(at)
	return wallet.Coin{Out: at, Value: out.Value, Script: out.Script, Height: s.NextHeight()}, !spent
}
