package chain

import (
	"obverse/core/chain/consensus"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// indexer writes the effects of blocks to the tables, or takes them back.
type indexer struct {
	*overlay
	undo bool
}

// set makes a record that the block brings into being.
func (x indexer) set(key, data string) {
	if x.undo {
		x.del(key)
	} else {
		x.put(key, data)
	}
}

// clear removes a record that the block ends; data is its old value.
func (x indexer) clear(key, data string) {
	if x.undo {
		x.put(key, data)
	} else {
		x.del(key)
	}
}

// add changes the sums under key. It deletes a record whose sums become zero, so that reverting
// the first change removes the record.
func (x indexer) add(key string, first, second int64) {
	if x.undo {
		first, second = -first, -second
	}
	sums := x.amounts(key)
	sums[0] += first
	sums[1] += second
	if sums == [2]int64{} {
		x.del(key)
	} else {
		x.put(key, encodeAmounts(sums[:]...))
	}
}

// connect applies a transaction: inputs, then outputs.
func (x indexer) connect(e *consensus.TxEffects, at txPlace) {
	for i := range e.Spent {
		x.input(e, i, at)
	}
	for i := range e.Created {
		x.output(e, i, at)
	}
	x.transaction(e, at)
}

// disconnect takes a transaction back, in the opposite order.
func (x indexer) disconnect(e *consensus.TxEffects, at txPlace) {
	for i := range e.Created {
		x.output(e, i, at)
	}
	for i := range e.Spent {
		x.input(e, i, at)
	}
	x.transaction(e, at)
}

func (x indexer) transaction(e *consensus.TxEffects, at txPlace) {
	x.set(hashKey(tableTx, e.ID), at.encode())
	if e.Transfers.Creates() {
		record := tokenRecord{supply: e.Transfers.Supply(), creation: e.Transfers.Payload.Creation()}
		x.set(hashKey(tableToken, e.ID), record.encode())
	}
}

func (x indexer) output(e *consensus.TxEffects, i int, at txPlace) {
	coin, out := &e.Created[i], wire.OutPoint{Hash: e.ID, Index: uint32(i)}
	owners := AddressesOf(coin.Script)
	for _, a := range owners {
		x.set(historyKey(a, at, e.ID, i, received), encodeAmounts(coin.Value))
		x.add(addressKey(tableBalance, a), coin.Value, coin.Value)
		if a == oldMarkerAddress && e.Transfers.Creates() {
			x.set(oldMarkerKey(at, out), "")
		}
	}
	if script.IsUnspendable(coin.Script) {
		return
	}
	x.set(outKey(tableCoin, out), encodeCoin(coin))
	x.held(coin, out, owners, x.set)
	x.tokens(coin, owners, coin.Value)
}

func (x indexer) input(e *consensus.TxEffects, i int, at txPlace) {
	coin, out := &e.Spent[i], e.Tx.Inputs[i].PrevOut
	owners := AddressesOf(coin.Script)
	for _, a := range owners {
		x.set(historyKey(a, at, e.ID, i, spent), encodeAmounts(-coin.Value))
		x.add(addressKey(tableBalance, a), -coin.Value, 0)
	}
	held := "" // what a deleted record held is not asked for
	if x.undo {
		held = encodeCoin(coin)
	}
	x.clear(outKey(tableCoin, out), held)
	x.held(coin, out, owners, x.clear)
	x.tokens(coin, owners, -coin.Value)
	x.set(outKey(tableSpent, out), Spender{e.ID, i, at.height}.encode())
}

// held writes the records that exist while a coin is unspent.
func (x indexer) held(coin *consensus.Coin, out wire.OutPoint, owners []Address, write func(key, data string)) {
	for _, a := range owners {
		write(unspentKey(a, out), encodeAmounts(coin.Value, int64(coin.Height)))
		if coin.Claim == token.Backed {
			write(tokenUnspentKey(coin.TokenID, a, out), encodeAmounts(coin.Value))
		}
	}
	if coin.Listed {
		write(outKey(tableMarker, out), "")
	}
}

func (x indexer) tokens(coin *consensus.Coin, owners []Address, change int64) {
	if coin.Claim != token.Backed {
		return
	}
	for _, a := range owners {
		x.add(tokenBalanceKey(coin.TokenID, a), change, 0)
	}
}

// oldMarkerAddress is the plain address of the module's key, where daemons of 2018
// marked a token.
var oldMarkerAddress = Address{KeyAddress, [20]byte{
	0x21, 0xf1, 0xe8, 0x00, 0xfe, 0x30, 0x15, 0x0e, 0x37, 0xdf, 0x7b, 0x7b, 0xe7, 0xc8, 0xf9, 0x78, 0xaa, 0xfb, 0x8f, 0xdc,
}}
