package httpd

import (
	"context"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/daemon"
	"obverse/core/rpc"
	"obverse/core/rpc/auth"
	"obverse/native/onetime"
)

// A page exchanges the token of a link for the password once, on the port that serves it.
func TestLink(t *testing.T) {
	log := &logBook{}
	link := onetime.New("s3cret", time.Now)
	token := link.Token()
	s, _ := start(t, Config{Node: Node{Serve: echo, Link: link, Origin: "https://wallet.example"}, Log: slog.New(slog.NewTextHandler(log, nil))})
	at, body := s.NodeAddress(), `{"token":"`+token+`"}`
	for name, c := range map[string]struct {
		body, header string
		status       int
		says         string
	}{
		"wrong":          {`{"token":"guess"}`, "", 403, "this link is not the one"},
		"no token":       {`{}`, "", 400, "the body must be"},
		"no JSON":        {`token`, "", 400, "the body must be"},
		"large":          {`{"token":"` + strings.Repeat("x", 2000) + `"}`, "", 400, "the body must be"},
		"another site":   {body, "Sec-Fetch-Site: cross-site", 403, "pages of this web origin may not call"},
		"another origin": {body, "Origin: https://evil.example", 403, "pages of this web origin may not call"},
		"another host":   {body, "Host: evil.example", 403, "allowed_hosts"},
		"by a proxy":     {body, "X-Forwarded-For: 192.0.2.1", 403, "one-time links work from localhost only"},
	} {
		headers := []string{"Content-Type: application/json"}
		if c.header != "" {
			headers = append(headers, c.header)
		}
		response, text := ask(t, http.MethodPost, at, "/link", c.body, headers...)
		require.Equal(t, c.status, response.StatusCode, name)
		require.Contains(t, text, c.says, name)
		require.NotContains(t, text, "s3cret", name)
	}
	response, text := ask(t, http.MethodPost, at, "/link", body, "Origin: http://"+at, "Sec-Fetch-Site: same-origin")
	require.Equal(t, 200, response.StatusCode, text)
	require.Equal(t, `{"userpass":"s3cret"}`+"\n", text)
	require.Equal(t, "no-store", response.Header.Get("Cache-Control"))
	require.Empty(t, response.Header.Get("Access-Control-Allow-Origin"))
	response, text = ask(t, http.MethodPost, at, "/link", body)
	require.Equal(t, 403, response.StatusCode)
	require.Contains(t, text, "this link was used already")
	for range 20 {
		response, _ = ask(t, http.MethodPost, at, "/link", `{"token":"guess"}`)
	}
	require.Equal(t, 429, response.StatusCode)
	require.Equal(t, "60", response.Header.Get("Retry-After"))
	require.Contains(t, log.String(), "connected a page by the one-time link")
	require.NotContains(t, log.String(), token)
	require.NotContains(t, log.String(), "s3cret")
}

// Without a link, the path is one of a call as any other.
func TestNoLink(t *testing.T) {
	s, _ := start(t, Config{Node: Node{Serve: echo}})
	response, text := ask(t, http.MethodPost, s.NodeAddress(), "/link", "hello")
	require.Equal(t, 200, response.StatusCode)
	require.Equal(t, "hello", text)
}

// The daemon API is on the port of the node API too, with that one's password.
func TestDaemonOnTheOtherPort(t *testing.T) {
	const password = "Basic b2J2ZXJzZTpzM2NyZXQ=" // obverse:s3cret
	c := Config{Daemon: Daemon{Serve: func(_ context.Context, caller rpc.Caller, body []byte) (int, []byte) {
		if !caller.Authorized {
			return http.StatusUnauthorized, nil
		}
		return http.StatusOK, body
	}}, Node: Node{Serve: withoutMethods, Credentials: daemon.NewPasswordAuthorizer("s3cret", auth.New(false, patientClock{}))}}
	s, _ := start(t, c)
	for name, one := range map[string]struct {
		headers []string
		status  int
	}{
		"the password":           {[]string{"Authorization: " + password}, 200},
		"that of the daemon API": {[]string{"Authorization: " + right}, 401},
		"none":                   {nil, 401},
		"a page of the port":     {[]string{"Authorization: " + password, "Origin: http://" + s.NodeAddress()}, 200},
		"a page of other port":   {[]string{"Authorization: " + password, "Origin: http://127.0.0.1:1"}, 403},
		"a page of elsewhere":    {[]string{"Authorization: " + password, "Sec-Fetch-Site: cross-site"}, 403},
	} {
		response, text := ask(t, http.MethodPost, s.NodeAddress(), "/daemon", `{"method":"getinfo"}`, one.headers...)
		require.Equal(t, one.status, response.StatusCode, name)
		if one.status == 200 {
			require.Equal(t, `{"method":"getinfo"}`, text, name)
		}
	}
	response, _ := ask(t, http.MethodPost, s.NodeAddress(), "/daemon/x", "{}")
	require.Equal(t, http.StatusNotImplemented, response.StatusCode, "other paths are calls of the node API")
}
