package token

import "errors"

// Reasons to refuse a transaction that spends tokens, with upstream's texts. A
// caller of the RPC never sees them there or here: the script just ends false.
var (
	ErrBadPayload    = errors.New("TokenValidate: invalid opreturn payload")
	ErrNoCreation    = errors.New("cant find token create txid")
	ErrUnbalanced    = errors.New("tokens cc inputs != cc outputs")
	ErrMarkerSpent   = errors.New("spending cc marker not supported for fungible tokens")
	ErrNoTokensSpent = errors.New("no token inputs for transfer")
)

// Validate judges a transaction with an input of eval code f2 (TokensValidate).
func (m *Transfers) Validate() error {
	switch {
	case m.Payload == nil:
		return ErrBadPayload
	case m.Payload.Func == Create:
		// A creation that spends tokens has no token id yet, so that upstream
		// does not find its creating transaction.
		return ErrNoCreation
	case !m.known:
		return ErrNoCreation
	case m.in != m.out:
		return ErrUnbalanced
	case m.byGlobal && m.burned > 0 && !m.creation.IsNFT:
		return ErrMarkerSpent
	case m.in == 0:
		return ErrNoTokensSpent
	}
	return nil
}

// Creates reports whether the transaction creates a token.
func (m *Transfers) Creates() bool { return m.Payload != nil && m.Payload.Func == Create }

// Supply is the number of tokens that a creation made.
func (m *Transfers) Supply() int64 { return m.out }
