package walletconnect

import (
	"errors"
	"fmt"

	"obverse/core/wallet/walletconnect/wire"
)

// Errors of sessions, to be tested with errors.Is.
var (
	// ErrNoSession: the topic names no session, or its session has ended.
	ErrNoSession = errors.New("no session with a wallet")
	// ErrDeleted: the session was deleted here while the wallet was asked.
	ErrDeleted = errors.New("the session was deleted")
	// ErrDisconnected: the wallet ended the session.
	ErrDisconnected = errors.New("the wallet ended the session")
	// ErrExpired: the session's time is over.
	ErrExpired = errors.New("the session has expired")
	// ErrRejected: the wallet's user said no.
	ErrRejected = errors.New("rejected in the wallet")
	// ErrUnsupported: the wallet cannot do this.
	ErrUnsupported = errors.New("not supported by the wallet")
	// ErrTimeout: the wallet did not answer in time.
	ErrTimeout = errors.New("the wallet did not answer in time")
	// ErrAnswer: what the wallet sent is not an answer to what it was asked.
	ErrAnswer = errors.New("invalid answer of the wallet")
	// ErrSwitched: another account signed than the one that was asked. It is an ErrAnswer.
	ErrSwitched = fmt.Errorf("%w: another account signed", ErrAnswer)
	// ErrBusy: too many sessions or requests.
	ErrBusy = errors.New("too many at a time")
)

// errOtherController refuses a settlement by another key than the approval's.
var errOtherController = errors.New("controller is not the key that approved the proposal")

// WalletError is what a wallet answers instead of a result. It is ErrRejected,
// ErrUnsupported, or neither.
type WalletError struct {
	Code int64
	Text string // the wallet's own words
}

func (e *WalletError) Error() string {
	if errors.Is(e, ErrRejected) {
		return fmt.Sprintf("%v: code %d, %s", ErrRejected, e.Code, e.Text)
	}
	return fmt.Sprintf("the wallet answered with code %d: %s", e.Code, e.Text)
}

// Is implements errors.Is.
func (e *WalletError) Is(target error) bool {
	switch target {
	case ErrRejected:
		return e.Code == 4001 || e.Code >= 5000 && e.Code < 5100
	case ErrUnsupported:
		return e.Code >= 5100 && e.Code < 5200 || e.Code == 4200 || e.Code == 4902 || e.Code == -32601
	}
	return false
}

// Codes of the specification that this end sends. Those of a wallet that are a user's no
// are 5000 to 5003 and EIP-1193's 4001; 5100 to 5104, 4200 and 4902 say that it cannot.
const (
	codeInvalidUpdate = 1003
	codeInvalidExtend = 1004
	codeInvalidSettle = 1005
	codeUnauthorized  = 3001
	codeBadEvent      = 3002
	codeDisconnected  = 6000
	codeUnsupported   = 10001
)

func walletError(e *wire.Error) *WalletError { return &WalletError{e.Code, e.Message} }
