package wallet

import (
	"errors"
	"iter"
)

// errShort says that a listing does not hold as much as is needed.
var errShort = errors.New("not enough")

// chooseCoins picks plain coins worth at least need, at most most of them and each
// worth at least share, as upstream does, or fails with errShort.
func (w *Wallet) chooseCoins(from Source, need int64, maxCoins int, share int64) ([]Coin, error) {
	found, sum, err := gather(from.Coins(w.address), need, maxCoins, func(c Coin) bool {
		return c.Value >= share && w.Owns(c.Script) && !w.isImmature(c, from.NextHeight())
	})
	if err != nil {
		return nil, err
	}
	if sum < need {
		return nil, errShort
	}
	return pick(found, need), nil
}

// isImmature reports whether c is a coinbase that the next block must not spend. Upstream only
// checks it for transfers and payments, so that its token creations may fail when they are
// broadcast.
func (w *Wallet) isImmature(c Coin, next int) bool {
	return c.Coinbase && next-c.Height < w.params.Maturity
}

// gather takes the first usable coins until they are worth need or are most.
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

// pick takes the best of the coins, which are worth at least need, again and
// again until it has as much. The last coin moves to the place of one taken, on
// which the order of the inputs depends (CC_vinselect and the loop around it). The
// slice is used up.
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

// closest is the first coin of exactly that value, else the first of the smallest
// above it, else the first of the largest.
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
