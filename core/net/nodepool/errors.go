package nodepool

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"obverse/core/net/fetch"
	"obverse/core/text"
)

// Errors of New.
var (
	// ErrNoNodes: the list of nodes is empty. Komodo DeFi Framework calls it so.
	ErrNoNodes = errors.New("EmptyRpcUrls")
	// ErrTooManyNodes: more than MaxNodes.
	ErrTooManyNodes = fmt.Errorf("more than %d nodes", MaxNodes)
	// ErrNoIdentity: a node is behind a gateway and there is no identity to sign with.
	ErrNoIdentity = errors.New("a node behind a gateway proxy needs an identity to sign with")
)

// What nodes do that they should not, as causes of an Attempt.
var (
	// ErrRedirect: a redirect, which is not followed.
	ErrRedirect = errors.New("responds with a redirect, which is not followed")
	// ErrHTML: a web page.
	ErrHTML = errors.New("responds with an HTML page")
	// ErrAnswer: something that is not an answer of JSON-RPC to what was asked.
	ErrAnswer = errors.New("invalid response")
	// ErrOtherID: an answer to another question.
	ErrOtherID = errors.New("response id does not match the request")
	errLate    = errors.New("timed out")
)

// WrongChainError says that a node is on another chain.
type WrongChainError struct{ Got, Want string }

func (e *WrongChainError) Error() string {
	return fmt.Sprintf("chain id is %q, want %q", text.Clip(e.Got, 100), e.Want)
}

// StatusError is an HTTP status without an answer of JSON-RPC.
type StatusError struct {
	Status int
	Wait   time.Duration // for which the node is not asked, since the server wishes it; 0: it does not
	Text   string        // words of the server; may be ""
}

func (e *StatusError) Error() string {
	text := fmt.Sprintf("HTTP status %d", e.Status)
	if e.Text != "" {
		text += ": " + e.Text
	}
	if e.Wait > 0 {
		text += ", retry after " + e.Wait.Round(time.Second).String()
	}
	return text
}

// LimitError says in a server's words that it refuses because of a limit on requests.
type LimitError struct{ Text string }

func (e *LimitError) Error() string {
	if e.Text == "" {
		return "request limit reached"
	}
	return e.Text
}

// RPCError is an error that a node answers with by JSON-RPC.
type RPCError struct {
	Code          int64
	Message, Data string // nodes mostly put the reason into Data
}

func (e *RPCError) Error() string {
	text := e.Message
	if e.Data != "" {
		text += ": " + e.Data
	}
	if e.Code != 0 {
		text += fmt.Sprintf(" (%d)", e.Code)
	}
	return text
}

// Final implements Verdict: it depends on how a node is set up and what it knows.
func (*RPCError) Final() bool { return false }

// Verdict is an error that a node gives as its answer: the node is well. Those who know
// what a chain's nodes answer make more of them.
type Verdict interface {
	error
	// Final reports whether another node would say the same.
	Final() bool
}

// final reports whether asking another node, after this answer, is in vain.
func final(err error) bool {
	var v Verdict
	return err == nil || errors.As(err, &v) && v.Final()
}

// isAnswer reports whether err is an error that a node gives as its answer.
func isAnswer(err error) bool {
	var v Verdict
	return errors.As(err, &v)
}

// Attempt is a node that gave no answer.
type Attempt struct {
	URL    string `json:"url"` // without credentials and query
	Reason string `json:"reason"`
	Err    error  `json:"-"`
}

// NewAttempt says why a node gave no answer that it had so much time for.
func NewAttempt(at Endpoint, err error, timeout time.Duration) Attempt {
	reason := text.Clip(err.Error(), 300)
	if errors.Is(err, context.DeadlineExceeded) {
		reason = fmt.Sprintf("timed out after %s", timeout)
	}
	return Attempt{at.Label, reason, err}
}

// UnreachableError says that no node gave an answer.
type UnreachableError struct {
	Attempts []Attempt // each node at least once
	Cause    error     // what ended the call before its time; may be nil
}

// Down reports whether no node could be reached, whatever it is asked.
func (e *UnreachableError) Down() bool {
	return !slices.ContainsFunc(e.Attempts, func(a Attempt) bool { return !errors.Is(a.Err, fetch.ErrUnreachable) })
}

// Error begins with Komodo DeFi Framework's sentence.
func (e *UnreachableError) Error() string {
	list := make([]string, len(e.Attempts))
	for i, a := range e.Attempts {
		list[i] = a.URL + ": " + a.Reason
	}
	return "All the current rpc nodes are unavailable. (" + strings.Join(list, "; ") + ")"
}

// Unwrap returns the causes of the attempts. The refusal of a write by one node is not among
// them if another node may have executed the write: the question was not answered.
func (e *UnreachableError) Unwrap() []error {
	var causes []error
	for _, a := range e.Attempts {
		if !isAnswer(a.Err) {
			causes = append(causes, a.Err)
		}
	}
	if e.Cause != nil {
		causes = append(causes, e.Cause)
	}
	return causes
}
