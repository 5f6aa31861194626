package chain

import (
	"obverse/core/chain/consensus"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// effects writes what blocks change, or takes it back.
type effects struct {
	*overlay
	undo bool
}

// set makes a record that the block brings into being.
func (e effects) set(key, data string) {
	if e.undo {
		e.del(key)
	} else {
		e.put(key, data)
	}
}

// clear removes a record that the block ends; data is what it held.
func (e effects) clear(key, data string) {
	if e.undo {
		e.put(key, data)
	} else {
		e.del(key)
	}
}

// add changes the sums under key. A record whose sums are zero is not kept, so that
// taking back the first change removes it.
func (e effects) add(key string, first, second int64) {
	if e.undo {
		first, second = -first, -second
	}
	sums := e.amounts(key)
	sums[0] += first
	sums[1] += second
	if sums == [2]int64{} {
		e.del(key)
	} else {
		e.put(key, encodeAmounts(sums[:]...))
	}
}

// txChange is a transaction of a block with what it spends and creates.
type txChange struct {
	tx      *wire.Tx
	id      wire.Hash
	at      txPlace
	spent   []Coin // none for the coinbase
	created []Coin // one for each output; those of unspendable ones are not kept
	moves   *token.Moves
}

// newTxChange works out the coins that tx creates.
func newTxChange(tx *wire.Tx, id wire.Hash, at txPlace, spent []Coin, lookup token.Lookup) *txChange {
	c := &txChange{tx: tx, id: id, at: at, spent: spent}
	c.moves = consensus.Tokens(tx, id, PlainCoins(spent), lookup)
	c.created = make([]Coin, len(tx.Outputs))
	for i := range tx.Outputs {
		c.created[i] = NewCoin(tx, c.moves, i, at.height)
	}
	return c
}

// NewCoin is what output i of a transaction is as a coin, in a block of that height.
func NewCoin(tx *wire.Tx, moves *token.Moves, i, height int) (c Coin) {
	out := &tx.Outputs[i]
	c.Value, c.Script, c.Height, c.Coinbase = out.Value, out.Script, height, tx.IsCoinbase()
	if i < len(moves.Claims) && moves.Claims[i] != token.None {
		c.Claim, c.TokenID = moves.Claims[i], moves.TokenID
	}
	c.Listed = moves.Creates() && token.IsMarker(out.Script)
	return c
}

// PlainCoins are coins as package consensus takes them.
func PlainCoins(coins []Coin) []consensus.Coin {
	list := make([]consensus.Coin, len(coins))
	for i := range coins {
		list[i] = coins[i].Coin
	}
	return list
}

// connect applies a transaction: inputs, then outputs.
func (e effects) connect(c *txChange) {
	for i := range c.spent {
		e.input(c, i)
	}
	for i := range c.created {
		e.output(c, i)
	}
	e.transaction(c)
}

// disconnect takes a transaction back, in the opposite order.
func (e effects) disconnect(c *txChange) {
	for i := range c.created {
		e.output(c, i)
	}
	for i := range c.spent {
		e.input(c, i)
	}
	e.transaction(c)
}

func (e effects) transaction(c *txChange) {
	e.set(hashKey(tableTx, c.id), c.at.encode())
	if c.moves.Creates() {
		record := tokenRecord{supply: c.moves.Supply(), creation: c.moves.Payload.Creation()}
		e.set(hashKey(tableToken, c.id), record.encode())
	}
}

func (e effects) output(c *txChange, i int) {
	coin, at := &c.created[i], wire.OutPoint{Hash: c.id, Index: uint32(i)}
	owners := AddressesOf(coin.Script)
	for _, a := range owners {
		e.set(historyKey(a, c.at, c.id, i, received), encodeAmounts(coin.Value))
		e.add(addressKey(tableBalance, a), coin.Value, coin.Value)
		if a == oldMarkerAddress && c.moves.Creates() {
			e.set(oldMarkerKey(c.at, at), "")
		}
	}
	if script.IsUnspendable(coin.Script) {
		return
	}
	e.set(outKey(tableCoin, at), coin.encode())
	e.held(coin, at, owners, e.set)
	e.tokens(coin, owners, coin.Value)
}

func (e effects) input(c *txChange, i int) {
	coin, at := &c.spent[i], c.tx.Inputs[i].PrevOut
	owners := AddressesOf(coin.Script)
	for _, a := range owners {
		e.set(historyKey(a, c.at, c.id, i, spent), encodeAmounts(-coin.Value))
		e.add(addressKey(tableBalance, a), -coin.Value, 0)
	}
	e.clear(outKey(tableCoin, at), coin.encode())
	e.held(coin, at, owners, e.clear)
	e.tokens(coin, owners, -coin.Value)
	e.set(outKey(tableSpent, at), Spender{c.id, i, c.at.height}.encode())
}

// held writes the records that exist while a coin is unspent.
func (e effects) held(coin *Coin, at wire.OutPoint, owners []Address, write func(key, data string)) {
	for _, a := range owners {
		write(unspentKey(a, at), encodeAmounts(coin.Value, int64(coin.Height)))
		if coin.Claim == token.Backed {
			write(tokenUnspentKey(coin.TokenID, a, at), encodeAmounts(coin.Value))
		}
	}
	if coin.Listed {
		write(outKey(tableMarker, at), "")
	}
}

func (e effects) tokens(coin *Coin, owners []Address, change int64) {
	if coin.Claim != token.Backed {
		return
	}
	for _, a := range owners {
		e.add(tokenBalanceKey(coin.TokenID, a), change, 0)
	}
}

func (c *txChange) creates() bool {
	return c.moves.Payload != nil && c.moves.Payload.Func == token.Create
}

// oldMarkerAddress is the plain address of the module's key, where daemons of 2018
// marked a token.
var oldMarkerAddress = Address{KeyAddress, [20]byte{
	0x21, 0xf1, 0xe8, 0x00, 0xfe, 0x30, 0x15, 0x0e, 0x37, 0xdf, 0x7b, 0x7b, 0xe7, 0xc8, 0xf9, 0x78, 0xaa, 0xfb, 0x8f, 0xdc,
}}
