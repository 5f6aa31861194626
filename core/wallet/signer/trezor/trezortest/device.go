package trezortest

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/trezor"
)

// Phrase is the recovery phrase of an emulated device.
const Phrase = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"

// Device is an emulated device. Its methods are safe for concurrent use, also while the device
// shows something.
type Device struct {
	Info device.Info

	mu       sync.Mutex
	t        testing.TB
	plugged  chan struct{} // closed when the device is unplugged; nil while it is unplugged
	inbox    chan trezor.Message
	host     *Host // the latest connection
	locked   bool
	sessions map[string]*session
	current  *session
	made     byte // number of sessions
	settings Settings
	user     User
	tamper   func(request trezor.Kind, answer trezor.Message) trezor.Message
	reports  func(trezor.Message) [][]byte
	asked    []trezor.Message
	screens  [][]string
}

// session holds the state of a device for a host, which is the root of the keys of its
// passphrase.
type session struct {
	id   []byte
	root *node // nil means that the passphrase was not entered
}

// Settings are the settings of a device.
type Settings struct {
	Phrase             string
	Version            trezor.Version
	Model              string // for model 1, the PIN is entered at the host
	PIN                string // "" means that the device is never locked
	Passphrase         bool   // whether the device asks for a passphrase
	PassphraseOnDevice bool   // whether the passphrase must be entered on the device
	Typed              string // passphrase that the user enters on the device
	Empty              bool   // whether the device has no wallet
	Bootloader, Busy   bool
	Capabilities       []uint64
}

// User simulates the decision of a device's user about a screen. It returns true to approve. It
// may wait until ctx ends, which it does when the device is unplugged or the host stops
// waiting.
type User func(ctx context.Context, screen []string) bool

// Approve is a User who approves everything.
func Approve(context.Context, []string) bool { return true }

// Reject is a User who rejects everything.
func Reject(context.Context, []string) bool { return false }

// Ignore is a User who does nothing.
func Ignore(ctx context.Context, _ []string) bool { <-ctx.Done(); return false }

// New returns a device that is plugged in until the test ends, with a user who approves.
func New(t testing.TB, id string) *Device {
	t.Helper()
	d := &Device{
		Info: device.Info{ID: id, Vendor: 0x1209, Product: 0x53c1, Name: "TREZOR"}, t: t, user: Approve,
		settings: Settings{Phrase: Phrase, Version: trezor.Version{Major: 2, Minor: 8, Patch: 9}, Model: "T", Capabilities: []uint64{1, 5, 7, 17}},
	}
	d.Plug()
	t.Cleanup(d.Unplug)
	return d
}

// Lock locks the device, which then asks for its PIN.
func (d *Device) Lock() { d.do(func() { d.locked = d.settings.PIN != "" }) }

// Unplug unplugs the device, which forgets its sessions.
func (d *Device) Unplug() {
	d.do(func() {
		if d.plugged != nil {
			close(d.plugged)
			d.plugged = nil
		}
	})
}

// Plug plugs the device in. It is locked then.
func (d *Device) Plug() {
	d.do(func() {
		if d.plugged == nil {
			d.plugged, d.inbox, d.sessions, d.current = make(chan struct{}), make(chan trezor.Message, 16), map[string]*session{}, nil
			go d.run(d.plugged, d.inbox)
		}
	})
	d.Lock()
}

// Use sets the device's user.
func (d *Device) Use(u User) { d.do(func() { d.user = u }) }

// Set changes settings.
func (d *Device) Set(change func(*Settings)) { d.do(func() { change(&d.settings) }) }

// Tamper sets a function that changes answers.
func (d *Device) Tamper(f func(asked trezor.Kind, answer trezor.Message) trezor.Message) {
	d.do(func() { d.tamper = f })
}

// Frame sets a function that makes the reports of answers; nil makes correct ones.
func (d *Device) Frame(f func(trezor.Message) [][]byte) { d.do(func() { d.reports = f }) }

// Requests returns the messages that the device has received.
func (d *Device) Requests() (all []trezor.Message) {
	d.do(func() { all = slices.Clone(d.asked) })
	return all
}

// Screens returns the screens that the device has shown, each as its lines.
func (d *Device) Screens() (all [][]string) {
	d.do(func() { all = slices.Clone(d.screens) })
	return all
}

// PublicKey returns the public key at a path, in the wallet without a passphrase.
func (d *Device) PublicKey(path key.Path) [33]byte { return d.PublicKeyOf("", path) }

// PublicKeyOf returns the public key at a path, in the wallet with a passphrase.
func (d *Device) PublicKeyOf(passphrase string, path key.Path) (public [33]byte) {
	root, err := newRoot(d.config().Phrase, passphrase)
	require.NoError(d.t, err)
	return root.at(path).publicKey()
}

func (d *Device) config() (s Settings) {
	d.do(func() { s = d.settings })
	return s
}

func (d *Device) do(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
}

// connected returns a channel that is closed when the device is unplugged, or nil if it is
// unplugged.
func (d *Device) connected() (c chan struct{}) {
	d.do(func() { c = d.plugged })
	return c
}
