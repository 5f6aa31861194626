package node

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"time"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/text"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
)

// NFTMove is a transfer of NFTs in the log of their contract.
type NFTMove struct {
	NFTRef
	From, To       address.Address
	Operator       address.Address // account that made a transfer of ERC-1155
	Amount         *big.Int
	Hash           string // hash of the transaction; like BlockHash, 64 hexadecimal digits
	BlockHash      string
	Height         uint64
	Index, LogTurn uint64 // index of the transaction in its block, and of the log
}

// NFTRef identifies the NFTs with an id.
type NFTRef struct {
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

// MaxNFTMoves is the maximum number of transfers that NFTMoves returns.
const MaxNFTMoves = 2_000

// maxOfBatch is the maximum number of ids that are read from one TransferBatch, since a
// contract may log any number.
const maxOfBatch = 200

// NFTMoves returns the transfers of NFTs, of any contract, to or from an address between two
// blocks. more reports whether some were omitted, because there are more than MaxNFTMoves or a
// log has too many. Transfers of the contracts with the most transfers are omitted first. Nodes
// reject queries that are too large; any error except those of ctx may have this reason.
func (p *Pool) NFTMoves(ctx context.Context, addr address.Address, from, to uint64) (list []NFTMove, more bool, err error) {
	word := abi.Address(addr)
	party, erc1155 := text.Hex(word[:]), []string{singleTopic, batchTopic}
	var calls []nodepool.Call
	for _, topics := range [][]any{{transferTopic, party, nil, nil}, {transferTopic, nil, party, nil}, {erc1155, nil, party, nil}, {erc1155, nil, nil, party}} {
		calls = append(calls, call("eth_getLogs", map[string]any{"topics": topics,
			"fromBlock": text.HexNumber(new(big.Int).SetUint64(from)), "toBlock": text.HexNumber(new(big.Int).SetUint64(to))}))
	}
	q := batch("", calls, func(o []nodepool.Outcome) (any, int64, error) {
		var f foundMoves
		for _, outcome := range o {
			if outcome.Err != nil {
				return nil, 0, refusedRange{outcome.Err}
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
	q.Limit, q.Timeout, q.Ranged, q.Nullable = pastLimit, pastTimeout, true, true
	f, err := get[foundMoves](ctx, p, q)
	var fair []NFTMove
	for _, i := range coin.Fair(len(f.moves), MaxNFTMoves, func(i int) string { return f.moves[i].Contract.Plain() }, nil) {
		fair = append(fair, f.moves[i])
	}
	return fair, f.more || len(fair) < len(f.moves), err
}

// foundMoves collects the transfers of several answers without duplicates. A transfer of an
// address to itself is in two answers.
type foundMoves struct {
	moves []NFTMove
	more  bool
	seen  map[string]bool
}

// nftLog is a log in the format of nodes.
type nftLog struct {
	Address, Data, BlockHash, TransactionHash string
	BlockNumber, TransactionIndex, LogIndex   member
	Topics                                    []string
}

// add parses a log. It ignores events that do not have the format of the standards.
func (f *foundMoves) add(l nftLog, of address.Address, from, to uint64) error {
	if len(l.Topics) != 4 { // ERC-20 has the amount instead of the id
		return nil
	}
	m := NFTMove{}
	for _, number := range []struct {
		text member
		into *uint64
	}{{l.BlockNumber, &m.Height}, {l.TransactionIndex, &m.Index}, {l.LogIndex, &m.LogTurn}} {
		n, err := quantityText(number.text, 63)
		if err != nil {
			return err
		}
		*number.into = n.Uint64()
	}
	if m.Height < from || m.Height > to || !isHash(l.TransactionHash) || !isHash(l.BlockHash) {
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
func (m NFTMove) read(l nftLog, more *bool) (all []NFTMove) {
	var topics [4]abi.Word
	for i, text := range l.Topics {
		word, err := data(json.RawMessage(`"` + text + `"`))
		if err != nil || len(word) != len(abi.Word{}) {
			return nil
		}
		topics[i] = abi.Word(word)
	}
	words, err := data(json.RawMessage(`"` + l.Data + `"`))
	if err != nil {
		return nil
	}
	parties := topics[1:3]
	if !strings.EqualFold(l.Topics[0], transferTopic) {
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
		return []NFTMove{m}
	case strings.EqualFold(l.Topics[0], singleTopic):
		if len(words) != 2*len(abi.Word{}) {
			return nil
		}
		m.ID, m.Amount = new(big.Int).SetBytes(words[:32]), new(big.Int).SetBytes(words[32:])
		return []NFTMove{m}
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

// Amount is the number of an NFT that an address has. If it is unknown, Units is nil and Err is
// the reason.
type Amount struct {
	Units *big.Int
	Err   error
}

// NFTAmounts returns the number of each NFT that an address has, which is 0 or 1 for ERC-721.
// NFTs for which the contract refuses the call or returns invalid data do not count.
func (p *Pool) NFTAmounts(ctx context.Context, owner address.Address, list []NFTRef) ([]Amount, error) {
	var inputs []ContractCall
	for _, r := range list {
		input := abi.Call(abi.OwnerOf, abi.Uint(r.ID))
		if r.ERC1155 {
			input = abi.Call(abi.BalanceOfID, abi.Address(owner), abi.Uint(r.ID))
		}
		inputs = append(inputs, ContractCall{r.Contract, input})
	}
	returned, err := p.Returned(ctx, inputs)
	if err != nil {
		return nil, err
	}
	amounts := make([]Amount, len(list))
	for i, r := range list {
		if amounts[i].Err = returned[i].Err; amounts[i].Err != nil {
			continue
		}
		amounts[i].Units = new(big.Int)
		n, err := abi.ReadUint(returned[i].Data, wholeBits)
		switch word := abi.Address(owner); {
		case err != nil:
		case r.ERC1155:
			amounts[i].Units = n
		case n.Cmp(word.Uint()) == 0:
			amounts[i].Units = big.NewInt(1)
		}
	}
	return amounts, nil
}

// ContractCall is a call of a contract's function that changes nothing.
type ContractCall struct {
	Contract address.Address
	Input    []byte
}

// ContractReturn is the result of a ContractCall.
type ContractReturn struct {
	Data []byte // nil if the contract refused the call or its answer is too large
	Err  error  // error of the nodes if the result is unknown
}

// The author of a contract determines the size of its results and the time that nodes need for
// them. returnedLimit limits the size of the answer to a batch of calls, batchTime the time of
// one batch, and returnedTime the time of all. A contract is not called again after maxLarge
// answers that alone exceed returnedLimit.
const (
	returnedLimit = 4 << 20
	batchTime     = 20 * time.Second
	returnedTime  = time.Minute
	maxLarge      = 3
)

// codeTooLarge is the code of go-ethereum for calls of a batch whose answers are too large
// together.
const codeTooLarge = -32003

var errCallsLate = errors.New("the nodes did not answer all calls of contracts in time")

// Returned makes calls in batches that nodes accept. The first calls of all contracts come
// first, then the second ones, and so on. A failed call does not affect calls of other
// contracts. Returned fails if the nodes answered no call.
func (p *Pool) Returned(ctx context.Context, list []ContractCall) ([]ContractReturn, error) {
	bounded, cancel := context.WithTimeout(ctx, returnedTime)
	defer cancel()
	c := &contractCalls{Pool: p, large: map[address.Address]int{}, failed: map[address.Address]error{}}
	all := slices.Repeat([]ContractReturn{{Err: errCallsLate}}, len(list))
	order := coin.InTurns(len(list), func(i int) string { return list[i].Contract.Plain() })
	for part := range slices.Chunk(order, maxBatch) {
		batch := make([]ContractCall, len(part))
		for n, i := range part {
			batch[n] = list[i]
		}
		returned, err := c.returned(bounded, batch)
		if ctx.Err() == nil && bounded.Err() != nil {
			break
		}
		if err != nil {
			return nil, err
		}
		for n, i := range part {
			all[i] = returned[n]
		}
	}
	if len(list) > 0 && !c.answered {
		return nil, cmp.Or(c.failed[list[0].Contract], failed(errCallsLate))
	}
	return all, nil
}

// contractCalls is the state of the calls of Returned.
type contractCalls struct {
	*Pool
	large    map[address.Address]int   // number of answers that were too large, by contract
	failed   map[address.Address]error // errors of contracts for which nodes answered no call, for example because they are slow
	answered bool
}

// returned makes one batch of calls.
func (c *contractCalls) returned(ctx context.Context, list []ContractCall) ([]ContractReturn, error) {
	all := make([]ContractReturn, len(list))
	var places []int
	var calls []nodepool.Call
	for i, one := range list {
		if all[i].Err = c.failed[one.Contract]; all[i].Err == nil && c.large[one.Contract] < maxLarge {
			places = append(places, i)
			calls = append(calls, call("eth_call", map[string]string{"to": one.Contract.Plain(), "data": text.Hex(one.Input)}, "latest"))
		}
	}
	if len(calls) == 0 {
		return all, nil
	}
	q := batch("", calls, readReturned)
	q.Limit, q.Timeout = returnedLimit, batchTime
	results, err := get[[]ContractReturn](ctx, c.Pool, q)
	var refused *nodepool.RPCError
	var unreachable *nodepool.UnreachableError
	switch {
	case ctx.Err() != nil, errors.As(err, &unreachable) && unreachable.Down():
		return nil, cmp.Or(err, ctx.Err())
	case errors.Is(err, fetch.ErrTooLarge) || err == nil && slices.ContainsFunc(results, tooLarge):
		if len(list) == 1 {
			c.large[list[0].Contract]++
			c.answered = true
			return all, nil
		}
		half := len(list) / 2
		return c.parts(ctx, list[:half], list[half:])
	case errors.As(err, &refused): // all nodes reject all calls
		results = slices.Repeat([]ContractReturn{{Err: refused}}, len(calls))
	case err != nil: // the calls of one contract may take too long
		first := list[places[0]].Contract
		of := slices.IndexFunc(list, func(one ContractCall) bool { return one.Contract != first && c.failed[one.Contract] == nil })
		if of >= 0 {
			return c.byContract(ctx, list)
		}
		c.failed[first] = err
		return c.returned(ctx, list)
	}
	c.answered = true
	for n, i := range places {
		all[i] = ContractReturn{results[n].Data, failed(results[n].Err)}
	}
	return all, nil
}

// parts makes several batches, one after the other.
func (c *contractCalls) parts(ctx context.Context, parts ...[]ContractCall) (all []ContractReturn, err error) {
	for _, part := range parts {
		returned, err := c.returned(ctx, part)
		if err != nil {
			return nil, err
		}
		all = append(all, returned...)
	}
	return all, nil
}

// byContract makes a batch for each contract in a list, the smallest batches first.
func (c *contractCalls) byContract(ctx context.Context, list []ContractCall) ([]ContractReturn, error) {
	all, places := make([]ContractReturn, len(list)), map[address.Address][]int{}
	var first []int // index of each contract's first call
	for i, one := range list {
		if len(places[one.Contract]) == 0 {
			first = append(first, i)
		}
		places[one.Contract] = append(places[one.Contract], i)
	}
	slices.SortFunc(first, func(a, b int) int {
		return cmp.Or(len(places[list[a].Contract])-len(places[list[b].Contract]), a-b)
	})
	for _, i := range first {
		contract := list[i].Contract
		var part []ContractCall
		for _, i := range places[contract] {
			part = append(part, list[i])
		}
		returned, err := c.returned(ctx, part)
		if err != nil {
			return nil, err
		}
		for n, i := range places[contract] {
			all[i] = returned[n]
		}
	}
	return all, nil
}

func tooLarge(r ContractReturn) bool {
	var refused *nodepool.RPCError
	return errors.As(r.Err, &refused) && refused.Code == codeTooLarge
}

// readReturned parses the results of calls. It fails if the node answered none of them.
func readReturned(o []nodepool.Outcome) (any, int64, error) {
	all, failures := make([]ContractReturn, len(o)), 0
	for i, outcome := range o {
		if outcome.Err != nil {
			if _, reverted := refusal(outcome.Err).(*RevertError); !reverted {
				all[i].Err = outcome.Err
				failures++
			}
			continue
		}
		returned, err := data(outcome.Result)
		if err != nil {
			return nil, 0, err
		}
		all[i].Data = returned
	}
	if failures == len(o) && !tooLarge(all[0]) {
		return nil, 0, all[0].Err
	}
	return all, 0, nil
}
