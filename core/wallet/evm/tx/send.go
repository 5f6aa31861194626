package tx

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"time"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/wire"
)

// Broadcast sends a signed transaction. Its errors are those of coin.Broadcaster and, for
// what is no transaction of the network, a *coin.InvalidError.
func (w *Wallet) Broadcast(ctx context.Context, raw []byte) (string, error) {
	hash := wire.Hash(raw)
	name := hex.EncodeToString(hash[:])
	sent, err := wire.Decode(raw)
	if err != nil {
		return name, invalid(coin.FieldRaw, err)
	}
	if sent.ChainID != nil && (!sent.ChainID.IsUint64() || sent.ChainID.Uint64() != w.ChainID) {
		return name, invalidf(coin.FieldRaw, "it is for the network with the chain id %s, and %s is on %d", sent.ChainID, w.Native.Ticker, w.ChainID)
	}
	turn, err := w.Queue.Take(ctx, w.named(sent.From))
	if err != nil {
		return name, err
	}
	defer turn.End()
	return name, w.submit(ctx, turn, sent.Nonce, raw)
}

// submit sends a transaction to the nodes. The caller holds the account's turn.
func (w *Wallet) submit(ctx context.Context, turn coin.Turn, nonce uint64, raw []byte) error {
	hash := wire.Hash(raw)
	return turn.Submit(ctx, nonce, nameOf(hash), raw, func(ctx context.Context) error {
		err := w.Node.Send(ctx, raw, hash)
		var refused *coin.RefusedError
		if errors.As(err, &refused) {
			refused.Hash = nameOf(hash)
		}
		if err != nil && ctx.Err() == nil {
			// It may be in a block already, for which each node software has its own error text,
			// or a node accepted it and its answer was lost.
			if known, problem := w.Node.MostKnow(ctx, hash); problem == nil && known {
				err = nil
			}
		}
		return err
	})
}

const defaultPoll = time.Second

// poll is the interval of status queries.
func (w *Wallet) poll() time.Duration { return cmp.Or(w.Poll, defaultPoll) }

// Codes of a *coin.RefusedError whose codespace is CodespaceEVM.
const (
	CodespaceEVM = "evm"
	CodeReverted = 1 // it failed in its block
	CodeReplaced = 2 // another one of the account has its nonce
	CodeNotMoved = 3 // it is in a block, and the token that it pays moved nothing
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

// pendingTransaction is a transaction that Await waits for.
type pendingTransaction struct {
	*Wallet
	sent wire.Sent
	hash [32]byte
}

// status returns the transaction's confirmations: none while it is pending.
func (a pendingTransaction) status(ctx context.Context) (coin.Confirmed, error) {
	done, err := a.Node.Nonce(ctx, a.sent.From) // first, so that the receipt asked for next is at least as new
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
	where := coin.Confirmed{Height: receipt.Height, Confirmations: 1}
	if newest > receipt.Height {
		where.Confirmations += newest - receipt.Height
	}
	return where, err
}

// replaced handles a transaction without receipt whose nonce is used. The node may know the
// newest block, but not yet its transactions.
func (a pendingTransaction) replaced(ctx context.Context) (coin.Confirmed, error) {
	known, err := a.Node.Knows(ctx, a.hash)
	if err != nil || known {
		return coin.Confirmed{}, err
	}
	counts, err := a.Node.Nonces(ctx, a.sent.From) // one node's word is not enough to send again
	if err != nil || counts.Spent <= a.sent.Nonce || counts.Alone {
		return coin.Confirmed{}, err
	}
	return coin.Confirmed{}, a.refused(CodeReplaced, "replaced by another transaction of the account", 0)
}

func (a pendingTransaction) refused(code uint32, log string, height uint64) error {
	return &coin.RefusedError{Code: code, Codespace: CodespaceEVM, Log: log, Hash: hex.EncodeToString(a.hash[:]), Height: height}
}
