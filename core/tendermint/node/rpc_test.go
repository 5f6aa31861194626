package node

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/fetch"
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
		{"too many, with a time", answer(429, "", "12"), &StatusError{429, 12 * time.Second}, "HTTP status 429, and asks to be left alone for 12s"},
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
			result, err := open(c.answer, "7", testTime)
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
	b, err := question{method: "status"}.request("3")
	require.NoError(t, err)
	require.Equal(t, `{"jsonrpc":"2.0","id":"3","method":"status","params":{}}`, string(b))
	_, err = question{params: make(chan int)}.request("3")
	require.Error(t, err)
}

func TestInteger(t *testing.T) {
	for text, want := range map[string]integer{`"5"`: 5, `5`: 5, `""`: 0, `null`: 0, `"-1"`: -1, `"9223372036854775807"`: 1<<63 - 1} {
		var i integer
		require.NoError(t, json.Unmarshal([]byte(text), &i))
		require.Equal(t, want, i)
	}
	for text, want := range map[string]count{`"5"`: 5, `0`: 0, `null`: 0} {
		var c count
		require.NoError(t, json.Unmarshal([]byte(text), &c))
		require.Equal(t, want, c)
	}
	require.EqualError(t, json.Unmarshal([]byte(`"-1"`), new(count)), "-1 is below 0")
	for _, text := range []string{`"x"`, `1.5`, `"9223372036854775808"`, `{}`, `true`} {
		var i integer
		require.Error(t, json.Unmarshal([]byte(text), &i), text)
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct {
		text string
		most int
		want string
	}{{"", 3, ""}, {"abc", 3, "abc"}, {"abcd", 3, "abc…"}, {"aüb", 2, "a…"}, {"a\xffb", 5, "a\ufffdb"}, {"🚀🚀", 7, "🚀…"}, {"\x80\x80\x80", 2, "…"}} {
		require.Equal(t, c.want, clip(c.text, c.most), c.text)
	}
}

// FuzzAnswer is every decoder of what nodes send.
func FuzzAnswer(f *testing.F) {
	for _, kind := range kinds() {
		for _, file := range []string{"rpc.json", "history.json", "query.json", "events.json"} {
			var all []struct{ Response json.RawMessage }
			readJSON(f, kind, file, &all)
			for _, r := range all[:min(len(all), 8)] {
				f.Add(200, []byte(r.Response))
			}
		}
	}
	f.Add(429, []byte("<html>"))
	f.Fuzz(func(t *testing.T, status int, body []byte) {
		fetcher := fetch.Func(func(context.Context, fetch.Request) (fetch.Response, error) {
			return fetch.Response{Status: status, Body: body}, nil
		})
		for _, call := range []func(*Pool) error{
			func(p *Pool) error { _, err := p.Status(t.Context()); return err },
			func(p *Pool) error { _, err := p.Height(t.Context()); return err },
			func(p *Pool) error { _, err := p.Balance(t.Context(), "a", "u"); return err },
			func(p *Pool) error { _, err := p.Search(t.Context(), Search{Page: 1, Size: 1}); return err },
			func(p *Pool) error { _, err := p.Tx(t.Context(), [32]byte{}); return err },
			func(p *Pool) error { _, err := p.BlockTime(t.Context(), 4); return err },
			func(p *Pool) error { _, err := p.Broadcast(t.Context(), []byte("tx")); return err },
			func(p *Pool) error { return p.Health(t.Context()) },
			func(p *Pool) error { _, err := p.Probe(t.Context()); return err },
		} {
			p, err := New(Config{Nodes: []Node{{URL: urlA}}, Fetcher: fetcher, Now: func() time.Time { return testTime }})
			require.NoError(t, err)
			p.nodes[0].verified = true // so that the first request is the call's, with the id 1
			if err := call(p); err != nil {
				require.Less(t, len(err.Error()), 5000)
			}
		}
	})
}
