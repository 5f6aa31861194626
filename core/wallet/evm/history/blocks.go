package history

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"obverse/core/net/nodepool"
	"obverse/core/text"
	"obverse/core/wallet/evm/node"
)

// Block is a block of a chain.
type Block struct {
	Hash string
	Time int64 // seconds since 1970
}

// Blocks returns the blocks at some heights. Each is the block of most nodes that have a block
// at the height. alone reports whether too few servers answered, see nodepool.Pool.Agree.
func (n Nodes) Blocks(ctx context.Context, heights []uint64) (blocks map[uint64]Block, alone bool, err error) {
	blocks = make(map[uint64]Block, len(heights))
	for len(heights) > 0 {
		part := heights[:min(len(heights), node.MaxBatch)]
		heights = heights[len(part):]
		votes, counts, single, err := n.Tally(ctx, blocksQuestion(part), len(part), func(answer any, i int) any {
			b, has := answer.(chainView).blocks[part[i]]
			if !has {
				return nil
			}
			return b.Hash
		})
		if err != nil {
			return nil, false, node.Failed(err)
		}
		alone = alone || single
		for i, c := range counts {
			if c.Agreed() {
				blocks[part[i]] = votes[c.Same[0]].Answer.(chainView).blocks[part[i]].Block
			}
		}
	}
	return blocks, alone, nil
}

// standstill is the age of the newest block of a node that is assumed to have stopped.
const standstill = 10 * time.Minute

// inBlocks reports for each transaction whether most nodes have it in its block. Nodes that no
// longer have such old blocks do not count. For nodes that have stopped, see nodepool.Have.
func (n Nodes) inBlocks(ctx context.Context, txs []node.Mined) (there []bool, alone bool, err error) {
	const has, lacks, stopped = "has", "lacks", "stopped"
	heights := []uint64{newestBlock}
	for _, m := range txs {
		if !slices.Contains(heights, m.Height) {
			heights = append(heights, m.Height)
		}
	}
	say := func(answer any, i int) any {
		v, m := answer.(chainView), txs[i]
		b, known := v.blocks[m.Height]
		switch {
		case known && b.Hash == m.Block && slices.Contains(b.txs, txName(m.Hash)):
			return has
		case known && b.txs != nil, v.newest < m.Height && n.Now().Unix()-v.at < int64(standstill/time.Second):
			return lacks
		case v.newest < m.Height:
			return stopped
		}
		return nil
	}
	votes, _, alone, err := n.Tally(ctx, blocksQuestion(heights), len(txs), say)
	if err != nil {
		return nil, false, node.Failed(err)
	}
	for i := range txs {
		n := map[any]int{}
		for _, v := range votes {
			n[say(v.Answer, i)]++
		}
		there = append(there, nodepool.Have(n[has], n[lacks], n[stopped]))
	}
	return there, alone, nil
}

// chainView holds the blocks of a node.
type chainView struct {
	blocks map[uint64]blockTxs
	newest uint64 // height of the newest block, if it was requested
	at     int64  // time of the newest block
}

type blockTxs struct {
	Block
	txs []txName // nil if not reported
}

// txName is the hash of a transaction. Some nodes always list whole transactions.
type txName string

// UnmarshalJSON implements json.Unmarshaler.
func (n *txName) UnmarshalJSON(raw []byte) error {
	var whole struct{ Hash string }
	err := json.Unmarshal(raw, &whole.Hash)
	if err != nil {
		err = json.Unmarshal(raw, &whole)
	}
	*n = txName(strings.ToLower(strings.TrimPrefix(whole.Hash, "0x")))
	return err
}

// newestBlock means the newest block in queries.
const newestBlock = 1<<64 - 1

// blocksQuestion returns a query for blocks by their numbers. Blocks that a node does not have
// are omitted from its answer.
func blocksQuestion(heights []uint64) nodepool.Question {
	var calls []nodepool.Call
	for _, height := range heights {
		number := "latest"
		if height != newestBlock {
			number = text.HexNumber(new(big.Int).SetUint64(height))
		}
		calls = append(calls, node.Request("eth_getBlockByNumber", number, false))
	}
	return node.Past(calls, func(o []nodepool.Outcome) (any, int64, error) {
		v, err := readBlocks(heights, o)
		return v, 0, err
	})
}

// maxTimeBits limits the time of a block in seconds: until the year 6325.
const maxTimeBits = 37

func readBlocks(heights []uint64, o []nodepool.Outcome) (v chainView, err error) {
	v.blocks = map[uint64]blockTxs{}
	refused := 0
	for i, height := range heights {
		if o[i].Err != nil {
			if refused++; refused == len(heights) {
				return v, node.Refusal(o[i].Err)
			}
			continue
		}
		if string(o[i].Result) == "null" {
			continue
		}
		var b struct {
			Hash              string
			Number, Timestamp node.Member
			Transactions      []txName
		}
		if err := nodepool.Read(o[i].Result, &b); err != nil {
			return v, err
		}
		number, err := b.Number.Int(63)
		if err == nil && (height != newestBlock && number.Uint64() != height || !node.IsHash(b.Hash)) {
			err = fmt.Errorf("%w: block %s, asked for %d", nodepool.ErrAnswer, number, height)
		}
		if err != nil {
			return v, err
		}
		at, err := b.Timestamp.Int(maxTimeBits)
		if err != nil {
			return v, err
		}
		if number.Uint64() >= v.newest {
			v.newest, v.at = number.Uint64(), at.Int64()
		}
		v.blocks[number.Uint64()] = blockTxs{Block{strings.ToLower(b.Hash[2:]), at.Int64()}, b.Transactions}
	}
	return v, nil
}
