package daemontest

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const line = `{"n":1,"session":"C:main","label":"json: x","note":"","request":{"method":"POST","path":"/","headers":[["Content-Length","4"]],"body":"\u00ff\u00fe{}"},` +
	`"response":{"status":401,"headers":[["WWW-Authenticate","Basic"],["Content-Type","a/b"]],"body":"hello"}}`

func TestRead(t *testing.T) {
	all, err := Read(strings.NewReader(line + "\n\n" + line))
	require.NoError(t, err)
	require.Len(t, all, 2)
	require.True(t, all[0].Transport())
	require.Equal(t, "POST / HTTP/1.1\r\nContent-Length: 4\r\n\r\n\xff\xfe{}", string(all[0].Request.Wire()))

	_, err = Read(strings.NewReader(line + "\n{"))
	require.ErrorContains(t, err, "exchange 1")
}

func TestReadFlat(t *testing.T) {
	all, err := Read(strings.NewReader(`{"session":"s","label":"l","request":"{}","status":500,"response":"hello\n"}`))
	require.NoError(t, err)
	require.Equal(t, []Exchange{{Session: "s", Label: "l", Request: Request{Method: "POST", Path: "/", Body: "{}"},
		Response: Response{Status: 500, Headers: []Header{{"Content-Type", "application/json"}}, Body: "hello\n"}}}, all)
	_, err = Read(strings.NewReader(`{"request":"{}","response":5}`))
	require.ErrorContains(t, err, "exchange 0")
}

func TestBytesOfUTF8(t *testing.T) {
	r := Request{Headers: []Header{{"content-length", "2"}}, Body: "é"}
	require.Equal(t, "é", string(r.Bytes()))
}

func TestMismatchSeesEveryDifference(t *testing.T) {
	all, err := Read(strings.NewReader(line))
	require.NoError(t, err)
	x := all[0]
	require.Empty(t, x.Mismatch(x.Response))
	for name, corrupt := range map[string]func(*Response){
		"status":           func(r *Response) { r.Status = 200 },
		"body":             func(r *Response) { r.Body += " " },
		"Content-Type":     func(r *Response) { r.Headers = r.Headers[:1] },
		"WWW-Authenticate": func(r *Response) { r.Headers = r.Headers[1:] },
	} {
		got := x.Response
		corrupt(&got)
		require.Contains(t, x.Mismatch(got), name)
		require.Empty(t, x.Mismatch(got, func(Exchange) Response { return got }), "excused")
	}
}

func TestVerbs(t *testing.T) {
	recorded := Response{Status: 501, Body: "page"}
	for verb, want := range map[string]int{"OPTIONS": 405, "PATCH": 405, "HEAD": 405, "POST": 501} {
		require.Equal(t, want, Verbs(Exchange{Request: Request{Method: verb}, Response: recorded}).Status, verb)
	}
}
