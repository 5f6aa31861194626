package node

import (
	"context"
	"math/big"

	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
)

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

// NFTBalance is how many an address has of the NFTs of an id, of a contract of ERC-1155.
// Errors are those of NFTOwner.
func (p *Pool) NFTBalance(ctx context.Context, contract, owner address.Address, id *big.Int) (*big.Int, error) {
	return read(ctx, p, contract, readWhole, abi.Call(abi.BalanceOfID, abi.Address(owner), abi.Uint(id)))
}
