// Package sdktest simulates wallets that use the KDF SDK. It calls a node as they do, and decodes
// the responses as strictly as they do. Only tests use it.
package sdktest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// Answer decodes responses as strictly as the KDF SDK. A string member may be a whole number or an
// object, but not a fraction. A whole number may not be a string. A missing or null member that is
// read crashes the SDK. Source: the SDK's JSON getters and the parsers of its types.
type Answer struct {
	// Of holds the members. Numbers keep their digits.
	Members map[string]any
	t       testing.TB
	where   string
}

// decoded keeps the digits of numbers.
func decoded(t testing.TB, text []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	require.NoError(t, d.Decode(&v), string(text))
	return v
}

// noFractions fails the test if any number is a fraction, since the SDK reads whole numbers, and
// amounts as strings.
func noFractions(t testing.TB, where string, v any) {
	t.Helper()
	switch v := v.(type) {
	case json.Number:
		require.NotRegexp(t, `[.eE]`, v.String(), "%s is a fraction", where)
	case []any:
		for i, member := range v {
			noFractions(t, fmt.Sprintf("%s[%d]", where, i), member)
		}
	case map[string]any:
		for name, member := range v {
			noFractions(t, where+"."+name, member)
		}
	}
}

// Value returns a member, which must exist and must not be null.
func (s Answer) Value(name string) any {
	s.t.Helper()
	v, there := s.Members[name]
	require.True(s.t, there && v != nil, "%s has no %s: %v", s.where, name, s.Members)
	return v
}

// Text returns a member that the SDK reads as a string.
func (s Answer) Text(name string) string {
	s.t.Helper()
	switch v := s.Value(name).(type) {
	case string:
		return v
	case json.Number:
		require.NotRegexp(s.t, `[.eE]`, v.String(), "%s.%s is a fraction", s.where, name)
		return v.String()
	case map[string]any:
		return fmt.Sprint(v)
	default:
		require.Fail(s.t, "not a text", "%s.%s is %v", s.where, name, v)
		return ""
	}
}

// Amount returns a string that is a decimal number.
func (s Answer) Amount(name string) string {
	s.t.Helper()
	text := s.Text(name)
	require.Regexp(s.t, `^-?\d+(\.\d+)?$`, text, "%s.%s", s.where, name)
	return text
}

// Number returns a whole number.
func (s Answer) Number(name string) int64 {
	s.t.Helper()
	n, is := s.Value(name).(json.Number)
	require.True(s.t, is, "%s.%s is no number: %v", s.where, name, s.Members[name])
	whole, err := n.Int64()
	require.NoError(s.t, err, "%s.%s", s.where, name)
	return whole
}

// Object returns a member that is an object.
func (s Answer) Object(name string) Answer {
	s.t.Helper()
	v, is := s.Value(name).(map[string]any)
	require.True(s.t, is, "%s.%s is no object: %v", s.where, name, s.Members[name])
	return Answer{v, s.t, s.where + "." + name}
}

// List returns a list. An item that is not an object is the member "".
func (s Answer) List(name string) (list []Answer) {
	s.t.Helper()
	all, is := s.Value(name).([]any)
	require.True(s.t, is, "%s.%s is no list: %v", s.where, name, s.Members[name])
	for i, v := range all {
		member, is := v.(map[string]any)
		if !is { // list of strings
			member = map[string]any{"": v}
		}
		list = append(list, Answer{member, s.t, fmt.Sprintf("%s.%s[%d]", s.where, name, i)})
	}
	return list
}

// Balance returns {spendable, unspendable}.
func (s Answer) Balance(name string) string {
	s.t.Helper()
	b := s.Object(name)
	b.Amount("unspendable")
	return b.Amount("spendable")
}

// Transaction reads the members of a transaction that the SDK reads.
func (s Answer) Transaction() {
	s.t.Helper()
	for _, name := range []string{"tx_hash", "coin", "internal_id"} {
		require.NotEmpty(s.t, s.Text(name))
	}
	for _, name := range []string{"my_balance_change", "total_amount", "spent_by_me", "received_by_me"} {
		s.Amount(name)
	}
	for _, name := range []string{"from", "to"} {
		for _, address := range s.List(name) {
			require.NotEmpty(s.t, address.Text(""))
		}
	}
	s.Number("block_height")
	s.Number("timestamp")
	fee := s.Object("fee_details") // the SDK crashes on null and on unknown types
	switch typ := fee.Text("type"); typ {
	case "Tendermint":
		fee.Amount("amount")
		fee.Number("gas_limit")
	case "Eth":
		fee.Number("gas")
		fee.Amount("gas_price")
		fee.Amount("total_fee")
	default:
		require.Fail(s.t, "an unknown fee", typ)
	}
}
