package nodepool

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"unicode"

	"obverse/core/net/fetch"
	"obverse/core/text"
)

// maxWords limits the length of a server's text in an error, in bytes.
const maxWords = 200

// said returns the message in a body that is not a JSON-RPC response: the message in a JSON
// object, the title of a web page, or the text. It returns "" if there is nothing to display.
func said(body []byte) string {
	body = bytes.TrimSpace(bytes.TrimPrefix(body, []byte("\xef\xbb\xbf")))
	switch {
	case len(body) == 0:
		return ""
	case json.Valid(body):
		return line(message(body))
	case body[0] == '{' || body[0] == '[': // truncated JSON
		return ""
	case body[0] == '<':
		return title(body)
	}
	return line(text.Truncate(string(body), 4*maxWords))
}

// message returns the text of an error in JSON: the string itself, or the member that services
// use for the text.
func message(raw json.RawMessage) string {
	if text := ""; json.Unmarshal(raw, &text) == nil {
		return text
	}
	var members map[string]json.RawMessage
	if json.Unmarshal(raw, &members) != nil {
		return ""
	}
	for _, name := range []string{"error", "message", "msg", "detail", "reason", "description", "title"} {
		if text := message(members[name]); text != "" {
			return text
		}
	}
	return ""
}

// title returns the title of a web page.
func title(page []byte) string {
	lower := bytes.ToLower(page) // has the same length, unless the page contains unusual letters
	_, begin, found := bytes.Cut(lower, []byte("<title>"))
	end := bytes.Index(begin, []byte("</title>"))
	if !found || end < 0 || len(lower) != len(page) {
		return ""
	}
	at := len(page) - len(begin)
	return line(string(page[at : at+end]))
}

// line converts a text of a server to a single printable line of at most maxWords bytes.
func line(s string) string {
	printable := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r):
			return -1
		}
		return r
	}, s)
	return text.Clip(strings.Join(strings.Fields(printable), " "), maxWords)
}

// limitWords lists phrases with which servers refuse requests because of a rate limit.
var limitWords = []string{"rate limit", "rate-limit", "ratelimit", "too many requests", "request limit", "requests per second", "request count exceeded", "rate exceeded", "quota exceeded", "compute units", "credits limited", "throttl"}

// limits reports whether a text describes a rate limit. Reasons of reverted contract calls,
// which may contain the same phrases, are excluded.
func limits(text string) bool {
	text = strings.ToLower(text)
	if strings.Contains(text, "revert") {
		return false
	}
	for _, words := range limitWords {
		if strings.Contains(text, words) {
			return true
		}
	}
	return false
}

// spoken returns the server's text in an error, or "".
func spoken(err error) string {
	var status *StatusError
	var limit *LimitError
	var worded *wordedError
	switch {
	case errors.As(err, &status):
		return status.Text
	case errors.As(err, &limit):
		return limit.Text
	case errors.As(err, &worded):
		return worded.text
	}
	return ""
}

// foreign returns the error for a body that is not a JSON-RPC response.
func foreign(r fetch.Response) error {
	text := said(r.Body)
	page := bytes.HasPrefix(bytes.TrimSpace(r.Body), []byte("<"))
	switch {
	case r.Status != 200:
		return &StatusError{Status: r.Status, Text: text}
	case limits(text):
		return &LimitError{text}
	case page:
		return because(ErrHTML, text)
	case text != "":
		return because(ErrAnswer, text)
	case len(bytes.TrimSpace(r.Body)) == 0:
		return because(ErrAnswer, "empty body")
	case json.Valid(r.Body):
		return errForm
	}
	return errJSON
}

// Errors for bodies without a text.
var (
	errForm = fmt.Errorf("%w: not an object of JSON-RPC", ErrAnswer)
	errJSON = fmt.Errorf("%w: incomplete or invalid JSON", ErrAnswer)
)

// because adds a text to an error, unless it is empty.
func because(err error, text string) error {
	if text == "" {
		return err
	}
	return &wordedError{err, text}
}

// wordedError is an error with the text of a server.
type wordedError struct {
	error
	text string
}

func (e *wordedError) Error() string { return e.error.Error() + ": " + e.text }

// Unwrap returns the error without the text.
func (e *wordedError) Unwrap() error { return e.error }

// mask removes credentials of the request from the text of a server, since some servers repeat
// them.
func (e Endpoint) mask(err error) error {
	var status *StatusError
	var limit *LimitError
	var worded *wordedError
	var refused *RPCError
	for _, secret := range e.secrets() {
		hide := func(text *string) { *text = without(*text, secret) }
		switch {
		case errors.As(err, &status):
			hide(&status.Text)
		case errors.As(err, &limit):
			hide(&limit.Text)
		case errors.As(err, &worded):
			hide(&worded.text)
		case errors.As(err, &refused):
			hide(&refused.Message)
			hide(&refused.Data)
		}
	}
	return err
}

// without removes a secret from a text. It also removes the beginning of the secret at the end
// of a truncated text.
func without(text, secret string) string {
	text = strings.ReplaceAll(text, secret, "…")
	for n := len(secret) - 1; n >= 4; n-- {
		if rest, is := strings.CutSuffix(text, secret[:n]+"…"); is {
			return rest + "…"
		}
	}
	return text
}

// secrets returns the parts that show removes from a URL, and the user and password.
func (e Endpoint) secrets() (list []string) {
	const short = 6 // shorter words such as "true" and "v3" are not credentials
	add := func(text string) {
		if len(text) >= short {
			list = append(list, text)
		}
	}
	if u, err := url.Parse(e.URL); err == nil {
		for _, values := range u.Query() {
			for _, value := range values {
				add(value)
			}
		}
		for _, segment := range strings.Split(u.Path, "/") {
			if words(segment) != segment {
				add(segment)
			}
		}
	}
	if encoded, is := strings.CutPrefix(e.Authorization, "Basic "); is {
		add(encoded)
		plain, _ := base64.StdEncoding.DecodeString(encoded)
		user, password, _ := strings.Cut(string(plain), ":")
		add(user)
		add(password)
	}
	return list
}
