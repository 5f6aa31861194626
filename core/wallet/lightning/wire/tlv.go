package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// Errors of a TLV stream.
var (
	// ErrShort means that bytes are missing at the end.
	ErrShort = errors.New("truncated")
	// ErrMinimal means that a number is encoded in more bytes than necessary.
	ErrMinimal = errors.New("number is not minimally encoded")
	// ErrOrder means that the types of records do not increase.
	ErrOrder = errors.New("records are out of order")
	// ErrLength means that a record of a known type has an invalid length.
	ErrLength = errors.New("record has the wrong length")
)

// EvenError means that an unknown record must be understood, since its type is even.
type EvenError uint64

func (e EvenError) Error() string { return fmt.Sprintf("unsupported mandatory record %d", uint64(e)) }

// Record is an element of a TLV stream.
type Record struct {
	Type  uint64
	Value []byte
}

// DecodeRecords returns the records of known types in a stream, in their order. It skips
// unknown records of odd types, and returns an EvenError for an even type. The values are parts
// of stream.
func DecodeRecords(stream []byte, known ...uint64) (records []Record, err error) {
	last := uint64(0)
	for first := true; len(stream) > 0; first = false {
		var r Record
		if r.Type, stream, err = readBigSize(stream); err != nil {
			return nil, err
		}
		if !first && r.Type <= last {
			return nil, ErrOrder
		}
		last = r.Type
		var length uint64
		if length, stream, err = readBigSize(stream); err != nil {
			return nil, err
		}
		if length > uint64(len(stream)) {
			return nil, ErrShort
		}
		r.Value, stream = stream[:length], stream[length:]
		switch {
		case slices.Contains(known, r.Type):
			records = append(records, r)
		case r.Type%2 == 0:
			return nil, EvenError(r.Type)
		}
	}
	return records, nil
}

// AppendRecord appends a record to a stream. The caller must append records in the order of
// their types.
func AppendRecord(stream []byte, r Record) []byte {
	stream = appendBigSize(stream, r.Type)
	stream = appendBigSize(stream, uint64(len(r.Value)))
	return append(stream, r.Value...)
}

// readBigSize reads a BigSize of BOLT 1, which is a number in 1, 3, 5 or 9 bytes.
func readBigSize(b []byte) (n uint64, rest []byte, err error) {
	if len(b) == 0 {
		return 0, nil, ErrShort
	}
	var min uint64
	size := 0
	switch b[0] {
	case 0xfd:
		min, size = 0xfd, 2
	case 0xfe:
		min, size = 1<<16, 4
	case 0xff:
		min, size = 1<<32, 8
	default:
		return uint64(b[0]), b[1:], nil
	}
	b = b[1:]
	if len(b) < size {
		return 0, nil, ErrShort
	}
	for _, c := range b[:size] {
		n = n<<8 | uint64(c)
	}
	if n < min {
		return 0, nil, ErrMinimal
	}
	return n, b[size:], nil
}

func appendBigSize(b []byte, n uint64) []byte {
	switch {
	case n < 0xfd:
		return append(b, byte(n))
	case n < 1<<16:
		return binary.BigEndian.AppendUint16(append(b, 0xfd), uint16(n))
	case n < 1<<32:
		return binary.BigEndian.AppendUint32(append(b, 0xfe), uint32(n))
	}
	return binary.BigEndian.AppendUint64(append(b, 0xff), n)
}
