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

// TextParam reads a parameter that must be a string; want says more of it.
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

// BoundedParam reads a whole number within bounds; null leaves it as it is.
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

// BoundedSchema is the schema of a BoundedParam.
func BoundedSchema(least, most uint64) *rpc.Schema {
	return &rpc.Schema{Type: "integer", Minimum: json.Number(fmt.Sprint(least)), Maximum: json.Number(fmt.Sprint(most))}
}

// ErrHex refuses a text that is not in hexadecimal.
var ErrHex = errors.New("want an even number of hexadecimal digits, with or without 0x")

// ReadHex reads bytes in hexadecimal as people paste them: perhaps with 0x, and with white space
// around them. The error is ErrHex.
func ReadHex(text string) ([]byte, error) {
	b, err := hex.DecodeString(DigitsOf(text))
	if err != nil {
		return nil, ErrHex
	}
	return b, nil
}

// DigitsOf returns a hexadecimal number without 0x and the white space around it.
func DigitsOf(text string) string {
	text = strings.TrimSpace(text)
	if len(text) >= 2 && strings.EqualFold(text[:2], "0x") {
		return text[2:]
	}
	return text
}

// MaxHistory bounds a page: of larger ones the answer has as many, and says so.
const MaxHistory = 10_000

// PagesOf is how many pages there are.
func PagesOf(total int, limit uint64) uint64 {
	if limit == 0 {
		return 0
	}
	return (uint64(total) + limit - 1) / limit
}

// WantPaging names the shapes of paging_options.
const WantPaging = `an object with one member, PageNumber or FromId`

// ErrOnePaging refuses paging_options that name no page.
var ErrOnePaging = errors.New("one of PageNumber and FromId is needed")

// PageNumber counts from 1.
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

// IgnoredParam takes any value, and nothing comes of it.
type IgnoredParam struct{}

// UnmarshalParam implements rpc.Unmarshaler.
func (*IgnoredParam) UnmarshalParam(json.RawMessage) error { return nil }

// JSONSchema implements rpc.Described.
func (IgnoredParam) JSONSchema() *rpc.Schema { return &rpc.Schema{Description: "anything"} }

// Below puts a place in front of a ParamError's path.
func Below(place string, err error) error {
	var inner *rpc.ParamError
	if !errors.As(err, &inner) {
		return err
	}
	outer := *inner
	outer.Path = strings.TrimSuffix(place+"."+inner.Path, ".")
	return &outer
}

// Object reads the members with these names; others are ignored.
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

// Unquote reads a JSON string; want says more of it.
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

// ErrTooMany refuses a longer list.
var ErrTooMany = errors.New("too many")

// Seconds is a parameter that is a number of seconds: 30, 0.5 or 5e-1, exactly and
// to the nanosecond. Signs and zero are taken; the range is for the method to say.
type Seconds time.Duration

// ErrFineSeconds: parts of a nanosecond.
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

// Duration is the same in Go's unit.
func (s Seconds) Duration() time.Duration { return time.Duration(s) }

// WholeNumber reads a JSON number from 0 to 2^64-1.
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
