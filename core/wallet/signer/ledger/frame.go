package ledger

import (
	"encoding/binary"

	"obverse/core/wallet/signer/device"
)

// How reports are made: two bytes of channel, the tag, two bytes of sequence number; in the
// first report then two bytes of the APDU's length; then the APDU's bytes, then zeros.
const (
	tagAPDU     = 0x05
	reportHead  = 5
	lengthBytes = 2
)

// Split frames an APDU of at most 65535 bytes into reports of device.ReportSize bytes.
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

// Joiner puts an APDU of at most Max bytes together from its reports.
type Joiner struct {
	Channel uint16
	Max     int

	apdu     []byte
	length   int
	sequence uint16
}

// Add takes the next report; done reports whether the APDU is whole. The first report that
// is not the one that must follow fails, and leaves the Joiner useless.
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
