package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"obverse/native/test/interop"
)

// entry is a request with its response, or a message of a websocket.
type entry struct {
	Name     string            `json:"name"`
	Verb     string            `json:"verb,omitempty"`    // POST if empty
	Path     string            `json:"path,omitempty"`    // / if empty
	Sent     map[string]string `json:"sent,omitempty"`    // headers other than Content-Type: application/json
	Request  json.RawMessage   `json:"request,omitempty"` // JSON body
	Body     *string           `json:"body,omitempty"`    // body that is not JSON; a very long one is replaced with a description
	Status   int               `json:"status,omitempty"`
	Headers  map[string]string `json:"headers,omitempty"`
	Response json.RawMessage   `json:"response,omitempty"` // JSON body of the response
	Text     *string           `json:"text,omitempty"`     // body of the response that is not JSON
}

// tape holds the entries of a file.
type tape []entry

func (t *tape) write(path string) error {
	var b bytes.Buffer
	b.WriteString("[\n")
	for n, e := range *t {
		line, err := marshal(e)
		if err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
		b.Write(line)
		if n < len(*t)-1 {
			b.WriteByte(',')
		}
		b.WriteByte('\n')
	}
	b.WriteString("]\n")
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// marshal encodes JSON without escaping <, > and &.
func marshal(v any) ([]byte, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	err := encoder.Encode(v)
	return bytes.TrimRight(b.Bytes(), "\n"), err
}

// recordedHeaders lists the headers of responses that clients may use.
var recordedHeaders = [...]string{"Content-Type", "Retry-After", "Location", "Allow", "Access-Control-Allow-Origin",
	"Access-Control-Allow-Methods", "Access-Control-Allow-Headers", "Access-Control-Expose-Headers"}

// longest is the maximum length of a body that is recorded completely.
const longest = 100_000

// send sends the request of an entry and adds the entry with the response.
func (t *tape) send(ctx context.Context, c *interop.Chain, e entry, body []byte) (entry, error) {
	verb := e.Verb
	if verb == "" {
		verb = http.MethodPost
	}
	request, err := http.NewRequestWithContext(ctx, verb, c.URL+"/"+strings.TrimPrefix(e.Path, "/"), bytes.NewReader(body))
	if err != nil {
		return e, err
	}
	request.Header.Set("Content-Type", "application/json")
	for key, value := range e.Sent {
		request.Header.Set(key, value)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return e, fmt.Errorf("%s: %w", e.Name, err)
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return e, fmt.Errorf("%s: %w", e.Name, err)
	}
	e.Request, e.Body = asJSON(body)
	e.Status, e.Headers = response.StatusCode, map[string]string{}
	for _, key := range recordedHeaders {
		if value := response.Header.Get(key); value != "" {
			e.Headers[key] = value
		}
	}
	e.Response, e.Text = asJSON(answer)
	*t = append(*t, e)
	return e, nil
}

func asJSON(body []byte) (json.RawMessage, *string) {
	text := string(body)
	switch {
	case len(body) > longest:
		text = fmt.Sprintf("(%d bytes)", len(body))
	case json.Valid(body):
		return body, nil
	}
	return nil, &text
}

// params are the parameters of a JSON-RPC method, in a fixed order.
type params []param

type param struct {
	key   string
	value any
}

func (p params) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for n, field := range p {
		if n > 0 {
			b = append(b, ',')
		}
		value, err := marshal(field.value)
		if err != nil {
			return nil, err
		}
		b = fmt.Appendf(b, "%q:%s", field.key, value)
	}
	return append(b, '}'), nil
}

// call posts a JSON-RPC request. All recorded requests have the same id.
func (t *tape) call(ctx context.Context, c *interop.Chain, name, method string, with params) (entry, error) {
	parameters, err := with.MarshalJSON()
	if err != nil {
		return entry{}, err
	}
	body, err := marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      string          `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
	}{"2.0", "1", method, parameters})
	if err != nil {
		return entry{}, err
	}
	return t.send(ctx, c, entry{Name: name}, body)
}

// take is like call, without the response.
func (t *tape) take(ctx context.Context, c *interop.Chain, name, method string, with params) error {
	_, err := t.call(ctx, c, name, method, with)
	return err
}
