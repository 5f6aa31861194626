package node

import (
	"cmp"
	"context"
	"encoding/json"
	"math/big"
	"strings"

	"obverse/core/net/nodepool"
	"obverse/core/text"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/wire"
)

// Found is a transaction that a node has.
type Found struct {
	// Raw is the signed transaction with the requested hash. It is empty if its type is not
	// supported; then the other fields are empty too.
	Raw  []byte
	From address.Address
	wire.Transaction
}

// Transaction returns a transaction in a block or a pending one, which it checks against its
// hash. It fails with a NotFoundError.
func (p *Pool) Transaction(ctx context.Context, hash [32]byte) (Found, error) {
	q := one("", "eth_getTransactionByHash", func(result json.RawMessage) (any, int64, error) {
		if string(result) == "null" {
			return nil, 0, NotFoundError{}
		}
		var s transactionJSON
		if err := nodepool.Read(result, &s); err != nil {
			return nil, 0, err
		}
		if !strings.EqualFold(s.Hash, text.Hex(hash[:])) {
			return nil, 0, nodepool.ErrOtherID
		}
		return s.found(hash), 0, nil
	}, text.Hex(hash[:]))
	q.Nullable = true
	return Ask[Found](ctx, p, q)
}

// Raw returns a signed transaction of any type. Not all nodes have the method. It returns the
// errors of Transaction.
func (p *Pool) Raw(ctx context.Context, hash [32]byte) ([]byte, error) {
	q := one("", "eth_getRawTransactionByHash", func(result json.RawMessage) (any, int64, error) {
		if string(result) == "null" || string(result) == `"0x"` {
			return nil, 0, NotFoundError{}
		}
		raw, err := ReadBytes(result)
		if err == nil && wire.Hash(raw) != hash {
			err = nodepool.ErrOtherID
		}
		return raw, 0, err
	}, text.Hex(hash[:]))
	q.Nullable = true
	return Ask[[]byte](ctx, p, q)
}

// transactionJSON is a transaction in the format of nodes.
type transactionJSON struct {
	Hash, To, Input                  string
	Type, ChainID, Nonce, Gas, Value Member
	V, YParity, R, S                 Member
	GasPrice, MaxFeePerGas           Member
	Tip                              Member            `json:"maxPriorityFeePerGas"`
	Access                           []json.RawMessage `json:"accessList"`
	FeeCurrency                      Member            // token that paid the fee, in Celo (CIP-64)
}

// Types of transactions: with a single price and of EIP-1559, which are supported, and deposits
// of the OP Stack, which have no signature.
const (
	typePrice   = "0x0"
	typeFees    = "0x2"
	typeDeposit = "0x7e"
)

// found encodes the transaction. If the data was changed, the hash differs.
func (s transactionJSON) found(hash [32]byte) Found {
	t, ok := s.transaction()
	if !ok {
		return Found{}
	}
	signature, ok := s.signature(t)
	if !ok {
		return Found{}
	}
	raw := t.Signed(signature)
	sent, err := wire.Decode(raw)
	if err != nil || wire.Hash(raw) != hash {
		return Found{}
	}
	return Found{raw, sent.From, t}
}

func (s transactionJSON) transaction() (t wire.Transaction, ok bool) {
	var err error
	if t.Data, err = text.ParseHex(s.Input); err != nil {
		return t, false
	}
	if t.Deploys = s.To == ""; !t.Deploys {
		if t.To, err = address.ParseAny(s.To); err != nil {
			return t, false
		}
	}
	fees := s.Type == typeFees
	if !fees && s.Type != typePrice && s.Type != "" || len(s.Access) > 0 {
		return t, false
	}
	price, tip := s.GasPrice, Member("0x0")
	if fees {
		price, tip = s.MaxFeePerGas, s.Tip
	}
	chain, nonce, gas := new(big.Int), new(big.Int), new(big.Int)
	t.MaxFee, t.Tip, t.Value = new(big.Int), new(big.Int), new(big.Int)
	for _, number := range []struct {
		text Member
		bits int
		into *big.Int
	}{{s.chain(), 64, chain}, {s.Nonce, 64, nonce}, {s.Gas, 64, gas}, {price, wholeBits, t.MaxFee}, {tip, wholeBits, t.Tip}, {s.Value, wholeBits, t.Value}} {
		n, err := number.text.Int(number.bits)
		if err != nil {
			return t, false
		}
		number.into.Set(n)
	}
	if !fees {
		t.Tip = nil
	}
	t.ChainID, t.Nonce, t.Gas = chain.Uint64(), nonce.Uint64(), gas.Uint64()
	return t, true
}

// chain returns the id of the chain. Many nodes omit it in transactions with a single price,
// which have it in V (EIP-155).
func (s transactionJSON) chain() Member {
	const begin = 35
	v, err := s.V.Int(80)
	if s.ChainID != "" || err != nil || v.Cmp(big.NewInt(begin)) < 0 {
		return s.ChainID
	}
	return Member(text.HexNumber(v.Sub(v, big.NewInt(begin)).Rsh(v, 1)))
}

// signature parses r, s and the recovery number, which is in V, and for newer types also in
// YParity.
func (s transactionJSON) signature(t wire.Transaction) (signature [65]byte, ok bool) {
	v, err := cmp.Or(s.V, s.YParity).Int(80)
	if err != nil {
		return signature, false
	}
	if t.Tip == nil {
		v.Sub(v, t.LegacyV())
	}
	if !v.IsUint64() || v.Uint64() > 1 {
		return signature, false
	}
	for i, text := range []Member{s.R, s.S} {
		n, err := text.Int(wholeBits)
		if err != nil {
			return signature, false
		}
		n.FillBytes(signature[32*i : 32*i+32])
	}
	signature[64] = byte(v.Uint64())
	return signature, true
}
