package number

import (
	"encoding/json"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestParse(t *testing.T) {
	for _, c := range []struct {
		text         string
		coins        int64
		coinsErr     error
		whole        int64
		wholeErr     error
		whatIsTested string
	}{
		{"0", 0, nil, 0, nil, "zero"},
		{"-0.0", 0, nil, 0, nil, "negative zero"},
		{"0e99999999999999999999", 0, nil, 0, nil, "zero with a huge exponent"},
		{"1", 1e8, nil, 1, nil, "one"},
		{"+1", 1e8, nil, 1, nil, "plus sign"},
		{"-1", -1e8, nil, -1, nil, "negative"},
		{"4.35", 435000000, nil, 0, ErrPrecision, "a double gives 434999999"},
		{"0.29", 29000000, nil, 0, ErrPrecision, "a double gives 28999999"},
		{"1987.420", 198742000000, nil, 0, ErrPrecision, "trailing zero"},
		{"0.00000001", 1, nil, 0, ErrPrecision, "one satoshi"},
		{"0.000000010000", 1, nil, 0, ErrPrecision, "zeros beyond the eighth decimal change nothing"},
		{"0.000000001", 0, ErrPrecision, 0, ErrPrecision, "a tenth of a satoshi"},
		{"0.000000005", 0, ErrPrecision, 0, ErrPrecision, "not rounded"},
		{"1e3", 1000e8, nil, 1000, nil, "exponent"},
		{"1E+3", 1000e8, nil, 1000, nil, "signed capital exponent"},
		{"1e-2", 1000000, nil, 0, ErrPrecision, "negative exponent"},
		{"100e-2", 1e8, nil, 1, nil, "negative exponent of a whole number"},
		{"0.001e3", 1e8, nil, 1, nil, "exponent moves the point"},
		{"1.0", 1e8, nil, 1, nil, "whole in spite of its point"},
		{".5", 5e7, nil, 0, ErrPrecision, "no digit before the point"},
		{"5.", 5e8, nil, 5, nil, "no digit after the point"},
		{"1.9", 190000000, nil, 0, ErrPrecision, "not a whole number of tokens"},
		{"92233720368.54775807", math.MaxInt64, nil, 0, ErrPrecision, "greatest amount"},
		{"92233720368.54775808", 0, ErrRange, 0, ErrPrecision, "one satoshi more"},
		{"-92233720368.54775808", math.MinInt64, nil, 0, ErrPrecision, "least amount"},
		{"-92233720368.54775809", 0, ErrRange, 0, ErrPrecision, "one satoshi less"},
		{"9223372036854775807", 0, ErrRange, math.MaxInt64, nil, "greatest whole number"},
		{"9223372036854775808", 0, ErrRange, 0, ErrRange, "one more"},
		{"-9223372036854775808", 0, ErrRange, math.MinInt64, nil, "least whole number"},
		{"99999999999999999999999", 0, ErrRange, 0, ErrRange, "more than 64 bits"},
		{"1e300", 0, ErrRange, 0, ErrRange, "large exponent"},
		{"1e99999999999999999999", 0, ErrRange, 0, ErrRange, "exponent beyond an int"},
		{"1e-99999999999999999999", 0, ErrPrecision, 0, ErrPrecision, "negative exponent beyond an int"},
		{strings.Repeat("0", 1000) + "7", 7e8, nil, 7, nil, "leading zeros"},
		{"7" + strings.Repeat("0", 1000) + "e-1000", 7e8, nil, 7, nil, "zeros that the exponent takes back"},
	} {
		t.Run(c.whatIsTested, func(t *testing.T) {
			sat, err := ParseCoins(c.text)
			require.ErrorIs(t, err, c.coinsErr)
			require.Equal(t, c.coins, sat)
			n, err := ParseWhole(c.text)
			require.ErrorIs(t, err, c.wholeErr)
			require.Equal(t, c.whole, n)
		})
	}
}

func TestParseRefusesJunk(t *testing.T) {
	for _, text := range []string{
		"", " ", "abc", "nan", "inf", "-inf", "1.5abc", " 1", "1 ", "0x10", "1,5", "1_000", "--1", "+-1", "-",
		".", "-.", "e5", ".e5", "1e", "1e+", "1e5.0", "1e5e5", "1.2.3", "1\x00", "١", "½", "null", "true",
	} {
		_, err := ParseCoins(text)
		require.ErrorIs(t, err, ErrSyntax, "coins %q", text)
		_, err = ParseWhole(text)
		require.ErrorIs(t, err, ErrSyntax, "whole %q", text)
	}
}

func TestCoinsText(t *testing.T) {
	for sat, want := range map[Coins]string{
		0:             "0.00000000",
		1:             "0.00000001",
		-1:            "-0.00000001",
		10000:         "0.00010000",
		435000000:     "4.35000000",
		-1200000001:   "-12.00000001",
		math.MaxInt64: "92233720368.54775807",
		math.MinInt64: "-92233720368.54775808",
	} {
		require.Equal(t, want, sat.String())
		out, err := json.Marshal(struct{ V Coins }{sat})
		require.NoError(t, err)
		require.Equal(t, `{"V":`+want+`}`, string(out))
	}
}

func TestCoinsFromJSON(t *testing.T) {
	for text, want := range map[string]Coins{
		`4.35`: 435000000, `"4.35"`: 435000000, `1e-2`: 1000000, `"\u0031"`: 1e8, `-1`: -1e8,
	} {
		var c Coins
		require.NoError(t, json.Unmarshal([]byte(text), &c), text)
		require.Equal(t, want, c, text)
	}
	for text, want := range map[string]error{
		`"abc"`: ErrSyntax, `true`: ErrSyntax, `[]`: ErrSyntax, `""`: ErrSyntax, `1e-9`: ErrPrecision, `1e20`: ErrRange,
	} {
		c := Coins(7)
		require.ErrorIs(t, json.Unmarshal([]byte(text), &c), want, text)
		require.Equal(t, Coins(7), c, "unchanged by %s", text)
	}
}

// FuzzParseCoins compares with big.Rat for all texts that both accept.
func FuzzParseCoins(f *testing.F) {
	for _, seed := range []string{"4.35", "-1e-8", "92233720368.54775807", ".5", "5.", "1e300", "0x10", "1_0", "1/2"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		sat, err := ParseCoins(text)
		if err != nil {
			require.Zero(t, sat)
			return
		}
		if strings.ContainsAny(text, "eE") && len(text) > 8 {
			return // big.Rat would expand the power of ten
		}
		want, ok := new(big.Rat).SetString(text)
		require.True(t, ok, text)
		require.Zero(t, want.Cmp(big.NewRat(sat, coin)), "%s read as %d", text, sat)
		again, err := ParseCoins(Coins(sat).String())
		require.NoError(t, err)
		require.Equal(t, sat, again)
	})
}

func FuzzParseWhole(f *testing.F) {
	for _, seed := range []string{"1e3", "1.9", "-9223372036854775808", "1.0", ""} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		n, err := ParseWhole(text)
		if err != nil {
			require.Zero(t, n)
			return
		}
		sat, err := ParseCoins(text)
		if err == nil {
			require.Equal(t, n*coin, sat)
		} else {
			require.ErrorIs(t, err, ErrRange)
		}
	})
}
