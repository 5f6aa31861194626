package script

import (
	"encoding/binary"
	"errors"
	"sync"

	"github.com/dchest/blake2b"

	"obverse/core/chain/wire"
)

// Hash types. The hash type is the last byte of a signature.
const (
	SigHashAll          = 0x01
	SigHashNone         = 0x02
	SigHashSingle       = 0x03
	SigHashAnyoneCanPay = 0x80

	sigHashMask = 0x1f
)

// Errors of SignatureHash. komodod throws an exception in both cases, which makes a signature
// check fail.
var (
	ErrNoInput  = errors.New("no such input")
	ErrNoOutput = errors.New("no matching output for SIGHASH_SINGLE")
)

// SigHashes holds the hashes that all signatures of one overwintered transaction share. The
// hashes are computed when they are first needed. A SigHashes is safe for concurrent use. The
// transaction must not change, except for its scriptSigs.
type SigHashes struct {
	tx   *wire.Tx
	once sync.Once

	prevOuts, sequences, outputs        wire.Hash
	joinSplits, spends, shieldedOutputs wire.Hash
}

// NewSigHashes returns the hashes of tx. For a legacy transaction, which has no shared hashes,
// the result is unused.
func NewSigHashes(tx *wire.Tx) *SigHashes { return &SigHashes{tx: tx} }

// SignatureHash returns the hash that a signature of input index signs (script/interpreter.cpp
// SignatureHash): for an overwintered transaction the hash of ZIP 143 or ZIP 243, otherwise
// Bitcoin's original hash, which from version 2 on includes the joinsplits.
//
// The scriptCode is the script that checks the signature, amount is the value of the spent
// output in satoshis, and branchID is the consensus branch id at the transaction's height. The
// argument hashes may be nil. The error is ErrNoInput or, for legacy transactions only,
// ErrNoOutput.
func SignatureHash(tx *wire.Tx, index int, scriptCode []byte, amount int64, hashType, branchID uint32,
	hashes *SigHashes) (wire.Hash, error) {
	if index < 0 || index >= len(tx.Inputs) {
		return wire.Hash{}, ErrNoInput
	}
	if !tx.Overwintered {
		return legacyHash(tx, index, scriptCode, hashType)
	}
	if hashes == nil {
		hashes = NewSigHashes(tx)
	}
	hashes.once.Do(hashes.compute)
	b := make([]byte, 0, 320+len(scriptCode))
	b = hashes.appendCommitments(b, index, hashType)
	in := &tx.Inputs[index]
	b = in.PrevOut.Append(b)
	b = wire.AppendVarBytes(b, scriptCode)
	b = wire.AppendInt64(b, amount)
	b = wire.AppendUint32(b, in.Sequence)
	person := [blake2b.PersonSize]byte{'Z', 'c', 'a', 's', 'h', 'S', 'i', 'g', 'H', 'a', 's', 'h'}
	binary.LittleEndian.PutUint32(person[12:], branchID)
	return personalHash(person[:], b), nil
}

// appendCommitments appends the hashed data that precedes the input.
func (h *SigHashes) appendCommitments(b []byte, index int, hashType uint32) []byte {
	tx := h.tx
	b = wire.AppendUint32(b, tx.Header())
	b = wire.AppendUint32(b, tx.VersionGroupID)
	prevOuts, sequences, outputs := h.selected(index, hashType)
	b = append(append(append(b, prevOuts[:]...), sequences[:]...), outputs[:]...)
	b = append(b, h.joinSplits[:]...)
	if tx.IsSapling() {
		b = append(append(b, h.spends[:]...), h.shieldedOutputs[:]...)
	}
	b = wire.AppendUint32(b, tx.LockTime)
	b = wire.AppendUint32(b, tx.ExpiryHeight)
	if tx.IsSapling() {
		b = wire.AppendInt64(b, tx.ValueBalance)
	}
	return wire.AppendUint32(b, hashType)
}

// selected returns the shared hashes, with zeros in place of those that the hash type excludes.
func (h *SigHashes) selected(index int, hashType uint32) (prevOuts, sequences, outputs wire.Hash) {
	base := hashType & sigHashMask
	all := base != SigHashNone && base != SigHashSingle
	if hashType&SigHashAnyoneCanPay == 0 {
		prevOuts = h.prevOuts
		if all {
			sequences = h.sequences
		}
	}
	switch {
	case all:
		outputs = h.outputs
	case base == SigHashSingle && index < len(h.tx.Outputs):
		outputs = personalHash([]byte("ZcashOutputsHash"), h.tx.Outputs[index].Append(nil))
	}
	return prevOuts, sequences, outputs
}

func (h *SigHashes) compute() {
	tx := h.tx
	b := make([]byte, 0, 512)
	for i := range tx.Inputs {
		b = tx.Inputs[i].PrevOut.Append(b)
	}
	h.prevOuts = personalHash([]byte("ZcashPrevoutHash"), b)
	b = b[:0]
	for i := range tx.Inputs {
		b = wire.AppendUint32(b, tx.Inputs[i].Sequence)
	}
	h.sequences = personalHash([]byte("ZcashSequencHash"), b)
	b = b[:0]
	for i := range tx.Outputs {
		b = tx.Outputs[i].Append(b)
	}
	h.outputs = personalHash([]byte("ZcashOutputsHash"), b)
	h.computeShielded(b[:0])
}

// computeShielded computes the hashes of the shielded parts. The hash of an empty list is zero.
func (h *SigHashes) computeShielded(b []byte) {
	tx := h.tx
	if len(tx.JoinSplits) > 0 {
		h.joinSplits = personalHash([]byte("ZcashJSplitsHash"), tx.AppendJoinSplits(b))
	}
	if len(tx.Spends) > 0 {
		unsigned := b
		for i := range tx.Spends {
			unsigned = tx.Spends[i].AppendUnsigned(unsigned)
		}
		h.spends = personalHash([]byte("ZcashSSpendsHash"), unsigned)
	}
	if len(tx.ShieldedOutputs) > 0 {
		h.shieldedOutputs = personalHash([]byte("ZcashSOutputHash"), tx.AppendShieldedOutputs(b))
	}
}

// personalHash returns the BLAKE2b-256 hash of data with a 16-byte personalisation.
func personalHash(person, data []byte) (out wire.Hash) {
	h, err := blake2b.New(&blake2b.Config{Size: uint8(len(out)), Person: person})
	if err != nil {
		panic(err) // cannot happen, since the sizes are constant
	}
	h.Write(data)
	h.Sum(out[:0])
	return out
}

// legacyHash serialises the transaction, without the parts that the hash type excludes, and
// hashes it twice with SHA-256.
func legacyHash(tx *wire.Tx, index int, scriptCode []byte, hashType uint32) (wire.Hash, error) {
	base := hashType & sigHashMask
	if base == SigHashSingle && index >= len(tx.Outputs) {
		return wire.Hash{}, ErrNoOutput
	}
	b := make([]byte, 0, 512+len(scriptCode))
	b = wire.AppendUint32(b, tx.Header())
	b = appendLegacyInputs(b, tx, index, scriptCode, hashType)
	b = appendLegacyOutputs(b, tx, index, base)
	b = wire.AppendUint32(b, tx.LockTime)
	if tx.Version >= 2 {
		b = wire.AppendCompactSize(b, uint64(len(tx.JoinSplits)))
		b = tx.AppendJoinSplits(b)
		if len(tx.JoinSplits) > 0 {
			b = append(b, make([]byte, len(tx.JoinSplitSig))...)
		}
	}
	return wire.HashOf(wire.AppendUint32(b, hashType)), nil
}

func appendLegacyInputs(b []byte, tx *wire.Tx, index int, scriptCode []byte, hashType uint32) []byte {
	inputs, signed := tx.Inputs, index
	if hashType&SigHashAnyoneCanPay != 0 {
		inputs, signed = tx.Inputs[index:index+1], 0
	}
	base := hashType & sigHashMask
	othersOpen := base == SigHashNone || base == SigHashSingle
	b = wire.AppendCompactSize(b, uint64(len(inputs)))
	for i := range inputs {
		code, sequence := []byte(nil), inputs[i].Sequence
		if i == signed {
			code = scriptCode
		} else if othersOpen {
			sequence = 0
		}
		b = inputs[i].PrevOut.Append(b)
		b = wire.AppendVarBytes(b, code)
		b = wire.AppendUint32(b, sequence)
	}
	return b
}

func appendLegacyOutputs(b []byte, tx *wire.Tx, index int, base uint32) []byte {
	outputs := tx.Outputs
	switch base {
	case SigHashNone:
		outputs = nil
	case SigHashSingle:
		outputs = outputs[:index+1]
	}
	b = wire.AppendCompactSize(b, uint64(len(outputs)))
	blank := wire.TxOut{Value: -1}
	for i := range outputs {
		out := &outputs[i]
		if base == SigHashSingle && i != index {
			out = &blank
		}
		b = out.Append(b)
	}
	return b
}
