package trezortest

import (
	"context"
	"slices"
	"sync"

	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/trezor"
)

// Host is a connection to a device. Answers are sent to the latest connection.
type Host struct {
	d       *Device
	plugged chan struct{} // closed when the device is unplugged
	inbox   chan trezor.Message
	answers chan trezor.Message
	closed  context.Context
	close   context.CancelFunc
}

// Connect opens the device.
func (d *Device) Connect() (*Host, error) {
	h := &Host{d: d, answers: make(chan trezor.Message, 64)}
	h.closed, h.close = context.WithCancel(context.Background())
	d.do(func() {
		if h.plugged, h.inbox = d.plugged, d.inbox; h.plugged != nil {
			d.host = h
		}
	})
	if h.plugged == nil {
		return nil, device.Failf(device.NotFound, "device %q is not connected", d.Info.ID)
	}
	return h, nil
}

// Close closes the connection. It does not change the state of the device.
func (h *Host) Close() error {
	h.close()
	return nil
}

func (h *Host) gone() error {
	return device.Failf(device.Unplugged, "device %q was unplugged", h.d.Info.ID)
}

// Send sends a message to the device.
func (h *Host) Send(ctx context.Context, m trezor.Message) error {
	select {
	case <-h.plugged:
		return h.gone()
	default:
	}
	h.d.do(func() { h.d.asked = append(h.d.asked, m) })
	select {
	case h.inbox <- m:
		return nil
	case <-h.plugged:
		return h.gone()
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Receive waits for the next message of the device.
func (h *Host) Receive(ctx context.Context) (trezor.Message, error) {
	select {
	case m := <-h.answers:
		return m, nil
	case <-h.plugged:
		return trezor.Message{}, h.gone()
	case <-h.closed.Done():
		return trezor.Message{}, h.closed.Err()
	case <-ctx.Done():
		return trezor.Message{}, ctx.Err()
	}
}

// deliver waits until there is room, so that an endless answer is not kept.
func (h *Host) deliver(m trezor.Message) {
	select {
	case h.answers <- m:
	case <-h.plugged:
	case <-h.closed.Done():
	}
}

// Bus is a bus with emulated devices.
type Bus struct {
	mu      sync.Mutex
	devices []*Device
}

// NewBus returns a bus with devices.
func NewBus(devices ...*Device) *Bus { return &Bus{devices: devices} }

// List implements device.Bus.
func (b *Bus) List(_ context.Context, vendor uint16) (all []device.Info, err error) {
	for _, d := range b.plugged() {
		if d.Info.Vendor == vendor {
			all = append(all, d.Info)
		}
	}
	return all, nil
}

func (b *Bus) plugged() (all []*Device) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range b.devices {
		if d.connected() != nil {
			all = append(all, d)
		}
	}
	return all
}

func (b *Bus) connect(id string) (*Host, error) {
	all := b.plugged()
	i := slices.IndexFunc(all, func(d *Device) bool { return d.Info.ID == id })
	if i < 0 {
		return nil, device.Failf(device.NotFound, "device %q is not connected", id)
	}
	return all[i].Connect()
}

// Open implements device.Bus.
func (b *Bus) Open(_ context.Context, id string) (device.Conn, error) {
	h, err := b.connect(id)
	if err != nil {
		return nil, err
	}
	return &conn{Host: h}, nil
}

// conn is a host that communicates in reports.
type conn struct {
	*Host
	joiner *trezor.Joiner // assembles a message from the host
	left   [][]byte       // reports of an answer
}

// maxRequests limits the size of a message of a host, like the buffer of the firmware.
const maxRequests = 16 << 10

// Write implements device.Conn. Reports that do not belong to a message are ignored.
func (c *conn) Write(ctx context.Context, report []byte) error {
	if c.joiner == nil {
		c.joiner = &trezor.Joiner{Max: maxRequests}
	}
	m, done, err := c.joiner.Add(report)
	if err != nil || done {
		c.joiner = nil
	}
	if done && err == nil {
		return c.Send(ctx, m)
	}
	return nil
}

// Read implements device.Conn.
func (c *conn) Read(ctx context.Context) ([]byte, error) {
	for len(c.left) == 0 {
		m, err := c.Receive(ctx)
		if err != nil {
			return nil, err
		}
		frame := trezor.Split
		c.d.do(func() {
			if c.d.reports != nil {
				frame = c.d.reports
			}
		})
		c.left = frame(m)
	}
	report := c.left[0]
	c.left = c.left[1:]
	return report, nil
}
