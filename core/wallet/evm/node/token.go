package node

import (
	"bytes"
	"context"
	"encoding/json"
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

// A contract acts for an account that has code of this form, and its owner signs as before (EIP-7702).
const (
	delegationSize  = 23
	delegationStart = "\xef\x01\x00"
)

// IsContract reports whether an address is that of a contract, by more than half of the nodes: what
// is sent to one may be lost. Errors are a *nodepool.DisagreementError and those of the pool.
func (p *Pool) IsContract(ctx context.Context, addr address.Address) (bool, error) {
	q := one("", "eth_getCode", func(result json.RawMessage) (any, int64, error) {
		code, err := data(result)
		delegated := len(code) == delegationSize && bytes.HasPrefix(code, []byte(delegationStart))
		return len(code) > 0 && !delegated, 0, err
	}, addr.Plain(), "latest")
	answer, _, err := p.Agree(ctx, "the code of "+addr.String(), q, nil)
	is, _ := answer.(bool)
	return is, failed(err)
}

// NFTOwner is who has the NFT of an id, of a contract of ERC-721. Errors are a
// *ContractError, as for an NFT that there is not, and those of the pool.
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

// NFTBalance returns how many NFTs of an id, of a contract of ERC-1155, an address has.
// It returns the errors of NFTOwner.
func (p *Pool) NFTBalance(ctx context.Context, contract, owner address.Address, id *big.Int) (*big.Int, error) {
	return read(ctx, p, contract, readWhole, abi.Call(abi.BalanceOfID, abi.Address(owner), abi.Uint(id)))
}
