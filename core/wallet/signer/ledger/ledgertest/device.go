package ledgertest

import (
	"context"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/signer/device"
)

// Phrase is the recovery phrase of an emulated device.
const Phrase = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"

// Device is an emulated device. Its methods are safe for concurrent use, also while the device
// shows something.
type Device struct {
	Info device.Info

	mu       sync.Mutex
	ring     *key.Ring
	keys     map[string]*key.Private // by path
	issuer   *key.Private            // key that signs the accepted descriptions of tokens
	plugged  chan struct{}           // closed when the device is unplugged; nil while it is unplugged
	current  *conn                   // the latest connection
	locked   bool
	app      string // "" means the dashboard
	opened   int    // number of times an app was opened or closed
	settings Settings
	user     User
	tamper   func(command, answer []byte) []byte
	reports  func(channel uint16, answer []byte) [][]byte
	requests [][]byte
	screens  [][]string
	cosmos   cosmosRequest
	ethereum ethereumRequest
}

// Settings are the settings of a device's apps.
type Settings struct {
	Versions     map[string][3]byte
	Prefixes     []string // prefixes that the app Cosmos supports; nil means any
	Expert       bool
	BlindSigning bool
}

// User simulates the decision of a device's user about a screen. It returns true to approve. It
// may wait until ctx ends, which it does when the device is unplugged.
type User func(ctx context.Context, screen []string) bool

// Approve is a User who approves everything.
func Approve(context.Context, []string) bool { return true }

// Reject is a User who rejects everything.
func Reject(context.Context, []string) bool { return false }

// Ignore is a User who does nothing.
func Ignore(ctx context.Context, _ []string) bool { <-ctx.Done(); return false }

// New returns a device with the given ID that is plugged in and unlocked, with its dashboard
// open and a user who approves.
func New(t testing.TB, id string) *Device {
	return NewWith(t, id, Phrase)
}

// NewWith is like New, with the keys of another phrase.
func NewWith(t testing.TB, id, phrase string) *Device {
	t.Helper()
	d, err := Make(id, phrase)
	require.NoError(t, err)
	return d
}

// Make is like NewWith, for programs that are not tests.
func Make(id, phrase string) (*Device, error) {
	ring, err := key.Open(phrase, true)
	if err != nil {
		return nil, err
	}
	issuer, err := key.FromPassphrase("who describes tokens")
	if err != nil {
		return nil, err
	}
	return &Device{
		Info: device.Info{ID: id, Vendor: 0x2c97, Product: 0x4011, Name: "Nano X"},
		ring: ring, keys: map[string]*key.Private{}, issuer: issuer, plugged: make(chan struct{}), user: Approve,
		settings: Settings{Versions: map[string][3]byte{"Cosmos": {2, 38, 13}, "Ethereum": {1, 22, 1}, "Bitcoin": {2, 4, 0}}},
	}, nil
}

// OpenApp opens an app; "" closes it.
func (d *Device) OpenApp(name string) {
	d.do(func() {
		d.app, d.cosmos, d.ethereum = name, cosmosRequest{}, ethereumRequest{}
		d.opened++
	})
}

// inApp returns a function that changes the state of the app that is open now. It has no effect
// on an app that is opened later, since a user may still answer a request of the previous app.
func (d *Device) inApp() func(change func()) {
	var opened int
	d.do(func() { opened = d.opened })
	return func(change func()) {
		d.do(func() {
			if d.opened == opened {
				change()
			}
		})
	}
}

// Lock locks the device, which then asks for its PIN.
func (d *Device) Lock() { d.do(func() { d.locked = true }) }

// Unlock enters the PIN.
func (d *Device) Unlock() { d.do(func() { d.locked = false }) }

// Unplug unplugs the device. For its host, a device that falls asleep is unplugged too.
func (d *Device) Unplug() {
	d.do(func() {
		if d.plugged != nil {
			close(d.plugged)
			d.plugged = nil
		}
	})
}

// Plug plugs the device in again. It shows its dashboard.
func (d *Device) Plug() {
	d.do(func() {
		if d.plugged == nil {
			d.plugged = make(chan struct{})
		}
	})
	d.OpenApp("")
}

// Use sets the device's user.
func (d *Device) Use(u User) { d.do(func() { d.user = u }) }

// Set changes settings.
func (d *Device) Set(change func(*Settings)) { d.do(func() { change(&d.settings) }) }

// Tamper sets a function that changes answers, which are data and status.
func (d *Device) Tamper(f func(command, answer []byte) []byte) { d.do(func() { d.tamper = f }) }

// Frame sets a function that makes the reports of answers; nil makes correct ones.
func (d *Device) Frame(f func(channel uint16, answer []byte) [][]byte) {
	d.do(func() { d.reports = f })
}

// Requests returns the commands that the device has received.
func (d *Device) Requests() (all [][]byte) {
	d.do(func() { all = slices.Clone(d.requests) })
	return all
}

// Screens returns the screens that the device has shown, each as its lines.
func (d *Device) Screens() (all [][]string) {
	d.do(func() { all = slices.Clone(d.screens) })
	return all
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

// show shows a screen and returns the decision of the user.
func (d *Device) show(ctx context.Context, screen []string) bool {
	var user User
	d.do(func() {
		d.screens = append(d.screens, screen)
		user = d.user
	})
	return user(ctx, screen)
}

// key returns the key at a path, which it derives once.
func (d *Device) key(path key.Path) *key.Private {
	d.mu.Lock()
	defer d.mu.Unlock()
	k := d.keys[path.String()]
	if k == nil {
		var err error
		if k, err = d.ring.At(path); err != nil {
			panic(err) // has a probability of 2^-127
		}
		d.keys[path.String()] = k
	}
	return k
}

// PublicKey returns the public key at a path.
func (d *Device) PublicKey(path key.Path) [33]byte { return d.key(path).PublicKey() }
