package ledger

import (
	"context"
	"encoding/binary"
	"sync/atomic"

	"obverse/core/wallet/signer/device"
)

// Format of reports: two bytes of channel, the tag, and two bytes of sequence number. In the
// first report, two bytes of the APDU's length follow. The rest is the APDU's bytes, padded
// with zeros.
const (
	tagAPDU     = 0x05
	reportHead  = 5
	lengthBytes = 2
)

// Split splits an APDU of at most 65535 bytes into reports of device.ReportSize bytes.
func Split(channel uint16, apdu []byte) [][]byte {
	const room = device.ReportSize - reportHead
	rest := append(binary.BigEndian.AppendUint16(nil, uint16(len(apdu))), apdu...)
	var reports [][]byte
	for sequence := uint16(0); len(rest) > 0; sequence++ {
		report := make([]byte, device.ReportSize)
		binary.BigEndian.PutUint16(report, channel)
		report[2] = tagAPDU
		binary.BigEndian.PutUint16(report[3:], sequence)
		n := copy(report[reportHead:], rest[:min(room, len(rest))])
		rest = rest[n:]
		reports = append(reports, report)
	}
	return reports
}

// Joiner assembles an APDU of at most Max bytes from its reports.
type Joiner struct {
	Channel uint16
	Max     int

	apdu     []byte
	length   int
	sequence uint16
}

// Add adds the next report. done reports whether the APDU is complete. Add fails if a report
// does not follow the previous one; the Joiner must not be used after that.
func (j *Joiner) Add(report []byte) (apdu []byte, done bool, err error) {
	if len(report) != device.ReportSize {
		return nil, false, invalidReport("it has %d bytes, want %d", len(report), device.ReportSize)
	}
	if channel := binary.BigEndian.Uint16(report); channel != j.Channel {
		return nil, false, invalidReport("its channel is %04x, want %04x", channel, j.Channel)
	}
	if report[2] != tagAPDU {
		return nil, false, invalidReport("its tag is %02x, want %02x", report[2], tagAPDU)
	}
	if sequence := binary.BigEndian.Uint16(report[3:]); sequence != j.sequence {
		return nil, false, invalidReport("its sequence number is %d, want %d", sequence, j.sequence)
	}
	content := report[reportHead:]
	if j.sequence == 0 {
		j.length = int(binary.BigEndian.Uint16(content))
		if j.length == 0 || j.length > j.Max {
			return nil, false, invalidReport("it begins %d bytes, want 1 to %d", j.length, j.Max)
		}
		content = content[lengthBytes:]
	}
	j.sequence++
	j.apdu = append(j.apdu, content[:min(len(content), j.length-len(j.apdu))]...)
	return j.apdu, len(j.apdu) == j.length, nil
}

func invalidReport(format string, values ...any) error {
	e := device.Failf(device.InvalidAnswer, format, values...)
	e.Text = "invalid report from the device: " + e.Text
	return e
}

// Vendor is Ledger's USB vendor number.
const Vendor = 0x2c97

// Port is a transport to Ledger's devices. Its errors are *device.Error and the errors of ctx.
// It is safe for concurrent use.
type Port = device.Port[Link]

// Link is an open device. It is used by one goroutine. Close may be called by another one.
type Link interface {
	// Exchange sends a command and returns the answer, which is data and two bytes of status.
	Exchange(ctx context.Context, apdu []byte) (answer []byte, err error)
	Close() error
}

// MaxAnswer is the maximum size of an answer. The buffers of devices have 260 bytes.
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

// splitAnswer splits an answer into data and status.
func splitAnswer(answer []byte) (data []byte, status uint16, err error) {
	if len(answer) < 2 || len(answer) > MaxAnswer {
		return nil, 0, device.Failf(device.InvalidAnswer, "invalid answer from the device: got %d bytes, want 2 to %d", len(answer), MaxAnswer)
	}
	end := len(answer) - 2
	return answer[:end], binary.BigEndian.Uint16(answer[end:]), nil
}

// Over returns a port to devices on a bus of reports.
func Over(bus device.Bus) Port { return &reportPort{bus: bus} }

type reportPort struct {
	bus    device.Bus
	opened atomic.Uint32
}

func (p *reportPort) List(ctx context.Context) ([]device.Info, error) { return p.bus.List(ctx, Vendor) }

// firstChannel is the channel in Ledger's documents.
const firstChannel = 0x0101

// Open uses a separate channel for each connection, so that the answer to a command of an
// earlier connection is not mistaken for the answer to a new command.
func (p *reportPort) Open(ctx context.Context, id string) (Link, error) {
	conn, err := p.bus.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	const channels = 0x10000 - firstChannel
	return &reportLink{conn, firstChannel + uint16((p.opened.Add(1)-1)%channels)}, nil
}

// reportLink is a Link over reports.
type reportLink struct {
	conn    device.Conn
	channel uint16
}

func (l *reportLink) Close() error { return l.conn.Close() }

func (l *reportLink) Exchange(ctx context.Context, apdu []byte) ([]byte, error) {
	for _, report := range Split(l.channel, apdu) {
		if err := l.conn.Write(ctx, report); err != nil {
			return nil, err
		}
	}
	joiner := Joiner{Channel: l.channel, Max: MaxAnswer}
	for stale := 0; ; {
		report, err := l.conn.Read(ctx)
		if err != nil {
			return nil, err
		}
		if stale < maxStale && l.stale(report) {
			stale++
			continue
		}
		if answer, done, err := joiner.Add(report); err != nil || done {
			return answer, err
		}
	}
}

// maxStale is the maximum number of skipped reports for other programs and earlier connections.
const maxStale = 256

// stale reports whether the report belongs to another channel.
func (l *reportLink) stale(report []byte) bool {
	return len(report) == device.ReportSize && binary.BigEndian.Uint16(report) != l.channel
}

// Statuses of answers. Sources: for statuses of the operating system, LedgerHQ/ledger-live
// libs/ledgerjs/packages/errors; for statuses of apps, the sources in doc.go.
const (
	statusOK             = 0x9000
	statusLocked         = 0x5515 // since 2021
	statusLockedOld      = 0x6804
	statusLockedOlder    = 0x6b0c // observed: MetaMask/metamask-extension#17606
	statusRefused        = 0x5501
	statusNoApp          = 0x6511
	statusNotSatisfied   = 0x6985 // in Ethereum and older Cosmos apps: the user rejected the request
	statusNotAllowed     = 0x6986 // in Cosmos: the user rejected the request, or another one is in progress
	statusSecurity       = 0x6982 // in Ethereum: the user rejected the request; in older firmware: locked
	statusSystemInFront  = 0x6901 // the system's own screen is open: LedgerHQ/device-sdk-ts#1773
	statusInvalidData    = 0x6a80
	statusCosmosInvalid  = 0x6984 // followed by a text
	statusTooLong        = 0x6988
	statusPathValue      = 0x6989
	statusPrefixLength   = 0x698a
	statusPath           = 0x698b
	statusPrefix         = 0x698c
	statusExpert         = 0x698d
	statusNoMemory       = 0x6a84
	statusTypeUnknown    = 0x6501
	statusNoInstruction  = 0x6d00
	statusNoInstruction2 = 0x6d02
	statusNoClass        = 0x6e00
	statusNoClass2       = 0x6e01
)

// statusError returns the error for a status that both apps use. what names the request.
func statusError(what, app string, status uint16, data []byte) *device.Error {
	switch status {
	case statusLocked, statusLockedOld, statusLockedOlder:
		return device.Failf(device.Locked, "%s: device is locked: unlock it with its PIN", what)
	case statusRefused, statusNotSatisfied:
		return device.Failf(device.Rejected, "%s: rejected on the device", what)
	case statusNoApp, statusNoClass, statusNoClass2, statusNoInstruction, statusNoInstruction2:
		return device.Failf(device.WrongApp, "%s: app %s is not open on the device: open it", what, app)
	case statusSystemInFront:
		return device.Failf(device.Busy, "%s: device shows its own settings: leave them and open app %s", what, app)
	}
	return device.Failf(device.Failed, "%s: device failed with status %04x%s", what, status, device.Said(data))
}
