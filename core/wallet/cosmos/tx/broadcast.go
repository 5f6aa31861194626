package tx

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/wire"
)

// Broadcast implements coin.Broadcaster.
func (w *Wallet) Broadcast(ctx context.Context, raw []byte) (string, error) {
	account, sequence := w.author(raw)
	turn, err := w.Queue.Take(ctx, account)
	if err != nil {
		return Hash(raw), err
	}
	defer turn.End()
	return Hash(raw), w.submit(ctx, turn, account, sequence, raw)
}

// broadcast is one attempt to give a transaction to the nodes.
func (w *Wallet) broadcast(ctx context.Context, raw []byte) error {
	hash := Hash(raw)
	verdict, err := w.Node.Broadcast(ctx, raw)
	switch {
	case errors.Is(err, ErrKnown):
		return nil
	case err != nil:
		return err
	case verdict.Code == 0, verdict.Codespace == codespace && verdict.Code == codeInMempool:
		return nil
	}
	if verdict.Codespace == codespace && (verdict.Code == codeSequence || verdict.Code == codeUnauthorized) {
		// So does a transaction fare that is in a block already, after the node forgot it.
		found, err := w.Node.Find(ctx, hash, true)
		if err == nil {
			return w.Chain.inBlock(found, hash)
		}
	}
	return w.Chain.refused(verdict, hash, 0)
}

// inBlock is the error of a transaction that failed in its block, or nil.
func (c Chain) inBlock(found Found, hash string) error {
	if found.Code == 0 {
		return nil
	}
	return c.refused(found.Verdict, hash, found.Height)
}

const (
	defaultPoll = time.Second
	// indexLag is how many blocks a node may be late in finding a transaction.
	indexLag = 2
	// resendInterval is how often a transaction that is awaited is given to the nodes again: one
	// that accepted it alone may have dropped it.
	resendInterval = 15 * time.Second
)

// Await implements coin.Broadcaster.
func (w *Wallet) Await(ctx context.Context, raw []byte, confirmations uint64) (coin.Confirmed, error) {
	if confirmations == 0 {
		confirmations = max(w.Confirmations, 1)
	}
	a := pendingTransaction{w, Hash(raw), lastBlock(raw)}
	poll, looks := cmp.Or(w.Poll, defaultPoll), time.Duration(0)
	return coin.AwaitConfirmations(ctx, poll, confirmations, func(ctx context.Context) (coin.Confirmed, error) {
		found, err := a.status(ctx)
		if errors.Is(err, ErrNotFound) {
			if looks++; looks*poll >= resendInterval {
				_, _ = w.Node.Broadcast(ctx, raw) // nodes that have it refuse it
				looks = 0
			}
			return coin.Confirmed{}, nil
		}
		return found, err
	})
}

// lastBlock is the last one that may take a transaction; 0: any.
func lastBlock(raw []byte) uint64 {
	var t wire.Tx
	var body wire.TxBody
	if wire.Decode(raw, &t) != nil || wire.Decode(t.Body, &body) != nil {
		return 0
	}
	return body.TimeoutHeight
}

// pendingTransaction is a transaction that is waited for.
type pendingTransaction struct {
	*Wallet
	hash string
	last uint64
}

// status reports where the transaction is, or ErrNotFound as long as it may come.
func (a pendingTransaction) status(ctx context.Context) (coin.Confirmed, error) {
	newest, err := a.Node.Newest(ctx) // first, so that what is looked for then may be in it
	if err != nil {
		return coin.Confirmed{}, err
	}
	late := a.last != 0 && newest.Height > a.last+indexLag && !newest.Alone
	found, err := a.Node.Find(ctx, a.hash, late)
	if errors.Is(err, ErrAlone) {
		return coin.Confirmed{}, ErrNotFound
	}
	if late && errors.Is(err, ErrNotFound) {
		log := fmt.Sprintf("block height: %d, timeout height: %d", newest.Height, a.last)
		return coin.Confirmed{}, a.Chain.refused(Verdict{codeTimeoutHeight, codespace, log}, a.hash, 0)
	}
	if err == nil {
		err = a.Chain.inBlock(found, a.hash)
	}
	if err != nil {
		return coin.Confirmed{}, err
	}
	where := coin.Confirmed{Height: found.Height, Confirmations: 1}
	if newest.Height > found.Height {
		where.Confirmations += newest.Height - found.Height
	}
	return where, nil
}
