package bunt

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"obverse/core/store"
)

// ErrCorrupt says that a file is not a log of ours, or was damaged elsewhere than at its
// end. Open refuses it and leaves it as it is.
var ErrCorrupt = errors.New("corrupt store file")

// The log is in buntdb's own format, a series of Redis commands:
//
//	*3 $3 set $<bytes of key> <key> $<bytes of data> <data>
//	*2 $3 del $<bytes of key> <key>
//
// each word followed by CR LF. buntdb reads the names of commands in either case, and
// the case is ours to use: an upper-case name says that more of the same batch follows,
// a lower-case one ends its batch. So the file tells whole batches from a torn one
// without a reserved key, buntdb reads it as it is, and a file that buntdb wrote reads
// here as batches of one command.
const (
	putMore, putLast = "*3\r\n$3\r\nSET\r\n", "*3\r\n$3\r\nset\r\n"
	delMore, delLast = "*2\r\n$3\r\nDEL\r\n", "*2\r\n$3\r\ndel\r\n"
)

// opRoom is what a command needs beside its key and data: 13 bytes for its name, and
// up to 24 around each of them.
const opRoom = 64

// appendBatch appends the commands of one batch to buf. It makes room first: the batch
// of a block has many megabytes, which growing step by step would copy again and again.
func appendBatch(buf []byte, ops []store.Op) []byte {
	size := 0
	for i := range ops {
		size += len(ops[i].Key) + len(ops[i].Data) + opRoom
	}
	buf = slices.Grow(buf, size)
	for i := range ops {
		buf = appendOp(buf, &ops[i], i == len(ops)-1)
	}
	return buf
}

func appendOp(buf []byte, op *store.Op, last bool) []byte {
	switch {
	case op.Delete && last:
		return appendWord(append(buf, delLast...), op.Key)
	case op.Delete:
		return appendWord(append(buf, delMore...), op.Key)
	case last:
		buf = append(buf, putLast...)
	default:
		buf = append(buf, putMore...)
	}
	return appendWord(appendWord(buf, op.Key), op.Data)
}

func appendWord(buf []byte, word string) []byte {
	buf = append(buf, '$')
	buf = strconv.AppendInt(buf, int64(len(word)), 10)
	buf = append(buf, '\r', '\n')
	buf = append(buf, word...)
	return append(buf, '\r', '\n')
}

// wholeBatches returns how many bytes of the log are whole batches. What follows them is
// a batch that a crash cut short, to be dropped. It fails with ErrCorrupt on bytes that
// no cut of a log can leave.
func wholeBatches(r io.Reader) (int64, error) {
	s := scanner{r: bufio.NewReaderSize(r, readBuffer)}
	var end int64
	for {
		last := s.command()
		if errors.Is(s.err, io.EOF) {
			return end, nil
		}
		if s.err != nil {
			return end, fmt.Errorf("at byte %d: %w", s.pos, s.err)
		}
		if last {
			end = s.pos
		}
	}
}

// scanner walks over commands without keeping them. It keeps its first error: io.EOF
// where the log ends, even inside a command, and ErrCorrupt at the first byte that
// cannot be there.
type scanner struct {
	r   *bufio.Reader
	pos int64 // bytes read
	err error
}

// command walks over one command and says whether it ends its batch.
func (s *scanner) command() (last bool) {
	s.expect("*")
	words := s.byte()
	s.expect("\r\n$3\r\n")
	switch name := s.byte(); {
	case words == '3' && name == 's':
		s.expect("et\r\n")
		last = true
	case words == '3' && name == 'S':
		s.expect("ET\r\n")
	case words == '2' && name == 'd':
		s.expect("el\r\n")
		last = true
	case words == '2' && name == 'D':
		s.expect("EL\r\n")
	default:
		s.fail(ErrCorrupt)
	}
	s.word()
	if words == '3' {
		s.word()
	}
	return last
}

// word walks over the length of a word and the word.
func (s *scanner) word() {
	s.expect("$")
	n := s.length()
	if s.err != nil {
		return
	}
	skipped, err := s.r.Discard(n)
	s.pos += int64(skipped)
	if err != nil {
		s.fail(err)
	}
	s.expect("\r\n")
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
	for i := 0; i < len(text) && s.err == nil; i++ {
		if s.byte() != text[i] {
			s.fail(ErrCorrupt)
		}
	}
}

// byte returns the next byte, or 0, which no command has outside its words, after an
// error.
func (s *scanner) byte() byte {
	if s.err != nil {
		return 0
	}
	c, err := s.r.ReadByte()
	if err != nil {
		s.fail(err)
		return 0
	}
	s.pos++
	return c
}

func (s *scanner) fail(err error) {
	if s.err == nil {
		s.err = err
	}
}
