package node

import (
	"errors"
	"fmt"
	"strings"
)

// Answers of nodes that are not failures of the nodes.
var (
	// ErrNotFound means that an account, a channel or a transaction does not exist, or that the
	// node does not have it any more.
	ErrNotFound = errors.New("not found")
	// ErrNoPage means that a search has no such page.
	ErrNoPage = errors.New("the search has no such page")
	// ErrNoBlock means that a block does not exist yet, or that the nodes do not have it any
	// more.
	ErrNoBlock = errors.New("the nodes do not have the block")
)

// Codes of the codespace sdk that have the same meaning on all chains of the Cosmos SDK.
const (
	codespaceSDK       = "sdk"
	codeUnknownRequest = 6
	codeKnownTx        = 19
	codeMempoolFull    = 20
	codeTxTooLarge     = 21
	codeNotFound       = 22
)

// QueryError reports that the chain rejected a query.
type QueryError struct {
	Path      string
	Code      uint32
	Codespace string
	Log       string
	Height    int64 // height of the queried state; may be 0
}

func (e *QueryError) Error() string {
	return fmt.Sprintf("%s (code %d of %s)", e.Log, e.Code, e.Codespace)
}

// Is reports whether target is ErrNotFound and the error is its code.
func (e *QueryError) Is(target error) bool {
	return target == ErrNotFound && e.Codespace == codespaceSDK && e.Code == codeNotFound
}

// UnknownPath reports whether a node does not know the query. Some chains use the same code for
// errors of a simulated transaction.
func (e *QueryError) UnknownPath() bool {
	return e.Codespace == codespaceSDK && e.Code == codeUnknownRequest && strings.Contains(e.Log, "unknown query path")
}

// Final implements nodepool.Verdict. It returns false, since errors of a node's state have the
// same codes as errors of a query, and since a single node could report falsely that something
// does not exist.
func (*QueryError) Final() bool { return false }

// CheckError reports that a node rejected a transaction.
type CheckError struct {
	Hash      [32]byte
	Code      uint32
	Codespace string
	Log       string
}

func (e *CheckError) Error() string {
	return fmt.Sprintf("%s (code %d of %s)", e.Log, e.Code, e.Codespace)
}

// Final implements nodepool.Verdict. It returns false, since the answer may depend on the
// node's settings, the size of its mempool and its newest block, and the node may lie.
func (*CheckError) Final() bool { return false }
