package number

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
)

// UnmarshalJSON decodes a number in one of the four formats of the node API: a string with a
// decimal number, a JSON number, [[sign,[limbs]],[sign,[limbs]]], or {numer, denom} with
// strings of whole numbers. It need not be in lowest terms. The errors are ErrForm, ErrSyntax,
// ErrRange and ErrZeroDenom. After an error, r is unchanged.
func (r *Rational) UnmarshalJSON(data []byte) error {
	read, err := parseForm(bytes.TrimSpace(data))
	if err != nil {
		return err
	}
	*r = read
	return nil
}

func parseForm(data []byte) (Rational, error) {
	if !json.Valid(data) {
		return Rational{}, ErrForm
	}
	switch data[0] {
	case '"':
		var text string
		if err := json.Unmarshal(data, &text); err != nil {
			return Rational{}, ErrForm
		}
		return ParseRational(text)
	case '[':
		return parseLimbRatio(data)
	case '{':
		return parseFraction(data)
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return ParseRational(string(data))
	}
	return Rational{}, ErrForm
}

func parseLimbRatio(data []byte) (Rational, error) {
	var terms [2]*big.Int
	parts, err := array(data, 2)
	if err != nil {
		return Rational{}, err
	}
	for i, part := range parts {
		if terms[i], err = parseLimbs(part); err != nil {
			return Rational{}, err
		}
	}
	return bounded(terms[0], terms[1])
}

// parseLimbs decodes [sign, [limbs]]. As in num-bigint, zero may have any sign, and zeros may
// follow the most significant limb.
func parseLimbs(data []byte) (*big.Int, error) {
	parts, err := array(data, 2)
	if err != nil {
		return nil, err
	}
	items, err := array(parts[1], -1)
	if err != nil {
		return nil, err
	}
	if len(items) > MaxBits/32 {
		return nil, errTooLong
	}
	n := new(big.Int)
	for i := len(items) - 1; i >= 0; i-- {
		limb, err := strconv.ParseUint(string(items[i]), 10, 32)
		if err != nil {
			return nil, fmt.Errorf("%w: a limb is a whole number from 0 to 4294967295", ErrForm)
		}
		n.Or(n.Lsh(n, 32), new(big.Int).SetUint64(limb))
	}
	switch sign := string(parts[0]); {
	case sign == "-1":
		return n.Neg(n), nil
	case sign == "1", sign == "0" && n.Sign() == 0:
		return n, nil
	}
	return nil, fmt.Errorf("%w: a sign is -1, 1, or 0 for zero alone", ErrForm)
}

// array decodes a JSON array with the given length; -1 means any length.
func array(data []byte, length int) (items []json.RawMessage, err error) {
	if len(data) == 0 || data[0] != '[' { // encoding/json would accept null
		return nil, ErrForm
	}
	if err := json.Unmarshal(data, &items); err != nil {
		return nil, ErrForm
	}
	if length >= 0 && len(items) != length {
		return nil, fmt.Errorf("%w: an array of %d in place of %d", ErrForm, len(items), length)
	}
	return items, nil
}

var errFraction = fmt.Errorf("%w: an object has numer and denom, once each, with strings", ErrForm)

// parseFraction decodes {numer, denom}. Both members must occur exactly once, without any
// others.
func parseFraction(data []byte) (Rational, error) {
	terms := map[string]*big.Int{}
	in := json.NewDecoder(bytes.NewReader(data))
	if _, err := in.Token(); err != nil {
		return Rational{}, errFraction
	}
	for in.More() {
		token, err := in.Token()
		name, _ := token.(string)
		var text string
		if errors.Join(err, in.Decode(&text)) != nil || name != "numer" && name != "denom" || terms[name] != nil {
			return Rational{}, errFraction
		}
		n, err := parseInteger(text)
		if err != nil {
			return Rational{}, fmt.Errorf("%s: %w", name, err)
		}
		terms[name] = n
	}
	if len(terms) != 2 {
		return Rational{}, errFraction
	}
	return bounded(terms["numer"], terms["denom"])
}

func parseInteger(text string) (*big.Int, error) {
	negative, rest := cutSign(text)
	switch {
	case rest == "" || !onlyDigits(rest):
		return nil, ErrSyntax
	case len(rest) > MaxBits/3: // a digit has more than three bits
		return nil, errTooLong
	}
	n := digits(rest)
	if negative {
		n.Neg(n)
	}
	return n, nil
}

func bounded(numer, denom *big.Int) (Rational, error) {
	if max(numer.BitLen(), denom.BitLen()) > MaxBits {
		return Rational{}, errTooLong
	}
	return Ratio(numer, denom)
}

// NumericFormats is a number in the three formats of the node API.
type NumericFormats struct {
	// Decimal has all digits before the point, and all digits after it unless there are more
	// than 100 significant ones. In that case, the last digit is rounded half up, depending
	// only on the next digit.
	Decimal  string    `json:"decimal" doc:"the number in decimal digits, 100 significant ones at most behind the point"`
	Rational LimbRatio `json:"rational" doc:"numerator and denominator, each with its sign and its 32-bit digits, the least first"`
	Fraction Fraction  `json:"fraction" doc:"numerator and denominator, exactly"`
}

// Fraction is a number as numerator and denominator in lowest terms, in decimal digits.
type Fraction struct {
	Numer string `json:"numer" doc:"the numerator, with its sign"`
	Denom string `json:"denom" doc:"the denominator, above zero"`
}

// LimbRatio is a number as numerator and denominator, each as [sign, [limbs]].
type LimbRatio [2]Limbs

// Limbs is a whole number in num-bigint's format: [sign, [limbs]], with a sign of -1, 0 or 1
// and limbs of 32 bits. The least significant limb comes first, and the last one is not zero.
// Zero is [0,[]].
type Limbs struct {
	Sign      int
	Magnitude []uint32
}

// MarshalJSON returns [sign, [limbs]].
func (l Limbs) MarshalJSON() ([]byte, error) {
	limbs := l.Magnitude
	if limbs == nil {
		limbs = []uint32{}
	}
	return json.Marshal([2]any{l.Sign, limbs})
}

// Formats returns the number in all formats.
func (r Rational) Formats() NumericFormats {
	return NumericFormats{
		Decimal:  r.decimal(),
		Rational: LimbRatio{limbs(r.value().Num()), limbs(r.value().Denom())},
		Fraction: r.fraction(),
	}
}

func (r Rational) fraction() Fraction {
	return Fraction{r.value().Num().String(), r.value().Denom().String()}
}

// MarshalJSON returns the number as {numer, denom}, which UnmarshalJSON decodes. For numbers
// beyond MaxBits, it returns ErrRange.
func (r Rational) MarshalJSON() ([]byte, error) {
	if r.Bits() > MaxBits {
		return nil, errTooLong
	}
	return json.Marshal(r.fraction())
}

func limbs(n *big.Int) Limbs {
	const size = 4
	bytes := n.Bytes()
	l := Limbs{Sign: n.Sign(), Magnitude: make([]uint32, 0, len(bytes)/size+1)}
	for len(bytes) > 0 {
		cut := max(0, len(bytes)-size)
		var limb uint32
		for _, b := range bytes[cut:] {
			limb = limb<<8 | uint32(b)
		}
		l.Magnitude = append(l.Magnitude, limb)
		bytes = bytes[:cut]
	}
	return l
}

// significant is the number of significant digits of a quotient that does not terminate before.
const significant = 100

// decimal divides like bigdecimal 0.3 (impl_division): digit by digit, until there is no
// remainder or there are enough digits, and then rounds half up depending on the next digit. A
// final zero is kept if there was a remainder.
func (r Rational) decimal() string {
	numer, denom := new(big.Int).Abs(r.value().Num()), r.value().Denom()
	scale := max(0, significant-integerDigits(numer, denom))
	if numer.Sign() == 0 || r.value().IsInt() {
		scale = 0
	}
	quotient, rest := new(big.Int), new(big.Int)
	quotient.QuoRem(numer.Mul(numer, power10(scale)), denom, rest)
	exact := rest.Sign() == 0
	if next := rest.Mul(rest, big.NewInt(10)); next.Quo(next, denom).Cmp(big.NewInt(5)) >= 0 {
		quotient.Add(quotient, big.NewInt(1))
	}
	text := point(quotient.String(), scale)
	if exact && scale > 0 {
		text = strings.TrimSuffix(strings.TrimRight(text, "0"), ".")
	}
	if r.Sign() < 0 {
		return "-" + text
	}
	return text
}

// integerDigits returns the number of digits before the point. Without digits, it returns
// minus the number of zeros after the point: for 0.001, it is -2.
func integerDigits(numer, denom *big.Int) int {
	n := len(numer.String()) - len(denom.String())
	// The quotient numer/denom is between 10^(n-1) and 10^(n+1).
	a, b := numer, denom
	if n >= 0 {
		b = new(big.Int).Mul(denom, power10(n))
	} else {
		a = new(big.Int).Mul(numer, power10(-n))
	}
	if a.Cmp(b) >= 0 {
		return n + 1
	}
	return n
}

// point inserts the point before the last scale digits.
func point(digits string, scale int) string {
	if scale == 0 {
		return digits
	}
	if missing := scale + 1 - len(digits); missing > 0 {
		digits = strings.Repeat("0", missing) + digits
	}
	return digits[:len(digits)-scale] + "." + digits[len(digits)-scale:]
}

var errTooLong = fmt.Errorf("%w: at most %d bits above and below", ErrRange, MaxBits)
