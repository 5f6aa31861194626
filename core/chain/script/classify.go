package script

// Type is a standard form of output script.
type Type uint8

// The types (script/standard.h txnouttype).
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

// String is the name in RPC answers.
func (t Type) String() string { return typeNames[t] }

// Class is the result of classifying an output script.
type Class struct {
	Type      Type
	ReqSigs   int       // signatures it takes to spend; 0 where RPC answers leave it out
	Addresses []Address // none for nonstandard and nulldata
	PubKeys   [][]byte  // the keys of pubkey and multisig, parts of the script

	// Locked reports whether the rest follows an OP_CHECKLOCKTIMEVERIFY prefix, which
	// addresses and RPC answers look through and relay policy does not.
	Locked bool
}

// IsStandard reports whether the mempool relays an output of this class. The size
// of nulldata is the mempool's own rule (script/standard.cpp IsStandard).
func (c Class) IsStandard() bool {
	const maxKeys = 9
	if c.Locked || c.Type == TypeMultiSig && len(c.PubKeys) > maxKeys {
		return false
	}
	return c.Type != TypeNonStandard
}

// ArgsExpected is how many values a standard scriptSig leaves for this class, not
// counting those of a redeem script; -1 when there is no such number
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

// Classify recognises the standard forms and their addresses
// (script/standard.cpp ExtractDestinations). Of the options it looks at NoCC:
// condition scripts are then nonstandard.
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

// cutLockTime removes `<time> OP_CHECKLOCKTIMEVERIFY OP_DROP`. It is as easily
// fooled as upstream's IsCheckLockTimeVerify: it does not look at the third
// opcode, and takes the first byte for the size of the push.
func cutLockTime(script []byte) (rest []byte, ok bool) {
	it := Iterate(script)
	if !it.Next() || len(it.Data) > lockTimeSize || len(it.Data)+1 >= len(script) ||
		script[len(it.Data)+1] != OpCheckLockTimeVerify {
		return nil, false
	}
	return script[min(len(script), int(script[0])+3):], true
}

// solve tries the forms in upstream's order (script/standard.cpp Solver).
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
