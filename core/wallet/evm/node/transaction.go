package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"time"

	"obverse/core/net/nodepool"
	"obverse/core/text"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
)

// Call is the call of a transaction.
type Call struct {
	From, To address.Address
	Deploys  bool     // whether Data creates a contract; To is empty then
	Value    *big.Int // amount of the network's coin
	Data     []byte
}

// Nonce returns the number of an account's transactions in blocks, according to one node. The
// nonce of a signed transaction depends on Nonces instead.
func (p *Pool) Nonce(ctx context.Context, addr address.Address) (uint64, error) {
	return Ask[uint64](ctx, p, one("", "eth_getTransactionCount", func(result json.RawMessage) (any, int64, error) {
		n, err := nonce(result)
		return n, 0, err
	}, addr.Plain(), "latest"))
}

func nonce(result json.RawMessage) (uint64, error) {
	n, err := quantity(result, 64)
	if err != nil {
		return 0, err
	}
	return n.Uint64(), nil
}

// Nonces returns the numbers of an account's transactions in blocks, and including pending
// ones, that most nodes have. If a node does not report pending ones, its number of
// transactions in blocks is used.
func (p *Pool) Nonces(ctx context.Context, of address.Address) (coin.Counts, error) {
	type counts struct{ latest, pending uint64 }
	calls := []nodepool.Call{Request("eth_getTransactionCount", of.Plain(), "latest"), Request("eth_getTransactionCount", of.Plain(), "pending")}
	q := batch("", calls, func(o []nodepool.Outcome) (any, int64, error) {
		if o[0].Err != nil {
			return nil, 0, Refusal(o[0].Err)
		}
		latest, err := nonce(o[0].Result)
		if err != nil {
			return nil, 0, err
		}
		c := counts{latest, latest}
		if waiting := optional(o[1], nonceBits); waiting != nil {
			c.pending = max(waiting.Uint64(), latest)
		}
		return c, 0, nil
	})
	q.Nullable = true // for pending transactions
	latest := func(answer any) *big.Int { return new(big.Int).SetUint64(answer.(counts).latest) }
	pending := func(answer any) *big.Int { return new(big.Int).SetUint64(answer.(counts).pending) }
	reached, votes, alone, err := p.ReachedAlone(ctx, q, latest, pending)
	if err != nil {
		return coin.Counts{}, Failed(err)
	}
	answers := make([]string, len(votes))
	for i, v := range votes {
		answers[i] = v.URL + ": " + pending(v.Answer).String()
	}
	return coin.Counts{Spent: reached[0].Uint64(), Pending: reached[1].Uint64(), Alone: alone, Answers: strings.Join(answers, "; ")}, nil
}

// Send sends a signed transaction with a hash to one node after another until one has accepted
// it or has it already. It returns the errors of the pool; after a *nodepool.UnreachableError
// the transaction may have arrived. Send removes cached answers.
func (p *Pool) Send(ctx context.Context, raw []byte, hash [32]byte) error {
	q := one("", "eth_sendRawTransaction", func(result json.RawMessage) (any, int64, error) {
		var taken string
		err := nodepool.Read(result, &taken)
		if err == nil && !strings.EqualFold(taken, text.Hex(hash[:])) {
			err = fmt.Errorf("%w: transaction hash is %.70q, want the hash of the sent transaction", nodepool.ErrAnswer, taken)
		}
		return true, 0, err
	}, text.Hex(raw))
	q.Timeout, q.Hedge, q.Writes = 30*time.Second, 5*time.Second, true
	q.Refine = func(e *nodepool.RPCError) (any, error) {
		if isKnown(e.Message) {
			return true, nil
		}
		err := Refusal(e)
		if revert, is := err.(*RevertError); is { // another node may have another result
			return nil, &nodepool.RPCError{Code: revert.Code, Message: revert.Reason}
		}
		return nil, err
	}
	defer p.Invalidate()
	_, err := Ask[bool](ctx, p, q)
	return err
}

// isKnown reports whether an error text, of several kinds of nodes, means that the node has the
// transaction. An error about an unknown transaction type does not.
func isKnown(message string) bool {
	message = strings.ReplaceAll(strings.ToLower(message), "unknown", "")
	for _, words := range []string{"already known", "known transaction", "already imported", "already exists", "already in mempool", "alreadyknown"} {
		if strings.Contains(message, words) {
			return true
		}
	}
	return false
}

// Receipt is the result of a mined transaction.
type Receipt struct {
	Height uint64 // height of its block
	Failed bool
	// Moved reports whether the payment, if there is one, moved anything according to the
	// Transfer events of its token. Some contracts return false instead of failing, so that a
	// transaction may succeed without moving anything.
	Moved bool
}

// Payment is a payment of a token from an account.
type Payment struct{ Token, From address.Address }

// Receipt returns the result of a transaction, and of a payment in it, which may be nil,
// according to more than half of the nodes, since a user may send again after a failure, and
// relies on a payment or a cancellation that is in a block. It fails with a NotFoundError if the
// transaction is in no block, if the nodes do not agree yet, and while too few servers answer, see
// nodepool.Pool.Agree.
func (p *Pool) Receipt(ctx context.Context, hash [32]byte, pays *Payment) (Receipt, error) {
	q := one("", "eth_getTransactionReceipt", func(result json.RawMessage) (any, int64, error) {
		if string(result) == "null" {
			return nil, 0, nil
		}
		var r receiptJSON
		if err := nodepool.Read(result, &r); err != nil {
			return nil, 0, err
		}
		if !strings.EqualFold(r.TransactionHash, text.Hex(hash[:])) {
			return nil, 0, nodepool.ErrOtherID
		}
		if r.BlockNumber == "" { // the transaction is pending
			return nil, 0, nil
		}
		at, err := r.BlockNumber.Int(63)
		if err != nil {
			return nil, 0, err
		}
		return Receipt{at.Uint64(), isFailure(r.Status), pays != nil && hasMoved(r.moves(), *pays)}, 0, nil
	}, text.Hex(hash[:]))
	q.Nullable = true
	agreed := func() (got Receipt, succeeded, alone bool, err error) {
		answer, alone, err := p.Agree(ctx, "transaction "+text.Hex(hash[:]), q, nil)
		got, mined := answer.(Receipt)
		if _, late := errors.AsType[*nodepool.DisagreementError](err); late || err == nil && !mined {
			err = NotFoundError{}
		}
		return got, err == nil && !got.Failed && (pays == nil || got.Moved), alone, err
	}
	got, succeeded, alone, err := agreed()
	if succeeded && alone {
		// A success may be believed without servers that have never responded. Without this, a
		// wallet with a server that no longer exists would wait for minutes.
		q.SkipUnreached = true
		if got, succeeded, alone, err = agreed(); err == nil && !succeeded {
			alone = true
		}
	}
	if err == nil && alone {
		err = NotFoundError{}
	}
	return got, Failed(err)
}

// isFailure reports whether a receipt's status means that the transaction failed. Receipts from
// before EIP-658 have no status.
func isFailure(status Member) bool {
	n, err := status.Int(wholeBits)
	return err == nil && n.Sign() == 0
}

// Knows reports whether a node has a transaction, in a block or pending.
func (p *Pool) Knows(ctx context.Context, hash [32]byte) (bool, error) {
	q := knows(hash)
	q.Read = func(result json.RawMessage) (any, int64, error) {
		if string(result) == "null" { // another node may have it
			return nil, 0, NotFoundError{}
		}
		return true, 0, nil
	}
	_, err := Ask[bool](ctx, p, q)
	if errors.Is(err, NotFoundError{}) {
		return false, nil
	}
	return err == nil, err
}

// ErrUnsure means that too few servers say that they do not have a transaction, see
// nodepool.Pool.Agree, or that as many say that they have it.
var ErrUnsure = errors.New("too few servers say whether they have the transaction")

// MajorityKnows reports whether more than half of the nodes have a transaction. It fails with
// ErrUnsure.
func (p *Pool) MajorityKnows(ctx context.Context, hash [32]byte) (bool, error) {
	answer, alone, err := p.Agree(ctx, "transaction "+text.Hex(hash[:]), knows(hash), nil)
	if _, tie := errors.AsType[*nodepool.DisagreementError](err); tie {
		return false, ErrUnsure
	}
	known, _ := answer.(bool)
	if err == nil && alone && !known {
		return false, ErrUnsure
	}
	return known, Failed(err)
}

func knows(hash [32]byte) nodepool.Question {
	q := one("", "eth_getTransactionByHash", func(result json.RawMessage) (any, int64, error) {
		return string(result) != "null", 0, nil
	}, text.Hex(hash[:]))
	q.Nullable = true
	return q
}
