package account

import (
	"context"
	"errors"
	"fmt"

	"obverse/core/key"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/signer/device"
)

// CreationError says that a platform coin cannot be made of its entry and the request.
type CreationError struct{ Err error }

func (e *CreationError) Error() string { return e.Err.Error() }

// Unwrap gives the reason.
func (e *CreationError) Unwrap() error { return e.Err }

// created makes a family's error a *CreationError, unless it is one of a provider of keys,
// which callers see as it is, or the caller hung up.
func created(ctx context.Context, err error) error {
	var refused *key.NotAllowedError
	var wallet *key.WalletError
	switch {
	case errors.As(err, &refused), errors.As(err, &wallet), device.Is(err, device.Faults()...), errors.Is(err, key.ErrUnsupported):
		return err
	case ctx.Err() != nil && errors.Is(err, ctx.Err()):
		return err
	}
	return &CreationError{err}
}

// TokenError says that one of the coins that are activated with a platform cannot be.
type TokenError struct {
	Ticker string // as in the request
	Err    error
}

func (e *TokenError) Error() string { return "token " + e.Ticker + ": " + e.Err.Error() }

// Unwrap gives the reason.
func (e *TokenError) Unwrap() error { return e.Err }

// PlatformKindError says that a token's platform is active, and is a coin of another kind.
type PlatformKindError struct{ Platform, Token string }

func (e *PlatformKindError) Error() string {
	return fmt.Sprintf("%s is not a platform coin for token %s", e.Platform, e.Token)
}

// Unexpected says that an entry's protocol does not fit, for reasons that the protocol's
// type alone does not show. It is a *coin.UnexpectedError or a *coin.ParseError.
func Unexpected(entry *coin.Entry) error {
	protocol, err := entry.Protocol()
	if err != nil {
		return err
	}
	return &coin.UnexpectedError{Ticker: entry.Ticker, Protocol: protocol}
}

// nodesError is an error of nodes.
type nodesError struct{ error }

// Is finds coin.ErrTransport.
func (nodesError) Is(target error) bool { return target == coin.ErrTransport }

// Unwrap gives the pool's error.
func (e nodesError) Unwrap() error { return e.error }

// Failed makes an error of a pool of nodes a coin.ErrTransport: no node answered, or with
// something that cannot be used. The end of a caller's context is no failure of nodes.
func Failed(err error) error {
	var unreachable *nodepool.UnreachableError
	if err == nil || !errors.As(err, &unreachable) && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return err
	}
	return nodesError{err}
}
