package script

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/btcsuite/btcd/btcutil/base58"
	//lint:ignore SA1019 addresses require RIPEMD-160
	"golang.org/x/crypto/ripemd160"
)

// Address versions. The main network and regtest share them (chainparams.cpp).
const (
	PubKeyHashVersion = 60 // R…
	ScriptHashVersion = 85 // b…
)

// Errors of ParseAddress.
var (
	ErrAddressFormat   = errors.New("address is not base58check")
	ErrAddressChecksum = errors.New("address has a wrong checksum")
	ErrAddressSize     = errors.New("address does not hold 20 bytes")
	ErrAddressVersion  = errors.New("address is of another chain")
)

// Address is the destination of an output: the Hash160 of a public key or of a bare condition
// script (PubKeyHashVersion), or of a redeem script (ScriptHashVersion).
type Address struct {
	Version byte
	Hash    [20]byte
}

// PubKeyAddress returns the address of a public key, and of any bytes hashed like one.
func PubKeyAddress(pub []byte) Address { return Address{PubKeyHashVersion, Hash160(pub)} }

// ScriptAddress returns the P2SH address of a redeem script.
func ScriptAddress(redeem []byte) Address { return Address{ScriptHashVersion, Hash160(redeem)} }

// maxAddressText exceeds the 34 characters of an address by far. Longer texts are not decoded,
// since the time to decode a text grows with the square of its length.
const maxAddressText = 64

// ParseAddress parses the base58check text of an address of this family of chains. The error is
// one of those above.
func ParseAddress(text string) (Address, error) {
	if len(text) > maxAddressText {
		return Address{}, ErrAddressSize
	}
	hash, version, err := base58.CheckDecode(text)
	switch {
	case errors.Is(err, base58.ErrChecksum):
		return Address{}, ErrAddressChecksum
	case err != nil:
		return Address{}, ErrAddressFormat
	case len(hash) != 20:
		return Address{}, fmt.Errorf("%w: %d", ErrAddressSize, len(hash))
	case version != PubKeyHashVersion && version != ScriptHashVersion:
		return Address{}, fmt.Errorf("%w: version %d", ErrAddressVersion, version)
	}
	return Address{version, [20]byte(hash)}, nil
}

// String returns the base58check text.
func (a Address) String() string { return base58.CheckEncode(a.Hash[:], a.Version) }

// MarshalText returns the base58check text.
func (a Address) MarshalText() ([]byte, error) { return []byte(a.String()), nil }

// UnmarshalText parses a text like ParseAddress.
func (a *Address) UnmarshalText(b []byte) (err error) {
	*a, err = ParseAddress(string(b))
	return err
}

// PkScript returns the output script that pays to the address. For the address of a condition
// it returns a P2PKH script, as in komodod, because the two kinds of addresses cannot be
// distinguished.
func (a Address) PkScript() []byte {
	if a.Version == ScriptHashVersion {
		return PayToScriptHash(a.Hash)
	}
	return PayToPubKeyHash(a.Hash)
}

// Hash160 returns RIPEMD160(SHA256(b)), the hash in addresses and P2SH scripts.
func Hash160(b []byte) (out [20]byte) {
	first := sha256.Sum256(b)
	h := ripemd160.New()
	h.Write(first[:])
	h.Sum(out[:0])
	return out
}

// AppendPush appends a push of data with a length prefix, like the operator << of CScript for a
// byte vector: it never uses OP_1 to OP_16, not even for a single small byte.
func AppendPush(script, data []byte) []byte {
	switch n := len(data); {
	case n < OpPushData1:
		script = append(script, byte(n))
	case n <= 0xff:
		script = append(script, OpPushData1, byte(n))
	case n <= 0xffff:
		script = binary.LittleEndian.AppendUint16(append(script, OpPushData2), uint16(n))
	default:
		script = binary.LittleEndian.AppendUint32(append(script, OpPushData4), uint32(n))
	}
	return append(script, data...)
}

// PushData returns a script that pushes data.
func PushData(data []byte) []byte { return AppendPush(make([]byte, 0, len(data)+5), data) }

// AppendNumber appends the shortest push of n, like the operator << of CScript for an int64. It
// is used for the height in a coinbase and for lock times.
func AppendNumber(script []byte, n int64) []byte {
	switch {
	case n == 0:
		return append(script, Op0)
	case n == -1 || n >= 1 && n <= 16:
		return append(script, byte(n+Op1-1))
	}
	return AppendPush(script, encodeNumber(n))
}

// PayToPubKey returns a script that pays to a 33- or 65-byte public key.
func PayToPubKey(pub []byte) []byte { return append(PushData(pub), OpCheckSig) }

// PayToPubKeyHash returns a script that pays to the key with the given Hash160.
func PayToPubKeyHash(hash [20]byte) []byte {
	return append(AppendPush([]byte{OpDup, OpHash160}, hash[:]), OpEqualVerify, OpCheckSig)
}

// PayToScriptHash returns a script that pays to anyone who provides a script with the given
// Hash160 and satisfies it (BIP 16).
func PayToScriptHash(hash [20]byte) []byte {
	return append(AppendPush([]byte{OpHash160}, hash[:]), OpEqual)
}

// NullData returns an unspendable output script that carries a payload.
func NullData(payload []byte) []byte { return AppendPush([]byte{OpReturn}, payload) }

// Type is a standard form of output script.
type Type uint8

// Types of output scripts (script/standard.h txnouttype).
const (
	TypeNonStandard Type = iota
	TypePubKey
	TypePubKeyHash
	TypeScriptHash
	TypeMultiSig
	TypeNullData
	TypeCryptoCondition
)

var typeNames = [...]string{"nonstandard", "pubkey", "pubkeyhash", "scripthash", "multisig", "nulldata",
	"cryptocondition"}

// String returns the name used in RPC answers.
func (t Type) String() string { return typeNames[t] }

// Class is the result of classifying an output script.
type Class struct {
	Type      Type
	ReqSigs   int       // number of signatures required to spend; 0 if RPC answers omit it
	Addresses []Address // empty for nonstandard and nulldata
	PubKeys   [][]byte  // keys of pubkey and multisig; they share memory with the script

	// Locked reports whether the script has a prefix with OP_CHECKLOCKTIMEVERIFY. Addresses and
	// RPC answers describe the rest of the script; the relay policy does not.
	Locked bool
}

// IsStandard reports whether the mempool relays an output of this class. The mempool checks the
// size of nulldata separately (script/standard.cpp IsStandard).
func (c Class) IsStandard() bool {
	const maxKeys = 9
	if c.Locked || c.Type == TypeMultiSig && len(c.PubKeys) > maxKeys {
		return false
	}
	return c.Type != TypeNonStandard
}

// ArgsExpected returns the number of values that a standard scriptSig for this class leaves on
// the stack, without those for a redeem script. It returns -1 if there is no such number
// (script/standard.cpp ScriptSigArgsExpected).
func (c Class) ArgsExpected() int {
	switch c.Type {
	case TypePubKey, TypeScriptHash, TypeCryptoCondition:
		return 1
	case TypePubKeyHash:
		return 2
	case TypeMultiSig:
		return c.ReqSigs + 1
	}
	return -1
}

// Classify recognises the standard forms and their addresses (script/standard.cpp
// ExtractDestinations). The only option that matters is NoCC, with which condition scripts are
// nonstandard.
func Classify(pkScript []byte, options ...Flags) Class {
	noCC := false
	for _, o := range options {
		noCC = noCC || o&NoCC != 0
	}
	locked := false
	for {
		rest, ok := cutLockTime(pkScript)
		if !ok {
			break
		}
		pkScript, locked = rest, true
	}
	c := solve(pkScript, noCC)
	c.Locked = locked
	return c
}

// cutLockTime removes `<time> OP_CHECKLOCKTIMEVERIFY OP_DROP` from the start of a script. Like
// komodod's IsCheckLockTimeVerify, it does not check the third opcode, and uses the first byte
// as the size of the push.
func cutLockTime(script []byte) (rest []byte, ok bool) {
	it := Iterate(script)
	if !it.Next() || len(it.Data) > lockTimeSize || len(it.Data)+1 >= len(script) ||
		script[len(it.Data)+1] != OpCheckLockTimeVerify {
		return nil, false
	}
	return script[min(len(script), int(script[0])+3):], true
}

// solve tries the standard forms in komodod's order (script/standard.cpp Solver).
func solve(script []byte, noCC bool) Class {
	if isPayToScriptHash(script) {
		return addressed(TypeScriptHash, Address{ScriptHashVersion, [20]byte(script[2:22])})
	}
	if len(script) > 0 && script[0] == OpReturn && IsPushOnly(script[1:]) {
		return Class{Type: TypeNullData}
	}
	if bare, ok := BareCondition(script); ok && !noCC {
		return conditionClass(bare)
	}
	if pub, ok := matchPubKey(script); ok {
		c := addressed(TypePubKey, PubKeyAddress(pub))
		c.PubKeys = [][]byte{pub}
		return c
	}
	if isPayToPubKeyHash(script) {
		return addressed(TypePubKeyHash, Address{PubKeyHashVersion, [20]byte(script[3:23])})
	}
	return multiSigClass(script)
}

func addressed(t Type, a Address) Class {
	return Class{Type: t, ReqSigs: 1, Addresses: []Address{a}}
}

func isPayToScriptHash(s []byte) bool {
	return len(s) == 23 && s[0] == OpHash160 && s[1] == 20 && s[22] == OpEqual
}

func isPayToPubKeyHash(s []byte) bool {
	return len(s) == 25 && s[0] == OpDup && s[1] == OpHash160 && s[2] == 20 &&
		s[23] == OpEqualVerify && s[24] == OpCheckSig
}

func matchPubKey(s []byte) (pub []byte, ok bool) {
	n := len(s)
	if n != 35 && n != 67 || int(s[0]) != n-2 || s[n-1] != OpCheckSig || !isKeySize(s[1:n-1]) {
		return nil, false
	}
	return s[1 : n-1 : n-1], true
}

func multiSigClass(script []byte) Class {
	it := Iterate(script)
	if !it.Next() || !isSmallCount(it.Op) {
		return Class{}
	}
	c := Class{Type: TypeMultiSig, ReqSigs: smallCount(it.Op)}
	for it.Next() && isKeySize(it.Data) {
		c.PubKeys = append(c.PubKeys, it.Data)
		c.Addresses = append(c.Addresses, PubKeyAddress(it.Data))
	}
	rest := it.Rest()
	if !isSmallCount(it.Op) || smallCount(it.Op) != len(c.PubKeys) || len(c.PubKeys) < c.ReqSigs ||
		len(rest) != 1 || rest[0] != OpCheckMultiSig {
		return Class{}
	}
	return c
}
