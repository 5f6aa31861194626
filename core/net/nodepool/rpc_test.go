package nodepool

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
)

var testTime = time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)

func TestOpen(t *testing.T) {
	const good = `{"jsonrpc":"2.0","id":"7","result":{"a":1}}`
	answer := func(status int, body, retryAfter string) fetch.Response {
		return fetch.Response{Status: status, Body: []byte(body), RetryAfter: retryAfter}
	}
	for _, c := range []struct {
		name   string
		answer fetch.Response
		want   error
		text   string
	}{
		{"good", answer(200, good, ""), nil, ""},
		{"good, whatever is around it", answer(200, " \n"+good+"\n", "5"), nil, ""},
		{"redirect", answer(302, good, ""), ErrRedirect, ""},
		{"redirect for ever", answer(301, "", ""), ErrRedirect, ""},
		{"too many", answer(429, good, ""), &StatusError{429, 0}, "HTTP status 429"},
		{"too many, with a time", answer(429, "", "12"), &StatusError{429, 12 * time.Second}, "HTTP status 429, retry after 12s"},
		{"overloaded, with a time", answer(503, "<html>", "Thu, 01 Jan 2026 00:01:00 GMT"), &StatusError{503, time.Minute}, ""},
		{"overloaded, in JSON", answer(503, `{"id":"7","error":{"code":1,"message":"m"}}`, "5"), &StatusError{503, 5 * time.Second}, ""},
		{"gateway", answer(502, "<html>", ""), &StatusError{502, 0}, "HTTP status 502"},
		{"no way", answer(403, "", ""), &StatusError{403, 0}, ""},
		{"result with a bad status", answer(500, good, ""), &StatusError{500, 0}, ""},
		{"page", answer(200, "<!DOCTYPE html>", ""), ErrHTML, ""},
		{"page after spaces", answer(200, "\n  <html>", ""), ErrHTML, ""},
		{"cut off", answer(200, good[:30], ""), ErrAnswer, "unexpected end of JSON input"},
		{"nothing", answer(200, "", ""), ErrAnswer, ""},
		{"text", answer(200, "hello", ""), ErrAnswer, ""},
		{"two", answer(200, good+good, ""), ErrAnswer, ""},
		{"list", answer(200, "["+good+"]", ""), ErrAnswer, ""},
		{"neither", answer(200, `{"id":"7"}`, ""), ErrAnswer, "neither"},
		{"null", answer(200, `{"id":"7","result":null}`, ""), ErrAnswer, "neither"},
		{"another id", answer(200, `{"id":"8","result":{}}`, ""), ErrOtherID, ""},
		{"number for an id", answer(200, `{"id":7,"result":{}}`, ""), ErrOtherID, ""},
		{"no id", answer(200, `{"result":{}}`, ""), ErrOtherID, ""},
		{"error to another id", answer(200, `{"id":"8","error":{"code":1}}`, ""), ErrOtherID, ""},
		{"error", answer(200, `{"id":"7","error":{"code":-32603,"message":"Internal error","data":"no"}}`, ""),
			&RPCError{-32603, "Internal error", "no"}, "Internal error: no (-32603)"},
		{"error with a status", answer(500, `{"id":"7","error":{"code":1,"message":"m"}}`, ""), &RPCError{1, "m", ""}, "m (1)"},
		{"error before the question was read", answer(200, `{"id":-1,"error":{"code":1,"message":"m","data":{"a":1}}}`, ""), &RPCError{1, "m", `{"a":1}`}, ""},
		{"error without an id", answer(400, `{"error":{"code":1,"message":"m"}}`, ""), &RPCError{1, "m", ""}, ""},
		{"long error", answer(200, `{"id":"7","error":{"code":1,"message":"`+strings.Repeat("ü", 2000)+`"}}`, ""),
			&RPCError{1, strings.Repeat("ü", 150) + "…", ""}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			result, err := Open(c.answer, `"7"`, testTime)
			if c.want == nil {
				require.NoError(t, err)
				require.JSONEq(t, `{"a":1}`, string(result))
				return
			}
			switch want := c.want.(type) {
			case *StatusError, *RPCError:
				require.Equal(t, want, err)
			default:
				require.ErrorIs(t, err, want)
			}
			require.ErrorContains(t, err, c.text)
		})
	}
}

func TestRequest(t *testing.T) {
	b, err := Question{Method: "status"}.Request(`"3"`)
	require.NoError(t, err)
	require.Equal(t, `{"jsonrpc":"2.0","id":"3","method":"status","params":{}}`, string(b))
	_, err = Question{Params: make(chan int)}.Request(`"3"`)
	require.Error(t, err)
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"aüb", 2, "a…"}, {"a\xffb", 5, "a\ufffdb"}, {"🚀🚀", 7, "🚀…"}, {"\x80\x80\x80", 2, "…"}} {
		require.Equal(t, c.want, Clip(c.text, c.most), c.text)
	}
}
