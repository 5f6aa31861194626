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

// This file asks for what transactions depend on: what most nodes say, since one that lies
// could have a payment made twice, for ever or not at all.

// voted asks the chain's application for what is voted on. read is given an answer of the kind of
// like, or the refusal with which the node answers.
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
	Exists           bool // the others are about one that does
	Number, Sequence uint64
	Vesting          bool   // it may own coins that it cannot send yet
	Ethereum         bool   // its key has an address as on Ethereum
	Unknown          string // kind of an account that has no number; "": it is known
	Alone            bool   // it is the word of one server, see nodepool.Pool.Agree
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
			return nil, fmt.Errorf("%w: it has no account", nodepool.ErrAnswer)
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

// Units asks for an amount: the highest that more than half of the nodes have reached, and 0
// of what is not there. It returns the errors of nodepool.Poll.
func Units[A any](ctx context.Context, p *Pool, path string, request wire.Message, units func(*A) (*big.Int, error)) (*big.Int, error) {
	return p.units(ctx, path, request, new(A), func(answer wire.Message) (*big.Int, error) { return units(answer.(*A)) })
}

// units implements Units. like is an empty answer of its type.
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

// VotedBalance asks what an address holds of a denom.
func (p *Pool) VotedBalance(ctx context.Context, address, denom string) (*big.Int, error) {
	return Units(ctx, p, wire.PathBalance, &wire.BalanceRequest{Address: address, Denom: denom}, func(r *wire.BalanceResponse) (*big.Int, error) {
		if r.Balance.Denom != denom {
			return nil, fmt.Errorf("denom is %.100q, want %q", r.Balance.Denom, denom)
		}
		return r.Balance.Units()
	})
}

// Vote asks for what more than half of the nodes say, and returns it; ErrNotFound if they
// say that it is not there. It fails as nodepool.Pool.Agree does.
func Vote[A any, T comparable](ctx context.Context, p *Pool, about, path string, request wire.Message, of func(*A) (T, error)) (T, error) {
	got, err := p.vote(ctx, about, path, request, new(A), func(answer wire.Message) (any, error) { return of(answer.(*A)) })
	value, _ := got.(T)
	return value, err
}

// vote implements Vote. like is an empty answer of its type.
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

// Newest asks for the height and the time of the newest block, and reports whether they are the
// word of one server, see nodepool.Pool.Agree. A height that is not plausible is
// an ErrHeight: until that block a transaction would be valid.
func (p *Pool) Newest(ctx context.Context) (height int64, at time.Time, alone bool, err error) {
	reached, _, alone, err := p.ReachedAlone(ctx, statusQuestion(), func(answer any) *big.Int { return big.NewInt(answer.(Status).Height) },
		func(answer any) *big.Int { return big.NewInt(answer.(Status).Time.UnixNano()) })
	if err != nil {
		return 0, time.Time{}, false, err
	}
	height = reached[0].Int64()
	return height, time.Unix(0, reached[1].Int64()).UTC(), alone, p.highest.check(height, p.config.Now(), p.config.Block)
}

// ErrAlone says that one server alone answers, which is not enough for what was asked.
var ErrAlone = errors.New("one server alone answers, and others fail")

// ErrHeight says that the nodes have more blocks than the chain can have.
var ErrHeight = errors.New("implausible height")

// highest is the last height that most nodes had.
type highest struct {
	mu      sync.Mutex
	height  int64
	at      time.Time // zero: never
	doubted time.Time // when a height was implausible first since then; zero: never
}

const (
	// A chain makes blocks at most so many times as fast as its entry has it, of which the time
	// between two is not believed beyond a limit, and some that were late come at once.
	blockFactor, maxBlock, lateBlocks = 4, 10 * time.Second, 1000
	// maxHeight is more than a chain has after ten years with ten blocks a second.
	maxHeight = 1 << 32
	// doubtTime is how long a height is refused only because of the one before, which may have been
	// the wrong one.
	doubtTime = time.Minute
)

// check compares a height with the clock, and with the one before.
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
	Refused *QueryError // nil: the chain would take it
	// Sequence is the one that more than half of the nodes expect, of a transaction that is
	// refused for another; nil: they do not.
	Sequence *uint64
}

// Simulate asks all nodes to simulate a transaction. expected reads the sequence that a node
// expects of its refusal. It returns the errors of nodepool.Poll.
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

// decide counts the votes on a simulation. The gas is the highest that more than half of those
// need that simulate it.
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
	more := len(votes)/2 + 1 // than half
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
