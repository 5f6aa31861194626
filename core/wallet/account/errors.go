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

// CreationError means that a platform coin cannot be made from its entry and the request.
type CreationError struct{ Err error }

func (e *CreationError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *CreationError) Unwrap() error { return e.Err }

// created wraps a family's error in a *CreationError, unless it is one of a provider of keys or the
// caller disconnected.
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

// TokenError means that a coin cannot be activated together with a platform.
type TokenError struct {
	Ticker string // as in the request
	Err    error
}

func (e *TokenError) Error() string { return "token " + e.Ticker + ": " + e.Err.Error() }

// Unwrap returns the reason.
func (e *TokenError) Unwrap() error { return e.Err }

// PlatformKindError means that a token's platform is active, and is a coin of another family.
type PlatformKindError struct{ Platform, Token string }

func (e *PlatformKindError) Error() string {
	return fmt.Sprintf("%s is not a platform coin for token %s", e.Platform, e.Token)
}

// nodesError is an error of nodes.
type nodesError struct{ error }

// Is reports whether target is coin.ErrTransport.
func (nodesError) Is(target error) bool { return target == coin.ErrTransport }

// Unwrap returns the pool's error.
func (e nodesError) Unwrap() error { return e.error }

// Failed makes an error of a pool of nodes a coin.ErrTransport: no node gave a usable answer. The
// end of a caller's context is not a failure of nodes and is returned unchanged.
func Failed(err error) error {
	var unreachable *nodepool.UnreachableError
	if err == nil || !errors.As(err, &unreachable) && (errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)) {
		return err
	}
	return nodesError{err}
}
