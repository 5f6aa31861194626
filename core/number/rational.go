package number

import (
	"fmt"
	"math/big"
)

// Rational is an exact number: a numerator and a positive denominator in lowest terms. It is
// immutable, and the zero Rational is 0. Compare Rationals with Cmp; == does not compile.
//
// A decoded Rational has at most MaxBits bits in numerator and denominator. Arithmetic has no
// limit.
type Rational struct {
	_   [0]func()
	rat *big.Rat // nil means zero; never modified
}

// MaxBits is the maximum number of bits in the numerator and in the denominator when a number
// is encoded or decoded as JSON: a little more than 10^2000.
const MaxBits = 6656

// Int returns a whole number.
func Int(n int64) Rational { return Rational{rat: big.NewRat(n, 1)} }

// Ratio returns numer/denom. If denom is zero, it returns ErrZeroDenom.
func Ratio(numer, denom *big.Int) (Rational, error) {
	if denom.Sign() == 0 {
		return Rational{}, ErrZeroDenom
	}
	return Rational{rat: new(big.Rat).SetFrac(numer, denom)}, nil
}

// Scaled returns n/10^decimals, which converts n of the smallest units of a coin to coins.
func Scaled(n *big.Int, decimals uint8) Rational {
	scale := new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(decimals)), nil)
	return Rational{rat: new(big.Rat).SetFrac(n, scale)}
}

// Units returns r multiplied by 10^decimals. If that is not an integer, it returns
// ErrPrecision.
func (r Rational) Units(decimals uint8) (*big.Int, error) {
	scaled, err := r.Quo(Scaled(big.NewInt(1), decimals))
	if err != nil || !scaled.value().IsInt() {
		return nil, ErrPrecision
	}
	return scaled.Numer(), nil
}

// value returns the number as a big.Rat, which must not be modified.
func (r Rational) value() *big.Rat {
	if r.rat == nil {
		return new(big.Rat)
	}
	return r.rat
}

// Add returns r + s.
func (r Rational) Add(s Rational) Rational {
	return Rational{rat: new(big.Rat).Add(r.value(), s.value())}
}

// Sub returns r - s.
func (r Rational) Sub(s Rational) Rational {
	return Rational{rat: new(big.Rat).Sub(r.value(), s.value())}
}

// Mul returns r × s.
func (r Rational) Mul(s Rational) Rational {
	return Rational{rat: new(big.Rat).Mul(r.value(), s.value())}
}

// Quo returns r / s. If s is zero, it returns ErrZeroDenom.
func (r Rational) Quo(s Rational) (Rational, error) {
	if s.IsZero() {
		return Rational{}, ErrZeroDenom
	}
	return Rational{rat: new(big.Rat).Quo(r.value(), s.value())}, nil
}

// Neg returns -r.
func (r Rational) Neg() Rational { return Rational{rat: new(big.Rat).Neg(r.value())} }

// Cmp returns -1, 0 or 1 if r is less than, equal to or greater than s.
func (r Rational) Cmp(s Rational) int { return r.value().Cmp(s.value()) }

// Sign returns -1, 0 or 1 if r is negative, zero or positive.
func (r Rational) Sign() int { return r.value().Sign() }

// IsZero reports whether r is 0.
func (r Rational) IsZero() bool { return r.Sign() == 0 }

// Numer returns a copy of the numerator, including the sign.
func (r Rational) Numer() *big.Int { return new(big.Int).Set(r.value().Num()) }

// Denom returns a copy of the denominator.
func (r Rational) Denom() *big.Int { return new(big.Int).Set(r.value().Denom()) }

// Bits returns the length of the numerator or the denominator, whichever is longer.
func (r Rational) Bits() int { return max(r.value().Num().BitLen(), r.value().Denom().BitLen()) }

// String returns the decimal format; see NumericFormats.
func (r Rational) String() string { return r.decimal() }

// ParseRational parses a decimal number, such as "4.35" or "-435e-2", exactly. It returns
// ErrSyntax, and ErrRange if there are more than 1000 digits before or after the point.
func ParseRational(text string) (Rational, error) {
	d, err := scan(text)
	if err != nil || d.digits == "" {
		return Rational{}, err
	}
	const maxDigits = 1000
	decimals := len(d.digits) - d.exponent
	if d.exponent > maxDigits || decimals > maxDigits {
		return Rational{}, fmt.Errorf("%w: at most %d digits before and after the point", ErrRange, maxDigits)
	}
	numer, denom := digits(d.digits), big.NewInt(1)
	if decimals > 0 {
		denom = power10(decimals)
	} else {
		numer.Mul(numer, power10(-decimals))
	}
	if d.negative {
		numer.Neg(numer)
	}
	return Rational{rat: new(big.Rat).SetFrac(numer, denom)}, nil
}

// digits parses a text that consists of decimal digits.
func digits(text string) *big.Int {
	n, _ := new(big.Int).SetString(text, 10)
	return n
}

func power10(n int) *big.Int {
	return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil)
}
