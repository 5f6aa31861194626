package trezor

import (
	"context"

	"obverse/core/wallet/signer/device"
)

// USB numbers of Trezor's devices: those of the first model, and those of the others, with a
// vendor number that many makers share.
const (
	vendorOne, productOne         = 0x534c, 0x0001
	vendorLater                   = 0x1209
	productFirmware, productBoots = 0x53c1, 0x53c0
)

// Is reports whether a device is one of Trezor's.
func Is(info device.Info) bool {
	switch info.Vendor {
	case vendorOne:
		return info.Product == productOne
	case vendorLater:
		return info.Product == productFirmware || info.Product == productBoots
	}
	return false
}

// Port is a transport to Trezor's devices. Its errors are *device.Error and those of ctx; it
// may be used by several goroutines.
type Port = device.Port[Link]

// Link is an open device. One goroutine uses it; Close may come from another one.
type Link interface {
	// Call sends a message and waits for the answer.
	Call(ctx context.Context, m Message) (Message, error)
	// Tell sends a message without waiting for the answer.
	Tell(ctx context.Context, m Message) error
	Close() error
}

// Over speaks to devices through a bus of reports.
func Over(bus device.Bus) Port { return reportPort{bus} }

type reportPort struct{ bus device.Bus }

func (p reportPort) List(ctx context.Context) (all []device.Info, err error) {
	for _, vendor := range []uint16{vendorOne, vendorLater} {
		ids, err := p.bus.List(ctx, vendor)
		if err != nil {
			return nil, err
		}
		for _, info := range ids {
			if Is(info) {
				all = append(all, info)
			}
		}
	}
	return all, nil
}

func (p reportPort) Open(ctx context.Context, id string) (Link, error) {
	conn, err := p.bus.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	return &reportLink{conn: conn}, nil
}

// reportLink is a Link over reports.
type reportLink struct{ conn device.Conn }

func (l *reportLink) Close() error { return l.conn.Close() }

func (l *reportLink) Tell(ctx context.Context, m Message) error {
	for _, report := range Split(m) {
		if err := l.conn.Write(ctx, report); err != nil {
			return err
		}
	}
	return nil
}

// maxStale limits the skipped reports of answers to requests that others, or this node
// before, gave up: partial messages and whole ones.
const maxStale = 256

func (l *reportLink) Call(ctx context.Context, m Message) (Message, error) {
	if err := l.Tell(ctx, m); err != nil {
		return Message{}, err
	}
	return current(m, func() (Message, error) { return l.read(ctx) })
}

// current reads an answer. After Initialize, which begins a conversation, it skips those
// to requests that were given up before.
func current(request Message, read func() (Message, error)) (answer Message, err error) {
	for stale := 0; ; stale++ {
		if answer, err = read(); err != nil || request.Kind != KindInitialize || stale == maxStale || !outdated(answer) {
			return answer, err
		}
	}
}

// outdated reports whether the message cannot be an answer to Initialize.
func outdated(answer Message) bool {
	if answer.Kind != KindFailure {
		return answer.Kind != KindFeatures
	}
	code := failureCode(answer)
	return code == failureCancelled || code == failurePinCancelled || code == failureUnexpected
}

func (l *reportLink) read(ctx context.Context) (Message, error) {
	joiner := Joiner{Max: MaxMessage}
	for stale := 0; ; {
		report, err := l.conn.Read(ctx)
		if err != nil {
			return Message{}, err
		}
		if !joiner.begun && stale < maxStale && len(report) == device.ReportSize && !begins(report) {
			stale++
			continue
		}
		if m, done, err := joiner.Add(report); err != nil || done {
			return m, err
		}
	}
}

// Either is a port that is used where it answers, and one that is used elsewhere.
func Either(first, second Port) Port { return either{first, second} }

type either struct{ first, second Port }

func (e either) List(ctx context.Context) ([]device.Info, error) {
	all, err := e.first.List(ctx)
	if device.Is(err, device.NotFound) || err == nil && len(all) == 0 {
		return e.second.List(ctx)
	}
	return all, err
}

func (e either) Open(ctx context.Context, id string) (Link, error) {
	link, err := e.first.Open(ctx, id)
	if device.Is(err, device.NotFound) {
		return e.second.Open(ctx, id)
	}
	return link, err
}
