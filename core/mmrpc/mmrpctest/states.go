package mmrpctest

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// States is the content of the vector file.
type States struct {
	Passphrase string              `json:"passphrase"`  // passphrase of the node
	Keys       map[string][]string `json:"keys"`        // forms of answers, as lists of their members in order
	Table      []State             `json:"states"`      // rows of the state table for this interface
	KindsAhead []string            `json:"kinds_ahead"` // kinds of errors for areas that are not supported yet
	Sequences  []Sequence          `json:"sequences"`
}

// State is a row of the state table.
type State struct {
	Row   string `json:"row"`
	Ahead bool   `json:"ahead"` // whether its area is not supported yet
}

// Sequence is a list of steps that begins with a new node.
type Sequence struct {
	Name   string   `json:"name"`
	Node   Settings `json:"node"`
	Steps  []Vector `json:"steps"`
	states *States
}

// Settings are the differences from a default node.
type Settings struct {
	StrictParams bool `json:"strict_params"`
	Open         bool `json:"open"`          // whether other machines may call (rpc_local_only is off)
	NoPassphrase bool `json:"no_passphrase"` // whether the node has no key
	Page         bool `json:"page"`          // whether the node runs in a page, from which other nodes cannot be reached
	// Coins is the user's list of coins, or nil.
	Coins json.RawMessage `json:"coins"`
}

// Vector is a step: a request, or an action with an event stream.
type Vector struct {
	Name string `json:"name"`
	Row  string `json:"row"` // the State that it demonstrates

	Open   *uint64         `json:"open"`  // opens the event stream of this client
	Close  *uint64         `json:"close"` // closes the event stream of this client
	Next   *uint64         `json:"next"`  // waits for the next event of this client …
	Event  json.RawMessage `json:"event"` // … which must be equal to this
	Probed bool            `json:"asked"` // waits until the silent peer has been queried
	Ended  bool            `json:"ended"` // waits for the end of the node

	Method  string          `json:"method"` // method of a request in the usual envelope
	Params  json.RawMessage `json:"params"`
	ID      json.RawMessage `json:"id"`      // id of the request and of the answer
	Request json.RawMessage `json:"request"` // a different request
	Body    string          `json:"body"`    // an invalid body
	Times   int             `json:"times"`   // number of repetitions of Body
	Hex     string          `json:"hex"`     // a body in hexadecimal
	Away    bool            `json:"away"`    // whether the caller is on another machine
	Until   bool            `json:"until"`   // whether to repeat the request until the answer is as expected

	Expect
}

// Expect describes an answer. A string that begins with ~ is a regular expression for a string
// or for the text of another value.
type Expect struct {
	Status     int             `json:"status"` // 0 means 200
	Form       string          `json:"form"`   // a form in States.Keys; "" means the matching form of 2.0
	Result     json.RawMessage `json:"result"` // exact result; also used for legacy answers without a member "result"
	Text       string          `json:"error"`  // beginning of the text
	Type       string          `json:"error_type"`
	Data       json.RawMessage `json:"error_data"`
	Extra      json.RawMessage `json:"extra"`       // members of a legacy error in addition to its text
	Items      []Expect        `json:"items"`       // answers of a batch
	ID         json.RawMessage `json:"id"`          // id of an item's answer; other answers have the Vector's id
	RetryAfter bool            `json:"retry_after"` // whether the answer has a Retry-After
}

// ReadStates reads the vector file.
func ReadStates(t testing.TB, path string) *States {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	s := new(States)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	require.NoError(t, decoder.Decode(s))
	for i := range s.Sequences {
		s.Sequences[i].states = s
	}
	return s
}

// Requests returns the number of steps that are requests.
func (s Sequence) Requests() (count int) {
	for _, v := range s.Steps {
		if v.asks() {
			count++
		}
	}
	return count
}

// asks reports whether the step is a request.
func (v Vector) asks() bool {
	return v.Open == nil && v.Close == nil && v.Next == nil && !v.Probed && !v.Ended
}

// Bytes returns the request before Fill is applied, or nil if the step is not a request.
func (v Vector) Bytes() []byte {
	if !v.asks() {
		return nil
	}
	return v.body()
}

// body returns the request before Fill is applied.
func (v Vector) body() []byte {
	switch {
	case v.Hex != "":
		body, err := hex.DecodeString(v.Hex)
		if err != nil {
			panic(err) // an error in the vector file
		}
		return body
	case v.Request != nil:
		return v.Request
	case v.Method == "":
		return []byte(strings.Repeat(v.Body, max(v.Times, 1)))
	}
	body := fmt.Appendf(nil, `{"mmrpc":"2.0","userpass":%q,"method":%q`, Password, v.Method)
	if v.Params != nil {
		body = fmt.Appendf(body, `,"params":%s`, v.Params)
	}
	if v.ID != nil {
		body = fmt.Appendf(body, `,"id":%s`, v.ID)
	}
	return append(body, '}')
}

// timeout limits the time of a step that waits.
const timeout = 30 * time.Second

// Play executes the steps in order.
func (s Sequence) Play(t *testing.T, n Node) {
	t.Helper()
	streams := map[uint64]Stream{}
	defer func() {
		for _, stream := range streams {
			stream.Close()
		}
	}()
	for i, v := range s.Steps {
		name := fmt.Sprintf("step %d: %s", i, v.Name)
		switch {
		case v.Open != nil:
			streams[*v.Open] = n.Open(*v.Open)
		case v.Close != nil:
			streams[*v.Close].Close()
			delete(streams, *v.Close)
		case v.Next != nil:
			require.Empty(t, mismatch("event", v.Event, json.RawMessage(streams[*v.Next].Next())), name)
		case v.Probed:
			n.Probed()
		case v.Ended:
			n.Ended()
		default:
			s.ask(t, n, v, name)
		}
	}
}

func (s Sequence) ask(t *testing.T, n Node, v Vector, name string) {
	t.Helper()
	body := []byte(n.Fill(string(v.body())))
	for deadline := time.Now().Add(timeout); ; time.Sleep(20 * time.Millisecond) {
		answer := n.Call(v.Away, body)
		wrong := s.wrong(n, v, answer)
		if wrong == "" {
			return
		}
		if !v.Until || time.Now().After(deadline) {
			require.FailNow(t, name, "%s\nasked:    %.2000s\nanswered: %d %.4000s", wrong, body, answer.Status, answer.Body)
		}
	}
}
