package trezor_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/trezor"
	"obverse/core/wallet/signer/trezor/trezortest"
)

// TestNotReady checks the fault and the text for each reason why a device is not ready.
func TestNotReady(t *testing.T) {
	for name, c := range map[string]struct {
		set   func(*trezortest.Settings)
		fault device.Fault
		text  string
	}{
		"bootloader": {func(s *trezortest.Settings) { s.Bootloader = true }, device.WrongApp, "device is in bootloader mode: reconnect it without touching it"},
		"empty":      {func(s *trezortest.Settings) { s.Empty = true }, device.NotInitialized, "device holds no wallet yet: set it up with Trezor Suite"},
		"busy":       {func(s *trezortest.Settings) { s.Busy = true }, device.Busy, "device is busy: finish what it shows"},
		"an old T": {func(s *trezortest.Settings) { s.Version = trezor.Version{Major: 2, Minor: 4, Patch: 1} }, device.TooOld,
			"firmware is too old: version is 2.4.1, want 2.4.2 or newer: update it with Trezor Suite"},
		"an old One": {func(s *trezortest.Settings) { s.Version = trezor.Version{Major: 1, Minor: 10, Patch: 3} }, device.TooOld,
			"firmware is too old: version is 1.10.3, want 1.10.4 or newer: update it with Trezor Suite"},
		"bitcoin only": {func(s *trezortest.Settings) { s.Capabilities = []uint64{1} }, device.Unsupported,
			"firmware 2.8.9 knows Bitcoin only: install the universal one with Trezor Suite"},
	} {
		t.Run(name, func(t *testing.T) {
			d, client := open(t)
			d.Set(c.set)
			_, err := sign(t.Context(), client, d, payment(true, nil))
			requireFault(t, c.fault, c.text, err)
		})
	}
}

func TestAbsentAndMultiple(t *testing.T) {
	a, b := trezortest.New(t, "usb-1"), trezortest.New(t, "usb-2")
	mouse := trezortest.New(t, "usb-3")
	mouse.Info.Product = 1
	client := &trezor.Client{Port: trezor.Over(trezortest.NewBus(a, b, mouse))}
	_, err := sign(t.Context(), client, a, payment(true, nil))
	requireFault(t, device.MultipleDevices, "2 devices are connected, want one: unplug the others: TREZOR (usb-1), TREZOR (usb-2)", err)
	a.Unplug()
	_, err = sign(t.Context(), client, b, payment(true, nil))
	require.NoError(t, err)
	connected, err := client.Connected(t.Context(), "usb-1")
	require.NoError(t, err)
	require.False(t, connected)
	b.Unplug()
	_, err = sign(t.Context(), client, a, payment(true, nil))
	requireFault(t, device.NotFound, "no device is connected: plug it in and unlock it", err)
	a.Plug()
	connected, err = client.Connected(t.Context(), "usb-1")
	require.NoError(t, err)
	require.True(t, connected)
	_, err = sign(t.Context(), client, a, payment(true, nil))
	require.NoError(t, err)
}

func TestRejected(t *testing.T) {
	d, client := open(t)
	d.Use(trezortest.Reject)
	var states []device.State
	ctx := device.Listen(t.Context(), func(s device.State) { states = append(states, s) })
	_, err := sign(ctx, client, d, payment(true, nil))
	requireFault(t, device.Rejected, "signing: rejected on the device", err)
	require.Equal(t, []device.State{device.FollowDeviceInstructions, device.Proceeding}, states)
	d.Use(trezortest.Approve)
	_, err = sign(ctx, client, d, payment(true, nil))
	require.NoError(t, err)
}

func TestUnpluggedInTheMiddle(t *testing.T) {
	d, client := open(t)
	d.Use(func(ctx context.Context, screen []string) bool { d.Unplug(); return trezortest.Ignore(ctx, screen) })
	_, err := sign(t.Context(), client, d, payment(true, nil))
	requireFault(t, device.Unplugged, `device "usb-1" was unplugged`, err)
	d.Plug()
	d.Use(trezortest.Approve)
	_, err = sign(t.Context(), client, d, payment(true, nil))
	require.NoError(t, err)
}

// TestWaitedFor checks that Client waits for a device that is plugged in later.
func TestWaitedFor(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, client := open(t)
		client.Timeout = time.Minute
		d.Unplug()
		var states []device.State
		ctx := device.Listen(t.Context(), func(s device.State) { states = append(states, s) })
		time.AfterFunc(10*time.Second, d.Plug)
		_, err := sign(ctx, client, d, payment(true, nil))
		require.NoError(t, err)
		require.Equal(t, device.WaitingForDevice, states[0])
		d.Unplug()
		_, err = sign(ctx, client, d, payment(true, nil))
		requireFault(t, device.NotFound, "no device is connected: plug it in and unlock it", err)
	})
}

// TestIgnored checks that a user who does nothing is waited for up to the time limit, and that
// the device then clears its screen.
func TestIgnored(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, client := open(t)
		d.Use(trezortest.Ignore)
		began := time.Now()
		_, err := sign(t.Context(), client, d, payment(true, nil))
		requireFault(t, device.Timeout, "signing timed out after 5m0s", err)
		require.Equal(t, 5*time.Minute, time.Since(began))
		synctest.Wait()
		require.Equal(t, trezor.KindCancel, d.Requests()[len(d.Requests())-1].Kind)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = sign(ctx, client, d, payment(true, nil))
		require.ErrorIs(t, err, context.DeadlineExceeded)
		d.Use(trezortest.Approve)
		_, err = sign(t.Context(), client, d, payment(true, nil))
		require.NoError(t, err, "late answers are not taken for later ones")
	})
}

// TestQueued checks that conversations with one device are serialized.
func TestQueued(t *testing.T) {
	d, client := open(t)
	var group sync.WaitGroup
	for range 5 {
		group.Go(func() {
			sent := payment(true, nil)
			s, err := sign(t.Context(), client, d, sent)
			if err != nil {
				t.Error(err)
				return
			}
			requireSigned(t, d, sent.SigningHash(), s)
		})
	}
	group.Wait()
}

func TestPIN(t *testing.T) {
	d, client := first(t)
	_, err := sign(t.Context(), client, d, payment(true, nil))
	requireFault(t, device.Locked, "device waits for its PIN: connect to it first (task::init_trezor::init)", err)

	person := &answers{pin: trezortest.Matrix("4321")}
	ctx := device.Prompt(t.Context(), person)
	_, err = client.Identify(ctx, "", 0)
	requireFault(t, device.InvalidPIN, "getting the wallet's name: invalid PIN", err)
	for _, pin := range []string{"", "0", "12a", "123456789123456789123456789123456789123456789123456"} {
		person.pin = pin
		_, err = client.Identify(ctx, "", 0)
		requireFault(t, device.InvalidPIN, "invalid PIN: want 1 to 50 digits from 1 to 9, the places in the matrix that the device shows", err)
	}
	person.err = errors.New("no person there")
	_, err = client.Identify(ctx, "", 0)
	require.ErrorIs(t, err, person.err)

	person.pin, person.err = trezortest.Matrix("1234"), nil
	_, err = client.Identify(ctx, "", 0)
	require.NoError(t, err)
	_, err = sign(t.Context(), client, d, payment(true, nil))
	require.NoError(t, err, "it stays unlocked")
}

// TestPINOnTheDevice checks later models, on which the PIN is entered.
func TestPINOnTheDevice(t *testing.T) {
	d, client := open(t)
	d.Set(func(s *trezortest.Settings) { s.PIN = "1" })
	d.Lock()
	_, err := sign(t.Context(), client, d, payment(true, nil))
	require.NoError(t, err)
	require.Equal(t, []string{"Enter PIN"}, d.Screens()[0])
}

// TestPassphrase checks that a passphrase selects a separate wallet, and is requested once per
// session.
func TestPassphrase(t *testing.T) {
	d, client := open(t)
	d.Set(func(s *trezortest.Settings) { s.Passphrase, s.Typed = true, "on the device" })
	_, err := client.Identify(t.Context(), "", 0)
	requireFault(t, device.Locked, "device waits for its passphrase: connect to it first (task::init_trezor::init)", err)

	person := &answers{passphrase: device.Passphrase{Text: "hidden"}}
	ctx := device.Prompt(t.Context(), person)
	hidden, err := client.Identify(ctx, "", 0)
	require.NoError(t, err)
	require.Equal(t, "Emulator", hidden.Label)
	key := func(passphrase string) {
		t.Helper()
		require.NoError(t, client.Ethereum(t.Context(), "", func(e *trezor.Ethereum) error {
			got, err := e.Key(t.Context(), path)
			require.Equal(t, d.PublicKeyOf(passphrase, path), got)
			return err
		}))
	}
	key("hidden")
	require.Equal(t, 1, person.requests)

	require.NoError(t, client.End(t.Context(), ""))
	person.passphrase = device.Passphrase{OnDevice: true, Text: "not used"}
	typed, err := client.Identify(ctx, "", 0)
	require.NoError(t, err)
	require.NotEqual(t, hidden.Wallet, typed.Wallet)
	key("on the device")
	require.Equal(t, 2, person.requests)

	require.NoError(t, client.End(t.Context(), ""))
	for _, text := range []string{"Grüße", "123456789012345678901234567890123456789012345678901", "a\n"} {
		person.passphrase = device.Passphrase{Text: text}
		_, err = client.Identify(ctx, "", 0)
		require.True(t, device.Is(err, device.Unsupported), err)
		require.NotContains(t, err.Error(), text, "secrets stay out of errors")
	}
	d.Set(func(s *trezortest.Settings) { s.PassphraseOnDevice = true })
	again, err := client.Identify(t.Context(), "", 0)
	require.NoError(t, err, "the host asks nothing")
	require.Equal(t, typed.Wallet, again.Wallet)
}

// TestPersonDoesNotAnswer checks that a user has ten minutes to enter a PIN or passphrase.
func TestPersonDoesNotAnswer(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, client := first(t)
		_, err := client.Identify(device.Prompt(t.Context(), absent{}), "", 0)
		requireFault(t, device.Timeout, "entering the PIN timed out after 10m0s", err)
	})
}

type absent struct{}

func (absent) PIN(ctx context.Context) (string, error) { <-ctx.Done(); return "", ctx.Err() }

func (absent) Passphrase(ctx context.Context) (device.Passphrase, error) {
	<-ctx.Done()
	return device.Passphrase{}, ctx.Err()
}
