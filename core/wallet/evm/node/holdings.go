package node

import (
	"context"
	"math/big"

	"obverse/core/net/nodepool"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
)

// BalanceQuery is what is asked of an address at once.
type BalanceQuery struct {
	Owner    address.Address
	Coin     bool              // how much of the network's coin it has
	Balances []address.Address // contracts of tokens: how many it has of each
	Sent     bool              // how many of its transactions are in blocks
}

// BalanceResult answers a BalanceQuery. Its numbers are shared and must not be changed.
type BalanceResult struct {
	Height   uint64 // of the newest block
	Coin     *big.Int
	Balances []*big.Int
	Sent     *big.Int
}

// numberCall is a call that returns a number.
type numberCall struct {
	nodepool.Call
	contract *address.Address // that returns it; nil: the network
	bits     int
}

// view is a call of a contract's function that changes nothing.
func view(contract address.Address, bits int, function uint32, arguments ...abi.Word) numberCall {
	to := map[string]string{"to": contract.Plain(), "data": hexOf(abi.Call(function, arguments...))}
	return numberCall{call("eth_call", to, "latest"), &contract, bits}
}

// read reads the number.
func (g numberCall) read(o nodepool.Outcome) (*big.Int, error) {
	switch {
	case g.contract == nil && o.Err != nil:
		return nil, refusal(o.Err)
	case g.contract == nil:
		return quantity(o.Result, g.bits)
	}
	if o.Err != nil {
		err := refusal(o.Err)
		if _, reverted := err.(*RevertError); reverted {
			err = &ContractError{*g.contract, err}
		}
		return nil, err
	}
	returned, err := data(o.Result)
	if err != nil {
		return nil, err
	}
	n, err := abi.ReadUint(returned, g.bits)
	if err != nil {
		return nil, &ContractError{*g.contract, err}
	}
	return n, nil
}

// Balances asks for all at once. Answers are at most two seconds old. Errors are a
// *ContractError, a *nodepool.RPCError and a *nodepool.UnreachableError.
func (p *Pool) Balances(ctx context.Context, l BalanceQuery) (BalanceResult, error) {
	all, err := p.BalancesOf(ctx, []BalanceQuery{l})
	if err != nil {
		return BalanceResult{}, err
	}
	return all[0], nil
}

// BalancesOf is Balances of several addresses, in batches that nodes take.
func (p *Pool) BalancesOf(ctx context.Context, list []BalanceQuery) ([]BalanceResult, error) {
	var all []numberCall
	for _, l := range list {
		all = append(all, l.calls()...)
	}
	var height uint64
	var numbers []*big.Int
	for first := true; first || len(all) > 0; first = false {
		some := all[:min(len(all), maxBatch)]
		all = all[len(some):]
		seen, err := get[glanced](ctx, p, numberCalls(some))
		if err != nil {
			return nil, err
		}
		numbers, height = append(numbers, seen.numbers...), seen.height
	}
	results := make([]BalanceResult, len(list))
	for i, l := range list {
		results[i], numbers = l.read(numbers)
		results[i].Height = height
	}
	return results, nil
}

// calls are those whose numbers read takes.
func (l BalanceQuery) calls() (all []numberCall) {
	if l.Coin {
		all = append(all, numberCall{call("eth_getBalance", l.Owner.Plain(), "latest"), nil, wholeBits})
	}
	if l.Sent {
		all = append(all, numberCall{call("eth_getTransactionCount", l.Owner.Plain(), "latest"), nil, nonceBits})
	}
	for _, contract := range l.Balances {
		all = append(all, view(contract, wholeBits, abi.BalanceOf, abi.Address(l.Owner)))
	}
	return all
}

// read takes the query's numbers off a list.
func (l BalanceQuery) read(numbers []*big.Int) (s BalanceResult, rest []*big.Int) {
	if l.Coin {
		s.Coin, numbers = numbers[0], numbers[1:]
	}
	if l.Sent {
		s.Sent, numbers = numbers[0], numbers[1:]
	}
	s.Balances = numbers[:len(l.Balances)]
	return s, numbers[len(l.Balances):]
}

// nonceBits are those of how many transactions an address has sent.
const nonceBits = 64

// maxBatch is how many calls are made at once, and one more; many nodes refuse larger
// batches.
const maxBatch = 50

// glanced is what came of several glances.
type glanced struct {
	height  uint64
	numbers []*big.Int
}

// numberCalls also queries the newest block, to date the answers.
func numberCalls(all []numberCall) nodepool.Question {
	calls := []nodepool.Call{call("eth_blockNumber")}
	for _, g := range all {
		calls = append(calls, g.Call)
	}
	return batch(quantityHoldings, calls, func(o []nodepool.Outcome) (any, int64, error) {
		newest, err := heightOf(o[0])
		if err != nil {
			return nil, 0, err
		}
		seen := glanced{height: uint64(newest), numbers: make([]*big.Int, len(all))}
		for i, g := range all {
			if seen.numbers[i], err = g.read(o[i+1]); err != nil {
				return nil, nodepool.ReportedHeight(newest), err
			}
		}
		return seen, nodepool.ReportedHeight(newest), nil
	})
}

func heightOf(o nodepool.Outcome) (int64, error) {
	if o.Err != nil {
		return 0, refusal(o.Err)
	}
	return height(o.Result)
}
