package node

import (
	"bytes"
	"fmt"
	"strconv"
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
	return err
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
