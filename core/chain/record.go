package chain

import (
	"encoding/binary"
	"fmt"
	"math/big"

	"obverse/core/chain/consensus"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// Record holds the metadata of a block.
type Record struct {
	Height   int
	Time     uint32
	Bits     uint32
	Prev     wire.Hash
	Work     *big.Int // total work of the branch up to this block
	Sequence uint64   // order of arrival, which decides between branches with equal work
	Size     int
	Failed   bool // whether the block was found invalid or was invalidated by the operator
	Totals   Totals
}

// Totals are the amounts in existence after a block, in satoshis. They are known once the block
// has been connected. Value is the total value of all coins of the chain. The outputs of the
// genesis block and unspendable outputs are never coins.
type Totals struct {
	Known        bool
	Value, Delta int64 // total value of all coins, and this block's share of it
	Burned       int64 // value of unspendable outputs
	BurnedDelta  int64
}

const workSize = 32

func (r *Record) encode() string {
	b := wire.AppendUint32(nil, uint32(r.Height))
	b = wire.AppendUint32(wire.AppendUint32(b, r.Time), r.Bits)
	b = append(b, r.Prev[:]...)
	b = append(b, r.Work.FillBytes(make([]byte, workSize))...)
	b = wire.AppendInt64(b, int64(r.Sequence))
	b = wire.AppendUint32(b, uint32(r.Size))
	b = append(b, flag(r.Failed)|flag(r.Totals.Known)<<1)
	for _, v := range []int64{r.Totals.Value, r.Totals.Delta, r.Totals.Burned, r.Totals.BurnedDelta} {
		b = wire.AppendInt64(b, v)
	}
	return string(b)
}

func flag(set bool) byte {
	if set {
		return 1
	}
	return 0
}

func decodeRecord(data string) (r Record, err error) {
	in := wire.NewReader([]byte(data))
	r.Height, r.Time, r.Bits = int(in.Uint32()), in.Uint32(), in.Uint32()
	r.Prev = in.Hash()
	r.Work = new(big.Int).SetBytes(in.Bytes(workSize))
	r.Sequence, r.Size = uint64(in.Int64()), int(in.Uint32())
	flags := in.Byte()
	r.Failed, r.Totals.Known = flags&1 != 0, flags&2 != 0
	r.Totals.Value, r.Totals.Delta = in.Int64(), in.Int64()
	r.Totals.Burned, r.Totals.BurnedDelta = in.Int64(), in.Int64()
	return r, in.End()
}

const (
	coinCoinbase = 1 << iota
	coinListed
	coinClaimShift = iota
)

// coinHead is the total length of the first fields of a coin record: flags, height and value.
const coinHead = 1 + 4 + 8

func encodeCoin(c *consensus.Coin) string {
	b := make([]byte, 0, 128)
	b = append(b, flag(c.Coinbase)*coinCoinbase|flag(c.Listed)*coinListed|byte(c.Claim)<<coinClaimShift)
	b = wire.AppendUint32(b, uint32(c.Height))
	b = wire.AppendInt64(b, c.Value)
	if c.Claim != token.None {
		b = append(b, c.TokenID[:]...)
	}
	return string(append(b, c.Script...))
}

func decodeCoin(data string) (c consensus.Coin, err error) {
	r := wire.NewReader([]byte(data))
	flags := r.Byte()
	c.Coinbase, c.Listed = flags&coinCoinbase != 0, flags&coinListed != 0
	if c.Claim = token.Claim(flags >> coinClaimShift); c.Claim > token.Backed {
		return c, fmt.Errorf("claim %d is unknown", c.Claim)
	}
	c.Height, c.Value = int(r.Uint32()), r.Int64()
	if c.Claim != token.None {
		c.TokenID = r.Hash()
	}
	c.Script = r.Bytes(r.Left())
	return c, r.End()
}

// txPlace is the place of a transaction in the chain.
type txPlace struct {
	height, position int
	span             wire.Span
}

func (p txPlace) encode() string {
	b := wire.AppendUint32(make([]byte, 0, 16), uint32(p.height))
	b = wire.AppendUint32(b, uint32(p.position))
	return string(wire.AppendUint32(wire.AppendUint32(b, p.span.Offset), p.span.Size))
}

func decodePlace(data string) (p txPlace, err error) {
	r := wire.NewReader([]byte(data))
	p.height, p.position = int(r.Uint32()), int(r.Uint32())
	p.span = wire.Span{Offset: r.Uint32(), Size: r.Uint32()}
	return p, r.End()
}

// Spender is the input that spent an output.
type Spender struct {
	TxID   wire.Hash
	Input  int
	Height int
}

func (s Spender) encode() string {
	b := wire.AppendUint32(append(make([]byte, 0, 40), s.TxID[:]...), uint32(s.Input))
	return string(wire.AppendUint32(b, uint32(s.Height)))
}

func decodeSpender(data string) (s Spender, err error) {
	r := wire.NewReader([]byte(data))
	s.TxID, s.Input, s.Height = r.Hash(), int(r.Uint32()), int(r.Uint32())
	return s, r.End()
}

// tokenRecord is the index record of a token's creation.
type tokenRecord struct {
	supply   int64
	creation token.Creation
}

func (t tokenRecord) encode() string {
	b := wire.AppendInt64(nil, t.supply)
	return string(append(b, flag(t.creation.IsNFT), t.creation.NFT))
}

func decodeToken(data string) (t tokenRecord, err error) {
	r := wire.NewReader([]byte(data))
	t.supply = r.Int64()
	t.creation.IsNFT, t.creation.NFT = r.Byte() != 0, r.Byte()
	return t, r.End()
}

func encodeAmounts(values ...int64) string {
	b := make([]byte, 0, 32)
	for _, v := range values {
		b = wire.AppendInt64(b, v)
	}
	return string(b)
}

// decodeUndo decodes the coins that a block spent, in the order of its inputs.
func decodeUndo(data string) (coins []consensus.Coin, err error) {
	r := wire.NewReader([]byte(data))
	coins = make([]consensus.Coin, r.Count(1))
	for i := range coins {
		record := r.VarBytes(len(data))
		if r.Err() != nil {
			break
		}
		if coins[i], err = decodeCoin(string(record)); err != nil {
			return nil, err
		}
	}
	return coins, r.End()
}

func encodeUndo(coins []consensus.Coin) string {
	size := binary.MaxVarintLen64
	for i := range coins {
		size += coinHead + len(coins[i].TokenID) + len(coins[i].Script) + binary.MaxVarintLen64
	}
	b := wire.AppendCompactSize(make([]byte, 0, size), uint64(len(coins)))
	for i := range coins {
		b = wire.AppendVarBytes(b, []byte(encodeCoin(&coins[i])))
	}
	return string(b)
}

// The tables, named by the first byte of their keys. Heights and positions are big-endian so
// that keys sort by them. Output indexes are little-endian, which yields the order of the keys
// in komodod's LevelDB.
const (
	tableMeta         = 'i' // name → data such as the chain that the store is pinned to
	tableBlock        = 'b' // block hash → raw block
	tableRecord       = 'h' // block hash → record
	tableHeight       = 'n' // height → hash of the chain's block
	tableUndo         = 'u' // block hash → coins that it spent
	tableLeaf         = 'x' // block hash → nothing: blocks without a child
	tableTx           = 't' // txid → place in the chain
	tableCoin         = 'c' // txid, index → coin
	tableSpent        = 's' // txid, index → spending input
	tableHistory      = 'a' // address, height, position, txid, index, side → value
	tableUnspent      = 'p' // address, txid, index → value, height
	tableBalance      = 'v' // address → balance, received
	tableToken        = 'k' // token id → supply, kind
	tableMarker       = 'l' // txid, index: unspent markers of creations
	tableOldMarker    = 'o' // height, position, txid, index: payments of creations to the module's plain address
	tableTokenBalance = 'q' // token id, address → tokens
	tableTokenUnspent = 'w' // token id, address, txid, index → tokens
	tableHolders      = 'g' // token id → number of addresses that hold it
	tableTokenTx      = 'j' // token id, height, position → txid, number of moved tokens
	tableTokenTxOf    = 'z' // token id, address, height, position → change of the address's tokens
	tablePublicKey    = 'e' // hash of an address → public key, height of the first block with it
)

// AddressKind distinguishes the entries of the address index: a condition output and a plain
// output of the same address have different kinds (GetAddressType in komodod).
type AddressKind byte

// Kinds of addresses.
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

// Text returns the address in base58.
func (a Address) Text() script.Address {
	version := byte(script.PubKeyHashVersion)
	if a.Kind == ScriptAddress {
		version = script.ScriptHashVersion
	}
	return script.Address{Version: version, Hash: a.Hash}
}

func (a Address) append(b []byte) []byte { return append(append(b, byte(a.Kind)), a.Hash[:]...) }

// AddressesOf returns the distinct index keys of an output script.
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

// side distinguishes the two halves of an address's history: received or spent.
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

func (p txPlace) append(b []byte) []byte {
	return binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(b, uint32(p.height)), uint32(p.position))
}

func tokenTxKey(id wire.Hash, at txPlace) string {
	return string(at.append(append(append(make([]byte, 0, 41), tableTokenTx), id[:]...)))
}

// addressTokenTxs is the prefix of the keys that list the transactions of an address.
func addressTokenTxs(id wire.Hash, a Address) string {
	return string(a.append(append(append(make([]byte, 0, 54), tableTokenTxOf), id[:]...)))
}

func addressTokenTxKey(id wire.Hash, a Address, at txPlace) string {
	return string(at.append(a.append(append(append(make([]byte, 0, 62), tableTokenTxOf), id[:]...))))
}

// publicKeyRow returns the key of the row with an address's public key. Addresses of both kinds
// share the table, since their hashes differ.
func publicKeyRow(a Address) string {
	return string(append(append(make([]byte, 0, 21), tablePublicKey), a.Hash[:]...))
}

// outPointAt decodes the outpoint at the end of an index key.
func outPointAt(key string) (o wire.OutPoint) {
	tail := key[len(key)-outPointSize:]
	copy(o.Hash[:], tail)
	o.Index = binary.LittleEndian.Uint32([]byte(tail[len(o.Hash):]))
	return o
}
