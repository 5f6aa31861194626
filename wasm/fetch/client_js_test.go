package fetch

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/wasm/jsval"
)

const secret = "s3cret"

// server is a server in Node on this machine; see its routes.
const server = `
(() => {
  const routes = {
    '/echo': (q, r, body) => {
      r.writeHead(418, {'content-type': 'text/x', 'retry-after': '7', 'set-cookie': 'a=b'});
      r.end([q.method, q.url, q.headers['x-one'], body, q.headers.cookie, q.headers.referer].join(' '));
    },
    '/long': (q, r) => { r.write('x'.repeat(300)); setTimeout(() => r.end('x'.repeat(700)), 5); },
    '/packed': (q, r) => { r.writeHead(200, {'content-encoding': 'gzip'}); r.end(require('zlib').gzipSync('x'.repeat(1000))); },
    '/empty': (q, r) => { r.writeHead(204); r.end(); },
    '/away': (q, r) => { r.writeHead(307, {location: '/echo'}); r.end(); },
    '/hang': () => {},
    '/half': (q, r) => { r.writeHead(200, {'content-length': 9}); r.write('half'); },
    '/cut': (q, r) => { r.writeHead(200, {'content-length': 9}); r.write('half'); setTimeout(() => r.destroy(), 5); },
    '/rubbish': (q, r) => { q.socket.end('hello\n'); },
  };
  const server = require('http').createServer((q, r) => {
    let body = '';
    server.gone = new Promise(resolve => r.on('close', resolve));
    q.on('data', piece => body += piece).on('end', () => routes[q.url.split('?')[0]](q, r, body));
  });
  return new Promise(resolve => server.listen(0, '127.0.0.1', () => resolve(server)));
})()`

// serve starts the server and returns its URL.
func serve(t *testing.T) string {
	promise, err := jsval.Global().Call("eval", server)
	require.NoError(t, err)
	s, err := jsval.Await(t.Context(), promise)
	require.NoError(t, err)
	t.Cleanup(func() {
		_, _ = s.Call("closeAllConnections")
		_, _ = s.Call("close")
	})
	address, err := s.Call("address")
	require.NoError(t, err)
	port, err := jsval.Global().Get("String").Invoke(address.Get("port"))
	require.NoError(t, err)
	return "http://127.0.0.1:" + port.TextOr("")
}

func TestFetch(t *testing.T) {
	url, client := serve(t), New(jsval.Global())
	answer, err := client.Fetch(t.Context(), fetch.Request{Method: "POST", URL: url + "/echo?a=b",
		Header: map[string]string{"x-one": "1"}, Body: []byte("body"), Limit: 100})
	require.NoError(t, err)
	require.Equal(t, fetch.Response{Status: 418, ContentType: "text/x", RetryAfter: "7", Body: []byte("POST /echo?a=b 1 body  ")}, answer)
	answer, err = client.Fetch(t.Context(), fetch.Request{Method: "GET", URL: url + "/away", Limit: 100})
	require.NoError(t, err)
	require.Equal(t, 307, answer.Status, "not followed")
	answer, err = client.Fetch(t.Context(), fetch.Request{Method: "GET", URL: url + "/empty"})
	require.NoError(t, err, "nothing is not too large")
	require.Equal(t, 204, answer.Status)
}

// TestPublic checks the guard. A page cannot detect the address to which it connects, so only the
// URL is checked.
func TestPublic(t *testing.T) {
	url, client := serve(t), New(jsval.Global())
	_, err := client.Fetch(t.Context(), fetch.Request{Method: "GET", URL: url + "/empty", Public: true})
	require.ErrorIs(t, err, fetch.ErrPrivate)
	_, err = client.Fetch(t.Context(), fetch.Request{Method: "GET", URL: strings.Replace(url, "127.0.0.1", "localhost", 1) + "/empty", Public: true})
	require.ErrorIs(t, err, fetch.ErrPrivate)
	_, err = client.Fetch(t.Context(), fetch.Request{Method: "GET", URL: url + "/empty"})
	require.NoError(t, err)
}

// TestOpaqueRedirect simulates a browser, which discloses nothing about a redirect, unlike Node.
func TestOpaqueRedirect(t *testing.T) {
	global, err := jsval.Global().Call("eval", `({AbortController, fetch: async (u, o) => {
		if (o.redirect !== 'manual' || o.credentials !== 'omit') throw new Error();
		return {type: 'opaqueredirect', status: 0, headers: new Headers(), body: null} }})`)
	require.NoError(t, err)
	answer, err := New(global).Fetch(t.Context(), fetch.Request{Method: "GET", URL: "https://node.example/"})
	require.NoError(t, err)
	require.Equal(t, fetch.Response{Status: 302}, answer)
}

func TestLimit(t *testing.T) {
	url, client := serve(t), New(jsval.Global())
	for _, path := range []string{"/long", "/packed"} {
		answer, err := client.Fetch(t.Context(), fetch.Request{Method: "GET", URL: url + path, Limit: 1000})
		require.NoError(t, err)
		require.Equal(t, strings.Repeat("x", 1000), string(answer.Body))
		for _, limit := range []int64{999, 0} {
			_, err = client.Fetch(t.Context(), fetch.Request{Method: "GET", URL: url + path, Limit: limit})
			require.ErrorIs(t, err, fetch.ErrTooLarge)
		}
	}
}

func TestFailures(t *testing.T) {
	url := serve(t)
	for _, c := range []struct {
		name, url string
		ends      bool // whether the caller's context has a deadline
		cancelled bool
		limit     time.Duration // timeout of the client
		want      []error
	}{
		{"refused", "http://127.0.0.1:1/", false, false, 0, []error{fetch.ErrUnreachable}},
		{"no such host", "http://" + secret + ".invalid/", false, false, 0, []error{fetch.ErrUnreachable}},
		{"no HTTP", url + "/rubbish", false, false, 0, []error{fetch.ErrUnreachable}},
		{"cut off", url + "/cut", false, false, 0, []error{fetch.ErrUnreachable}},
		{"past the deadline", url + "/hang", true, false, 0, []error{fetch.ErrTimeout, context.DeadlineExceeded}},
		{"past the deadline in the body", url + "/half", true, false, 0, []error{fetch.ErrTimeout, context.DeadlineExceeded}},
		{"given up", url + "/hang", false, true, 0, []error{context.Canceled}},
		{"own time-out", url + "/hang", false, false, 5 * time.Millisecond, []error{fetch.ErrTimeout}},
	} {
		t.Run(c.name, func(t *testing.T) {
			client, ctx := New(jsval.Global()), t.Context()
			if c.limit > 0 {
				client.timeout = c.limit
			}
			if c.ends {
				late, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
				defer cancel()
				ctx = late
			}
			if c.cancelled {
				gone, cancel := context.WithCancel(ctx)
				time.AfterFunc(5*time.Millisecond, cancel)
				ctx = gone
			}
			_, err := client.Fetch(ctx, fetch.Request{Method: "POST", URL: c.url + "?key=" + secret,
				Header: map[string]string{"Authorization": secret}, Body: []byte(secret), Limit: 100})
			for _, want := range c.want {
				require.ErrorIs(t, err, want)
			}
			require.NotContains(t, err.Error(), secret)
		})
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := New(jsval.Global()).Fetch(ended, fetch.Request{Method: "GET", URL: url + "/echo"})
	require.ErrorIs(t, err, context.Canceled)
	_, err = New(jsval.Value{}).Fetch(t.Context(), fetch.Request{Method: "GET", URL: url + "/echo"})
	require.ErrorIs(t, err, fetch.ErrUnreachable, "where there is no fetch")
}

func TestRefusedRequests(t *testing.T) {
	for _, c := range []struct {
		name    string
		request fetch.Request
		text    string
	}{
		{"no URL", fetch.Request{Method: "GET"}, "URL must be http or https"},
		{"relative", fetch.Request{Method: "GET", URL: "/" + secret}, "URL must be http or https"},
		{"other scheme", fetch.Request{Method: "GET", URL: "file:///" + secret}, "URL must be http or https"},
		{"no host", fetch.Request{Method: "GET", URL: "http:///" + secret}, "no host"},
		{"user", fetch.Request{Method: "GET", URL: "http://a:" + secret + "@host/"}, "must not contain a user"},
		{"no URL at all", fetch.Request{Method: "GET", URL: "http://a:" + secret}, "invalid URL"},
		{"method", fetch.Request{Method: "G T", URL: "http://host/" + secret}, `invalid method "G T"`},
		{"GET with a body", fetch.Request{Method: "GET", URL: "http://host/", Body: []byte(secret)}, "GET with a body"},
		{"header with a break", fetch.Request{Method: "GET", URL: "http://host/", Header: map[string]string{"A": secret + "\r\nB: c"}}, "invalid character in a header"},
		{"header with a space", fetch.Request{Method: "GET", URL: "http://host/", Header: map[string]string{"A " + secret: "b"}}, "invalid character in a header"},
		{"header of nothing", fetch.Request{Method: "GET", URL: "http://host/", Header: map[string]string{"": "b"}}, "invalid character in a header"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := New(jsval.Global()).Fetch(t.Context(), c.request)
			require.ErrorIs(t, err, fetch.ErrRequest)
			require.ErrorContains(t, err, c.text)
			require.NotContains(t, err.Error(), secret)
		})
	}
}
