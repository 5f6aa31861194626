package node

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
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

// What nodes answer that is no fault of theirs.
var (
	// ErrNotFound: the chain has no such account, channel or transaction, or this node
	// does not have it any more.
	ErrNotFound = errors.New("not found")
	// ErrNoPage: the search has no such page.
	ErrNoPage = errors.New("the search has no such page")
	// ErrNoBlock: there is no such block yet, or not any more.
	ErrNoBlock = errors.New("the nodes do not have the block")
)

// What nodes do that they should not, as causes of an Attempt.
var (
	// ErrRedirect: a redirect, which is not followed.
	ErrRedirect = errors.New("answers with a redirect, which is not followed")
	// ErrHTML: a web page.
	ErrHTML = errors.New("answers with a web page")
	// ErrAnswer: something that is not an answer of JSON-RPC to what was asked.
	ErrAnswer = errors.New("the answer cannot be used")
	// ErrOtherID: an answer to another question.
	ErrOtherID = errors.New("the answer is to another question")
	errLate    = errors.New("no answer in the time that it was given")
)

// WrongChainError says that a node is on another chain.
type WrongChainError struct{ Got, Want string }

func (e *WrongChainError) Error() string {
	return fmt.Sprintf("is on the chain %q instead of %q", clip(e.Got, 100), e.Want)
}

// StatusError is an HTTP status without an answer of JSON-RPC.
type StatusError struct {
	Status int
	Wait   time.Duration // that the server asks to be left alone, 0: it does not ask
}

func (e *StatusError) Error() string {
	if e.Wait > 0 {
		return fmt.Sprintf("HTTP status %d, and asks to be left alone for %s", e.Status, e.Wait.Round(time.Second))
	}
	return fmt.Sprintf("HTTP status %d", e.Status)
}

// RPCError is an error that a node answers with by JSON-RPC.
type RPCError struct {
	Code          int64
	Message, Data string // what is wrong is in Data mostly
}

func (e *RPCError) Error() string {
	if e.Data == "" {
		return fmt.Sprintf("%s (%d)", e.Message, e.Code)
	}
	return fmt.Sprintf("%s: %s (%d)", e.Message, e.Data, e.Code)
}

// Codes of the codespace sdk that mean the same on every chain of Cosmos SDK.
const (
	codespaceSDK        = "sdk"
	CodeUnknownRequest  = 6
	CodeInsufficientFee = 13
	codeKnownTx         = 19
	codeMempoolFull     = 20
	codeNotFound        = 22
	CodeWrongSequence   = 32
)

// QueryError is a query that the chain refuses.
type QueryError struct {
	Path      string
	Code      uint32
	Codespace string
	Log       string
	Height    int64 // of the state that was asked; may be 0
}

func (e *QueryError) Error() string {
	return fmt.Sprintf("%s (code %d of %s)", e.Log, e.Code, e.Codespace)
}

// Is finds ErrNotFound.
func (e *QueryError) Is(target error) bool {
	return target == ErrNotFound && e.Codespace == codespaceSDK && e.Code == codeNotFound
}

// CheckError is a transaction that a node does not take.
type CheckError struct {
	Hash      [32]byte
	Code      uint32
	Codespace string
	Log       string
}

func (e *CheckError) Error() string {
	return fmt.Sprintf("%s (code %d of %s)", e.Log, e.Code, e.Codespace)
}

// Attempt is a node that gave no answer.
type Attempt struct {
	URL    string `json:"url"` // without credentials and query
	Reason string `json:"reason"`
	Err    error  `json:"-"`
}

func attempt(n *node, err error, patience time.Duration) Attempt {
	reason := clip(err.Error(), 300)
	if errors.Is(err, context.DeadlineExceeded) {
		reason = fmt.Sprintf("no answer within %s", patience)
	}
	return Attempt{n.shown, reason, err}
}

// UnreachableError says that no node gave an answer.
type UnreachableError struct {
	Attempts []Attempt // each node at least once
	Cause    error     // what ended the call before its time; may be nil
}

// Error begins with Komodo DeFi Framework's sentence.
func (e *UnreachableError) Error() string {
	list := make([]string, len(e.Attempts))
	for i, a := range e.Attempts {
		list[i] = a.URL + ": " + a.Reason
	}
	return "All the current rpc nodes are unavailable. (" + strings.Join(list, "; ") + ")"
}

// Unwrap gives the causes of the attempts.
func (e *UnreachableError) Unwrap() []error {
	var causes []error
	for _, a := range e.Attempts {
		causes = append(causes, a.Err)
	}
	if e.Cause != nil {
		causes = append(causes, e.Cause)
	}
	return causes
}
