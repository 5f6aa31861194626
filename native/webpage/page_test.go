package webpage

import (
	"bytes"
	"compress/gzip"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/julienschmidt/httprouter"
	"github.com/stretchr/testify/require"
)

const (
	indexText  = "<!doctype html><title>Wallet</title>"
	scriptPath = "/assets/index-Bq3_x-9Z.js"
	workerPath = "/session-worker.js"
)

var scriptText = strings.Repeat("export const answer = 42;\n", 40_000) // longer than one write

func compress(t *testing.T, text string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	_, err := io.WriteString(w, text)
	require.NoError(t, err)
	require.NoError(t, w.Close())
	return out.Bytes()
}

// folder returns a page in the form in which it is built. The tests do not decode brotli, so the
// content of the .br files is arbitrary.
func folder(t *testing.T) fstest.MapFS {
	t.Helper()
	return fstest.MapFS{
		"README":                {Data: []byte("no part of the page")},
		"index.html.gz":         {Data: compress(t, indexText)},
		"index.html.br":         {Data: []byte("index in brotli")},
		scriptPath[1:] + ".gz":  {Data: compress(t, scriptText)},
		scriptPath[1:] + ".br":  {Data: bytes.Repeat([]byte("brotli"), 100_000)},
		workerPath[1:] + ".gz":  {Data: compress(t, "onmessage = null")},
		workerPath[1:] + ".br":  {Data: []byte("worker in brotli")},
		"assets/node-a.wasm.gz": {Data: compress(t, "\x00asm")},
		"assets/node-a.wasm.br": {Data: []byte("node in brotli")},

		"manifest.webmanifest.gz": {Data: compress(t, "{}")},
		"manifest.webmanifest.br": {Data: []byte("manifest in brotli")},
	}
}

// site serves a page over HTTP.
func site(t *testing.T, p *Page) *httptest.Server {
	t.Helper()
	router := httprouter.New()
	p.Mount(router)
	router.NotFound = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusTeapot) })
	s := httptest.NewServer(router)
	t.Cleanup(s.Close)
	return s
}

func built(t *testing.T) *httptest.Server {
	t.Helper()
	p, err := New(folder(t))
	require.NoError(t, err)
	require.True(t, p.IsBuilt())
	return site(t, p)
}

// ask returns the response without decoding it. headers have the form "Name: value".
func ask(t *testing.T, s *httptest.Server, verb, path string, headers ...string) (*http.Response, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), verb, s.URL+path, nil)
	require.NoError(t, err)
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		request.Header.Add(name, value)
	}
	client := &http.Client{Transport: &http.Transport{DisableCompression: true, DisableKeepAlives: true}}
	response, err := client.Do(request)
	require.NoError(t, err)
	body, err := io.ReadAll(response.Body)
	require.NoError(t, err)
	require.NoError(t, response.Body.Close())
	return response, string(body)
}

func TestHeaders(t *testing.T) {
	s := built(t)
	const forEver = "public, max-age=31536000, immutable"
	for path, want := range map[string]struct{ mediaType, keep string }{
		"/":                     {"text/html; charset=utf-8", "no-cache"},
		"/?utm=1":               {"text/html; charset=utf-8", "no-cache"},
		workerPath:              {"text/javascript; charset=utf-8", "no-cache"},
		workerPath + "?v=1":     {"text/javascript; charset=utf-8", "no-cache"},
		scriptPath:              {"text/javascript; charset=utf-8", forEver},
		"/manifest.webmanifest": {"application/manifest+json", "no-cache"},
		"/assets/node-a.wasm":   {"application/wasm", forEver},
	} {
		for _, verb := range []string{http.MethodGet, http.MethodHead} {
			t.Run(verb+" "+path, func(t *testing.T) {
				response, body := ask(t, s, verb, path, "Accept-Encoding: br")
				require.Equal(t, http.StatusOK, response.StatusCode)
				for name, value := range map[string]string{
					"Content-Type": want.mediaType, "Cache-Control": want.keep, "Content-Encoding": "br", "Vary": "Accept-Encoding",
					"X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Content-Security-Policy": policy,
					"Cross-Origin-Opener-Policy": "", "Cross-Origin-Embedder-Policy": "", "Access-Control-Allow-Origin": "",
				} {
					require.Equal(t, value, response.Header.Get(name), name)
				}
				length, err := strconv.Atoi(response.Header.Get("Content-Length"))
				require.NoError(t, err)
				require.Positive(t, length)
				if verb == http.MethodHead {
					require.Empty(t, body)
				} else {
					require.Len(t, body, length)
				}
			})
		}
	}
}

// The policy must allow everything that the page needs, and no foreign code.
func TestPolicy(t *testing.T) {
	directives := map[string]string{}
	for directive := range strings.SplitSeq(policy, "; ") {
		name, sources, _ := strings.Cut(directive, " ")
		directives[name] = sources
	}
	require.Equal(t, "'none'", directives["default-src"])
	require.Equal(t, "'self' 'wasm-unsafe-eval'", directives["script-src"])
	for _, name := range []string{"worker-src", "style-src", "font-src", "manifest-src"} {
		require.Equal(t, "'self'", directives[name], name)
	}
	for _, name := range []string{"base-uri", "form-action", "frame-ancestors"} {
		require.Equal(t, "'none'", directives[name], name)
	}
	require.NotContains(t, policy, "unsafe-inline")
	require.NotContains(t, policy, "'unsafe-eval'")
	require.NotContains(t, policy, "http: ")
}

func TestEncodings(t *testing.T) {
	s := built(t)
	files := folder(t)
	tags := map[string]string{}
	for name, c := range map[string]struct {
		accepted []string
		coding   string
	}{
		"Chromium":           {[]string{"Accept-Encoding: gzip, deflate, br, zstd"}, "br"},
		"without TLS":        {[]string{"Accept-Encoding: gzip, deflate"}, "gzip"},
		"several lines":      {[]string{"Accept-Encoding: gzip", "Accept-Encoding: br"}, "br"},
		"capitals":           {[]string{"Accept-Encoding: GZIP"}, "gzip"},
		"weights":            {[]string{"Accept-Encoding: br;q=0.1, gzip;q=0.9"}, "br"},
		"not brotli":         {[]string{"Accept-Encoding: br;q=0, gzip; q=1"}, "gzip"},
		"not brotli, spaced": {[]string{"Accept-Encoding: br ; q = 0.000 , gzip"}, "gzip"},
		"no weight":          {[]string{"Accept-Encoding: br;q=much, gzip"}, "gzip"},
		"anything":           {[]string{"Accept-Encoding: *"}, "br"},
		"anything else":      {[]string{"Accept-Encoding: br;q=0, *"}, "gzip"},
		"nothing else":       {[]string{"Accept-Encoding: *;q=0"}, ""},
		"as it is":           {[]string{"Accept-Encoding: identity"}, ""},
		"another one":        {[]string{"Accept-Encoding: zstd, brr"}, ""},
		"nothing said":       {nil, ""},
		"said in vain":       {[]string{"Accept-Encoding: "}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			response, body := ask(t, s, http.MethodGet, scriptPath, c.accepted...)
			require.Equal(t, http.StatusOK, response.StatusCode)
			require.Equal(t, c.coding, response.Header.Get("Content-Encoding"))
			want := map[string]string{
				"br": string(files[scriptPath[1:]+".br"].Data), "gzip": string(files[scriptPath[1:]+".gz"].Data), "": scriptText,
			}[c.coding]
			require.True(t, want == body, "%d bytes and not %d", len(body), len(want))
			tags[c.coding] = response.Header.Get("ETag")
		})
	}
	require.Len(t, tags, 3)
	require.NotEqual(t, tags["br"], tags["gzip"], "a tag is of one form")
	require.NotEqual(t, tags[""], tags["gzip"], "a tag is of one form")
}

func TestNotModified(t *testing.T) {
	s := built(t)
	for _, coding := range []string{"br", "gzip", "identity"} {
		response, _ := ask(t, s, http.MethodGet, "/", "Accept-Encoding: "+coding)
		tag := response.Header.Get("ETag")
		require.Regexp(t, `^"[-0-9a-z]{32,}"$`, tag)
		for name, c := range map[string]struct {
			conditions []string
			status     int
		}{
			"the same":          {[]string{"If-None-Match: " + tag}, 304},
			"one of them":       {[]string{`If-None-Match: "a", ` + tag}, 304},
			"of several lines":  {[]string{`If-None-Match: "a"`, "If-None-Match: " + tag}, 304},
			"weakened by proxy": {[]string{"If-None-Match: W/" + tag}, 304},
			"any":               {[]string{"If-None-Match: *"}, 304},
			"another":           {[]string{`If-None-Match: "a"`}, 200},
			"without quotes":    {[]string{"If-None-Match: " + strings.Trim(tag, `"`)}, 200},
			"empty":             {[]string{"If-None-Match: "}, 200},
		} {
			t.Run(coding+", "+name, func(t *testing.T) {
				response, body := ask(t, s, http.MethodGet, "/", append(c.conditions, "Accept-Encoding: "+coding)...)
				require.Equal(t, c.status, response.StatusCode)
				require.Equal(t, tag, response.Header.Get("ETag"))
				require.Equal(t, policy, response.Header.Get("Content-Security-Policy"))
				require.Equal(t, "no-cache", response.Header.Get("Cache-Control"))
				require.Equal(t, c.status == 304, body == "")
			})
		}
	}
}

// Only the value of the header must decide between the forms.
func FuzzHeaders(f *testing.F) {
	for _, seed := range []string{"gzip, deflate, br", "br;q=0, *", `W/"a", "b"`, "*;q=", ",;,;"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, value string) {
		lower := strings.ToLower(value)
		if accepts([]string{value}, "br") && !strings.Contains(lower, "br") {
			require.Contains(t, lower, "*")
		}
		if matches([]string{value}, `"tag"`) && !strings.Contains(value, `"tag"`) {
			require.Contains(t, value, "*")
		}
	})
}

// A changed file must have another tag.
func TestTagFollowsTheContent(t *testing.T) {
	before, _ := ask(t, built(t), http.MethodGet, "/", "Accept-Encoding: br")
	changed := folder(t)
	changed["index.html.br"].Data = []byte("index in Brotli")
	p, err := New(changed)
	require.NoError(t, err)
	after, _ := ask(t, site(t, p), http.MethodGet, "/", "Accept-Encoding: br")
	require.NotEqual(t, before.Header.Get("ETag"), after.Header.Get("ETag"))
}

// Paths that are not part of the page must reach the other handler of the port.
func TestOtherPathsAndVerbs(t *testing.T) {
	s := built(t)
	for _, path := range []string{"/index.html", "/README", "/index.html.gz", "/worker.js.br", "/assets", "/assets/", "/assets/none.js", "/%2e%2e/page.go"} {
		response, _ := ask(t, s, http.MethodGet, path)
		require.Equal(t, http.StatusTeapot, response.StatusCode, path)
	}
	router := &httprouter.Router{}
	p, err := New(folder(t))
	require.NoError(t, err)
	p.Mount(router)
	for _, verb := range []string{http.MethodPost, http.MethodPut, http.MethodDelete, http.MethodOptions} {
		handle, _, _ := router.Lookup(verb, "/")
		require.Nil(t, handle, verb)
	}
}

func TestNotBuilt(t *testing.T) {
	p, err := New(fstest.MapFS{"README": {Data: []byte("x")}})
	require.NoError(t, err)
	require.False(t, p.IsBuilt())
	s := site(t, p)
	response, body := ask(t, s, http.MethodGet, "/")
	require.Equal(t, http.StatusNotFound, response.StatusCode)
	require.Equal(t, "text/plain; charset=utf-8", response.Header.Get("Content-Type"))
	require.Equal(t, "no-store", response.Header.Get("Cache-Control"))
	require.Contains(t, body, "built without the wallet page")
	require.Contains(t, body, "make build")
	head, body := ask(t, s, http.MethodHead, "/")
	require.Equal(t, response.Header.Get("Content-Length"), head.Header.Get("Content-Length"))
	require.Empty(t, body)
	response, _ = ask(t, s, http.MethodGet, "/assets/x.js")
	require.Equal(t, http.StatusTeapot, response.StatusCode)
}

func TestIncompleteFolders(t *testing.T) {
	for name, spoil := range map[string]func(fstest.MapFS){
		"no index":         func(f fstest.MapFS) { delete(f, "index.html.gz") },
		"no brotli of one": func(f fstest.MapFS) { delete(f, "session-worker.js.br") },
	} {
		t.Run(name, func(t *testing.T) {
			f := folder(t)
			spoil(f)
			_, err := New(f)
			require.ErrorIs(t, err, ErrFiles)
		})
	}
}

// A truncated file must not look complete to the client.
func TestBrokenFile(t *testing.T) {
	f := folder(t)
	whole := f[scriptPath[1:]+".gz"]
	whole.Data = whole.Data[:len(whole.Data)-20]
	p, err := New(f)
	require.NoError(t, err)
	conn, err := net.Dial("tcp", site(t, p).Listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "GET "+scriptPath+" HTTP/1.1\r\nHost: localhost\r\n\r\n")
	require.NoError(t, err)
	text, _ := io.ReadAll(conn)
	require.False(t, strings.HasSuffix(string(text), "0\r\n\r\n"), "the answer has an end")
}

func TestMediaTypes(t *testing.T) {
	for name, want := range map[string]string{
		"a.css": "text/css; charset=utf-8", "a.json": "application/json", "a.svg": "image/svg+xml", "a.png": "image/png",
		"a.webmanifest": "application/manifest+json", "a.ico": "image/vnd.microsoft.icon", "a.woff2": "font/woff2",
		"a.txt": "text/plain; charset=utf-8", "a.unknown": "application/octet-stream", "LICENSE": "application/octet-stream",
	} {
		require.Equal(t, want, mediaType(name), name)
	}
}

// The embedded page must be complete or absent.
func TestBuiltIn(t *testing.T) {
	p, err := Built()
	require.NoError(t, err)
	for at, f := range p.files {
		require.NotEqual(t, "application/octet-stream", f.mediaType, at)
		in, err := f.from.Open(f.name + gzipSuffix)
		require.NoError(t, err)
		plain, err := gzip.NewReader(in)
		require.NoError(t, err)
		size, err := io.Copy(io.Discard, plain)
		require.NoError(t, err, at)
		require.Greater(t, size, int64(0), at)
	}
}
