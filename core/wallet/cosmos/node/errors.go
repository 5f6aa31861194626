package node

import (
	"errors"
	"fmt"
	"strings"
)

// What nodes answer that is no fault of theirs.
var (
	// ErrNotFound: account not found on the chain, channel or transaction, or this node
	// does not have it any more.
	ErrNotFound = errors.New("not found")
	// ErrNoPage: the search has no such page.
	ErrNoPage = errors.New("the search has no such page")
	// ErrNoBlock: there is no such block yet, or not any more.
	ErrNoBlock = errors.New("the nodes do not have the block")
)

// Codes of the codespace sdk that mean the same on every chain of Cosmos SDK.
const (
	codespaceSDK       = "sdk"
	codeUnknownRequest = 6
	codeKnownTx        = 19
	codeMempoolFull    = 20
	codeTxTooLarge     = 21
	codeNotFound       = 22
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

// UnknownPath reports whether a node does not know the query. Some chains have the same code
// for what is wrong with a transaction that is simulated.
func (e *QueryError) UnknownPath() bool {
	return e.Codespace == codespaceSDK && e.Code == codeUnknownRequest && strings.Contains(e.Log, "unknown query path")
}

// Final implements nodepool.Verdict. What is wrong with a node's state comes with the
// same codes as what is wrong with a question, and one node alone could say that nothing is there.
func (*QueryError) Final() bool { return false }

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

// Final implements nodepool.Verdict: whether a node takes a transaction may depend on
// how it is set up, how full it is, and whether it has the newest block, and it may lie.
func (*CheckError) Final() bool { return false }
