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

// States is the file of vectors.
type States struct {
	Passphrase string              `json:"passphrase"`  // the node's
	Keys       map[string][]string `json:"keys"`        // forms of answers: their members in order
	Table      []State             `json:"states"`      // the spec's rows for this interface
	KindsAhead []string            `json:"kinds_ahead"` // error kinds raised by areas to come
	Sequences  []Sequence          `json:"sequences"`
}

// State is a row of the spec's state table.
type State struct {
	Row   string `json:"row"`
	Ahead bool   `json:"ahead"` // its area is to come
}

// Sequence is a story that begins with a new node.
type Sequence struct {
	Name   string   `json:"name"`
	Node   Settings `json:"node"`
	Steps  []Vector `json:"steps"`
	states *States
}

// Settings are how the node differs from a default one.
type Settings struct {
	StrictParams bool `json:"strict_params"`
	Open         bool `json:"open"`          // other machines may call: rpc_local_only is off
	NoPassphrase bool `json:"no_passphrase"` // it has no key
	Page         bool `json:"page"`          // it is one that runs in a page: no other nodes can be reached
	// Coins is the user's list of coins; nil: none.
	Coins json.RawMessage `json:"coins"`
}

// Vector is one step: a request, or something with an event stream.
type Vector struct {
	Name string `json:"name"`
	Row  string `json:"row"` // the State that it shows

	Open   *uint64         `json:"open"`  // open the event stream of this client
	Close  *uint64         `json:"close"` // close it
	Next   *uint64         `json:"next"`  // wait for its next event …
	Event  json.RawMessage `json:"event"` // … which is this
	Probed bool            `json:"asked"` // wait until the silent peer is asked
	Ended  bool            `json:"ended"` // wait for the node's end

	Method  string          `json:"method"` // a request in the usual envelope
	Params  json.RawMessage `json:"params"`
	ID      json.RawMessage `json:"id"`      // of the request and of the answer
	Request json.RawMessage `json:"request"` // any other request
	Body    string          `json:"body"`    // or an invalid body,
	Times   int             `json:"times"`   // so often,
	Hex     string          `json:"hex"`     // or in hexadecimal
	Away    bool            `json:"away"`    // from another machine
	Until   bool            `json:"until"`   // again and again until the answer is this

	Expect
}

// Expect describes an answer. A string that begins with ~ is a regular
// expression, for a string or for the text of any other value.
type Expect struct {
	Status     int             `json:"status"` // 0: 200
	Form       string          `json:"form"`   // of States.Keys; "": the one of 2.0 that fits
	Result     json.RawMessage `json:"result"` // exactly; also of old answers without a member of that name
	Text       string          `json:"error"`  // its beginning
	Type       string          `json:"error_type"`
	Data       json.RawMessage `json:"error_data"`
	Extra      json.RawMessage `json:"extra"`       // members of an old error next to its text
	Items      []Expect        `json:"items"`       // of a batch
	ID         json.RawMessage `json:"id"`          // of an item's answer; a Vector has its own
	RetryAfter bool            `json:"retry_after"` // the answer says for how long
}

// ReadStates reads the file.
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

// Requests counts the vectors that are requests.
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

// Bytes returns the request as it is sent, before Fill, or nil if the step is not a request.
func (v Vector) Bytes() []byte {
	if !v.asks() {
		return nil
	}
	return v.body()
}

// body is the request as it is sent, before Fill.
func (v Vector) body() []byte {
	switch {
	case v.Hex != "":
		body, err := hex.DecodeString(v.Hex)
		if err != nil {
			panic(err) // a mistake in the file
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

// timeout is how long a step may take that waits.
const timeout = 30 * time.Second

// Play takes the steps one after the other.
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
