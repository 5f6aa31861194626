package number

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/rpc/recording"
)

func ratio(t testing.TB, numer, denom string) Rational {
	t.Helper()
	n, ok := new(big.Int).SetString(numer, 10)
	require.True(t, ok)
	d, ok := new(big.Int).SetString(denom, 10)
	require.True(t, ok)
	r, err := Ratio(n, d)
	require.NoError(t, err)
	return r
}

func requireSame(t testing.TB, want, got Rational, about ...any) {
	t.Helper()
	require.Equal(t, want.fraction(), got.fraction(), about...)
	require.Zero(t, want.Cmp(got), about...)
}

func TestVectorsNumericFormats(t *testing.T) {
	for _, file := range recording.Read(t, "testdata", "OBVERSE_VECTORS", "numericformats.json") {
		var vectors []struct {
			Name, Numer, Denom string
			Formats            json.RawMessage
		}
		require.NoError(t, json.Unmarshal(file, &vectors))
		require.NotEmpty(t, vectors)
		for _, v := range vectors {
			t.Run(v.Name, func(t *testing.T) { checkVector(t, ratio(t, v.Numer, v.Denom), v.Formats) })
		}
	}
}

func checkVector(t *testing.T, r Rational, formats json.RawMessage) {
	out, err := json.Marshal(r.Formats())
	require.NoError(t, err)
	require.Equal(t, string(formats), string(out))
	var forms struct{ Decimal, Rational, Fraction json.RawMessage }
	require.NoError(t, json.Unmarshal(formats, &forms))
	var back Rational
	require.NoError(t, json.Unmarshal(forms.Rational, &back))
	requireSame(t, r, back)
	require.NoError(t, json.Unmarshal(forms.Fraction, &back))
	requireSame(t, r, back)
}

func TestDecimal(t *testing.T) {
	nines := strings.Repeat("9", 100)
	for _, c := range []struct{ name, numer, denom, want string }{
		{"zero", "0", "1", "0"},
		{"unreduced", "50", "100", "0.5"},
		{"negative", "-1", "8", "-0.125"},
		{"zeros before the point stay", "100", "1", "100"},
		{"integer of more than 100 digits", "1" + strings.Repeat("0", 150), "1", "1" + strings.Repeat("0", 150)},
		{"100 digits, exactly", nines, "1" + strings.Repeat("0", 100), "0." + nines},
		{"101 digits, rounded up to a whole number", nines + "5", "1" + strings.Repeat("0", 101), "1." + strings.Repeat("0", 100)},
		{"101 digits, rounded down", nines + "4", "1" + strings.Repeat("0", 101), "0." + nines},
		{"a negative half goes away from zero", "-" + nines + "5", "1" + strings.Repeat("0", 101), "-1." + strings.Repeat("0", 100)},
		{"more than 100 digits before the point", nines + nines + "5", "10", "1" + strings.Repeat("0", 200)},
		{"the next digit alone decides", "1" + strings.Repeat("0", 99) + "49", "1" + strings.Repeat("0", 101), "1." + strings.Repeat("0", 99)},
		{"zeros behind the point do not count", "1", "3" + strings.Repeat("0", 30), "0." + strings.Repeat("0", 30) + strings.Repeat("3", 100)},
		{"just below a power of ten", "9", "10000", "0.0009"},
		{"a last digit that is zero stays", "3" + strings.Repeat("0", 98) + "1", "1" + strings.Repeat("0", 100), "0.3" + strings.Repeat("0", 98) + "1"},
		{"a last digit that became zero stays", "2" + nines[1:] + "9", "1" + strings.Repeat("0", 101), "0.3" + strings.Repeat("0", 99)},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, ratio(t, c.numer, c.denom).String())
		})
	}
}

func TestForms(t *testing.T) {
	half := ratio(t, "1", "2")
	for _, c := range []struct {
		name, text string
		want       Rational
	}{
		{"string", `"0.5"`, half},
		{"escaped string", `"\u0030.5"`, half},
		{"string with an exponent", `"5e-1"`, half},
		{"string with a sign", `"+.5"`, half},
		{"number", `0.5`, half},
		{"number with an exponent", `50E-2`, half},
		{"number that no double holds", `0.1000000000000000055511151231257827021181583404541015625000001`,
			ratio(t, "1000000000000000055511151231257827021181583404541015625000001", "1"+strings.Repeat("0", 61))},
		{"negative number", `-0.5`, half.Neg()},
		{"negative zero", `-0.0`, Rational{}},
		{"huge exponent of zero", `0e999999999999`, Rational{}},
		{"limbs", `[[1,[1]],[1,[2]]]`, half},
		{"limbs, not reduced, with spaces", ` [ [1, [2 ]], [ 1,[4]] ]`, half},
		{"limbs, negative above", `[[-1,[1]],[1,[2]]]`, half.Neg()},
		{"limbs, negative below", `[[1,[1]],[-1,[2]]]`, half.Neg()},
		{"limbs, two of them", `[[1,[0,1]],[1,[0,2]]]`, half},
		{"limbs, zeros on top", `[[1,[1,0,0]],[1,[2,0]]]`, half},
		{"limbs, zero", `[[0,[]],[1,[1]]]`, Rational{}},
		{"limbs, zero with a sign", `[[1,[0]],[1,[1]]]`, Rational{}},
		{"fraction", `{"numer":"1","denom":"2"}`, half},
		{"fraction, other order, not reduced", `{"denom":"+4", "numer":"002"}`, half},
		{"fraction, negative below", `{"numer":"1","denom":"-2"}`, half.Neg()},
		{"longest string", `"` + strings.Repeat("9", 1000) + "." + strings.Repeat("9", 1000) + `"`,
			ratio(t, strings.Repeat("9", 2000), "1"+strings.Repeat("0", 1000))},
		{"longest exponents", `1e999`, ratio(t, "1"+strings.Repeat("0", 999), "1")},
		{"longest negative exponents", `1e-1000`, ratio(t, "1", "1"+strings.Repeat("0", 1000))},
		{"zeros are no digits", `"` + strings.Repeat("0", 5000) + ".5" + strings.Repeat("0", 5000) + `"`, half},
		{"exponent that takes back", `"5` + strings.Repeat("0", 5000) + `e-5001"`, half},
	} {
		t.Run(c.name, func(t *testing.T) {
			var got Rational
			require.NoError(t, json.Unmarshal([]byte(c.text), &got))
			requireSame(t, c.want, got)
			out, err := json.Marshal(got)
			require.NoError(t, err, "a decoded number can be encoded")
			var again Rational
			require.NoError(t, json.Unmarshal(out, &again))
			requireSame(t, got, again)
		})
	}
}

func TestFormsRefused(t *testing.T) {
	long := strings.Repeat("9", 2500)
	limbs := strings.TrimSuffix(strings.Repeat("1,", MaxBits/32+1), ",")
	for _, c := range []struct {
		name, text string
		want       error
	}{
		{"nothing", ``, ErrForm},
		{"true", `true`, ErrForm},
		{"no JSON", `1.5abc`, ErrForm},
		{"number as Go writes it", `.5`, ErrForm},
		{"empty string", `""`, ErrSyntax},
		{"words", `"abc"`, ErrSyntax},
		{"fraction as text", `"1/2"`, ErrSyntax},
		{"hexadecimal", `"0x10"`, ErrSyntax},
		{"infinite", `"inf"`, ErrSyntax},
		{"too many digits before the point", `"` + strings.Repeat("9", 1001) + `"`, ErrRange},
		{"too many digits behind the point", `"0.` + strings.Repeat("9", 1001) + `"`, ErrRange},
		{"exponent too large", `1e1000`, ErrRange},
		{"exponent too small", `1e-1001`, ErrRange},
		{"exponent beyond an int", `1e99999999999999999999`, ErrRange},
		{"negative exponent beyond an int", `"-1e-99999999999999999999"`, ErrRange},

		{"empty array", `[]`, ErrForm},
		{"one term", `[[1,[1]]]`, ErrForm},
		{"three terms", `[[1,[1]],[1,[1]],[1,[1]]]`, ErrForm},
		{"terms that are numbers", `[1,2]`, ErrForm},
		{"null limbs", `[[1,null],[1,[1]]]`, ErrForm},
		{"null term", `[null,[1,[1]]]`, ErrForm},
		{"sign 2", `[[2,[1]],[1,[1]]]`, ErrForm},
		{"sign as text", `[["1",[1]],[1,[1]]]`, ErrForm},
		{"sign zero of one", `[[0,[1]],[1,[1]]]`, ErrForm},
		{"limb of 33 bits", `[[1,[4294967296]],[1,[1]]]`, ErrForm},
		{"negative limb", `[[1,[-1]],[1,[1]]]`, ErrForm},
		{"limb with a fraction", `[[1,[1.0]],[1,[1]]]`, ErrForm},
		{"limb as text", `[[1,["1"]],[1,[1]]]`, ErrForm},
		{"denominator zero in limbs", `[[1,[1]],[0,[]]]`, ErrZeroDenom},
		{"zero over zero in limbs", `[[0,[]],[0,[]]]`, ErrZeroDenom},
		{"too many limbs", `[[1,[` + limbs + `]],[1,[1]]]`, ErrRange},

		{"empty object", `{}`, ErrForm},
		{"no denominator", `{"numer":"1"}`, ErrForm},
		{"denominator twice", `{"numer":"1","denom":"1","denom":"2"}`, ErrForm},
		{"another name", `{"numer":"1","denom":"1","sign":"1"}`, ErrForm},
		{"another case", `{"Numer":"1","denom":"1"}`, ErrForm},
		{"numbers", `{"numer":1,"denom":2}`, ErrForm},
		{"null", `{"numer":null,"denom":"2"}`, ErrSyntax},
		{"no whole number", `{"numer":"1.5","denom":"2"}`, ErrSyntax},
		{"empty", `{"numer":"","denom":"2"}`, ErrSyntax},
		{"denominator zero", `{"numer":"1","denom":"0"}`, ErrZeroDenom},
		{"denominator minus zero", `{"numer":"1","denom":"-00"}`, ErrZeroDenom},
		{"numerator too long", `{"numer":"` + long + `","denom":"1"}`, ErrRange},
		{"denominator too long", `{"numer":"1","denom":"` + long + `"}`, ErrRange},
		{"denominator a little too long", `{"numer":"1","denom":"` + strings.Repeat("9", 2010) + `"}`, ErrRange},
		{"cut", `{"numer":"1","denom":"2"`, ErrForm},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Int(7)
			require.ErrorIs(t, r.UnmarshalJSON([]byte(c.text)), c.want)
			requireSame(t, Int(7), r, "unchanged")
		})
	}
	require.EqualError(t, new(Rational).UnmarshalJSON([]byte(`{"numer":"1","denom":"0"}`)), "denom can not be 0")
	require.ErrorIs(t, new(Rational).UnmarshalJSON([]byte(`null`)), ErrForm)
}

// TestArithmetic compares the results with cross-multiplied integers.
func TestArithmetic(t *testing.T) {
	numbers := []Rational{{}, Int(1), Int(-1), Int(math.MaxInt64), Int(math.MinInt64), ratio(t, "1", "3"), ratio(t, "-2", "3"),
		ratio(t, "77803", "100000"), ratio(t, "-348854605979", "77700000000"), ratio(t, "6", "-4")}
	cross := func(a, b *big.Int) *big.Int { return new(big.Int).Mul(a, b) }
	for _, r := range numbers {
		requireSame(t, Rational{}, r.Add(r.Neg()))
		require.Equal(t, r.Numer().Sign(), r.Sign())
		require.Equal(t, r.Sign() == 0, r.IsZero())
		for _, s := range numbers {
			p, q, x, y := r.Numer(), r.Denom(), s.Numer(), s.Denom()
			sum, product := r.Add(s), r.Mul(s)
			for _, result := range []Rational{sum, product, r.Sub(s)} {
				require.Positive(t, result.Denom().Sign())
				require.Equal(t, "1", new(big.Int).GCD(nil, nil, new(big.Int).Abs(result.Numer()), result.Denom()).String(), "lowest terms")
			}
			top := new(big.Int).Add(cross(p, y), cross(x, q))
			require.Zero(t, cross(sum.Numer(), cross(q, y)).Cmp(cross(top, sum.Denom())))
			require.Zero(t, cross(product.Numer(), cross(q, y)).Cmp(cross(cross(p, x), product.Denom())))
			require.Equal(t, cross(p, y).Cmp(cross(x, q)), r.Cmp(s))
			requireSame(t, r, sum.Sub(s))
			quotient, err := product.Quo(s)
			if s.IsZero() {
				require.ErrorIs(t, err, ErrZeroDenom)
				continue
			}
			require.NoError(t, err)
			requireSame(t, r, quotient)
		}
	}
	_, err := Ratio(big.NewInt(1), new(big.Int))
	require.ErrorIs(t, err, ErrZeroDenom)
}

func TestRationalsNeverChange(t *testing.T) {
	numer, denom := big.NewInt(6), big.NewInt(-4)
	r, err := Ratio(numer, denom)
	require.NoError(t, err)
	numer.SetInt64(1)
	denom.SetInt64(1)
	r.Numer().SetInt64(9)
	r.Denom().SetInt64(9)
	r.Formats()
	r.Add(Int(1)).Neg()
	requireSame(t, ratio(t, "-3", "2"), r)
	require.Equal(t, 2, r.Bits())
	require.Equal(t, "-1.5", fmt.Sprint(r))
}

func TestTooLongToWrite(t *testing.T) {
	huge := ratio(t, "1"+strings.Repeat("0", 2000), "1")
	_, err := json.Marshal(huge)
	require.NoError(t, err)
	_, err = json.Marshal(huge.Mul(Int(100000)))
	require.ErrorIs(t, err, ErrRange)
}

// FuzzRational decodes arbitrary data, and checks that every format of the result can be
// decoded again and agrees with big.Rat.
func FuzzRational(f *testing.F) {
	for _, seed := range []string{`"4.35"`, `-1e-8`, `[[1,[705032704,1]],[1,[1]]]`, `[[-1,[1]],[1,[3]]]`, `{"numer":"1","denom":"3"}`,
		`{"numer":"1","denom":"0"}`, `[[0,[]],[0,[]]]`, `1e1000`, `{"numer":"1"`, `null`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var r Rational
		if err := r.UnmarshalJSON(data); err != nil {
			requireSame(t, Rational{}, r)
			return
		}
		require.LessOrEqual(t, r.Bits(), MaxBits)
		formats := r.Formats()
		for _, form := range []any{formats.Rational, formats.Fraction, r} {
			text, err := json.Marshal(form)
			require.NoError(t, err)
			var back Rational
			require.NoError(t, back.UnmarshalJSON(text), string(text))
			requireSame(t, r, back)
		}
		decimal, ok := new(big.Rat).SetString(formats.Decimal)
		require.True(t, ok, formats.Decimal)
		requireNear(t, r, decimal)
	})
}

// requireNear requires that a decimal with 100 significant digits differs by at most half of
// the last digit, plus a tenth of it because only one digit is used for rounding.
func requireNear(t *testing.T, r Rational, want *big.Rat) {
	away := new(big.Rat).Sub(r.value(), want)
	away.Abs(away)
	limit := new(big.Rat).Abs(r.value())
	limit.Mul(limit, new(big.Rat).SetFrac(big.NewInt(1), power10(99)))
	if whole := big.NewRat(6, 10); limit.Cmp(whole) > 0 {
		limit = whole // the digits before the point are always complete
	}
	require.LessOrEqual(t, away.Cmp(limit), 0)
}

// FuzzParseRational compares with big.Rat for all texts that both accept.
func FuzzParseRational(f *testing.F) {
	for _, seed := range []string{"4.35", "-1e-8", ".5", "5.", "1e300", "0x10", "1_0", "1/2", "+0e0"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := ParseRational(text)
		if err != nil || strings.ContainsAny(text, "eE") && len(text) > 8 {
			return // big.Rat would expand the power of ten
		}
		want, ok := new(big.Rat).SetString(text)
		require.True(t, ok, text)
		require.Zero(t, want.Cmp(r.value()))
	})
}

func TestScaled(t *testing.T) {
	huge, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	for want, got := range map[string]Rational{
		"44.147264": Scaled(big.NewInt(44147264), 6), "0": Scaled(new(big.Int), 18), "7": Scaled(big.NewInt(7), 0),
		"-0.000001": Scaled(big.NewInt(-1), 6), "123456789012.34567890123456789": Scaled(huge, 18),
	} {
		require.Equal(t, want, got.String())
	}
	require.Len(t, Scaled(big.NewInt(1), 255).Denom().String(), 256, "a one and 255 zeros")
}

func TestUnits(t *testing.T) {
	for _, c := range []struct {
		coins    string
		decimals uint8
		units    string // "" if there are too many decimals
	}{
		{"1.5", 6, "1500000"}, {"1.0000001", 6, ""}, {"1", 0, "1"}, {"0.1", 0, ""}, {"123456789012.345678901234567890", 18, "123456789012345678901234567890"},
	} {
		parsed, err := ParseRational(c.coins)
		require.NoError(t, err)
		units, err := parsed.Units(c.decimals)
		if c.units == "" {
			require.ErrorIs(t, err, ErrPrecision)
			continue
		}
		require.NoError(t, err)
		require.Equal(t, c.units, units.String())
		require.Zero(t, Scaled(units, c.decimals).Cmp(parsed))
	}
}
