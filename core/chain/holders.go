package chain

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"

	"obverse/core/chain/consensus"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

// move is the change that a transaction makes to the tokens of an address.
type move struct {
	id    wire.Hash
	owner Address
}

// moves returns the changes of a transaction by token and address. A payment of an address to
// itself is a change of 0.
func moves(e *consensus.TxEffects) map[move]int64 {
	var changes map[move]int64
	add := func(coin *consensus.Coin, sign int64) {
		if coin.Claim != token.Backed {
			return
		}
		if changes == nil {
			changes = map[move]int64{}
		}
		for _, a := range AddressesOf(coin.Script) {
			changes[move{coin.TokenID, a}] += sign * coin.Value
		}
	}
	for i := range e.Spent {
		add(&e.Spent[i], -1)
	}
	for i := range e.Created {
		add(&e.Created[i], 1)
	}
	return changes
}

// tokenHistory writes the rows that list a transaction under the tokens that it moves and the
// addresses that send or receive them, and the public keys in it.
func (x indexer) tokenHistory(e *consensus.TxEffects, at txPlace) {
	received := map[wire.Hash]int64{}
	if e.Transfers.Creates() {
		received[e.ID] = 0 // also for a token that its creation does not back
	}
	for m, change := range moves(e) {
		received[m.id] += max(change, 0)
		x.set(addressTokenTxKey(m.id, m.owner, at), encodeAmounts(change))
	}
	for id, amount := range received {
		x.set(tokenTxKey(id, at), string(wire.AppendInt64(e.ID[:len(e.ID):len(e.ID)], amount)))
	}
	x.keys(e, at.height)
}

// holders updates the number of addresses that hold a token.
func (x indexer) holders(id wire.Hash, change int64) {
	key := hashKey(tableHolders, id)
	n, err := decodeCount(x.get(key))
	if err != nil {
		x.fail(err)
		return
	}
	if n += change; n == 0 {
		x.del(key)
	} else {
		x.put(key, encodeAmounts(n))
	}
}

func decodeCount(v store.Value) (int64, error) {
	if !v.Present {
		return 0, nil
	}
	if len(v.Data) != 8 {
		return 0, corrupt("number of holders", fmt.Errorf("record has %d bytes, want 8", len(v.Data)))
	}
	return int64At(v.Data, 0)
}

// keys writes the public keys that are in no earlier transaction of the chain, under the
// addresses of their coins and of their tokens. A row belongs to the block of that transaction
// and is removed with it.
func (x indexer) keys(e *consensus.TxEffects, height int) {
	var nft byte
	if e.Transfers.Payload != nil {
		nft = e.Transfers.NFT()
		for i := range e.Transfers.Payload.Keys {
			x.key(e.Transfers.Payload.Keys[i], nft, height)
		}
		if owner := e.Transfers.Payload.Owner; len(owner) == token.KeySize {
			x.key(token.Key(owner), nft, height)
		}
		for _, signer := range e.Transfers.Signers {
			x.key(signer, nft, height)
		}
	}
	for i := range e.Created {
		if key, ok := payee(e.Created[i].Script); ok {
			x.key(key, 0, height)
		}
	}
	for i := range e.Spent {
		if key, ok := payer(e.Spent[i].Script, e.Tx.Inputs[i].ScriptSig); ok {
			x.key(key, 0, height)
		}
	}
}

// key writes the rows of one key. nft is the code that guards the token in addition to the
// module's own, or 0.
func (x indexer) key(key token.Key, nft byte, height int) {
	known := revealedKey{key, nft}
	if x.revealed[known] {
		return
	}
	x.revealed[known] = true
	plain := Address{KeyAddress, script.Hash160(key[:])}
	if x.show(plain, key, height) {
		x.show(conditionOf([]byte{token.Eval}, key), key, height)
	}
	if nft != 0 {
		x.show(conditionOf(token.HolderCodes(nft), key), key, height)
	}
}

// revealedKey is a key with rows that a block has written.
type revealedKey struct {
	key token.Key
	nft byte
}

// show writes one row unless an earlier block has written it, or removes it when a block is
// undone. It reports whether it changed anything.
func (x indexer) show(a Address, key token.Key, height int) bool {
	name := publicKeyRow(a)
	found := x.get(name)
	if !x.undo && !found.Present {
		x.put(name, encodePublicKey(key, height))
		return true
	}
	if x.undo && found.Present {
		_, first, err := decodePublicKey(found)
		if err != nil {
			x.fail(err)
		}
		if first == height {
			x.del(name)
			return true
		}
	}
	return false
}

func conditionOf(codes []byte, key token.Key) Address {
	return Address{ConditionAddress, script.PubKeyAddress(token.Script(codes, key)).Hash}
}

func encodePublicKey(key token.Key, height int) string {
	return string(wire.AppendUint32(append(make([]byte, 0, 37), key[:]...), uint32(height)))
}

func decodePublicKey(v store.Value) (key token.Key, height int, err error) {
	if len(v.Data) != len(key)+4 {
		return key, 0, corrupt("public key", fmt.Errorf("record has %d bytes, want %d", len(v.Data), len(key)+4))
	}
	copy(key[:], v.Data)
	return key, int(binary.LittleEndian.Uint32([]byte(v.Data[len(key):]))), nil
}

// payee returns the key in a P2PK output, if it is compressed.
func payee(pkScript []byte) (key token.Key, ok bool) {
	if len(pkScript) != 2+len(key) || pkScript[0] != byte(len(key)) || pkScript[1+len(key)] != script.OpCheckSig {
		return key, false
	}
	copy(key[:], pkScript[1:])
	return key, true
}

// payer returns the key in an input that spends a P2PKH output.
func payer(pkScript, scriptSig []byte) (key token.Key, ok bool) {
	const p2pkh = 25
	if len(pkScript) != p2pkh || len(scriptSig) <= len(key) || scriptSig[len(scriptSig)-len(key)-1] != byte(len(key)) {
		return key, false
	}
	copy(key[:], scriptSig[len(scriptSig)-len(key):])
	hash := script.Hash160(key[:])
	return key, string(pkScript[3:23]) == string(hash[:])
}

// PublicKey returns the public key of an address, if it is in a transaction of the chain. The
// address may be of the key's coins or of its tokens.
func (v *View) PublicKey(a Address) (key token.Key, known bool) {
	found := v.o.get(publicKeyRow(a))
	if !found.Present {
		return key, false
	}
	key, _, err := decodePublicKey(found)
	if err != nil {
		v.o.fail(err)
	}
	return key, err == nil
}

// Holder is an address that holds tokens.
type Holder struct {
	Address Address
	Balance int64
	Key     token.Key
	Known   bool // whether Key is in a transaction of the chain
}

// Holders returns at most limit addresses that hold a token, sorted by the bytes of their
// hashes. It begins with the first address, or after an address that need not hold any tokens.
func (v *View) Holders(id wire.Hash, after *Address, limit int) (holders []Holder, err error) {
	prefix, from := hashKey(tableTokenBalance, id), ""
	if after != nil {
		from = tokenBalanceKey(id, *after)
	}
	page, err := v.o.kv.Scan(v.o.ctx, prefix, from, limit)
	if err != nil {
		return nil, fmt.Errorf("read chain data: %w", err)
	}
	var rows []string
	for _, entry := range page {
		var h Holder
		if len(entry.Key) != len(prefix)+1+len(h.Address.Hash) || len(entry.Data) != 16 {
			return nil, corrupt(fmt.Sprintf("record %x", entry.Key), wire.ErrShort)
		}
		h.Address.Kind = AddressKind(entry.Key[len(prefix)])
		copy(h.Address.Hash[:], entry.Key[len(prefix)+1:])
		h.Balance, _ = int64At(entry.Data, 0)
		holders = append(holders, h)
		rows = append(rows, publicKeyRow(h.Address))
	}
	v.o.fetch(rows...)
	for i := range holders {
		holders[i].Key, holders[i].Known = v.PublicKey(holders[i].Address)
	}
	return holders, v.o.err
}

// HolderCount returns the number of addresses that hold a token.
func (v *View) HolderCount(id wire.Hash) (int64, error) {
	n, err := decodeCount(v.o.get(hashKey(tableHolders, id)))
	return n, cmp.Or(v.o.err, err)
}

// TokenTx is a transaction that moves a token.
type TokenTx struct {
	TxID             wire.Hash
	Height, Position int
	// Amount is the number of tokens that were moved, including tokens of a creation. In a list
	// for one address, it is the change of its balance.
	Amount int64
}

// TokenTxs returns at most limit transactions that move a token, the oldest first. It begins
// after the transaction after, or at the block with the given height. With an address, it
// returns only transactions that change the address's balance. It fails with ErrNotFound if
// after is not in the chain.
func (v *View) TokenTxs(id wire.Hash, holder *Address, after *wire.Hash, height, limit int) (txs []TokenTx, err error) {
	prefix := hashKey(tableTokenTx, id)
	if holder != nil {
		prefix = addressTokenTxs(id, *holder)
	}
	from := prefix
	if height > 0 { // after all transactions of the previous block
		from = string(txPlace{height - 1, math.MaxUint32, wire.Span{}}.append([]byte(prefix)))
	}
	if after != nil {
		found := v.o.get(hashKey(tableTx, *after))
		if !found.Present {
			return nil, cmp.Or(v.o.err, ErrNotFound)
		}
		at, err := decodePlace(found.Data)
		if err != nil {
			return nil, corrupt("transaction index", err)
		}
		from = max(from, string(at.append([]byte(prefix))))
	}
	page, err := v.o.kv.Scan(v.o.ctx, prefix, from, limit)
	if err != nil {
		return nil, fmt.Errorf("read chain data: %w", err)
	}
	rows := make([]string, len(page))
	for i, entry := range page {
		const tail = 4 + 4
		if len(entry.Key) != len(prefix)+tail {
			return nil, corrupt(fmt.Sprintf("key %x", entry.Key), wire.ErrShort)
		}
		place := []byte(entry.Key[len(prefix):])
		txs = append(txs, TokenTx{Height: int(binary.BigEndian.Uint32(place)), Position: int(binary.BigEndian.Uint32(place[4:]))})
		rows[i] = hashKey(tableTokenTx, id) + string(place)
	}
	if holder != nil {
		v.o.fetch(rows...)
	}
	for i, entry := range page {
		data := entry.Data
		if holder != nil {
			data = v.o.get(rows[i]).Data
		}
		r := wire.NewReader([]byte(data))
		txs[i].TxID, txs[i].Amount = r.Hash(), r.Int64()
		if !v.sound(entry, r) {
			return nil, v.o.err
		}
		if holder != nil {
			r = wire.NewReader([]byte(entry.Data))
			if txs[i].Amount = r.Int64(); !v.sound(entry, r) {
				return nil, v.o.err
			}
		}
	}
	return txs, v.o.err
}
