package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Errors of the codec. Every error of a decoder in this package wraps one of them.
var (
	ErrShort        = errors.New("truncated")
	ErrTrailing     = errors.New("trailing bytes")
	ErrNotCanonical = errors.New("size is not minimally encoded")
	ErrTooLarge     = errors.New("size over the limit")
	ErrFormat       = errors.New("unknown transaction format")
)

// Reader reads little-endian fields. It keeps its first error, so that a decoder can read a
// whole structure and check for an error at the end. After an error, every read returns zero.
type Reader struct {
	buf []byte
	pos int
	err error
}

// NewReader returns a Reader of b. The Reader never modifies b, and may return slices of it.
func NewReader(b []byte) *Reader { return &Reader{buf: b} }

// Err returns the first error.
func (r *Reader) Err() error { return r.err }

// Pos returns the number of bytes read.
func (r *Reader) Pos() int { return r.pos }

// Left returns the number of bytes not yet read.
func (r *Reader) Left() int { return len(r.buf) - r.pos }

// Fail records err, unless an error has been recorded before.
func (r *Reader) Fail(err error) {
	if r.err == nil {
		r.err = fmt.Errorf("at byte %d: %w", r.pos, err)
	}
}

// End returns the first error, or ErrTrailing if there are unread bytes.
func (r *Reader) End() error {
	if r.err == nil && r.Left() > 0 {
		r.Fail(ErrTrailing)
	}
	return r.err
}

// Bytes returns the next n bytes without copying them, or nil after an error.
func (r *Reader) Bytes(n int) []byte {
	if r.err == nil && (n < 0 || n > r.Left()) {
		r.Fail(ErrShort)
	}
	if r.err != nil {
		return nil
	}
	b := r.buf[r.pos : r.pos+n : r.pos+n]
	r.pos += n
	return b
}

// Fill reads len(dst) bytes into dst.
func (r *Reader) Fill(dst []byte) { copy(dst, r.Bytes(len(dst))) }

// Hash reads 32 bytes in wire order.
func (r *Reader) Hash() (h Hash) {
	r.Fill(h[:])
	return h
}

// Byte reads one byte.
func (r *Reader) Byte() byte {
	if b := r.Bytes(1); b != nil {
		return b[0]
	}
	return 0
}

// Uint32 reads 4 bytes.
func (r *Reader) Uint32() uint32 {
	if b := r.Bytes(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

// Int64 reads 8 bytes.
func (r *Reader) Int64() int64 {
	if b := r.Bytes(8); b != nil {
		return int64(binary.LittleEndian.Uint64(b))
	}
	return 0
}

// CompactSize reads a Bitcoin variable-length size. Like komodod, it refuses sizes that are not
// encoded in the shortest form (serialize.h ReadCompactSize).
func (r *Reader) CompactSize() uint64 {
	n, min := uint64(r.Byte()), uint64(0)
	switch n {
	case 0xfd:
		if b := r.Bytes(2); b != nil {
			n, min = uint64(binary.LittleEndian.Uint16(b)), 0xfd
		}
	case 0xfe:
		n, min = uint64(r.Uint32()), 1<<16
	case 0xff:
		n, min = uint64(r.Int64()), 1<<32
	}
	if r.err == nil && n < min {
		r.Fail(ErrNotCanonical)
	}
	if r.err != nil {
		return 0
	}
	return n
}

// Count reads the length of a list whose elements have at least size bytes each. If the
// remaining bytes cannot contain as many elements, Count fails, so that nothing is allocated.
func (r *Reader) Count(size int) int {
	n := r.CompactSize()
	if r.err == nil && n > uint64(r.Left()/size) {
		r.Fail(ErrShort)
	}
	if r.err != nil {
		return 0
	}
	return int(n)
}

// VarBytes reads a size, which must not exceed limit, and the given number of bytes.
func (r *Reader) VarBytes(limit int) []byte {
	n := r.CompactSize()
	if r.err == nil && n > uint64(limit) {
		r.Fail(ErrTooLarge)
	}
	if r.err != nil {
		return nil
	}
	return r.Bytes(int(n))
}

// AppendUint32 appends 4 bytes.
func AppendUint32(b []byte, v uint32) []byte { return binary.LittleEndian.AppendUint32(b, v) }

// AppendInt64 appends 8 bytes.
func AppendInt64(b []byte, v int64) []byte { return binary.LittleEndian.AppendUint64(b, uint64(v)) }

// AppendCompactSize appends n in its shortest form.
func AppendCompactSize(b []byte, n uint64) []byte {
	switch {
	case n < 0xfd:
		return append(b, byte(n))
	case n < 1<<16:
		return binary.LittleEndian.AppendUint16(append(b, 0xfd), uint16(n))
	case n < 1<<32:
		return binary.LittleEndian.AppendUint32(append(b, 0xfe), uint32(n))
	}
	return binary.LittleEndian.AppendUint64(append(b, 0xff), n)
}

// AppendVarBytes appends the size of v, followed by v.
func AppendVarBytes(b, v []byte) []byte {
	return append(AppendCompactSize(b, uint64(len(v))), v...)
}
