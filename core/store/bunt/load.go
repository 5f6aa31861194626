package bunt

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"obverse/core/store"
)

const (
	loadWindow = 1 << 18 // bytes read at once
	// The changes of a file come into the table in lots of that many and bytes, since each
	// lot makes most pages again.
	loadOps   = 1 << 16
	loadBytes = 1 << 24
)

// load fills the table from a part of a file, which was surveyed.
func load(f io.ReaderAt, from, to int64, t *table) error {
	l := loader{table: t, ops: make([]store.Op, 0, min(loadOps, (to-from)/opRoom))}
	for buf := make([]byte, min(loadWindow, to-from)); from < to; {
		part := buf[:min(int64(len(buf)), to-from)]
		if err := readFull(f, part, from); err != nil {
			return err
		}
		done, err := l.commands(string(part))
		if err != nil {
			return fmt.Errorf("at byte %d: %w", from+int64(done), err)
		}
		switch from += int64(done); {
		case done == 0 && from+int64(len(part)) == to:
			return fmt.Errorf("at byte %d: %w", from, io.ErrUnexpectedEOF)
		case done == 0: // one command is larger
			buf = make([]byte, 2*len(buf))
		}
	}
	return l.flush()
}

// loader gathers changes for a table.
type loader struct {
	table *table
	ops   []store.Op
	spare []store.Op
	bytes int // of their commands
}

// commands takes the whole commands that a text begins with, and returns where they end.
func (l *loader) commands(text string) (done int, err error) {
	for done < len(text) {
		op, size, err := readOp(text[done:])
		if err != nil {
			return done, err
		}
		if size == 0 {
			break
		}
		done += size
		if op.Key == "" { // a seal's
			continue
		}
		if len(l.ops) >= loadOps || l.bytes >= loadBytes {
			if err := l.flush(); err != nil {
				return done, err
			}
		}
		l.ops = append(l.ops, op)
		l.bytes += size
	}
	return done, nil
}

func (l *loader) flush() error {
	err := l.table.change(order(l.ops, &l.spare))
	clear(l.ops) // they hold what was read
	clear(l.spare[:cap(l.spare)])
	l.ops, l.bytes = l.ops[:0], 0
	return err
}

// readOp reads a command and returns its size, 0 if the text ends within it.
func readOp(text string) (op store.Op, size int, err error) {
	if len(text) < len(putMore) {
		return op, 0, nil
	}
	switch text[:len(putMore)] {
	case putMore, putLast:
	case delMore, delLast:
		op.Delete = true
	default:
		return op, 0, ErrCorrupt
	}
	size = len(putMore)
	var whole bool
	if op.Key, size, whole, err = readWord(text, size); err != nil || !whole {
		return op, 0, err
	}
	if !op.Delete {
		if op.Data, size, whole, err = readWord(text, size); err != nil || !whole {
			return op, 0, err
		}
	}
	return op, size, nil
}

// readWord reads the word at a byte of a text and returns where it ends.
func readWord(text string, at int) (word string, end int, whole bool, err error) {
	text = text[at:]
	const longest = 24 // bytes that a length may take
	i := strings.IndexByte(text[:min(len(text), longest)], '\n')
	if i < 0 && len(text) < longest {
		return "", 0, false, nil
	}
	if i < 3 || text[0] != '$' || text[i-1] != '\r' {
		return "", 0, false, ErrCorrupt
	}
	n, err := strconv.Atoi(text[1 : i-1])
	if err != nil || n < 0 {
		return "", 0, false, errors.Join(ErrCorrupt, err)
	}
	text = text[i+1:]
	if len(text)-2 < n {
		return "", 0, false, nil
	}
	if text[n:n+2] != "\r\n" {
		return "", 0, false, ErrCorrupt
	}
	return text[:n], at + i + 1 + n + 2, true, nil
}
