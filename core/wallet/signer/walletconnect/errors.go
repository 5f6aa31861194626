package walletconnect

import (
	"context"
	"errors"
	"fmt"

	"obverse/core/key"
	"obverse/core/wallet/signer/walletconnect/relay"
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

// Error codes of the specification that this client sends. In responses of wallets, 5000 to
// 5003 and EIP-1193's 4001 mean that the user rejected the request, and 5100 to 5104, 4200 and
// 4902 mean that the request is not supported.
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

// Fault converts an error of a Manager to a *key.WalletError, whose text explains to the user how to
// continue. Errors of contexts and of None are returned unchanged.
func Fault(err error) error {
	var already *key.WalletError
	if err == nil || errors.As(err, &already) || errors.Is(err, key.ErrUnsupported) || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	const again = ": pair the wallet again (wc_new_connection), and activate the coin with the topic of the new session"
	fault, advice := key.WalletFailed, ""
	switch {
	case errors.Is(err, ErrNoSession):
		fault, advice = key.WalletNotFound, ": it expired, was deleted or never existed"+again
	case errors.Is(err, ErrDeleted), errors.Is(err, ErrDisconnected), errors.Is(err, ErrExpired):
		fault, advice = key.WalletGone, again
	case errors.Is(err, wire.ErrNoChain):
		fault, advice = key.WalletWrongChain, ": pair the wallet again, with this chain (wc_new_connection)"
	case errors.Is(err, wire.ErrNotInSession):
		fault, advice = key.WalletRefused, ": pair the wallet again, with this method (wc_new_connection)"
	case errors.Is(err, ErrSwitched):
		fault = key.WalletSwitched
	case errors.Is(err, ErrRejected):
		fault = key.WalletRefused
	case errors.Is(err, ErrTimeout), errors.Is(err, relay.ErrUnanswered):
		fault = key.WalletTimeout
	}
	return key.NewWalletError(string(fault), "WalletConnect: "+err.Error()+advice)
}

// maxOutcomes is the maximum number of outcomes of proposals that are remembered.
const maxOutcomes = 64

// outcome is the result of a proposal. It is set once done is closed.
type outcome struct {
	done    chan struct{}
	session string // topic of the session
	err     error
}

// outcomes holds the latest outcomes by pairing topic. The Manager's lock must be held.
type outcomes struct {
	byTopic map[string]*outcome
	order   []string
}

// wait returns the outcome of a proposal, which may be pending. It returns false if the
// proposal is neither remembered nor open.
func (o *outcomes) wait(topic string, open bool) (*outcome, bool) {
	if found := o.byTopic[topic]; found != nil || !open {
		return found, found != nil
	}
	return o.add(topic), true
}

func (o *outcomes) add(topic string) *outcome {
	if o.byTopic == nil {
		o.byTopic = map[string]*outcome{}
	}
	if len(o.order) >= maxOutcomes {
		o.forget()
	}
	found := &outcome{done: make(chan struct{})}
	o.byTopic[topic], o.order = found, append(o.order, topic)
	return found
}

// forget removes the oldest outcome without waiters. One exists, since maxOutcomes is greater
// than the limit of open proposals.
func (o *outcomes) forget() {
	for n, topic := range o.order {
		select {
		case <-o.byTopic[topic].done:
			delete(o.byTopic, topic)
			o.order = append(o.order[:n], o.order[n+1:]...)
			return
		default:
		}
	}
}

// set sets the outcome of a proposal. Later calls have no effect.
func (o *outcomes) set(topic string, came outcome) {
	found := o.byTopic[topic]
	if found == nil {
		found = o.add(topic)
	}
	select {
	case <-found.done:
	default:
		found.session, found.err = came.session, came.err
		close(found.done)
	}
}
