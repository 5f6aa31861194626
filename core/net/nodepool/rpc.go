package nodepool

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"obverse/core/net/fetch"
	"obverse/core/net/proxyauth"
	"obverse/core/task/guard"
)

// Question is a call of a node's method, or several that are made at once.
type Question struct {
	Method   string
	Params   any           // something that JSON has in an order that does not change; nil: {}
	Quantity string        // what it is about, for Config.TTL and Invalidate
	Limit    int64         // bytes of the answer
	Timeout  time.Duration // with one node
	Hedge    time.Duration // without an answer for so long, another node is asked too; 0: by the node's pace
	Writes   bool          // it is not shared with others who ask the same
	Nullable bool          // null is a result
	// Read decodes the result. The height is that of the state it is of; 0: unknown. An
	// error that is no Verdict says that the node has failed.
	Read func(result json.RawMessage) (answer any, height int64, err error)
	// Refine reports what an error of JSON-RPC means here; nil: nothing more.
	Refine func(*RPCError) (answer any, err error)

	// Batch are the calls to make at once, in place of Method, and ReadAll reads their
	// outcomes, of which there is one for each. A node that takes no batches is asked one by
	// one.
	Batch   []Call
	ReadAll func([]Outcome) (answer any, height int64, err error)
}

// Light is a question that every node answers at once.
func Light(method string, read func(json.RawMessage) (any, int64, error)) Question {
	return Question{Method: method, Quantity: method, Limit: LightLimit, Timeout: LightTimeout, Read: read}
}

// Limits of light questions.
const (
	LightLimit   = 1 << 20
	LightTimeout = 15 * time.Second // as upstream
)

// key tells questions apart.
func (q Question) key() (string, error) {
	if q.Batch != nil {
		all, err := json.Marshal(q.Batch)
		return string(all), err
	}
	params, err := encode(q.Params)
	return q.Method + string(params), err
}

// encode writes parameters.
func encode(params any) (json.RawMessage, error) {
	if params == nil {
		return json.RawMessage("{}"), nil
	}
	return json.Marshal(params)
}

// Request is what goes to a node. The id is JSON.
func (q Question) Request(id string) ([]byte, error) {
	params, err := encode(q.Params)
	if err != nil {
		return nil, err
	}
	return json.Marshal(struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Params  json.RawMessage `json:"params"`
	}{"2.0", json.RawMessage(id), q.Method, params})
}

// id is one that no request had before.
func (p *Pool) id() string {
	id := strconv.FormatUint(p.ids.Add(1), 10)
	if !p.config.NumericIDs {
		return `"` + id + `"`
	}
	return id
}

// exchange asks one node and reads its answer.
func (p *Pool) exchange(ctx context.Context, n *node, q Question) (answer any, height int64, err error) {
	defer guard.Catch(ctx, "asking a node", &err)
	if q.Batch != nil {
		return p.exchangeAll(ctx, n, q)
	}
	result, err := p.call(ctx, n, q)
	if refused, is := err.(*RPCError); is && q.Refine != nil {
		answer, err = q.Refine(refused)
		return answer, 0, err
	}
	if err != nil {
		return nil, 0, err
	}
	return q.Read(result)
}

// call asks one node one thing.
func (p *Pool) call(ctx context.Context, n *node, q Question) (json.RawMessage, error) {
	id := p.id()
	body, err := q.Request(id)
	if err != nil {
		return nil, err
	}
	response, err := p.post(ctx, n, body, q.Limit)
	if err != nil {
		return nil, err
	}
	if err := faulty(response, p.config.Now()); err != nil {
		return nil, err
	}
	return open(response, id, q.Nullable)
}

// post sends a body to a node.
func (p *Pool) post(ctx context.Context, n *node, body []byte, limit int64) (r fetch.Response, err error) {
	header := map[string]string{"Content-Type": "application/json"}
	if n.at.Authorization != "" {
		header["Authorization"] = n.at.Authorization
	}
	if n.GatewayProxy {
		if header[proxyauth.Header], err = proxyauth.Sign(p.config.Identity, n.at.URL, len(body), p.config.Now()); err != nil {
			return r, err
		}
	}
	return p.config.Fetcher.Fetch(ctx, fetch.Request{Method: "POST", URL: n.at.URL, Header: header, Body: body, Limit: limit})
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

// Open checks an answer and gives the result in it. The errors are those of an Attempt
// and *RPCError.
func Open(r fetch.Response, id string, now time.Time) (json.RawMessage, error) {
	if err := faulty(r, now); err != nil {
		return nil, err
	}
	return open(r, id, false)
}

// faulty tells answers that need not be read.
func faulty(r fetch.Response, now time.Time) error {
	wait := r.Delay(now)
	switch {
	case r.Status >= 300 && r.Status < 400:
		return ErrRedirect
	case r.Status == 429 || wait > 0 && r.Status >= 400:
		return &StatusError{r.Status, wait}
	}
	return nil
}

func open(r fetch.Response, id string, nullable bool) (json.RawMessage, error) {
	var e envelope
	if err := decode(r, &e); err != nil {
		return nil, err
	}
	ours := string(e.ID) == id
	switch {
	case e.Error != nil && (ours || unassignedIDs(e.ID)):
		return nil, e.refusal()
	case r.Status != 200:
		return nil, &StatusError{Status: r.Status}
	case !ours:
		return nil, ErrOtherID
	}
	return e.result(nullable)
}

// decode reads the body of an answer.
func decode(r fetch.Response, into any) error {
	err := json.Unmarshal(r.Body, into)
	if err == nil {
		return nil
	}
	if r.Status != 200 {
		return &StatusError{Status: r.Status}
	}
	if text := bytes.TrimSpace(r.Body); len(text) > 0 && text[0] == '<' {
		return ErrHTML
	}
	return Unreadable(err)
}

func (e envelope) refusal() *RPCError {
	return &RPCError{e.Error.Code, Clip(e.Error.Message, 300), Clip(text(e.Error.Data), 1000)}
}

func (e envelope) result(nullable bool) (json.RawMessage, error) {
	if len(e.Result) == 0 || string(e.Result) == "null" && !nullable {
		return nil, fmt.Errorf("%w: neither result nor error", ErrAnswer)
	}
	return e.Result, nil
}

// unassignedIDs tells the ids that servers answer with when they have not read the question.
func unassignedIDs(id json.RawMessage) bool {
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

// Read decodes a result. Its error is ErrAnswer.
func Read(result json.RawMessage, into any) error {
	if err := json.Unmarshal(result, into); err != nil {
		return Unreadable(err)
	}
	return nil
}

// Unreadable is for JSON that cannot be read. What this program wanted to read it into
// tells nobody anything.
func Unreadable(err error) error {
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) {
		return fmt.Errorf("%w: member %q has the wrong type: %.50s", ErrAnswer, other.Field, other.Value)
	}
	return fmt.Errorf("%w: %w", ErrAnswer, err)
}
