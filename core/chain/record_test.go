package chain

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/consensus"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

func sampleRecord() Record {
	return Record{Height: 7, Time: 1_700_000_000, Bits: 0x200f0f0f, Prev: wire.Hash{1, 2}, Work: big.NewInt(1 << 40),
		Sequence: 9, Size: 1234, Failed: true,
		Totals: Totals{Known: true, Value: 1 << 50, Delta: -5, Burned: 6, BurnedDelta: 1}}
}

func sampleCoins() []consensus.Coin {
	held := consensus.Coin{Coin: token.Coin{Value: 5, Script: []byte("tokens"), Claim: token.Backed, TokenID: wire.Hash{3}}, Height: 8}
	claimed := held
	claimed.Claim, claimed.Height = token.Claimed, 1<<32-1
	marker := consensus.Coin{Coin: token.Coin{Value: 10_000, Script: []byte("marker")}, Height: 2, Listed: true}
	plain := consensus.Coin{Coin: token.Coin{Value: 1<<63 - 1, Script: []byte{}}, Coinbase: true}
	return []consensus.Coin{held, claimed, marker, plain}
}

// codec is a kind of record. Its decode function is the inverse of encode.
type codec struct {
	name   string
	value  any
	data   string
	decode func(string) (any, error)
	open   bool // whether the record has no fixed end, so that a prefix may also be valid
}

func codecs() []codec {
	record, place := sampleRecord(), txPlace{1, 2, wire.Span{Offset: 3, Size: 4}}
	spender := Spender{wire.Hash{5}, 6, 7}
	nft := tokenRecord{supply: 1, creation: token.Creation{NFT: 0xf1, IsNFT: true}}
	list := []codec{
		{"record", record, record.encode(), func(s string) (any, error) { return decodeRecord(s) }, false},
		{"place", place, place.encode(), func(s string) (any, error) { return decodePlace(s) }, false},
		{"spender", spender, spender.encode(), func(s string) (any, error) { return decodeSpender(s) }, false},
		{"token", nft, nft.encode(), func(s string) (any, error) { return decodeToken(s) }, false},
		{"undo", sampleCoins(), encodeUndo(sampleCoins()), func(s string) (any, error) { return decodeUndo(s) }, false},
		{"undo of a block that spends nothing", []consensus.Coin{}, encodeUndo(nil), func(s string) (any, error) { return decodeUndo(s) }, false},
	}
	for i, c := range sampleCoins() {
		list = append(list, codec{fmt.Sprint("coin ", i), c, encodeCoin(&c), func(s string) (any, error) { return decodeCoin(s) }, true})
	}
	return list
}

// TestRecords decodes each sample record, and checks that shorter and longer data is refused.
func TestRecords(t *testing.T) {
	for _, c := range codecs() {
		t.Run(c.name, func(t *testing.T) {
			got, err := c.decode(c.data)
			require.NoError(t, err)
			require.Equal(t, c.value, got)
			if c.open {
				_, err = c.decode(c.data[:coinHead-1])
				require.ErrorIs(t, err, wire.ErrShort)
				return
			}
			for size := range len(c.data) {
				_, err := c.decode(c.data[:size])
				require.Error(t, err, "%d bytes of %d", size, len(c.data))
			}
			_, err = c.decode(c.data + "\x00")
			require.ErrorIs(t, err, wire.ErrTrailing)
		})
	}
}

// TestRecordBounds encodes the largest numbers that a record can hold.
func TestRecordBounds(t *testing.T) {
	r := sampleRecord()
	r.Work = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 8*workSize), big.NewInt(1))
	r.Sequence, r.Size, r.Failed, r.Totals = 1<<64-1, 1<<32-1, false, Totals{}
	got, err := decodeRecord(r.encode())
	require.NoError(t, err)
	require.Equal(t, r, got)
}

// TestUndoWithHugeCount checks that a count of coins that exceeds the data does not allocate
// memory.
func TestUndoWithHugeCount(t *testing.T) {
	data := string(wire.AppendCompactSize(nil, 1<<24)) + "rest"
	_, err := decodeUndo(data)
	require.Error(t, err)
	allocated := testing.AllocsPerRun(1, func() { _, _ = decodeUndo(data) })
	require.Less(t, allocated, 10.0)
	short := encodeCoin(&sampleCoins()[0])[:5]
	_, err = decodeUndo("\x01" + string(wire.AppendVarBytes(nil, []byte(short))))
	require.ErrorIs(t, err, wire.ErrShort, "a coin inside")
}

// TestKeyOrder checks that keys sort in the documented order of listings.
func TestKeyOrder(t *testing.T) {
	a, id := Address{KeyAddress, [20]byte{9}}, wire.Hash{7}
	out := func(first byte, index uint32) wire.OutPoint {
		return wire.OutPoint{Hash: wire.Hash{first}, Index: index}
	}
	at := func(height, position int) txPlace { return txPlace{height: height, position: position} }
	for name, keys := range map[string][]string{
		"heights":  {heightKey(0), heightKey(1), heightKey(255), heightKey(256), heightKey(1 << 24)},
		"unspent":  {unspentKey(a, out(1, 5)), unspentKey(a, out(2, 0)), unspentKey(a, out(2, 1)), unspentKey(a, out(3, 0))},
		"old list": {oldMarkerKey(at(1, 300), out(9, 0)), oldMarkerKey(at(2, 1), out(9, 0)), oldMarkerKey(at(256, 0), out(1, 0))},
		"history": {historyKey(a, at(1, 9), id, 0, received), historyKey(a, at(1, 9), id, 0, spent), historyKey(a, at(1, 9), id, 1, received),
			historyKey(a, at(1, 256), id, 0, received), historyKey(a, at(2, 0), id, 0, received)},
		"upstream's order of outputs": {unspentKey(a, out(1, 256)), unspentKey(a, out(1, 1)), unspentKey(a, out(1, 257))},
	} {
		for i := range keys[1:] {
			require.Less(t, keys[i], keys[i+1], "%s %d", name, i)
		}
	}
	require.Equal(t, out(2, 1<<31), outPointAt(unspentKey(a, out(2, 1<<31))))
	require.Equal(t, out(3, 4), outPointAt(tokenUnspentKey(id, a, out(3, 4))))
}

// TestTablesAreApart checks that the keys of no two tables start with the same byte.
func TestTablesAreApart(t *testing.T) {
	seen := map[byte]bool{}
	for _, table := range []byte{tableMeta, tableBlock, tableRecord, tableHeight, tableUndo, tableLeaf, tableTx, tableCoin, tableSpent,
		tableHistory, tableUnspent, tableBalance, tableToken, tableMarker, tableOldMarker, tableTokenBalance, tableTokenUnspent,
		tableHolders, tableTokenTx, tableTokenTxOf, tablePublicKey} {
		require.False(t, seen[table], "%q", table)
		seen[table] = true
	}
	require.Equal(t, byte(tableMeta), tipKey[0])
}

// FuzzRecords decodes arbitrary bytes and checks that accepted data encodes to the same bytes.
func FuzzRecords(f *testing.F) {
	for _, c := range codecs() {
		f.Add(c.data)
		f.Add(strings.Repeat(c.data, 2))
	}
	f.Fuzz(func(t *testing.T, data string) {
		if p, err := decodePlace(data); err == nil {
			require.Equal(t, data, p.encode())
		}
		if s, err := decodeSpender(data); err == nil {
			require.Equal(t, data, s.encode())
		}
		if c, err := decodeCoin(data); err == nil {
			require.Equal(t, data, encodeCoin(&c))
		}
		if coins, err := decodeUndo(data); err == nil {
			again, err := decodeUndo(encodeUndo(coins))
			require.NoError(t, err)
			require.Equal(t, coins, again)
		}
		if r, err := decodeRecord(data); err == nil {
			again, err := decodeRecord(r.encode())
			require.NoError(t, err)
			require.Equal(t, r, again)
		}
		_, _ = decodeToken(data)
	})
}

// TestReceivedIsNeverNegative moves coins until their sum exceeds 64 bits.
func TestReceivedIsNeverNegative(t *testing.T) {
	const value = 1 << 62
	a := Address{Kind: ConditionAddress}
	key := addressKey(tableBalance, a)
	x := newIndexer(&overlay{}, false)
	x.put(key, encodeAmounts(0, 0))
	undo := newIndexer(x.overlay, true)
	for _, want := range []int64{value, math.MaxInt64, math.MaxInt64, math.MaxInt64, math.MaxInt64} {
		x.add(key, value, value)
		undo.add(key, value, value)
		x.add(key, value, value)
		x.add(key, -value, 0)
		balance, received, err := (&View{o: x.overlay}).Balance(a)
		require.NoError(t, err)
		require.Zero(t, balance)
		require.Equal(t, want, received)
	}
}
