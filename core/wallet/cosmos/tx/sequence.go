package tx

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/wire"
)

// A chain takes an account's transactions in the order of their sequences only, and a node
// checks that with those that it knows to wait for a block: what it tells of the account
// is the state of the last block.

// Expected reads the sequence that a node wants, of "account sequence mismatch, expected
// 27, got 21: incorrect account sequence" with other words around it.
func Expected(log string) (sequence uint64, ok bool) {
	_, rest, found := strings.Cut(log, "account sequence mismatch, expected ")
	digits, _, ends := strings.Cut(rest, ",")
	sequence, err := strconv.ParseUint(digits, 10, 64)
	return sequence, found && ends && err == nil
}

// named is an account as the send queue knows it.
func (w *Wallet) named(address string) string { return w.Chain.ID + " " + address }

// author returns a transaction's first signer, as named in the send queue, and the sequence.
// An unreadable transaction gets a queue of its own.
func (w *Wallet) author(raw []byte) (account string, sequence uint64) {
	var t wire.Tx
	var auth wire.AuthInfo
	var public wire.PubKey
	if wire.Decode(raw, &t) == nil && wire.Decode(t.AuthInfo, &auth) == nil && len(auth.Signers) > 0 &&
		wire.Decode(auth.Signers[0].PubKey.Value, &public) == nil && len(public.Key) == 33 {
		if of, err := address.OfKey(w.Chain.Prefix, [33]byte(public.Key)); err == nil {
			return w.named(of.String()), auth.Signers[0].Sequence
		}
	}
	return w.named(Hash(raw)), 0
}

// Retries while nodes lack the account's transactions before this one.
const (
	maxSubmissions = 5
	resubmitDelay  = time.Second
)

// submit sends a transaction to the nodes. The caller holds the account's turn.
func (w *Wallet) submit(ctx context.Context, turn coin.Turn, account string, sequence uint64, raw []byte) error {
	return turn.Submit(ctx, sequence, Hash(raw), raw, func(ctx context.Context) error {
		for tries := 1; ; tries++ {
			err := w.broadcast(ctx, raw)
			if err == nil || tries == maxSubmissions || !w.isEarly(err, account, sequence) {
				return err
			}
			select {
			case <-ctx.Done():
				return err
			case <-time.After(resubmitDelay):
			}
		}
	})
}

// isEarly reports whether a node lacks a transaction that was sent just before.
func (w *Wallet) isEarly(err error, account string, sequence uint64) bool {
	var refused *coin.RefusedError
	if !errors.As(err, &refused) || refused.Codespace != codespace || refused.Code != codeSequence {
		return false
	}
	wanted, ok := Expected(refused.Log)
	return ok && wanted < sequence && w.Queue.After(account, wanted) == sequence
}
