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
}

// BalanceResult answers a BalanceQuery. Its numbers are shared and must not be changed.
type BalanceResult struct {
	Height   uint64 // of the newest block
	Coin     *big.Int
	Balances []*big.Int
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
func (p *Pool) Balances(ctx context.Context, l BalanceQuery) (s BalanceResult, err error) {
	var all []numberCall
	if l.Coin {
		all = append(all, numberCall{call("eth_getBalance", l.Owner.Plain(), "latest"), nil, wholeBits})
	}
	for _, contract := range l.Balances {
		all = append(all, view(contract, wholeBits, abi.BalanceOf, abi.Address(l.Owner)))
	}
	var numbers []*big.Int
	for first := true; first || len(all) > 0; first = false {
		some := all[:min(len(all), maxBatch)]
		all = all[len(some):]
		seen, err := get[glanced](ctx, p, numberCalls(some))
		if err != nil {
			return s, err
		}
		numbers, s.Height = append(numbers, seen.numbers...), seen.height
	}
	if l.Coin {
		s.Coin, numbers = numbers[0], numbers[1:]
	}
	s.Balances = numbers
	return s, nil
}

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
