package token

import (
	"encoding/hex"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/script"
)

func TestMarkerScriptIsTheGlobalKeysCondition(t *testing.T) {
	require.Equal(t, markerScript, string(MarkerScript()))
	require.True(t, IsMarker(MarkerScript()))
	require.False(t, IsMarker(Script([]byte{Eval}, burnKey)))
	require.False(t, IsMarker(append(MarkerScript(), 0x01, 0x00, 0x75)), "data after it makes it another script")
	require.Equal(t, "03e6191c70c9c9a28f9fd87089b9488d0e6c02fb629df64979c9cdb6b2b4a68d95", hex.EncodeToString(globalKey[:]))
	require.Equal(t, "RAMvUfoyURBRxAdVeTMHxn3giJZCFWeha2", addressOf([]byte{Eval}, GlobalKey()))
	require.Equal(t, "RGhSYviAys2a7LTr2i4uqXKJhxuPtJVMJg", addressOf([]byte{Eval}, BurnKey()))
	require.Equal(t, "02"+strings.Repeat("dead", 16), hex.EncodeToString(burnKey[:]))
}

func TestVectorsConditionScripts(t *testing.T) {
	type vector struct {
		Name, Address, Script, Hash160 string
		Evals, PubKeys                 []string
		Verified                       bool
	}
	rebuilt := 0
	for _, file := range vectors[[]vector](t, "address.json") {
		for _, v := range file {
			if len(v.Evals) == 0 || !v.Verified {
				continue // a plain address, or a case in which komodod's own constants contradict each other
			}
			rebuilt++
			t.Run(v.Name, func(t *testing.T) {
				var keys []Key
				for _, pub := range v.PubKeys {
					keys = append(keys, decodeKey(t, pub))
				}
				codes := unhex(t, strings.Join(v.Evals, ""))
				require.Equal(t, v.Script, hex.EncodeToString(Script(codes, keys...)))
				require.Equal(t, v.Address, addressOf(codes, keys...))
				hash := script.Hash160(Script(codes, keys...))
				require.Equal(t, v.Hash160, hex.EncodeToString(hash[:]))
			})
		}
	}
	require.Greater(t, rebuilt, 8)
}

// TestVectorsComputedScripts uses the keys of the documentation's examples.
func TestVectorsComputedScripts(t *testing.T) {
	a := decodeKey(t, "028702e30d8465d6aa85f35d2f58c06a6ee17f23f376b56044dadf7b793f2c12b9")
	b := decodeKey(t, "02d3431950c2f0f9654217b6ce3d44468d3a9ca7255741767fdeee7c5ec6b47567")
	ours := map[string][]byte{
		"computed single f2":         Script(tokenCodes(Eval, 0), a),
		"computed single f2 1of2":    Script(tokenCodes(Eval, 0), a, b),
		"computed dual e3+f2":        Script(tokenCodes(0xe3, 0), a),
		"computed dual e3+f2 1of2":   Script(tokenCodes(0xe3, 0), a, b),
		"computed three 10+f2+e3":    Script(tokenCodes(0x10, 0xe3), a),
		"computed burn single f2":    Script(tokenCodes(Eval, 0), burnKey),
		"computed three e3+f2 1of2":  Script(tokenCodes(0xe3, 0x10), a, b),
		"computed marker, single f2": MarkerScript(),
	}
	type vector struct {
		Name, Script string
		Cost         uint64
	}
	rebuilt := 0
	for _, file := range vectors[[]vector](t, "address-computed.json") {
		for _, v := range file {
			if pkScript, ok := ours[v.Name]; ok {
				rebuilt++
				require.Equal(t, v.Script, hex.EncodeToString(pkScript), v.Name)
			}
		}
	}
	require.GreaterOrEqual(t, rebuilt, 3)
}

// conditionCall is the decoded name of a vector: komodod's function that made it, with its eval
// codes and keys.
type conditionCall struct {
	function string
	codes    []byte
	keys     []Key
}

func parseCall(t *testing.T, name string, keys map[string]Key) (c conditionCall, ok bool) {
	function, list, found := strings.Cut(strings.TrimSuffix(name, ")"), "(")
	if !found {
		return c, false
	}
	c.function = function
	for argument := range strings.SplitSeq(list, ",") {
		if key, isKey := keys[argument]; isKey {
			c.keys = append(c.keys, key)
		} else {
			c.codes = append(c.codes, unhex(t, argument)...)
		}
	}
	return c, true
}

func TestKomododConditionScripts(t *testing.T) {
	type file struct {
		Vectors []struct{ Name, ScriptPubKey, Address string }
	}
	k := recordedKeys(t)
	keys := map[string]Key{"K1": k[0], "K2": k[1], "K3": k[2], "GLOBAL": globalKey}
	rebuilt := 0
	for _, file := range komodod[file](t, "cc-vectors.json") {
		for _, v := range file.Vectors {
			call, ok := parseCall(t, v.Name, keys)
			if !ok {
				continue // not a condition of the module
			}
			rebuilt++
			t.Run(v.Name, func(t *testing.T) {
				codes := call.codes
				if strings.HasPrefix(call.function, "MakeTokens") {
					codes = tokenCodes(codes[0], append(codes, 0)[1])
				}
				require.Equal(t, v.ScriptPubKey, hex.EncodeToString(Script(codes, call.keys...)))
				require.Equal(t, v.Address, addressOf(codes, call.keys...))
				for i, j := 0, len(codes)-1; i < j; i, j = i+1, j-1 {
					codes[i], codes[j] = codes[j], codes[i]
				}
				require.Equal(t, v.Address, addressOf(codes, call.keys...), "in the other order")
			})
		}
	}
	require.Greater(t, rebuilt, 20)
}

func TestCodes(t *testing.T) {
	for _, c := range []struct {
		name      string
		got, want []byte
	}{
		{"fungible", tokenCodes(Eval, 0), []byte{0xf2}},
		{"bound", tokenCodes(0xf1, 0), []byte{0xf1, 0xf2}},
		{"bound twice", tokenCodes(0xf1, 0xe3), []byte{0xf1, 0xf2, 0xe3}},
		{"tokens first, bound", tokenCodes(Eval, 0xe3), []byte{0xf2, 0xe3}},
		{"bound to 0", tokenCodes(0, 0), []byte{0x00, 0xf2}},
		{"created without data", CreateCodes(nil), []byte{0xf2}},
		{"created with data", CreateCodes([]byte{0xf1, 0xaa}), []byte{0xf1, 0xf2}},
		{"created with data from 00", CreateCodes([]byte{0, 1}), []byte{0x00, 0xf2}},
		{"created with data from f2", CreateCodes([]byte{0xf2}), []byte{0xf2}},
		{"held without data", HolderCodes(0), []byte{0xf2}},
		{"held with data from f2", HolderCodes(0xf2), []byte{0xf2, 0xf2}},
	} {
		require.Equal(t, c.want, c.got, c.name)
	}
	require.Equal(t, Script(CreateCodes([]byte{0xf1}), burnKey), Script(HolderCodes(0xf1), burnKey))
}

func TestSerializedSize(t *testing.T) {
	long := append([]byte{4}, make([]byte, 64)...)
	for _, c := range []struct {
		name string
		b    []byte
		ok   bool
	}{
		{"even", append([]byte{2}, make([]byte, 32)...), true},
		{"odd", append([]byte{3}, make([]byte, 32)...), true},
		{"uncompressed", long, true},
		{"hybrid", append([]byte{7}, long[1:]...), true},
		{"empty", nil, false},
		{"short", append([]byte{2}, make([]byte, 31)...), false},
		{"compressed of 65 bytes", append([]byte{2}, long[1:]...), false},
		{"uncompressed of 33 bytes", long[:33], false},
		{"first byte 5", append([]byte{5}, make([]byte, 32)...), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.ok, len(c.b) > 0 && serializedSize(c.b) == len(c.b))
		})
	}
	require.Equal(t, script.TypeCryptoCondition, script.Classify(Script([]byte{Eval}, Key(long[:33]))).Type)
}
