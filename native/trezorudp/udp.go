// Package trezorudp connects to emulators of Trezor's devices that accept reports over UDP, one
// in each datagram, such as the emulators of the vendor's firmware. It is for development and tests. The
// connection is not encrypted, so the emulator should run on the same machine.
//
// Sources: trezor/trezor-firmware core/embed/io/usb (emulator), python/src/trezorlib/transport/udp.py.
//
// Invariant: only datagrams from the emulator's address are read.
package trezorudp

import (
	"context"
	"errors"
	"net"
	"time"

	"obverse/core/wallet/signer/device"
)

// USB ids of the emulator. A device with firmware has the same ids.
const vendor, product = 0x1209, 0x53c1

// Message that asks whether an emulator runs, and its answer.
const ping, pong = "PINGPING", "PONGPONG"

// pongWithin limits the time for the answer of an emulator on the same machine.
const pongWithin = time.Second

// Bus connects to one emulator. It implements device.Bus.
type Bus struct {
	Address string // host:port; Trezor's emulators are at 127.0.0.1:21324
}

// List returns the emulator if it runs.
func (b Bus) List(ctx context.Context, wanted uint16) ([]device.Info, error) {
	if wanted != vendor {
		return nil, nil
	}
	conn, err := b.Open(ctx, "")
	if device.Is(err, device.NotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	_ = conn.Close() // the connection was not used
	return []device.Info{{ID: b.Address, Vendor: vendor, Product: product, Name: "Trezor emulator"}}, nil
}

// Open connects to the emulator.
func (b Bus) Open(ctx context.Context, _ string) (device.Conn, error) {
	udp, err := new(net.Dialer).DialContext(ctx, "udp", b.Address)
	if err != nil {
		return nil, b.absent(ctx, err)
	}
	c := &conn{udp, b.Address}
	if err := c.ping(ctx); err != nil {
		_ = udp.Close() // ping's error contains the reason
		return nil, b.absent(ctx, err)
	}
	return c, nil
}

func (b Bus) absent(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return device.Failf(device.NotFound, "emulator at %s is not running: %v", b.Address, err)
}

// conn is a connection to an emulator that answers.
type conn struct {
	udp     net.Conn
	address string
}

func (c *conn) Close() error { return c.udp.Close() }

func (c *conn) ping(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, pongWithin)
	defer cancel()
	if err := c.Write(ctx, []byte(ping)); err != nil {
		return err
	}
	for {
		datagram, err := c.receive(ctx)
		if errors.Is(err, context.DeadlineExceeded) {
			return errors.New("no answer")
		}
		if err != nil || string(datagram) == pong {
			return err
		}
	}
}

// Write implements device.Conn.
func (c *conn) Write(ctx context.Context, report []byte) error {
	if _, err := c.udp.Write(report); err != nil {
		return c.lost(ctx, err)
	}
	return nil
}

// Read implements device.Conn.
func (c *conn) Read(ctx context.Context) ([]byte, error) {
	for {
		report, err := c.receive(ctx)
		if err != nil || string(report) != pong {
			return report, err
		}
	}
}

// receive reads a datagram. The buffer has an extra byte by which a datagram that is too long is
// detected.
func (c *conn) receive(ctx context.Context) ([]byte, error) {
	if err := c.udp.SetReadDeadline(time.Time{}); err != nil {
		return nil, c.lost(ctx, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = c.udp.SetReadDeadline(time.Unix(1, 0)) })
	defer stop()
	report := make([]byte, device.ReportSize+1)
	n, err := c.udp.Read(report)
	if err != nil {
		return nil, c.lost(ctx, err)
	}
	return report[:n], nil
}

func (c *conn) lost(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return device.Failf(device.Unplugged, "connection to the emulator at %s was lost: %v", c.address, err)
}
