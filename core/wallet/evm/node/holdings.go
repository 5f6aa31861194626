package node

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/text"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
)

// BalanceQuery holds the balances of an address that are queried together.
type BalanceQuery struct {
	Owner    address.Address
	Coin     bool              // whether to query the balance of the network's coin
	Balances []address.Address // contracts of tokens to query the balance of
	Sent     bool              // whether to query the number of transactions in blocks
}

// BalanceResult is the result of a BalanceQuery. Callers must not modify its numbers, which are
// shared.
type BalanceResult struct {
	Height   uint64 // height of the newest block
	Coin     *big.Int
	Balances []TokenBalance
	Sent     *big.Int
}

// TokenBalance is the balance that a contract reports for an address.
type TokenBalance struct {
	Units *big.Int
	Err   error // reason why the balance is unknown, usually a *ContractError
}

// numberCall is a call that returns a number.
type numberCall struct {
	nodepool.Call
	contract *address.Address // contract that returns it; nil means the network
	bits     int
	alone    bool // whether only zeros may follow it, since a text also begins with a small number
}

// view returns a call of a contract's function that changes nothing.
func view(contract address.Address, bits int, function uint32, arguments ...abi.Word) numberCall {
	to := map[string]string{"to": contract.Plain(), "data": text.Hex(abi.Call(function, arguments...))}
	return numberCall{Call: Request("eth_call", to, "latest"), contract: &contract, bits: bits}
}

// read parses the number.
func (g numberCall) read(o nodepool.Outcome) (*big.Int, error) {
	switch {
	case g.contract == nil && o.Err != nil:
		return nil, Refusal(o.Err)
	case g.contract == nil:
		return quantity(o.Result, g.bits)
	}
	if o.Err != nil {
		err := Refusal(o.Err)
		if _, reverted := err.(*RevertError); reverted {
			err = &ContractError{*g.contract, err}
		}
		return nil, err
	}
	returned, err := ReadBytes(o.Result)
	if err != nil {
		return nil, err
	}
	n, err := abi.ReadUint(returned, g.bits)
	if err == nil && g.alone && len(bytes.Trim(returned[len(abi.Word{}):], "\x00")) > 0 {
		err = fmt.Errorf("%w: more than a number", abi.ErrReturn)
	}
	if err != nil {
		return nil, &ContractError{*g.contract, err}
	}
	return n, nil
}

// Balances queries balances in one batch. Results are at most two seconds old. Errors are a
// *nodepool.RPCError and a *nodepool.UnreachableError, and for the balance of a token also a
// *ContractError.
func (p *Pool) Balances(ctx context.Context, l BalanceQuery) (BalanceResult, error) {
	all, err := p.BalancesOf(ctx, []BalanceQuery{l})
	if err != nil {
		return BalanceResult{}, err
	}
	return all[0], nil
}

// AgreedBalances returns the highest balances that more than half of the nodes have reached,
// for use in signed transactions. It returns the errors of Balances.
func (p *Pool) AgreedBalances(ctx context.Context, l BalanceQuery) (r BalanceResult, err error) {
	calls := l.calls()
	if len(calls) > MaxBatch {
		return r, fmt.Errorf("%d balances at once, limit is %d", len(calls), MaxBatch)
	}
	seen, err := p.agreedNumbers(ctx, calls, false)
	if err != nil {
		return r, err
	}
	r, _ = l.read(seen.numbers)
	r.Height = seen.height
	return r, nil
}

// AgreedBalancesOf is like AgreedBalances for several addresses, for data that is stored. A
// token with a failing contract counts as 0.
func (p *Pool) AgreedBalancesOf(ctx context.Context, list []BalanceQuery) ([]BalanceResult, error) {
	return p.balancesOf(ctx, list, func(ctx context.Context, part []numberCall) (glanced, error) { return p.agreedNumbers(ctx, part, true) })
}

// agreedNumbers makes calls at all nodes, and returns for each the highest number that more
// than half of them have reached.
func (p *Pool) agreedNumbers(ctx context.Context, calls []numberCall, part bool) (glanced, error) {
	var each []func(answer any) *big.Int
	for i := range calls {
		each = append(each, func(answer any) *big.Int {
			return cmp.Or(answer.(glanced).numbers[i].Units, new(big.Int))
		})
	}
	reached, votes, err := p.Reached(ctx, numberCalls(calls, part), each...)
	if err != nil {
		return glanced{}, Failed(err)
	}
	seen := glanced{votes[0].Answer.(glanced).height, make([]TokenBalance, len(reached))}
	for i, units := range reached {
		seen.numbers[i].Units = units
	}
	return seen, nil
}

// BalancesOf is like Balances for several addresses, in batches that nodes accept.
func (p *Pool) BalancesOf(ctx context.Context, list []BalanceQuery) ([]BalanceResult, error) {
	return p.balancesOf(ctx, list, p.glance)
}

// balancesOf makes the calls of queries with ask, in batches.
func (p *Pool) balancesOf(ctx context.Context, list []BalanceQuery, ask asking) ([]BalanceResult, error) {
	var all []numberCall
	for _, l := range list {
		all = append(all, l.calls()...)
	}
	var height uint64
	var numbers []TokenBalance
	for first := true; first || len(all) > 0; first = false {
		some := all[:min(len(all), MaxBatch)]
		all = all[len(some):]
		seen, err := p.halved(ctx, some, ask)
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

// asking makes several calls at once.
type asking func(ctx context.Context, some []numberCall) (glanced, error)

// halved makes calls with ask, in two halves if the answer would be too large. A contract fails
// if its answer alone is too large.
func (p *Pool) halved(ctx context.Context, some []numberCall, ask asking) (glanced, error) {
	seen, err := ask(ctx, some)
	switch {
	case !errors.Is(err, fetch.ErrTooLarge) || ctx.Err() != nil || len(some) == 0, len(some) == 1 && some[0].contract == nil:
		return seen, err
	case len(some) == 1:
		height, failed := p.Height(ctx)
		return glanced{height, []TokenBalance{{Err: &ContractError{*some[0].contract, fetch.ErrTooLarge}}}}, failed
	}
	first, err := p.halved(ctx, some[:len(some)/2], ask)
	if err != nil {
		return first, err
	}
	rest, err := p.halved(ctx, some[len(some)/2:], ask)
	return glanced{rest.height, append(slices.Clip(first.numbers), rest.numbers...)}, err
}

// glance makes calls. If they fail because of a contract, it repeats them in a way that
// identifies the contract, since another node may know the contract better.
func (p *Pool) glance(ctx context.Context, some []numberCall) (glanced, error) {
	seen, err := Ask[glanced](ctx, p, numberCalls(some, false))
	if err == nil || ctx.Err() != nil || errors.Is(err, fetch.ErrTooLarge) && len(some) > 0 || errors.As(err, new(*nodepool.UnreachableError)) {
		return seen, err
	}
	return Ask[glanced](ctx, p, numberCalls(some, true))
}

// calls returns the calls in the order of the numbers that read expects.
func (l BalanceQuery) calls() (all []numberCall) {
	if l.Coin {
		all = append(all, numberCall{Call: Request("eth_getBalance", l.Owner.Plain(), "latest"), bits: wholeBits})
	}
	if l.Sent {
		all = append(all, numberCall{Call: Request("eth_getTransactionCount", l.Owner.Plain(), "latest"), bits: nonceBits})
	}
	for _, contract := range l.Balances {
		all = append(all, view(contract, wholeBits, abi.BalanceOf, abi.Address(l.Owner)))
	}
	return all
}

// read removes the query's numbers from a list.
func (l BalanceQuery) read(numbers []TokenBalance) (s BalanceResult, rest []TokenBalance) {
	if l.Coin {
		s.Coin, numbers = numbers[0].Units, numbers[1:]
	}
	if l.Sent {
		s.Sent, numbers = numbers[0].Units, numbers[1:]
	}
	s.Balances = numbers[:len(l.Balances)]
	return s, numbers[len(l.Balances):]
}

// nonceBits is the number of bits of an address's nonce.
const nonceBits = 64

// MaxBatch is the maximum number of calls in a batch, except for one additional call. Many
// nodes reject larger batches.
const MaxBatch = 50

// glanced is the result of several calls.
type glanced struct {
	height  uint64
	numbers []TokenBalance // without Err for calls without a contract
}

// numberCalls returns a query for numbers and the height of the newest block. With part, an
// error about a contract is a part of the answer; otherwise it is the node's error.
func numberCalls(all []numberCall, part bool) nodepool.Question {
	calls := []nodepool.Call{Request("eth_blockNumber")}
	for _, g := range all {
		calls = append(calls, g.Call)
	}
	q := batch(quantityHoldings, calls, func(o []nodepool.Outcome) (any, int64, error) {
		newest, err := heightOf(o[0])
		if err != nil {
			return nil, 0, err
		}
		seen := glanced{height: uint64(newest), numbers: make([]TokenBalance, len(all))}
		for i, g := range all {
			n, err := g.read(o[i+1])
			if err != nil && (!part || g.contract == nil) {
				return nil, nodepool.ReportedHeight(newest), err
			}
			seen.numbers[i] = TokenBalance{n, err}
		}
		return seen, nodepool.ReportedHeight(newest), nil
	})
	if part { // these answers are cached separately
		q.Quantity = quantityParts
	}
	return q
}

func heightOf(o nodepool.Outcome) (int64, error) {
	if o.Err != nil {
		return 0, Refusal(o.Err)
	}
	return height(o.Result)
}
