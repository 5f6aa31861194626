package tx

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"obverse/core/key"
	"obverse/core/task/handover"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/wire"
)

// lookupTimeout is how long to look for a transaction that a wallet sent: the wallet uses
// other nodes than the coin.
const lookupTimeout = 10 * time.Second

// MaybeSent completes the text of an error after which a wallet may have sent a transaction.
const MaybeSent = "; the transaction may have been sent, or will be when the wallet's user agrees: look there before anything is sent again"

// Unsure adds MaybeSent to the errors of wallets after which it is so.
func Unsure(err error) error {
	var wallet *key.WalletError
	if errors.As(err, &wallet) && (wallet.Fault == key.WalletTimeout || wallet.Fault == key.WalletGone) {
		return &key.WalletError{Fault: wallet.Fault, Text: wallet.Text + MaybeSent}
	}
	return err
}

// sendWith lets a wallet send the transaction.
func (p *plan) sendWith(ctx context.Context, wallet Sender) (coin.Transaction, error) {
	t := p.transaction()
	hash, found, err := p.sendOutside(ctx, wallet, p.from, t)
	if err != nil {
		return coin.Transaction{}, err
	}
	if len(found.Raw) > 0 {
		t = found.Transaction
	}
	return p.result(t, hash, found.Raw), nil
}

// sendOutside lets a wallet send a transaction. found is empty if no node has it yet; it
// counts as sent all the same.
func (w *Wallet) sendOutside(ctx context.Context, wallet Sender, from address.Address, t wire.Transaction) (hash [32]byte, found node.Found, err error) {
	counts, err := w.Node.Nonces(ctx, from)
	if err != nil {
		return hash, found, err
	}
	// The wallet keeps the request, and sends when its user agrees, even if the caller is gone.
	if err := handover.Begin(ctx, "a wallet was asked to send a transaction, and its user can refuse it there"); err != nil {
		return hash, found, err
	}
	if hash, err = wallet.SendTransaction(ctx, t); err != nil {
		return hash, found, err
	}
	found = w.findSent(ctx, hash)
	if len(found.Raw) > 0 {
		err = checkSent(found, from, t, counts.Spent)
	}
	return hash, found, err
}

// findSent looks for a transaction that a wallet sent.
func (w *Wallet) findSent(ctx context.Context, hash [32]byte) (found node.Found) {
	ctx, cancel := context.WithTimeout(ctx, lookupTimeout)
	defer cancel()
	poll := time.NewTicker(w.poll())
	defer poll.Stop()
	for {
		if found, err := w.Node.Transaction(ctx, hash); err == nil {
			return found
		}
		select {
		case <-ctx.Done():
			return node.Found{}
		case <-poll.C:
		}
	}
}

var (
	errDifferentTransaction = errors.New("the wallet sent a different transaction")
	errEarlierTransaction   = errors.New("the wallet names a transaction that was confirmed before it was asked")
)

// checkSent checks that the wallet sent what was asked; it may choose fee and nonce. Nonces
// below next were used when it was asked: one of an earlier, equal transfer is no new one.
func checkSent(f node.Found, from address.Address, t wire.Transaction, next uint64) error {
	different := errDifferentTransaction
	if f.From == from && f.ChainID == t.ChainID && f.To == t.To && f.Deploys == t.Deploys && f.Value.Cmp(t.Value) == 0 && bytes.Equal(f.Data, t.Data) {
		if f.Nonce >= next {
			return nil
		}
		different = errEarlierTransaction
	}
	hash := wire.Hash(f.Raw)
	return fmt.Errorf("%w: %w, %s: check that transaction before you send again", coin.ErrSigning, different, hex.EncodeToString(hash[:]))
}
