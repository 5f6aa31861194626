package bunt

import (
	"bytes"
	"errors"
	"hash/crc32"
	"io"
)

// Damage is a part of a file that is not a complete batch.
type Damage struct {
	From, To int64 // offsets; To is the start of the next complete batch or the end of the file
	// Acknowledged means that the file was synced beyond From. Other damage comes from a killed
	// process or a power cut during a batch that was not acknowledged.
	Acknowledged bool
}

// maxDamages limits the number of listed damages.
const maxDamages = 100

// survey is the result of reading a file of format 2 completely.
type survey struct {
	frames         // end of the last complete batch before the first damage
	batches  int   // number of complete batches
	durable  int64 // offset up to which the file was synced, according to its marks and seals
	damages  []Damage
	unlisted int // number of further damages
}

// errBroken reports an incomplete frame.
var errBroken = errors.New("no whole batch")

// surveyFile reads the frames of a file. The function progress, which may be nil, is called
// periodically with the number of bytes read. The error is a read error.
func surveyFile(f io.ReaderAt, size int64, head found, progress func(done int64)) (v survey, err error) {
	return surveyRest(f, size, survey{frames: frames{salt: head.salt, size: headSize}, durable: head.durable}, progress)
}

// surveyRest is like surveyFile, for the part of a file after complete frames.
func surveyRest(f io.ReaderAt, size int64, v survey, progress func(done int64)) (survey, error) {
	pos, sum, chained := v.size, v.sum, true
	for pos < size {
		end, last, err := v.run(f, pos, size, sum, chained, progress)
		if err != nil {
			return v, err
		}
		if len(v.damages) == 0 {
			v.size, v.sum = end, last
		}
		if end == size {
			break
		}
		if pos, err = nextFrame(f, v.salt, end, size, progress); err != nil {
			return v, err
		}
		chained = false // the sum of the previous frame is unknown
		v.damaged(Damage{From: end, To: pos})
	}
	if size < v.durable && len(v.damages) == 0 {
		v.damaged(Damage{From: size, To: v.durable})
	}
	for i := range v.damages {
		v.damages[i].Acknowledged = v.damages[i].From < v.durable
	}
	return v, nil
}

func (v *survey) damaged(d Damage) {
	if len(v.damages) == maxDamages {
		v.unlisted++
		return
	}
	v.damages = append(v.damages, d)
}

// run scans complete frames, and returns their end and the sum of the last one. Each frame must
// contain the sum of the previous one; this includes the first frame if chained is set.
func (v *survey) run(f io.ReaderAt, pos, size int64, sum uint32, chained bool, progress func(int64)) (end int64, last uint32, err error) {
	s := scan(f, pos, size)
	for reported := pos; s.pos < size; {
		at := s.pos
		found, err := s.frame()
		switch {
		case errors.Is(err, errBroken):
			return at, sum, nil
		case err != nil:
			return at, sum, err
		case found.salt != v.salt || found.at != at || chained && found.before != sum:
			return at, sum, nil
		}
		sum, chained = found.sum, true
		v.batches++
		v.durable = max(v.durable, found.durable)
		if progress != nil && s.pos-reported >= progressStep {
			reported = s.pos
			progress(reported)
		}
	}
	return s.pos, sum, nil
}

const progressStep = 1 << 23

// frame scans a frame and returns its seal. It returns errBroken if the frame is incomplete, or
// the error of the disk.
func (s *scanner) frame() (found seal, err error) {
	s.restart()
	for first := true; ; first = false {
		c := s.command()
		switch {
		case s.err != nil && !errors.Is(s.err, io.EOF) && !errors.Is(s.err, ErrCorrupt):
			return found, s.err
		case c.sealed && !first && c.seal.sum == c.sum:
			return c.seal, nil
		case s.err != nil, c.last, c.key == 0:
			return found, errBroken
		}
	}
}

// nextFrame returns the start of the first complete frame that begins after a byte, or size.
// Only the frame's own seal decides whether it is complete. Seals are found by the file's salt,
// and each byte is summed at most once: a seal whose frame would begin before the end of the
// previous seal is ignored.
func nextFrame(f io.ReaderAt, s salt, behind, size int64, progress func(int64)) (int64, error) {
	pattern := s.sealPattern()
	buf := make([]byte, min(size-behind, readBuffer))
	for pos, low := behind, behind+1; pos < size; {
		part := buf[:min(int64(len(buf)), size-pos)]
		if err := readFull(f, part, pos); err != nil {
			return 0, err
		}
		i := bytes.Index(part, pattern)
		if i < 0 {
			if progress != nil {
				progress(pos)
			}
			pos += max(1, int64(len(part)-len(pattern)+1))
			continue
		}
		start, end, err := frameBefore(f, pos+int64(i), low, size)
		if err != nil || start >= 0 {
			return start, err
		}
		pos, low = end, max(low, end)
	}
	return size, nil
}

// frameBefore returns the start of the frame whose seal begins at an offset, and the end of the
// seal. The start is -1 if no complete frame starts at low or later.
func frameBefore(f io.ReaderAt, at, low, size int64) (start, end int64, err error) {
	end = at + int64(sealSize)
	if end > size {
		return -1, size, nil
	}
	tail := make([]byte, sealSize)
	if err := readFull(f, tail, at); err != nil {
		return 0, 0, err
	}
	found := decodeSeal(tail[len(sealStart):])
	if found.at < low || found.at >= at || string(tail[sealSize-2:]) != "\r\n" {
		return -1, end, nil
	}
	sum, err := sumOf(f, found.at, end-6)
	if err != nil {
		return 0, 0, err
	}
	if sum != found.sum {
		return -1, end, nil
	}
	return found.at, end, nil
}

// sumOf returns the CRC-32C of a part of a file.
func sumOf(f io.ReaderAt, from, to int64) (sum uint32, err error) {
	buf := make([]byte, min(max(to-from, 0), readBuffer))
	for from < to {
		part := buf[:min(int64(len(buf)), to-from)]
		if err := readFull(f, part, from); err != nil {
			return 0, err
		}
		sum = crc32.Update(sum, castagnoli, part)
		from += int64(len(part))
	}
	return sum, nil
}

// readFull reads bytes that must exist, unless the file is being truncated.
func readFull(f io.ReaderAt, into []byte, at int64) error {
	n, err := f.ReadAt(into, at)
	if n == len(into) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
