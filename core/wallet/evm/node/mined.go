package node

import (
	"cmp"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"

	"obverse/core/net/nodepool"
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

// TransferTopic is the Keccak-256 of Transfer(address,address,uint256).
const TransferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

// maxMoves is the maximum number of transfers that are read of one transaction.
const maxMoves = 10_000

// receiptJSON is a receipt in the format of nodes.
type receiptJSON struct {
	TransactionHash, BlockHash, From   string
	BlockNumber, TransactionIndex      Member
	GasUsed, EffectiveGasPrice, Status Member
	L1Fee                              Member // fee of rollups for the chain that stores their data
	Logs                               []struct {
		Address string
		Topics  []string
		Data    string
	}
}

// ReadMined parses a transaction and its receipt. mined is false if it is in no block yet.
func ReadMined(hash string, tx, receipt json.RawMessage) (m Mined, mined bool, err error) {
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
		text Member
		bits int
		into *big.Int
	}{{r.BlockNumber, 63, height}, {r.TransactionIndex, 32, index}, {r.GasUsed, 64, gas}, {r.price(t), wholeBits, m.Price}, {t.Value, wholeBits, m.Value}, {cmp.Or(r.L1Fee, "0x0"), wholeBits, l1}} {
		n, err := number.text.Int(number.bits)
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
func (r receiptJSON) price(t transactionJSON) Member {
	for _, price := range []Member{r.EffectiveGasPrice, t.GasPrice} {
		if _, err := price.Int(wholeBits); err == nil {
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
		if len(l.Topics) == 0 || len(l.Topics) > 3 || !strings.EqualFold(l.Topics[0], TransferTopic) || len(all) >= maxMoves {
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
