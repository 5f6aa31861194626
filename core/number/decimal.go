package number

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

const (
	coinDecimals = 8
	coin         = 100_000_000
)

// Coins is an amount in satoshis. Its text is the amount in coins with exactly eight decimals,
// as in komodod: 0.00010000.
type Coins int64

// String returns the amount in coins, such as -12.00000001.
func (c Coins) String() string {
	sign, n := "", uint64(c)
	if c < 0 {
		sign, n = "-", -n // also exact for the smallest int64
	}
	return fmt.Sprintf("%s%d.%08d", sign, n/coin, n%coin)
}

// MarshalJSON returns a JSON number with eight decimals.
func (c Coins) MarshalJSON() ([]byte, error) { return []byte(c.String()), nil }

// UnmarshalJSON decodes a JSON number, or a string with a number, exactly. It returns the
// errors of ParseCoins.
func (c *Coins) UnmarshalJSON(data []byte) error {
	text := string(data)
	if text != "" && text[0] == '"' {
		if err := json.Unmarshal(data, &text); err != nil {
			return err
		}
	}
	sat, err := ParseCoins(text)
	if err != nil {
		return err
	}
	*c = Coins(sat)
	return nil
}

// Errors of parsing an amount.
var (
	ErrSyntax    = errors.New("not a decimal number")
	ErrPrecision = errors.New("too many decimals")
	ErrRange     = errors.New("number out of range")
	ErrZeroDenom = errors.New("denom can not be 0")
	ErrForm      = errors.New(`not a number in one of the forms "1.5", 1.5, [[sign,[limbs]],[sign,[limbs]]], {"numer":"3","denom":"2"}`)
)

// ParseCoins parses an amount in coins, such as "4.35" or "435e-2", and returns satoshis. It
// returns ErrPrecision for fractions of a satoshi, and ErrRange for amounts that do not fit
// into an int64. Signs, zero and negative amounts are accepted.
func ParseCoins(text string) (sat int64, err error) { return parse(text, coinDecimals) }

// ParseWhole parses a whole number of tokens. "1000", "1e3" and "1.0" are whole numbers; for
// "1.9", it returns ErrPrecision.
func ParseWhole(text string) (int64, error) { return parse(text, 0) }

// ParseScaled parses a decimal number and returns it multiplied by 10^decimals, which must be a
// whole number. With nine decimals, for example, it converts seconds to nanoseconds. It returns
// the errors of ParseCoins.
func ParseScaled(text string, decimals int) (int64, error) { return parse(text, decimals) }

// decimal is a parsed number: ± 0.digits × 10^exponent, where digits neither begins nor ends
// with a zero. For zero, digits is empty.
type decimal struct {
	negative bool
	digits   string
	exponent int
}

// parse returns the number multiplied by 10^decimals.
func parse(text string, decimals int) (int64, error) {
	d, err := scan(text)
	if err != nil || d.digits == "" {
		return 0, err
	}
	length := d.exponent + decimals // length of the resulting integer
	if len(d.digits) > length {
		return 0, ErrPrecision
	}
	if length > len("9223372036854775808") {
		return 0, ErrRange
	}
	whole, err := strconv.ParseUint(d.digits+strings.Repeat("0", length-len(d.digits)), 10, 64)
	if err != nil {
		return 0, ErrRange
	}
	return signed(d.negative, whole)
}

func signed(negative bool, n uint64) (int64, error) {
	switch {
	case !negative && n <= math.MaxInt64:
		return int64(n), nil
	case negative && n <= -math.MinInt64:
		return -int64(n), nil
	}
	return 0, ErrRange
}

// scan splits a text into its parts: [sign] digits [. digits] [e [sign] digits], with a digit
// on at least one side of the point.
func scan(text string) (decimal, error) {
	negative, rest := cutSign(text)
	mantissa, exp, err := cutExponent(rest)
	if err != nil {
		return decimal{}, err
	}
	whole, fraction, _ := strings.Cut(mantissa, ".")
	if whole+fraction == "" || !onlyDigits(whole) || !onlyDigits(fraction) {
		return decimal{}, ErrSyntax
	}
	digits := strings.TrimLeft(whole+fraction, "0")
	exp += len(digits) - len(fraction)
	return decimal{negative, strings.TrimRight(digits, "0"), exp}, nil
}

func cutSign(text string) (negative bool, rest string) {
	if text != "" && (text[0] == '-' || text[0] == '+') {
		return text[0] == '-', text[1:]
	}
	return false, text
}

// maxExponent limits an exponent so that adding lengths to it cannot overflow an int of 32
// bits. It affects only texts of a gigabyte or more.
const maxExponent = 1 << 30

func cutExponent(text string) (mantissa string, exponent int, err error) {
	at := strings.IndexAny(text, "eE")
	if at < 0 {
		return text, 0, nil
	}
	negative, digits := cutSign(text[at+1:])
	if digits == "" || !onlyDigits(digits) {
		return "", 0, ErrSyntax
	}
	exponent, err = strconv.Atoi(digits)
	if err != nil || exponent > maxExponent {
		exponent = maxExponent
	}
	if negative {
		exponent = -exponent
	}
	return text[:at], exponent, nil
}

func onlyDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}
