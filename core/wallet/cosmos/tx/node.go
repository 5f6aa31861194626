package tx

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"time"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/wire"
)

// Node queries the nodes of a chain to make and send transactions. Most nodes agree on each result.
// Errors of nodes wrap coin.ErrTransport.
type Node interface {
	// Account returns the number and the sequence of an address. It fails with ErrNoAccount for an
	// address that never held coins.
	Account(ctx context.Context, address string) (Account, error)
	// Balance returns the spendable units of a denom of an address.
	Balance(ctx context.Context, address, denom string) (*big.Int, error)
	// Newest returns the newest block.
	Newest(ctx context.Context) (Block, error)
	// Simulate returns the gas that a transaction would use. It fails with ErrNoSimulation when no
	// node can simulate, and with an *AnswerError when the chain would refuse the transaction.
	Simulate(ctx context.Context, raw []byte) (gas uint64, err error)
	// Channel returns a channel of the port "transfer". It fails with ErrNoChannel.
	Channel(ctx context.Context, id string) (wire.Channel, error)
	// ChannelClient returns the light client of a channel.
	ChannelClient(ctx context.Context, id string) (wire.IdentifiedClient, error)
	// ClientStatus returns a status such as wire.ClientActive, or "" if no node knows it.
	ClientStatus(ctx context.Context, id string) (string, error)
	// Broadcast sends a transaction to the nodes, which check it. It fails with ErrKnown when they
	// have it already.
	Broadcast(ctx context.Context, raw []byte) (Verdict, error)
	// Find returns a transaction that is in a block according to most nodes. It fails with
	// ErrNotFound, for which the answer of one node is sufficient unless sure is set. Find
	// fails with ErrAlone if too few servers say what became of the transaction, while others do
	// not answer.
	Find(ctx context.Context, hash string, sure bool) (Found, error)
}

// Answers that are not failures of a node.
var (
	ErrNoAccount    = errors.New("account not found on the chain")
	ErrNoChannel    = errors.New("channel not found on the chain")
	ErrNoSimulation = errors.New("no node can simulate transactions")
	ErrKnown        = errors.New("the node knows the transaction")
	ErrNotFound     = errors.New("the transaction is in no block")
	ErrAlone        = errors.New("too few servers say what became of the transaction")
)

// Account is the state of an account.
type Account struct {
	Number, Sequence uint64
	Alone            bool // whether too few servers answered
}

// Block is a block of the chain.
type Block struct {
	Height uint64
	Time   time.Time
	Alone  bool // whether too few servers answered
}

// Verdict is the result of a transaction on a chain. Code 0 is success.
type Verdict struct {
	Code           uint32
	Codespace, Log string
}

// Found is a transaction in a block.
type Found struct {
	Verdict
	Height uint64
}

// AnswerError is an error that a chain returned.
type AnswerError struct {
	Verdict
	// Sequence is the sequence that most nodes expect instead of the transaction's; nil means unknown.
	Sequence *uint64
}

func (e *AnswerError) Error() string {
	return fmt.Sprintf("the chain answers with code %d of %s: %s", e.Code, e.Codespace, e.Log)
}

// A chain accepts an account's transactions only in the order of their sequences. A node
// includes pending transactions when it checks the sequence, but a query for the account
// returns the state after the last block.

// Expected parses the sequence that a node expects in a log such as "account sequence mismatch,
// expected 27, got 21: incorrect account sequence".
func Expected(log string) (sequence uint64, ok bool) {
	_, rest, found := strings.Cut(log, "account sequence mismatch, expected ")
	digits, _, ends := strings.Cut(rest, ",")
	sequence, err := strconv.ParseUint(digits, 10, 64)
	return sequence, found && ends && err == nil
}

// named returns the name of an account in the send queue.
func (w *Wallet) named(address string) string { return w.Chain.ID + " " + address }

// author returns the first signer of a transaction, by its name in the send queue, and the
// sequence. A transaction that cannot be decoded gets a queue of its own.
func (w *Wallet) author(raw []byte) (account string, sequence uint64) {
	var t wire.Tx
	var auth wire.AuthInfo
	var public wire.PubKey
	if wire.Decode(raw, &t) == nil && wire.Decode(t.AuthInfo, &auth) == nil && len(auth.Signers) > 0 &&
		wire.Decode(auth.Signers[0].PubKey.Value, &public) == nil && len(public.Key) == 33 {
		if signer, err := address.FromKey(w.Chain.Prefix, [33]byte(public.Key)); err == nil {
			return w.named(signer.String()), auth.Signers[0].Sequence
		}
	}
	return w.named(Hash(raw)), 0
}

// Limits of retries while nodes lack earlier transactions of the account.
const (
	maxSubmissions = 5
	resubmitDelay  = time.Second
)

// submit returns a function that sends a transaction of an account to the nodes.
func (w *Wallet) submit(account string) func(context.Context, coin.Numbered) error {
	return func(ctx context.Context, n coin.Numbered) error {
		for tries := 1; ; tries++ {
			err := w.broadcast(ctx, n.Raw)
			if err == nil || tries == maxSubmissions || !w.isEarly(err, account, n.Number) {
				return err
			}
			select {
			case <-ctx.Done():
				return err
			case <-time.After(resubmitDelay):
			}
		}
	}
}

// isEarly reports whether a node lacks an earlier transaction that was sent a moment ago.
func (w *Wallet) isEarly(err error, account string, sequence uint64) bool {
	var refused *coin.RefusedError
	if !errors.As(err, &refused) || refused.Codespace != codespace || refused.Code != codeSequence {
		return false
	}
	wanted, ok := Expected(refused.Log)
	return ok && wanted < sequence && w.Queue.After(account, wanted) == sequence
}
