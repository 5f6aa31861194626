// Package daemontest reads recordings of komodod's daemon API and compares replies
// with them, in process or over a connection that the test opens; and it plays whole
// recorded sessions on a node that the test hands it, wherever that runs, with the list
// of all that is excused. It is not a client and holds no recording; the recordings are
// in the testdata of the tests that replay them.
//
// Source: one exchange a line, as JSON: n, tip, session, label, note, request
// {method, path, headers, body}, response {status, headers, body}; or session, label,
// note, request, status and response with the two bodies as plain strings.
//
// Invariant: a reply matches only if status, body, Content-Type and WWW-Authenticate
// are equal to the recording's, but for what an Excuse names.
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

// Header is a name and a value, in the order and the writing of the recording.
type Header [2]string

// Request is the request of the recorded client.
type Request struct {
	Method  string   `json:"method"`
	Path    string   `json:"path"`
	Headers []Header `json:"headers"`
	Body    string   `json:"body"`
}

// Response holds the compared parts of an answer.
type Response struct {
	Status  int      `json:"status"`
	Headers []Header `json:"headers"`
	Body    string   `json:"body"`
}

// Exchange is one line of a recording.
type Exchange struct {
	N        int      `json:"n"`
	Tip      *int     `json:"tip"` // height of the chain when it was asked, if known
	Session  string   `json:"session"`
	Label    string   `json:"label"`
	Note     string   `json:"note"`
	Request  Request  `json:"request"`
	Response Response `json:"response"`
	// TxHex is the transaction of a payment, for one that no block took.
	TxHex string `json:"txhex"`
	// Flags are the options that the node was restarted with before the exchange.
	Flags []string `json:"start_flags"`
}

// UnmarshalJSON takes both forms of a line.
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

// Read takes the exchanges of a recording.
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

// Transport reports whether the exchange is about the envelope or HTTP, and so can
// be replayed without a chain: tokenlist is empty in all of them.
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

// Bytes returns the body as it was on the wire. A body that was not UTF-8 is recorded
// with one character for each byte, which shows in its Content-Length.
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

// Wire returns the whole request as bytes for a connection, HTTP/1.1 with the recorded
// headers.
func (r Request) Wire() []byte {
	out := fmt.Appendf(nil, "%s %s HTTP/1.1\r\n", r.Method, r.Path)
	for _, h := range r.Headers {
		out = fmt.Appendf(out, "%s: %s\r\n", h[0], h[1])
	}
	return append(append(out, "\r\n"...), r.Bytes()...)
}

// Header returns the value of the first header of that name, in any case.
func (r Request) Header(name string) string { return find(r.Headers, name) }

// Header returns the value of the first header of that name, in any case.
func (r Response) Header(name string) string { return find(r.Headers, name) }

// isDecoded reports whether the body was not UTF-8 and the recorder replaced each invalid byte
// by U+FFFD, which shows in its Content-Length.
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

// Excuse changes a recorded response into the one that is expected of this node, or
// leaves it alone.
type Excuse func(Exchange) Response

// Mismatch compares a reply with the recording, after the excuses, and says what
// differs; empty if nothing does.
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

// Verbs excuses the answers to verbs other than POST that no client relies on:
// OPTIONS and PATCH are 405 and empty like other unknown verbs, where libevent
// answers 501 with a page, and HEAD has no body, as HTTP demands.
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
