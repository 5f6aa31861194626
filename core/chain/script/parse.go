package script

import (
	"encoding/binary"
)

// Limits of scripts (script/script.h, script/interpreter.cpp).
const (
	MaxScriptSize = 10000 // in bytes
	MaxPushSize   = 520   // in bytes, of one pushed value
	MaxOps        = 201   // number of opcodes above OP_16, plus the keys of multisigs
	MaxStackSize  = 1000  // number of values on both stacks
	MaxMultiKeys  = 20    // number of keys of one multisig
)

// Iterator iterates over the opcodes of a script, like komodod's GetOp.
//
//	for it := Iterate(script); it.Next(); { ... it.Op, it.Data ... }
type Iterator struct {
	Op   byte   // current opcode, or OpInvalid if Next returned false
	Data []byte // pushed data, a part of the script; nil for other opcodes
	rest []byte
	bad  bool
}

// Iterate returns an iterator positioned before the first opcode.
func Iterate(script []byte) Iterator { return Iterator{rest: script} }

// Next advances to the next opcode. It returns false at the end of the script and at a push
// that exceeds it; Bad distinguishes the two.
func (it *Iterator) Next() bool {
	it.Op, it.Data = OpInvalid, nil
	if len(it.rest) == 0 || it.bad {
		return false
	}
	op, size, header := it.rest[0], 0, 1
	if op <= OpPushData4 {
		if size, header = pushSize(it.rest); size < 0 || size > len(it.rest)-header {
			it.bad = true
			return false
		}
		it.Data = it.rest[header : header+size : header+size]
	}
	it.Op, it.rest = op, it.rest[header+size:]
	return true
}

// Bad reports whether the script ended inside a push.
func (it *Iterator) Bad() bool { return it.bad }

// Rest returns the bytes after the current opcode.
func (it *Iterator) Rest() []byte { return it.rest }

// pushSize returns the size of the push at the start of b, and the size of its opcode and
// length. The size is -1 if the length itself is truncated.
func pushSize(b []byte) (size, header int) {
	switch op := b[0]; {
	case op < OpPushData1:
		return int(op), 1
	case op == OpPushData1 && len(b) >= 2:
		return int(b[1]), 2
	case op == OpPushData2 && len(b) >= 3:
		return int(binary.LittleEndian.Uint16(b[1:])), 3
	case op == OpPushData4 && len(b) >= 5:
		if n := binary.LittleEndian.Uint32(b[1:]); n <= 1<<30 {
			return int(n), 5
		}
	}
	return -1, 0
}

// IsPushOnly reports whether the script contains only pushes. OP_RESERVED counts as a push, as
// in komodod; running it fails anyway.
func IsPushOnly(script []byte) bool {
	it := Iterate(script)
	for it.Next() {
		if it.Op > Op16 {
			return false
		}
	}
	return !it.Bad()
}

// IsUnspendable reports whether no spend of the output script can succeed, because the script
// starts with OP_RETURN or is too long to run.
func IsUnspendable(pkScript []byte) bool {
	return len(pkScript) > 0 && pkScript[0] == OpReturn || len(pkScript) > MaxScriptSize
}

// MinimalPush reports whether op is the shortest opcode that pushes data
// (MINIMALDATA, BIP 62 rule 3).
func MinimalPush(op byte, data []byte) bool {
	switch n := len(data); {
	case n == 0:
		return op == Op0
	case n == 1 && data[0] >= 1 && data[0] <= 16:
		return op == Op1-1+data[0]
	case n == 1 && data[0] == 0x81:
		return op == Op1Negate
	case n < OpPushData1:
		return int(op) == n
	case n <= 0xff:
		return op == OpPushData1
	case n <= 0xffff:
		return op == OpPushData2
	}
	return true
}

// SigOps counts the signature operations of a script without running it. A multisig counts as
// 20. Blocks limit this number (GetLegacySigOpCount).
func SigOps(script []byte) int { return countSigOps(script, false) }

// P2SHSigOps counts the signature operations of the redeem script, which is the last push of
// scriptSig. A multisig counts as its number of keys. The result is 0 if pkScript is not a
// script hash or scriptSig contains anything but pushes (GetP2SHSigOpCount).
func P2SHSigOps(scriptSig, pkScript []byte) int {
	if !isPayToScriptHash(pkScript) || !IsPushOnly(scriptSig) {
		return 0
	}
	return countSigOps(lastPush(scriptSig), true)
}

func lastPush(script []byte) (data []byte) {
	for it := Iterate(script); it.Next(); {
		data = it.Data
	}
	return data
}

func countSigOps(script []byte, accurate bool) (n int) {
	last := byte(OpInvalid)
	for it := Iterate(script); it.Next(); last = it.Op {
		switch it.Op {
		case OpCheckSig, OpCheckSigVerify:
			n++
		case OpCheckMultiSig, OpCheckMultiSigVerify:
			if accurate && isSmallCount(last) {
				n += smallCount(last)
			} else {
				n += MaxMultiKeys
			}
		}
	}
	return n
}

// isSmallCount reports whether op is OP_1 through OP_16.
func isSmallCount(op byte) bool { return op >= Op1 && op <= Op16 }

func smallCount(op byte) int { return int(op) - Op1 + 1 }

// Sizes of the numbers that opcodes accept, in bytes.
const (
	numberSize   = 4 // arithmetic
	lockTimeSize = 5 // OP_CHECKLOCKTIMEVERIFY supports times after 2038
)

// parseNumber parses a little-endian number with its sign in the highest bit. If the number is
// longer than limit bytes or, with minimal, not in its shortest form, parseNumber returns
// ErrUnknown, because komodod throws an exception (script/script.h CScriptNum).
func parseNumber(b []byte, limit int, minimal bool) (int64, error) {
	if len(b) > limit || minimal && !isMinimalNumber(b) {
		return 0, ErrUnknown
	}
	return decodeNumber(b), nil
}

func decodeNumber(b []byte) (n int64) {
	if len(b) == 0 {
		return 0
	}
	for i, v := range b {
		n |= int64(v) << (8 * i)
	}
	sign := int64(0x80) << (8 * (len(b) - 1))
	if n&sign != 0 {
		return -(n &^ sign)
	}
	return n
}

// isMinimalNumber reports whether a number has its shortest form. The last byte must not
// contain only a sign, unless the byte before it uses its own highest bit.
func isMinimalNumber(b []byte) bool {
	n := len(b)
	if n == 0 || b[n-1]&0x7f != 0 {
		return true
	}
	return n > 1 && b[n-2]&0x80 != 0
}

// encodeNumber returns the shortest form of n.
func encodeNumber(n int64) []byte {
	if n == 0 {
		return nil
	}
	magnitude := uint64(n)
	if n < 0 {
		magnitude = -magnitude
	}
	b := make([]byte, 0, 9)
	for v := magnitude; v > 0; v >>= 8 {
		b = append(b, byte(v))
	}
	if b[len(b)-1]&0x80 != 0 {
		b = append(b, 0)
	}
	if n < 0 {
		b[len(b)-1] |= 0x80
	}
	return b
}

// truth reports whether a value is true. Zero of any length and sign is false.
func truth(b []byte) bool {
	for i, v := range b {
		if v != 0 {
			return !(i == len(b)-1 && v == 0x80)
		}
	}
	return false
}

func encodeBool(v bool) []byte {
	if v {
		return []byte{1}
	}
	return nil
}
