package tx

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"obverse/core/key"
	"obverse/core/net/nodepool"
	"obverse/core/task/handover"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/wire"
)

// lookupTimeout limits the search for a transaction that a wallet sent, since the wallet uses
// other nodes than the coin.
const lookupTimeout = 10 * time.Second

// MaybeSent is the end of the text of an error after which a wallet may have sent a
// transaction.
const MaybeSent = "; the transaction may have been sent, or will be when the wallet's user agrees: look there before anything is sent again"

// Unsure adds MaybeSent to errors of wallets after which the transaction may have been sent,
// because the wallet did not answer, or because its error does not exclude this.
func Unsure(err error) error {
	var wallet *key.WalletError
	if errors.As(err, &wallet) && slices.Contains([]key.WalletFault{key.WalletTimeout, key.WalletGone, key.WalletFailed}, wallet.Fault) {
		return &key.WalletError{Fault: wallet.Fault, Text: wallet.Text + MaybeSent}
	}
	return err
}

// sendWith sends a transaction with a wallet that sends.
func (w *Wallet) sendWith(ctx context.Context, wallet Sender, from sender, t transfer) (coin.Transaction, error) {
	d, err := w.draft(ctx, from, t)
	if err == nil && !t.send {
		err = coin.ErrSends
	}
	if err != nil {
		return coin.Transaction{}, err
	}
	hash, found, err := w.sendOutside(ctx, wallet, from.address, d.Transaction)
	if err != nil {
		return coin.Transaction{}, err
	}
	if len(found.Raw) > 0 {
		d.Transaction = found.Transaction
	}
	return w.result(from.address, t, d, hash, found.Raw), nil
}

// sendOutside sends a transaction with a wallet that sends. found is empty if no node has the
// transaction yet, which is not an error.
func (w *Wallet) sendOutside(ctx context.Context, wallet Sender, from address.Address, t wire.Transaction) (hash [32]byte, found node.Found, err error) {
	counts, err := w.Node.Nonces(ctx, from)
	if err != nil {
		return hash, found, err
	}
	// The wallet keeps the request and sends the transaction when its user agrees, even if the
	// caller is gone.
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
	errEarlierTransaction   = errors.New("the wallet returned a transaction that was confirmed before the request")
)

// checkSent checks that the wallet sent the requested transaction, except for the fee and the
// nonce, which the wallet may choose. A nonce below next was used before the request, so that
// the transaction is an earlier one with the same content.
func checkSent(f node.Found, from address.Address, t wire.Transaction, next uint64) error {
	different := errDifferentTransaction
	if f.From == from && f.ChainID == t.ChainID && f.To == t.To && f.Deploys == t.Deploys && f.Value.Cmp(t.Value) == 0 && bytes.Equal(f.Data, t.Data) {
		if f.Nonce >= next {
			return nil
		}
		different = errEarlierTransaction
	}
	return fmt.Errorf("%w: %w, %s: check that transaction before you send again", coin.ErrSigning, different, nameOf(wire.Hash(f.Raw)))
}

// Broadcast sends a signed transaction. It returns the errors of coin.Broadcaster, and a
// *coin.InvalidError for an invalid transaction or one of another network.
func (w *Wallet) Broadcast(ctx context.Context, raw []byte) (string, error) {
	name := nameOf(wire.Hash(raw))
	sent, err := wire.Decode(raw)
	if err != nil {
		return name, invalid(coin.FieldRaw, err)
	}
	if sent.ChainID != nil && (!sent.ChainID.IsUint64() || sent.ChainID.Uint64() != w.ChainID) {
		return name, invalidf(coin.FieldRaw, "it is for the network with the chain id %s, and %s is on %d", sent.ChainID, w.Native.Ticker, w.ChainID)
	}
	signed := coin.Numbered{Transaction: coin.Transaction{Raw: raw, Hash: name}, Number: sent.Nonce}
	_, err = w.Queue.Execute(ctx, w.named(sent.From), false, func(context.Context) (coin.Numbered, error) { return signed, nil }, w.submit)
	return name, err
}

// submit sends a transaction to the nodes.
func (w *Wallet) submit(ctx context.Context, n coin.Numbered) error {
	hash := wire.Hash(n.Raw)
	err := w.Node.Send(ctx, n.Raw, hash)
	var refused *coin.RefusedError
	if errors.As(err, &refused) {
		refused.Hash = n.Hash
	}
	if err != nil && ctx.Err() == nil {
		// The transaction may be in a block already, for which each kind of node has its own
		// error text, or a node accepted it and its response was lost.
		known, problem := w.Node.MajorityKnows(ctx, hash)
		if problem == nil && known {
			return nil
		}
		if refused != nil {
			refused.Doubted = problem != nil
		}
	}
	return err
}

const defaultPoll = time.Second

// poll returns the interval of status queries.
func (w *Wallet) poll() time.Duration { return cmp.Or(w.Poll, defaultPoll) }

// Codes of a *coin.RefusedError with the codespace CodespaceEVM.
const (
	CodespaceEVM = "evm"
	CodeReverted = 1 // the transaction failed in its block
	CodeReplaced = 2 // another transaction of the account has its nonce
	CodeNotMoved = 3 // the transaction is in a block, but its token transferred nothing
)

const errNotMoved = "the contract of the token logged no transfer from the account, so that the token moved nothing; compare the balance before you send again"

// Await implements coin.Broadcaster.
func (w *Wallet) Await(ctx context.Context, raw []byte, confirmations uint64) (coin.Confirmed, error) {
	if confirmations == 0 {
		confirmations = max(w.Confirmations, 1)
	}
	sent, err := wire.Decode(raw)
	if err != nil {
		return coin.Confirmed{}, invalid(coin.FieldRaw, err)
	}
	a := pendingTransaction{w, sent, wire.Hash(raw)}
	return coin.AwaitConfirmations(ctx, w.poll(), confirmations, a.status)
}

// pendingTransaction is a transaction for which Await waits.
type pendingTransaction struct {
	*Wallet
	sent wire.Sent
	hash [32]byte
}

// status returns the number of confirmations of the transaction, which is 0 while it is pending.
func (a pendingTransaction) status(ctx context.Context) (coin.Confirmed, error) {
	done, err := a.Node.Nonce(ctx, a.sent.From) // queried first, so that the receipt below is at least as new
	if err != nil {
		return coin.Confirmed{}, err
	}
	pays := node.PaymentIn(a.sent)
	receipt, err := a.Node.Receipt(ctx, a.hash, pays)
	if errors.Is(err, node.NotFoundError{}) {
		if done > a.sent.Nonce {
			return a.replaced(ctx)
		}
		return coin.Confirmed{}, nil
	}
	if err != nil {
		return coin.Confirmed{}, err
	}
	if receipt.Failed {
		return coin.Confirmed{}, a.refused(CodeReverted, "execution reverted", receipt.Height)
	}
	if pays != nil && !receipt.Moved {
		return coin.Confirmed{}, a.refused(CodeNotMoved, errNotMoved, receipt.Height)
	}
	newest, err := a.Node.AgreedHeight(ctx)
	if errors.Is(err, nodepool.ErrAlone) {
		newest, err = 0, nil
	}
	where := coin.Confirmed{Height: receipt.Height, Confirmations: 1}
	if newest > receipt.Height {
		where.Confirmations += newest - receipt.Height
	}
	return where, err
}

// replaced handles a transaction without a receipt and with a used nonce. The node may know the
// newest block, but not its transactions yet.
func (a pendingTransaction) replaced(ctx context.Context) (coin.Confirmed, error) {
	known, err := a.Node.Knows(ctx, a.hash)
	if err != nil || known {
		return coin.Confirmed{}, err
	}
	counts, err := a.Node.Nonces(ctx, a.sent.From) // the answer of one node is not sufficient to send again
	if err != nil || counts.Spent <= a.sent.Nonce || counts.Alone {
		return coin.Confirmed{}, err
	}
	return coin.Confirmed{}, a.refused(CodeReplaced, "replaced by another transaction of the account", 0)
}

func (a pendingTransaction) refused(code uint32, log string, height uint64) error {
	return &coin.RefusedError{Code: code, Codespace: CodespaceEVM, Log: log, Hash: nameOf(a.hash), Height: height}
}
