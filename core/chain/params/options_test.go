package params_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/params"
)

func TestSetRefuses(t *testing.T) {
	for _, c := range []struct{ key, value, message string }{
		{"ac_supply", "", `ac_supply: "" is not a whole number from 0 to 90000000000`},
		{"ac_supply", "1.5", `ac_supply: "1.5" is not a whole number from 0 to 90000000000`},
		{"ac_supply", "-1", ""},
		{"ac_supply", "1e3", ""},
		{"ac_supply", " 1", ""},
		{"ac_supply", "0x10", ""},
		{"ac_supply", "90000000001", ""},
		{"ac_supply", "18446744073709551616", ""},
		{"ac_eras", "0", `ac_eras: "0" is not a whole number from 1 to 7`},
		{"ac_eras", "8", ""},
		{"ac_reward", "1,", `ac_reward: "1," is not 1 to 7 whole numbers from 0 to 9000000000000000000 with commas between them`},
		{"ac_reward", "1;2", ""},
		{"ac_reward", "1,2,3,4,5,6,7,8", ""},
		{"ac_decay", "100000001", ""},
		{"ac_perc", "100000001", ""},
		{"ac_pubkey", key[:64], `ac_pubkey: "` + key[:64] + `" is not 66 hexadecimal digits that begin with 02 or 03`},
		{"ac_pubkey", "04" + key[2:], ""},
		{"ac_pubkey", key[:65] + "g", ""},
		{"ac_script", "5", ""},
		{"ac_script", "", ""},
		{"ac_cc", "65536", ""},
		{"ac_ccenable", "0", ""},
		{"ac_ccenable", "256", ""},
		{"ac_ccenable", "242,242", ""},
		{"ac_ccactivateht", "242", `ac_ccactivateht: "242" is not eval codes, each followed by its height`},
		{"ac_ccactivateht", "242,0", ""},
		{"ac_ccactivateht", "242,5,242,6", ""},
		{"ac_sapling", "0", ""},
		{"ac_sapling", "-1", ""},
		{"ac_nk", "200", `ac_nk: "200" is not one of 200,9 210,9 150,5 144,5 96,5 48,5`},
		{"ac_nk", "200,5", ""},
		{"ac_nk", "48,9", ""},
		{"ac_nk", "48,5,5", ""},
		{"ac_nk", "48,6", ""},
		{"ac_algo", "sha256", `ac_algo: "sha256" is not one of equihash verushash verushash11`},
		{"ac_blocktime", "0", ""},
		{"ac_public", "2", ""},
		{"ac_staked", "101", ""},
		{"ac_name", "", ""},
		{"ac_name", "A B", ""},
		{"ac_name", "../etc", ""},
		{"ac_name", strings.Repeat("A", 65), ""},
		{"regtest", "yes", `regtest: "yes" is not true or false`},
	} {
		t.Run(c.key+"="+c.value, func(t *testing.T) {
			before := optionsOf(t, []string{"-ac_name=X", "-ac_reward=5", "-regtest"})
			o := before
			err := o.Set(c.key, c.value)
			require.ErrorIs(t, err, params.ErrOptionValue)
			var invalid *params.OptionError
			require.ErrorAs(t, err, &invalid)
			require.Equal(t, c.key, invalid.Key)
			require.Equal(t, c.value, invalid.Value)
			if c.message != "" {
				require.EqualError(t, err, c.message)
			}
			require.Equal(t, before, o, "a refused value changes nothing")
		})
	}
}

func TestSetUnknown(t *testing.T) {
	for unknown, near := range map[string]string{
		"ac_suply":      "ac_supply",
		"ac_rewards":    "ac_reward",
		"ac_sappling":   "ac_sapling",
		"ac_cbmaturty":  "ac_cbmaturity",
		"ac_ccactivat":  "ac_ccactivate",
		"AC_NAME":       "ac_name",
		"regtests":      "regtest",
		"ac_blocktimes": "ac_blocktime",
	} {
		err := new(params.Options).Set(unknown, "1")
		require.ErrorIs(t, err, params.ErrUnknownOption)
		require.EqualError(t, err, "unknown option "+unknown+": did you mean "+near+"?", unknown)
	}
}

func TestSetTakes(t *testing.T) {
	for _, c := range []struct{ key, value, canonical string }{
		{"ac_supply", "007", "7"},
		{"ac_supply", "90000000000", "90000000000"},
		{"ac_reward", "1, 2 ,3", "1,2,3"},
		{"ac_ccactivateht", "242,5,241,6", "242,5,241,6"},
		{"ac_name", strings.Repeat("A", 64), strings.Repeat("A", 64)},
		{"ac_pubkey", strings.ToUpper(key), strings.ToUpper(key)},
		{"regtest", "1", "true"},
		{"regtest", "0", "false"},
		{"regtest", "false", "false"},
	} {
		t.Run(c.key+"="+c.value, func(t *testing.T) {
			var o params.Options
			require.NoError(t, o.Set(c.key, c.value))
			require.Equal(t, c.canonical, o.Value(c.key))
		})
	}
	require.Empty(t, params.Options{}.Value("ac_nothing"))
}

// TestOptionsFromJSON decodes the recordings' chain.json, and variants that a user might write.
func TestOptionsFromJSON(t *testing.T) {
	want := params.Options{
		Name: "TOKTEST", Supply: 100000, Reward: []uint64{100000000}, CC: 2, Sapling: 1,
		Regtest: true, Eras: 1, BlockTime: 60,
	}
	for name, text := range map[string]string{
		"numbers":       `{"ac_name":"TOKTEST","ac_supply":100000,"ac_reward":100000000,"ac_cc":2,"regtest":true,"ac_sapling":1}`,
		"strings":       `{"ac_name":"TOKTEST","ac_supply":"100000","ac_reward":"100000000","ac_cc":"2","regtest":"true","ac_sapling":"1"}`,
		"other keys":    `{"ac_name":"TOKTEST","ac_supply":100000,"ac_reward":100000000,"ac_cc":2,"regtest":true,"ac_sapling":1,"engine":"solo","blockinterval":1}`,
		"with newlines": "{\n\"ac_name\" : \"TOKTEST\", \"ac_supply\" :\t100000 ,\"ac_reward\":100000000,\"ac_cc\":2,\"regtest\":true,\"ac_sapling\":1}",
	} {
		t.Run(name, func(t *testing.T) {
			o := params.Defaults()
			require.NoError(t, json.Unmarshal([]byte(text), &o))
			require.Equal(t, want, o)
		})
	}
	unchanged := params.Options{Supply: 7, CC: 2}
	require.NoError(t, json.Unmarshal([]byte(`{"ac_cc":3}`), &unchanged))
	require.Equal(t, params.Options{Supply: 7, CC: 3}, unchanged, "keys that are absent change nothing")
}

func TestOptionsFromBadJSON(t *testing.T) {
	for _, c := range []struct {
		text string
		want error
	}{
		{`{"ac_supply":1.0}`, params.ErrOptionValue},
		{`{"ac_supply":1e5}`, params.ErrOptionValue},
		{`{"ac_supply":null}`, params.ErrOptionValue},
		{`{"ac_supply":true}`, params.ErrOptionValue},
		{`{"ac_reward":[1,2]}`, params.ErrOptionValue},
		{`{"ac_name":{}}`, params.ErrOptionValue},
		{`{"regtest":"maybe"}`, params.ErrOptionValue},
		{`{"ac_suply":1}`, params.ErrUnknownOption},
		{`{"ac_cc":2,"ac_zzz":1,"ac_supply":"x"}`, params.ErrOptionValue},
	} {
		t.Run(c.text, func(t *testing.T) {
			o := params.Defaults()
			err := json.Unmarshal([]byte(c.text), &o)
			require.ErrorIs(t, err, c.want)
			require.Equal(t, params.Defaults(), o)
		})
	}
	require.ErrorContains(t, new(params.Options).UnmarshalJSON([]byte(`[]`)), "chain options")
}

func TestOptionsToJSON(t *testing.T) {
	o := optionsOf(t, strings.Fields("-ac_name=E -ac_supply=0 -ac_eras=2 -ac_reward=5,6 -ac_end=30,0 -ac_pubkey="+key+
		" -ac_nk=200,9 -ac_cbmaturity=0 -ac_blocktime=60 -regtest"))
	form, err := json.Marshal(o)
	require.NoError(t, err)
	require.Equal(t, `{"ac_name":"E","ac_supply":0,"ac_eras":2,"ac_end":"30,0","ac_reward":"5,6","ac_pubkey":"`+key+
		`","ac_nk":"200,9","regtest":true}`, string(form))
	var reread params.Options
	require.NoError(t, json.Unmarshal(form, &reread))
	_, differs := params.Diff(o, reread)
	require.False(t, differs)

	form, err = json.Marshal(params.Options{})
	require.NoError(t, err)
	require.JSONEq(t, `{"ac_supply":0}`, string(form))
}

func TestDiff(t *testing.T) {
	base := strings.Fields("-ac_name=X -ac_supply=1 -ac_reward=5")
	for _, c := range []struct{ args, want string }{
		{"", ""},
		{"-ac_eras=1 -ac_blocktime=60 -ac_perc=0", ""},
		{"-ac_supply=2", "ac_supply"},
		{"-ac_cc=2 -ac_supply=2", "ac_supply"},
		{"-ac_reward=5,5", "ac_reward"},
		{"-regtest", "regtest"},
		{"-ac_name=x", "ac_name"},
		{"-ac_sapling=1", "ac_sapling"},
	} {
		t.Run(c.args, func(t *testing.T) {
			got, differs := params.Diff(optionsOf(t, base), optionsOf(t, append(base, strings.Fields(c.args)...)))
			require.Equal(t, c.want, got)
			require.Equal(t, c.want != "", differs)
		})
	}
	_, differs := params.Diff(params.Options{}, params.Options{Eras: 1, BlockTime: 60})
	require.False(t, differs, "a default that is filled in is no difference")
}

// FuzzSet checks that every accepted value survives a round trip through its canonical form.
func FuzzSet(f *testing.F) {
	for _, seed := range [][2]string{
		{"ac_supply", "5"}, {"ac_reward", "1,2"}, {"ac_nk", "48,5"}, {"ac_script", "51"}, {"regtest", "true"}, {"ac_name", "X"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, key, value string) {
		var o, reread params.Options
		if o.Set(key, value) != nil {
			require.Equal(t, params.Options{}, o)
			return
		}
		form, err := json.Marshal(o)
		require.NoError(t, err)
		require.NoError(t, json.Unmarshal(form, &reread))
		require.Equal(t, o.Value(key), reread.Value(key))
	})
}

func FuzzOptionsJSON(f *testing.F) {
	f.Add(`{"ac_name":"TOKTEST","ac_supply":100000,"regtest":true}`)
	f.Fuzz(func(t *testing.T, text string) {
		var o params.Options
		if o.UnmarshalJSON([]byte(text)) != nil {
			return
		}
		form, err := json.Marshal(o)
		require.NoError(t, err)
		var reread params.Options
		require.NoError(t, json.Unmarshal(form, &reread))
		differing, differs := params.Diff(o, reread)
		require.False(t, differs, differing)
	})
}

func TestEveryOptionIsExplained(t *testing.T) {
	for _, key := range params.Keys() {
		require.NotEmpty(t, params.Meaning(key), key)
		require.NotEmpty(t, params.Allowed(key), key)
	}
	require.Equal(t, "unsupported, since this node does not keep the rules of proof of stake", params.Meaning("ac_staked"))
	require.Equal(t, "a whole number from 0 to 100", params.Allowed("ac_staked"))
	require.Empty(t, params.Meaning("ac_nosuch"))
	require.Empty(t, params.Allowed("ac_nosuch"))
}
