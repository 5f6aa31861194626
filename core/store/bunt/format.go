package bunt

import (
	"cmp"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"obverse/core/store"
)

// ErrCorrupt reports a file that is not a log of this package, or in which acknowledged data is
// damaged. Open does not change such a file.
var ErrCorrupt = errors.New("corrupt store file")

// The log has buntdb's format, which is a series of Redis commands:
//
//	*3 $3 set $<bytes of key> <key> $<bytes of data> <data>
//	*2 $3 del $<bytes of key> <key>
//
// Each word is followed by CR LF. buntdb accepts the names of commands in either case, so this
// package uses the case: a command with an upper-case name is followed by more commands of the
// same batch, and one with a lower-case name is the last of its batch. The last command of a
// batch is its seal (frame.go). In files of format 1, which have no seals, it is the batch's
// last change.
const (
	putMore, putLast = "*3\r\n$3\r\nSET\r\n", "*3\r\n$3\r\nset\r\n"
	delMore, delLast = "*2\r\n$3\r\nDEL\r\n", "*2\r\n$3\r\ndel\r\n"
)

// IsLog reports whether a file that begins with start may be a store's file, intact or damaged.
// It needs 13 bytes.
func IsLog(start []byte) bool {
	return slices.ContainsFunc([]string{putMore, putLast, delMore, delLast}, func(command string) bool {
		return strings.HasPrefix(string(start), command)
	})
}

// opRoom is the space that a command needs in addition to its key and data: 13 bytes for its
// name, and up to 24 bytes for each of the two.
const opRoom = 64

// appendOps appends the commands of a batch to buf. It first grows buf to the required size,
// because the batch of a block may have many megabytes, which would otherwise be copied
// repeatedly.
func appendOps(buf []byte, ops []store.Op) []byte {
	size := sealSize
	for i := range ops {
		size += len(ops[i].Key) + len(ops[i].Data) + opRoom
	}
	buf = slices.Grow(buf, size)
	for i := range ops {
		buf = appendOp(buf, &ops[i])
	}
	return buf
}

func appendOp(buf []byte, op *store.Op) []byte {
	if op.Delete {
		return appendWord(append(buf, delMore...), op.Key)
	}
	return appendWord(appendWord(append(buf, putMore...), op.Key), op.Data)
}

func appendWord(buf []byte, word string) []byte {
	buf = append(buf, '$')
	buf = strconv.AppendInt(buf, int64(len(word)), 10)
	buf = append(buf, '\r', '\n')
	buf = append(buf, word...)
	return append(buf, '\r', '\n')
}

// scanner scans commands without storing them. It keeps its first error: io.EOF at the end of
// the log, even inside a command, and ErrCorrupt at the first invalid byte.
type scanner struct {
	r   io.Reader
	pos int64 // offset of the next byte
	err error
	sum uint32 // CRC-32C of the bytes since the last restart, except for those from unsummed to next

	buf                  []byte // bytes that were read
	unsummed, next, read int
}

// scan returns a scanner for a range of bytes in a file.
func scan(f io.ReaderAt, from, to int64) *scanner {
	return &scanner{r: io.NewSectionReader(f, from, to-from), pos: from, buf: make([]byte, min(max(to-from, 1), readBuffer))}
}

// fill reads more bytes after all bytes in the buffer have been scanned, and reports whether
// there are any.
func (s *scanner) fill() bool {
	if s.err != nil {
		return false
	}
	s.summed()
	s.unsummed, s.next, s.read = 0, 0, 0
	n, err := s.r.Read(s.buf)
	if s.read = n; n == 0 {
		s.fail(cmp.Or(err, io.ErrNoProgress))
	}
	return s.err == nil
}

// command is a scanned command.
type command struct {
	last   bool // whether it is the last command of its batch
	key    int  // length of its key; 0 for a seal
	sealed bool // whether it is a seal
	seal   seal
	sum    uint32 // CRC-32C of the frame up to the sum in the seal
}

// command scans a command.
func (s *scanner) command() (c command) {
	put := false
	switch s.name() {
	case putMore:
		put = true
	case putLast:
		put, c.last = true, true
	case delLast:
		c.last = true
	}
	c.key = s.word()
	switch {
	case put && c.last && c.key == 0 && s.err == nil:
		c.seal, c.sum = s.seal()
		c.sealed = s.err == nil
	case put:
		s.word()
	}
	return c
}

// name scans the beginning of a command, up to its key, and returns it.
func (s *scanner) name() string {
	for _, name := range []string{putMore, putLast, delMore, delLast} {
		if s.read-s.next >= len(name) && string(s.buf[s.next:][:len(name)]) == name {
			s.next += len(name)
			s.pos += int64(len(name))
			return name
		}
	}
	s.expect("*")
	words := s.byte()
	s.expect("\r\n$3\r\n")
	switch name := s.byte(); {
	case words == '3' && name == 's':
		s.expect("et\r\n")
		return putLast
	case words == '3' && name == 'S':
		s.expect("ET\r\n")
		return putMore
	case words == '2' && name == 'd':
		s.expect("el\r\n")
		return delLast
	case words == '2' && name == 'D':
		s.expect("EL\r\n")
		return delMore
	}
	s.fail(ErrCorrupt)
	return ""
}

// seal scans the data of a seal. It returns the data, and the checksum of the bytes before the
// sum in the seal.
func (s *scanner) seal() (found seal, sum uint32) {
	s.expect("$32\r\n")
	var data [sealData]byte
	for i := range data {
		if i == sealData-4 {
			sum = s.summed()
		}
		data[i] = s.byte()
	}
	s.expect("\r\n")
	return decodeSeal(data[:]), sum
}

// word scans a word with its length, and returns the length.
func (s *scanner) word() int {
	s.expect("$")
	n := s.length()
	s.skip(n)
	s.expect("\r\n")
	return n
}

// skip skips n bytes.
func (s *scanner) skip(n int) {
	for n > 0 && s.err == nil {
		part := min(n, s.read-s.next)
		s.next += part
		s.pos += int64(part)
		if n -= part; n > 0 {
			s.fill()
		}
	}
}

// restart resets the checksum.
func (s *scanner) restart() { s.sum, s.unsummed = 0, s.next }

// summed returns the CRC-32C of the bytes since the last restart.
func (s *scanner) summed() uint32 {
	s.sum = crc32.Update(s.sum, castagnoli, s.buf[s.unsummed:s.next])
	s.unsummed = s.next
	return s.sum
}

// length scans a decimal number without leading zeros, followed by CR LF.
func (s *scanner) length() (n int) {
	for digits := 0; ; digits++ {
		c := s.byte()
		if c == '\r' && digits > 0 {
			s.expect("\n")
			return n
		}
		if c < '0' || c > '9' || (digits > 0 && n == 0) || n > (math.MaxInt-9)/10 {
			s.fail(ErrCorrupt)
			return 0
		}
		n = n*10 + int(c-'0')
	}
}

func (s *scanner) expect(text string) {
	if s.err == nil && s.read-s.next >= len(text) && string(s.buf[s.next:][:len(text)]) == text {
		s.next += len(text)
		s.pos += int64(len(text))
		return
	}
	for i := 0; i < len(text) && s.err == nil; i++ {
		if s.byte() != text[i] {
			s.fail(ErrCorrupt)
		}
	}
}

// byte returns the next byte. After an error it returns 0, which does not occur outside the
// words of a command.
func (s *scanner) byte() byte {
	if s.err != nil || s.next == s.read && !s.fill() {
		return 0
	}
	c := s.buf[s.next]
	s.next++
	s.pos++
	return c
}

func (s *scanner) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}

// unsealed returns the length of the complete batches in a file of format 1. They may be
// followed by a batch that a crash truncated, which must be removed. It returns ErrCorrupt if
// the file contains bytes that cannot result from truncating such a log.
func unsealed(f io.ReaderAt, size int64) (end int64, err error) {
	s := scan(f, 0, size)
	for {
		c := s.command()
		if errors.Is(s.err, io.EOF) {
			return end, nil
		}
		if s.err == nil && c.key == 0 { // a seal, which format 1 does not have
			s.err = ErrCorrupt
		}
		if s.err != nil {
			return end, fmt.Errorf("at byte %d: %w", s.pos, s.err)
		}
		if c.last {
			end = s.pos
		}
	}
}
