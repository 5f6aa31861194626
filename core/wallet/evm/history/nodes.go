package history

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"time"

	"obverse/core/net/nodepool"
	"obverse/core/text"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
)

// Nodes asks the nodes of a network about the past. It implements Source.
type Nodes struct {
	*node.Pool
	Now func() time.Time
}

var _ Source = Nodes{}

// Reference names a transaction by its hash, and the block that its source reports.
type Reference struct {
	Hash   string // 64 hexadecimal digits
	Height uint64
}

// Transfers returns the transactions between two blocks in which an address sent or received
// tokens according to the logs of one node. Nodes reject queries that are too large; any error
// except those of ctx may have this reason.
func (n Nodes) Transfers(ctx context.Context, contracts []address.Address, addr address.Address, from, to uint64) ([]Reference, error) {
	return node.Ask[[]Reference](ctx, n.Pool, transfersQuestion(contracts, addr, from, to))
}

// AllTransfers is like Transfers, but returns the transactions of all nodes, so that a node
// cannot hide a payment.
func (n Nodes) AllTransfers(ctx context.Context, contracts []address.Address, addr address.Address, from, to uint64) (all []Reference, err error) {
	votes, err := n.Poll(ctx, transfersQuestion(contracts, addr, from, to), nil)
	for _, v := range votes {
		all = append(all, v.Answer.([]Reference)...)
	}
	return all, node.Failed(err)
}

func transfersQuestion(contracts []address.Address, addr address.Address, from, to uint64) nodepool.Question {
	var plain []string
	for _, c := range contracts {
		plain = append(plain, c.Plain())
	}
	party := abi.Address(addr)
	var calls []nodepool.Call
	for _, topics := range [][]any{{node.TransferTopic, text.Hex(party[:])}, {node.TransferTopic, nil, text.Hex(party[:])}} {
		calls = append(calls, node.Request("eth_getLogs", map[string]any{"address": plain, "topics": topics,
			"fromBlock": text.HexNumber(new(big.Int).SetUint64(from)), "toBlock": text.HexNumber(new(big.Int).SetUint64(to))}))
	}
	q := node.Past(calls, func(o []nodepool.Outcome) (any, int64, error) {
		var all []Reference
		for _, outcome := range o {
			if outcome.Err != nil {
				return nil, 0, node.RangeError{RPCError: outcome.Err}
			}
			var logs []struct {
				TransactionHash string
				BlockNumber     node.Member
			}
			if err := nodepool.Read(outcome.Result, &logs); err != nil {
				return nil, 0, err
			}
			for _, l := range logs {
				height, err := l.BlockNumber.Int(63)
				if err == nil && (height.Uint64() < from || height.Uint64() > to || !node.IsHash(l.TransactionHash)) {
					err = fmt.Errorf("%w: a log of block %s, asked for %d to %d", nodepool.ErrAnswer, height, from, to)
				}
				if err != nil {
					return nil, 0, err
				}
				all = append(all, Reference{strings.ToLower(l.TransactionHash[2:]), height.Uint64()})
			}
		}
		return all, 0, nil
	})
	q.Ranged = true
	return q
}

// maxMined is the maximum number of transactions in a call of Mined.
const maxMined = node.MaxBatch / 2

// Lookup is the result of Mined.
type Lookup struct {
	Mined []node.Mined // transactions in blocks, as most nodes have them
	// Disputed holds transactions that some nodes have in a block, but most nodes do not have
	// or have in another form. The form is from one of the nodes.
	Disputed []node.Mined
	Alone    bool // whether too few servers answered, see nodepool.Pool.Agree
}

// Mined queries all nodes for transactions by their hashes. It omits transactions that are in
// no block.
//
// Nodes without an index of old transactions do not find them by their hashes. If the votes of
// such nodes are needed, Mined checks whether their blocks contain the transaction.
func (n Nodes) Mined(ctx context.Context, hashes []string) (found Lookup, err error) {
	var calls []nodepool.Call
	for _, hash := range hashes {
		calls = append(calls, node.Request("eth_getTransactionByHash", "0x"+hash), node.Request("eth_getTransactionReceipt", "0x"+hash))
	}
	type said struct {
		node.Mined
		keys    [2]any // see nodepool.Pool.Tally
		refused error
	}
	q := node.Past(calls, func(o []nodepool.Outcome) (any, int64, error) {
		all, refused := make([]said, len(hashes)), 0
		for i, hash := range hashes {
			if refusedBy := cmp.Or(o[2*i].Err, o[2*i+1].Err); refusedBy != nil {
				all[i].refused = node.Refusal(refusedBy)
				refused++
				continue
			}
			all[i].keys = [2]any{nodepool.Absent{}, nodepool.Absent{}}
			if string(o[2*i].Result) == "null" || string(o[2*i+1].Result) == "null" {
				continue
			}
			m, mined, err := node.ReadMined(hash, o[2*i].Result, o[2*i+1].Result)
			if err != nil {
				return nil, 0, err
			}
			if mined {
				all[i] = said{Mined: m, keys: meanings(m)}
			}
		}
		if refused == len(hashes) {
			return nil, 0, all[0].refused
		}
		return all, 0, nil
	})
	votes, counts, alone, err := n.Tally(ctx, q, len(hashes), func(answer any, i int) any { return answer.([]said)[i].keys[0] },
		func(answer any, i int) any { return answer.([]said)[i].keys[1] })
	if err != nil {
		return found, node.Failed(err)
	}
	found.Alone = alone
	var unknown []node.Mined
	for i, c := range counts {
		if len(c.Same) == 0 {
			if c.Absent == 0 {
				return found, node.Failed(votes[0].Answer.([]said)[i].refused)
			}
			continue
		}
		m := votes[c.Same[0]].Answer.([]said)[i].Mined
		switch {
		case c.Agreed():
			found.Mined = append(found.Mined, m)
		case c.Other == 0:
			unknown = append(unknown, m)
		default:
			found.Disputed = append(found.Disputed, m)
		}
	}
	if len(unknown) == 0 {
		return found, nil
	}
	there, alone, err := n.inBlocks(ctx, unknown)
	if err != nil {
		return found, err
	}
	found.Alone = found.Alone || alone
	for i, m := range unknown {
		if there[i] {
			found.Mined = append(found.Mined, m)
		} else {
			found.Disputed = append(found.Disputed, m)
		}
	}
	return found, nil
}

// meanings returns a text of all data that a node reports about a transaction, and a text of
// the data on which nodes must agree. Some nodes do not report the complete fee or the
// signature.
func meanings(m node.Mined) [2]any {
	all, _ := json.Marshal(m) // cannot fail
	m.Raw, m.Gas, m.Fee, m.Price = nil, 0, nil, nil
	encoded, _ := json.Marshal(m)
	return [2]any{string(all), string(encoded)}
}
