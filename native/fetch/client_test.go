package fetch

import (
	"compress/gzip"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
)

// proxied is the last request to the proxy of all tests. Requests to this machine bypass the proxy.
var proxied atomic.Pointer[string]

func TestMain(m *testing.M) {
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		target := r.URL.String()
		proxied.Store(&target)
		_, _ = io.WriteString(w, "by proxy")
	}))
	for key, value := range map[string]string{"HTTP_PROXY": proxy.URL, "http_proxy": proxy.URL, "NO_PROXY": "", "no_proxy": "", "REQUEST_METHOD": ""} {
		if err := os.Setenv(key, value); err != nil {
			panic(err)
		}
	}
	code := m.Run()
	proxy.Close()
	os.Exit(code)
}

const secret = "s3cret"

func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return server
}

func client(t *testing.T) *Client {
	c := New("obverse/test")
	t.Cleanup(c.Close)
	return c
}

func TestFetch(t *testing.T) {
	var connections atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		require.NoError(t, err)
		w.Header().Set("Content-Type", "text/x")
		w.Header().Set("Retry-After", "7")
		w.Header().Set("Set-Cookie", "a=b")
		w.WriteHeader(http.StatusTeapot)
		fmt.Fprintf(w, "%s %s %s %s %s %q", r.Method, r.URL, r.Header.Get("X-One"), r.UserAgent(), body, r.Header["Cookie"])
	}))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			connections.Add(1)
		}
	}
	server.Start()
	t.Cleanup(server.Close)
	c := client(t)
	for range 3 {
		answer, err := c.Fetch(t.Context(), fetch.Request{Method: "POST", URL: server.URL + "/a?b=c", Header: map[string]string{"x-one": "1"},
			Body: []byte("body"), Limit: 100})
		require.NoError(t, err)
		require.Equal(t, fetch.Response{Status: 418, ContentType: "text/x", RetryAfter: "7", Body: []byte("POST /a?b=c 1 obverse/test body []")}, answer)
	}
	require.EqualValues(t, 1, connections.Load(), "connections are kept")
	answer, err := c.Fetch(t.Context(), fetch.Request{Method: "GET", URL: server.URL, Header: map[string]string{"User-Agent": "other"}, Limit: 100})
	require.NoError(t, err)
	require.Equal(t, "GET /  other  []", string(answer.Body))
}

func TestRedirectIsNotFollowed(t *testing.T) {
	for _, location := range []string{"/elsewhere", "http://127.0.0.1:1/", "http://%zz", ""} {
		var requests atomic.Int64
		server := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			requests.Add(1)
			w.Header().Set("Location", location)
			w.WriteHeader(http.StatusTemporaryRedirect)
		})
		answer, err := client(t).Fetch(t.Context(), fetch.Request{Method: "POST", URL: server.URL, Body: []byte("x")})
		require.NoError(t, err, location)
		require.Equal(t, 307, answer.Status)
		require.EqualValues(t, 1, requests.Load())
	}
}

func TestLimit(t *testing.T) {
	const length = 1000
	whole := strings.Repeat("x", length)
	bodies := map[string]http.HandlerFunc{
		"length announced": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", fmt.Sprint(length))
			_, _ = io.WriteString(w, whole)
		},
		"in chunks": func(w http.ResponseWriter, _ *http.Request) {
			for _, part := range []string{whole[:300], whole[300:]} {
				_, _ = io.WriteString(w, part)
				w.(http.Flusher).Flush()
			}
		},
		"packed": func(w http.ResponseWriter, r *http.Request) {
			require.Contains(t, r.Header.Get("Accept-Encoding"), "gzip")
			w.Header().Set("Content-Encoding", "gzip")
			packer := gzip.NewWriter(w)
			_, _ = io.WriteString(packer, whole)
			_ = packer.Close()
		},
	}
	for name, handler := range bodies {
		t.Run(name, func(t *testing.T) {
			server, c := serve(t, handler), client(t)
			answer, err := c.Fetch(t.Context(), fetch.Request{Method: "GET", URL: server.URL, Limit: length})
			require.NoError(t, err)
			require.Equal(t, whole, string(answer.Body))
			for _, limit := range []int64{length - 1, 0} {
				_, err = c.Fetch(t.Context(), fetch.Request{Method: "GET", URL: server.URL, Limit: limit})
				require.ErrorIs(t, err, fetch.ErrTooLarge)
				require.ErrorContains(t, err, fmt.Sprint(limit, " bytes"))
			}
		})
	}
	empty := serve(t, func(http.ResponseWriter, *http.Request) {})
	_, err := client(t).Fetch(t.Context(), fetch.Request{Method: "GET", URL: empty.URL})
	require.NoError(t, err, "nothing is not too large")
}

func TestTLS(t *testing.T) {
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, r.Proto)
	}))
	server.EnableHTTP2 = true
	server.Config.ErrorLog = nil
	server.StartTLS()
	t.Cleanup(server.Close)
	roots := x509.NewCertPool()
	roots.AddCert(server.Certificate())
	c := newClient("x", &tls.Config{RootCAs: roots})
	t.Cleanup(c.Close)
	answer, err := c.Fetch(t.Context(), fetch.Request{Method: "GET", URL: server.URL, Limit: 10})
	require.NoError(t, err)
	require.Equal(t, "HTTP/2.0", string(answer.Body))
	_, err = client(t).Fetch(t.Context(), fetch.Request{Method: "GET", URL: server.URL, Limit: 10})
	require.ErrorIs(t, err, fetch.ErrUnreachable)
	require.ErrorContains(t, err, "certificate")
}

// raw sends bytes on every connection and closes it.
func raw(t *testing.T, answer string) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			connection, err := listener.Accept()
			if err != nil {
				return
			}
			_, _ = connection.Read(make([]byte, 4096))
			_, _ = io.WriteString(connection, answer)
			_ = connection.Close()
		}
	}()
	return "http://" + listener.Addr().String()
}

// hang returns when the client has closed the connection. A server notices this only after the end
// of the body.
func hang(_ http.ResponseWriter, r *http.Request) {
	_, _ = io.Copy(io.Discard, r.Body)
	<-r.Context().Done()
}

func closed(t *testing.T) string {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	return "http://" + listener.Addr().String()
}

func TestFailures(t *testing.T) {
	hangs := serve(t, hang).URL
	stops := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.WriteString(w, "begin")
		w.(http.Flusher).Flush()
		hang(w, r)
	}).URL
	late, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	gone, leave := context.WithCancel(t.Context())
	leave()
	for _, c := range []struct {
		name string
		ctx  context.Context
		url  string
		want []error
		text string
	}{
		{"refused", t.Context(), closed(t), []error{fetch.ErrUnreachable}, "unreachable: connection refused"},
		{"hung up", t.Context(), raw(t, ""), []error{fetch.ErrUnreachable}, "EOF"},
		{"no HTTP", t.Context(), raw(t, "hello\n"), []error{fetch.ErrUnreachable}, "malformed"},
		{"cut off", t.Context(), raw(t, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), []error{fetch.ErrUnreachable}, "unexpected EOF"},
		{"headers without end", t.Context(), raw(t, "HTTP/1.1 200 OK\r\nA: "+strings.Repeat("a", 1<<20)), []error{fetch.ErrUnreachable}, ""},
		{"past the deadline", late, hangs, []error{fetch.ErrTimeout, context.DeadlineExceeded}, "timed out"},
		{"past the deadline in the body", late, stops, []error{fetch.ErrTimeout, context.DeadlineExceeded}, "timed out"},
		{"given up", gone, hangs, []error{context.Canceled}, "context canceled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := client(t).Fetch(c.ctx, fetch.Request{Method: "POST", URL: c.url + "/" + secret + "?key=" + secret,
				Header: map[string]string{"Authorization": secret}, Body: []byte(secret), Limit: 100})
			for _, want := range c.want {
				require.ErrorIs(t, err, want)
			}
			require.ErrorContains(t, err, c.text)
			require.NotContains(t, err.Error(), secret)
		})
	}
}

func TestRequestTimeout(t *testing.T) {
	hangs := serve(t, hang)
	c := client(t)
	c.transport.ResponseHeaderTimeout = 10 * time.Millisecond
	_, err := c.Fetch(t.Context(), fetch.Request{Method: "GET", URL: hangs.URL})
	require.ErrorIs(t, err, fetch.ErrTimeout)
	require.NotErrorIs(t, err, fetch.ErrUnreachable)
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
		{"socket", fetch.Request{Method: "GET", URL: "ws://host/" + secret}, "URL must be http or https"},
		{"no host", fetch.Request{Method: "GET", URL: "http:///" + secret}, "no host"},
		{"user", fetch.Request{Method: "GET", URL: "http://a:" + secret + "@host/"}, "must not contain a user"},
		{"no URL at all", fetch.Request{Method: "GET", URL: "http://a:" + secret}, "invalid URL"},
		{"method", fetch.Request{Method: "G T", URL: "http://host/" + secret}, `invalid method "G T"`},
		{"header with a break", fetch.Request{Method: "GET", URL: "http://host/", Header: map[string]string{"A": secret + "\r\nB: c"}}, "invalid character in a header"},
		{"header with a space", fetch.Request{Method: "GET", URL: "http://host/", Header: map[string]string{"A " + secret: "b"}}, "invalid character in a header"},
		{"header of nothing", fetch.Request{Method: "GET", URL: "http://host/", Header: map[string]string{"": "b"}}, "invalid character in a header"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := client(t).Fetch(t.Context(), c.request)
			require.ErrorIs(t, err, fetch.ErrRequest)
			require.ErrorContains(t, err, c.text)
			require.NotContains(t, err.Error(), secret)
		})
	}
}

func TestQuiet(t *testing.T) {
	err := quiet(&net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "a", Server: "10.0.0.1:53", IsNotFound: true}})
	require.EqualError(t, err, "no such host")
}

func TestProxyOfTheEnvironment(t *testing.T) {
	answer, err := client(t).Fetch(t.Context(), fetch.Request{Method: "GET", URL: "http://node.example/path", Limit: 100})
	require.NoError(t, err)
	require.Equal(t, "by proxy", string(answer.Body))
	require.Equal(t, "http://node.example/path", *proxied.Load())
}
