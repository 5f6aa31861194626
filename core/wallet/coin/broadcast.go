package coin

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// Broadcaster is a coin that takes signed transactions.
type Broadcaster interface {
	// Broadcast gives a transaction to the coin's nodes and returns its hash. One that
	// they know already is no error. Errors are *RefusedError and ErrTransport.
	Broadcast(ctx context.Context, raw []byte) (hash string, err error)
	// Await waits for a transaction that was sent to be in a block with so many
	// confirmations, 0: as many as the coin requires. It waits until ctx ends; before
	// that it gives up when the transaction cannot get into a block any more, or failed in
	// one, which is a *RefusedError.
	Await(ctx context.Context, raw []byte, confirmations uint64) (Confirmed, error)
}

// Confirmed reports where a transaction is.
type Confirmed struct {
	Height        uint64 // of its block
	Confirmations uint64 // 1: its block is the newest
}

// maxFailures is how many times in a row the nodes may fail while a transaction is awaited.
const maxFailures = 10

// AwaitConfirmations asks for the status of a transaction at an interval until it has as
// many confirmations. Errors are those of status, and of ctx; ErrTransport is one if it
// comes too often in a row.
func AwaitConfirmations(ctx context.Context, interval time.Duration, confirmations uint64, status func(context.Context) (Confirmed, error)) (Confirmed, error) {
	ticker := time.NewTicker(interval)
	defer ticker.Stop()
	for failures := 0; ; {
		found, err := status(ctx)
		switch {
		case errors.Is(err, ErrTransport) && failures < maxFailures && ctx.Err() == nil:
			failures++
		case err != nil:
			return Confirmed{}, err
		default:
			failures = 0
			if found.Confirmations >= confirmations {
				return found, nil
			}
		}
		select {
		case <-ctx.Done():
			return Confirmed{}, ctx.Err()
		case <-ticker.C:
		}
	}
}

// RefusedError says that a chain does not take a transaction, or that it failed there.
type RefusedError struct {
	Code      uint32 // not 0; what it means depends on the space
	Codespace string
	Log       string // the chain's own words
	Hash      string
	Height    uint64 // of the block in which it failed; 0: it got into none
	Help      string // what it means, where that is known
}

func (e *RefusedError) Error() string {
	text := e.Log
	if e.Help != "" {
		text = e.Help + " (" + e.Log + ")"
	}
	if e.Height != 0 {
		return fmt.Sprintf("the transaction failed in block %d: %s", e.Height, text)
	}
	return "the chain refuses the transaction: " + text
}
