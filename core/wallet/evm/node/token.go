package node

import (
	"bytes"
	"context"
	"encoding/json"
	"math/big"

	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
)

// Symbol returns the symbol of an ERC-20 token. Errors are a *ContractError and the errors of
// the pool.
func (p *Pool) Symbol(ctx context.Context, contract address.Address) (string, error) {
	return read(ctx, p, contract, abi.ReadText, abi.Call(abi.Symbol))
}

// Allowance returns the amount of a token that a spender may transfer from its owner. Errors
// are a *ContractError and the errors of the pool.
func (p *Pool) Allowance(ctx context.Context, contract, owner, spender address.Address) (*big.Int, error) {
	return read(ctx, p, contract, readWhole, abi.Call(abi.Allowance, abi.Address(owner), abi.Address(spender)))
}

func readWhole(returned []byte) (*big.Int, error) { return abi.ReadUint(returned, wholeBits) }

// read calls a contract's read-only function and returns the result on which more than half of
// the nodes agree.
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

// The code of an account that delegates to a contract and still signs with its key has this
// form (EIP-7702).
const (
	delegationSize  = 23
	delegationStart = "\xef\x01\x00"
)

// IsContract reports whether an address is a contract according to more than half of the nodes.
// Coins that are sent to a contract may be lost. Errors are a *nodepool.DisagreementError and
// the errors of the pool.
func (p *Pool) IsContract(ctx context.Context, addr address.Address) (bool, error) {
	q := one("", "eth_getCode", func(result json.RawMessage) (any, int64, error) {
		code, err := ReadBytes(result)
		delegated := len(code) == delegationSize && bytes.HasPrefix(code, []byte(delegationStart))
		return len(code) > 0 && !delegated, 0, err
	}, addr.Plain(), "latest")
	answer, _, err := p.Agree(ctx, "the code of "+addr.String(), q, nil)
	is, _ := answer.(bool)
	return is, Failed(err)
}

// NFTOwner returns the owner of an NFT of ERC-721. Errors are a *ContractError, which is also
// returned if the NFT does not exist, and the errors of the pool.
func (p *Pool) NFTOwner(ctx context.Context, contract address.Address, id *big.Int) (address.Address, error) {
	owner := func(returned []byte) (a address.Address, err error) {
		n, err := abi.ReadUint(returned, 8*address.Size)
		if err == nil {
			n.FillBytes(a[:])
		}
		return a, err
	}
	return read(ctx, p, contract, owner, abi.Call(abi.OwnerOf, abi.Uint(id)))
}

// NFTBalance returns the number of NFTs of ERC-1155 with an id that an address has. It returns
// the errors of NFTOwner.
func (p *Pool) NFTBalance(ctx context.Context, contract, owner address.Address, id *big.Int) (*big.Int, error) {
	return read(ctx, p, contract, readWhole, abi.Call(abi.BalanceOfID, abi.Address(owner), abi.Uint(id)))
}
