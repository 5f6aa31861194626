package probe

import (
	"bufio"
	"errors"
	"fmt"
	"io"

	"github.com/multiformats/go-varint"
)

// maxFrame bounds a message in bytes, as upstream does.
const maxFrame = 1_048_476

// errFrame says that a peer announces a longer message.
var errFrame = errors.New("the message is too long")

// writeFrame writes a message with its length in front, in one piece.
func writeFrame(w io.Writer, message []byte) error {
	_, err := w.Write(append(varint.ToUvarint(uint64(len(message))), message...))
	return err
}

// readFrame reads one message. What is reserved grows with what arrives, not with
// the length that is announced.
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
