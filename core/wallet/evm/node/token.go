package node

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"

	"obverse/core/net/nodepool"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
)

// Symbol asks a contract of ERC-20 for the short name of its token. Errors are a
// *ContractError and those of the pool.
func (p *Pool) Symbol(ctx context.Context, contract address.Address) (string, error) {
	return read(ctx, p, contract, abi.ReadText, abi.Call(abi.Symbol))
}

// Allowance is how much of a token a spender may take from its owner. Errors are a
// *ContractError and those of the pool.
func (p *Pool) Allowance(ctx context.Context, contract, owner, spender address.Address) (*big.Int, error) {
	return read(ctx, p, contract, readWhole, abi.Call(abi.Allowance, abi.Address(owner), abi.Address(spender)))
}

func readWhole(returned []byte) (*big.Int, error) { return abi.ReadUint(returned, wholeBits) }

// read calls a contract's function that changes nothing.
func read[T any](ctx context.Context, p *Pool, contract address.Address, parse func([]byte) (T, error), input []byte) (T, error) {
	q := one("", "eth_call", func(result json.RawMessage) (any, int64, error) {
		returned, err := data(result)
		if err != nil {
			return nil, 0, err
		}
		value, err := parse(returned)
		if err != nil {
			return nil, 0, &ContractError{contract, err}
		}
		return value, 0, nil
	}, map[string]string{"to": contract.Plain(), "data": hexOf(input)}, "latest")
	q.Refine = func(e *nodepool.RPCError) (any, error) {
		err := refusal(e)
		if reverted, is := errors.AsType[*RevertError](err); is {
			err = &ContractError{contract, reverted}
		}
		return nil, err
	}
	return get[T](ctx, p, q)
}
