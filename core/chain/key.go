package chain

import (
	"encoding/binary"

	"obverse/core/chain/script"
	"obverse/core/chain/wire"
)

// Tables: the first byte of every key. Heights and positions are big endian so
// that keys sort by them; output indexes are little endian, which gives listings
// the order of upstream's LevelDB keys.
const (
	tableMeta         = 'i' // name → what the store is pinned to
	tableBlock        = 'b' // block hash → raw block
	tableRecord       = 'h' // block hash → record
	tableHeight       = 'n' // height → hash, of the chain
	tableUndo         = 'u' // block hash → coins that it spent
	tableLeaf         = 'x' // block hash → nothing: blocks without a child
	tableTx           = 't' // txid → where it is in the chain
	tableCoin         = 'c' // txid, index → coin
	tableSpent        = 's' // txid, index → who spent it
	tableHistory      = 'a' // address, height, position, txid, index, side → value
	tableUnspent      = 'p' // address, txid, index → value, height
	tableBalance      = 'v' // address → balance, received
	tableToken        = 'k' // token id → supply, kind
	tableMarker       = 'l' // txid, index: unspent markers of creations
	tableOldMarker    = 'o' // height, position, txid, index: payments of creations to the module's plain address
	tableTokenBalance = 'q' // token id, address → tokens
	tableTokenUnspent = 'w' // token id, address, txid, index → tokens
)

// AddressKind orders the address index: a condition output and a plain output of the same
// address have different kinds (GetAddressType).
type AddressKind byte

// The kinds.
const (
	KeyAddress       AddressKind = 1 // P2PK and P2PKH
	ScriptAddress    AddressKind = 2
	ConditionAddress AddressKind = 3
)

// Address is a key of the address index.
type Address struct {
	Kind AddressKind
	Hash [20]byte
}

// Text is the address as users write it.
func (a Address) Text() script.Address {
	version := byte(script.PubKeyHashVersion)
	if a.Kind == ScriptAddress {
		version = script.ScriptHashVersion
	}
	return script.Address{Version: version, Hash: a.Hash}
}

func (a Address) append(b []byte) []byte { return append(append(b, byte(a.Kind)), a.Hash[:]...) }

// AddressesOf lists the index keys of an output script, each once.
func AddressesOf(pkScript []byte) []Address {
	class := script.Classify(pkScript)
	kind := KeyAddress
	switch class.Type {
	case script.TypeScriptHash:
		kind = ScriptAddress
	case script.TypeCryptoCondition:
		kind = ConditionAddress
	}
	found := make([]Address, 0, len(class.Addresses))
	for _, a := range class.Addresses {
		key := Address{kind, a.Hash}
		known := false
		for _, other := range found {
			known = known || other == key
		}
		if !known {
			found = append(found, key)
		}
	}
	return found
}

func hashKey(table byte, h wire.Hash) string {
	return string(append(append(make([]byte, 0, 33), table), h[:]...))
}

func heightKey(height int) string {
	return string(binary.BigEndian.AppendUint32([]byte{tableHeight}, uint32(height)))
}

func outKey(table byte, o wire.OutPoint) string {
	return string(o.Append(append(make([]byte, 0, 37), table)))
}

func addressKey(table byte, a Address) string {
	return string(a.append(append(make([]byte, 0, 22), table)))
}

func unspentKey(a Address, o wire.OutPoint) string {
	return string(o.Append(a.append(append(make([]byte, 0, 58), tableUnspent))))
}

// side is one half of an address's history: received or spent.
type side byte

const (
	received side = 0
	spent    side = 1
)

func historyKey(a Address, at txPlace, id wire.Hash, index int, s side) string {
	b := a.append(append(make([]byte, 0, 67), tableHistory))
	b = binary.BigEndian.AppendUint32(b, uint32(at.height))
	b = binary.BigEndian.AppendUint32(b, uint32(at.position))
	b = wire.AppendUint32(append(b, id[:]...), uint32(index))
	return string(append(b, byte(s)))
}

func oldMarkerKey(at txPlace, o wire.OutPoint) string {
	b := binary.BigEndian.AppendUint32([]byte{tableOldMarker}, uint32(at.height))
	return string(o.Append(binary.BigEndian.AppendUint32(b, uint32(at.position))))
}

func tokenBalanceKey(id wire.Hash, a Address) string {
	return string(a.append(append(append(make([]byte, 0, 54), tableTokenBalance), id[:]...)))
}

func tokenUnspentKey(id wire.Hash, a Address, o wire.OutPoint) string {
	b := append(append(make([]byte, 0, 90), tableTokenUnspent), id[:]...)
	return string(o.Append(a.append(b)))
}

// outPointAt reads the outpoint at the end of an index key.
func outPointAt(key string) (o wire.OutPoint) {
	tail := key[len(key)-outPointSize:]
	copy(o.Hash[:], tail)
	o.Index = binary.LittleEndian.Uint32([]byte(tail[len(o.Hash):]))
	return o
}
