package wire

import (
	"errors"
	"fmt"
	"math/big"

	"github.com/btcsuite/btcd/btcec/v2/ecdsa"

	"obverse/core/wallet/evm/address"
)

// Transaction is one that is not signed. Amounts are in the smallest unit of the
// network's coin.
type Transaction struct {
	ChainID uint64
	Nonce   uint64   // how many transactions the account has sent before
	MaxFee  *big.Int // at most this for a unit of gas; all of it if there is no Tip
	Tip     *big.Int // of EIP-1559, beyond the network's own price; nil: a transaction with one price
	Gas     uint64   // at most
	To      address.Address
	Deploys bool // Data makes a contract; To is empty
	Value   *big.Int
	Data    []byte
}

// How transactions of kinds that came later begin.
const (
	typeAccess = 1 // EIP-2930
	typeFees   = 2 // EIP-1559
)

// Fee is what the transaction may cost.
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

// body lists the members without those of a signature.
func (t Transaction) body() []item {
	if t.Tip == nil {
		return []item{uint64Item(t.Nonce), integer(t.MaxFee), uint64Item(t.Gas), t.to(), integer(t.Value), text(t.Data)}
	}
	return []item{uint64Item(t.ChainID), uint64Item(t.Nonce), integer(t.Tip), integer(t.MaxFee), uint64Item(t.Gas), t.to(),
		integer(t.Value), text(t.Data), list()}
}

// SigningHash is what is signed: the hash of Unsigned.
func (t Transaction) SigningHash() [32]byte { return address.Keccak(t.Unsigned()) }

// Unsigned writes what is hashed and signed.
func (t Transaction) Unsigned() []byte {
	if t.Tip == nil {
		return list(append(t.body(), t.chainMembers()...)...)
	}
	return append([]byte{typeFees}, list(t.body()...)...)
}

// chainMembers end a transaction with one price that is not signed (EIP-155).
func (t Transaction) chainMembers() []item {
	return []item{uint64Item(t.ChainID), integer(new(big.Int)), integer(new(big.Int))}
}

// UnsignedTail is how many bytes at the end of Unsigned stand where a signature will be.
// Who reads Unsigned in parts must not meet its end before them: without them it is a
// whole transaction of any chain.
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

// Signed writes the transaction with a signature: r, s, and the recovery number, 0 or 1.
func (t Transaction) Signed(signature [65]byte) []byte {
	r, s, recovery := new(big.Int).SetBytes(signature[:32]), new(big.Int).SetBytes(signature[32:64]), big.NewInt(int64(signature[64]))
	if t.Tip == nil {
		return list(append(t.body(), integer(recovery.Add(recovery, t.LegacyV())), integer(r), integer(s))...)
	}
	return append([]byte{typeFees}, list(append(t.body(), integer(recovery), integer(r), integer(s))...)...)
}

// LegacyV is what EIP-155 adds to the recovery number of a transaction with one price.
func (t Transaction) LegacyV() *big.Int {
	v := new(big.Int).SetUint64(t.ChainID)
	return v.Add(v.Lsh(v, 1), big.NewInt(legacyV))
}

// What is added to the recovery number of a transaction with one price: EIP-155's, beside
// twice the chain's id, and that of transactions for any chain.
const (
	legacyV = 35
	anyV    = 27
)

// Hash names a signed transaction.
func Hash(raw []byte) [32]byte { return address.Keccak(raw) }

// Sent is what can be read of a signed transaction of any kind.
type Sent struct {
	ChainID *big.Int // nil: it is for any
	Nonce   uint64
	From    address.Address
	Content
}

// Content is what a transaction does, and what it offers for it.
type Content struct {
	To     *address.Address // nil: it makes a contract
	Value  *big.Int
	Data   []byte
	Gas    uint64
	MaxFee *big.Int // for a unit of gas
	Tip    *big.Int // nil: one price
}

// ErrRaw says that bytes are no signed transaction.
var ErrRaw = errors.New("not a signed transaction")

// Decode reads a signed transaction: one with one price, of EIP-2930, or of EIP-1559 and
// those after it that begin alike.
func Decode(raw []byte) (Sent, error) {
	if len(raw) == 0 {
		return Sent{}, ErrRaw
	}
	kind, envelope := raw[0], raw[1:]
	at, members := 1, 0 // where the nonce is, and how many there are
	switch {
	case kind >= shortList: // it has no type
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

// content reads the members behind the nonce.
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

// legacyHash is what was signed of a transaction with one price.
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

// unsigned is a list without its last three members, which were read before.
func unsigned(whole []byte) []byte {
	content, _, _, _ := take(whole)
	var ends []int
	for rest := content; len(rest) > 0; {
		_, _, rest, _ = take(rest)
		ends = append(ends, len(content)-len(rest))
	}
	return list(item(content[:ends[len(ends)-4]]))
}

// Signer is the account that signed a hash; its error is ErrRaw if none did. The recovery
// number is 0 or 1.
func Signer(hash [32]byte, recovery *big.Int, r, s []byte) (a address.Address, err error) {
	if !recovery.IsUint64() || recovery.Uint64() > 1 || len(r) > 32 || len(s) > 32 {
		return a, fmt.Errorf("%w: invalid signature", ErrRaw)
	}
	const compressed = 27 + 4 // how a signature of 65 bytes begins that tells a compressed key
	var compact [65]byte
	compact[0] = compressed + byte(recovery.Uint64())
	copy(compact[33-len(r):33], r)
	copy(compact[65-len(s):], s)
	public, _, err := ecdsa.RecoverCompact(compact[:], hash[:])
	if err != nil {
		return a, fmt.Errorf("%w: the signature yields no public key", ErrRaw)
	}
	return address.OfKey([33]byte(public.SerializeCompressed()))
}
