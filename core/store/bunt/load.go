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
	loadWindow = 1 << 18 // number of bytes read at once
	// Limits of a lot: the changes in a file are applied to the table in lots, since each lot
	// recreates most pages.
	loadOps   = 1 << 16
	loadBytes = 1 << 24
)

// load fills the table from a part of a file that has been surveyed. It skips seals.
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

// loadFrames fills the table from the complete batches in a file of format 2. It returns the
// end of these batches, and the offset up to which the file was synced according to their
// seals. It reads the file once, so that the loaded bytes are the verified ones. The error is a
// read error.
func loadFrames(f io.ReaderAt, size int64, s salt, t *table) (end frames, durable int64, err error) {
	l := newLoader(t, size-headSize)
	l.frames, l.at = frames{salt: s, size: headSize}, headSize
	_, err = walk(f, headSize, size, l.take)
	if err != nil && !errors.Is(err, errBroken) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return l.frames, l.durable, err
	}
	return l.frames, l.durable, l.flush()
}

// walk passes a part of a file to take in pieces. The function take returns the number of bytes
// it has processed; the others are passed again, together with more bytes. walk returns the end
// of the processed bytes.
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
		case done == 0: // a single command is larger than the buffer
			buf = make([]byte, 2*len(buf))
		}
	}
	return from, nil
}

// loader collects changes for a table.
type loader struct {
	table *table
	ops   []store.Op
	spare []store.Op
	bytes int // total size of their commands
	whole int // number of changes that belong to complete batches

	frames         // end of the complete batches
	durable int64  // offset up to which the file was synced, according to their seals
	at      int64  // end of the processed bytes
	partial uint32 // checksum of the processed bytes after the complete batches
}

func newLoader(t *table, size int64) *loader {
	return &loader{table: t, ops: make([]store.Op, 0, min(loadOps, size/opRoom))}
}

// room flushes the changes if the lot is full.
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

// take processes the commands of frames. It returns errBroken at an incomplete frame.
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

// sealed completes a batch.
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

// flush applies the complete batches to the table. It is called when there are no other
// changes.
func (l *loader) flush() error {
	err := l.table.change(order(l.ops[:l.whole], &l.spare))
	clear(l.ops) // releases the bytes that were read
	clear(l.spare[:cap(l.spare)])
	l.ops, l.bytes, l.whole = l.ops[:0], 0, 0
	return err
}

// readOp decodes a command. It returns the command's size, or 0 if the text ends inside the
// command, and whether it is the last one of its batch.
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

// readWord decodes the word at an index of a text, and returns its end.
func readWord(text string, at int) (word string, end int, whole bool, err error) {
	text = text[at:]
	const longest = 20 // maximum number of digits of a length
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
