package script

import (
	"crypto/sha256"
	"encoding/binary"

	//lint:ignore SA1019 addresses are made with RIPEMD-160
	"golang.org/x/crypto/ripemd160"
)

// Hash160 is RIPEMD160(SHA256(b)): what addresses and P2SH commit to.
func Hash160(b []byte) (out [20]byte) {
	first := sha256.Sum256(b)
	h := ripemd160.New()
	h.Write(first[:])
	h.Sum(out[:0])
	return out
}

// AppendPush appends a push of data with the length prefix upstream's CScript <<
// gives a byte vector: never OP_1 to OP_16, also for one small byte.
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

// PushData is a script that pushes data.
func PushData(data []byte) []byte { return AppendPush(make([]byte, 0, len(data)+5), data) }

// AppendNumber appends the shortest push of n, as CScript << int64 does: a block
// height in a coinbase, a lock time.
func AppendNumber(script []byte, n int64) []byte {
	switch {
	case n == 0:
		return append(script, Op0)
	case n == -1 || n >= 1 && n <= 16:
		return append(script, byte(n+Op1-1))
	}
	return AppendPush(script, encodeNumber(n))
}

// PayToPubKey pays to the owner of a 33- or 65-byte public key.
func PayToPubKey(pub []byte) []byte { return append(PushData(pub), OpCheckSig) }

// PayToPubKeyHash pays to the owner of the key with this Hash160.
func PayToPubKeyHash(hash [20]byte) []byte {
	return append(AppendPush([]byte{OpDup, OpHash160}, hash[:]), OpEqualVerify, OpCheckSig)
}

// PayToScriptHash pays to who shows a script with this Hash160 and satisfies it
// (BIP 16).
func PayToScriptHash(hash [20]byte) []byte {
	return append(AppendPush([]byte{OpHash160}, hash[:]), OpEqual)
}

// NullData carries payload in an unspendable output.
func NullData(payload []byte) []byte { return AppendPush([]byte{OpReturn}, payload) }
