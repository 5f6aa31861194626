package mempool

import (
	"iter"

	"obverse/core/chain"
	"obverse/core/chain/wire"
)

// output is an output of a transaction in the pool, in the list of an address that it pays to.
type output struct {
	entry      *Entry
	index      int
	list       *outputList
	prev, next *output
}

// outputList lists the outputs that pay to one address, parents before children.
type outputList struct {
	owner       chain.Address
	first, last *output
}

// list adds the outputs of the newest entry to the lists of their addresses.
func (p *Pool) list(e *Entry) {
	for i := range e.Tx.Outputs {
		for _, owner := range chain.AddressesOf(e.Tx.Outputs[i].Script) {
			l := p.outputs[owner]
			if l == nil {
				l = &outputList{owner: owner}
				p.outputs[owner] = l
			}
			out := &output{entry: e, index: i, list: l, prev: l.last}
			if l.last == nil {
				l.first = out
			} else {
				l.last.next = out
			}
			l.last = out
			e.outputs = append(e.outputs, out)
		}
	}
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
			delete(p.outputs, l.owner)
		}
	}
	e.outputs = nil
}

// Unspent iterates over the unspent outputs of the pool that pay to an address, parents before
// children. Its duration does not depend on the outputs of other addresses.
func (p *Pool) Unspent(a chain.Address) iter.Seq2[*Entry, int] {
	return func(yield func(*Entry, int) bool) {
		l := p.outputs[a]
		if l == nil {
			return
		}
		for out := l.first; out != nil; out = out.next {
			if p.spenders[wire.OutPoint{Hash: out.entry.ID, Index: uint32(out.index)}] != nil {
				continue
			}
			if !yield(out.entry, out.index) {
				return
			}
		}
	}
}
