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

// Phrase leads to the keys of an emulated device.
const Phrase = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"

// Device is an emulated device. Its methods may be called at any time, also while it shows
// something.
type Device struct {
	Info device.Info

	mu       sync.Mutex
	ring     *key.Ring
	keys     map[string]*key.Private // by path
	issuer   *key.Private            // whose descriptions of tokens it takes
	plugged  chan struct{}           // closed when it is pulled out; nil while it is
	current  *conn                   // the latest connection
	locked   bool
	app      string // "" means the dashboard
	opened   int    // how often an app was opened or closed
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
	Prefixes     []string // that app Cosmos has; nil means any
	Expert       bool
	BlindSigning bool
}

// User does what a device's user does when it shows something: true approves. It may take
// until ctx ends, which it does when the device is pulled out.
type User func(ctx context.Context, screen []string) bool

// Approve approves all that a device shows.
func Approve(context.Context, []string) bool { return true }

// Reject rejects all.
func Reject(context.Context, []string) bool { return false }

// Ignore leaves the device alone.
func Ignore(ctx context.Context, _ []string) bool { <-ctx.Done(); return false }

// New returns a named device that is plugged in and unlocked, with its dashboard open and a
// user who approves.
func New(t testing.TB, id string) *Device {
	return NewWith(t, id, Phrase)
}

// NewWith is New with the keys of another phrase.
func NewWith(t testing.TB, id, phrase string) *Device {
	t.Helper()
	d, err := Make(id, phrase)
	require.NoError(t, err)
	return d
}

// Make is NewWith for programs that are no tests.
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

// inApp returns what changes the state of the app that is open now, and leaves that of an
// app which is opened later: a user may still be asked by the one before it.
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

// Lock makes the device ask for its PIN.
func (d *Device) Lock() { d.do(func() { d.locked = true }) }

// Unlock enters the PIN.
func (d *Device) Unlock() { d.do(func() { d.locked = false }) }

// Unplug pulls the device out. A device that falls asleep does the same to its host.
func (d *Device) Unplug() {
	d.do(func() {
		if d.plugged != nil {
			close(d.plugged)
			d.plugged = nil
		}
	})
}

// Plug plugs the device in again, where it shows its dashboard.
func (d *Device) Plug() {
	d.do(func() {
		if d.plugged == nil {
			d.plugged = make(chan struct{})
		}
	})
	d.OpenApp("")
}

// Use sets what the device's user does.
func (d *Device) Use(u User) { d.do(func() { d.user = u }) }

// Set changes settings.
func (d *Device) Set(change func(*Settings)) { d.do(func() { change(&d.settings) }) }

// Tamper lets a test change answers: data and status.
func (d *Device) Tamper(f func(command, answer []byte) []byte) { d.do(func() { d.tamper = f }) }

// Frame lets a test make the reports of answers; nil makes the right ones.
func (d *Device) Frame(f func(channel uint16, answer []byte) [][]byte) {
	d.do(func() { d.reports = f })
}

// Requests lists the commands that the device has had.
func (d *Device) Requests() (all [][]byte) {
	d.do(func() { all = slices.Clone(d.requests) })
	return all
}

// Screens lists what the device has shown, each as its lines.
func (d *Device) Screens() (all [][]string) {
	d.do(func() { all = slices.Clone(d.screens) })
	return all
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

// show shows a screen and returns what the user decides.
func (d *Device) show(ctx context.Context, screen []string) bool {
	var user User
	d.do(func() {
		d.screens = append(d.screens, screen)
		user = d.user
	})
	return user(ctx, screen)
}

// key derives a key, once.
func (d *Device) key(path key.Path) *key.Private {
	d.mu.Lock()
	defer d.mu.Unlock()
	k := d.keys[path.String()]
	if k == nil {
		var err error
		if k, err = d.ring.At(path); err != nil {
			panic(err) // one in 2^127
		}
		d.keys[path.String()] = k
	}
	return k
}

// PublicKey is that of a path.
func (d *Device) PublicKey(path key.Path) [33]byte { return d.key(path).PublicKey() }
