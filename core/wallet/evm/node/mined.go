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

// Mined is a transaction in a block, and what it did.
type Mined struct {
	Hash   string // 64 hexadecimal digits
	Height uint64
	Index  uint32
	Block  string // hash
	Raw    []byte // empty if it is of a kind that is not read
	From   address.Address
	To     *address.Address // nil: it made a contract
	Value  *big.Int
	Gas    uint64   // that was used
	Fee    *big.Int // that was paid
	Price  *big.Int // of a unit of gas
	Failed bool
	Moves  []Move // of tokens
}

// Move is a transfer of a token, as its contract logs it.
type Move struct {
	Contract, From, To address.Address
	Units              *big.Int
}

// PaymentIn returns the payment that a transaction makes with a call of ERC-20's transfer, or
// nil.
func PaymentIn(sent wire.Sent) *Payment {
	_, units, pays := abi.ReadTransfer(sent.Data)
	if !pays || sent.To == nil || units.Sign() == 0 {
		return nil
	}
	return &Payment{*sent.To, sent.From}
}

// MovedNothing returns the payment of a transaction that succeeded but logged no transfer of it, or
// nil.
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

// Limits of answers about the past.
const (
	pastLimit   = 16 << 20 // bytes
	pastTimeout = 30 * time.Second
	maxMoves    = 10_000 // of one transaction
	timeBits    = 37     // of a block's time in seconds: until the year 6325
)

// Reference names a transaction by its hash, and the block that its source reports.
type Reference struct {
	Hash   string // 64 hexadecimal digits
	Height uint64
}

// Transfers finds the transactions between two blocks in whose logs tokens came
// to an address or left it, as one node has them. Nodes refuse what is too much for them: any error
// but those of ctx may be such a refusal.
func (p *Pool) Transfers(ctx context.Context, contracts []address.Address, addr address.Address, from, to uint64) ([]Reference, error) {
	return get[[]Reference](ctx, p, transfersQuestion(contracts, addr, from, to))
}

// AllTransfers is Transfers of all nodes together: one that leaves out a payment hides nothing.
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
	q.Limit, q.Timeout, q.Ranged, q.Nullable = pastLimit, pastTimeout, true, true // some nodes have null for an empty list
	return q
}

// refusedRange is a node's answer that a range of blocks is too much for it, or that it does
// not have them.
type refusedRange struct{ *nodepool.RPCError }

// Final implements nodepool.Verdict: another node may take the range, or have the blocks.
func (refusedRange) Final() bool { return false }

// Unwrap gives the node's error.
func (r refusedRange) Unwrap() error { return r.RPCError }

func isHash(s string) bool {
	b, err := text.ParseHex(s)
	return err == nil && len(b) == 32
}

// MaxMined is how many transactions Mined takes.
const MaxMined = maxBatch / 2

// Lookup is the answer of the nodes about transactions.
type Lookup struct {
	Mined []Mined // that are in a block, as most nodes have them
	// Disputed holds transactions that some nodes have in a block, as one of them has them, but most
	// nodes do not, or not in the same form.
	Disputed []Mined
	Alone    bool // it is the word of one server while others are silent, see nodepool.Pool.Agree
}

// Mined looks at transactions by their hashes at all nodes. Those that are in no block are left out.
//
// Nodes that keep no index of old transactions do not have them by their hashes. If they are needed
// for more than half, their blocks decide whether there is the transaction.
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

// meanings are all that a node says of a transaction, and what nodes must say alike: some do not show
// all of its fee, or of how it was signed.
func (m Mined) meanings() [2]any {
	all, _ := json.Marshal(m) // which is possible
	m.Raw, m.Gas, m.Fee, m.Price = nil, 0, nil, nil
	encoded, _ := json.Marshal(m)
	return [2]any{string(all), string(encoded)}
}

// receiptJSON is a receipt as nodes show it.
type receiptJSON struct {
	TransactionHash, BlockHash, From   string
	BlockNumber, TransactionIndex      member
	GasUsed, EffectiveGasPrice, Status member
	L1Fee                              member // of rollups: for the chain that keeps their data
	Logs                               []struct {
		Address string
		Topics  []string
		Data    string
	}
}

// readMined puts a transaction and its receipt together.
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
	if t.FeeCurrency == "" { // else the fee is paid in another coin
		m.Fee.Mul(gas, m.Price).Add(m.Fee, l1)
	}
	if m.From, err = address.ParseAny(r.From); err != nil {
		return m, false, fmt.Errorf("%w: sender %.70q", nodepool.ErrAnswer, r.From)
	}
	if to, err := address.ParseAny(t.To); err == nil {
		m.To = &to
	}
	b, _ := hex.DecodeString(hash) // which it is
	m.Raw = t.found([32]byte(b)).Raw
	m.Moves = r.moves()
	return m, true, nil
}

// price returns the price of gas that a transaction paid. Older nodes show it with the transaction
// alone, and the deposits of rollups of the OP Stack pay on the other chain.
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

// moves reads the transfers of tokens: those of NFTs have the id as a topic more. Old tokens index
// neither party, so that both are in the data.
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
