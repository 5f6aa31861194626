package token

import (
	"bytes"
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/script"
	"obverse/core/chain/wire"
)

var samplePayloads = map[string]*Payload{
	"create":           {Func: Create, Owner: bytes.Repeat([]byte{2}, 33), Name: "TOK", Description: "a token"},
	"create of little": {Func: Create, Owner: []byte{}},
	"create with data": {Func: Create, Owner: []byte{2}, Name: "\xff", Blobs: []Blob{{NFTData, []byte{0xf1, 1}}}},
	"import": {Func: Create, Owner: []byte{2}, Name: "x", Blobs: []Blob{
		{NFTData, []byte{}}, {ImportData, bytes.Repeat([]byte{7}, 300)},
	}},
	"transfer":                  {Func: Transfer, TokenID: wire.HashOf(nil), Keys: []Key{burnKey}},
	"transfer without an owner": {Func: Transfer, TokenID: wire.HashOf(nil)},
	"transfer to two":           {Func: Transfer, TokenID: wire.HashOf(nil), Keys: []Key{burnKey, globalKey}},
	"transfer with blobs":       {Func: Transfer, Keys: []Key{burnKey}, Blobs: []Blob{{0x80, []byte("b")}, {AssetsData, []byte{0xe3, 's'}}}},
}

func TestPayloadRoundTrip(t *testing.T) {
	for name, p := range samplePayloads {
		t.Run(name, func(t *testing.T) {
			pkScript := p.Script()
			got, err := DecodePayload(pkScript)
			require.NoError(t, err)
			require.Equal(t, p, got)
		})
	}
}

// payloadOf returns the data of a payload's script.
func payloadOf(t *testing.T, p *Payload) []byte {
	t.Helper()
	data, ok := payloadBytes(p.Script())
	require.True(t, ok)
	return bytes.Clone(data)
}

// TestPayloadCutShort checks that no prefix of a payload is a payload, except that a payload
// may end after any blob, and that komodod ignores the id of a missing blob.
func TestPayloadCutShort(t *testing.T) {
	for name, p := range samplePayloads {
		t.Run(name, func(t *testing.T) {
			ends := map[int]bool{}
			for i := range p.Blobs {
				shorter := *p
				shorter.Blobs = p.Blobs[:i]
				end := len(payloadOf(t, &shorter))
				ends[end], ends[end+1] = true, true
			}
			whole := payloadOf(t, p)
			for n := range whole {
				_, err := DecodePayload(script.NullData(whole[:n]))
				if ends[n] {
					require.NoError(t, err, "%d bytes", n)
				} else {
					require.ErrorIs(t, err, ErrPayload, "%d bytes", n)
				}
			}
		})
	}
}

func TestPayloadLoneTrailingByte(t *testing.T) {
	for _, name := range []string{"create", "transfer"} {
		p := samplePayloads[name]
		got, err := DecodePayload(script.NullData(append(payloadOf(t, p), 0x11)))
		require.NoError(t, err)
		require.Equal(t, p, got)
	}
}

func TestPayloadCorrupted(t *testing.T) {
	edit := func(change func(data []byte) []byte) func([]byte) []byte {
		return func(data []byte) []byte { return script.NullData(change(data)) }
	}
	set := func(at int, value byte) func([]byte) []byte {
		return edit(func(data []byte) []byte { data[at] = value; return data })
	}
	for _, c := range []struct {
		name    string
		payload string
		corrupt func(data []byte) (pkScript []byte)
	}{
		{"no push", "transfer", func([]byte) []byte { return []byte{script.OpReturn} }},
		{"no OP_RETURN", "transfer", script.PushData},
		{"pushed before OP_RETURN", "transfer", func(data []byte) []byte {
			return append(script.PushData(data), script.OpReturn)
		}},
		{"push past the end", "transfer", func(data []byte) []byte {
			pkScript := script.NullData(data)
			return pkScript[:len(pkScript)-1]
		}},
		{"small number in place of a push", "transfer", func([]byte) []byte { return []byte{script.OpReturn, script.Op1} }},
		{"old eval code e3", "create", set(0, 0xe3)},
		{"eval code f3", "transfer", set(0, 0xf3)},
		{"function x", "transfer", set(1, 'x')},
		{"function T", "transfer", set(1, 'T')},
		{"import function i", "create", set(1, 'i')},
		{"create read as a transfer", "create", set(1, 't')},
		{"transfer read as a create", "transfer", set(1, 'c')},
		{"three keys", "transfer", set(34, 3)},
		{"one key more", "transfer", set(34, 2)},
		{"a key less", "transfer", set(34, 0)},
		{"key of 31 bytes", "transfer", set(35, 31)},
		{"two bytes after", "transfer", edit(func(data []byte) []byte { return append(data, 0x11, 1) })},
		{"long form of a size", "create", edit(func(data []byte) []byte {
			return append(append(data[:2:2], 0xfd, 33, 0), data[3:]...)
		})},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := DecodePayload(c.corrupt(payloadOf(t, samplePayloads[c.payload])))
			require.ErrorIs(t, err, ErrPayload)
		})
	}
}

// TestPayloadInAnyPush checks that pushes need not be minimal, and that bytes after the first
// push are ignored.
func TestPayloadInAnyPush(t *testing.T) {
	p := samplePayloads["transfer"]
	data := payloadOf(t, p)
	for _, pkScript := range [][]byte{
		append([]byte{script.OpReturn, script.OpPushData2, byte(len(data)), 0}, data...),
		append([]byte{script.OpReturn, script.OpPushData4, byte(len(data)), 0, 0, 0}, data...),
		append(p.Script(), script.OpReturn),
	} {
		got, err := DecodePayload(pkScript)
		require.NoError(t, err)
		require.Equal(t, p, got)
	}
}

func TestPayloadOldStyle(t *testing.T) {
	base := payloadOf(t, samplePayloads["transfer"])
	for _, c := range []struct {
		name string
		blob string // in hexadecimal
		want []Blob
	}{
		{"rogue", "1152aabb", []Blob{{RogueData, []byte{0x11, 'R', 0xaa, 0xbb}}}},
		{"rogue, two bytes", "1147", []Blob{{RogueData, []byte{0x11, 'G'}}}},
		{"assets", "e373aa", []Blob{{AssetsData, []byte{0xe3, 's', 0xaa}}}},
		{"assets fill", "e342", []Blob{{AssetsData, []byte{0xe3, 'B'}}}},

		// If these were read with an id, the id would be 2 and the size e3 or 11.
		{"assets, other function", "e374", nil},
		{"rogue, other function", "1173", nil},
		{"other module", "e452", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := DecodePayload(script.NullData(wire.AppendVarBytes(bytes.Clone(base), unhex(t, c.blob))))
			if c.want == nil {
				require.ErrorIs(t, err, ErrPayload)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got.Blobs)
			require.Equal(t, []Key{burnKey}, got.Keys)
			require.Equal(t, c.want[0].Data[0], got.contractCode())
		})
	}
}

func TestPayloadDestinations(t *testing.T) {
	long := append([]byte{4}, bytes.Repeat([]byte{9}, 66)...)
	compressed := append([]byte{3}, long[1:]...)
	for _, c := range []struct {
		name string
		key  []byte
		want []Key
	}{
		{"compressed", compressed[:33], []Key{Key(compressed)}},
		{"uncompressed is cut", long[:65], []Key{Key(long)}},
		{"compressed, too long, is cut", compressed[:65], []Key{Key(compressed)}},
		{"uncompressed, too short, is cut", long[:40], []Key{Key(long)}},
		{"over 65 bytes", long[:66], nil},
		{"under 33 bytes", compressed[:32], nil},
		{"first byte 5", append([]byte{5}, long[:32]...), nil},
		{"empty", nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			data := append(append([]byte{Eval, 't'}, make([]byte, 32)...), 1)
			got, err := DecodePayload(script.NullData(wire.AppendVarBytes(data, c.key)))
			require.NoError(t, err)
			require.Equal(t, c.want, got.Keys)
		})
	}
}

func TestContractCode(t *testing.T) {
	for _, c := range []struct {
		name  string
		blobs []Blob
		want  byte
	}{
		{"none", nil, 0},
		{"first below 80", []Blob{{0x80, []byte{1}}, {ImportData, []byte{2}}, {RogueData, []byte{3}}, {AssetsData, []byte{4}}}, 3},
		{"first is empty", []Blob{{RogueData, nil}, {AssetsData, []byte{4}}}, 0},
		{"unknown id", []Blob{{1, []byte{0xe3}}}, 0xe3},
		{"not contract data", []Blob{{0x80, []byte{0xe3}}}, 0},
	} {
		require.Equal(t, c.want, (&Payload{Func: Transfer, Blobs: c.blobs}).contractCode(), c.name)
	}
}

func TestPayloadCreation(t *testing.T) {
	for _, c := range []struct {
		name  string
		blobs []Blob
		want  Creation
	}{
		{"fungible", nil, Creation{}},
		{"other data", []Blob{{ImportData, []byte{0xf1}}}, Creation{}},
		{"non-fungible", []Blob{{ImportData, []byte{9}}, {NFTData, []byte{0xf1, 2}}}, Creation{NFT: 0xf1, IsNFT: true}},
		{"data from 00", []Blob{{NFTData, []byte{0}}}, Creation{IsNFT: true}},
		{"empty data", []Blob{{NFTData, nil}, {NFTData, []byte{1}}}, Creation{}},
	} {
		require.Equal(t, c.want, (&Payload{Func: Create, Blobs: c.blobs}).Creation(), c.name)
	}
}

func TestVectorsPayloads(t *testing.T) {
	type vector struct{ Name, Hex string }
	names := map[string]string{
		"tokens:916a6907e39c":                       "TOK: creating a TOK token",
		"pegs-module-creator-tutorial:0946d12135cc": "KMDTEST: KMD_BTC,BTC_USD,*,1",
	}
	decoded := 0
	for _, file := range vectors[[]vector](t, "rawtx.json") {
		for _, v := range file {
			tx := decodeTx(t, v.Hex)
			if len(tx.Outputs) == 0 {
				continue
			}
			last := tx.Outputs[len(tx.Outputs)-1].Script
			data, isPush := payloadBytes(last)
			p, err := DecodePayload(last)
			if !isPush {
				require.ErrorIs(t, err, ErrPayload, v.Name)
				continue
			}
			decoded++
			require.NoError(t, err, "%s: %x", v.Name, data)
			require.Equal(t, hex.EncodeToString(last), hex.EncodeToString(p.Script()), v.Name)
			if want, ok := names[v.Name]; ok {
				require.Equal(t, want, p.Name+": "+p.Description)
			}
		}
	}
	require.GreaterOrEqual(t, decoded, 5)
}

// TestKomododPayloads decodes the payloads of all transactions built by tokencreate and
// tokentransfer.
func TestKomododPayloads(t *testing.T) {
	for _, built := range komodod[map[string]struct{ Hex string }](t, "regtest-v4/rawtx.json") {
		transfers := 0
		for label, v := range built {
			if v.Hex == "" {
				continue
			}
			tx := decodeTx(t, v.Hex)
			last := tx.Outputs[len(tx.Outputs)-1].Script
			p, err := DecodePayload(last)
			require.NoError(t, err, label)
			require.Equal(t, last, p.Script(), label)
			if p.Func == Create {
				require.True(t, IsMarker(tx.Outputs[0].Script), label)
				require.Equal(t, Script(CreateCodes(p.Blob(NFTData)), Key(p.Owner)), tx.Outputs[1].Script, label)
				continue
			}
			transfers++
			require.Len(t, p.Keys, 1, label)
		}
		require.Greater(t, transfers, 8)
		require.Greater(t, len(built), 30)
	}
}

func FuzzDecodePayload(f *testing.F) {
	for _, p := range samplePayloads {
		f.Add(p.Script())
	}
	f.Add(append([]byte{script.OpReturn, 38, Eval, 't'}, append(make([]byte, 33), 2, 0xe3, 's')...))
	f.Fuzz(func(t *testing.T, pkScript []byte) {
		p, err := DecodePayload(pkScript)
		if err != nil {
			require.ErrorIs(t, err, ErrPayload)
			return
		}
		again, err := DecodePayload(p.Script())
		require.NoError(t, err)
		require.Equal(t, [...]any{p.Func, string(p.Owner), p.Name, p.Description, p.TokenID, p.Keys},
			[...]any{again.Func, string(again.Owner), again.Name, again.Description, again.TokenID, again.Keys})
	})
}
