// Package nft reads the NFTs of an address of an EVM network from the network's nodes, for
// core/wallet/nft: transfers from the logs of contracts, balances and texts from the contracts.
//
// Sources: ERC-721, ERC-1155, ERC-165; Ethereum JSON-RPC (eth_getLogs).
//
// Invariant: a contract that fails, or breaks its standard, does not affect the NFTs of others.
package nft

import (
	"cmp"
	"context"
	"encoding/hex"
	"math/big"
	"strings"

	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/history"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/nft"
)

// Reader reads the NFTs of an address. It implements Reader of core/wallet/nft.
type Reader struct {
	Pool    *node.Pool
	ChainID uint64
	Owner   address.Address
}

var _ nft.Reader = Reader{}

// NFTTransfers implements nft.Reader.
func (r Reader) NFTTransfers(ctx context.Context, from, to uint64) (list []nft.Transfer, more bool, err error) {
	transfers, more, err := movesOf(ctx, r.Pool, r.Owner, from, to)
	if err != nil {
		return nil, false, err
	}
	var heights []uint64
	times := map[uint64]int64{}
	for _, m := range transfers {
		if _, known := times[m.Height]; !known {
			times[m.Height] = 0
			heights = append(heights, m.Height)
		}
	}
	blocks, _, err := history.Nodes{Pool: r.Pool}.Blocks(ctx, heights)
	if err != nil {
		return nil, false, err
	}
	for height, b := range blocks {
		times[height] = b.Time
	}
	for _, m := range transfers {
		t := nft.Transfer{Token: nft.Token{Address: m.Contract.Plain(), ID: m.ID.String()}, Wallet: r.Owner.Plain(), Type: nft.ERC721, Amount: m.Amount.String(),
			From: m.From.Plain(), To: m.To.Plain(), Hash: "0x" + m.Hash, TxIndex: m.Index, LogIndex: m.LogTurn, Block: m.Height, BlockHash: "0x" + m.BlockHash,
			Time: times[m.Height], Kind: "Single"}
		if m.ERC1155 {
			t.Type, t.Operator = nft.ERC1155, m.Operator.Plain()
		}
		list = append(list, t)
	}
	return list, more, nil
}

// refs converts NFTs for queries to nodes.
func refs(list []nft.NFT) (all []ref) {
	for _, n := range list {
		one := ref{ID: new(big.Int), ERC1155: n.Type == nft.ERC1155}
		one.Contract, _ = address.Parse(n.Address) // cannot fail, since the address is valid
		one.ID.SetString(n.ID, 10)
		all = append(all, one)
	}
	return all
}

// NFTAmounts implements nft.Reader. An amount is 0 if the contract refuses the call, or if its answer
// breaks the standard.
func (r Reader) NFTAmounts(ctx context.Context, list []nft.NFT) ([]nft.Amount, error) {
	all := refs(list)
	var inputs []node.ContractCall
	for _, one := range all {
		input := abi.Call(abi.OwnerOf, abi.Uint(one.ID))
		if one.ERC1155 {
			input = abi.Call(abi.BalanceOfID, abi.Address(r.Owner), abi.Uint(one.ID))
		}
		inputs = append(inputs, node.ContractCall{Contract: one.Contract, Input: input})
	}
	returned, err := r.Pool.Returned(ctx, inputs)
	if err != nil {
		return nil, err
	}
	amounts := make([]nft.Amount, len(list))
	for i, one := range all {
		if amounts[i].Err = returned[i].Err; amounts[i].Err != nil {
			continue
		}
		amounts[i].Number = "0"
		n, err := abi.ReadUint(returned[i].Data, 256)
		switch word := abi.Address(r.Owner); {
		case err != nil:
		case one.ERC1155:
			amounts[i].Number = n.String()
		case n.Cmp(word.Uint()) == 0:
			amounts[i].Number = "1"
		}
	}
	return amounts, nil
}

// NFTTexts implements nft.Reader.
func (r Reader) NFTTexts(ctx context.Context, list []nft.NFT, limit int) ([]nft.Texts, error) {
	var calls []node.ContractCall
	for _, one := range refs(list) {
		function := abi.TokenURI
		if one.ERC1155 {
			function = abi.URI
		}
		calls = append(calls, node.ContractCall{Contract: one.Contract, Input: abi.Call(abi.Name)}, node.ContractCall{Contract: one.Contract, Input: abi.Call(abi.Symbol)},
			node.ContractCall{Contract: one.Contract, Input: abi.Call(function, abi.Uint(one.ID))})
	}
	returned, err := r.Pool.Returned(ctx, calls)
	if err != nil {
		return nil, err
	}
	all := make([]nft.Texts, len(list))
	for i := range list {
		for n, into := range []*string{&all[i].Name, &all[i].Symbol, &all[i].URI} {
			*into, _ = abi.ReadString(returned[3*i+n].Data, limit) // "" if the data is not a text
			all[i].Err = cmp.Or(all[i].Err, returned[3*i+n].Err)
		}
		if list[i].Type == nft.ERC1155 {
			word := abi.Uint(refs(list[i : i+1])[0].ID)
			all[i].URI = strings.ReplaceAll(all[i].URI, "{id}", hex.EncodeToString(word[:]))
		}
	}
	return all, nil
}

// enumerable is the interface id (ERC-165) of the ERC-721 functions that list the NFTs of an
// address.
const enumerable = 0x780e9d63

// NFTsOf implements nft.Reader.
func (r Reader) NFTsOf(ctx context.Context, contract string, limit int) (ids []string, more bool, err error) {
	at, err := address.ParseOn(r.ChainID, contract)
	if err != nil {
		return nil, false, err
	}
	owner := abi.Address(r.Owner)
	var interfaceID abi.Word
	copy(interfaceID[:], []byte{enumerable >> 24, enumerable >> 16 & 0xff, enumerable >> 8 & 0xff, enumerable & 0xff})
	ask := func(inputs ...[]byte) (numbers []*big.Int, err error) {
		var calls []node.ContractCall
		for _, input := range inputs {
			calls = append(calls, node.ContractCall{Contract: at, Input: input})
		}
		returned, err := r.Pool.Returned(ctx, calls)
		for _, r := range returned {
			if r.Err != nil {
				return nil, r.Err
			}
			n, failed := abi.ReadUint(r.Data, 256)
			if failed != nil {
				n = nil
			}
			numbers = append(numbers, n)
		}
		return numbers, err
	}
	about, err := ask(abi.Call(abi.SupportsInterface, interfaceID), abi.Call(abi.BalanceOf, owner))
	if err != nil {
		return nil, false, err
	}
	if about[0] == nil || about[0].Sign() == 0 || about[1] == nil {
		return nil, false, nft.ErrNoEnumeration
	}
	count := limit
	if about[1].IsInt64() {
		count = int(min(about[1].Int64(), int64(limit)))
	}
	var inputs [][]byte
	for i := range count {
		inputs = append(inputs, abi.Call(abi.TokenOfOwner, owner, abi.Uint(big.NewInt(int64(i)))))
	}
	numbers, err := ask(inputs...)
	for _, n := range numbers {
		if n != nil {
			ids = append(ids, n.String())
		}
	}
	return ids, about[1].Cmp(big.NewInt(int64(count))) > 0, err
}
