package mmrpc

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"obverse/core/number"
	"obverse/core/rpc"
)

// Seconds is a parameter that is a number of seconds: 30, 0.5 or 5e-1, exactly and
// to the nanosecond. Signs and zero are taken; the range is for the method to say.
type Seconds time.Duration

// What is wrong with a number of seconds; found with errors.Is in a ParamError.
var (
	errNotSeconds  = errors.New("must be a number of seconds")
	errManySeconds = errors.New("must be a number of seconds that fits into 292 years")
	errFineSeconds = errors.New("must be a number of seconds with at most 9 decimals")
)

const secondDecimals = 9

// UnmarshalParam implements rpc.Unmarshaler.
func (s *Seconds) UnmarshalParam(raw json.RawMessage) error {
	if kind := rpc.KindOf(raw); kind != rpc.KindNumber {
		return fmt.Errorf("%w, got %s", errNotSeconds, kind)
	}
	nanoseconds, err := number.ParseScaled(strings.TrimSpace(string(raw)), secondDecimals)
	switch {
	case errors.Is(err, number.ErrPrecision):
		return errFineSeconds
	case errors.Is(err, number.ErrRange):
		return errManySeconds
	case err != nil:
		return errNotSeconds
	}
	*s = Seconds(nanoseconds)
	return nil
}

// JSONSchema implements rpc.Described.
func (Seconds) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Type: "number", Description: "a number of seconds"}
}

// Duration is the same in Go's unit.
func (s Seconds) Duration() time.Duration { return time.Duration(s) }
