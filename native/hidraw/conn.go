package hidraw

import (
	"context"
	"errors"
	"os"
	"time"

	"obverse/core/wallet/signer/device"
)

// conn is an open file of a device.
type conn struct {
	file *os.File
	name string
}

func (c *conn) Close() error { return c.file.Close() }

// Write sends a report after its number, which is 0 for devices with a single kind of report.
func (c *conn) Write(ctx context.Context, report []byte) error {
	return c.do(ctx, func() error {
		_, err := c.file.Write(append([]byte{0}, report...))
		return err
	})
}

// Read waits for a report. One read returns one report; the buffer has an extra byte by which a
// report that is too long is detected.
func (c *conn) Read(ctx context.Context) ([]byte, error) {
	report := make([]byte, device.ReportSize+1)
	n := 0
	err := c.do(ctx, func() (err error) {
		n, err = c.file.Read(report)
		return err
	})
	return report[:n], err
}

// do runs an operation until ctx ends.
func (c *conn) do(ctx context.Context, operation func() error) error {
	if err := c.file.SetDeadline(time.Time{}); err != nil {
		return c.gone(err)
	}
	stop := context.AfterFunc(ctx, func() { _ = c.file.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	err := operation()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil && (errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, os.ErrClosed)):
		return ctx.Err()
	}
	return c.gone(err)
}

// gone returns the error of a device that was unplugged, whose reads and writes fail.
func (c *conn) gone(err error) error {
	return device.Failf(device.Unplugged, "%s was unplugged, or fell asleep: %v", c.name, err)
}
