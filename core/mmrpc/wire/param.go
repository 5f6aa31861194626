package wire

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"obverse/core/number"
	"obverse/core/rpc"
)

// TextParam decodes a string parameter. The argument want describes the accepted values.
func TextParam(raw json.RawMessage, want string) (string, error) {
	refusal := &rpc.ParamError{Want: want, Got: rpc.KindOf(raw), Err: rpc.ErrType, Value: raw}
	if refusal.Got != rpc.KindString {
		return "", refusal
	}
	text, err := rpc.Unquote(raw)
	if err != nil {
		return "", refusal
	}
	return text, nil
}

// BoundedParam decodes a whole number within limits. A null leaves the value unchanged.
func BoundedParam(into *uint32, raw json.RawMessage, minimum, maximum uint64) error {
	if rpc.KindOf(raw) == rpc.KindNull {
		return nil
	}
	want := fmt.Sprintf("a whole number from %d to %d", minimum, maximum)
	n, err := WholeNumber(raw, want)
	if err != nil {
		return err
	}
	if n < minimum || n > maximum {
		return &rpc.ParamError{Want: want, Got: rpc.KindNumber, Err: rpc.ErrRange, Value: raw}
	}
	*into = uint32(n)
	return nil
}

// BoundedSchema returns the schema of a BoundedParam.
func BoundedSchema(least, most uint64) *rpc.Schema {
	return &rpc.Schema{Type: "integer", Minimum: json.Number(fmt.Sprint(least)), Maximum: json.Number(fmt.Sprint(most))}
}

// ErrHex reports a text that is not hexadecimal.
var ErrHex = errors.New("want an even number of hexadecimal digits, with or without 0x")

// ReadHex decodes hexadecimal digits as users paste them: with or without 0x, and with
// surrounding white space. The error is ErrHex.
func ReadHex(text string) ([]byte, error) {
	b, err := hex.DecodeString(DigitsOf(text))
	if err != nil {
		return nil, ErrHex
	}
	return b, nil
}

// DigitsOf returns a hexadecimal number without 0x and surrounding white space.
func DigitsOf(text string) string {
	text = strings.TrimSpace(text)
	if len(text) >= 2 && strings.EqualFold(text[:2], "0x") {
		return text[2:]
	}
	return text
}

// MaxHistory limits the size of a page. A larger page is truncated, and its limit in the answer
// is MaxHistory.
const MaxHistory = 10_000

// PagesOf returns the number of pages.
func PagesOf(total int, limit uint64) uint64 {
	if limit == 0 {
		return 0
	}
	return (uint64(total) + limit - 1) / limit
}

// WantPaging describes the accepted forms of paging_options.
const WantPaging = `an object with one member, PageNumber or FromId`

// ErrOnePaging reports paging_options that do not select a page.
var ErrOnePaging = errors.New("one of PageNumber and FromId is needed")

// PageNumber is the number of a page, counted from 1.
type PageNumber uint64

var errPageZero = errors.New("invalid value: integer `0`, expected a nonzero usize")

// UnmarshalParam implements rpc.Unmarshaler.
func (p *PageNumber) UnmarshalParam(raw json.RawMessage) error {
	const want = "a whole number from 1"
	if rpc.KindOf(raw) == rpc.KindNull {
		*p = 1
		return nil
	}
	if json.Unmarshal(raw, (*uint64)(p)) != nil || rpc.KindOf(raw) != rpc.KindNumber {
		return &rpc.ParamError{Want: want, Got: rpc.KindOf(raw), Err: rpc.ErrType, Value: raw}
	}
	if *p == 0 {
		return &rpc.ParamError{Want: want, Got: rpc.KindNumber, Err: errPageZero}
	}
	return nil
}

// JSONSchema implements rpc.Described.
func (PageNumber) JSONSchema() *rpc.Schema { return &rpc.Schema{Type: "integer", Minimum: "1"} }

// IgnoredParam is a parameter that accepts any value and has no effect.
type IgnoredParam struct{}

// UnmarshalParam implements rpc.Unmarshaler.
func (*IgnoredParam) UnmarshalParam(json.RawMessage) error { return nil }

// JSONSchema implements rpc.Described.
func (IgnoredParam) JSONSchema() *rpc.Schema { return &rpc.Schema{Description: "anything"} }

// Below prepends a place to the path of a ParamError.
func Below(place string, err error) error {
	var inner *rpc.ParamError
	if !errors.As(err, &inner) {
		return err
	}
	outer := *inner
	outer.Path = strings.TrimSuffix(place+"."+inner.Path, ".")
	return &outer
}

// Object decodes the members with the given names. Other members are ignored.
func Object(raw json.RawMessage, want string, names ...string) (map[string]json.RawMessage, error) {
	if rpc.KindOf(raw) != rpc.KindObject {
		return nil, &rpc.ParamError{Want: want, Got: rpc.KindOf(raw), Err: rpc.ErrType, Value: raw}
	}
	members := map[string]json.RawMessage{}
	for name, value := range rpc.Members(raw) {
		for _, known := range names {
			if name != known {
				continue
			}
			if members[name] != nil {
				return nil, &rpc.ParamError{Path: name, Err: rpc.ErrDuplicate}
			}
			members[name] = value
		}
	}
	return members, nil
}

// Unquote decodes a JSON string. The argument want describes the accepted values.
func Unquote(raw json.RawMessage, want string) (string, error) {
	refusal := &rpc.ParamError{Want: want, Got: rpc.KindOf(raw), Err: rpc.ErrType, Value: raw}
	if refusal.Got != rpc.KindString {
		return "", refusal
	}
	s, err := rpc.Unquote(raw)
	if err != nil {
		return "", refusal
	}
	return s, nil
}

// ErrTooMany reports a list that is too long.
var ErrTooMany = errors.New("too many")

// Seconds is a parameter with a number of seconds, such as 30, 0.5 or 5e-1, which is exact to
// the nanosecond. Negative numbers and zero are accepted; methods must check the range.
type Seconds time.Duration

// ErrFineSeconds reports a number with fractions of a nanosecond.
var ErrFineSeconds = errors.New("too many decimals")

const (
	secondDecimals = 9
	wantSeconds    = "a number of seconds"
)

// UnmarshalParam implements rpc.Unmarshaler.
func (s *Seconds) UnmarshalParam(raw json.RawMessage) error {
	refusal := &rpc.ParamError{Want: wantSeconds, Got: rpc.KindOf(raw), Err: rpc.ErrType, Value: raw}
	if refusal.Got != rpc.KindNumber {
		return refusal
	}
	nanoseconds, err := number.ParseScaled(strings.TrimSpace(string(raw)), secondDecimals)
	switch {
	case errors.Is(err, number.ErrPrecision):
		refusal.Want, refusal.Err = wantSeconds+" with at most 9 decimals", ErrFineSeconds
	case errors.Is(err, number.ErrRange):
		refusal.Want, refusal.Err = wantSeconds+" that is not over 292 years", rpc.ErrRange
	}
	if err != nil {
		return refusal
	}
	*s = Seconds(nanoseconds)
	return nil
}

// JSONSchema implements rpc.Described.
func (Seconds) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Type: "number", Description: wantSeconds}
}

// Duration returns the time as a time.Duration.
func (s Seconds) Duration() time.Duration { return time.Duration(s) }

// WholeNumber decodes a JSON number from 0 to 2^64-1.
func WholeNumber(raw json.RawMessage, want string) (uint64, error) {
	refusal := &rpc.ParamError{Want: want, Got: rpc.KindOf(raw), Err: rpc.ErrType, Value: raw}
	if !IsWhole(raw) {
		return 0, refusal
	}
	n, err := strconv.ParseUint(strings.TrimSpace(string(raw)), 10, 64)
	if err != nil {
		refusal.Err = rpc.ErrRange
		return 0, refusal
	}
	return n, nil
}
