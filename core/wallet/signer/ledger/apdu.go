package ledger

import (
	"context"
	"encoding/binary"

	"obverse/core/wallet/signer/device"
)

// Vendor is Ledger's number among those of USB.
const Vendor = 0x2c97

// Port is a transport to Ledger's devices. Its errors are *device.Error and those of ctx;
// it may be used by several goroutines.
type Port = device.Port[Link]

// Link is an open device. One goroutine uses it; Close may come from another one.
type Link interface {
	// Exchange sends a command and waits for its answer: data and two bytes of status.
	Exchange(ctx context.Context, apdu []byte) (answer []byte, err error)
	Close() error
}

// MaxAnswer bounds an answer. Devices have buffers of 260 bytes for them.
const MaxAnswer = 1024

// maxData limits the data of one command.
const maxData = 255

// command is a command APDU.
type command struct {
	class, instruction, p1, p2 byte
	data                       []byte // at most maxData bytes
}

func (c command) encode() []byte {
	return append([]byte{c.class, c.instruction, c.p1, c.p2, byte(len(c.data))}, c.data...)
}

// splitAnswer takes the status off an answer.
func splitAnswer(answer []byte) (data []byte, status uint16, err error) {
	if len(answer) < 2 || len(answer) > MaxAnswer {
		return nil, 0, device.Failf(device.InvalidAnswer, "invalid answer from the device: got %d bytes, want 2 to %d", len(answer), MaxAnswer)
	}
	end := len(answer) - 2
	return answer[:end], binary.BigEndian.Uint16(answer[end:]), nil
}
