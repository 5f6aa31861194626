package node

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"sort"

	"obverse/core/net/nodepool"
	"obverse/core/text"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/wire"
)

// Fees holds the current costs of gas, in the smallest unit of the coin. Each number is the
// median of the nodes' answers, so that it is between two numbers of honest nodes as long as
// more than half of the nodes are honest. For an even number of answers it is the lower of the
// two in the middle.
type Fees struct {
	GasPrice *big.Int // price for a transaction with a single price
	BaseFee  *big.Int // base fee of the next block; nil means that the network has no base fee
	Rising   bool     // whether BaseFee is higher than the base fee of the previous block
	// Low, Tip and High are tips in addition to the base fee. They are at least as high as the
	// tips of a quarter, half and three quarters of the latest transactions. They are nil
	// without a BaseFee.
	Low, Tip, High *big.Int

	DataFee *big.Int // fee of a rollup for storing the transaction's data on another chain; 0 means none
	// OperatorFee is the fee that a rollup takes for itself for each transaction, and
	// OperatorFeePerGiga the additional fee for 10^9 gas; 0 or nil means none.
	OperatorFee, OperatorFeePerGiga *big.Int
	TransferGas                     *big.Int // gas of the simplest transaction, at least MinTransferGas

	// Agreed reports whether more than half of the nodes answered, and more than one.
	// Otherwise a single node may have chosen the numbers.
	Agreed bool
}

// Beyond returns the fee that a rollup takes in addition to the price of gas, for all of the
// gas that the transaction may use. It returns nil if the network is not a rollup.
func (f Fees) Beyond(gas uint64) *big.Int {
	if f.DataFee == nil || f.OperatorFee == nil || f.OperatorFeePerGiga == nil {
		return f.DataFee
	}
	gasFee := new(big.Int).Mul(new(big.Int).SetUint64(gas), f.OperatorFeePerGiga)
	gasFee.Add(gasFee, big.NewInt(giga-1)).Div(gasFee, big.NewInt(giga))
	return gasFee.Add(gasFee, f.OperatorFee).Add(gasFee, f.DataFee)
}

const giga = 1_000_000_000

// MinTransferGas is the gas of a transfer of the coin on networks that do not change it.
const MinTransferGas = 21_000

// Parameters of the requested history of fees: the number of blocks, and the percentiles of the
// tips of their transactions.
const (
	feeBlocks = "0x5"
	priceBits = 128 // bits of the price of a unit of gas
)

var feePercentiles = []int{25, 50, 75}

var errNoFees = errors.New("no fee history")

// gasPriceOracle is the contract that returns the data fee on rollups of the OP Stack.
const gasPriceOracle = "0x420000000000000000000000000000000000000F"

// Fees queries all nodes for the price of gas and the cost of a transaction's data. A nil Value
// is not known yet. The answer is at most five seconds old.
func (p *Pool) Fees(ctx context.Context, c Call) (Fees, error) {
	unsigned := c.largest()
	size := abi.Uint(big.NewInt(int64(len(unsigned))))
	calls := []nodepool.Call{Request("eth_gasPrice"), Request("eth_feeHistory", feeBlocks, "latest", feePercentiles), Request("eth_maxPriorityFeePerGas"),
		Request("eth_estimateGas", map[string]string{"from": address.Address{}.Plain(), "to": simplestReceiver, "value": "0x0"}),
		oracle(abi.Call(abi.L1FeeUpperBound, size)), oracle(abi.CallBytes(abi.L1Fee, unsigned))}
	q := batch(quantityFees, calls, readFees)
	q.Nullable = true
	votes, err := p.CachedPoll(ctx, q, settledFees)
	if err != nil {
		return Fees{}, Failed(err)
	}
	f := agreedFees(votes, p.Servers())
	if f.DataFee.Sign() > 0 {
		err = p.operatorFee(ctx, &f)
	}
	return f, err
}

// oracle returns a call of gasPriceOracle.
func oracle(input []byte) nodepool.Call {
	return Request("eth_call", map[string]string{"to": gasPriceOracle, "data": text.Hex(input)}, "latest")
}

// operatorFee queries a rollup's own fee, which is a linear function of gas (OP Stack,
// Isthmus). Older oracles do not support it.
func (p *Pool) operatorFee(ctx context.Context, f *Fees) error {
	type fee = [2]*big.Int // fees for no gas and for giga gas
	of := func(gas int64) nodepool.Call { return oracle(abi.Call(abi.OperatorFee, abi.Uint(big.NewInt(gas)))) }
	q := batch(quantityFees, []nodepool.Call{of(0), of(giga)}, func(o []nodepool.Outcome) (any, int64, error) {
		read := fee{oracleFee(o[0]), oracleFee(o[1])}
		if read[0] == nil || read[1] == nil || read[1].Cmp(read[0]) < 0 {
			return fee{new(big.Int), new(big.Int)}, 0, nil
		}
		return read, 0, nil
	})
	sorted := func(votes []nodepool.Vote, i int) (all []*big.Int) {
		for _, v := range votes {
			all = append(all, v.Answer.(fee)[i])
		}
		sortNumbers(all)
		return all
	}
	votes, err := p.CachedPoll(ctx, q, func(votes []nodepool.Vote, missing int) bool {
		for i := range 2 {
			if low, high := medians(sorted(votes, i), missing); low == nil || !near(low, high, low) {
				return false
			}
		}
		return true
	})
	if err != nil {
		return Failed(err)
	}
	f.OperatorFee = median(sorted(votes, 0))
	f.OperatorFeePerGiga = new(big.Int).Sub(larger(median(sorted(votes, 1)), f.OperatorFee), f.OperatorFee)
	return nil
}

// simplestReceiver is an address without an owner and without a contract.
const simplestReceiver = "0x000000000000000000000000000000000000dead"

// largest returns the unsigned transaction of a call, in which unknown numbers are as large as
// possible.
func (c Call) largest() []byte {
	bits := func(n uint) *big.Int { return new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), n), big.NewInt(1)) }
	t := wire.Transaction{ChainID: bits(32).Uint64(), Nonce: bits(24).Uint64(), MaxFee: bits(48), Tip: bits(40), Gas: bits(24).Uint64(),
		To: c.To, Deploys: c.Deploys, Value: c.Value, Data: c.Data}
	if t.Value == nil {
		t.Value = bits(80)
	}
	return t.Unsigned()
}

// readFees parses the answers of one node. Either the price or the history of fees is required.
// The others may be missing, since nodes lack methods or answer null.
func readFees(o []nodepool.Outcome) (any, int64, error) {
	f := Fees{GasPrice: optional(o[0], priceBits), DataFee: new(big.Int), TransferGas: big.NewInt(MinTransferGas)}
	if o[1].Err == nil {
		f.history(o[1].Result, optional(o[2], priceBits))
	}
	switch {
	case f.GasPrice != nil:
	case f.BaseFee != nil:
		f.GasPrice = new(big.Int).Add(f.BaseFee, f.Tip)
	case o[0].Err != nil:
		return nil, 0, Refusal(o[0].Err)
	default:
		_, err := quantity(o[0].Result, priceBits)
		return nil, 0, err
	}
	if gas := optional(o[3], gasBits); gas != nil {
		f.TransferGas = larger(f.TransferGas, gas)
	}
	for _, answer := range o[4:] { // both are empty if there is no oracle, and the first fails for older oracles
		if fee := oracleFee(answer); fee != nil {
			f.DataFee = fee
			break
		}
	}
	return f, 0, nil
}

// oracleFee parses an answer of gasPriceOracle. It returns nil if there is no fee.
func oracleFee(answer nodepool.Outcome) *big.Int {
	if answer.Err != nil {
		return nil
	}
	returned, err := ReadBytes(answer.Result)
	if err != nil {
		return nil
	}
	fee, err := abi.ReadUint(returned, priceBits)
	if err != nil {
		return nil
	}
	return fee
}

// history parses the result of eth_feeHistory if it is valid. No tip is lower than the node's
// suggestion. If no recent transaction paid a tip, it is at least the difference between the
// node's price and the base fee.
func (f *Fees) history(result json.RawMessage, suggested *big.Int) {
	h, err := readHistory(result)
	if err != nil || len(h.Base) == 0 {
		return
	}
	base, err := h.Base[len(h.Base)-1].Int(priceBits)
	if err != nil || base.Sign() == 0 {
		return
	}
	if len(h.Base) > 1 {
		before, err := h.Base[len(h.Base)-2].Int(priceBits)
		f.Rising = err == nil && base.Cmp(before) > 0
	}
	f.BaseFee = base
	lowest := new(big.Int)
	if suggested != nil {
		lowest = suggested
	}
	for level, tip := range []**big.Int{&f.Low, &f.Tip, &f.High} {
		if tips := h.tips(level); len(tips) > 0 {
			lowest = larger(lowest, tips[len(tips)/2])
		} else if f.GasPrice != nil {
			lowest = larger(lowest, new(big.Int).Sub(f.GasPrice, base))
		}
		*tip = lowest
	}
}

func larger(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

// feeHistory is the result of eth_feeHistory.
type feeHistory struct {
	Base    []Member   `json:"baseFeePerGas"`
	Rewards [][]Member `json:"reward"`
}

func readHistory(result json.RawMessage) (h feeHistory, err error) {
	if err := nodepool.Read(result, &h); err != nil {
		return h, err
	}
	const maxRewards = 64 // far fewer were requested
	if len(h.Base) > maxRewards || len(h.Rewards) > maxRewards {
		return h, fmt.Errorf("%w: %w", nodepool.ErrAnswer, errNoFees)
	}
	return h, nil
}

// tips returns the sorted tips of one percentile.
func (h feeHistory) tips(level int) (tips []*big.Int) {
	for _, rewards := range h.Rewards {
		if level >= len(rewards) {
			continue
		}
		tip, err := rewards[level].Int(priceBits)
		if err == nil && tip.Sign() > 0 { // blocks without transactions have none
			tips = append(tips, tip)
		}
	}
	sortNumbers(tips)
	return tips
}

// feeNumbers holds accessors of the numbers that nodes agree on.
var feeNumbers = []func(*Fees) **big.Int{
	func(f *Fees) **big.Int { return &f.GasPrice }, func(f *Fees) **big.Int { return &f.BaseFee },
	func(f *Fees) **big.Int { return &f.Low }, func(f *Fees) **big.Int { return &f.Tip }, func(f *Fees) **big.Int { return &f.High },
	func(f *Fees) **big.Int { return &f.DataFee }, func(f *Fees) **big.Int { return &f.TransferGas },
}

// agreedFees combines the answers of a number of servers. The network has a base fee if more
// than half of the answers have one.
func agreedFees(votes []nodepool.Vote, servers int) (f Fees) {
	rising, based := 0, 0
	for _, v := range votes {
		if s := v.Answer.(Fees); s.BaseFee != nil {
			based++
			if s.Rising {
				rising++
			}
		}
	}
	f.Rising = 2*rising > len(votes)
	for _, of := range feeNumbers {
		numbers := feesSaid(votes, of)
		if len(numbers) == len(votes) || 2*based > len(votes) {
			*of(&f) = median(numbers)
		}
	}
	f.Agreed = len(votes) > 1 && 2*len(votes) > servers
	return f
}

// feesSaid returns the sorted answers for one of the numbers, without nodes that lack it.
func feesSaid(votes []nodepool.Vote, of func(*Fees) **big.Int) (numbers []*big.Int) {
	for _, v := range votes {
		s := v.Answer.(Fees)
		if n := *of(&s); n != nil {
			numbers = append(numbers, n)
		}
	}
	sortNumbers(numbers)
	return numbers
}

// sortNumbers sorts numbers with package sort, which a page contains anyway. Package slices
// would add 14 kB of code for another type.
func sortNumbers(list []*big.Int) {
	sort.Slice(list, func(i, j int) bool { return list[i].Cmp(list[j]) < 0 })
}

// median returns the median of sorted numbers, or the lower of the two in the middle.
func median(sorted []*big.Int) *big.Int { return sorted[(len(sorted)-1)/2] }

// settledFees reports whether the missing answers cannot change the result much.
func settledFees(votes []nodepool.Vote, missing int) bool {
	var price *big.Int
	for i, of := range feeNumbers {
		numbers := feesSaid(votes, of)
		absent := len(votes) - len(numbers)
		if total := len(votes) + missing; 2*absent > total {
			continue
		} else if absent > 0 && 2*len(numbers) <= total { // it is undecided whether the network has a base fee
			return false
		}
		low, high := medians(numbers, missing)
		if low == nil {
			return false
		}
		scale := low
		if i == 0 {
			price = low
		} else if i <= lastPrice {
			scale = larger(price, low)
		}
		if !near(low, high, scale) {
			return false
		}
	}
	return true
}

// lastPrice is the index of the last of feeNumbers that is part of the price of a unit of gas.
const lastPrice = 4

// medians returns the lowest and the highest possible median of sorted numbers and some missing
// ones. It returns nil if any is possible.
func medians(sorted []*big.Int, missing int) (low, high *big.Int) {
	middle := (len(sorted) + missing - 1) / 2
	if middle < missing || middle >= len(sorted) {
		return nil, nil
	}
	return sorted[middle-missing], sorted[middle]
}

// near reports whether two numbers differ by at most a quarter of scale.
func near(low, high, scale *big.Int) bool {
	difference := new(big.Int).Sub(high, low)
	return difference.Lsh(difference, 2).Cmp(scale) <= 0
}
