package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
)

// echo returns every message. It closes the connection on "close" and returns bytes on "binary".
func echo(t *testing.T) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		connection, err := websocket.Accept(w, r, nil)
		require.NoError(t, err)
		defer connection.CloseNow()
		for {
			kind, text, err := connection.Read(r.Context())
			if err != nil {
				return
			}
			switch string(text) {
			case "close":
				_ = connection.Close(websocket.StatusGoingAway, "")
				return
			case "binary":
				kind = websocket.MessageBinary
			case "header":
				text = []byte(r.Header.Get("Authorization") + r.UserAgent())
			}
			if connection.Write(r.Context(), kind, text) != nil {
				return
			}
		}
	}
}

func dial(t *testing.T, limit int64) fetch.Socket {
	server := serve(t, echo(t))
	s, err := client(t).Dial(t.Context(), fetch.Request{URL: "ws" + strings.TrimPrefix(server.URL, "http") + "/websocket",
		Header: map[string]string{"Authorization": "Basic x"}, Limit: limit})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestSocket(t *testing.T) {
	s := dial(t, 100)
	for _, text := range []string{"one", "", "ü" + strings.Repeat("x", 98)} {
		require.NoError(t, s.Write(t.Context(), []byte(text)))
		got, err := s.Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, text, string(got))
	}
	require.NoError(t, s.Write(t.Context(), []byte("header")))
	got, err := s.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, "Basic xobverse/test", string(got))
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	_, err = s.Read(t.Context())
	require.ErrorIs(t, err, fetch.ErrUnreachable)
	require.ErrorIs(t, s.Write(t.Context(), []byte("x")), fetch.ErrUnreachable)
}

func TestSocketEnds(t *testing.T) {
	for text, want := range map[string]error{strings.Repeat("x", 101): fetch.ErrTooLarge, "close": fetch.ErrUnreachable, "binary": fetch.ErrUnreachable} {
		s := dial(t, 100)
		require.NoError(t, s.Write(t.Context(), []byte(text)))
		_, err := s.Read(t.Context())
		require.ErrorIs(t, err, want)
		_, err = s.Read(t.Context())
		require.Error(t, err, "it stays over")
	}
}

func TestSocketContext(t *testing.T) {
	s := dial(t, 100)
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	_, err := s.Read(ctx)
	require.ErrorIs(t, err, context.Canceled)
	_, err = s.Read(t.Context())
	require.ErrorIs(t, err, fetch.ErrUnreachable, "a read that was given up ends the connection")
}

func TestDialFails(t *testing.T) {
	at := func(url string) string { return "ws" + strings.TrimPrefix(url, "http") + "/?key=" + secret }
	moved := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, "http://127.0.0.1:1/"+secret, http.StatusFound)
	})
	plain := serve(t, func(http.ResponseWriter, *http.Request) {})
	hangs := serve(t, hang)
	gone, leave := context.WithCancel(t.Context())
	leave()
	for _, c := range []struct {
		name, url string
		ctx       context.Context
		want      error
		text      string
	}{
		{"refused", at(closed(t)), t.Context(), fetch.ErrUnreachable, "connection refused"},
		{"redirect", at(moved.URL), t.Context(), fetch.ErrUnreachable, "302"},
		{"no websocket", at(plain.URL), t.Context(), fetch.ErrUnreachable, "200"},
		{"given up", at(hangs.URL), gone, context.Canceled, ""},
		{"other scheme", hangs.URL + "/" + secret, t.Context(), fetch.ErrRequest, "URL must be ws or wss"},
		{"user", "ws://a:" + secret + "@host/", t.Context(), fetch.ErrRequest, "must not contain a user"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := client(t).Dial(c.ctx, fetch.Request{URL: c.url, Limit: 10})
			require.ErrorIs(t, err, c.want)
			require.ErrorContains(t, err, c.text)
			require.NotContains(t, err.Error(), secret)
		})
	}
}

func TestSocketOverTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(echo(t))
	server.EnableHTTP2 = true // which a websocket must not use
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	c := newClient("x", &tls.Config{RootCAs: roots})
	t.Cleanup(c.Close)
	s, err := c.Dial(t.Context(), fetch.Request{URL: "wss" + strings.TrimPrefix(server.URL, "https"), Limit: 10})
	require.NoError(t, err)
	defer s.Close()
	require.NoError(t, s.Write(t.Context(), []byte("x")))
	got, err := s.Read(t.Context())
	require.NoError(t, err)
	require.Equal(t, "x", string(got))
}
