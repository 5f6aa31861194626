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

// Phrase leads to the keys of an emulated device.
const Phrase = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"

// Device is an emulated device. Its methods may be called at any time, also while it shows
// something.
type Device struct {
	Info device.Info

	mu       sync.Mutex
	t        testing.TB
	plugged  chan struct{} // closed when it is pulled out; nil while it is
	inbox    chan trezor.Message
	host     *Host // the latest one
	locked   bool
	sessions map[string]*session
	current  *session
	made     byte // sessions
	settings Settings
	user     User
	tamper   func(request trezor.Kind, answer trezor.Message) trezor.Message
	reports  func(trezor.Message) [][]byte
	asked    []trezor.Message
	screens  [][]string
}

// session holds a device's state for a host: the keys of its passphrase.
type session struct {
	id   []byte
	root *node // nil means the passphrase was not entered
}

// Settings are the settings of a device.
type Settings struct {
	Phrase             string
	Version            trezor.Version
	Model              string // 1: its PIN is entered at the host
	PIN                string // "" means it is never locked
	Passphrase         bool   // it asks for one
	PassphraseOnDevice bool   // and takes it nowhere else
	Typed              string // the passphrase that its user enters on it
	Empty              bool   // it was not set up
	Bootloader, Busy   bool
	Capabilities       []uint64
}

// User does what a device's user does when it shows something: true approves. It may take
// until ctx ends, which it does when the device is pulled out or the host gives up.
type User func(ctx context.Context, screen []string) bool

// Approve approves all that a device shows.
func Approve(context.Context, []string) bool { return true }

// Reject rejects all.
func Reject(context.Context, []string) bool { return false }

// Ignore leaves the device alone.
func Ignore(ctx context.Context, _ []string) bool { <-ctx.Done(); return false }

// New makes a device that is plugged in until the test ends, and whose user approves.
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

// Lock makes the device ask for its PIN.
func (d *Device) Lock() { d.do(func() { d.locked = d.settings.PIN != "" }) }

// Unplug pulls the device out, which forgets its sessions.
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

// Use sets what the device's user does.
func (d *Device) Use(u User) { d.do(func() { d.user = u }) }

// Set changes settings.
func (d *Device) Set(change func(*Settings)) { d.do(func() { change(&d.settings) }) }

// Tamper lets a test change answers.
func (d *Device) Tamper(f func(asked trezor.Kind, answer trezor.Message) trezor.Message) {
	d.do(func() { d.tamper = f })
}

// Frame lets a test make the reports of answers; nil makes the right ones.
func (d *Device) Frame(f func(trezor.Message) [][]byte) { d.do(func() { d.reports = f }) }

// Requests lists the messages that the device has had.
func (d *Device) Requests() (all []trezor.Message) {
	d.do(func() { all = slices.Clone(d.asked) })
	return all
}

// Screens lists what the device has shown, each as its lines.
func (d *Device) Screens() (all [][]string) {
	d.do(func() { all = slices.Clone(d.screens) })
	return all
}

// PublicKey is that of a path, in the wallet without a passphrase.
func (d *Device) PublicKey(path key.Path) [33]byte { return d.PublicKeyOf("", path) }

// PublicKeyOf is that of a path in the wallet of a passphrase.
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

// connected is closed when the device is pulled out; nil means it is.
func (d *Device) connected() (c chan struct{}) {
	d.do(func() { c = d.plugged })
	return c
}
