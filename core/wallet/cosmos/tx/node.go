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

// Node is what making and sending transactions asks the nodes of a chain. Answers are what
// most nodes say. Failures of nodes, and what they refuse to tell, wrap
// coin.ErrTransport.
type Node interface {
	// Account tells the number and the sequence of an address. It fails with ErrNoAccount
	// for one that never held anything.
	Account(ctx context.Context, address string) (Account, error)
	// Balance is how many units of a denom an address can spend.
	Balance(ctx context.Context, address, denom string) (*big.Int, error)
	// Newest is the newest block.
	Newest(ctx context.Context) (Block, error)
	// Simulate reports how much gas a transaction would use. It fails with ErrNoSimulation
	// when no node can tell, and with an *AnswerError when the chain would not take it.
	Simulate(ctx context.Context, raw []byte) (gas uint64, err error)
	// Channel finds a channel of the port "transfer", or fails with ErrNoChannel.
	Channel(ctx context.Context, id string) (wire.Channel, error)
	// ChannelClient finds the light client that a channel goes by.
	ChannelClient(ctx context.Context, id string) (wire.IdentifiedClient, error)
	// ClientStatus is wire.ClientActive, …; "" when no node can tell.
	ClientStatus(ctx context.Context, id string) (string, error)
	// Broadcast gives a transaction to the nodes, which check it. It fails with ErrKnown
	// when they have it already.
	Broadcast(ctx context.Context, raw []byte) (Verdict, error)
	// Find finds a transaction in the blocks, or fails with ErrNotFound. What is found is what
	// most nodes say; that it is not there is, unless sure, what any of them says. It fails with ErrAlone
	// if one server alone says that it is not there, or failed, while others are silent.
	Find(ctx context.Context, hash string, sure bool) (Found, error)
}

// Answers that are no failure of a node.
var (
	ErrNoAccount    = errors.New("account not found on the chain")
	ErrNoChannel    = errors.New("channel not found on the chain")
	ErrNoSimulation = errors.New("no node can simulate transactions")
	ErrKnown        = errors.New("the node knows the transaction")
	ErrNotFound     = errors.New("the transaction is in no block")
	ErrAlone        = errors.New("one server alone says what became of the transaction")
)

// Account is the state of an account.
type Account struct {
	Number, Sequence uint64
	Alone            bool // it is the word of one server while others are silent
}

// Block is a block of the chain.
type Block struct {
	Height uint64
	Time   time.Time
	Alone  bool // it is the word of one server while others are silent
}

// Verdict is what a chain says of a transaction. Code 0 is good.
type Verdict struct {
	Code           uint32
	Codespace, Log string
}

// Found is a transaction in a block.
type Found struct {
	Verdict
	Height uint64
}

// AnswerError is an answer of a chain that says no.
type AnswerError struct {
	Verdict
	// Sequence is the one that most nodes expect instead of the transaction's; nil: they do not.
	Sequence *uint64
}

func (e *AnswerError) Error() string {
	return fmt.Sprintf("the chain answers with code %d of %s: %s", e.Code, e.Codespace, e.Log)
}

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
