package device

import (
	"context"
	"slices"
	"strings"
)

// ReportSize is the size of the reports that hardware wallets read and write over USB.
const ReportSize = 64

// Info describes a device that is plugged in.
type Info struct {
	ID      string // names the device while it stays where it is plugged in
	Vendor  uint16 // as USB numbers them
	Product uint16
	Name    string // as the device calls itself
}

// Bus is a transport of 64-byte reports to devices: hidraw, WebHID. Its errors are *Error
// and those of ctx; it may be used by several goroutines.
type Bus interface {
	// List lists the devices of a vendor that are plugged in.
	List(ctx context.Context, vendor uint16) ([]Info, error)
	// Open connects to a device by its ID. A device that is gone is NotFound.
	Open(ctx context.Context, id string) (Conn, error)
}

// Conn is an open device. One goroutine uses it; Close may come from another one and ends
// what the first one waits for.
type Conn interface {
	// Write sends one report of ReportSize bytes.
	Write(ctx context.Context, report []byte) error
	// Read waits for the next report and returns it, at most ReportSize bytes. A device
	// that is pulled out is Unplugged.
	Read(ctx context.Context) ([]byte, error)
	Close() error
}

// Choose picks the device of an ID, or the only one where id is empty.
func Choose(all []Info, id string) (Info, error) {
	if id != "" {
		if i := slices.IndexFunc(all, func(d Info) bool { return d.ID == id }); i >= 0 {
			return all[i], nil
		}
		return Info{}, Failf(NotFound, "device %q is not connected: %s", id, names(all))
	}
	switch len(all) {
	case 0:
		return Info{}, Failf(NotFound, "no device is connected: plug it in and unlock it")
	case 1:
		return all[0], nil
	}
	return Info{}, Failf(Several, "%d devices are connected, want one: unplug the others: %s", len(all), names(all))
}

// names lists devices for an error's text.
func names(all []Info) string {
	if len(all) == 0 {
		return "no device is"
	}
	texts := make([]string, len(all))
	for i, d := range all {
		texts[i] = d.Name + " (" + d.ID + ")"
	}
	return strings.Join(texts, ", ")
}
