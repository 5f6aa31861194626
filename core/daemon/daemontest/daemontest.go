// Package daemontest reads recordings of komodod's daemon API and compares replies with them,
// either in process or over a connection that the test opens. It can also replay complete
// recorded sessions on a node provided by a test, with a list of the permitted differences. It
// is not a client and contains no recordings; they are in the testdata of the tests that replay
// them.
//
// Source: each line is one exchange in JSON, with the members n, tip, session, label, note,
// request {method, path, headers, body} and response {status, headers, body}; or with session,
// label, note, request, status and response, where the two bodies are plain strings.
//
// Invariant: a reply matches only if status, body, Content-Type and WWW-Authenticate are equal
// to those in the recording, except for differences that an Excuse permits.
package daemontest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"
)

// Header is a name and a value, with the order and spelling of the recording.
type Header [2]string

// Request is the request of the recorded client.
type Request struct {
	Method  string   `json:"method"`
	Path    string   `json:"path"`
	Headers []Header `json:"headers"`
	Body    string   `json:"body"`
}

// Response holds the parts of a response that are compared.
type Response struct {
	Status  int      `json:"status"`
	Headers []Header `json:"headers"`
	Body    string   `json:"body"`
}

// Exchange is a line of a recording.
type Exchange struct {
	N        int      `json:"n"`
	Tip      *int     `json:"tip"` // height of the chain at the time of the request, if known
	Session  string   `json:"session"`
	Label    string   `json:"label"`
	Note     string   `json:"note"`
	Request  Request  `json:"request"`
	Response Response `json:"response"`
	// TxHex is the transaction of a payment that is not in any block.
	TxHex string `json:"txhex"`
	// Flags lists the options with which the node was restarted before the exchange.
	Flags []string `json:"start_flags"`
}

// UnmarshalJSON decodes both forms of a line.
func (x *Exchange) UnmarshalJSON(line []byte) error {
	type full Exchange
	var flat struct {
		full
		Request  json.RawMessage `json:"request"`
		Response json.RawMessage `json:"response"`
		Status   int             `json:"status"`
	}
	if err := json.Unmarshal(line, &flat); err != nil {
		return err
	}
	*x = Exchange(flat.full)
	if !bytes.HasPrefix(flat.Request, []byte(`"`)) {
		return errors.Join(json.Unmarshal(flat.Request, &x.Request), json.Unmarshal(flat.Response, &x.Response))
	}
	x.Request = Request{Method: "POST", Path: "/"}
	x.Response = Response{Status: flat.Status, Headers: []Header{{"Content-Type", "application/json"}}}
	return errors.Join(json.Unmarshal(flat.Request, &x.Request.Body), json.Unmarshal(flat.Response, &x.Response.Body))
}

// Read reads the exchanges of a recording.
func Read(r io.Reader) ([]Exchange, error) {
	var all []Exchange
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadBytes('\n')
		if len(strings.TrimSpace(string(line))) > 0 {
			var x Exchange
			if err := json.Unmarshal(line, &x); err != nil {
				return nil, fmt.Errorf("exchange %d: %w", len(all), err)
			}
			all = append(all, x)
		}
		if err == io.EOF {
			return all, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read recording: %w", err)
		}
	}
}

// Transport reports whether the exchange concerns the envelope or HTTP, so that it can be
// replayed without a chain. In all of these exchanges, tokenlist is empty.
func (x Exchange) Transport() bool {
	if !strings.HasPrefix(x.Session, "C:") {
		return false
	}
	return slices.ContainsFunc([]string{"auth", "http: ", "json: ", "method not found"}, func(prefix string) bool {
		return strings.HasPrefix(x.Label, prefix)
	})
}

// Name returns the name, which is unique within a recording.
func (x Exchange) Name() string { return fmt.Sprintf("%d %s %s", x.N, x.Label, x.Note) }

// Bytes returns the body as it was sent. A body that was not UTF-8 was recorded with one
// character per byte, which is recognised by its Content-Length.
func (r Request) Bytes() []byte {
	if r.Header("Content-Length") != fmt.Sprint(utf8.RuneCountInString(r.Body)) {
		return []byte(r.Body)
	}
	body := make([]byte, 0, len(r.Body))
	for _, c := range r.Body {
		body = append(body, byte(c))
	}
	return body
}

// Wire returns the complete HTTP/1.1 request with the recorded headers.
func (r Request) Wire() []byte {
	out := fmt.Appendf(nil, "%s %s HTTP/1.1\r\n", r.Method, r.Path)
	for _, h := range r.Headers {
		out = fmt.Appendf(out, "%s: %s\r\n", h[0], h[1])
	}
	return append(append(out, "\r\n"...), r.Bytes()...)
}

// Header returns the value of the first header with a name, which is compared
// case-insensitively.
func (r Request) Header(name string) string { return find(r.Headers, name) }

// Header returns the value of the first header with a name, which is compared
// case-insensitively.
func (r Response) Header(name string) string { return find(r.Headers, name) }

// isDecoded reports whether the body was not UTF-8 and the recorder replaced each invalid byte
// with U+FFFD, which is recognised by its Content-Length.
func (r Response) isDecoded() bool {
	length := r.Header("Content-Length")
	return strings.ContainsRune(r.Body, utf8.RuneError) && length != "" && length != fmt.Sprint(len(r.Body))
}

func find(headers []Header, name string) string {
	for _, h := range headers {
		if strings.EqualFold(h[0], name) {
			return h[1]
		}
	}
	return ""
}

// Excuse changes a recorded response into the one expected from this node. It returns other
// responses unchanged.
type Excuse func(Exchange) Response

// Mismatch applies the excuses to the recording and compares it with a reply. It describes the
// differences, and returns "" if the two are equal.
func (x Exchange) Mismatch(got Response, excuses ...Excuse) string {
	for _, excuse := range excuses {
		x.Response = excuse(x)
	}
	want := x.Response
	switch {
	case got.Status != want.Status:
		return fmt.Sprintf("status %d, recorded %d", got.Status, want.Status)
	case got.Body != want.Body:
		return fmt.Sprintf("body %q, recorded %q", got.Body, want.Body)
	}
	for _, name := range []string{"Content-Type", "WWW-Authenticate"} {
		if got.Header(name) != want.Header(name) {
			return fmt.Sprintf("%s %q, recorded %q", name, got.Header(name), want.Header(name))
		}
	}
	return ""
}

// Verbs excuses the answers to HTTP methods other than POST, on which no client relies. This
// node answers OPTIONS and PATCH with 405 and an empty body, like other unknown methods,
// whereas libevent answers 501 with a page. The answer to HEAD has no body, as HTTP requires.
func Verbs(x Exchange) Response {
	page := Header{"Content-Type", "text/html; charset=ISO-8859-1"}
	switch x.Request.Method {
	case "OPTIONS", "PATCH":
		return Response{Status: 405, Headers: []Header{page}}
	case "HEAD":
		return Response{Status: 405, Headers: []Header{page}}
	}
	return x.Response
}
