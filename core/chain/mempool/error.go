package mempool

import (
	"errors"
	"fmt"

	"obverse/core/chain/consensus"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
	"obverse/core/store"
)

// Codes of sendrawtransaction (rpc/protocol.h).
const (
	CodeDecode   = -22
	CodeFailed   = -25 // a failure without a reject code
	CodeRejected = -26 // the message starts with a reject code
	CodeInChain  = -27
)

// Error is a refusal of Accept, with the code and message of sendrawtransaction. errors.As
// finds its cause: a *consensus.Rejection or a *script.Rejection.
type Error struct {
	Code    int
	Message string // may be empty, as in komodod for nonstandard inputs
	verdict error
}

// Error returns code and message.
func (e *Error) Error() string {
	return fmt.Sprintf("transaction is refused: %d: %s", e.Code, e.Message)
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.verdict }

// UnclearError reports that a transaction may have been sent, because it is in the pool or on
// the disk, but the store did not confirm that it is durable.
type UnclearError struct {
	ID  wire.Hash
	Err error // error of the store, or of the context
}

// Error says when the client can find out whether the transaction has been sent.
func (e *UnclearError) Error() string {
	when := "look for it"
	if errors.Is(e.Err, store.ErrFailed) {
		when = "look for it after a restart of the node"
	}
	return fmt.Sprintf("transaction %v may have been sent: %v; %s before you send again", e.ID, e.Err, when)
}

// Unwrap returns the cause.
func (e *UnclearError) Unwrap() error { return e.Err }

// Refusals with a constant code and message, for errors.Is.
var (
	ErrDecode            = &Error{Code: CodeDecode, Message: "TX decode failed"}
	ErrInChain           = &Error{Code: CodeInChain, Message: "transaction already in block chain"}
	ErrMissingInputs     = &Error{Code: CodeFailed, Message: "Missing inputs"}
	ErrNonstandardInputs = &Error{Code: CodeFailed}
)

// Rejections of the mempool, in addition to those of package consensus.
var (
	ErrCoinbase      = &consensus.Rejection{Code: consensus.RejectInvalid, Reason: "coinbase"}
	ErrConflict      = &consensus.Rejection{Code: consensus.RejectInvalid, Reason: "mempool conflict"}
	ErrInputsSpent   = &consensus.Rejection{Code: consensus.RejectDuplicate, Reason: "bad-txns-inputs-spent"}
	ErrNonFinal      = nonstandard("non-final")
	ErrManySigOps    = nonstandard("bad-txns-too-many-sigops")
	ErrTxVersion     = nonstandard("version")
	ErrTxOverwinter  = nonstandard("overwinter-version")
	ErrTxSapling     = nonstandard("sapling-version")
	ErrScriptSigSize = nonstandard("scriptsig-size")
	ErrNotPushOnly   = nonstandard("scriptsig-not-pushonly")
	ErrScriptPubKey  = nonstandard("scriptpubkey")
	ErrDust          = nonstandard("dust")
	ErrMultiOpReturn = nonstandard("multi-op-return")
)

func nonstandard(reason string) *consensus.Rejection {
	return &consensus.Rejection{Code: consensus.RejectNonstandard, Reason: reason}
}

// Refusals that do not exist in komodod.
var (
	// ErrFull reports that the pool is full. Its transactions have been acknowledged, so only a
	// block makes room.
	ErrFull = errors.New("mempool full")
	// ErrUnsettled reports that the chain changed during every attempt to validate the
	// transaction. The client may send it again.
	ErrUnsettled = errors.New("the chain changes too often")
)

// refusal converts a rejection to an *Error. It returns other errors, such as those of the
// store and the context, unchanged.
func refusal(err error) error {
	var refused *Error
	var rejected *consensus.Rejection
	var failed *script.Rejection
	switch {
	case err == nil || errors.As(err, &refused):
		return err
	case errors.As(err, &rejected):
		return &Error{CodeRejected, rejected.Error(), err}
	case errors.As(err, &failed):
		return &Error{CodeRejected, fmt.Sprintf("%d: %s", failed.Code(), failed.Error()), err}
	}
	return err
}

func isRefusal(err error) bool {
	var refused *Error
	return errors.As(refusal(err), &refused)
}

// absurdFee returns komodod's refusal of a fee that suggests a forgotten change output.
func absurdFee(id wire.Hash, fee, limit int64) *Error {
	message := fmt.Sprintf("AcceptToMemoryPool: absurdly high fees %v, %d > %d", id, fee, limit)
	return &Error{Code: CodeFailed, Message: message}
}

func full(what string, limit int) *Error {
	message := fmt.Sprintf("%d: mempool full: it may hold %d %s", consensus.RejectInsufficientFee, limit, what)
	return &Error{CodeRejected, message, ErrFull}
}
