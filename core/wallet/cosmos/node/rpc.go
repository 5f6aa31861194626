package node

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"
)

var (
	errRange = errors.New("value out of range")
	errWhole = errors.New("not a whole number")
)

// integer is a whole number that JSON has as a text or as it is.
type integer int64

// UnmarshalJSON implements json.Unmarshaler.
func (i *integer) UnmarshalJSON(b []byte) error {
	b = bytes.Trim(b, `"`)
	if len(b) == 0 || string(b) == "null" {
		return nil
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	*i = integer(n)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return errRange
	case err != nil:
		return errWhole
	}
	return nil
}

// count is an integer that is not below 0: a height, a number of transactions.
type count int64

// UnmarshalJSON implements json.Unmarshaler.
func (c *count) UnmarshalJSON(b []byte) error {
	err := (*integer)(c).UnmarshalJSON(b)
	if err == nil && *c < 0 {
		err = fmt.Errorf("%d is below 0", *c)
	}
	return err
}

// moment is a time. It is zero if it cannot be read.
type moment time.Time

// UnmarshalJSON implements json.Unmarshaler.
func (m *moment) UnmarshalJSON(b []byte) error {
	*m = moment{}
	var t time.Time
	if json.Unmarshal(b, &t) == nil {
		*m = moment(t)
	}
	return nil
}
