package ledgertest

import (
	"context"
	"encoding/binary"
	"io"

	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/ledger"
)

// ServeSpeculos serves one client with the protocol of Speculos' APDU port. Each APDU has its
// length in four bytes before it; the length of an answer does not include its status.
// ServeSpeculos returns when the client disconnects or the device is unplugged.
func (d *Device) ServeSpeculos(ctx context.Context, client io.ReadWriter) error {
	for {
		var size [4]byte
		if _, err := io.ReadFull(client, size[:]); err != nil {
			return err
		}
		apdu := make([]byte, min(binary.BigEndian.Uint32(size[:]), 5+255))
		if _, err := io.ReadFull(client, apdu); err != nil {
			return err
		}
		answer := d.Exchange(ctx, apdu)
		if len(answer) < 2 {
			return io.ErrClosedPipe
		}
		if _, err := client.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(answer)-2)), answer...)); err != nil {
			return err
		}
	}
}

// ServeReports serves one host with reports, as the device node of hidraw does. The host writes
// them after the number of the report, which is zero, and reads them without it. ServeReports
// returns when the host disconnects or the device is unplugged.
func (d *Device) ServeReports(ctx context.Context, host io.ReadWriter) error {
	var joiner *ledger.Joiner
	for {
		var numbered [1 + device.ReportSize]byte
		n, err := host.Read(numbered[:])
		if err != nil {
			return err
		}
		if n != len(numbered) || numbered[0] != 0 {
			return io.ErrUnexpectedEOF
		}
		report := numbered[1:]
		channel := binary.BigEndian.Uint16(report)
		if joiner == nil {
			joiner = &ledger.Joiner{Channel: channel, Max: 5 + 255}
		}
		apdu, done, err := joiner.Add(report)
		if err != nil {
			return err
		}
		if !done {
			continue
		}
		joiner = nil
		for _, r := range d.answerReports(ctx, channel, apdu) {
			if _, err := host.Write(r); err != nil {
				return err
			}
		}
		if d.connected() == nil {
			return io.ErrClosedPipe
		}
	}
}
