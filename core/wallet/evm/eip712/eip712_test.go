package eip712

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// vector holds typed data with the hashes that viem computed.
type vector struct {
	Name, Domain, Message string
	Data                  json.RawMessage
}

func vectors(t testing.TB) []vector {
	t.Helper()
	text, err := os.ReadFile("../testdata/viem.json")
	require.NoError(t, err)
	var all struct{ Typed []vector }
	require.NoError(t, json.Unmarshal(text, &all))
	require.NotEmpty(t, all.Typed)
	return all.Typed
}

func TestVectors(t *testing.T) {
	for _, v := range vectors(t) {
		t.Run(v.Name, func(t *testing.T) {
			d, err := Parse(v.Data)
			require.NoError(t, err)
			h, err := d.Hash(func(string, string) {})
			require.NoError(t, err)
			require.Equal(t, v.Domain, "0x"+hex.EncodeToString(h.Domain[:]))
			require.Equal(t, v.Message, "0x"+hex.EncodeToString(h.Message[:]))
		})
	}
}

func TestDisplay(t *testing.T) {
	for _, v := range vectors(t) {
		if v.Name != "lists" {
			continue
		}
		d, err := Parse(v.Data)
		require.NoError(t, err)
		var displayed []string
		_, err = d.Hash(func(field, value string) { displayed = append(displayed, field+"="+value) })
		require.NoError(t, err)
		require.Equal(t, []string{"domain.name=Ether Mail", "domain.version=1", "domain.chainId=1", "domain.verifyingContract=0xCcCCccccCCCCcCCCCCCcCcCccCcCCCcCcccccccC",
			"Group.title=", "Group.members[0].name=Cow", "Group.members[0].wallet=0xCD2a3d9F938E13CD947Ec05AbC7FE734Df8DD826", "Group.members[1].name=Bob",
			"Group.members[1].wallet=0xbBbBBBBbbBBBbbbBbbBbbbbBBbBbbbbBbBbbBBbB", "Group.grid[0][0]=1", "Group.grid[0][1]=2", "Group.grid[1][0]=3", "Group.grid[1][1]=255", "Group.none=(empty)"}, displayed)
	}
}

// typedData returns typed data with one member x.
func typedData(kind, value string) string {
	return `{"types":{"EIP712Domain":[],"M":[{"name":"x","type":"` + kind + `"}]},"primaryType":"M","domain":{},"message":{"x":` + value + `}}`
}

// Rootstock's checksum of addresses (EIP-1191) is accepted in data for Rootstock only.
func TestChecksumOfNetwork(t *testing.T) {
	hash := func(chain, member string) (Hashes, error) {
		d, err := Parse([]byte(`{"types":{"EIP712Domain":[{"name":"chainId","type":"uint256"}],"M":[{"name":"x","type":"address[]"}]},` +
			`"primaryType":"M","domain":{"chainId":` + chain + `},"message":{"x":["` + member + `"]}}`))
		require.NoError(t, err)
		return d.Hash(func(_, value string) {
			require.Contains(t, []string{chain, "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"}, value)
		})
	}
	want, err := hash("30", "0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed")
	require.NoError(t, err)
	got, err := hash("30", "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD")
	require.NoError(t, err)
	require.Equal(t, want, got)
	for _, chain := range []string{"1", "31"} {
		_, err = hash(chain, "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD")
		require.ErrorIs(t, err, ErrData, chain)
	}
}

func TestRefused(t *testing.T) {
	deep := strings.Repeat("[", 2000)
	for name, c := range map[string]struct{ text, want string }{
		"no JSON":       {"{", "unexpected EOF"},
		"a number":      {"5", "the text has the wrong type: number"},
		"a wrong type":  {`{"types":5}`, "types has the wrong type: number"},
		"trailing":      {typedData("bool", "true") + "{", "trailing data"},
		"no domain":     {`{"types":{"M":[]},"primaryType":"M"}`, `types has no "EIP712Domain"`},
		"no primary":    {`{"types":{"EIP712Domain":[]},"primaryType":"M"}`, `types has no "M"`},
		"domain itself": {`{"types":{"EIP712Domain":[]},"primaryType":"EIP712Domain","domain":{},"message":{}}`, "primaryType is EIP712Domain"},
		"no message":    {`{"types":{"EIP712Domain":[],"M":[]},"primaryType":"M","domain":{}}`, "M must be an object"},
		"missing":       {strings.Replace(typedData("bool", "true"), `{"x":true}`, `{}`, 1), "x is missing"},
		"unknown type":  {typedData("Person", "{}"), "unknown type"},
		"type's name":   {`{"types":{"EIP712Domain":[],"M":[],"a,b":[]},"primaryType":"M"}`, `name of a type "a,b"`},
		"basic type":    {`{"types":{"EIP712Domain":[],"M":[],"uint8":[]},"primaryType":"M"}`, `name of a type "uint8"`},
		"field's name":  {`{"types":{"EIP712Domain":[],"M":[{"name":"a)M2(uint x","type":"bool"}]},"primaryType":"M"}`, "name of a field"},
		"field twice":   {`{"types":{"EIP712Domain":[],"M":[{"name":"a","type":"bool"},{"name":"a","type":"bool"}]},"primaryType":"M"}`, `name of a field "a" in M`},
		"many types":    {`{"types":{` + strings.TrimSuffix(manyTypes(), ",") + `},"primaryType":"M"}`, "101 types, limit is 100"},
		"bool":          {typedData("bool", `"true"`), "x: must be true or false"},
		"null":          {typedData("string", "null"), "x: must be a string"},
		"number":        {typedData("string", "1"), "x: must be a string"},
		"fraction":      {typedData("uint8", "1.0"), "integer"},
		"exponent":      {typedData("uint256", "1e3"), "integer"},
		"negative":      {typedData("uint8", "-1"), "does not fit into 8 bits"},
		"minus hex":     {typedData("int8", `"-0x1"`), "integer"},
		"two signs":     {typedData("int8", `"--1"`), "integer"},
		"letters":       {typedData("uint8", `"ff"`), "integer"},
		"too much":      {typedData("uint256", `"0x1`+strings.Repeat("0", 64)+`"`), "does not fit into 256 bits"},
		"endless":       {typedData("uint256", `"`+strings.Repeat("9", 100_000)+`"`), "integer"},
		"int8":          {typedData("int8", "128"), "does not fit into 8 bits"},
		"7 bits":        {typedData("uint7", "1"), "unknown type"},
		"264 bits":      {typedData("uint264", "1"), "unknown type"},
		"leading zero":  {typedData("uint08", "1"), "unknown type"},
		"address":       {typedData("address", `"0x12"`), "x: an address is"},
		"bytes":         {typedData("bytes", `"12"`), "hexadecimal digits"},
		"half a byte":   {typedData("bytes", `"0x123"`), "hexadecimal digits"},
		"too short":     {typedData("bytes4", `"0x12"`), "has 1 bytes, want 4"},
		"bytes33":       {typedData("bytes33", `"0x12"`), "unknown type"},
		"no list":       {typedData("bool[]", "{}"), "x must be a list"},
		"one too few":   {typedData("bool[2]", "[true]"), "x has 1 elements, want 2"},
		"inside":        {typedData("bool[]", "[true,1]"), "x[1]: must be"},
		"list's size":   {typedData("bool[-1]", "[]"), "unknown type"},
		"deep":          {typedData("bool"+strings.Repeat("[]", 2000), deep+strings.Repeat("]", 2000)), "nested too deeply"},
		"got type": {`{"types":{"EIP712Domain":[],"M":[{"name":"m","type":"M"}]},"primaryType":"M","domain":{},"message":` + strings.Repeat(`{"m":`, 3000) + "1" + strings.Repeat("}", 3001),
			"nested too deeply"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Parse([]byte(c.text))
			if err == nil {
				_, err = d.Hash(func(string, string) {})
			}
			require.ErrorIs(t, err, ErrData)
			require.ErrorContains(t, err, c.want)
			require.Less(t, len(err.Error()), 600)
		})
	}
}

func manyTypes() string {
	var text strings.Builder
	for i := range 101 {
		text.WriteString(`"T` + strings.Repeat("x", i) + `":[],`)
	}
	return text.String()
}

func FuzzHash(f *testing.F) {
	for _, v := range vectors(f) {
		f.Add([]byte(v.Data))
	}
	f.Add([]byte(typedData("int8[2][]", "[[1,-2]]")))
	f.Fuzz(func(t *testing.T, text []byte) {
		d, err := Parse(text)
		if err != nil {
			require.ErrorIs(t, err, ErrData)
			return
		}
		if _, err := d.Hash(func(string, string) {}); err != nil {
			require.ErrorIs(t, err, ErrData)
		}
	})
}
