package ledger

import (
	"context"
	"encoding/binary"
	"sync/atomic"

	"obverse/core/wallet/signer/device"
)

// Over speaks to devices through a bus of reports.
func Over(bus device.Bus) Port { return &reportPort{bus: bus} }

type reportPort struct {
	bus    device.Bus
	opened atomic.Uint32
}

func (p *reportPort) List(ctx context.Context) ([]device.Info, error) { return p.bus.List(ctx, Vendor) }

// firstChannel is the channel that Ledger's documents name.
const firstChannel = 0x0101

// Open gives each connection a channel of its own, so that the answer to a command of one
// that was given up is not taken for the answer to the next one's.
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

// maxStale bounds the reports for other programs and earlier connections that are skipped.
const maxStale = 256

// stale reports whether the report belongs to another channel.
func (l *reportLink) stale(report []byte) bool {
	return len(report) == device.ReportSize && binary.BigEndian.Uint16(report) != l.channel
}
