package main

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
	"time"

	"obverse/core/key"
	"obverse/core/wallet/signer/device"
)

// devices provides the hardware wallets of the page that makes a call. The page's side,
// which uses WebHID, is web/src/wallet/hid.js.
type devices struct{ wallets key.Wallets }

var _ device.Bus = devices{}

// question is a request to a page. Do is the name of a function of Devices in hid.js.
type question struct {
	Wallet string `json:"wallet"`
	Do     string `json:"do"`
	With   any    `json:"with"`
}

// maxReply limits an answer of a page, in bytes. A list of devices is the longest answer.
const maxReply = 16 << 10

// ask sends a request to the page and decodes the answer.
func (d devices) ask(ctx context.Context, do string, with, into any) error {
	request, err := json.Marshal(question{"hid", do, with})
	if err != nil {
		return err
	}
	answer, err := d.wallets.Ask(ctx, request)
	if err != nil {
		return pageFault(err)
	}
	var failed struct {
		Fault device.Fault `json:"fault"`
		Text  string       `json:"text"`
	}
	if len(answer) > maxReply || json.Unmarshal(answer, &failed) != nil || json.Unmarshal(answer, into) != nil {
		return device.Failf(device.InvalidAnswer, "invalid response of the page about a hardware wallet")
	}
	switch {
	case failed.Fault == "":
		return nil
	case !slices.Contains(device.Faults(), failed.Fault):
		failed.Fault = device.Failed
	}
	return device.Failf(failed.Fault, "%.500s", failed.Text)
}

// pageFault converts an error of the page to an error of package device.
func pageFault(err error) error {
	wallet, is := errors.AsType[*key.WalletError](err)
	switch {
	case !is:
		return err
	case wallet.Fault == key.WalletTimeout:
		return device.Failf(device.Timeout, "%s", wallet.Text)
	}
	return device.Failf(device.Failed, "%s", wallet.Text)
}

// List implements device.Bus.
func (d devices) List(ctx context.Context, vendor uint16) ([]device.Info, error) {
	var answer struct {
		Devices []struct {
			ID      string `json:"id"`
			Vendor  uint16 `json:"vendor"`
			Product uint16 `json:"product"`
			Name    string `json:"name"`
		} `json:"devices"`
	}
	if err := d.ask(ctx, "list", map[string]uint16{"vendor": vendor}, &answer); err != nil {
		return nil, err
	}
	all := make([]device.Info, len(answer.Devices))
	for i, known := range answer.Devices {
		all[i] = device.Info{ID: known.ID, Vendor: known.Vendor, Product: known.Product, Name: known.Name}
	}
	return all, nil
}

// Open implements device.Bus.
func (d devices) Open(ctx context.Context, id string) (device.Conn, error) {
	c := &connection{bus: d, call: context.WithoutCancel(ctx)}
	if err := d.ask(ctx, "open", map[string]string{"id": id}, c); err != nil {
		return nil, err
	}
	return c, nil
}

// connection is an open device of a page.
type connection struct {
	bus    devices
	call   context.Context // context of the call with the page's client, for Close
	Number int             `json:"connection"`
}

// report is a report in a request or an answer. In JSON its bytes are in base64.
type report struct {
	Number int    `json:"connection,omitempty"`
	Bytes  []byte `json:"report,omitempty"`
}

// Write implements device.Conn.
func (c *connection) Write(ctx context.Context, bytes []byte) error {
	return c.bus.ask(ctx, "write", report{c.Number, bytes}, &struct{}{})
}

// Read implements device.Conn. If ctx ends, a later report of the device is lost with the
// connection.
func (c *connection) Read(ctx context.Context) ([]byte, error) {
	var answer report
	err := c.bus.ask(ctx, "read", report{Number: c.Number}, &answer)
	if err == nil && len(answer.Bytes) > device.ReportSize {
		err = device.Failf(device.InvalidAnswer, "invalid report from the device: it has %d bytes, want at most %d", len(answer.Bytes), device.ReportSize)
	}
	return answer.Bytes, err
}

// closeWithin limits the wait for a page that does not respond.
const closeWithin = 5 * time.Second

// Close implements device.Conn. It waits for the page, so that the page does not close a device
// after it was opened again.
func (c *connection) Close() error {
	ctx, cancel := context.WithTimeout(c.call, closeWithin)
	defer cancel()
	return c.bus.ask(ctx, "close", report{Number: c.Number}, &struct{}{})
}
