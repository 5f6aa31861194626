package nodepool

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"obverse/core/guard"
	"obverse/core/net/fetch"
	"obverse/core/net/proxyauth"
	"obverse/core/text"
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
	Ranged   bool          // it is about a range, which a node may refuse as too large
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

// Light returns a question that every node answers at once.
func Light(method string, read func(json.RawMessage) (any, int64, error)) Question {
	return Question{Method: method, Quantity: method, Limit: LightLimit, Timeout: LightTimeout, Read: read}
}

// Limits of light questions.
const (
	LightLimit   = 1 << 20
	LightTimeout = 15 * time.Second // as upstream
)

// key returns a key that identifies the question.
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

// Request returns the request for a node. The id is JSON.
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

// id returns an id that no request had before.
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
	response, err := p.post(ctx, n, q, body)
	if err != nil {
		return nil, err
	}
	result, err := open(response, id, q, p.config.Now())
	return result, n.at.mask(err)
}

// post sends a body to a node.
func (p *Pool) post(ctx context.Context, n *node, q Question, body []byte) (r fetch.Response, err error) {
	header := map[string]string{}
	if n.at.Authorization != "" {
		header["Authorization"] = n.at.Authorization
	}
	if n.at.isSocket() {
		return n.sockets.post(ctx, p.config.Dialer, q.Writes, fetch.Request{URL: n.at.URL, Header: header, Body: body, Limit: q.Limit})
	}
	header["Content-Type"] = "application/json"
	if n.GatewayProxy {
		if header[proxyauth.Header], err = proxyauth.Sign(p.config.Identity, n.at.URL, len(body), p.config.Now()); err != nil {
			return r, err
		}
	}
	r, err = p.config.Fetcher.Fetch(ctx, fetch.Request{Method: "POST", URL: n.at.URL, Header: header, Body: body, Limit: q.Limit})
	r.Body = bytes.TrimPrefix(r.Body, []byte("\ufeff")) // RFC 8259 lets readers ignore it
	return r, err
}

// envelope is an answer of JSON-RPC.
type envelope struct {
	ID     json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
}

// Open checks a response and returns its result. It returns the errors of an Attempt and
// *RPCError.
func Open(r fetch.Response, id string, now time.Time) (json.RawMessage, error) {
	return open(r, id, Question{}, now)
}

// faulty returns an error for responses that need not be read.
func faulty(r fetch.Response, now time.Time) error {
	wait := min(r.Delay(now), maxRetryAfter)
	switch {
	case r.Status >= 300 && r.Status < 400:
		return ErrRedirect
	case r.Status == 429 || wait > 0 && r.Status >= 400:
		return &StatusError{r.Status, wait, said(r.Body)}
	}
	return nil
}

func open(r fetch.Response, id string, q Question, now time.Time) (json.RawMessage, error) {
	if err := faulty(r, now); err != nil {
		return nil, err
	}
	var e envelope
	if json.Unmarshal(r.Body, &e) != nil {
		return nil, foreign(r)
	}
	ours := string(e.ID) == id || e.numericID() == id
	switch {
	case e.failed() && (ours || unassignedIDs(e.ID)) && (r.Status == 200 || e.Error[0] == '{'):
		return nil, e.refusal(q)
	case r.Status != 200:
		return nil, &StatusError{Status: r.Status, Text: said(r.Body)}
	case e.failed() && limits(message(e.Error)):
		return nil, e.refusal(q)
	case len(e.ID) == 0 && len(e.Result) == 0 && !e.failed(): // an object of something else
		return nil, foreign(r)
	case !ours:
		return nil, because(ErrOtherID, line(message(e.Error)))
	}
	return e.result(q.Nullable)
}

// numericID returns an id without its quotes: some gateways turn the number that was sent into a
// text.
func (e envelope) numericID() string { return strings.Trim(string(e.ID), `"`) }

func (e envelope) failed() bool { return len(e.Error) > 0 && string(e.Error) != "null" }

// Codes of errors that stand for a limit on requests.
const (
	codeLimit   = -32005 // EIP-1474
	codeTooMany = 429
)

// refusal returns the error of a response: an *RPCError, a *LimitError, after which the node is
// to be left alone for a while, or for servers that have a text in place of the object an
// ErrAnswer with it. Some providers have the code of a limit on requests for a range that is too
// large, too.
func (e envelope) refusal(q Question) error {
	var refused struct {
		Code json.Number
		Data json.RawMessage
	}
	_ = json.Unmarshal(e.Error, &refused) // which keeps what could be read
	code, _ := refused.Code.Int64()
	words := text.Clip(text.Visible(message(e.Error)), 300)
	if code == codeLimit && !q.Ranged || code == codeTooMany || limits(words) {
		return &LimitError{words}
	}
	if e.Error[0] != '{' {
		return because(ErrAnswer, cmp.Or(line(words), "an error without words"))
	}
	return &RPCError{code, words, text.Clip(plain(refused.Data), 1000)}
}

func (e envelope) result(nullable bool) (json.RawMessage, error) {
	if len(e.Result) == 0 || string(e.Result) == "null" && !nullable {
		return nil, fmt.Errorf("%w: neither result nor error", ErrAnswer)
	}
	return e.Result, nil
}

// unassignedIDs reports whether id is one that servers answer with when they have not read the
// request.
func unassignedIDs(id json.RawMessage) bool {
	switch string(id) {
	case "", "null", "-1", `""`:
		return true
	}
	return false
}

// plain returns a JSON text without its quotes, or other JSON as it is.
func plain(raw json.RawMessage) (s string) {
	if len(raw) > 0 && json.Unmarshal(raw, &s) != nil {
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

// Unreadable returns an ErrAnswer for JSON of another form than a result should have. The text
// names no member, since its name is that of a field of this program.
func Unreadable(err error) error {
	var other *json.UnmarshalTypeError
	if errors.As(err, &other) {
		return fmt.Errorf("%w: unexpected value of type %.50s", ErrAnswer, other.Value)
	}
	if errors.As(err, new(*json.SyntaxError)) {
		return errJSON
	}
	return fmt.Errorf("%w: %w", ErrAnswer, err)
}
