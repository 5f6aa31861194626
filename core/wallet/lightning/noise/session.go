package noise

import (
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"golang.org/x/crypto/chacha20poly1305"
)

// MaxMessage is the maximum size of a message in bytes.
const MaxMessage = 65535

// rotation is the number of uses of a key. A message uses it twice.
const rotation = 1000

// headerSize is the size of the encrypted length before a message.
const headerSize = 2 + tagSize

// maxBuffer is the capacity up to which a buffer is reused for the next message, so that
// an idle peer holds little memory.
const maxBuffer = 4096

var (
	// ErrFrame means that the bytes are not the peer's next message.
	ErrFrame = errors.New("decryption failed")
	// ErrLong means that a message has more than MaxMessage bytes.
	ErrLong = fmt.Errorf("a message has at most %d bytes", MaxMessage)
)

// unprintable is embedded in structs whose keys must not be printed.
type unprintable struct{}

// Format writes a text without keys, for every verb.
func (unprintable) Format(f fmt.State, _ rune) { fmt.Fprint(f, "[keys]") }

// Session is the result of a handshake: a key for each direction. One goroutine may use its
// Writer while another one uses its Reader.
type Session struct {
	unprintable
	send, receive direction
}

func newSession(chain, send, receive [32]byte) *Session {
	return &Session{send: newDirection(chain, send), receive: newDirection(chain, receive)}
}

// Writer returns a writer of messages to w. A session has only one.
func (s *Session) Writer(w io.Writer) *Writer { return &Writer{w: w, direction: &s.send} }

// Reader returns a reader of messages from r, which reads no bytes after them. A session has
// only one.
func (s *Session) Reader(r io.Reader) *Reader { return &Reader{r: r, direction: &s.receive} }

// direction holds a key with its nonce, and the chaining key for the next key.
type direction struct {
	unprintable
	chain, key [32]byte
	nonce      uint64
	aead       cipher.AEAD
}

func newDirection(chain, key [32]byte) direction {
	return direction{chain: chain, key: key, aead: aead(key)}
}

// step returns the next nonce, and changes the key when necessary.
func (d *direction) step() []byte {
	if d.nonce == rotation {
		chain, key := expand(d.chain, d.key[:])
		*d = newDirection(chain, key)
	}
	d.nonce++
	return encodeNonce(d.nonce - 1)
}

// seal encrypts plain and appends the result to out.
func (d *direction) seal(out, plain []byte) []byte {
	nonce := d.step()
	return d.aead.Seal(out, nonce, plain, nil)
}

// open decrypts in place.
func (d *direction) open(sealed []byte) ([]byte, error) {
	nonce := d.step()
	return d.aead.Open(sealed[:0], nonce, sealed, nil)
}

// encodeNonce encodes a nonce as 32 zero bits and the number in little-endian order.
func encodeNonce(n uint64) []byte {
	var nonce [chacha20poly1305.NonceSize]byte
	binary.LittleEndian.PutUint64(nonce[4:], n)
	return nonce[:]
}

// Writer writes messages. After an error of w it must not be used again.
type Writer struct {
	unprintable
	w         io.Writer
	direction *direction
	buffer    []byte
}

// Write encrypts a message and writes it with one call. Errors are ErrLong, which leaves the
// session unchanged, and the errors of the underlying writer.
func (w *Writer) Write(message []byte) error {
	if len(message) > MaxMessage {
		return fmt.Errorf("%w, got %d", ErrLong, len(message))
	}
	var length [2]byte
	binary.BigEndian.PutUint16(length[:], uint16(len(message)))
	out := w.direction.seal(w.buffer[:0], length[:])
	out = w.direction.seal(out, message)
	if cap(out) <= maxBuffer {
		w.buffer = out
	}
	_, err := w.w.Write(out)
	return err
}

// Reader reads messages. After an error it must not be used again.
type Reader struct {
	unprintable
	r         io.Reader
	direction *direction
	buffer    []byte
}

// Read returns the next message, which is valid until the next call. It returns io.EOF at the
// end between two messages. Other errors are ErrFrame, io.ErrUnexpectedEOF and the errors of
// the underlying reader.
func (r *Reader) Read() ([]byte, error) {
	if cap(r.buffer) > maxBuffer {
		r.buffer = nil // released before the wait, which may be long
	}
	var header [headerSize]byte
	if _, err := io.ReadFull(r.r, header[:]); err != nil {
		return nil, err
	}
	length, err := r.direction.open(header[:])
	if err != nil {
		return nil, fmt.Errorf("%w: length of a message", ErrFrame)
	}
	size := int(binary.BigEndian.Uint16(length)) + tagSize
	if cap(r.buffer) < size {
		r.buffer = make([]byte, max(size, 256))
	}
	sealed := r.buffer[:size]
	if _, err := io.ReadFull(r.r, sealed); err != nil {
		if errors.Is(err, io.EOF) {
			err = io.ErrUnexpectedEOF
		}
		return nil, err
	}
	message, err := r.direction.open(sealed)
	if err != nil {
		return nil, fmt.Errorf("%w: a message of %d bytes", ErrFrame, size-tagSize)
	}
	return message, nil
}
