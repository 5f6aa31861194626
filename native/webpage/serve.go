package webpage

import (
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// policy restricts the page. It compiles WebAssembly and otherwise runs only its own files; it
// may connect to the nodes of coins anywhere, encrypted, and to programs on the user's machine.
// It may not be in a frame of another page.
const policy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; worker-src 'self'; style-src 'self'; " +
	"img-src 'self' data: blob:; font-src 'self'; manifest-src 'self'; " +
	"connect-src 'self' https: wss: http://127.0.0.1:* ws://127.0.0.1:* http://localhost:* ws://localhost:*; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// setHeaders sets the headers that all answers of the page have. A Cross-Origin-Opener-Policy
// is not among it: sites open the page in a new window, and the two exchange messages.
func setHeaders(h http.Header, mediaType, keep string) {
	h.Set("Content-Type", mediaType)
	h.Set("Cache-Control", keep)
	h.Set("Content-Security-Policy", policy)
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
}

// A client has pieceTime to take each piece of a file, so that a slow one gets all and
// one that takes nothing is let go.
const (
	pieceTime  = 30 * time.Second
	pieceBytes = 256 << 10
)

// ServeHTTP sends the file in the smallest form that the client takes.
func (f *file) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if f.serve(w, r) != nil {
		panic(http.ErrAbortHandler) // half a file must not look like a whole one
	}
}

func (f *file) serve(w http.ResponseWriter, r *http.Request) error {
	h := w.Header()
	setHeaders(h, f.mediaType, f.keep)
	h.Set("Vary", "Accept-Encoding")
	form, suffix, coding := f.gzip, gzipSuffix, ""
	accepted := r.Header.Values("Accept-Encoding")
	switch {
	case accepts(accepted, "br"):
		form, suffix, coding = f.brotli, brotliSuffix, "br"
	case accepts(accepted, "gzip"):
		coding = "gzip"
	}
	tag, err := form.tag()
	if err != nil {
		return err
	}
	if coding == "" {
		tag = strings.TrimSuffix(tag, `"`) + `-plain"`
	}
	h.Set("ETag", tag)
	if matches(r.Header.Values("If-None-Match"), tag) {
		h.Del("Content-Type")
		w.WriteHeader(http.StatusNotModified)
		return nil
	}
	if coding != "" {
		h.Set("Content-Encoding", coding)
		h.Set("Content-Length", strconv.FormatInt(form.size, 10))
	}
	if r.Method == http.MethodHead {
		w.WriteHeader(http.StatusOK)
		return nil
	}
	return f.send(w, f.name+suffix, coding == "")
}

// send writes the file of that name, plain or as it is.
func (f *file) send(w http.ResponseWriter, name string, plain bool) error {
	in, err := f.from.Open(name)
	if err != nil {
		return err
	}
	defer in.Close()
	var from io.Reader = in
	if plain {
		if from, err = gzip.NewReader(in); err != nil {
			return err
		}
	}
	control := http.NewResponseController(w)
	for {
		if err := control.SetWriteDeadline(time.Now().Add(pieceTime)); err != nil {
			return err
		}
		_, err := io.CopyN(w, from, pieceBytes)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// accepts reads Accept-Encoding: whether the client takes this coding. What it does not
// name it takes only if it takes any.
func accepts(headers []string, coding string) bool {
	others := false
	for item := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		name, parameters, _ := strings.Cut(item, ";")
		name = strings.ToLower(strings.TrimSpace(name))
		if name == coding {
			return !isZero(parameters)
		}
		others = others || name == "*" && !isZero(parameters)
	}
	return others
}

// isZero reports whether the weight means never.
func isZero(parameters string) bool {
	weight, found := strings.CutPrefix(strings.ToLower(strings.ReplaceAll(parameters, " ", "")), "q=")
	if !found {
		return false
	}
	q, err := strconv.ParseFloat(weight, 64)
	return err != nil || q <= 0
}

// matches reads If-None-Match, in which the W/ of a proxy changes nothing.
func matches(headers []string, tag string) bool {
	for item := range strings.SplitSeq(strings.Join(headers, ","), ",") {
		item = strings.TrimSpace(item)
		if item == "*" || strings.TrimPrefix(item, "W/") == tag {
			return true
		}
	}
	return false
}

const notBuiltText = `This program was built without the wallet page. The node itself is at work: calls are
POST requests to this address.

To build the program with the page: install Node (20.19, 22.12 or newer), run
"make build" at the top of the sources, and start the node again.
`

func notBuilt(w http.ResponseWriter, r *http.Request) {
	if err := http.NewResponseController(w).SetWriteDeadline(time.Now().Add(pieceTime)); err != nil {
		return
	}
	setHeaders(w.Header(), mediaType(".txt"), "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(len(notBuiltText)))
	w.WriteHeader(http.StatusNotFound)
	_, _ = io.WriteString(w, notBuiltText) // net/http leaves it out for HEAD
}
