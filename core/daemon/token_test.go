package daemon_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/chaintest"
	"obverse/core/chain/params"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

const (
	k1 = "021d580113c3261f07156f1b82c339d4e1145a5ff479115e64903ff994a229ab75"
	k2 = "0227fac751b9a096aa38a029a9a11db2f8a650e6caf2a30c6c37c43a48ccbd00cd"
)

// newTokenStation returns a station whose chain has coins and a token with a supply of 1000.
func newTokenStation(t *testing.T) (s *station, id string) {
	t.Helper()
	o := params.Defaults()
	o.Name, o.Supply, o.CC, o.Sapling, o.Regtest = "TOKTEST", 100_000, 2, 1, true
	p, err := params.New(o)
	require.NoError(t, err)
	s = newStation(t, p)
	result[[]string](s, "generate", 2)
	id = s.send("tokencreate", "TOK", "0.00001", "a token")
	result[[]string](s, "generate", 1)
	return s, id
}

// TestTokensDisabled checks that tokens cannot be created while the module is disabled, since
// they could never be moved.
func TestTokensDisabled(t *testing.T) {
	const message = "to use CC contracts, you need to launch daemon with valid -pubkey= for an address in your wallet\n"
	calls := map[string][]any{"tokenaddress": {}, "tokenbalance": {k1}, "tokencreate": {"T", "1"}, "tokeninfo": {k1}, "tokenlist": {},
		"tokentransfer": {k1, k2, "1"}}
	for name, c := range map[string]struct {
		options string
		opens   int // height of the tip from which on tokens are enabled; -1 if they never are
	}{
		"a list without them":        {"ac_name=X ac_cc=2 ac_ccenable=227", -1},
		"a list with them":           {"ac_name=X ac_cc=2 ac_ccenable=227,242", 0},
		"a height":                   {"ac_name=X ac_cc=2 ac_ccenable=227 ac_ccactivateht=242,3", 3},
		"a name":                     {"ac_name=ILN ac_cc=2", -1},
		"a name, with codes":         {"ac_name=CCL ac_cc=2", 0},
		"a name, without conditions": {"ac_name=AXO", -1},
	} {
		t.Run(name, func(t *testing.T) {
			s := newStation(t, chaintest.Params(t, c.options+" ac_supply=10 ac_sapling=1 regtest=true"))
			for height := range 5 {
				for method, params := range calls {
					if c.opens >= 0 && height >= c.opens {
						require.Nil(t, s.answer(method, params...).Error, "%s at %d", method, height)
					} else {
						s.refused(-1, message, method, params...)
					}
				}
				result[[]string](s, "generate", 1)
			}
		})
	}
}

// send builds a transaction, sends it and returns its id.
func (s *station) send(method string, params ...any) string {
	s.t.Helper()
	return result[string](s, "sendrawtransaction", result[map[string]string](s, method, params...)["hex"])
}

// refusedWith makes a call whose result describes an error.
func (s *station) refusedWith(t *testing.T, text, method string, params ...any) {
	t.Helper()
	want, err := json.Marshal(map[string]any{"result": "error", "error": text})
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(result[json.RawMessage](s, method, params...)))
}

// TestRefusedNumbers checks that numbers that komodod truncates, rounds or misreads are refused
// with the name of the parameter.
func TestRefusedNumbers(t *testing.T) {
	s, id := newTokenStation(t)
	for _, supply := range []any{
		"1.5abc", " 1", "1 ", "0x10", "1,5", "abc", "", "nan", "inf", "-inf", "1e", "1e+", ".", "+", "--1", "1_000", "١", `1"`,
		"0.000000001", "0.000000005", "1e-9", "4.350000001", json.Number("1e-9"),
		"92233720369", "92233720368.54775808", "1e300", "-1e300", json.Number("1e300"),
	} {
		text := fmt.Sprintf("supply must be a decimal number of coins with at most 8 decimals, got %q", fmt.Sprint(supply))
		t.Run(fmt.Sprint("supply ", supply), func(t *testing.T) { s.refusedWith(t, text, "tokencreate", "T", supply, "d") })
	}
	for _, amount := range []any{
		"1.9", "0.5", " 5", "5 ", "0x5", "abc", "", "nan", "1e", "9223372036854775808", "-9223372036854775809", "1e300", "1e-1",
		json.Number("1.5"), json.Number("9223372036854775808"),
	} {
		text := fmt.Sprintf("amount must be a whole number of tokens, got %q", fmt.Sprint(amount))
		t.Run(fmt.Sprint("amount ", amount), func(t *testing.T) { s.refusedWith(t, text, "tokentransfer", id, k2, amount) })
	}
	for _, none := range []any{"0", "-1", "0.00000000", "-0.00000001", "0e9", 0, -1, json.Number("-0.5")} {
		t.Run(fmt.Sprint("supply ", none), func(t *testing.T) { s.refusedWith(t, "Token supply must be positive", "tokencreate", "T", none, "d") })
	}
	for _, none := range []any{"0", "-1", "-9223372036854775808", "0.0", 0, -1} {
		t.Run(fmt.Sprint("amount ", none), func(t *testing.T) { s.refusedWith(t, "amount must be positive", "tokentransfer", id, k2, none) })
	}
	long := s.ask("tokencreate", "T", strings.Repeat("x", 1<<16), "d")
	require.Contains(t, long, "at most 8 decimals, got")
	require.Less(t, len(long), 1000, "an answer repeats only the start")
	for _, other := range []any{nil, true, []int{1}, map[string]int{}} {
		s.refused(-1, "JSON value is not a string as expected", "tokencreate", "T", other, "d")
		s.refused(-1, "JSON value is not a string as expected", "tokentransfer", id, k2, other)
	}
}

// TestRecoveryPhrasesInTokens checks that a recovery phrase in the text of a token is refused,
// because the texts of tokens are public.
func TestRecoveryPhrasesInTokens(t *testing.T) {
	s, _ := newTokenStation(t)
	const phrase = "legal winner thank year wave sausage worth useful legal winner thank yellow"
	const phraseText = "name, description or data contains a recovery phrase: anyone who reads the chain could take the coins of its wallet"
	for _, text := range []string{phrase, "backup: " + strings.ToUpper(phrase), strings.ReplaceAll(phrase, " ", ", ")} {
		s.refusedWith(t, phraseText, "tokencreate", "T", "0.00001", text)
		s.refusedWith(t, phraseText, "tokencreate", "T", "0.00000001", "d", hex.EncodeToString([]byte("x"+" "+text)))
	}
	require.NotEmpty(t, result[map[string]string](s, "tokencreate", "T", "0.00001", phrase[:len(phrase)-7])["hex"])
}

// TestExactNumbers checks that numbers are converted exactly, from strings and from JSON
// numbers.
func TestExactNumbers(t *testing.T) {
	s, id := newTokenStation(t)
	amount := func(method string, out int, params ...any) int64 {
		built := result[map[string]string](s, method, params...)
		raw, err := hex.DecodeString(built["hex"])
		require.NoError(t, err)
		tx, err := wire.DecodeTx(raw)
		require.NoError(t, err, "%v: %v", params, built)
		return tx.Outputs[out].Value
	}
	for text, want := range map[string]int64{
		"4.35": 435000000, "0.29": 29000000, "1987.420": 198742000000, "1e-2": 1000000, "1.5E1": 1500000000, "0.00000001": 1,
		"100e-10": 1, "+1": 100000000, ".5": 50000000, "5.": 500000000, "0001": 100000000, "1.000000000000": 100000000,
	} {
		require.Equal(t, want, amount("tokencreate", 1, "T", text, "d"), text)
		if json.Valid([]byte(text)) {
			require.Equal(t, want, amount("tokencreate", 1, "T", json.Number(text), "d"), text)
		}
	}
	for text, want := range map[string]int64{"1e3": 1000, "1.0": 1, "+7": 7, "007": 7, "7e0": 7, "1000.000": 1000, "50e-1": 5} {
		require.Equal(t, want, amount("tokentransfer", 0, id, k2, text), text)
		if json.Valid([]byte(text)) {
			require.Equal(t, want, amount("tokentransfer", 0, id, k2, json.Number(text)), text)
		}
	}
}

// TestRefusedKeysAndIDs checks that invalid token ids and public keys are refused. komodod
// accepts them, and crashes on some.
func TestRefusedKeysAndIDs(t *testing.T) {
	s, id := newTokenStation(t)
	for _, bad := range []string{"", "abc", id[1:], id + "0", id[:62], id + "00", " " + id, id[:63] + " ", "0x" + id, "0x" + id[2:],
		strings.Repeat("z", 64), id[:62] + "zz", strings.Repeat("é", 32)} {
		t.Run("id "+bad, func(t *testing.T) {
			s.refusedWith(t, "invalid tokenid", "tokeninfo", bad)
			s.refusedWith(t, "invalid tokenid", "tokenbalance", bad)
			s.refusedWith(t, "invalid tokenid", "tokenbalance", bad, "zz")
			s.refusedWith(t, "invalid tokenid", "tokentransfer", bad, "zz", "zz")
		})
	}
	zero := strings.Repeat("0", 64)
	s.refusedWith(t, "cant find tokenid", "tokeninfo", zero)
	s.refusedWith(t, "cant find tokenid", "tokenbalance", zero)
	s.refusedWith(t, "invalid tokenid", "tokentransfer", zero, k2, "1")

	for name, bad := range map[string]string{
		"not hex": "zz", "odd": k2[:65], "32 bytes": k2[:64], "34 bytes": k2 + "00", "a space": " " + k2, "0x": "0x" + k2,
		"uncompressed": "0427fac751b9a096aa38a029a9a11db2f8a650e6caf2a30c6c37c43a48ccbd00cd22378bb5a40cfdb3894c4d7ff25f258e4a97fca034c4e8c8c4e54da210bfea8e",
		"prefix 05":    "05" + k2[2:], "x is 0": "02" + strings.Repeat("0", 64), "not on the curve": "02" + strings.Repeat("f", 64),
		"an address": "RXx5QDrPH1QrrTs8coDU4xmfpRErk37p5i",
	} {
		t.Run(name, func(t *testing.T) {
			for _, reply := range []map[string]string{
				result[map[string]string](s, "tokenaddress", bad),
				result[map[string]string](s, "tokenbalance", id, bad),
				result[map[string]string](s, "tokentransfer", id, bad, "1"),
				result[map[string]string](s, "tokentransfer", id, bad, "none"),
			} {
				require.Equal(t, "error", reply["result"])
				require.Regexp(t, "^invalid pubkey ", reply["error"])
			}
		})
	}
}

// TestEmptyKey checks an empty public key: tokenaddress returns no address for it, and
// tokenbalance uses the module's own key, as recorded from komodod.
func TestEmptyKey(t *testing.T) {
	s, id := newTokenStation(t)
	require.Equal(t, s.ask("tokenaddress"), s.ask("tokenaddress", ""))
	require.Equal(t, `{"result":{"result":"success","CCaddress":"RAMvUfoyURBRxAdVeTMHxn3giJZCFWeha2","tokenid":"`+id+`","balance":0},"error":null,"id":"q"}`,
		s.ask("tokenbalance", id, ""))
	require.Regexp(t, "^invalid pubkey ", result[map[string]string](s, "tokentransfer", id, "", "1")["error"])
}

// TestCreationMistakesInTurn checks that tokencreate reports the first error, whether a type or
// a value is wrong.
func TestCreationMistakesInTurn(t *testing.T) {
	s, _ := newTokenStation(t)
	const name, supply = "Token name must not be empty and up to 32 characters", "Token supply must be positive"
	const number = `supply must be a decimal number of coins with at most 8 decimals, got "abc"`
	long := strings.Repeat("d", 4097)
	for _, c := range []struct {
		params []any
		want   string // empty if a type is wrong
	}{
		{[]any{"", "0.25", nil}, name}, {[]any{"", nil}, name}, {[]any{strings.Repeat("n", 33), "abc", 5}, name}, {[]any{5, "abc"}, ""},
		{[]any{"T", "0", nil}, supply}, {[]any{"T", "abc", nil}, number}, {[]any{"T", -1, 5, 5}, supply}, {[]any{"T", true, nil}, ""},
		{[]any{"T", "1", long, nil}, "Token description must be <= 4096 characters"}, {[]any{"T", "1", nil, "zz"}, ""},
		{[]any{"T", "1", "d", nil}, ""}, {[]any{"T", "1", "d", ""}, "Non-fungible data incorrect"},
		{[]any{"T", "1", "d", "f1"}, "for non-fungible tokens tokensupply should be equal to 1"},
	} {
		if c.want == "" {
			s.refused(-1, "JSON value is not a string as expected", "tokencreate", c.params...)
		} else {
			s.refusedWith(t, c.want, "tokencreate", c.params...)
		}
	}
}

// TestForeignCreation checks that anyone can write import data, and bytes that are not UTF-8,
// into a creation.
func TestForeignCreation(t *testing.T) {
	s, id0 := newTokenStation(t)
	p, key := s.Manager.Params(), chaintest.Key(t, 1)
	created := s.transaction(wireHash(t, id0))
	coin := chaintest.Output(created, 2) // change output
	pub := key.PublicKey()
	payload := token.Payload{Func: token.Create, Owner: pub[:], Name: "\xff\"\x01\\\x80é\x7f", Description: "\xc3",
		Blobs: []token.Blob{{ID: token.ImportData, Data: []byte{0xe2, 0}}}}
	from := []chaintest.Coin{coin}
	tx := chaintest.Spend(p, 4, from, chaintest.Pay(token.MarkerScript(), 10_000), chaintest.Pay(key.Tokens(), 5), chaintest.Pay(payload.Script(), 0))
	chaintest.Sign(t, tx, p.BranchID(4), from, key)
	id := result[string](s, "sendrawtransaction", hex.EncodeToString(tx.Encode()), true)
	result[[]string](s, "generate", 1)
	require.Equal(t, `{"result":{"result":"success","tokenid":"`+id+`","owner":"`+k1+`","name":"`+"\xff"+`\"\u0001\\`+"\x80é"+`\u007f",`+
		`"supply":"0.00000005","description":"`+"\xc3"+`"},"error":null,"id":"q"}`, s.ask("tokeninfo", id))
}

// TestListedByMarker checks that a token is listed once for each of its unspent markers.
func TestListedByMarker(t *testing.T) {
	s, id := newTokenStation(t)
	p, key := s.Manager.Params(), chaintest.Key(t, 1)
	from := []chaintest.Coin{chaintest.Output(s.transaction(wireHash(t, id)), 2)}
	pub := key.PublicKey()
	payload := token.Payload{Func: token.Create, Owner: pub[:], Name: "two"}
	marker := chaintest.Pay(token.MarkerScript(), 10_000)
	withData := chaintest.Pay(append(token.MarkerScript(), 1, 7, 0x75), 10_000) // the address is the same, but the script differs
	tx := chaintest.Spend(p, 4, from, marker, chaintest.Pay(key.Tokens(), 5), marker, withData, chaintest.Pay(payload.Script(), 0))
	two := result[string](s, "sendrawtransaction", hex.EncodeToString(chaintest.Sign(t, tx, p.BranchID(4), from, key).Encode()), true)
	result[[]string](s, "generate", 1)
	require.ElementsMatch(t, []string{id, two, two}, result[[]string](s, "tokenlist"))
}

func TestTokenPages(t *testing.T) {
	s, first := newTokenStation(t)
	ids := []string{first}
	for _, name := range []string{"A", "B", "C", "D"} {
		ids = append(ids, s.send("tokencreate", name, "1"))
		result[[]string](s, "generate", 1)
	}
	all := result[[]string](s, "tokenlist")
	require.ElementsMatch(t, ids, all)
	require.Equal(t, all[:2], result[[]string](s, "tokenlist", "", 2))
	require.Equal(t, all[2:4], result[[]string](s, "tokenlist", all[1], 2))
	require.Equal(t, all[4:], result[[]string](s, "tokenlist", all[3], 10_000))
	require.Equal(t, `{"result":[],"error":null,"id":"q"}`, s.ask("tokenlist", all[4], 2))
	unknown := strings.Repeat("0", 63) + "1"
	for want, params := range map[string][]any{
		`-8,"message":"limit must be a whole number from 1 to 10000, got 0"`:                     {"", 0},
		`-8,"message":"limit must be a whole number from 1 to 10000, got 10001"`:                 {"", 10_001},
		`-8,"message":"after must be a token id of 64 hexadecimal digits or empty, got \"xyz\""`: {"xyz", 1},
		`-8,"message":"after: no token of this chain has the id ` + unknown + `"`:                {unknown, 1},
		`-1,"message":"tokenlist\n"`:                              {first},
		`-1,"message":"JSON value is not an integer as expected"`: {first, "2"},
		`-1,"message":"JSON value is not a string as expected"`:   {1, 2},
	} {
		require.Equal(t, `{"result":null,"error":{"code":`+want+`},"id":"q"}`, s.ask("tokenlist", params...))
	}
	require.Contains(t, s.ask("tokenlist", first, 2, 3), "JSON value is not a boolean as expected")
	require.Contains(t, s.ask("tokenlist", first, 2, true, 4), `"message":"tokenlist\n"`)
	require.Contains(t, s.ask("tokenlist", nil, 2), "JSON value is not a string as expected")
	require.Contains(t, s.ask("tokenlist", first, nil), "JSON value is not an integer as expected")
}

func wireHash(t *testing.T, text string) wire.Hash {
	t.Helper()
	hash, err := wire.ParseHash(text)
	require.NoError(t, err)
	return hash
}

// TestBurn checks that the burn key can be an owner, although it is not a point on the curve.
func TestBurn(t *testing.T) {
	s, id := newTokenStation(t)
	burn := fmt.Sprintf("%x", token.BurnKey())
	s.send("tokentransfer", id, burn, "400")
	result[[]string](s, "generate", 1)
	for owner, want := range map[string]int{burn: 400, k1: 600, strings.ToUpper(k1): 600, k2: 0} {
		balance := result[struct{ Balance int }](s, "tokenbalance", id, owner)
		require.Equal(t, want, balance.Balance, owner)
	}
	require.Equal(t, "0.00001000", result[map[string]any](s, "tokeninfo", id)["supply"], "burned tokens still count")
	addresses := result[map[string]any](s, "tokenaddress", burn)
	require.Equal(t, "RGhSYviAys2a7LTr2i4uqXKJhxuPtJVMJg", addresses["PubkeyCCaddress(Tokens)"])
	require.Equal(t, 0.000004, addresses["PubkeyCCbalance(Tokens)"], "the real figure (D2)")
}

// TestCreateFromChange checks that a second creation can be sent before the first one is
// confirmed, even if the first one spent the last coin.
func TestCreateFromChange(t *testing.T) {
	s, _ := newTokenStation(t)
	balance := result[map[string]json.Number](s, "getaddressbalance", map[string]any{"addresses": []string{"RRFHw4kaRyNBjbZTMPBXsCFBuEwx6f3opQ"}})
	balance64, err := balance["balance"].Int64()
	require.NoError(t, err)
	result[string](s, "sendtoaddress", "RRFHw4kaRyNBjbZTMPBXsCFBuEwx6f3opQ", json.Number(fmt.Sprintf("%d.%08d", (balance64-10000)/1e8, (balance64-10000)%1e8)))
	ids := []string{s.send("tokencreate", "A", "1", "first"), s.send("tokencreate", "B", "1", "second")}
	require.Equal(t, 3, result[struct{ Size int }](s, "getmempoolinfo").Size)
	for _, id := range ids {
		s.refusedWith(t, "the transaction is still in mempool", "tokeninfo", id)
	}
	result[[]string](s, "generate", 1)
	require.Subset(t, result[[]string](s, "tokenlist"), ids)
}

// TestRelayLimit checks that a description that nodes would not relay is refused before
// anything is built, except on regtest, which relays everything.
func TestRelayLimit(t *testing.T) {
	o := params.Defaults()
	o.Name, o.CC, o.Sapling = "TOKTEST", 2, 1
	p, err := params.New(o)
	require.NoError(t, err)
	s := newStation(t, p)
	text := result[map[string]string](s, "tokencreate", "T", "1", strings.Repeat("d", 200))["error"]
	require.Contains(t, text, "datacarriersize is 208")
	s.refusedWith(t, "cant find normal inputs", "tokencreate", "T", "1", strings.Repeat("d", 160))
}
