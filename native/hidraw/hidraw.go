// Package hidraw connects to hardware wallets with Linux's hidraw, which has plain files in /sys to
// describe connected devices, and in /dev to exchange reports. On systems without these
// folders it finds no device. Users without access to the files need the vendor's udev
// rules.
//
// Sources: Linux Documentation/hid/hidraw.rst; the files below /sys/class/hidraw;
// USB HID 1.11, section 6.2.2 (report descriptors).
//
// Invariant: only the file of a vendor-defined interface is opened, never that of a keyboard or
// a security key.
package hidraw

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"obverse/core/wallet/signer/device"
)

// Bus finds and opens devices. It implements device.Bus.
type Bus struct {
	sys, dev string
	open     func(path string) (*os.File, error)
}

// New returns the bus of this machine.
func New() *Bus {
	return &Bus{"/sys/class/hidraw", "/dev", func(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDWR, 0) }}
}

// node is a device with its file.
type node struct {
	device.Info
	name string // of the file
}

// List implements device.Bus.
func (b *Bus) List(_ context.Context, vendor uint16) (all []device.Info, err error) {
	nodes, err := b.nodes()
	if err != nil {
		return nil, err
	}
	for _, n := range nodes {
		if n.Vendor == vendor {
			all = append(all, n.Info)
		}
	}
	return all, nil
}

// Open implements device.Bus.
func (b *Bus) Open(_ context.Context, id string) (device.Conn, error) {
	nodes, err := b.nodes()
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(nodes, func(n node) bool { return n.ID == id })
	if i < 0 {
		return nil, device.Failf(device.NotFound, "device %q is not connected", id)
	}
	path := filepath.Join(b.dev, nodes[i].name)
	file, err := b.open(path)
	switch {
	case err == nil:
		return &conn{file, nodes[i].Name}, nil
	case errors.Is(err, fs.ErrPermission):
		return nil, device.Failf(device.Failed, "no permission to open %s (%s): install the udev rules of the device's vendor, or run the node as a user who may", path, nodes[i].Name)
	case errors.Is(err, fs.ErrNotExist):
		return nil, device.Failf(device.NotFound, "device %q is not connected", id)
	}
	return nil, device.Failf(device.Failed, "opening %s (%s): %v", path, nodes[i].Name, err)
}

// nodes lists the vendor interfaces of all devices, in the order of their files' numbers.
func (b *Bus) nodes() (all []node, err error) {
	entries, err := os.ReadDir(b.sys)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, device.Failf(device.Failed, "listing devices: %v", err)
	}
	for _, entry := range entries {
		folder := filepath.Join(b.sys, entry.Name(), "device")
		descriptor, err := os.ReadFile(filepath.Join(folder, "report_descriptor"))
		if err != nil || !vendorDefined(descriptor) {
			continue // it was unplugged in the meantime, or is another kind of device
		}
		event, err := os.ReadFile(filepath.Join(folder, "uevent"))
		if err != nil {
			continue
		}
		if n, ok := parse(entry.Name(), string(event)); ok {
			all = append(all, n)
		}
	}
	slices.SortFunc(all, func(a, b node) int { return number(a.name) - number(b.name) })
	return all, nil
}

func number(name string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(name, "hidraw")) // other names are sorted first
	return n
}

// vendorDefined reports whether a report descriptor begins with a vendor-defined usage page,
// from ff00 to ffff: 06, then the page in little endian.
func vendorDefined(descriptor []byte) bool {
	return len(descriptor) > 2 && descriptor[0] == 0x06 && descriptor[2] == 0xff
}

// parse reads the lines of uevent: HID_ID=bus:vendor:product, HID_NAME, and HID_PHYS, which is the
// port of the device.
func parse(name, event string) (n node, ok bool) {
	n.name = name
	for line := range strings.Lines(event) {
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "=")
		switch key {
		case "HID_ID":
			parts := strings.Split(value, ":")
			if len(parts) != 3 {
				return n, false
			}
			vendor, err1 := strconv.ParseUint(parts[1], 16, 16)
			product, err2 := strconv.ParseUint(parts[2], 16, 16)
			n.Vendor, n.Product, ok = uint16(vendor), uint16(product), err1 == nil && err2 == nil
		case "HID_NAME":
			n.Name = device.Printable([]byte(value))
		case "HID_PHYS":
			n.ID, _, _ = strings.Cut(value, "/")
		}
	}
	if n.ID == "" {
		n.ID = name
	}
	return n, ok
}
