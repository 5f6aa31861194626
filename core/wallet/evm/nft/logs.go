package nft

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"

	"obverse/core/net/nodepool"
	"obverse/core/text"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
)

// move is a transfer of NFTs in the log of their contract.
type move struct {
	ref
	From, To       address.Address
	Operator       address.Address // account that made a transfer of ERC-1155
	Amount         *big.Int
	Hash           string // hash of the transaction; like BlockHash, 64 hexadecimal digits
	BlockHash      string
	Height         uint64
	Index, LogTurn uint64 // index of the transaction in its block, and of the log
}

// ref identifies the NFTs with an id.
type ref struct {
	Contract address.Address
	ID       *big.Int
	ERC1155  bool // whether the standard is ERC-1155 and not ERC-721
}

// The Keccak-256 of TransferSingle(address,address,address,uint256,uint256) and of
// TransferBatch(address,address,address,uint256[],uint256[]).
const (
	singleTopic = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62"
	batchTopic  = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb"
)

// maxMoves is the maximum number of transfers that movesOf returns.
const maxMoves = 2_000

// maxOfBatch is the maximum number of ids that are read from one TransferBatch, since a
// contract may log any number.
const maxOfBatch = 200

// movesOf returns the transfers of NFTs, of any contract, to or from an address between two
// blocks. more reports whether some were omitted, because there are more than maxMoves or a
// log has too many. Transfers of the contracts with the most transfers are omitted first. Nodes
// reject queries that are too large; any error except those of ctx may have this reason.
func movesOf(ctx context.Context, pool *node.Pool, addr address.Address, from, to uint64) (list []move, more bool, err error) {
	word := abi.Address(addr)
	party, erc1155 := text.Hex(word[:]), []string{singleTopic, batchTopic}
	var calls []nodepool.Call
	for _, topics := range [][]any{{node.TransferTopic, party, nil, nil}, {node.TransferTopic, nil, party, nil}, {erc1155, nil, party, nil}, {erc1155, nil, nil, party}} {
		calls = append(calls, node.Request("eth_getLogs", map[string]any{"topics": topics,
			"fromBlock": text.HexNumber(new(big.Int).SetUint64(from)), "toBlock": text.HexNumber(new(big.Int).SetUint64(to))}))
	}
	q := node.Past(calls, func(o []nodepool.Outcome) (any, int64, error) {
		var f foundMoves
		for _, outcome := range o {
			if outcome.Err != nil {
				return nil, 0, node.RangeError{RPCError: outcome.Err}
			}
			var logs []nftLog
			if err := nodepool.Read(outcome.Result, &logs); err != nil {
				return nil, 0, err
			}
			for _, l := range logs {
				if err := f.add(l, addr, from, to); err != nil {
					return nil, 0, err
				}
			}
		}
		return f, 0, nil
	})
	q.Ranged = true
	f, err := node.Ask[foundMoves](ctx, pool, q)
	var fair []move
	for _, i := range coin.Fair(len(f.moves), maxMoves, func(i int) string { return f.moves[i].Contract.Plain() }, nil) {
		fair = append(fair, f.moves[i])
	}
	return fair, f.more || len(fair) < len(f.moves), err
}

// foundMoves collects the transfers of several answers without duplicates. A transfer of an
// address to itself is in two answers.
type foundMoves struct {
	moves []move
	more  bool
	seen  map[string]bool
}

// nftLog is a log in the format of nodes.
type nftLog struct {
	Address, Data, BlockHash, TransactionHash string
	BlockNumber, TransactionIndex, LogIndex   node.Member
	Topics                                    []string
}

// add parses a log. It ignores events that do not have the format of the standards.
func (f *foundMoves) add(l nftLog, of address.Address, from, to uint64) error {
	if len(l.Topics) != 4 { // ERC-20 has the amount instead of the id
		return nil
	}
	m := move{}
	for _, number := range []struct {
		text node.Member
		into *uint64
	}{{l.BlockNumber, &m.Height}, {l.TransactionIndex, &m.Index}, {l.LogIndex, &m.LogTurn}} {
		n, err := number.text.Int(63)
		if err != nil {
			return err
		}
		*number.into = n.Uint64()
	}
	if m.Height < from || m.Height > to || !node.IsHash(l.TransactionHash) || !node.IsHash(l.BlockHash) {
		return fmt.Errorf("%w: a log of block %d, asked for %d to %d", nodepool.ErrAnswer, m.Height, from, to)
	}
	m.Hash, m.BlockHash = strings.ToLower(l.TransactionHash[2:]), strings.ToLower(l.BlockHash[2:])
	contract, err := address.ParseAny(l.Address)
	if err != nil {
		return fmt.Errorf("%w: contract %.70q", nodepool.ErrAnswer, l.Address)
	}
	m.Contract = contract
	key := m.BlockHash + " " + string(l.LogIndex)
	if f.seen[key] {
		return nil
	}
	if f.seen == nil {
		f.seen = map[string]bool{}
	}
	f.seen[key] = true
	for _, one := range m.read(l, &f.more) {
		if one.From != of && one.To != of {
			continue
		}
		f.moves = append(f.moves, one)
	}
	return nil
}

// read returns the transfers in a log.
func (m move) read(l nftLog, more *bool) (all []move) {
	var topics [4]abi.Word
	for i, text := range l.Topics {
		word, err := node.ReadBytes(json.RawMessage(`"` + text + `"`))
		if err != nil || len(word) != len(abi.Word{}) {
			return nil
		}
		topics[i] = abi.Word(word)
	}
	words, err := node.ReadBytes(json.RawMessage(`"` + l.Data + `"`))
	if err != nil {
		return nil
	}
	parties := topics[1:3]
	if !strings.EqualFold(l.Topics[0], node.TransferTopic) {
		parties, m.ERC1155 = topics[2:4], true
		m.Operator, _ = topics[1].Address()
	}
	var is [2]bool
	m.From, is[0] = parties[0].Address()
	m.To, is[1] = parties[1].Address()
	switch {
	case !is[0] || !is[1]:
		return nil
	case !m.ERC1155:
		m.ID, m.Amount = topics[3].Uint(), big.NewInt(1)
		return []move{m}
	case strings.EqualFold(l.Topics[0], singleTopic):
		if len(words) != 2*len(abi.Word{}) {
			return nil
		}
		m.ID, m.Amount = new(big.Int).SetBytes(words[:32]), new(big.Int).SetBytes(words[32:])
		return []move{m}
	}
	ids, amounts := abi.ReadUints(words, 0), abi.ReadUints(words, 1)
	if len(ids) != len(amounts) {
		return nil
	}
	if len(ids) > maxOfBatch {
		ids, *more = ids[:maxOfBatch], true
	}
	for i := range ids {
		m.ID, m.Amount = ids[i], amounts[i]
		all = append(all, m)
	}
	return all
}
