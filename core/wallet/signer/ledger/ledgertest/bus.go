package ledgertest

import (
	"context"
	"encoding/binary"
	"slices"
	"sync"

	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/ledger"
)

// Bus is a bus with emulated devices.
type Bus struct {
	mu      sync.Mutex
	devices []*Device
}

// NewBus returns a bus with devices.
func NewBus(devices ...*Device) *Bus { return &Bus{devices: devices} }

// List implements device.Bus.
func (b *Bus) List(_ context.Context, vendor uint16) (all []device.Info, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, d := range b.devices {
		if d.connected() != nil && d.Info.Vendor == vendor {
			all = append(all, d.Info)
		}
	}
	return all, nil
}

// Open implements device.Bus.
func (b *Bus) Open(_ context.Context, id string) (device.Conn, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	i := slices.IndexFunc(b.devices, func(d *Device) bool { return d.Info.ID == id && d.connected() != nil })
	if i < 0 {
		return nil, device.Failf(device.NotFound, "device %q is not connected", id)
	}
	d := b.devices[i]
	ctx, cancel := context.WithCancel(context.Background())
	c := &conn{d: d, plugged: d.connected(), closed: ctx, end: cancel, reports: make(chan []byte, 4096)}
	d.do(func() { d.current = c })
	return c, nil
}

// conn is a connection to a device.
type conn struct {
	d       *Device
	plugged chan struct{} // closed when the device is unplugged
	closed  context.Context
	end     context.CancelFunc
	joiner  *ledger.Joiner
	reports chan []byte
}

func (c *conn) Close() error {
	c.end()
	return nil
}

func (c *conn) gone() error {
	return device.Failf(device.Unplugged, "device %q was unplugged", c.d.Info.ID)
}

// Write receives a report; the last one of a command starts its answer. As with a real device,
// the answer goes to the connection that is open at that time.
func (c *conn) Write(_ context.Context, report []byte) error {
	select {
	case <-c.plugged:
		return c.gone()
	case <-c.closed.Done():
		return c.closed.Err()
	default:
	}
	channel := binary.BigEndian.Uint16(report)
	if c.joiner == nil {
		c.joiner = &ledger.Joiner{Channel: channel, Max: 5 + 255}
	}
	apdu, done, err := c.joiner.Add(report)
	if err != nil || done {
		c.joiner = nil
	}
	if done {
		go func() {
			for _, r := range c.d.answerReports(context.Background(), channel, apdu) {
				c.d.deliver(r)
			}
		}()
	}
	return err
}

// deliver sends a report to the open connection.
func (d *Device) deliver(report []byte) {
	var c *conn
	if d.do(func() { c = d.current }); c == nil {
		return
	}
	select {
	case c.reports <- report:
	case <-c.closed.Done():
	case <-c.plugged:
	}
}

// answerReports returns the answer to a command, as reports.
func (d *Device) answerReports(ctx context.Context, channel uint16, apdu []byte) [][]byte {
	answer := d.Exchange(ctx, apdu)
	if answer == nil {
		return nil
	}
	frame := ledger.Split
	d.do(func() {
		if d.reports != nil {
			frame = d.reports
		}
	})
	return frame(channel, answer)
}

// Read implements device.Conn.
func (c *conn) Read(ctx context.Context) ([]byte, error) {
	select {
	case report := <-c.reports:
		return report, nil
	default:
	}
	select {
	case report := <-c.reports:
		return report, nil
	case <-c.plugged:
		return nil, c.gone()
	case <-c.closed.Done():
		return nil, c.closed.Err()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
