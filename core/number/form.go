package number

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strconv"
)

// UnmarshalJSON takes a number in any of the four forms of the node API: a string of a
// decimal number, a JSON number, [[sign,[limbs]],[sign,[limbs]]], or {numer, denom} with
// strings of whole numbers. It need not be in lowest terms. The errors are ErrForm,
// ErrSyntax, ErrRange and ErrZeroDenom, and r is then unchanged.
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

// parseLimbs reads [sign, [limbs]]. Zero may have any sign, and zeros may follow the
// most significant limb, as num-bigint takes them.
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

// array takes a JSON array apart; a length of -1 is any.
func array(data []byte, length int) (items []json.RawMessage, err error) {
	if len(data) == 0 || data[0] != '[' { // null would pass
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

// parseFraction reads {numer, denom}, each once and nothing else.
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
