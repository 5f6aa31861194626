package hidraw

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/ledger"
	"obverse/core/wallet/signer/ledger/ledgertest"
)

// Beginning of report descriptors.
var (
	ledgerDescriptor   = []byte{0x06, 0xa0, 0xff, 0x09, 0x01, 0xa1, 0x01}
	keyboardDescriptor = []byte{0x05, 0x01, 0x09, 0x06, 0xa1, 0x01}
	fidoDescriptor     = []byte{0x06, 0xd0, 0xf1, 0x09, 0x01, 0xa1, 0x01}
)

// plug writes the files of an interface as Linux does.
func plug(t *testing.T, sys, name string, descriptor []byte, event string) {
	t.Helper()
	folder := filepath.Join(sys, name, "device")
	require.NoError(t, os.MkdirAll(folder, 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "report_descriptor"), descriptor, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(folder, "uevent"), []byte(event), 0o644))
}

const nanoX = "DRIVER=hid-generic\nHID_ID=0003:00002C97:00004011\nHID_NAME=Ledger Nano X\nHID_PHYS=usb-0000:00:14.0-2/input0\nHID_UNIQ=0001\n" +
	"MODALIAS=hid:b0003g0001v00002C97p00004011\n"

func TestList(t *testing.T) {
	b := New()
	b.sys = filepath.Join(t.TempDir(), "none")
	all, err := b.List(t.Context(), ledger.Vendor)
	require.NoError(t, err, "a machine without hidraw")
	require.Empty(t, all)

	b.sys = t.TempDir()
	plug(t, b.sys, "hidraw10", ledgerDescriptor, nanoX)
	plug(t, b.sys, "hidraw2", ledgerDescriptor, "HID_ID=0003:00002C97:00006011\nHID_NAME=Ledger Stax\nHID_PHYS=\n")
	plug(t, b.sys, "hidraw11", fidoDescriptor, nanoX)
	plug(t, b.sys, "hidraw0", keyboardDescriptor, nanoX)
	plug(t, b.sys, "hidraw3", ledgerDescriptor, "HID_ID=0003:0000534C:00000001\nHID_NAME=TREZOR\nHID_PHYS=usb-1/input0\n")
	plug(t, b.sys, "hidraw4", ledgerDescriptor, "HID_ID=0003:2C97\n")
	plug(t, b.sys, "hidraw5", ledgerDescriptor, "HID_ID=0003:00012C97:00004011\n")
	plug(t, b.sys, "hidraw6", ledgerDescriptor, "")
	plug(t, b.sys, "hidraw7", nil, nanoX)
	require.NoError(t, os.MkdirAll(filepath.Join(b.sys, "hidraw8"), 0o755)) // as while it is being unplugged
	all, err = b.List(t.Context(), ledger.Vendor)
	require.NoError(t, err)
	require.Equal(t, []device.Info{
		{ID: "hidraw2", Vendor: 0x2c97, Product: 0x6011, Name: "Ledger Stax"},
		{ID: "usb-0000:00:14.0-2", Vendor: 0x2c97, Product: 0x4011, Name: "Ledger Nano X"},
	}, all)
}

// busWith returns a bus with a device at one end of a pair of sockets. Like hidraw, they preserve
// the boundaries of reports.
func busWith(t *testing.T, d *ledgertest.Device) *Bus {
	t.Helper()
	b := New()
	b.sys = t.TempDir()
	plug(t, b.sys, "hidraw0", ledgerDescriptor, nanoX)
	b.open = func(path string) (*os.File, error) {
		require.Equal(t, "/dev/hidraw0", path)
		pair, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_SEQPACKET|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
		require.NoError(t, err)
		host, far := os.NewFile(uintptr(pair[0]), path), os.NewFile(uintptr(pair[1]), "device")
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = d.ServeReports(context.Background(), far) // ends when the host closes its end
			far.Close()
		}()
		t.Cleanup(func() { d.Unplug(); host.Close(); <-ended })
		return host, nil
	}
	return b
}

var path = key.Path{44 + key.Hardened, 118 + key.Hardened, key.Hardened, 0, 0}

func confirm(ctx context.Context, b *Bus, d *ledgertest.Device) error {
	client := &ledger.Client{Port: ledger.Over(b)}
	return client.Cosmos(ctx, "", func(a *ledger.Cosmos) error { return a.Confirm(ctx, path, "cosmos", d.PublicKey(path)) })
}

// Reports are exchanged over the file of the device.
func TestReportsOverAFile(t *testing.T) {
	for _, app := range []string{"Cosmos", "Ethereum"} {
		d := ledgertest.New(t, "usb")
		d.OpenApp(app)
		d.Set(func(s *ledgertest.Settings) { s.BlindSigning = true })
		client := &ledger.Client{Port: ledger.Over(busWith(t, d))}
		for _, r := range ledgertest.Requests(t) {
			if r.App == app {
				r.Make(t.Context(), t, client, d)
			}
		}
		require.NotEmpty(t, d.Screens())
	}
}

func TestPulledOut(t *testing.T) {
	d := ledgertest.New(t, "usb")
	d.OpenApp("Cosmos")
	d.Use(func(ctx context.Context, screen []string) bool {
		d.Unplug()
		return ledgertest.Ignore(ctx, screen)
	})
	err := confirm(t.Context(), busWith(t, d), d)
	require.Equal(t, device.Failf(device.Unplugged, "Ledger Nano X was unplugged, or fell asleep: EOF"), err)
}

func TestCallerGoes(t *testing.T) {
	d := ledgertest.New(t, "usb")
	d.OpenApp("Cosmos")
	ctx, cancel := context.WithCancel(t.Context())
	d.Use(func(c context.Context, screen []string) bool {
		cancel()
		return ledgertest.Ignore(c, screen)
	})
	require.ErrorIs(t, confirm(ctx, busWith(t, d), d), context.Canceled)
}

func TestOpenFails(t *testing.T) {
	d := ledgertest.New(t, "usb")
	b := busWith(t, d)
	for name, c := range map[string]struct {
		err  error
		want *device.Error
	}{
		"no rights": {fs.ErrPermission, device.Failf(device.Failed,
			"no permission to open /dev/hidraw0 (Ledger Nano X): install the udev rules of the device's vendor, or run the node as a user who may")},
		"gone meanwhile": {fs.ErrNotExist, device.Failf(device.NotFound, `device "usb-0000:00:14.0-2" is not connected`)},
		"something else": {syscall.EMFILE, device.Failf(device.Failed, "opening /dev/hidraw0 (Ledger Nano X): too many open files")},
	} {
		t.Run(name, func(t *testing.T) {
			b.open = func(string) (*os.File, error) { return nil, c.err }
			require.Equal(t, c.want, confirm(t.Context(), b, d))
		})
	}
	_, err := b.Open(t.Context(), "usb-9")
	require.Equal(t, device.Failf(device.NotFound, `device "usb-9" is not connected`), err)
}

// A report of another length is rejected, and not read as two reports.
func TestOddReports(t *testing.T) {
	for _, size := range []int{1, 63, 65, 500} {
		d := ledgertest.New(t, "usb")
		d.OpenApp("Cosmos")
		d.Frame(func(uint16, []byte) [][]byte { return [][]byte{make([]byte, size)} })
		err := confirm(t.Context(), busWith(t, d), d)
		require.True(t, device.Is(err, device.InvalidAnswer), err)
	}
}
