package mmrpc

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"obverse/core/number"
	"obverse/core/rpc"
)

// Seconds is a parameter that is a number of seconds: 30, 0.5 or 5e-1, exactly and
// to the nanosecond. Signs and zero are taken; the range is for the method to say.
type Seconds time.Duration

// errFineSeconds: parts of a nanosecond.
var errFineSeconds = errors.New("too many decimals")

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
		refusal.Want, refusal.Err = wantSeconds+" with at most 9 decimals", errFineSeconds
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
