package daemon

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// fill fills a slice with distinct bytes.
func fill(dst []byte, c byte) {
	for i := range dst {
		dst[i] = c
	}
}

func filled(c byte) (h wire.Hash) {
	fill(h[:], c)
	return h
}

func ccParams(t *testing.T, cc uint64) *params.Params {
	t.Helper()
	o := params.Defaults()
	o.Name, o.CC = "X", cc
	p, err := params.New(o)
	require.NoError(t, err)
	return p
}

func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := encode(v)
	require.NoError(t, err)
	return string(appendCompact(nil, text))
}

// TestShieldedParts checks that shielded parts have komodod's format, although no chain here
// accepts them.
func TestShieldedParts(t *testing.T) {
	tx := &wire.Tx{Overwintered: true, Version: wire.SaplingVersion, VersionGroupID: wire.SaplingGroupID, ExpiryHeight: 9}
	tx.ValueBalance = -150_000_000
	spend := wire.SpendDescription{CV: wire.Hash{1}, Anchor: filled(2), Nullifier: filled(3), RK: filled(4)}
	fill(spend.Proof[:], 5)
	fill(spend.SpendAuthSig[:], 6)
	output := wire.OutputDescription{CV: filled(1), CMU: filled(2), EphemeralKey: filled(3)}
	fill(output.Proof[:], 7)
	split := wire.JoinSplit{VPubOld: 1, VPubNew: 200_000_000, Anchor: filled(1), Nullifiers: [2]wire.Hash{filled(2), filled(3)},
		Commitments: [2]wire.Hash{filled(4), filled(5)}, EphemeralKey: filled(6), RandomSeed: filled(7),
		MACs: [2]wire.Hash{filled(8), filled(9)}, Proof: []byte{0xab, 0xcd}}
	tx.Spends, tx.ShieldedOutputs, tx.JoinSplits = []wire.SpendDescription{spend}, []wire.OutputDescription{output}, []wire.JoinSplit{split}
	fill(tx.BindingSig[:], 8)

	two := func(c string, n int) string { return strings.Repeat(c, n) }
	want := `{"txid":"` + filled(0xee).String() + `","overwintered":true,"version":4,"versiongroupid":"892f2085","locktime":0,"expiryheight":9,` +
		`"vin":[],"vout":[],"vjoinsplit":[{"vpub_old":0.00000001,"vpub_oldZat":1,"vpub_new":2.00000000,"vpub_newZat":200000000,` +
		`"anchor":"` + two("01", 32) + `","nullifiers":["` + two("02", 32) + `","` + two("03", 32) + `"],` +
		`"commitments":["` + two("04", 32) + `","` + two("05", 32) + `"],"onetimePubKey":"` + two("06", 32) + `","randomSeed":"` + two("07", 32) + `",` +
		`"macs":["` + two("08", 32) + `","` + two("09", 32) + `"],"proof":"abcd","ciphertexts":["` + two("00", 601) + `","` + two("00", 601) + `"]}],` +
		`"valueBalance":-1.50000000,"vShieldedSpend":[{"cv":"` + two("00", 31) + `01","anchor":"` + two("02", 32) + `","nullifier":"` + two("03", 32) + `",` +
		`"rk":"` + two("04", 32) + `","proof":"` + two("05", 192) + `","spendAuthSig":"` + two("06", 64) + `"}],` +
		`"vShieldedOutput":[{"cv":"` + two("01", 32) + `","cmu":"` + two("02", 32) + `","ephemeralKey":"` + two("03", 32) + `",` +
		`"encCiphertext":"` + two("00", 580) + `","outCiphertext":"` + two("00", 80) + `","proof":"` + two("07", 192) + `"}],` +
		`"bindingSig":"` + two("08", 64) + `"}`
	require.Equal(t, want, encoded(t, showTx(tx, filled(0xee), ccParams(t, 2))))
}

func TestFormats(t *testing.T) {
	p := ccParams(t, 2)
	legacy := &wire.Tx{Version: 1, LockTime: 7, Inputs: []wire.TxIn{{PrevOut: wire.OutPoint{Index: wire.NullIndex}, ScriptSig: []byte{}, Sequence: 5}}}
	require.Equal(t, `{"txid":"`+wire.Hash{}.String()+`","overwintered":false,"version":1,"locktime":7,"vin":[{"coinbase":"","sequence":5}],"vout":[],"vjoinsplit":[]}`,
		encoded(t, showTx(legacy, wire.Hash{}, p)))
	overwinter := &wire.Tx{Overwintered: true, Version: wire.OverwinterVersion, VersionGroupID: wire.OverwinterGroupID}
	require.Contains(t, encoded(t, showTx(overwinter, wire.Hash{}, p)), `"version":3,"versiongroupid":"03c48270","locktime":0,"expiryheight":0,`)
	require.NotContains(t, encoded(t, showTx(overwinter, wire.Hash{}, p)), "vShieldedSpend")
}

// TestConditionOutput checks that a chain without crypto-conditions does not recognise their
// scripts.
func TestConditionOutput(t *testing.T) {
	address := script.Address{Version: script.PubKeyHashVersion}
	condition := token.MarkerScript()
	require.Equal(t, "cryptocondition", showScript(condition, ccParams(t, 2)).Type)
	require.Equal(t, "nonstandard", showScript(condition, ccParams(t, 0)).Type)
	require.NotNil(t, destination(condition, ccParams(t, 2)))
	require.Nil(t, destination(condition, ccParams(t, 0)))
	require.Nil(t, destination(script.NullData(nil), ccParams(t, 2)))
	require.Nil(t, destination(chaintest.MultiSig(1, make([]byte, 33)), ccParams(t, 2)))
	require.Equal(t, &address, destination(address.PkScript(), ccParams(t, 2)))
	require.JSONEq(t, `{"asm":"","hex":"","type":"nonstandard"}`, encoded(t, showScript(nil, ccParams(t, 2))))
}

func TestVerbosity(t *testing.T) {
	for text, want := range map[string]Verbosity{"true": 1, "false": 0, "2": 2, "-1": -1} {
		v := Verbosity(9)
		require.NoError(t, v.UnmarshalParam(json.RawMessage(text)))
		require.Equal(t, want, v)
	}
	require.EqualError(t, new(Verbosity).UnmarshalParam(json.RawMessage(`"1"`)), "-1: JSON value is not an integer as expected")
	require.EqualError(t, new(Verbosity).UnmarshalParam(json.RawMessage(`null`)), "-1: JSON value is not an integer as expected")
}

func TestClippedEcho(t *testing.T) {
	_, err := parseHash("blockhash", Text(strings.Repeat("z", 1000)))
	require.EqualError(t, err, "-8: blockhash must be hexadecimal string (not '"+strings.Repeat("z", 200)+"…')")
}
