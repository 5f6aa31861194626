package mempool

import (
	"iter"

	"obverse/core/chain"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
)

// output is an output of a transaction in the pool, in the list of an address that it pays to.
type output struct {
	entry      *Entry
	index      int
	shared     bool // whether it also pays to other addresses
	list       *outputList
	prev, next *output
}

// outputList lists the outputs that pay to one address, parents before children.
type outputList struct {
	owner       chain.Address
	in          outputLists
	first, last *output
}

type outputLists map[chain.Address]*outputList

func (lists outputLists) add(owner chain.Address, out *output) {
	l := lists[owner]
	if l == nil {
		l = &outputList{owner: owner, in: lists}
		lists[owner] = l
	}
	out.list, out.prev = l, l.last
	if l.last == nil {
		l.first = out
	} else {
		l.last.next = out
	}
	l.last = out
	out.entry.outputs = append(out.entry.outputs, out)
}

// list adds the outputs of the newest entry to the lists of their addresses.
func (p *Pool) list(e *Entry) {
	payers := e.payers()
	for i := range e.Tx.Outputs {
		owners := chain.AddressesOf(e.Tx.Outputs[i].Script)
		for _, owner := range owners {
			p.outputs.add(owner, &output{entry: e, index: i, shared: len(owners) > 1})
			if payers[owner] {
				p.change.add(owner, &output{entry: e, index: i, shared: len(owners) > 1})
			}
		}
	}
}

// payers returns the addresses whose owners have signed the transaction. For a coin of several
// keys, these may be the others.
func (e *Entry) payers() map[chain.Address]bool {
	payers := map[chain.Address]bool{}
	for i := range e.Coins {
		if script.Classify(e.Coins[i].Script).Type == script.TypeMultiSig {
			continue
		}
		for _, owner := range chain.AddressesOf(e.Coins[i].Script) {
			payers[owner] = true
		}
	}
	return payers
}

// unlist removes the outputs of an entry from the lists.
func (p *Pool) unlist(e *Entry) {
	for _, out := range e.outputs {
		l := out.list
		if out.prev == nil {
			l.first = out.next
		} else {
			out.prev.next = out.next
		}
		if out.next == nil {
			l.last = out.prev
		} else {
			out.next.prev = out.prev
		}
		if l.first == nil {
			delete(l.in, l.owner)
		}
	}
	e.outputs = nil
}

// Unspent iterates over the unspent outputs of the pool that pay to an address, parents before
// children. Its duration does not depend on the outputs of other addresses.
func (p *Pool) Unspent(a chain.Address) iter.Seq2[*Entry, int] { return p.unspent(p.outputs, a, true) }

// Sole is like Unspent, without the outputs that also pay to other addresses.
func (p *Pool) Sole(a chain.Address) iter.Seq2[*Entry, int] { return p.unspent(p.outputs, a, false) }

// Change is like Sole, but only for transactions that spend a coin of the same address, so that
// its owner has signed them. Its duration does not depend on the transactions of others.
func (p *Pool) Change(a chain.Address) iter.Seq2[*Entry, int] { return p.unspent(p.change, a, false) }

func (p *Pool) unspent(lists outputLists, a chain.Address, shared bool) iter.Seq2[*Entry, int] {
	return func(yield func(*Entry, int) bool) {
		l := lists[a]
		if l == nil {
			return
		}
		for out := l.first; out != nil; out = out.next {
			if out.shared && !shared || p.spenders[wire.OutPoint{Hash: out.entry.ID, Index: uint32(out.index)}] != nil {
				continue
			}
			if !yield(out.entry, out.index) {
				return
			}
		}
	}
}
