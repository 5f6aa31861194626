package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
)

// MaxSolutionSize is the size of an Equihash (200,9) solution.
const MaxSolutionSize = 1344

// HeaderSize is the size of a header without its solution.
const HeaderSize = 140

// Header is a block header in Komodo's layout (primitives/block.h). The hash covers the
// solution and its size.
type Header struct {
	Version     uint32
	Prev        Hash
	MerkleRoot  Hash
	SaplingRoot Hash // hashFinalSaplingRoot
	Time        uint32
	Bits        uint32
	Nonce       Hash
	Solution    []byte // at most MaxSolutionSize bytes
}

// Block is a header with its transactions. The first transaction is the coinbase.
type Block struct {
	Header
	Txs []*Tx
}

// AppendUnsolved appends the 140 bytes before the solution.
func (h *Header) AppendUnsolved(b []byte) []byte {
	b = AppendUint32(b, h.Version)
	b = appendHashes(b, h.Prev, h.MerkleRoot, h.SaplingRoot)
	b = AppendUint32(AppendUint32(b, h.Time), h.Bits)
	return append(b, h.Nonce[:]...)
}

// Append appends the whole header.
func (h *Header) Append(b []byte) []byte { return AppendVarBytes(h.AppendUnsolved(b), h.Solution) }

// Hash returns the block hash.
func (h *Header) Hash() Hash { return HashOf(h.Append(make([]byte, 0, HeaderSize+3+len(h.Solution)))) }

// ReadHeader reads one header.
func ReadHeader(r *Reader) Header {
	return Header{
		Version:     r.Uint32(),
		Prev:        r.Hash(),
		MerkleRoot:  r.Hash(),
		SaplingRoot: r.Hash(),
		Time:        r.Uint32(),
		Bits:        r.Uint32(),
		Nonce:       r.Hash(),
		Solution:    r.VarBytes(MaxSolutionSize),
	}
}

// Encode returns the wire form of the block.
func (b *Block) Encode() []byte {
	out := b.Header.Append(nil)
	out = AppendCompactSize(out, uint64(len(b.Txs)))
	for _, tx := range b.Txs {
		out = tx.Append(out)
	}
	return out
}

// Span is the position of a transaction in its block's bytes.
type Span struct{ Offset, Size uint32 }

// DecodeBlock decodes a block, which must be all of b.
func DecodeBlock(b []byte) (*Block, error) {
	block, _, err := DecodeBlockSpans(b)
	return block, err
}

// DecodeBlockSpans decodes a block and returns the position of each transaction, so that an
// index can refer to the stored block instead of storing a copy.
func DecodeBlockSpans(b []byte) (*Block, []Span, error) {
	r := NewReader(b)
	if len(b) > MaxBlockSize {
		r.Fail(ErrTooLarge)
	}
	block := &Block{Header: ReadHeader(r)}
	const minTxSize = 10
	n := r.Count(minTxSize)
	spans := make([]Span, n)
	block.Txs = make([]*Tx, n)
	for i := range block.Txs {
		start := r.Pos()
		block.Txs[i] = ReadTx(r)
		spans[i] = Span{uint32(start), uint32(r.Pos() - start)}
		if r.Err() != nil {
			break
		}
	}
	if err := r.End(); err != nil {
		return nil, nil, err
	}
	return block, spans, nil
}

// MerkleRoot returns the root of transaction ids. The result repeated reports whether the list
// repeats a pair of siblings, in which case a shorter list has the same root (CVE-2012-2459).
// Such a block must be refused.
func MerkleRoot(ids []Hash) (root Hash, repeated bool) {
	if len(ids) == 0 {
		return Hash{}, false
	}
	level := append([]Hash(nil), ids...)
	for len(level) > 1 {
		if len(level)%2 == 1 {
			level = append(level, level[len(level)-1])
		} else if pair := level[len(level)-2:]; pair[0] == pair[1] {
			repeated = true
		}
		for i := 0; i < len(level); i += 2 {
			level[i/2] = HashOf(appendHashes(make([]byte, 0, 64), level[i], level[i+1]))
		}
		level = level[:len(level)/2]
	}
	return level[0], repeated
}

// ErrHashText reports a text that does not consist of 64 hexadecimal digits.
var ErrHashText = errors.New("hash must be 64 hexadecimal digits")

// Hash is a double SHA-256 hash in wire order. Its text form (String, ParseHash) has the bytes
// in the reverse order, as in all RPC answers of komodod.
type Hash [32]byte

// HashOf returns SHA256(SHA256(b)).
func HashOf(b []byte) Hash {
	first := sha256.Sum256(b)
	return sha256.Sum256(first[:])
}

// ParseHash parses the text form: exactly 64 hexadecimal digits in either case.
func ParseHash(s string) (Hash, error) {
	var h Hash
	if len(s) != 2*len(h) {
		return h, ErrHashText
	}
	if _, err := hex.Decode(h[:], []byte(s)); err != nil {
		return Hash{}, ErrHashText
	}
	return h.Reversed(), nil
}

// String returns the text form.
func (h Hash) String() string {
	r := h.Reversed()
	return hex.EncodeToString(r[:])
}

// Reversed returns the hash with its bytes in the opposite order. This is the order of the text
// form, and of the token id in a token payload.
func (h Hash) Reversed() Hash {
	for i, j := 0, len(h)-1; i < j; i, j = i+1, j-1 {
		h[i], h[j] = h[j], h[i]
	}
	return h
}

// IsZero reports whether all bytes of h are zero.
func (h Hash) IsZero() bool { return h == Hash{} }

// MarshalText returns the text form.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.String()), nil }

// UnmarshalText parses the text form.
func (h *Hash) UnmarshalText(b []byte) (err error) {
	*h, err = ParseHash(string(b))
	return err
}
