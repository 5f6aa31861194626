package versionprobe

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"unicode/utf8"

	"github.com/multiformats/go-varint"
	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// query is a request for data about the network.
type query byte

// Queries about the network, NetworkInfo's variants.
const (
	askVersion query = 0 // GetMm2Version; the answer is a string
	askTime    query = 1 // GetPeerUtcTimestamp; the answer is seconds since 1970
)

// aboutNetwork is the variant of a request's payload that contains the queries above.
const aboutNetwork = 1

// encode returns the request: a struct of one field, which contains the bytes of the payload.
func (q query) encode() []byte {
	return encodeStruct(encodeBytes(encodeVariant(aboutNetwork, encodeVariant(byte(q), []byte{msgpcode.Nil}))))
}

// parseQuery decodes a request. Requests for other data are an error.
func parseQuery(raw []byte) (query, error) {
	s := scan(raw)
	s.fields(1)
	payload := s.bytes()
	if err := s.end(); err != nil {
		return 0, err
	}
	s = scan(payload)
	about, kind := s.variant(), s.variant()
	s.null()
	if err := s.end(); err != nil {
		return 0, err
	}
	if about != aboutNetwork || kind > uint64(askTime) {
		return 0, fmt.Errorf("%w: unknown query %d.%d", errForm, about, kind)
	}
	return query(kind), nil
}

// Variants of an answer.
const (
	answerOk   = 0 // a struct of one field: the bytes of the payload
	answerNone = 1 // nil: no data
	answerErr  = 2 // a struct of one field: a text
)

// PeerError is the text of an error that a peer returned instead of its version.
type PeerError string

func (e PeerError) Error() string { return string(e) }

// encodeAnswer returns an answer with a payload.
func encodeAnswer(payload []byte) []byte {
	return encodeVariant(answerOk, encodeStruct(encodeBytes(payload)))
}

// encodeRefusal returns an answer with an error.
func encodeRefusal(text string) []byte {
	return encodeVariant(answerErr, encodeStruct(encodeString(text)))
}

// parseVersion decodes the answer to askVersion. The version is empty if the peer has no
// data. The error may be a PeerError.
func parseVersion(raw []byte) (string, error) {
	s := scan(raw)
	var payload []byte
	var refusal PeerError
	kind := s.variant()
	switch {
	case s.err != nil:
	case kind == answerOk:
		s.fields(1)
		payload = s.bytes()
	case kind == answerNone:
		s.null()
	case kind == answerErr:
		s.fields(1)
		refusal = PeerError(s.string())
	default:
		s.fail(fmt.Errorf("%w: unknown kind of answer %d", errForm, kind))
	}
	if err := s.end(); err != nil {
		return "", err
	}
	switch kind {
	case answerNone:
		return "", nil
	case answerErr:
		return "", refusal
	}
	s = scan(payload)
	version := s.string()
	if err := s.end(); err != nil {
		return "", err
	}
	return version, nil
}

// Errors of messages from the network.
var (
	errShort    = errors.New("truncated message")
	errTrailing = errors.New("trailing bytes after the message")
	errForm     = errors.New("invalid message")
)

// written returns the encoded data of fill, which cannot fail since it writes to a buffer.
func written(fill func(*msgpack.Encoder) error) []byte {
	var b bytes.Buffer
	e := msgpack.NewEncoder(&b)
	e.UseCompactInts(true)
	_ = fill(e)
	return b.Bytes()
}

func encodeUint(n uint64) []byte {
	return written(func(e *msgpack.Encoder) error { return e.EncodeUint(n) })
}

func encodeString(s string) []byte {
	return written(func(e *msgpack.Encoder) error { return e.EncodeString(s) })
}

// encodeStruct encodes a struct of one field, given in its encoded form.
func encodeStruct(field []byte) []byte { return append([]byte{msgpcode.FixedArrayLow | 1}, field...) }

// encodeBytes encodes bytes as peers do, as an array of numbers.
func encodeBytes(data []byte) []byte {
	return written(func(e *msgpack.Encoder) error {
		if err := e.EncodeArrayLen(len(data)); err != nil {
			return err
		}
		for _, n := range data {
			if err := e.EncodeUint(uint64(n)); err != nil {
				return err
			}
		}
		return nil
	})
}

// encodeVariant encodes an enum: a map of one entry, from the variant's number to its
// payload in its encoded form.
func encodeVariant(number byte, payload []byte) []byte {
	return append([]byte{msgpcode.FixedMapLow | 1, number}, payload...)
}

// scanner decodes values from the beginning of a message. After its first error, all values are
// zero.
type scanner struct {
	rest *bytes.Reader
	d    *msgpack.Decoder
	err  error
}

func scan(raw []byte) *scanner {
	rest := bytes.NewReader(raw)
	return &scanner{rest: rest, d: msgpack.NewDecoder(rest)}
}

func (s *scanner) fail(err error) {
	switch {
	case s.err != nil || err == nil:
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		s.err = errShort
	case errors.Is(err, errForm):
		s.err = err
	default:
		s.err = fmt.Errorf("%w: %w", errForm, err)
	}
}

// code checks the type code of the next value, because the library decodes nil as an empty value of any type.
func (s *scanner) code(what string, is func(byte) bool) bool {
	if s.err != nil {
		return false
	}
	code, err := s.d.PeekCode()
	if err == nil && !is(code) {
		err = fmt.Errorf("%w: want %s, got 0x%02x", errForm, what, code)
	}
	s.fail(err)
	return s.err == nil
}

// uint decodes a number that is not negative.
func (s *scanner) uint() uint64 {
	if !s.code("a number", isNumber) {
		return 0
	}
	n, err := s.d.DecodeInt64()
	if err == nil && n < 0 {
		err = fmt.Errorf("%w: want a number from 0 to 2^63-1, got %d", errForm, n)
	}
	s.fail(err)
	return uint64(max(n, 0))
}

func isNumber(code byte) bool {
	return msgpcode.IsFixedNum(code) || code >= msgpcode.Uint8 && code <= msgpcode.Int64
}

// array decodes the header of an array and returns its length.
func (s *scanner) array() int {
	if !s.code("an array", func(code byte) bool {
		return msgpcode.IsFixedArray(code) || code == msgpcode.Array16 || code == msgpcode.Array32
	}) {
		return 0
	}
	n, err := s.d.DecodeArrayLen()
	s.fail(err)
	return n
}

// fields decodes the header of a struct, which must be an array of exactly n values.
func (s *scanner) fields(n int) {
	if got := s.array(); s.err == nil && got != n {
		s.fail(fmt.Errorf("%w: want an array of %d, got %d", errForm, n, got))
	}
}

// bytes decodes an array of numbers up to 255. Each number has at least one byte, so the length of the message
// limits the memory for a false length.
func (s *scanner) bytes() []byte {
	n := s.array()
	if n > s.rest.Len() {
		s.fail(io.ErrUnexpectedEOF)
		return nil
	}
	data := make([]byte, n)
	for i := range data {
		b := s.uint()
		if b > math.MaxUint8 {
			s.fail(fmt.Errorf("%w: want a byte, got %d", errForm, b))
		}
		data[i] = byte(b)
	}
	return data
}

func (s *scanner) string() string {
	if !s.code("a string", msgpcode.IsString) {
		return ""
	}
	text, err := s.d.DecodeString()
	if err == nil && !utf8.ValidString(text) {
		err = fmt.Errorf("%w: the text is not UTF-8", errForm)
	}
	s.fail(err)
	return text
}

// variant decodes the header of an enum and returns the variant's number.
func (s *scanner) variant() uint64 {
	if !s.code("a map", func(code byte) bool {
		return msgpcode.IsFixedMap(code) || code == msgpcode.Map16 || code == msgpcode.Map32
	}) {
		return 0
	}
	entries, err := s.d.DecodeMapLen()
	if err == nil && entries != 1 {
		err = fmt.Errorf("%w: want a map of 1, got %d", errForm, entries)
	}
	s.fail(err)
	return s.uint()
}

func (s *scanner) null() {
	if s.code("nil", func(code byte) bool { return code == msgpcode.Nil }) {
		s.fail(s.d.DecodeNil())
	}
}

// end returns the first error; remaining bytes are an error too.
func (s *scanner) end() error {
	if s.err == nil && s.rest.Len() > 0 {
		s.err = errTrailing
	}
	return s.err
}

// maxFrame is the maximum size of a message in bytes, as in Komodo DeFi Framework.
const maxFrame = 1_048_476

// errFrame means that a peer announced a longer message.
var errFrame = errors.New("the message is too long")

// writeFrame writes a message after its length, in one call of Write.
func writeFrame(w io.Writer, message []byte) error {
	_, err := w.Write(append(varint.ToUvarint(uint64(len(message))), message...))
	return err
}

// readFrame reads one message. The memory that it allocates grows with the received data, not
// with the announced length.
func readFrame(r io.Reader) ([]byte, error) {
	buffered := bufio.NewReader(r)
	size, err := varint.ReadUvarint(buffered)
	if err != nil {
		return nil, fmt.Errorf("length of a message: %w", err)
	}
	if size > maxFrame {
		return nil, fmt.Errorf("%w: %d bytes, at most %d are allowed", errFrame, size, maxFrame)
	}
	message, err := io.ReadAll(io.LimitReader(buffered, int64(size)))
	if err == nil && uint64(len(message)) < size {
		err = io.ErrUnexpectedEOF
	}
	return message, err
}
