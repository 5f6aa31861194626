package daemon

import (
	"bytes"
	"cmp"
	"context"
	"slices"

	"obverse/core/chain"
	"obverse/core/chain/consensus"
	"obverse/core/chain/keyring"
	"obverse/core/chain/mempool"
	"obverse/core/chain/script"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
)

// walletView is the state of the wallet at one tip. It is valid as long as its chain.View.
type walletView struct {
	lookup
	ring *keyring.Ring
	tip  int

	parents map[wire.Hash]*wire.Tx
}

// viewWallet calls look with the current state of the wallet. It fails with errNoWallet if the
// node has no wallet.
func (b *Backend) viewWallet(ctx context.Context, look func(*walletView) error) error {
	if b.Wallet == nil || b.Ring == nil {
		return errNoWallet
	}
	return b.Manager.Read(ctx, func(v *chain.View) error {
		return look(b.walletAt(v))
	})
}

func (b *Backend) walletAt(v *chain.View) *walletView {
	return &walletView{lookup: lookup{b, v}, ring: b.Ring, tip: v.Tip().Height, parents: map[wire.Hash]*wire.Tx{}}
}

// walletCoin is an unspent output that the wallet owns or watches.
type walletCoin struct {
	wallet.Coin
	depth    int // 0 means that it is in the mempool
	relation keyring.Relation
	entry    *mempool.Entry // entry of its transaction; nil means that it is in the chain
}

// coins returns the outputs that the wallet owns or watches and that neither the chain nor the
// mempool spends, sorted by txid bytes and index.
func (w *walletView) coins() (list []walletCoin, err error) {
	places, known := w.ring.Places()
	seen := map[wire.OutPoint]bool{}
	for _, place := range places {
		var outs []wire.OutPoint
		for u := range w.view.Unspent(place) {
			if _, spent := w.Pool.SpentBy(u.Out); !spent && !seen[u.Out] {
				seen[u.Out], outs = true, append(outs, u.Out)
			}
		}
		coins, _, err := w.view.Coins(outs...)
		if err != nil {
			return nil, err
		}
		for i := range coins {
			c := &coins[i]
			if relation := w.ring.Relation(c.Script); relation > keyring.Foreign {
				list = append(list, walletCoin{
					Coin:  wallet.Coin{Out: outs[i], Value: c.Value, Script: c.Script, Height: c.Height, Coinbase: c.Coinbase},
					depth: w.tip - c.Height + 1, relation: relation,
				})
			}
		}
	}
	for _, entry := range w.Pool.Entries() {
		for i := range entry.Tx.Outputs {
			out := &entry.Tx.Outputs[i]
			if !belongs(known, out.Script) {
				continue
			}
			at := wire.OutPoint{Hash: entry.ID, Index: uint32(i)}
			relation := w.ring.Relation(out.Script)
			if _, spent := w.Pool.SpentBy(at); spent || relation == keyring.Foreign {
				continue
			}
			list = append(list, walletCoin{wallet.Coin{Out: at, Value: out.Value, Script: out.Script, Height: w.tip + 1}, 0, relation, entry})
		}
	}
	slices.SortFunc(list, func(a, b walletCoin) int { return compareOuts(a.Out, b.Out) })
	return list, w.view.Err()
}

// belongs reports whether one of the known addresses is an address of an output script.
func belongs(known map[chain.Address]bool, pkScript []byte) bool {
	return slices.ContainsFunc(chain.AddressesOf(pkScript), func(a chain.Address) bool { return known[a] })
}

func compareOuts(a, b wire.OutPoint) int {
	return cmp.Or(bytes.Compare(a.Hash[:], b.Hash[:]), cmp.Compare(a.Index, b.Index))
}

// mature reports whether a coin is not the output of an immature coinbase.
func (w *walletView) mature(c *walletCoin) bool {
	return !c.Coinbase || c.depth >= w.Manager.Params().Maturity
}

// trusted reports whether a coin is in the chain, or was paid by a transaction that spends only
// coins of the wallet [komodod CWalletTx::IsTrusted].
func (w *walletView) trusted(c *walletCoin) bool {
	return c.entry == nil || w.isAllMine(c.entry)
}

func (w *walletView) isAllMine(e *mempool.Entry) bool {
	return !slices.ContainsFunc(e.Coins, func(c consensus.Coin) bool { return w.ring.Relation(c.Script) != keyring.Mine })
}

// isFromMe reports whether a transaction in the mempool spends outputs that the wallet owns or
// watches.
func (w *walletView) isFromMe(e *mempool.Entry) bool {
	return slices.ContainsFunc(e.Coins, func(c consensus.Coin) bool { return w.ring.Relation(c.Script) != keyring.Foreign })
}

// balances holds the sums of the wallet's coins, in satoshis.
type balances struct {
	trusted, unconfirmed, immature int64
}

func (w *walletView) balances() (sum balances, err error) {
	list, err := w.coins()
	for i := range list {
		switch c := &list[i]; {
		case c.relation != keyring.Mine:
		case !w.mature(c):
			sum.immature += c.Value
		case w.trusted(c):
			sum.trusted += c.Value
		default:
			sum.unconfirmed += c.Value
		}
	}
	return sum, err
}

// balance returns the sum of the coins that the wallet can spend in the next block and that have
// the given number of confirmations. With 0, it includes the wallet's change in the mempool.
func (b *Backend) balance(v *chain.View, confirmations int) (total int64, err error) {
	if b.Wallet == nil || b.Ring == nil {
		return 0, nil
	}
	w := b.walletAt(v)
	list, err := w.coins()
	for i := range list {
		if c := &list[i]; c.relation == keyring.Mine && c.depth >= confirmations && w.mature(c) && w.trusted(c) {
			total += c.Value
		}
	}
	return total, err
}

// candidates returns the coins that a payment may spend.
func (w *walletView) candidates() (list []wallet.Candidate, err error) {
	coins, err := w.coins()
	for i := range coins {
		c := &coins[i]
		if c.relation != keyring.Mine || !w.mature(c) || !w.trusted(c) || w.ring.CoinLocked(c.Out) {
			continue
		}
		fromMe := c.entry != nil
		if !fromMe && c.depth < 6 { // with more confirmations, it makes no difference whether a coin is change
			if fromMe, err = w.paidByMe(c.Out.Hash); err != nil {
				return nil, err
			}
		}
		list = append(list, wallet.Candidate{Coin: c.Coin, Depth: c.depth, FromMe: fromMe})
	}
	return list, err
}

// paidByMe reports whether a transaction of the chain spends coins of the wallet.
func (w *walletView) paidByMe(id wire.Hash) (bool, error) {
	tx, err := w.parent(id)
	if err != nil || tx.IsCoinbase() {
		return false, err
	}
	spent, err := w.spentOutputs(tx)
	return slices.ContainsFunc(spent, func(out *wire.TxOut) bool { return w.ring.Relation(out.Script) == keyring.Mine }), err
}

// parent returns a transaction of the chain or of the mempool. Transactions of the chain are
// cached.
func (w *walletView) parent(id wire.Hash) (*wire.Tx, error) {
	if tx := w.parents[id]; tx != nil {
		return tx, nil
	}
	if entry, waits := w.Pool.Entry(id); waits {
		return entry.Tx, nil
	}
	tx, err := chainTx(w.view, id)
	if err == nil {
		w.parents[id] = tx
	}
	return tx, err
}

// spentOutputs returns the outputs that a transaction spends, in the order of its inputs. A
// coinbase spends no outputs.
func (w *walletView) spentOutputs(tx *wire.Tx) (outs []*wire.TxOut, err error) {
	if tx.IsCoinbase() {
		return nil, nil
	}
	for i := range tx.Inputs {
		from := tx.Inputs[i].PrevOut
		parent, err := w.parent(from.Hash)
		if err != nil {
			return nil, err
		}
		outs = append(outs, &parent.Outputs[from.Index])
	}
	return outs, nil
}

// account returns the account of an address. named reports whether an account is set.
func (w *walletView) account(a *script.Address) (account string, named bool) {
	if a == nil {
		return "", false
	}
	entry, named := w.ring.Entry(*a)
	return entry.Account, named
}
