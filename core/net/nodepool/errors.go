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
	// ErrNoNodes reports an empty list of nodes. The text is that of Komodo DeFi Framework.
	ErrNoNodes = errors.New("EmptyRpcUrls")
	// ErrTooManyNodes reports more than MaxNodes nodes.
	ErrTooManyNodes = fmt.Errorf("more than %d nodes", MaxNodes)
	// ErrNoIdentity reports that a node is behind a gateway but there is no identity with which
	// to sign.
	ErrNoIdentity = errors.New("a node behind a gateway proxy needs an identity to sign with")
)

// Faults of nodes, as causes of an Attempt.
var (
	// ErrRedirect reports a redirect, which is not followed.
	ErrRedirect = errors.New("responds with a redirect, which is not followed")
	// ErrHTML reports that the response is a web page.
	ErrHTML = errors.New("responds with an HTML page")
	// ErrAnswer reports a response that is not a JSON-RPC response to the request.
	ErrAnswer = errors.New("invalid response")
	// ErrOtherID reports a response to another request.
	ErrOtherID = errors.New("response id does not match the request")
	errLate    = errors.New("timed out")
)

// WrongChainError reports that a node is on another chain.
type WrongChainError struct{ Got, Want string }

func (e *WrongChainError) Error() string {
	return fmt.Sprintf("chain id is %q, want %q", text.Clip(e.Got, 100), e.Want)
}

// StatusError reports an HTTP status without a JSON-RPC response.
type StatusError struct {
	Status int
	Wait   time.Duration // pause that the server requests; 0 if it requests none
	Text   string        // text of the server; may be ""
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

// LimitError reports that a server refused a request because of a rate limit. It contains the
// server's text.
type LimitError struct{ Text string }

func (e *LimitError) Error() string {
	if e.Text == "" {
		return "request limit reached"
	}
	return e.Text
}

// RPCError is a JSON-RPC error in a node's response.
type RPCError struct {
	Code          int64
	Message, Data string // most nodes put the reason into Data
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

// Final implements Verdict. It returns false because the error depends on the configuration and
// the state of a node.
func (*RPCError) Final() bool { return false }

// Verdict is an error that a node returned as its answer, so the node is not faulty. Packages
// for specific chains define further verdicts.
type Verdict interface {
	error
	// Final reports whether every node would return the same error.
	Final() bool
}

// final reports whether asking another node after this answer would be pointless.
func final(err error) bool {
	var v Verdict
	return err == nil || errors.As(err, &v) && v.Final()
}

// isAnswer reports whether err is an error that a node returned as its answer.
func isAnswer(err error) bool {
	var v Verdict
	return errors.As(err, &v)
}

// Attempt describes a node that did not answer.
type Attempt struct {
	URL    string `json:"url"` // without credentials and query
	Reason string `json:"reason"`
	Err    error  `json:"-"`
}

// NewAttempt returns an Attempt for a node that did not answer within the timeout.
func NewAttempt(at Endpoint, err error, timeout time.Duration) Attempt {
	reason := text.Clip(err.Error(), 300)
	if errors.Is(err, context.DeadlineExceeded) {
		reason = fmt.Sprintf("timed out after %s", timeout)
	}
	return Attempt{at.Label, reason, err}
}

// UnreachableError reports that no node answered.
type UnreachableError struct {
	Attempts []Attempt // at least one attempt for each node
	Cause    error     // reason why the call ended early; may be nil
}

// Down reports whether no node could be reached at all.
func (e *UnreachableError) Down() bool {
	return !slices.ContainsFunc(e.Attempts, func(a Attempt) bool { return !errors.Is(a.Err, fetch.ErrUnreachable) })
}

// Error returns a text that begins like that of Komodo DeFi Framework.
func (e *UnreachableError) Error() string {
	list := make([]string, len(e.Attempts))
	for i, a := range e.Attempts {
		list[i] = a.URL + ": " + a.Reason
	}
	return "All the current rpc nodes are unavailable. (" + strings.Join(list, "; ") + ")"
}

// Unwrap returns the causes of the attempts. If one node refused a write that another node may
// have executed, the refusal is not included, since the outcome is unknown.
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
