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
	for _, c := range []opened{
		{"good", answer(200, good, ""), nil, ""},
		{"good, whatever is around it", answer(200, " \n"+good+"\n", "5"), nil, ""},
		{"redirect", answer(302, good, ""), ErrRedirect, ""},
		{"redirect for ever", answer(301, "", ""), ErrRedirect, ""},
		{"too many", answer(429, good, ""), &StatusError{429, 0, ""}, "HTTP status 429"},
		{"too many, with a time", answer(429, "", "12"), &StatusError{429, 12 * time.Second, ""}, "HTTP status 429, retry after 12s"},
		{"overloaded, with a time", answer(503, "<html>", "Thu, 01 Jan 2026 00:01:00 GMT"), &StatusError{503, time.Minute, ""}, ""},
		{"overloaded, in JSON", answer(503, `{"id":"7","error":{"code":1,"message":"m"}}`, "5"), &StatusError{503, 5 * time.Second, "m"}, ""},
		{"gateway", answer(502, "<html>", ""), &StatusError{502, 0, ""}, "HTTP status 502"},
		{"no way", answer(403, "", ""), &StatusError{403, 0, ""}, ""},
		{"result with a bad status", answer(500, good, ""), &StatusError{500, 0, ""}, ""},
		{"page", answer(200, "<!DOCTYPE html>", ""), ErrHTML, ""},
		{"page after spaces", answer(200, "\n  <html>", ""), ErrHTML, ""},
		{"cut off", answer(200, good[:30], ""), ErrAnswer, "incomplete or invalid JSON"},
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
		t.Run(c.name, func(t *testing.T) { c.check(t) })
	}
}

// opened is a response with the expected result of Open.
type opened struct {
	name   string
	answer fetch.Response
	want   error // nil if the result is {"a":1}
	text   string
}

func answer(status int, body, retryAfter string) fetch.Response {
	return fetch.Response{Status: status, Body: []byte(body), RetryAfter: retryAfter}
}

func (c opened) check(t *testing.T) {
	result, err := Open(c.answer, `"7"`, testTime)
	if c.want == nil {
		require.NoError(t, err)
		require.JSONEq(t, `{"a":1}`, string(result))
		return
	}
	switch want := c.want.(type) {
	case *StatusError, *RPCError, *LimitError:
		require.Equal(t, want, err)
	default:
		require.ErrorIs(t, err, want)
	}
	require.ErrorContains(t, err, c.text)
}

// TestWords checks that the text of a server is part of the error, whatever its form.
func TestWords(t *testing.T) {
	for _, c := range []opened{
		{"error that is a text", answer(200, `{"id":"7","error":"unknown network"}`, ""), ErrAnswer, "invalid response: unknown network"},
		{"error that is a text, with a status", answer(403, `{"id":"7","error":"forbidden"}`, ""), &StatusError{403, 0, "forbidden"}, "HTTP status 403: forbidden"},
		{"error that is a list", answer(200, `{"id":"7","error":[1]}`, ""), ErrAnswer, "an error without words"},
		{"error with a text for a code", answer(200, `{"id":"7","error":{"code":"E1","message":"m"}}`, ""), &RPCError{0, "m", ""}, "m"},
		{"limit that is a text", answer(200, `{"jsonrpc":"2.0","id":"7","error":"rate limit exceeded, get an API key at example"}`, ""),
			&LimitError{"rate limit exceeded, get an API key at example"}, "get an API key at example"},
		{"limit by its code", answer(200, `{"id":"7","error":{"code":-32005,"message":"slow down"}}`, ""), &LimitError{"slow down"}, "slow down"},
		{"limit of credits", answer(200, `{"id":"7","error":{"code":-32012,"message":"credits limited to 6000/sec"}}`, ""), &LimitError{"credits limited to 6000/sec"}, ""},
		{"limit of computing", answer(200, `{"id":"7","error":{"code":-32000,"message":"Your app has exceeded its compute units per second capacity."}}`, ""),
			&LimitError{"Your app has exceeded its compute units per second capacity."}, ""},
		{"limit to another id", answer(200, `{"id":0,"error":{"code":1,"message":"Too Many Requests"}}`, ""), &LimitError{"Too Many Requests"}, ""},
		{"limit as plain text", answer(200, "Too many requests.\n Try  later", ""), &LimitError{"Too many requests. Try later"}, ""},
		{"limit of a contract", answer(200, `{"id":"7","error":{"code":3,"message":"execution reverted: rate limit exceeded"}}`, ""),
			&RPCError{3, "execution reverted: rate limit exceeded", ""}, ""},
		{"error to another id, with words", answer(200, `{"id":"8","error":{"code":1,"message":"unknown tenant"}}`, ""), ErrOtherID, "unknown tenant"},
		{"plain text", answer(200, "Project\tis \u001bpaused", ""), ErrAnswer, "invalid response: Project is paused"},
		{"JSON of something else", answer(200, `{"status":"error","message":"invalid project id"}`, ""), ErrAnswer, "invalid response: invalid project id"},
		{"text in JSON", answer(200, `"unknown path"`, ""), ErrAnswer, "unknown path"},
		{"page with a title", answer(200, "<!DOCTYPE html><TITLE>\n Just a moment...</TITLE>", ""), ErrHTML, "HTML page: Just a moment..."},
		{"status with a page", answer(502, "<html><title>502 Bad Gateway</title>", ""), &StatusError{502, 0, "502 Bad Gateway"}, ""},
		{"status with JSON", answer(401, `{"message":"invalid API key"}`, ""), &StatusError{401, 0, "invalid API key"}, "HTTP status 401: invalid API key"},
		{"status with a text", answer(403, "  Forbidden by policy\r\n", ""), &StatusError{403, 0, "Forbidden by policy"}, ""},
		{"status with a long text", answer(500, strings.Repeat("x", 5000), ""), &StatusError{500, 0, strings.Repeat("x", maxWords) + "…"}, ""},
		{"too many, with words and a time", answer(429, `{"error":{"message":"daily quota reached"}}`, "12"),
			&StatusError{429, 12 * time.Second, "daily quota reached"}, "HTTP status 429: daily quota reached, retry after 12s"},
		{"too many, for years", answer(429, "", "99999999"), &StatusError{429, maxRetryAfter, ""}, "HTTP status 429, retry after 1h0m0s"},
	} {
		t.Run(c.name, func(t *testing.T) { c.check(t) })
	}
}

func TestRequest(t *testing.T) {
	b, err := Question{Method: "status"}.Request(`"3"`)
	require.NoError(t, err)
	require.Equal(t, `{"jsonrpc":"2.0","id":"3","method":"status","params":{}}`, string(b))
	_, err = Question{Params: make(chan int)}.Request(`"3"`)
	require.Error(t, err)
}

// TestMask checks that keys are removed from texts of servers, which may repeat them.
func TestMask(t *testing.T) {
	for _, c := range []struct{ url, text, want string }{
		{"https://a.example/v3/s3cretS3cretS3cretS3cret", "invalid project id s3cretS3cretS3cretS3cret", "invalid project id …"},
		{"https://a.example/?key=s3cretS3cret", "key s3cretS3cret, or s3cretS3…", "key …, or …"},
		{"https://user:s3cretS3cret@a.example/", "no user with s3cretS3cret", "no user with …"},
		{"https://a.example/v3?archive=true", "it is true of v3", "it is true of v3"},
	} {
		at, err := Parse(c.url, "https")
		require.Nil(t, err)
		for _, e := range []error{&RPCError{Message: c.text, Data: c.text}, &StatusError{Status: 401, Text: c.text}, &LimitError{c.text}, because(ErrAnswer, c.text)} {
			masked := at.mask(e).Error()
			require.Contains(t, masked, c.want)
			require.NotContains(t, masked, "cret")
		}
	}
	require.NoError(t, Endpoint{}.mask(nil))
}
