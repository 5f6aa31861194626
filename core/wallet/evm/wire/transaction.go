package wire

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/btcsuite/btcd/btcec/v2/ecdsa"

	"obverse/core/wallet/evm/address"
)

// Transaction is an unsigned transaction. Amounts are in the smallest unit of the network's coin.
type Transaction struct {
	ChainID uint64
	Nonce   uint64   // number of transactions that the account has sent
	MaxFee  *big.Int // highest price of a unit of gas; the exact price if Tip is nil
	Tip     *big.Int // tip of EIP-1559 in addition to the base fee; nil means a legacy transaction
	Gas     uint64   // limit
	To      address.Address
	Deploys bool // whether Data creates a contract; To is empty then
	Value   *big.Int
	Data    []byte
}

// First bytes of typed transactions.
const (
	typeAccess = 1 // EIP-2930
	typeFees   = 2 // EIP-1559
)

// Fee returns the highest fee that the transaction may cost.
func (t Transaction) Fee() *big.Int {
	return new(big.Int).Mul(new(big.Int).SetUint64(t.Gas), t.MaxFee)
}

func uint64Item(n uint64) item { return integer(new(big.Int).SetUint64(n)) }

func (t Transaction) to() item {
	if t.Deploys {
		return text(nil)
	}
	return text(t.To[:])
}

// body returns the members of the transaction without the signature.
func (t Transaction) body() []item {
	if t.Tip == nil {
		return []item{uint64Item(t.Nonce), integer(t.MaxFee), uint64Item(t.Gas), t.to(), integer(t.Value), text(t.Data)}
	}
	return []item{uint64Item(t.ChainID), uint64Item(t.Nonce), integer(t.Tip), integer(t.MaxFee), uint64Item(t.Gas), t.to(),
		integer(t.Value), text(t.Data), list()}
}

// SigningHash returns the hash to be signed, which is the hash of Unsigned.
func (t Transaction) SigningHash() [32]byte { return address.Keccak(t.Unsigned()) }

// Unsigned encodes the transaction without a signature. The result is hashed and signed.
func (t Transaction) Unsigned() []byte {
	if t.Tip == nil {
		return list(append(t.body(), t.chainMembers()...)...)
	}
	return append([]byte{typeFees}, list(t.body()...)...)
}

// chainMembers returns the last members of an unsigned legacy transaction (EIP-155).
func (t Transaction) chainMembers() []item {
	return []item{uint64Item(t.ChainID), integer(new(big.Int)), integer(new(big.Int))}
}

// UnsignedTail returns the number of bytes at the end of Unsigned in place of the signature. A
// device that receives Unsigned in parts must receive these bytes together with the previous
// ones, since Unsigned without them is a complete transaction for any chain.
func (t Transaction) UnsignedTail() int {
	if t.Tip != nil {
		return 0
	}
	n := 0
	for _, member := range t.chainMembers() {
		n += len(member)
	}
	return n
}

// Signed encodes the transaction with a signature, which is r, s and the recovery number 0 or
// 1.
func (t Transaction) Signed(signature [65]byte) []byte {
	r, s, recovery := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:64]), big.NewInt(int64(signature[64]))
	if t.Tip == nil {
		return list(append(t.body(), integer(recovery.Add(recovery, t.LegacyV())), integer(r), integer(s))...)
	}
	return append([]byte{typeFees}, list(append(t.body(), integer(recovery), integer(r), integer(s))...)...)
}

// LegacyV returns the number that EIP-155 adds to the recovery number of a legacy transaction.
func (t Transaction) LegacyV() *big.Int {
	v := new(big.Int).SetUint64(t.ChainID)
	return v.Add(v.Lsh(v, 1), big.NewInt(legacyV))
}

// Numbers that are added to the recovery number of a legacy transaction. EIP-155 also adds
// twice the chain id; the other number is for transactions for any chain.
const (
	legacyV = 35
	anyV    = 27
)

// Hash returns the hash of a signed transaction.
func Hash(raw []byte) [32]byte { return address.Keccak(raw) }

// Sent is a decoded signed transaction of any type.
type Sent struct {
	ChainID *big.Int // nil means any chain
	Nonce   uint64
	From    address.Address
	Content
}

// Content is the effect of a transaction, and the fee that it offers.
type Content struct {
	To     *address.Address // nil means that it creates a contract
	Value  *big.Int
	Data   []byte
	Gas    uint64
	MaxFee *big.Int // price of a unit of gas
	Tip    *big.Int // nil means a legacy transaction
}

// ErrRaw means that bytes are not a signed transaction.
var ErrRaw = errors.New("not a signed transaction")

// Decode decodes a signed transaction. It supports legacy transactions, EIP-2930, EIP-1559 and
// later types with the same first members.
func Decode(raw []byte) (Sent, error) {
	if len(raw) == 0 {
		return Sent{}, ErrRaw
	}
	kind, envelope := raw[0], raw[1:]
	at, members := 1, 0 // index of the nonce, and number of members
	switch {
	case kind >= shortList: // legacy
		kind, envelope = 0, raw
		at, members = 0, 9
	case kind == typeAccess:
		members = 11
	case kind == typeFees:
		members = 12
	}
	all, err := fields(envelope)
	if err != nil {
		return Sent{}, fmt.Errorf("%w: %w", ErrRaw, err)
	}
	if members == 0 || len(all) != members {
		return Sent{}, fmt.Errorf("%w: unsupported type %d with %d members", ErrRaw, kind, len(all))
	}
	nonce, v := new(big.Int).SetBytes(all[at]), new(big.Int).SetBytes(all[members-3])
	if !nonce.IsUint64() {
		return Sent{}, fmt.Errorf("%w: nonce has %d bits, limit is 64", ErrRaw, nonce.BitLen())
	}
	s := Sent{Nonce: nonce.Uint64()}
	if s.Content, err = content(all[at+1:], kind == typeFees); err != nil {
		return Sent{}, err
	}
	var hash [32]byte
	if kind == 0 {
		hash, v, s.ChainID = legacyHash(all, v)
	} else {
		s.ChainID = new(big.Int).SetBytes(all[0])
		hash = address.Keccak([]byte{kind}, unsigned(envelope))
	}
	s.From, err = Signer(hash, v, all[members-2], all[members-1])
	return s, err
}

// content decodes the members after the nonce.
func content(rest [][]byte, fees bool) (s Content, err error) {
	if fees {
		s.Tip, rest = new(big.Int).SetBytes(rest[0]), rest[1:]
	}
	s.MaxFee, s.Value, s.Data = new(big.Int).SetBytes(rest[0]), new(big.Int).SetBytes(rest[3]), rest[4]
	gas, to := new(big.Int).SetBytes(rest[1]), rest[2]
	if !gas.IsUint64() || len(to) != 0 && len(to) != address.Size {
		return s, fmt.Errorf("%w: gas has %d bits and the recipient %d bytes", ErrRaw, gas.BitLen(), len(to))
	}
	s.Gas = gas.Uint64()
	if len(to) > 0 {
		s.To = (*address.Address)(to)
	}
	return s, nil
}

// legacyHash returns the hash of a legacy transaction that was signed.
func legacyHash(all [][]byte, v *big.Int) (hash [32]byte, recovery, chain *big.Int) {
	var body []item
	for _, field := range all[:6] {
		body = append(body, text(field))
	}
	if v.Cmp(big.NewInt(legacyV)) < 0 {
		return address.Keccak(list(body...)), new(big.Int).Sub(v, big.NewInt(anyV)), nil
	}
	v = new(big.Int).Sub(v, big.NewInt(legacyV))
	recovery, chain = new(big.Int).And(v, big.NewInt(1)), new(big.Int).Rsh(v, 1)
	return address.Keccak(list(append(body, integer(chain), text(nil), text(nil))...)), recovery, chain
}

// unsigned returns a list without its last three members. The list must be valid.
func unsigned(whole []byte) []byte {
	content, _, _, _ := take(whole)
	var ends []int
	for rest := content; len(rest) > 0; {
		_, _, rest, _ = take(rest)
		ends = append(ends, len(content)-len(rest))
	}
	return list(item(content[:ends[len(ends)-4]]))
}

// Signer returns the account that signed a hash. It fails with ErrRaw if the signature is
// invalid. The recovery number is 0 or 1.
func Signer(hash [32]byte, recovery *big.Int, r, s []byte) (a address.Address, err error) {
	if !recovery.IsUint64() || recovery.Uint64() > 1 || len(r) > 32 || len(s) > 32 {
		return a, fmt.Errorf("%w: invalid signature", ErrRaw)
	}
	const compressed = 27 + 4 // first byte of a compact signature of a compressed key
	var compact [65]byte
	compact[0] = compressed + byte(recovery.Uint64())
	copy(compact[33-len(r):33], r)
	copy(compact[65-len(s):], s)
	public, _, err := ecdsa.RecoverCompact(compact[:], hash[:])
	if err != nil {
		return a, fmt.Errorf("%w: the signature yields no public key", ErrRaw)
	}
	return address.FromKey([33]byte(public.SerializeCompressed()))
}
