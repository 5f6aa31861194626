package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
)

// Type is the type of a message. Messages of odd types may be ignored.
type Type uint16

// Types of messages that this package reads or writes.
const (
	TypeWarning         Type = 1
	TypeInit            Type = 16
	TypeError           Type = 17
	TypePing            Type = 18
	TypePong            Type = 19
	TypeOpenChannel     Type = 32
	TypeOpenChannel2    Type = 64
	TypeQueryChannels   Type = 261
	TypeChannelsEnd     Type = 262
	TypeQueryRange      Type = 263
	TypeRange           Type = 264
	TypeGossipTimestamp Type = 265
)

// Known reports whether a message of this type may be ignored: it is odd, or defined by BOLT 2
// or BOLT 7. Those concern channels, which this node does not have, and are harmless. Any other
// even type must end the connection.
func (t Type) Known() bool {
	switch t {
	case TypeInit, TypePing, TypeOpenChannel, TypeOpenChannel2, TypeChannelsEnd, TypeRange,
		2, 34, 36, 38, 40, 66, 68, 70, 72, 74, 80, 128, 130, 132, 134, 136, 256, 258:
		return true
	}
	return t%2 == 1
}

// ErrMessage means that a message is invalid for its type. The cause follows.
var ErrMessage = errors.New("invalid message")

func broken(name string, err error) error { return fmt.Errorf("%w: %s: %w", ErrMessage, name, err) }

// Split splits a message into its type and its payload.
func Split(message []byte) (Type, []byte, error) {
	if len(message) < 2 {
		return 0, nil, broken("type", ErrShort)
	}
	return Type(binary.BigEndian.Uint16(message)), message[2:], nil
}

func begin(t Type, size int) []byte {
	return binary.BigEndian.AppendUint16(make([]byte, 0, 2+size), uint16(t))
}

// maxPong is the largest pong that fits into a message.
const maxPong = 65531

// Ping requests a Pong.
type Ping struct {
	Pong    int // requested size of the pong in bytes
	Ignored int // number of additional bytes in the ping
}

// Encode encodes the message.
func (p Ping) Encode() []byte {
	b := binary.BigEndian.AppendUint16(begin(TypePing, 4+p.Ignored), uint16(p.Pong))
	b = binary.BigEndian.AppendUint16(b, uint16(p.Ignored))
	return append(b, make([]byte, p.Ignored)...)
}

// Wanted reports whether the ping requires an answer. A ping that requests a larger pong than
// possible requires none.
func (p Ping) Wanted() bool { return p.Pong <= maxPong }

// DecodePing decodes the message after its type.
func DecodePing(payload []byte) (p Ping, err error) {
	if len(payload) < 4 {
		return p, broken("ping", ErrShort)
	}
	p = Ping{Pong: int(binary.BigEndian.Uint16(payload)), Ignored: int(binary.BigEndian.Uint16(payload[2:]))}
	if len(payload) < 4+p.Ignored {
		return p, broken("ping", ErrShort)
	}
	return p, nil
}

// Pong is the answer to a Ping. Its value is the number of zero bytes in it.
type Pong int

// Encode encodes the message.
func (p Pong) Encode() []byte {
	b := binary.BigEndian.AppendUint16(begin(TypePong, 2+int(p)), uint16(p))
	return append(b, make([]byte, p)...)
}

// DecodePong decodes the message after its type.
func DecodePong(payload []byte) (Pong, error) {
	if len(payload) < 2 {
		return 0, broken("pong", ErrShort)
	}
	n := binary.BigEndian.Uint16(payload)
	if len(payload) < 2+int(n) {
		return 0, broken("pong", ErrShort)
	}
	return Pong(n), nil
}

// Problem is the content of an error or a warning.
type Problem struct {
	Channel [32]byte // zero if it is about the connection or all channels
	Text    string   // printable ASCII, at most maxText bytes if it was decoded
}

// maxText is the maximum length of a peer's text that is kept, in bytes.
const maxText = 255

// Encode encodes the message with the type TypeError or TypeWarning.
func (p Problem) Encode(t Type) []byte {
	b := append(begin(t, 34+len(p.Text)), p.Channel[:]...)
	b = binary.BigEndian.AppendUint16(b, uint16(len(p.Text)))
	return append(b, p.Text...)
}

// DecodeProblem decodes an error or a warning after its type.
func DecodeProblem(payload []byte) (p Problem, err error) {
	if len(payload) < 34 {
		return p, broken("error or warning", ErrShort)
	}
	p.Channel = [32]byte(payload)
	length := int(binary.BigEndian.Uint16(payload[32:]))
	if len(payload) < 34+length {
		return p, broken("error or warning", ErrShort)
	}
	p.Text = printable(payload[34 : 34+length])
	return p, nil
}

// printable returns the beginning of a peer's text, in which bytes other than printable ASCII
// are replaced.
func printable(text []byte) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, string(text[:min(len(text), maxText)]))
}

// RefuseChannel returns the answer to a message that opens a channel: an error for that channel
// only.
func RefuseChannel(payload []byte, why string) ([]byte, error) {
	if len(payload) < 64 {
		return nil, broken("open_channel", ErrShort)
	}
	return Problem{Channel: [32]byte(payload[32:64]), Text: why}.Encode(TypeError), nil
}

// NoChannels returns the answer to query_short_channel_ids or query_channel_range: this node
// has no channels.
func NoChannels(t Type, payload []byte) ([]byte, error) {
	const complete = 1 // the answer is complete
	if t == TypeQueryChannels {
		if len(payload) < 32 {
			return nil, broken("query_short_channel_ids", ErrShort)
		}
		return append(append(begin(TypeChannelsEnd, 33), payload[:32]...), 0), nil // the node keeps no data of that chain
	}
	if len(payload) < 40 {
		return nil, broken("query_channel_range", ErrShort)
	}
	b := append(begin(TypeRange, 44), payload[:40]...) // the chain and the range
	return append(b, complete, 0, 1, 0), nil           // one byte follows: an empty list of ids, uncompressed
}
