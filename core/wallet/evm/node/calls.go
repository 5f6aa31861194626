package node

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/text"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
)

// ContractCall is a call of a contract's function that changes nothing.
type ContractCall struct {
	Contract address.Address
	Input    []byte
}

// ContractReturn is the result of a ContractCall.
type ContractReturn struct {
	Data []byte // nil if the contract refused the call or its answer is too large
	Err  error  // error of the nodes if the result is unknown
}

// The author of a contract determines the size of its results and the time that nodes need for
// them. returnedLimit limits the size of the answer to a batch of calls, batchTime the time of
// one batch, and returnedTime the time of all. A contract is not called again after maxLarge
// answers that alone exceed returnedLimit.
const (
	returnedLimit = 4 << 20
	batchTime     = 20 * time.Second
	returnedTime  = time.Minute
	maxLarge      = 3
)

// codeTooLarge is the code of go-ethereum for calls of a batch whose answers are too large
// together.
const codeTooLarge = -32003

var errCallsLate = errors.New("the nodes did not answer all calls of contracts in time")

// Returned makes calls in batches that nodes accept. The first calls of all contracts come
// first, then the second ones, and so on. A failed call does not affect calls of other
// contracts. Returned fails if the nodes answered no call.
func (p *Pool) Returned(ctx context.Context, list []ContractCall) ([]ContractReturn, error) {
	bounded, cancel := context.WithTimeout(ctx, returnedTime)
	defer cancel()
	c := &contractCalls{Pool: p, large: map[address.Address]int{}, failed: map[address.Address]error{}}
	all := slices.Repeat([]ContractReturn{{Err: errCallsLate}}, len(list))
	order := coin.InTurns(len(list), func(i int) string { return list[i].Contract.Plain() })
	for part := range slices.Chunk(order, MaxBatch) {
		batch := make([]ContractCall, len(part))
		for n, i := range part {
			batch[n] = list[i]
		}
		returned, err := c.returned(bounded, batch)
		if ctx.Err() == nil && bounded.Err() != nil {
			break
		}
		if err != nil {
			return nil, err
		}
		for n, i := range part {
			all[i] = returned[n]
		}
	}
	if len(list) > 0 && !c.answered {
		return nil, cmp.Or(c.failed[list[0].Contract], Failed(errCallsLate))
	}
	return all, nil
}

// contractCalls is the state of the calls of Returned.
type contractCalls struct {
	*Pool
	large    map[address.Address]int   // number of answers that were too large, by contract
	failed   map[address.Address]error // errors of contracts for which nodes answered no call, for example because they are slow
	answered bool
}

// returned makes one batch of calls.
func (c *contractCalls) returned(ctx context.Context, list []ContractCall) ([]ContractReturn, error) {
	all := make([]ContractReturn, len(list))
	var places []int
	var calls []nodepool.Call
	for i, one := range list {
		if all[i].Err = c.failed[one.Contract]; all[i].Err == nil && c.large[one.Contract] < maxLarge {
			places = append(places, i)
			calls = append(calls, Request("eth_call", map[string]string{"to": one.Contract.Plain(), "data": text.Hex(one.Input)}, "latest"))
		}
	}
	if len(calls) == 0 {
		return all, nil
	}
	q := batch("", calls, readReturned)
	q.Limit, q.Timeout = returnedLimit, batchTime
	results, err := Ask[[]ContractReturn](ctx, c.Pool, q)
	var refused *nodepool.RPCError
	var unreachable *nodepool.UnreachableError
	switch {
	case ctx.Err() != nil, errors.As(err, &unreachable) && unreachable.Down():
		return nil, cmp.Or(err, ctx.Err())
	case errors.Is(err, fetch.ErrTooLarge) || err == nil && slices.ContainsFunc(results, tooLarge):
		if len(list) == 1 {
			c.large[list[0].Contract]++
			c.answered = true
			return all, nil
		}
		half := len(list) / 2
		return c.parts(ctx, list[:half], list[half:])
	case errors.As(err, &refused): // all nodes reject all calls
		results = slices.Repeat([]ContractReturn{{Err: refused}}, len(calls))
	case err != nil: // the calls of one contract may take too long
		first := list[places[0]].Contract
		of := slices.IndexFunc(list, func(one ContractCall) bool { return one.Contract != first && c.failed[one.Contract] == nil })
		if of >= 0 {
			return c.byContract(ctx, list)
		}
		c.failed[first] = err
		return c.returned(ctx, list)
	}
	c.answered = true
	for n, i := range places {
		all[i] = ContractReturn{results[n].Data, Failed(results[n].Err)}
	}
	return all, nil
}

// parts makes several batches, one after the other.
func (c *contractCalls) parts(ctx context.Context, parts ...[]ContractCall) (all []ContractReturn, err error) {
	for _, part := range parts {
		returned, err := c.returned(ctx, part)
		if err != nil {
			return nil, err
		}
		all = append(all, returned...)
	}
	return all, nil
}

// byContract makes a batch for each contract in a list, the smallest batches first.
func (c *contractCalls) byContract(ctx context.Context, list []ContractCall) ([]ContractReturn, error) {
	all, places := make([]ContractReturn, len(list)), map[address.Address][]int{}
	var first []int // index of each contract's first call
	for i, one := range list {
		if len(places[one.Contract]) == 0 {
			first = append(first, i)
		}
		places[one.Contract] = append(places[one.Contract], i)
	}
	slices.SortFunc(first, func(a, b int) int {
		return cmp.Or(len(places[list[a].Contract])-len(places[list[b].Contract]), a-b)
	})
	for _, i := range first {
		contract := list[i].Contract
		var part []ContractCall
		for _, i := range places[contract] {
			part = append(part, list[i])
		}
		returned, err := c.returned(ctx, part)
		if err != nil {
			return nil, err
		}
		for n, i := range places[contract] {
			all[i] = returned[n]
		}
	}
	return all, nil
}

func tooLarge(r ContractReturn) bool {
	var refused *nodepool.RPCError
	return errors.As(r.Err, &refused) && refused.Code == codeTooLarge
}

// readReturned parses the results of calls. It fails if the node answered none of them.
func readReturned(o []nodepool.Outcome) (any, int64, error) {
	all, failures := make([]ContractReturn, len(o)), 0
	for i, outcome := range o {
		if outcome.Err != nil {
			if _, reverted := Refusal(outcome.Err).(*RevertError); !reverted {
				all[i].Err = outcome.Err
				failures++
			}
			continue
		}
		returned, err := ReadBytes(outcome.Result)
		if err != nil {
			return nil, 0, err
		}
		all[i].Data = returned
	}
	if failures == len(o) && !tooLarge(all[0]) {
		return nil, 0, all[0].Err
	}
	return all, 0, nil
}
