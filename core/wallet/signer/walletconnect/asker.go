package walletconnect

import (
	"context"
	"encoding/json"

	"obverse/core/key"
)

// Asker is the part of a Manager that requests signatures from a wallet.
type Asker interface {
	Session(topic string) (Session, error)
	Request(ctx context.Context, topic, chain, method string, params any) (json.RawMessage, error)
}

var _ Asker = (*Manager)(nil)

// SessionOf returns the session that a policy names. Its errors are key.WalletErrors.
func SessionOf(a Asker, p key.Policy) (Session, error) {
	wallet, is := p.(key.SessionWallet)
	if !is {
		return Session{}, &key.NotAllowedError{Policy: p.Name(), Have: []key.PolicyName{key.NameSessionWallet}}
	}
	s, err := a.Session(wallet.Topic)
	return s, Fault(err)
}

// None is the Asker of a node that cannot have sessions. Its text is the reason. Its errors
// match key.ErrUnsupported.
type None string

// Session implements Asker.
func (n None) Session(string) (Session, error) { return Session{}, n }

// Request implements Asker.
func (n None) Request(context.Context, string, string, string, any) (json.RawMessage, error) {
	return nil, n
}

func (n None) Error() string {
	return string(key.NameSessionWallet) + " is not available on this node: " + string(n)
}

// Is implements errors.Is.
func (None) Is(target error) bool { return target == key.ErrUnsupported }
