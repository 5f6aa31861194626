package node

import (
	"context"
	"math/big"

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

// read calls a contract's function that changes nothing, and believes more than half of the nodes.
func read[T any](ctx context.Context, p *Pool, contract address.Address, parse func([]byte) (T, error), input []byte) (value T, err error) {
	returned, reverts, err := p.agreed(ctx, contract, input)
	if err != nil {
		return value, err
	}
	if reverts != nil {
		return value, &ContractError{contract, reverts}
	}
	if value, err = parse(returned); err != nil {
		return value, &ContractError{contract, err}
	}
	return value, nil
}
