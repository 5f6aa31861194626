package evm

import (
	"cmp"
	"context"
	"encoding/hex"
	"math/big"
	"strings"

	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/nft"
)

var _ nft.Reader = (*Platform)(nil)

// NFTTransfers implements nft.Reader.
func (p *Platform) NFTTransfers(ctx context.Context, from, to uint64) (list []nft.Transfer, more bool, err error) {
	owner := p.address
	transfers, more, err := p.nodes.NFTMoves(ctx, owner, from, to)
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
	blocks, _, err := p.nodes.Blocks(ctx, heights)
	if err != nil {
		return nil, false, err
	}
	for height, b := range blocks {
		times[height] = b.Time
	}
	for _, m := range transfers {
		t := nft.Transfer{Token: nft.Token{Address: m.Contract.Plain(), ID: m.ID.String()}, Wallet: owner.Plain(), Type: nft.ERC721, Amount: m.Amount.String(),
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
func refs(list []nft.NFT) (all []node.NFTRef) {
	for _, n := range list {
		r := node.NFTRef{ID: new(big.Int), ERC1155: n.Type == nft.ERC1155}
		r.Contract, _ = address.Parse(n.Address) // cannot fail, since the address is valid
		r.ID.SetString(n.ID, 10)
		all = append(all, r)
	}
	return all
}

// NFTAmounts implements nft.Reader.
func (p *Platform) NFTAmounts(ctx context.Context, list []nft.NFT) (amounts []nft.Amount, err error) {
	all, err := p.nodes.NFTAmounts(ctx, p.address, refs(list))
	for _, n := range all {
		a := nft.Amount{Err: n.Err}
		if n.Err == nil {
			a.Number = n.Units.String()
		}
		amounts = append(amounts, a)
	}
	return amounts, err
}

// NFTTexts implements nft.Reader.
func (p *Platform) NFTTexts(ctx context.Context, list []nft.NFT, limit int) ([]nft.Texts, error) {
	var calls []node.ContractCall
	for _, r := range refs(list) {
		function := abi.TokenURI
		if r.ERC1155 {
			function = abi.URI
		}
		calls = append(calls, node.ContractCall{Contract: r.Contract, Input: abi.Call(abi.Name)}, node.ContractCall{Contract: r.Contract, Input: abi.Call(abi.Symbol)},
			node.ContractCall{Contract: r.Contract, Input: abi.Call(function, abi.Uint(r.ID))})
	}
	returned, err := p.nodes.Returned(ctx, calls)
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
			r := refs(list[i : i+1])[0]
			word := abi.Uint(r.ID)
			all[i].URI = strings.ReplaceAll(all[i].URI, "{id}", hex.EncodeToString(word[:]))
		}
	}
	return all, nil
}

// enumerable is the interface id (ERC-165) of the ERC-721 functions that list the NFTs of an
// address.
const enumerable = 0x780e9d63

// NFTsOf implements nft.Reader.
func (p *Platform) NFTsOf(ctx context.Context, contract string, limit int) (ids []string, more bool, err error) {
	at, err := address.ParseOn(p.chain.id, contract)
	if err != nil {
		return nil, false, err
	}
	owner := abi.Address(p.address)
	var interfaceID abi.Word
	copy(interfaceID[:], []byte{enumerable >> 24, enumerable >> 16 & 0xff, enumerable >> 8 & 0xff, enumerable & 0xff})
	ask := func(inputs ...[]byte) (numbers []*big.Int, err error) {
		var calls []node.ContractCall
		for _, input := range inputs {
			calls = append(calls, node.ContractCall{Contract: at, Input: input})
		}
		returned, err := p.nodes.Returned(ctx, calls)
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
