package node

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"obverse/core/net/nodepool"
	"obverse/core/text"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/wire"
)

// Mined is a transaction in a block, with its effects.
type Mined struct {
	Hash   string // 64 hexadecimal digits
	Height uint64
	Index  uint32
	Block  string // hash of the block
	Raw    []byte // empty if its type is not supported
	From   address.Address
	To     *address.Address // nil if it created a contract
	Value  *big.Int
	Gas    uint64   // gas used
	Fee    *big.Int // fee paid
	Price  *big.Int // price of a unit of gas
	Failed bool
	Moves  []Move // transfers of tokens
}

// Move is a transfer of a token in the log of its contract.
type Move struct {
	Contract, From, To address.Address
	Units              *big.Int
}

// PaymentIn returns the payment of a transaction that calls transfer of ERC-20, or nil.
func PaymentIn(sent wire.Sent) *Payment {
	_, units, pays := abi.ReadTransfer(sent.Data)
	if !pays || sent.To == nil || units.Sign() == 0 {
		return nil
	}
	return &Payment{*sent.To, sent.From}
}

// MovedNothing returns the payment of a transaction that succeeded without logging a transfer
// for it, or nil.
func (m Mined) MovedNothing() *Payment {
	sent, err := wire.Decode(m.Raw)
	if err != nil || m.Failed {
		return nil
	}
	pays := PaymentIn(sent)
	if pays == nil {
		return nil
	}
	if pays.From = m.From; hasMoved(m.Moves, *pays) {
		return nil
	}
	return pays
}

func hasMoved(moves []Move, p Payment) bool {
	return slices.ContainsFunc(moves, func(m Move) bool { return m.Contract == p.Token && m.From == p.From && m.Units.Sign() > 0 })
}

// transferTopic is the Keccak-256 of Transfer(address,address,uint256).
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

// Limits of answers about old blocks and transactions.
const (
	pastLimit   = 16 << 20 // in bytes
	pastTimeout = 30 * time.Second
	maxMoves    = 10_000 // of one transaction
	timeBits    = 37     // number of bits of a block's time in seconds, until the year 6325
)

// Reference names a transaction by its hash, and the block that its source reports.
type Reference struct {
	Hash   string // 64 hexadecimal digits
	Height uint64
}

// Transfers returns the transactions between two blocks in which an address sent or received
// tokens according to the logs of one node. Nodes reject queries that are too large; any error
// except those of ctx may have this reason.
func (p *Pool) Transfers(ctx context.Context, contracts []address.Address, addr address.Address, from, to uint64) ([]Reference, error) {
	return get[[]Reference](ctx, p, transfersQuestion(contracts, addr, from, to))
}

// AllTransfers is like Transfers, but returns the transactions of all nodes, so that a node
// cannot hide a payment.
func (p *Pool) AllTransfers(ctx context.Context, contracts []address.Address, of address.Address, from, to uint64) (all []Reference, err error) {
	votes, err := p.Poll(ctx, transfersQuestion(contracts, of, from, to), nil)
	for _, v := range votes {
		all = append(all, v.Answer.([]Reference)...)
	}
	return all, failed(err)
}

func transfersQuestion(contracts []address.Address, of address.Address, from, to uint64) nodepool.Question {
	var plain []string
	for _, c := range contracts {
		plain = append(plain, c.Plain())
	}
	party := abi.Address(of)
	var calls []nodepool.Call
	for _, topics := range [][]any{{transferTopic, text.Hex(party[:])}, {transferTopic, nil, text.Hex(party[:])}} {
		calls = append(calls, call("eth_getLogs", map[string]any{"address": plain, "topics": topics,
			"fromBlock": text.HexNumber(new(big.Int).SetUint64(from)), "toBlock": text.HexNumber(new(big.Int).SetUint64(to))}))
	}
	q := batch("", calls, func(o []nodepool.Outcome) (any, int64, error) {
		var all []Reference
		for _, outcome := range o {
			if outcome.Err != nil {
				return nil, 0, refusedRange{outcome.Err}
			}
			var logs []struct {
				TransactionHash string
				BlockNumber     member
			}
			if err := nodepool.Read(outcome.Result, &logs); err != nil {
				return nil, 0, err
			}
			for _, l := range logs {
				height, err := quantityText(l.BlockNumber, 63)
				if err == nil && (height.Uint64() < from || height.Uint64() > to || !isHash(l.TransactionHash)) {
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
	q.Limit, q.Timeout, q.Ranged, q.Nullable = pastLimit, pastTimeout, true, true // some nodes return null for an empty list
	return q
}

// refusedRange means that a range of blocks is too large for a node, or that the node does not
// have the blocks.
type refusedRange struct{ *nodepool.RPCError }

// Final implements nodepool.Verdict. It returns false, since another node may accept the range
// or have the blocks.
func (refusedRange) Final() bool { return false }

// Unwrap returns the node's error.
func (r refusedRange) Unwrap() error { return r.RPCError }

func isHash(s string) bool {
	b, err := text.ParseHex(s)
	return err == nil && len(b) == 32
}

// MaxMined is the maximum number of transactions in a call of Mined.
const MaxMined = maxBatch / 2

// Lookup is the result of Mined.
type Lookup struct {
	Mined []Mined // transactions in blocks, as most nodes have them
	// Disputed holds transactions that some nodes have in a block, but most nodes do not have
	// or have in another form. The form is from one of the nodes.
	Disputed []Mined
	Alone    bool // whether only one server answered, see nodepool.Pool.Agree
}

// Mined queries all nodes for transactions by their hashes. It omits transactions that are in
// no block.
//
// Nodes without an index of old transactions do not find them by their hashes. If the votes of
// such nodes are needed, Mined checks whether their blocks contain the transaction.
func (p *Pool) Mined(ctx context.Context, hashes []string) (found Lookup, err error) {
	var calls []nodepool.Call
	for _, hash := range hashes {
		calls = append(calls, call("eth_getTransactionByHash", "0x"+hash), call("eth_getTransactionReceipt", "0x"+hash))
	}
	type said struct {
		Mined
		keys    [2]any // see nodepool.Pool.Tally
		refused error
	}
	q := batch("", calls, func(o []nodepool.Outcome) (any, int64, error) {
		all, refused := make([]said, len(hashes)), 0
		for i, hash := range hashes {
			if refusedBy := cmp.Or(o[2*i].Err, o[2*i+1].Err); refusedBy != nil {
				all[i].refused = refusal(refusedBy)
				refused++
				continue
			}
			all[i].keys = [2]any{nodepool.Absent{}, nodepool.Absent{}}
			if string(o[2*i].Result) == "null" || string(o[2*i+1].Result) == "null" {
				continue
			}
			m, mined, err := readMined(hash, o[2*i].Result, o[2*i+1].Result)
			if err != nil {
				return nil, 0, err
			}
			if mined {
				all[i] = said{Mined: m, keys: m.meanings()}
			}
		}
		if refused == len(hashes) {
			return nil, 0, all[0].refused
		}
		return all, 0, nil
	})
	q.Limit, q.Timeout, q.Nullable = pastLimit, pastTimeout, true
	votes, counts, alone, err := p.Tally(ctx, q, len(hashes), func(answer any, i int) any { return answer.([]said)[i].keys[0] },
		func(answer any, i int) any { return answer.([]said)[i].keys[1] })
	if err != nil {
		return found, failed(err)
	}
	found.Alone = alone
	var unknown []Mined
	for i, c := range counts {
		if len(c.Same) == 0 {
			if c.Absent == 0 {
				return found, failed(votes[0].Answer.([]said)[i].refused)
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
	there, alone, err := p.inBlocks(ctx, unknown)
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
func (m Mined) meanings() [2]any {
	all, _ := json.Marshal(m) // cannot fail
	m.Raw, m.Gas, m.Fee, m.Price = nil, 0, nil, nil
	encoded, _ := json.Marshal(m)
	return [2]any{string(all), string(encoded)}
}

// receiptJSON is a receipt in the format of nodes.
type receiptJSON struct {
	TransactionHash, BlockHash, From   string
	BlockNumber, TransactionIndex      member
	GasUsed, EffectiveGasPrice, Status member
	L1Fee                              member // fee of rollups for the chain that stores their data
	Logs                               []struct {
		Address string
		Topics  []string
		Data    string
	}
}

// readMined combines a transaction and its receipt.
func readMined(hash string, tx, receipt json.RawMessage) (m Mined, mined bool, err error) {
	var t transactionJSON
	var r receiptJSON
	if err = nodepool.Read(tx, &t); err == nil {
		err = nodepool.Read(receipt, &r)
	}
	if err == nil && (!strings.EqualFold(t.Hash, "0x"+hash) || !strings.EqualFold(r.TransactionHash, "0x"+hash)) {
		err = nodepool.ErrOtherID
	}
	if err != nil || r.BlockNumber == "" {
		return m, false, err
	}
	m = Mined{Hash: hash, Block: strings.ToLower(strings.TrimPrefix(r.BlockHash, "0x")), Failed: isFailure(r.Status), Value: new(big.Int), Fee: new(big.Int), Price: new(big.Int)}
	index, gas, height, l1 := new(big.Int), new(big.Int), new(big.Int), new(big.Int)
	for _, number := range []struct {
		text member
		bits int
		into *big.Int
	}{{r.BlockNumber, 63, height}, {r.TransactionIndex, 32, index}, {r.GasUsed, 64, gas}, {r.price(t), wholeBits, m.Price}, {t.Value, wholeBits, m.Value}, {cmp.Or(r.L1Fee, "0x0"), wholeBits, l1}} {
		n, err := quantityText(number.text, number.bits)
		if err != nil {
			return m, false, err
		}
		number.into.Set(n)
	}
	m.Height, m.Index, m.Gas = height.Uint64(), uint32(index.Uint64()), gas.Uint64()
	if t.FeeCurrency == "" { // otherwise the fee is paid in another coin
		m.Fee.Mul(gas, m.Price).Add(m.Fee, l1)
	}
	if m.From, err = address.ParseAny(r.From); err != nil {
		return m, false, fmt.Errorf("%w: sender %.70q", nodepool.ErrAnswer, r.From)
	}
	if to, err := address.ParseAny(t.To); err == nil {
		m.To = &to
	}
	b, _ := hex.DecodeString(hash) // cannot fail, since it is hexadecimal
	m.Raw = t.found([32]byte(b)).Raw
	m.Moves = r.moves()
	return m, true, nil
}

// price returns the gas price that a transaction paid. Older nodes report it only in the
// transaction, and the deposits of rollups of the OP Stack pay on the other chain.
func (r receiptJSON) price(t transactionJSON) member {
	for _, price := range []member{r.EffectiveGasPrice, t.GasPrice} {
		if _, err := quantityText(price, wholeBits); err == nil {
			return price
		}
	}
	if t.Type == typeDeposit {
		return "0x0"
	}
	return r.EffectiveGasPrice
}

// moves parses the transfers of tokens. Transfers of NFTs have an additional topic for the id.
// Old tokens do not index the parties, so that both are in the data.
func (r receiptJSON) moves() (all []Move) {
	for _, l := range r.Logs {
		if len(l.Topics) == 0 || len(l.Topics) > 3 || !strings.EqualFold(l.Topics[0], transferTopic) || len(all) >= maxMoves {
			continue
		}
		contract, err := address.ParseAny(l.Address)
		if err != nil {
			continue
		}
		words := ""
		for _, part := range append(l.Topics[1:len(l.Topics):len(l.Topics)], l.Data) {
			words += strings.TrimPrefix(part, "0x")
		}
		read, err := hex.DecodeString(words)
		if err != nil || len(read) != 3*len(abi.Word{}) {
			continue
		}
		move := Move{Contract: contract, Units: new(big.Int).SetBytes(read[64:])}
		var parties [2]bool
		move.From, parties[0] = abi.Word(read[:32]).Address()
		move.To, parties[1] = abi.Word(read[32:64]).Address()
		if parties[0] && parties[1] {
			all = append(all, move)
		}
	}
	return all
}
