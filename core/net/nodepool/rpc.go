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

// Question is a call of a node's method, or a batch of calls.
type Question struct {
	Method   string
	Params   any           // encoded as JSON with a stable order; nil means {}
	Quantity string        // subject of the question, for Config.TTL and Invalidate
	Limit    int64         // maximum size of the response in bytes
	Timeout  time.Duration // timeout for one node
	Hedge    time.Duration // time after which another node is asked too; 0 means a time based on the node's latency
	Writes   bool          // whether the question must not be shared between callers
	Nullable bool          // whether null is a valid result
	Ranged   bool          // whether the question has a range, which a node may refuse as too large
	// SkipUnreached makes a Poll decide without the nodes that have been unreachable since the
	// start, for questions that are asked at the start.
	SkipUnreached bool
	// Read decodes the result. The height is that of the state to which the result refers, or 0
	// if it is unknown. An error that is not a Verdict means that the node is faulty.
	Read func(result json.RawMessage) (answer any, height int64, err error)
	// Refine interprets a JSON-RPC error. It may be nil.
	Refine func(*RPCError) (answer any, err error)

	// Batch lists calls that are made together, in place of Method. ReadAll receives one
	// outcome for each call. A node that does not support batches receives the calls one by
	// one.
	Batch   []Call
	ReadAll func([]Outcome) (answer any, height int64, err error)
}

// Light returns a question that every node can answer immediately.
func Light(method string, read func(json.RawMessage) (any, int64, error)) Question {
	return Question{Method: method, Quantity: method, Limit: LightLimit, Timeout: LightTimeout, Read: read}
}

// Limits of light questions.
const (
	LightLimit   = 1 << 20
	LightTimeout = 15 * time.Second // as in Komodo DeFi Framework
)

// key returns a string that identifies the question.
func (q Question) key() (string, error) {
	if q.Batch != nil {
		all, err := json.Marshal(q.Batch)
		return string(all), err
	}
	params, err := encode(q.Params)
	return q.Method + string(params), err
}

// encode encodes parameters.
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

// id returns a new request id.
func (p *Pool) id() string {
	id := strconv.FormatUint(p.ids.Add(1), 10)
	if !p.config.NumericIDs {
		return `"` + id + `"`
	}
	return id
}

// exchange asks one node and decodes its answer.
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

// call makes a single call to one node.
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
	r.Body = bytes.TrimPrefix(r.Body, []byte("\ufeff")) // RFC 8259 permits ignoring a byte order mark
	return r, err
}

// envelope is a JSON-RPC response.
type envelope struct {
	ID     json.RawMessage
	Result json.RawMessage
	Error  json.RawMessage
}

// Open checks a response and returns its result. Its errors are the errors of an Attempt and
// *RPCError.
func Open(r fetch.Response, id string, now time.Time) (json.RawMessage, error) {
	return open(r, id, Question{}, now)
}

// faulty returns an error for responses that need not be decoded.
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
	case len(e.ID) == 0 && len(e.Result) == 0 && !e.failed(): // an object of another kind
		return nil, foreign(r)
	case !ours:
		return nil, because(ErrOtherID, line(message(e.Error)))
	}
	return e.result(q.Nullable)
}

// numericID returns an id without quotes, because some gateways convert numeric ids to strings.
func (e envelope) numericID() string { return strings.Trim(string(e.ID), `"`) }

func (e envelope) failed() bool { return len(e.Error) > 0 && string(e.Error) != "null" }

// Codes of errors that report a rate limit.
const (
	codeLimit   = -32005 // EIP-1474
	codeTooMany = 429
)

// refusal returns the error in a response: an *RPCError, a *LimitError, after which the node is
// paused, or, if a server returns a text in place of the error object, an ErrAnswer with the
// text. Some providers also use the code of a rate limit for a range that is too large.
func (e envelope) refusal(q Question) error {
	var refused struct {
		Code json.Number
		Data json.RawMessage
	}
	_ = json.Unmarshal(e.Error, &refused) // fields that cannot be decoded are ignored
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

// unassignedIDs reports whether id is one that servers return if they have not read the
// request.
func unassignedIDs(id json.RawMessage) bool {
	switch string(id) {
	case "", "null", "-1", `""`:
		return true
	}
	return false
}

// plain returns the content of a JSON string, and other JSON unchanged.
func plain(raw json.RawMessage) (s string) {
	if len(raw) > 0 && json.Unmarshal(raw, &s) != nil {
		return string(raw)
	}
	return s
}

// Read decodes a result. The error wraps ErrAnswer.
func Read(result json.RawMessage, into any) error {
	if err := json.Unmarshal(result, into); err != nil {
		return Unreadable(err)
	}
	return nil
}

// Unreadable returns an ErrAnswer for a result in an unexpected form. The text does not contain
// the name of a member, since it would be the name of a field of this program.
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
