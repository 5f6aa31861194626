package walletconnect

import (
	"errors"
	"fmt"

	"obverse/core/wallet/signer/walletconnect/wire"
)

// Errors of sessions. Test for them with errors.Is.
var (
	// ErrNoSession means that no session has the topic, or that it has ended.
	ErrNoSession = errors.New("no session with a wallet")
	// ErrDeleted means that the session was deleted here during a request.
	ErrDeleted = errors.New("the session was deleted")
	// ErrDisconnected means that the wallet ended the session.
	ErrDisconnected = errors.New("the wallet ended the session")
	// ErrExpired means that the session has expired.
	ErrExpired = errors.New("the session has expired")
	// ErrRejected means that the wallet's user rejected the request.
	ErrRejected = errors.New("rejected in the wallet")
	// ErrUnsupported means that the wallet does not support the request.
	ErrUnsupported = errors.New("not supported by the wallet")
	// ErrTimeout means that the wallet did not answer in time.
	ErrTimeout = errors.New("the wallet did not answer in time")
	// ErrAnswer means that the wallet's response is invalid.
	ErrAnswer = errors.New("invalid answer of the wallet")
	// ErrSwitched means that the wallet signed with another account than the requested one. It
	// matches ErrAnswer.
	ErrSwitched = fmt.Errorf("%w: another account signed", ErrAnswer)
	// ErrBusy means that there are too many sessions or requests.
	ErrBusy = errors.New("too many at a time")
)

// errOtherController reports a settlement by another key than the one that approved the
// proposal.
var errOtherController = errors.New("controller is not the key that approved the proposal")

// WalletError is the error response of a wallet. It matches ErrRejected, ErrUnsupported, or
// neither.
type WalletError struct {
	Code int64
	Text string // the wallet's message
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

// Error codes of the specification that this client sends. From a wallet, 5000 to 5003 and
// EIP-1193's 4001 mean that the user rejected, and 5100 to 5104, 4200 and 4902 that the request
// is unsupported.
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
