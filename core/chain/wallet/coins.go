package wallet

import (
	"bytes"
	"cmp"
	"errors"
	"iter"
	"slices"

	"obverse/core/chain"
	"obverse/core/chain/keyring"
	"obverse/core/chain/mempool"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// Snapshot is the Source of a running node. It contains the coins of the chain that the mempool
// does not spend, and the coins that the mempool creates. It is valid as long as its View.
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
		for entry, i := range s.Pool.Sole(key) { // a script with several keys does not belong only to the wallet
			if !yield(s.waiting(entry, i), nil) {
				return
			}
		}
	}
}

// Trusted implements Source.
func (s Snapshot) Trusted(address script.Address) iter.Seq2[Coin, error] {
	key := chain.Address{Kind: chain.KeyAddress, Hash: address.Hash}
	return func(yield func(Coin, error) bool) {
		for coin, err := range s.confirmed(s.View.Unspent(key)) {
			if !yield(coin, err) || err != nil {
				return
			}
		}
		for entry, i := range s.Pool.Change(key) {
			if !yield(s.waiting(entry, i), nil) {
				return
			}
		}
	}
}

// Tokens implements Source.
func (s Snapshot) Tokens(id wire.Hash, holder script.Address) iter.Seq2[Coin, error] {
	key := chain.Address{Kind: chain.ConditionAddress, Hash: holder.Hash}
	return func(yield func(Coin, error) bool) {
		for coin, err := range s.confirmed(s.View.TokenUnspent(id, key)) {
			if !yield(coin, err) || err != nil {
				return
			}
		}
		for entry, i := range s.Change(id, key) {
			if !yield(s.waiting(entry, i), nil) {
				return
			}
		}
	}
}

// Change iterates over the tokens of a holder in the mempool that are the change of its
// transactions, parents before children. Its duration does not depend on the transactions of
// others.
func (s Snapshot) Change(id wire.Hash, holder chain.Address) iter.Seq2[*mempool.Entry, int] {
	return func(yield func(*mempool.Entry, int) bool) {
		var last *mempool.Entry
		change := false
		for entry, i := range s.Pool.Change(holder) {
			if entry != last { // the outputs of an entry follow one another
				last, change = entry, isChange(entry, id, holder)
			}
			if change && entry.Transfers.Holds(id, i) && !yield(entry, i) {
				return
			}
		}
	}
}

// isChange reports whether a transaction moves tokens of a holder, so that its outputs to the
// holder are change.
func isChange(entry *mempool.Entry, id wire.Hash, holder chain.Address) bool {
	for i := range entry.Coins {
		c := &entry.Coins[i]
		if c.Claim == token.Backed && c.TokenID == id && slices.Contains(chain.AddressesOf(c.Script), holder) {
			return true
		}
	}
	return false
}

// Creation implements Source.
func (s Snapshot) Creation(id wire.Hash) (token.Creation, bool, error) {
	c, ok := s.View.Creation(id)
	return c, ok, s.View.Err()
}

// TokenBalance returns the number of valid tokens that an address holds in the chain and that
// the mempool does not spend.
func (s Snapshot) TokenBalance(id wire.Hash, holder chain.Address) (int64, error) {
	balance, err := s.View.TokenBalance(id, holder)
	return balance - s.Pool.SpentTokens(id, holder), err
}

// confirmed returns the coins of a listing, without those that the mempool spends.
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

// waiting returns an output of a transaction of the mempool.
func (s Snapshot) waiting(entry *mempool.Entry, i int) Coin {
	out := &entry.Tx.Outputs[i]
	return Coin{Out: wire.OutPoint{Hash: entry.ID, Index: uint32(i)}, Value: out.Value, Script: out.Script, Height: s.NextHeight()}
}

// Coin is an output that can be spent.
type Coin struct {
	Out      wire.OutPoint
	Value    int64 // in satoshis or tokens
	Script   []byte
	Height   int  // height of its block; for a coin in the mempool, the height of the next block
	Coinbase bool // whether it is subject to maturity
}

// Source provides the coins that a Wallet may spend. All its results refer to the same state:
// it is used during one chain.Manager.Read, and never concurrently. An iteration ends after an
// error.
type Source interface {
	// NextHeight returns the height of the next block.
	NextHeight() int
	// Coins iterates over the unspent plain outputs of an address. The outputs in the chain
	// come first, ordered by txid bytes and index, as in komodod's address index, followed by
	// those in the mempool, parents before children. Outputs spent by the mempool are excluded.
	Coins(address script.Address) iter.Seq2[Coin, error]
	// Trusted is like Coins, but of the outputs in the mempool it has only those of transactions
	// that spend a coin of the address. Others may be spent twice by those who paid them.
	Trusted(address script.Address) iter.Seq2[Coin, error]
	// Tokens iterates over the valid outputs of a token at a condition address that neither the
	// chain nor the mempool spends. The outputs in the chain come first, ordered by txid bytes
	// and index; komodod uses only these. They are followed by the holder's own change in the
	// mempool, parents before children.
	Tokens(id wire.Hash, holder script.Address) iter.Seq2[Coin, error]
	// Creation returns a token's creation in the chain; ok reports whether it exists.
	Creation(id wire.Hash) (c token.Creation, ok bool, err error)
}

// errShort reports that a listing contains less than the required amount.
var errShort = errors.New("not enough")

// feeCoins returns the coins of all keys, which may pay the fee of a transfer, in the order of the
// source. komodod orders the coins of the whole wallet by txid and index.
func (w *Wallet) feeCoins(from Source) iter.Seq2[Coin, error] {
	if w.ring == nil {
		return from.Coins(w.address)
	}
	return func(yield func(Coin, error) bool) {
		var heads []*head
		for _, k := range w.ring.Keys(true) {
			next, stop := iter.Pull2(from.Coins(k.Address()))
			defer stop()
			if h := (&head{next: next}); h.advance() {
				heads = append(heads, h)
			}
		}
		for len(heads) > 0 {
			first := 0
			for i := range heads {
				if heads[i].before(heads[first], from.NextHeight()) {
					first = i
				}
			}
			h := heads[first]
			if !yield(h.coin, h.err) {
				return
			}
			if !h.advance() {
				heads = slices.Delete(heads, first, first+1)
			}
		}
	}
}

// head is the next coin of a listing.
type head struct {
	next func() (Coin, error, bool)
	coin Coin
	err  error
}

func (h *head) advance() (more bool) {
	h.coin, h.err, more = h.next()
	return more
}

// before reports whether a coin comes first in the order of a Source; next is the height of coins in
// the mempool.
func (h *head) before(other *head, next int) bool {
	a, b := &h.coin, &other.coin
	if waits := a.Height >= next; waits != (b.Height >= next) {
		return !waits
	}
	return cmp.Or(bytes.Compare(a.Out.Hash[:], b.Out.Hash[:]), cmp.Compare(a.Out.Index, b.Out.Index)) < 0
}

// spends reports whether a key of the wallet spends a coin.
func (w *Wallet) spends(pkScript []byte) bool {
	if w.ring == nil {
		return w.Owns(pkScript)
	}
	return w.ring.Relation(pkScript) == keyring.Mine
}

// chooseCoins returns at most maxCoins plain coins with a sum of at least need, each worth at least
// share, chosen like komodod's. It fails with errShort if there are not enough.
func (w *Wallet) chooseCoins(coins iter.Seq2[Coin, error], next int, need int64, maxCoins int, share int64) ([]Coin, error) {
	found, sum, err := gather(coins, need, maxCoins, func(c Coin) bool {
		return c.Value >= share && w.spends(c.Script) && w.isFree(c, next)
	})
	if err != nil {
		return nil, err
	}
	if sum < need {
		return nil, errShort
	}
	return pick(found, need), nil
}

// isFree reports whether the next block may spend a coin, and the user has not locked it.
func (w *Wallet) isFree(c Coin, next int) bool {
	return !w.isImmature(c, next) && (w.ring == nil || !w.ring.CoinLocked(c.Out))
}

// isImmature reports whether c is a coinbase that the next block must not spend. komodod checks
// this only for transfers and payments, so its token creations may fail when they are
// broadcast.
func (w *Wallet) isImmature(c Coin, next int) bool {
	return c.Coinbase && next-c.Height < w.params.Maturity
}

// gather returns the first usable coins, until they are worth need or their number is maxCoins.
func gather(coins iter.Seq2[Coin, error], need int64, maxCoins int, usable func(Coin) bool) (found []Coin, sum int64, err error) {
	for coin, err := range coins {
		if err != nil {
			return nil, 0, err
		}
		if !usable(coin) {
			continue
		}
		found = append(found, coin)
		sum += coin.Value
		if len(found) >= maxCoins || sum >= need {
			break
		}
	}
	return found, sum, nil
}

// pick repeatedly takes the best coin until the picked coins are worth need. The coins must be
// worth at least need. The last coin moves to the place of the one taken, on which the order of
// the inputs depends (CC_vinselect and the loop around it). The slice coins is modified.
func pick(coins []Coin, need int64) (picked []Coin) {
	for need > 0 {
		i, last := closest(coins, need), len(coins)-1
		picked = append(picked, coins[i])
		need -= coins[i].Value
		coins[i] = coins[last]
		coins = coins[:last]
	}
	return picked
}

// closest returns the index of the first coin with exactly the given value, or the first of the
// smallest above it, or the first of the largest.
func closest(coins []Coin, value int64) int {
	above, below := -1, -1
	for i := range coins {
		switch v := coins[i].Value; {
		case v == value:
			return i
		case v > value:
			if above < 0 || v < coins[above].Value {
				above = i
			}
		case below < 0 || v > coins[below].Value:
			below = i
		}
	}
	if above >= 0 {
		return above
	}
	return below
}
