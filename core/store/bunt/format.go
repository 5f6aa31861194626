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

// ErrCorrupt says that a file is not a log of ours, or that it was damaged where it holds
// what was acknowledged. Open refuses it and leaves it as it is.
var ErrCorrupt = errors.New("corrupt store file")

// The log is in buntdb's own format, a series of Redis commands:
//
//	*3 $3 set $<bytes of key> <key> $<bytes of data> <data>
//	*2 $3 del $<bytes of key> <key>
//
// each word followed by CR LF. buntdb reads the names of commands in either case, and
// the case is ours to use: an upper-case name says that more of the same batch follows,
// a lower-case one ends its batch. What ends a batch is its seal (frame.go); in files of
// format 1, which had none, it is the batch's last change.
const (
	putMore, putLast = "*3\r\n$3\r\nSET\r\n", "*3\r\n$3\r\nset\r\n"
	delMore, delLast = "*2\r\n$3\r\nDEL\r\n", "*2\r\n$3\r\ndel\r\n"
)

// IsLog reports whether a file that begins with start can be a store's, whole or damaged. It takes
// 13 bytes to know.
func IsLog(start []byte) bool {
	return slices.ContainsFunc([]string{putMore, putLast, delMore, delLast}, func(command string) bool {
		return strings.HasPrefix(string(start), command)
	})
}

// opRoom is the space that a command needs in addition to its key and data: 13 bytes for its
// name, and up to 24 around each of them.
const opRoom = 64

// appendOps appends the commands of a batch to buf. It makes room first: the batch of a
// block has many megabytes, which growing step by step would copy again and again.
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

// scanner walks over commands without keeping them. It keeps its first error: io.EOF
// where the log ends, even inside a command, and ErrCorrupt at the first byte that
// cannot be there.
type scanner struct {
	r   io.Reader
	pos int64 // of the next byte
	err error
	sum uint32 // CRC-32C of what was read since it was last set, but for the part from unsummed to next

	buf                  []byte // what was read
	unsummed, next, read int
}

// scan reads the part of a file from one byte to another.
func scan(f io.ReaderAt, from, to int64) *scanner {
	return &scanner{r: io.NewSectionReader(f, from, to-from), pos: from, buf: make([]byte, min(max(to-from, 1), readBuffer))}
}

// fill reads more once all that was read is walked over, and reports whether there is any.
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

// command is a command found by a scanner.
type command struct {
	last   bool // it ends its batch
	key    int  // bytes of its key; 0 is a seal's
	sealed bool // it is a seal
	seal   seal
	sum    uint32 // CRC-32C of the frame up to the seal's own sum
}

// command walks over one command.
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

// name walks over what a command begins with, up to its key, and returns it.
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

// seal walks over the data of a seal and returns it, and the sum of what comes before its
// own sum.
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

// word walks over the length of a word and the word.
func (s *scanner) word() int {
	s.expect("$")
	n := s.length()
	s.skip(n)
	s.expect("\r\n")
	return n
}

// skip walks over n bytes.
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

// restart sets the sum to that of nothing.
func (s *scanner) restart() { s.sum, s.unsummed = 0, s.next }

// summed returns the CRC-32C of what was read since it was last set.
func (s *scanner) summed() uint32 {
	s.sum = crc32.Update(s.sum, castagnoli, s.buf[s.unsummed:s.next])
	s.unsummed = s.next
	return s.sum
}

// length reads a decimal number, written without leading zeroes, and its CR LF.
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

// byte returns the next byte, or 0, which no command has outside its words, after an
// error.
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

// unsealed returns how many bytes of a file of format 1 are whole batches. What follows
// them is a batch that a crash cut short, to be dropped. It fails with ErrCorrupt on bytes
// that no cut of such a log can leave.
func unsealed(f io.ReaderAt, size int64) (end int64, err error) {
	s := scan(f, 0, size)
	for {
		c := s.command()
		if errors.Is(s.err, io.EOF) {
			return end, nil
		}
		if s.err == nil && c.key == 0 { // a seal's, which that format does not have
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
