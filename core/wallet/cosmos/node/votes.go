package node

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sort"
	"sync"
	"time"

	"obverse/core/net/nodepool"
	"obverse/core/wallet/cosmos/wire"
)

// The functions in this file query values on which transactions depend. They return the values
// of most nodes, because a lying node could cause a payment to be made twice, much later or not
// at all.

// voted returns a query to the chain's application for a vote. read gets an answer of the type
// of like, or the refusal of the node.
func voted(path string, request, like wire.Message, read func(answer wire.Message, refused *QueryError) (any, error)) nodepool.Question {
	return queryQuestion(path, wire.Encode(request), func(v Value, refused *QueryError) (any, error) {
		if refused != nil {
			return read(nil, refused)
		}
		answer, err := decodeLike(like, v.Data)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", nodepool.ErrAnswer, err)
		}
		return read(answer, nil)
	})
}

// Account is an account as most nodes know it.
type Account struct {
	Exists           bool // the other fields are set only if the account exists
	Number, Sequence uint64
	Vesting          bool   // whether it may have coins that it cannot send yet
	Ethereum         bool   // whether the address of its key is like Ethereum's
	Unknown          string // type of an account without a number; "" if the type is known
	Alone            bool   // whether too few servers answered, see nodepool.Pool.Agree
}

// Account returns an account. It returns the errors of nodepool.Poll.
func (p *Pool) Account(ctx context.Context, address string) (Account, error) {
	q := voted(wire.PathAccount, &wire.AccountRequest{Address: address}, &wire.AccountResponse{}, func(answer wire.Message, refused *QueryError) (any, error) {
		r, _ := answer.(*wire.AccountResponse)
		switch {
		case refused != nil && errors.Is(refused, ErrNotFound):
			return Account{}, nil
		case refused != nil:
			return nil, refused
		case r.Account.TypeURL == "":
			return nil, fmt.Errorf("%w: no account in the response", nodepool.ErrAnswer)
		}
		base, err := r.Base(address)
		if errors.Is(err, wire.ErrMalformed) {
			return nil, fmt.Errorf("%w: %w", nodepool.ErrAnswer, err)
		}
		a := Account{Exists: true, Number: base.Number, Sequence: base.Sequence, Vesting: r.Vesting(), Ethereum: r.EthereumKey(base)}
		if err != nil {
			a.Unknown = r.Account.TypeURL
		}
		return a, nil
	})
	flag := func(field func(Account) bool) func(any) *big.Int {
		return func(answer any) *big.Int {
			if field(answer.(Account)) {
				return big.NewInt(1)
			}
			return new(big.Int)
		}
	}
	reached, votes, alone, err := p.ReachedAlone(ctx, q,
		flag(func(a Account) bool { return a.Exists }), flag(func(a Account) bool { return a.Vesting }), flag(func(a Account) bool { return a.Ethereum }),
		flag(func(a Account) bool { return a.Unknown != "" }),
		func(answer any) *big.Int { return new(big.Int).SetUint64(answer.(Account).Number) },
		func(answer any) *big.Int { return new(big.Int).SetUint64(answer.(Account).Sequence) })
	if err != nil {
		return Account{}, err
	}
	a := Account{Exists: reached[0].Sign() > 0, Vesting: reached[1].Sign() > 0, Ethereum: reached[2].Sign() > 0, Number: reached[4].Uint64(), Sequence: reached[5].Uint64(), Alone: alone}
	if reached[3].Sign() > 0 {
		at := slices.IndexFunc(votes, func(v nodepool.Vote) bool { return v.Answer.(Account).Unknown != "" })
		a.Unknown = votes[at].Answer.(Account).Unknown
	}
	return a, nil
}

// Units returns the highest amount that more than half of the nodes have reached, or 0 if it
// does not exist. It returns the errors of nodepool.Poll.
func Units[A any](ctx context.Context, p *Pool, path string, request wire.Message, units func(*A) (*big.Int, error)) (*big.Int, error) {
	return p.units(ctx, path, request, new(A), func(answer wire.Message) (*big.Int, error) { return units(answer.(*A)) })
}

// units implements Units. like is an empty answer of the type A.
func (p *Pool) units(ctx context.Context, path string, request, like wire.Message, units func(wire.Message) (*big.Int, error)) (*big.Int, error) {
	q := voted(path, request, like, func(answer wire.Message, refused *QueryError) (any, error) {
		n := new(big.Int)
		switch {
		case refused != nil && !errors.Is(refused, ErrNotFound):
			return nil, refused
		case refused == nil:
			var err error
			if n, err = units(answer); err != nil {
				return nil, fmt.Errorf("%w: %w", nodepool.ErrAnswer, err)
			}
		}
		return n, nil
	})
	reached, _, err := p.Reached(ctx, q, func(answer any) *big.Int { return answer.(*big.Int) })
	if err != nil {
		return nil, err
	}
	return reached[0], nil
}

// VotedBalance returns the balance of an address in a denom.
func (p *Pool) VotedBalance(ctx context.Context, address, denom string) (*big.Int, error) {
	return Units(ctx, p, wire.PathBalance, &wire.BalanceRequest{Address: address, Denom: denom}, func(r *wire.BalanceResponse) (*big.Int, error) {
		if r.Balance.Denom != denom {
			return nil, fmt.Errorf("denom is %.100q, want %q", r.Balance.Denom, denom)
		}
		return r.Balance.Units()
	})
}

// Vote returns the value that more than half of the nodes return. It fails with ErrNotFound if
// they report that it does not exist, and with the errors of nodepool.Pool.Agree.
func Vote[A any, T comparable](ctx context.Context, p *Pool, about, path string, request wire.Message, of func(*A) (T, error)) (T, error) {
	got, err := p.vote(ctx, about, path, request, new(A), func(answer wire.Message) (any, error) { return of(answer.(*A)) })
	value, _ := got.(T)
	return value, err
}

// vote implements Vote. like is an empty answer of the type A.
func (p *Pool) vote(ctx context.Context, about, path string, request, like wire.Message, of func(wire.Message) (any, error)) (any, error) {
	type said struct {
		value any
		found bool
	}
	q := voted(path, request, like, func(answer wire.Message, refused *QueryError) (any, error) {
		if refused != nil && errors.Is(refused, ErrNotFound) {
			return said{}, nil
		}
		if refused != nil {
			return nil, refused
		}
		value, err := of(answer)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", nodepool.ErrAnswer, err)
		}
		return said{value, true}, nil
	})
	answer, _, err := p.Agree(ctx, about, q, nil)
	got, _ := answer.(said)
	if err == nil && !got.found {
		err = fmt.Errorf("%s: %w", about, ErrNotFound)
	}
	return got.value, err
}

// Newest returns the height and the time of the newest block, and reports whether too few
// servers answered, see nodepool.Pool.Agree. It fails with ErrHeight if the height is
// implausible, because a transaction would be valid until that height.
func (p *Pool) Newest(ctx context.Context) (height int64, at time.Time, alone bool, err error) {
	reached, _, alone, err := p.ReachedAlone(ctx, statusQuestion(), func(answer any) *big.Int { return big.NewInt(answer.(Status).Height) },
		func(answer any) *big.Int { return big.NewInt(answer.(Status).Time.UnixNano()) })
	if err != nil {
		return 0, time.Time{}, false, err
	}
	height = reached[0].Int64()
	return height, time.Unix(0, reached[1].Int64()).UTC(), alone, p.highest.check(height, p.config.Now(), p.config.Block)
}

// ErrAlone is nodepool.ErrAlone.
var ErrAlone = nodepool.ErrAlone

// ErrHeight means that the nodes report more blocks than the chain can have.
var ErrHeight = errors.New("implausible height")

// highest is the last height that most nodes had.
type highest struct {
	mu      sync.Mutex
	height  int64
	at      time.Time // zero means never
	doubted time.Time // time at which a height was first implausible since then; zero means never
}

const (
	// A chain makes blocks at most blockFactor times as fast as its entry says. The time
	// between two blocks in the entry is limited to maxBlock, and up to lateBlocks late blocks
	// may come at once.
	blockFactor, maxBlock, lateBlocks = 4, 10 * time.Second, 1000
	// maxHeight is more than the number of blocks in ten years with ten blocks per second.
	maxHeight = 1 << 32
	// doubtTime is how long a height is rejected only because of the previous one, which may
	// have been wrong.
	doubtTime = time.Minute
)

// check compares a height with the clock and with the previous height.
func (h *highest) check(height int64, now time.Time, block time.Duration) error {
	if block == 0 {
		block = time.Second
	}
	block = min(max(block, time.Millisecond), maxBlock)
	h.mu.Lock()
	defer h.mu.Unlock()
	limit := int64(maxHeight)
	if !h.at.IsZero() {
		limit = min(limit, h.height+int64(max(now.Sub(h.at), 0)/block)*blockFactor+lateBlocks)
	}
	if height > limit {
		if h.doubted.IsZero() {
			h.doubted = now
		}
		if height > maxHeight || now.Sub(h.doubted) < doubtTime {
			return fmt.Errorf("%w: the nodes are at block %d, and the chain can be at %d", ErrHeight, height, limit)
		}
	}
	h.height, h.at, h.doubted = height, now, time.Time{}
	return nil
}

// Simulation is the result that most nodes agree on for a transaction that was not sent.
type Simulation struct {
	Gas     uint64
	Refused *QueryError // nil means that the chain would accept it
	// Sequence is the sequence that more than half of the nodes expect, if the transaction is
	// rejected because of its sequence; otherwise it is nil.
	Sequence *uint64
}

// Simulate asks all nodes to simulate a transaction. The function expected parses the expected
// sequence from the log of a refusal. Simulate returns the errors of nodepool.Poll.
func (p *Pool) Simulate(ctx context.Context, raw []byte, expected func(log string) (uint64, bool)) (Simulation, error) {
	q := voted(wire.PathSimulate, &wire.SimulateRequest{Tx: raw}, &wire.SimulateResponse{}, func(answer wire.Message, refused *QueryError) (any, error) {
		r, _ := answer.(*wire.SimulateResponse)
		switch {
		case refused != nil && refused.UnknownPath():
			return nil, refused
		case refused != nil:
			return Simulation{Refused: refused}, nil
		case r.Gas.Used == 0:
			return nil, fmt.Errorf("%w: the transaction uses no gas", nodepool.ErrAnswer)
		}
		return Simulation{Gas: r.Gas.Used}, nil
	})
	votes, err := p.Poll(ctx, q, func(votes []nodepool.Vote, missing int) bool {
		first := votes[0].Answer.(Simulation)
		same := !slices.ContainsFunc(votes, func(v nodepool.Vote) bool { return !first.same(v.Answer.(Simulation)) })
		return same && 2*len(votes) > len(votes)+missing
	})
	if err != nil {
		return Simulation{}, err
	}
	return decide(votes, expected), nil
}

func (s Simulation) same(o Simulation) bool {
	if s.Refused == nil || o.Refused == nil {
		return s.Refused == o.Refused && s.Gas == o.Gas
	}
	return s.Refused.Code == o.Refused.Code && s.Refused.Codespace == o.Refused.Codespace && s.Refused.Log == o.Refused.Log
}

// decide counts the votes on a simulation. The gas is the highest value that is needed by more
// than half of the nodes that simulated it.
func decide(votes []nodepool.Vote, expected func(log string) (uint64, bool)) Simulation {
	var gas, sequences []uint64
	var refusals []Simulation
	for _, v := range votes {
		s := v.Answer.(Simulation)
		if s.Refused == nil {
			gas = append(gas, s.Gas)
			continue
		}
		refusals = append(refusals, s)
		if sequence, is := expected(s.Refused.Log); is {
			sequences = append(sequences, sequence)
		}
	}
	more := len(votes)/2 + 1 // more than half
	if len(refusals) < more {
		sort.Slice(gas, func(i, j int) bool { return gas[i] < gas[j] })
		return Simulation{Gas: gas[len(gas)-1-len(gas)/2]}
	}
	if len(sequences) >= more {
		sort.Slice(sequences, func(i, j int) bool { return sequences[i] < sequences[j] })
		sequence := sequences[len(sequences)-more]
		at := slices.IndexFunc(refusals, func(s Simulation) bool { got, is := expected(s.Refused.Log); return is && got == sequence })
		return Simulation{Refused: refusals[at].Refused, Sequence: &sequence}
	}
	usual, best := refusals[0], 0
	for _, s := range refusals {
		n := 0
		for _, o := range refusals {
			if s.same(o) {
				n++
			}
		}
		if n > best {
			usual, best = s, n
		}
	}
	return usual
}
