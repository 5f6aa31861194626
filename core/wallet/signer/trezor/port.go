package trezor

import (
	"context"

	"obverse/core/wallet/signer/device"
)

// USB numbers of Trezor's devices. The first model has its own; the others have a vendor number
// that many manufacturers share.
const (
	vendorOne, productOne         = 0x534c, 0x0001
	vendorLater                   = 0x1209
	productFirmware, productBoots = 0x53c1, 0x53c0
)

// Is reports whether a device is a Trezor.
func Is(info device.Info) bool {
	switch info.Vendor {
	case vendorOne:
		return info.Product == productOne
	case vendorLater:
		return info.Product == productFirmware || info.Product == productBoots
	}
	return false
}

// Port is a transport to Trezor's devices. Its errors are *device.Error and the errors of ctx.
// It is safe for concurrent use.
type Port = device.Port[Link]

// Link is an open device. It is used by one goroutine. Close may be called by another one.
type Link interface {
	// Call sends a message and returns the answer.
	Call(ctx context.Context, m Message) (Message, error)
	// Tell sends a message without waiting for the answer.
	Tell(ctx context.Context, m Message) error
	Close() error
}

// Over returns a port to devices on a bus of reports.
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

// maxStale is the maximum number of skipped reports that answer earlier requests, of other
// programs or of this node: partial messages and complete ones.
const maxStale = 256

func (l *reportLink) Call(ctx context.Context, m Message) (Message, error) {
	if err := l.Tell(ctx, m); err != nil {
		return Message{}, err
	}
	return current(m, func() (Message, error) { return l.read(ctx) })
}

// current reads an answer. After Initialize, which begins a conversation, it skips answers to
// earlier requests.
func current(request Message, read func() (Message, error)) (answer Message, err error) {
	for stale := 0; ; stale++ {
		if answer, err = read(); err != nil || request.Kind != KindInitialize || stale == maxStale || !outdated(answer) {
			return answer, err
		}
	}
}

// outdated reports whether a message cannot be an answer to Initialize.
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

// Either returns a port that uses first if it answers, and otherwise second.
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
