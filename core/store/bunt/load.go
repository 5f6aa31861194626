package bunt

import (
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"obverse/core/store"
)

const (
	loadWindow = 1 << 18 // bytes read at once
	// The changes of a file come into the table in lots of that many and bytes, since each
	// lot makes most pages again.
	loadOps   = 1 << 16
	loadBytes = 1 << 24
)

// load fills the table from a part of a file, which was surveyed: its seals are passed over.
func load(f io.ReaderAt, from, to int64, t *table) error {
	l := newLoader(t, to-from)
	end, err := walk(f, from, to, func(part []byte) (done int, err error) {
		for text := string(part); ; {
			op, size, _, err := readOp(text[done:])
			if size == 0 || err != nil {
				return done, err
			}
			if done += size; op.Key == "" {
				continue
			}
			if err := l.room(size); err != nil {
				return done, err
			}
			l.ops = append(l.ops, op)
		}
	})
	if err != nil {
		return fmt.Errorf("at byte %d: %w", end, err)
	}
	l.whole = len(l.ops)
	return l.flush()
}

// loadFrames fills the table from the complete batches of a file of format 2. It returns where
// they end, and up to where the file was synced according to them. It reads the file once, so
// that the verified bytes are the loaded ones. The error is a read error.
func loadFrames(f io.ReaderAt, size int64, s salt, t *table) (end frames, durable int64, err error) {
	l := newLoader(t, size-headSize)
	l.frames, l.at = frames{salt: s, size: headSize}, headSize
	_, err = walk(f, headSize, size, l.take)
	if err != nil && !errors.Is(err, errBroken) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return l.frames, l.durable, err
	}
	return l.frames, l.durable, l.flush()
}

// walk gives the text of a part of a file to take, which returns how much of it it has taken:
// the rest comes again, with more behind it. It returns where what was taken ends.
func walk(f io.ReaderAt, from, to int64, take func(part []byte) (done int, err error)) (end int64, err error) {
	for buf := make([]byte, min(loadWindow, to-from)); from < to; {
		part := buf[:min(int64(len(buf)), to-from)]
		if err := readFull(f, part, from); err != nil {
			return from, err
		}
		done, err := take(part)
		if from += int64(done); err != nil {
			return from, err
		}
		switch {
		case done == 0 && int64(len(part)) == to-from:
			return from, io.ErrUnexpectedEOF
		case done == 0: // one command is larger
			buf = make([]byte, 2*len(buf))
		}
	}
	return from, nil
}

// loader gathers changes for a table.
type loader struct {
	table *table
	ops   []store.Op
	spare []store.Op
	bytes int // of their commands
	whole int // of ops: those of whole batches

	frames         // where the whole batches end
	durable int64  // what their seals say of that
	at      int64  // where what was taken ends
	partial uint32 // the sum of what was taken behind the whole batches
}

func newLoader(t *table, size int64) *loader {
	return &loader{table: t, ops: make([]store.Op, 0, min(loadOps, size/opRoom))}
}

// room makes room for a change of a whole batch.
func (l *loader) room(size int) error {
	if len(l.ops) >= loadOps || l.bytes >= loadBytes {
		l.whole = len(l.ops)
		if err := l.flush(); err != nil {
			return err
		}
	}
	l.bytes += size
	return nil
}

// take takes the commands of frames. It fails with errBroken where there is no whole one.
func (l *loader) take(part []byte) (done int, err error) {
	summed := 0
	for text := string(part); ; {
		op, size, last, err := readOp(text[done:])
		if err != nil {
			return done, errors.Join(errBroken, err)
		}
		if size == 0 {
			l.partial = crc32.Update(l.partial, castagnoli, part[summed:done])
			l.at += int64(done - summed)
			return done, nil
		}
		done += size
		l.bytes += size
		switch {
		case op.Key != "" && !last:
			l.ops = append(l.ops, op)
			continue
		case op.Key != "" || !last || len(op.Data) != sealData || len(l.ops) == l.whole:
			return done, errBroken
		}
		l.partial = crc32.Update(l.partial, castagnoli, part[summed:done-6])
		l.at += int64(done - summed)
		summed = done
		if err := l.sealed(decodeSeal([]byte(op.Data))); err != nil {
			return done, err
		}
	}
}

// sealed ends a batch.
func (l *loader) sealed(s seal) error {
	if s.salt != l.salt || s.at != l.size || s.before != l.frames.sum || s.sum != l.partial {
		return errBroken
	}
	l.size, l.frames.sum, l.partial = l.at, s.sum, 0
	l.durable = max(l.durable, s.durable)
	batch := len(l.ops) - l.whole
	if l.whole = len(l.ops); l.whole+batch > loadOps || l.bytes >= loadBytes {
		return l.flush()
	}
	return nil
}

// flush brings the whole batches into the table; nothing else is there then.
func (l *loader) flush() error {
	err := l.table.change(order(l.ops[:l.whole], &l.spare))
	clear(l.ops) // they hold what was read
	clear(l.spare[:cap(l.spare)])
	l.ops, l.bytes, l.whole = l.ops[:0], 0, 0
	return err
}

// readOp reads a command and returns its size, 0 if the text ends within it, and whether it
// ends a batch.
func readOp(text string) (op store.Op, size int, last bool, err error) {
	if len(text) < len(putMore) {
		return op, 0, false, nil
	}
	switch text[:len(putMore)] {
	case putMore:
	case putLast:
		last = true
	case delMore:
		op.Delete = true
	case delLast:
		op.Delete, last = true, true
	default:
		return op, 0, false, ErrCorrupt
	}
	size = len(putMore)
	var whole bool
	if op.Key, size, whole, err = readWord(text, size); err != nil || !whole {
		return op, 0, false, err
	}
	if !op.Delete {
		if op.Data, size, whole, err = readWord(text, size); err != nil || !whole {
			return op, 0, false, err
		}
	}
	return op, size, last, nil
}

// readWord reads the word at a byte of a text and returns where it ends.
func readWord(text string, at int) (word string, end int, whole bool, err error) {
	text = text[at:]
	const longest = 20 // digits of a length
	i, n := 1, 0
	for ; i < len(text) && text[i] != '\r'; i++ {
		if digit := text[i] - '0'; i == longest || digit > 9 || n > (math.MaxInt-9)/10 {
			return "", 0, false, ErrCorrupt
		}
		n = 10*n + int(text[i]-'0')
	}
	if len(text) < i+2 {
		return "", 0, false, nil
	}
	if text[0] != '$' || i == 1 || text[i+1] != '\n' {
		return "", 0, false, ErrCorrupt
	}
	i++
	text = text[i+1:]
	if len(text)-2 < n {
		return "", 0, false, nil
	}
	if text[n:n+2] != "\r\n" {
		return "", 0, false, ErrCorrupt
	}
	return text[:n], at + i + 1 + n + 2, true, nil
}
