package trezor

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"

	"obverse/core/key"
	"obverse/core/wallet/protobuf"
	"obverse/core/wallet/signer/device"
)

// Format of reports: a question mark. In the first report, two number signs, two bytes of the
// message's kind and four bytes of its length follow. The rest is the message's bytes, padded
// with zeros.
const (
	reportMark  = '?'
	messageMark = '#'
	headSize    = 2 + 4 // of a message: kind and length
	firstHead   = 3 + headSize
)

// MaxMessage is the maximum size of a device's answer. The longest answers have some hundred
// bytes.
const MaxMessage = 16 << 10

// Message is a message of the protocol, with its type and its fields.
type Message struct {
	Kind Kind
	Body []byte
}

// encode encodes kind, length and fields in the format of Bridge.
func (m Message) encode() []byte {
	b := binary.BigEndian.AppendUint16(nil, uint16(m.Kind))
	return append(binary.BigEndian.AppendUint32(b, uint32(len(m.Body))), m.Body...)
}

// Split splits a message into reports of device.ReportSize bytes.
func Split(m Message) (reports [][]byte) {
	rest := append([]byte{messageMark, messageMark}, m.encode()...)
	for len(rest) > 0 {
		report := make([]byte, device.ReportSize)
		report[0] = reportMark
		rest = rest[copy(report[1:], rest):]
		reports = append(reports, report)
	}
	return reports
}

// Joiner assembles a message of at most Max bytes from its reports.
type Joiner struct {
	Max int

	begun  bool
	length int
	m      Message
}

// begins reports whether a report is the first one of a message.
func begins(report []byte) bool {
	return len(report) == device.ReportSize && report[0] == reportMark && report[1] == messageMark && report[2] == messageMark
}

// Add adds the next report. done reports whether the message is complete. Add fails if a report
// does not follow the previous one; the Joiner must not be used after that.
func (j *Joiner) Add(report []byte) (m Message, done bool, err error) {
	if len(report) != device.ReportSize {
		return m, false, invalidReport("it has %d bytes, want %d", len(report), device.ReportSize)
	}
	if report[0] != reportMark {
		return m, false, invalidReport("it begins with %02x, want %02x", report[0], reportMark)
	}
	content := report[1:]
	if !j.begun {
		if !begins(report) {
			return m, false, invalidReport("it does not begin a message")
		}
		kind, length := binary.BigEndian.Uint16(report[3:]), binary.BigEndian.Uint32(report[5:])
		if int64(length) > int64(j.Max) {
			return m, false, invalidReport("it begins %d bytes, want at most %d", length, j.Max)
		}
		j.begun, j.length, j.m.Kind = true, int(length), Kind(kind)
		content = report[firstHead:]
	}
	j.m.Body = append(j.m.Body, content[:min(len(content), j.length-len(j.m.Body))]...)
	return j.m, len(j.m.Body) == j.length, nil
}

func invalidReport(format string, values ...any) error {
	e := device.Failf(device.InvalidAnswer, format, values...)
	e.Text = "invalid report from the device: " + e.Text
	return e
}

// body holds the fields of a message to be sent.
type body []byte

func (b body) number(n protowire.Number, value uint64) body {
	return protobuf.AppendNumber(b, n, value)
}

func (b body) flag(n protowire.Number) body { return b.number(n, 1) }

func (b body) bytes(n protowire.Number, value []byte) body {
	return protobuf.AppendBytes(b, n, value)
}

func (b body) text(n protowire.Number, value string) body { return b.bytes(n, []byte(value)) }

// path appends the elements of a path.
func (b body) path(n protowire.Number, path key.Path) body {
	for _, step := range path {
		b = b.number(n, uint64(step))
	}
	return b
}

// maxFields is the maximum number of fields in a message of a device. Features has about sixty.
const maxFields = 256

// Fields holds the fields of a message. A field that is missing or has another type counts as
// empty. If a field is repeated, the last one counts.
type Fields []protobuf.Field

// ReadFields parses the fields of a message. ok reports whether they are well-formed.
func ReadFields(message []byte) (all Fields, ok bool) {
	for len(message) > 0 {
		f, n := protobuf.Consume(message)
		if n < 0 || len(all) == maxFields {
			return nil, false
		}
		all, message = append(all, f), message[n:]
	}
	return all, true
}

// find returns the last field with a number and a type.
func (all Fields) find(number protowire.Number, kind protowire.Type) (found protobuf.Field, ok bool) {
	for _, f := range all {
		if f.Number == number && f.Kind == kind {
			found, ok = f, true
		}
	}
	return found, ok
}

// Number returns the value of a number, or 0 if it is missing.
func (all Fields) Number(n protowire.Number) uint64 {
	f, _ := all.find(n, protowire.VarintType)
	return f.Value
}

// Numbers returns the values of a repeated field.
func (all Fields) Numbers(n protowire.Number) (values []uint64) {
	for _, f := range all {
		if f.Number == n && f.Kind == protowire.VarintType {
			values = append(values, f.Value)
		}
	}
	return values
}

// Bytes returns the value of a field, and reports whether it is present.
func (all Fields) Bytes(n protowire.Number) ([]byte, bool) {
	f, ok := all.find(n, protowire.BytesType)
	return f.Bytes, ok
}
