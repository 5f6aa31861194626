package fetch

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
)

// direct makes a client bypass the proxy of all tests.
func direct(t *testing.T) *Client {
	c := client(t)
	c.transport.Proxy = func(*http.Request) (*url.URL, error) { return nil, nil }
	return c
}

// resolved returns a client that resolves names to the given addresses.
func resolved(t *testing.T, addresses map[string]string) *Client {
	c := direct(t)
	guarded := &net.Dialer{Timeout: connectTimeout, Control: publicOnly}
	c.public.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		require.NoError(t, err)
		return guarded.DialContext(ctx, network, net.JoinHostPort(addresses[host], port))
	}
	return c
}

func TestPublicIsRefusedElsewhere(t *testing.T) {
	var requests atomic.Int64
	server := serve(t, func(http.ResponseWriter, *http.Request) { requests.Add(1) })
	_, port, err := net.SplitHostPort(server.Listener.Addr().String())
	require.NoError(t, err)
	c := resolved(t, map[string]string{"rebound.example.com": "127.0.0.1", "six.example.com": "::1", "cloud.example.com": "169.254.169.254"})
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "127.1", "rebound.example.com", "six.example.com", "cloud.example.com"} {
		_, err := c.Fetch(t.Context(), fetch.Request{Method: "GET", URL: "http://" + host + ":" + port + "/" + secret, Limit: 100, Public: true})
		require.ErrorIs(t, err, fetch.ErrPrivate, host)
		require.NotErrorIs(t, err, fetch.ErrUnreachable, host)
		require.NotContains(t, err.Error(), secret)
	}
	require.Zero(t, requests.Load())
	_, err = c.Fetch(t.Context(), fetch.Request{Method: "GET", URL: server.URL, Limit: 100})
	require.NoError(t, err, "who does not ask for it is not guarded")
	require.EqualValues(t, 1, requests.Load())
}

// The guard is in the dialer, so that it applies to all callers.
func TestPublicDialer(t *testing.T) {
	c := New("obverse/test")
	t.Cleanup(c.Close)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	_, err = c.public.DialContext(t.Context(), "tcp", listener.Addr().String())
	require.ErrorIs(t, err, fetch.ErrPrivate)
	_, port, err := net.SplitHostPort(listener.Addr().String())
	require.NoError(t, err)
	_, err = c.public.DialContext(t.Context(), "tcp", "localhost:"+port)
	require.ErrorIs(t, err, fetch.ErrPrivate, "a name is resolved first")
	require.Nil(t, c.public.Proxy)
	for _, address := range []string{"8.8.8.8:53", "[2606:4700::1111]:443"} {
		require.NoError(t, publicOnly("tcp", address, nil))
	}
	for _, address := range []string{"8.8.8.8", "", "example.com:80", "10.0.0.1:80"} {
		require.ErrorIs(t, publicOnly("tcp", address, nil), fetch.ErrPrivate)
	}
}

// A configured proxy is used, but the URL is checked as without a proxy.
func TestPublicByProxy(t *testing.T) {
	answer, err := client(t).Fetch(t.Context(), fetch.Request{Method: "GET", URL: "http://example.com/x", Limit: 100, Public: true})
	require.NoError(t, err)
	require.Equal(t, "by proxy", string(answer.Body))
	_, err = client(t).Fetch(t.Context(), fetch.Request{Method: "GET", URL: "http://10.0.0.1/x", Limit: 100, Public: true})
	require.ErrorIs(t, err, fetch.ErrPrivate)
}

// A redirect is returned as the response, and not followed.
func TestPublicRedirect(t *testing.T) {
	var requests atomic.Int64
	inside := serve(t, func(http.ResponseWriter, *http.Request) { requests.Add(1) })
	outside := serve(t, func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, inside.URL, http.StatusFound)
		_, _ = io.WriteString(w, strings.Repeat("x", 10))
	})
	answer, err := direct(t).Fetch(t.Context(), fetch.Request{Method: "GET", URL: outside.URL, Limit: 1000})
	require.NoError(t, err)
	require.Equal(t, http.StatusFound, answer.Status)
	require.Zero(t, requests.Load())
}
