package node

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"obverse/core/fetch"
	"obverse/core/proxyauth"
)

// question is a call of a node's method.
type question struct {
	method   string
	params   any           // a struct: the parameters in an order that does not change
	quantity string        // what it is about, for the cache
	limit    int64         // bytes of the answer
	patience time.Duration // with one node
	hedge    time.Duration // without an answer for so long, another node is asked too; 0: by the node's pace
	writes   bool          // it is not shared with others who ask the same
	// read decodes the result. The height is that of the state it is of; 0: unknown.
	read func(result json.RawMessage) (answer any, height int64, err error)
	// refine tells what an error of JSON-RPC means here; nil: nothing more.
	refine func(*RPCError) (answer any, err error)
}

// encode writes the parameters.
func (q question) encode() (json.RawMessage, error) {
	if q.params == nil {
		return json.RawMessage("{}"), nil
	}
	return json.Marshal(q.params)
}

// request is what goes to a node.
func (q question) request(id string) ([]byte, error) {
	params, err := q.encode()
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      string          `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
	}{"2.0", id, q.method, params})
}

// exchange asks one node and reads its answer.
func (p *Pool) exchange(ctx context.Context, n *node, q question) (answer any, height int64, err error) {
	id := strconv.FormatUint(p.ids.Add(1), 10)
	body, err := q.request(id)
	if err != nil {
		return nil, 0, err
	}
	header := map[string]string{"Content-Type": "application/json"}
	if n.authorization != "" {
		header["Authorization"] = n.authorization
	}
	if n.GatewayProxy {
		if header[proxyauth.Header], err = proxyauth.Sign(p.config.Identity, n.url, len(body), p.config.Now()); err != nil {
			return nil, 0, err
		}
	}
	response, err := p.config.Fetcher.Fetch(ctx, fetch.Request{Method: "POST", URL: n.url, Header: header, Body: body, Limit: q.limit})
	if err != nil {
		return nil, 0, err
	}
	result, err := open(response, id, p.config.Now())
	if refused, is := err.(*RPCError); is && q.refine != nil {
		answer, err = q.refine(refused)
		return answer, 0, err
	}
	if err != nil {
		return nil, 0, err
	}
	return q.read(result)
}

// envelope is an answer of JSON-RPC.
type envelope struct {
	ID     json.RawMessage
	Result json.RawMessage
	Error  *struct {
		Code    int64
		Message string
		Data    json.RawMessage
	}
}

// open checks an answer and gives the result in it. The errors are those of an Attempt
// and *RPCError.
func open(r fetch.Response, id string, now time.Time) (json.RawMessage, error) {
	wait := r.Delay(now)
	status := &StatusError{r.Status, wait}
	switch {
	case r.Status >= 300 && r.Status < 400:
		return nil, ErrRedirect
	case r.Status == 429 || wait > 0 && r.Status >= 400:
		return nil, status
	}
	var e envelope
	if err := json.Unmarshal(r.Body, &e); err != nil {
		if r.Status != 200 {
			return nil, status
		}
		if text := bytes.TrimSpace(r.Body); len(text) > 0 && text[0] == '<' {
			return nil, ErrHTML
		}
		return nil, unreadable(err)
	}
	ours := string(e.ID) == `"`+id+`"`
	switch {
	case e.Error != nil && (ours || nobodys(e.ID)):
		return nil, &RPCError{e.Error.Code, clip(e.Error.Message, 300), clip(text(e.Error.Data), 1000)}
	case r.Status != 200:
		return nil, status
	case !ours:
		return nil, ErrOtherID
	case len(e.Result) == 0 || string(e.Result) == "null":
		return nil, fmt.Errorf("%w: it has neither a result nor an error", ErrAnswer)
	}
	return e.Result, nil
}

// nobodys tells the ids that servers answer with when they have not read the question.
func nobodys(id json.RawMessage) bool {
	switch string(id) {
	case "", "null", "-1", `""`:
		return true
	}
	return false
}

// text is a JSON text without its quotes, or other JSON as it is.
func text(raw json.RawMessage) (s string) {
	if json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

// read decodes a result.
func read(result json.RawMessage, into any) error {
	if err := json.Unmarshal(result, into); err != nil {
		return unreadable(err)
	}
	return nil
}

// unreadable is for JSON that cannot be read. What this program wanted to read it into
// tells nobody anything.
func unreadable(err error) error {
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) {
		return fmt.Errorf("%w: member %q of it is of another type: %.50s", ErrAnswer, other.Field, other.Value)
	}
	return fmt.Errorf("%w: %w", ErrAnswer, err)
}

// integer is a whole number that JSON has as a text or as it is.
type integer int64

// UnmarshalJSON implements json.Unmarshaler.
func (i *integer) UnmarshalJSON(b []byte) error {
	b = bytes.Trim(b, `"`)
	if len(b) == 0 || string(b) == "null" {
		return nil
	}
	n, err := strconv.ParseInt(string(b), 10, 64)
	*i = integer(n)
	return err
}

// count is an integer that is not below 0: a height, a number of transactions.
type count int64

// UnmarshalJSON implements json.Unmarshaler.
func (c *count) UnmarshalJSON(b []byte) error {
	err := (*integer)(c).UnmarshalJSON(b)
	if err == nil && *c < 0 {
		err = fmt.Errorf("%d is below 0", *c)
	}
	return err
}
