package bunt

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
	"io"
	"math/rand/v2"
)

// A file of format 2 is a head and then frames, one for each batch, without a gap:
//
//	frame  the batch's commands, then its seal
//	seal   a command that sets the empty key, which no batch can set, to 32 bytes:
//
// salt 8 the file's salt, drawn when it was created. Since it is secret, stored data cannot
// look like a frame
//
//	       at 8     where the frame begins
//	       durable 8  up to where the file was synced when the frame was written
//	       before 4 the sum of the frame before it, 0 for the first
//	       sum 4    CRC-32C of the frame up to here
//	head   a command that sets the empty key, of three pages:
//	       0        magic, salt, CRC-32C of both
//	       1, 2     a mark each, at its page's begin and middle: magic, salt, durable 8,
//	                CRC-32C of these
//
// Numbers are big-endian. The mark says up to where the file is durable; everything before it
// was, or could have been, acknowledged. It is written in place after every sync and before
// that sync is acknowledged, into the two pages in turn. The next sync makes it durable. A mark
// therefore survives a killed process, and after a power cut it is at most one sync old. One of
// the two marks is always intact, since it was synced before the other is written. Each mark is
// stored twice, so that one damaged bit does not cause a fallback to the older mark.
//
// The mark decides how damage is handled. If an incomplete frame lies before the mark, or
// before the 'durable' of a complete frame after it, acknowledged data is damaged and the file
// is refused. Otherwise neither the frame nor later ones were acknowledged, and they are cut
// off. Where each sync is a transaction, the mark is written before the sync and becomes
// durable with the batches. Otherwise one case is not detected: a power cut right after a sync
// loses its mark, and the last batch is damaged before the next start.
const (
	headSize = 3 * markPage
	markPage = 4096

	headStart = putLast + "$0\r\n\r\n$12259\r\n"
	headMagic = "obverse store, format 2\n"

	plainFormat, sealedFormat = 1, 2

	markMagic = "mark"

	sealStart = putLast + "$0\r\n\r\n$32\r\n"
	sealData  = 32
	sealSize  = len(sealStart) + sealData + 2
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// salt distinguishes a file's frames from foreign data and from other files' frames.
type salt [8]byte

func newSalt() (s salt) {
	binary.BigEndian.PutUint64(s[:], rand.Uint64())
	return s
}

// seal is the last command of a frame.
type seal struct {
	salt    salt
	at      int64
	durable int64
	before  uint32
	sum     uint32
}

// sealPattern returns the beginning of every seal in a file.
func (s salt) sealPattern() []byte { return append([]byte(sealStart), s[:]...) }

// appendSeal appends the seal to the frame in buf.
func appendSeal(buf []byte, s seal) []byte {
	buf = append(append(buf, sealStart...), s.salt[:]...)
	buf = binary.BigEndian.AppendUint64(buf, uint64(s.at))
	buf = binary.BigEndian.AppendUint64(buf, uint64(s.durable))
	buf = binary.BigEndian.AppendUint32(buf, s.before)
	buf = binary.BigEndian.AppendUint32(buf, crc32.Checksum(buf, castagnoli))
	return append(buf, '\r', '\n')
}

// decodeSeal decodes the data of a seal.
func decodeSeal(data []byte) (s seal) {
	copy(s.salt[:], data)
	s.at = int64(binary.BigEndian.Uint64(data[8:]))
	s.durable = int64(binary.BigEndian.Uint64(data[16:]))
	s.before, s.sum = binary.BigEndian.Uint32(data[24:]), binary.BigEndian.Uint32(data[28:])
	return s
}

// frames is the end of a log, with the values needed to continue it.
type frames struct {
	salt salt
	size int64  // offset of the next frame
	sum  uint32 // sum of the last frame
}

// seal appends a seal to the frame in buf, and returns the end of the log after the frame.
func (e frames) seal(buf []byte, durable int64) ([]byte, frames) {
	buf = appendSeal(buf, seal{salt: e.salt, at: e.size, durable: durable, before: e.sum})
	e.size += int64(len(buf))
	e.sum = binary.BigEndian.Uint32(buf[len(buf)-6:])
	return buf, e
}

// write writes a frame at the end of the log. The commands of the frame are in buf.
func (e frames) write(f io.WriterAt, buf []byte, durable int64) ([]byte, frames, error) {
	at := e.size
	buf, e = e.seal(buf, durable)
	_, err := f.WriteAt(buf, at)
	return buf, e, err
}

// head returns the head of a file that is durable up to the given offset.
func (s salt) head(durable int64) []byte {
	b := append(append([]byte(headStart+headMagic), s[:]...), 0, 0, 0, 0)
	binary.BigEndian.PutUint32(b[len(b)-4:], crc32.Checksum(b[:len(b)-4], castagnoli))
	b = append(b, make([]byte, headSize-len(b))...)
	copy(b[markPage:], s.markTwice(durable))
	copy(b[2*markPage:], s.markTwice(durable))
	copy(b[headSize-2:], "\r\n")
	return b
}

// mark returns a mark of a file that is durable up to the given offset.
func (s salt) mark(durable int64) []byte {
	b := binary.BigEndian.AppendUint64(append([]byte(markMagic), s[:]...), uint64(durable))
	return binary.BigEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

// markTwice returns the beginning of a mark's page, which contains the mark twice.
func (s salt) markTwice(durable int64) []byte {
	mark := s.mark(durable)
	return append(append(mark, make([]byte, markPage/2-len(mark))...), mark...)
}

// found is a decoded head.
type found struct {
	salt    salt
	durable int64 // offset up to which the file was synced, and perhaps acknowledged
	slot    int   // slot of the mark with this offset
	format  int   // 0 if the file is not a file with seals
	whole   bool  // whether the salt and a mark are intact
}

// readHead decodes the first headSize bytes of a file, or all bytes if there are fewer.
func readHead(b []byte) (h found) {
	magic := len(headStart) + len(headMagic)
	var zero salt
	end := magic + len(zero)
	if len(b) >= end+4 && bytes.HasPrefix(b, []byte(headStart+headMagic[:len(headMagic)-2])) &&
		crc32.Checksum(b[:end], castagnoli) == binary.BigEndian.Uint32(b[end:]) {
		copy(h.salt[:], b[magic:])
		h.format = int(b[magic-2] - '0')
		h.whole = len(b) == headSize
	}
	for half := 2; half < 6; half++ {
		mark, durable, ok := readMark(b, half*markPage/2)
		if ok && h.format == 0 {
			h.format = sealedFormat // the head is damaged
		}
		if ok && mark == h.salt && durable > h.durable {
			h.durable, h.slot = durable, half/2
		}
	}
	h.whole = h.whole && h.slot > 0
	return h
}

// readMark decodes the mark at an offset in a head.
func readMark(b []byte, at int) (s salt, durable int64, ok bool) {
	size := len(s.mark(0))
	if len(b) < at+size {
		return s, 0, false
	}
	b = b[at:][:size]
	copy(s[:], b[len(markMagic):])
	durable = int64(binary.BigEndian.Uint64(b[len(markMagic)+len(s):]))
	return s, durable, bytes.Equal(b, s.mark(durable))
}
