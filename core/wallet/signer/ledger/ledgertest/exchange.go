package ledgertest

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"slices"
)

// Statuses of the device's answers.
const (
	ok            = 0x9000
	isLocked      = 0x5515
	wrongLength   = 0x6700
	notSatisfied  = 0x6985
	notAllowed    = 0x6986
	invalidData   = 0x6984
	invalid       = 0x6a80
	wrongP1P2     = 0x6b00
	noInstruction = 0x6d00
	noClass       = 0x6e00
	noClassSystem = 0x6e01
	unknownType   = 0x6501
)

// command is a received command.
type command struct {
	class, instruction, p1, p2 byte
	data                       []byte
}

// answer is data and a status.
type answer struct {
	data   []byte
	status uint16
}

func status(s uint16) answer { return answer{status: s} }

// Exchange returns the answer to a command. If the user is asked and ctx ends, it returns nil.
func (d *Device) Exchange(ctx context.Context, apdu []byte) []byte {
	plugged := d.connected()
	if plugged == nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		select {
		case <-plugged:
			cancel()
		case <-ctx.Done():
		}
	}()
	var tamper func(command, answer []byte) []byte
	d.do(func() {
		d.requests = append(d.requests, bytes.Clone(apdu))
		tamper = d.tamper
	})
	a := d.handle(ctx, apdu)
	if ctx.Err() != nil {
		return nil
	}
	encoded := binary.BigEndian.AppendUint16(slices.Clone(a.data), a.status)
	if tamper != nil {
		encoded = tamper(apdu, encoded)
	}
	return encoded
}

func (d *Device) handle(ctx context.Context, apdu []byte) answer {
	if len(apdu) < 5 || int(apdu[4]) != len(apdu)-5 {
		return status(wrongLength)
	}
	c := command{apdu[0], apdu[1], apdu[2], apdu[3], apdu[5:]}
	var locked bool
	var app string
	d.do(func() { locked, app = d.locked, d.app })
	switch {
	case locked:
		return status(isLocked)
	case c.class == 0xb0 && c.instruction == 0x01:
		return d.whatIsOpen()
	case app == "Cosmos":
		return d.cosmosApp(ctx, c)
	case app == "Ethereum":
		return d.ethereumApp(ctx, c)
	case app == "":
		return status(noClassSystem)
	}
	return status(noClass)
}

// whatIsOpen returns the open app. All apps and the dashboard support it.
func (d *Device) whatIsOpen() answer {
	name, version, flags := "BOLOS", "2.2.3", []byte(nil)
	d.do(func() {
		if d.app != "" {
			v := d.settings.Versions[d.app]
			name, version, flags = d.app, fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]), []byte{1, 0x40}
		}
	})
	b := append([]byte{1, byte(len(name))}, name...)
	b = append(append(b, byte(len(version))), version...)
	return answer{append(b, flags...), ok}
}
