package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// sdk reads answers as strictly as the KDF SDK does: a text may be a whole number or an object,
// and no fraction; a whole number is no text; what is missing or null where it is read ends the
// program. Source: the SDK's JSON getters and the parsers of its types.
type sdk struct {
	t     *testing.T
	where string
	of    map[string]any
}

// decoded keeps numbers as they are written.
func decoded(t *testing.T, text []byte) (v any) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	require.NoError(t, d.Decode(&v), string(text))
	return v
}

func (s sdk) value(name string) any {
	s.t.Helper()
	v, there := s.of[name]
	require.True(s.t, there && v != nil, "%s has no %s: %v", s.where, name, s.of)
	return v
}

func (s sdk) text(name string) string {
	s.t.Helper()
	switch v := s.value(name).(type) {
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

// amount is a text that is a decimal number.
func (s sdk) amount(name string) string {
	s.t.Helper()
	text := s.text(name)
	require.Regexp(s.t, `^-?\d+(\.\d+)?$`, text, "%s.%s", s.where, name)
	return text
}

func (s sdk) number(name string) int64 {
	s.t.Helper()
	n, is := s.value(name).(json.Number)
	require.True(s.t, is, "%s.%s is no number: %v", s.where, name, s.of[name])
	whole, err := n.Int64()
	require.NoError(s.t, err, "%s.%s", s.where, name)
	return whole
}

func (s sdk) object(name string) sdk {
	s.t.Helper()
	v, is := s.value(name).(map[string]any)
	require.True(s.t, is, "%s.%s is no object: %v", s.where, name, s.of[name])
	return sdk{s.t, s.where + "." + name, v}
}

func (s sdk) list(name string) (list []sdk) {
	s.t.Helper()
	all, is := s.value(name).([]any)
	require.True(s.t, is, "%s.%s is no list: %v", s.where, name, s.of[name])
	for i, v := range all {
		member, is := v.(map[string]any)
		if !is { // of texts
			member = map[string]any{"": v}
		}
		list = append(list, sdk{s.t, fmt.Sprintf("%s.%s[%d]", s.where, name, i), member})
	}
	return list
}

// balance is {spendable, unspendable}.
func (s sdk) balance(name string) string {
	s.t.Helper()
	b := s.object(name)
	b.amount("unspendable")
	return b.amount("spendable")
}

// transaction reads what the SDK reads of a transaction.
func (s sdk) transaction() {
	s.t.Helper()
	for _, name := range []string{"tx_hash", "coin", "internal_id"} {
		require.NotEmpty(s.t, s.text(name))
	}
	for _, name := range []string{"my_balance_change", "total_amount", "spent_by_me", "received_by_me"} {
		s.amount(name)
	}
	for _, name := range []string{"from", "to"} {
		for _, address := range s.list(name) {
			require.NotEmpty(s.t, address.text(""))
		}
	}
	s.number("block_height")
	s.number("timestamp")
	fee := s.object("fee_details") // null breaks it, and so does a type that it does not know
	switch typ := fee.text("type"); typ {
	case "Tendermint":
		fee.amount("amount")
		fee.number("gas_limit")
	case "Eth":
		fee.number("gas")
		fee.amount("gas_price")
		fee.amount("total_fee")
	default:
		require.Fail(s.t, "an unknown fee", typ)
	}
}

// sdkClient calls a node as the SDK does.
type sdkClient struct {
	t   *testing.T
	url string
}

func (c sdkClient) post(body string) (int, []byte) {
	c.t.Helper()
	response, err := http.Post(c.url, "application/json", strings.NewReader(body))
	require.NoError(c.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(c.t, err)
	return response.StatusCode, text
}

// v2 calls a method with mmrpc and gives its result, which is an object.
func (c sdkClient) v2(method, params string) sdk {
	c.t.Helper()
	status, text := c.post(`{"userpass":"` + password + `","mmrpc":"2.0","method":"` + method + `","params":` + params + `}`)
	require.Equal(c.t, 200, status, string(text))
	answer := sdk{c.t, method, decoded(c.t, text).(map[string]any)}
	require.NotContains(c.t, answer.of, "error")
	if _, is := answer.value("result").(map[string]any); !is {
		return answer
	}
	return answer.object("result")
}

// legacy calls a method without mmrpc.
func (c sdkClient) legacy(method, members string) sdk {
	c.t.Helper()
	status, text := c.post(`{"userpass":"` + password + `","method":"` + method + `"` + members + `}`)
	require.Equal(c.t, 200, status, string(text))
	return sdk{c.t, method, decoded(c.t, text).(map[string]any)}
}

// refused calls a method that fails, and gives its status and error_type.
func (c sdkClient) refused(method, params string) (int, string) {
	c.t.Helper()
	status, text := c.post(`{"userpass":"` + password + `","mmrpc":"2.0","method":"` + method + `","params":` + params + `}`)
	s := sdk{c.t, method, decoded(c.t, text).(map[string]any)}
	for _, name := range []string{"error", "error_path", "error_trace"} {
		s.text(name)
	}
	return status, s.text("error_type")
}

// task begins a task and polls it until it has ended well.
func (c sdkClient) task(name, params string) sdk {
	c.t.Helper()
	id := c.v2(name+"::init", params).number("task_id")
	for range 600 {
		status := c.v2(name+"::status", fmt.Sprintf(`{"task_id":%d,"forget_if_finished":false}`, id))
		state := status.text("status")
		require.True(c.t, slices.Contains([]string{"Ok", "InProgress"}, state), "%v", status.of)
		if state == "Ok" {
			return status.object("details")
		}
		if _, object := status.value("details").(map[string]any); !object {
			status.text("details")
		}
		pauseOf(c.t)
	}
	require.Fail(c.t, "the task does not end", name)
	return sdk{}
}
