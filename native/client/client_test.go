package client

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

const secret = "Ent3r_Un1Qu3-X"

// seen is a request that a server received.
type seen struct {
	user, password string
	body           string
}

// answering responds to every request with a status and a body, and records the request.
func answering(t *testing.T, status int, body string) (url string, got *seen) {
	t.Helper()
	got = new(seen)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got.user, got.password, _ = r.BasicAuth()
		text, _ := io.ReadAll(r.Body)
		got.body = string(text)
		w.WriteHeader(status)
		io.WriteString(w, body)
	}))
	t.Cleanup(server.Close)
	return server.URL, got
}

func TestDaemonRequest(t *testing.T) {
	url, got := answering(t, 200, `{"result":{"b":1.10000000,"a":2},"error":null,"id":"obverse"}`)
	result, err := Daemon{URL: url, User: "u", Password: secret}.Call(context.Background(), "tokencreate", []json.RawMessage{[]byte(`"T"`), []byte("1.50")})
	require.NoError(t, err)
	require.Equal(t, `{"b":1.10000000,"a":2}`, string(result), "untouched")
	require.Equal(t, "u", got.user)
	require.Equal(t, secret, got.password)
	require.JSONEq(t, `{"jsonrpc":"1.0","id":"obverse","method":"tokencreate","params":["T",1.50],"hints":true}`, got.body)

	_, err = Daemon{URL: url}.Call(context.Background(), "getinfo", nil)
	require.NoError(t, err)
	require.Contains(t, got.body, `"params":[]`)
}

// The caller receives both the warning of the node and the result.
func TestDaemonWarning(t *testing.T) {
	url, _ := answering(t, 200, `{"result":"ab","error":null,"id":0,"warning":"stalled: no block"}`)
	var warnings []string
	result, err := Daemon{URL: url, Warn: func(text string) { warnings = append(warnings, text) }}.Call(t.Context(), "sendrawtransaction", nil)
	require.NoError(t, err)
	require.Equal(t, `"ab"`, string(result))
	require.Equal(t, []string{"stalled: no block"}, warnings)
	_, err = Daemon{URL: url}.Call(t.Context(), "sendrawtransaction", nil)
	require.NoError(t, err)
}

func TestDaemonErrors(t *testing.T) {
	for name, c := range map[string]struct {
		status     int
		body, want string
		says       string
	}{
		"error of the envelope": {500, `{"result":null,"error":{"code":-1,"message":"m\n"},"id":0}`, `{"code":-1,"message":"m\n"}`, "error -1: m"},
		"error in the result":   {200, `{"result":{"result":"error","error":"no"},"error":null}`, `{"result":"error","error":"no"}`, "error: no"},
		"error with a hint":     {200, `{"result":{"result":"error","error":"no","hint":"do"},"error":null}`, `{"result":"error","error":"no","hint":"do"}`, "error: no (do)"},
		"error of no form":      {500, `{"error":[1, 2]}`, `[1, 2]`, "error: [1,2]"},
	} {
		t.Run(name, func(t *testing.T) {
			url, _ := answering(t, c.status, c.body)
			_, err := Daemon{URL: url, Password: secret}.Call(context.Background(), "m", nil)
			var remote *RemoteError
			require.ErrorAs(t, err, &remote)
			require.Equal(t, c.want, string(remote.Body))
			require.EqualError(t, err, c.says)
		})
	}
	url, _ := answering(t, 401, "")
	_, err := Daemon{URL: url, User: "u", Password: secret}.Call(context.Background(), "m", nil)
	require.ErrorIs(t, err, ErrCredential)
	require.NotContains(t, err.Error(), secret)
}

func TestNodeRequest(t *testing.T) {
	url, got := answering(t, 200, `{"mmrpc":"2.0","result":{"x":1},"id":0}`)
	result, err := Node{url, secret}.Call(context.Background(), "get_public_key", json.RawMessage(`{"p":1.0}`))
	require.NoError(t, err)
	require.Equal(t, `{"x":1}`, string(result))
	require.JSONEq(t, `{"mmrpc":"2.0","userpass":"`+secret+`","method":"get_public_key","params":{"p":1.0},"id":0}`, got.body)
}

func TestNodeErrors(t *testing.T) {
	const body = `{"mmrpc":"2.0","error":"no such coin","error_type":"NoSuchCoin","id":0}`
	url, _ := answering(t, 404, body)
	_, err := Node{URL: url, Password: secret}.Call(context.Background(), "m", json.RawMessage("{}"))
	require.EqualError(t, err, "error NoSuchCoin: no such coin")
	var remote *RemoteError
	require.ErrorAs(t, err, &remote)
	require.Equal(t, body, string(remote.Body))
	for body, says := range map[string]string{
		`{"error":"legacy"}`: "error: legacy", `[]`: "error: []", `"text"`: `error: "text"`,
	} {
		url, _ := answering(t, 500, body)
		_, err := Node{URL: url}.Call(context.Background(), "m", json.RawMessage("{}"))
		require.EqualError(t, err, says)
	}
}

func TestUnknownMethod(t *testing.T) {
	for kind, unknown := range map[string]bool{"-32601": true, "NoSuchMethod": true, "-1": false, "": false} {
		require.Equal(t, unknown, (&RemoteError{Kind: kind}).IsUnknownMethod(), kind)
	}
}

func TestInvalidJSONAnswer(t *testing.T) {
	url, _ := answering(t, 502, "<html>")
	_, err := Node{URL: url, Password: secret}.Call(context.Background(), "m", json.RawMessage("{}"))
	require.ErrorContains(t, err, "502")
	require.NotContains(t, err.Error(), secret)
	_, err = Daemon{URL: url}.Call(context.Background(), "m", nil)
	require.ErrorContains(t, err, url)
}

// A followed redirect would send the credential elsewhere.
func TestRedirectIsNotFollowed(t *testing.T) {
	elsewhere, got := answering(t, 200, `{"result":1}`)
	server := httptest.NewServer(http.RedirectHandler(elsewhere, http.StatusTemporaryRedirect))
	defer server.Close()
	_, err := Daemon{URL: server.URL, User: "u", Password: secret}.Call(context.Background(), "m", nil)
	require.Error(t, err)
	require.Zero(t, *got)
}

func TestUnreachablePeer(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	_, err := Daemon{URL: server.URL, User: "u", Password: secret}.Call(context.Background(), "m", nil)
	require.ErrorContains(t, err, "refused")
	require.NotContains(t, err.Error(), secret)
}
