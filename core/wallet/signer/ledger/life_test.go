package ledger_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/ledger"
	"obverse/core/wallet/signer/ledger/ledgertest"
)

// TestLife checks the states of a device with a client without a timeout.
func TestLife(t *testing.T) {
	for name, c := range map[string]struct {
		begin func(*ledgertest.Device)
		fault device.Fault
		text  string
	}{
		"absent":           {(*ledgertest.Device).Unplug, device.NotFound, "no device is connected: plug it in and unlock it"},
		"locked":           {(*ledgertest.Device).Lock, device.Locked, "asking which app is open: device is locked: unlock it with its PIN"},
		"no app":           {func(d *ledgertest.Device) { d.OpenApp("") }, device.WrongApp, "no app is open on the device: open app Cosmos"},
		"another app":      {func(d *ledgertest.Device) { d.OpenApp("Bitcoin") }, device.WrongApp, "app Bitcoin is open on the device: close it and open app Cosmos"},
		"an old app":       {version(2, 0, 9), device.TooOld, "app Cosmos is too old: version is 2.0.9, want 2.1.0 or newer: update it with Ledger Live"},
		"rejected":         {func(d *ledgertest.Device) { d.Use(ledgertest.Reject) }, device.Rejected, "signing: rejected on the device"},
		"pulled out":       {func(d *ledgertest.Device) { d.Use(pull(d)) }, device.Unplugged, `device "usb-1" was unplugged`},
		"settings opened":  {answers(0x69, 0x01), device.Busy, "asking which app is open: device shows its own settings: leave them and open app Cosmos"},
		"old firmware":     {answers(0x68, 0x04), device.Locked, "asking which app is open: device is locked: unlock it with its PIN"},
		"app left":         {left(0x6e, 0x01), device.WrongApp, "getting the public key: app Cosmos is not open on the device: open it"},
		"app not begun":    {left(0x65, 0x11), device.WrongApp, "getting the public key: app Cosmos is not open on the device: open it"},
		"locked meanwhile": {left(0x55, 0x15), device.Locked, "getting the public key: device is locked: unlock it with its PIN"},
		"some failure":     {left(0x6f, 0x00), device.Failed, "getting the public key: device failed with status 6f00"},
	} {
		t.Run(name, func(t *testing.T) {
			d, client := open(t, "Cosmos")
			c.begin(d)
			s, err := signCosmos(t.Context(), client, d, document(""))
			requireFault(t, c.fault, c.text, err)
			require.Zero(t, s)
		})
	}
}

func version(major, minor, patch byte) func(*ledgertest.Device) {
	return func(d *ledgertest.Device) {
		d.Set(func(s *ledgertest.Settings) { s.Versions["Cosmos"] = [3]byte{major, minor, patch} })
	}
}

// pull returns a user who unplugs the device instead of confirming.
func pull(d *ledgertest.Device) ledgertest.User {
	return func(ctx context.Context, _ []string) bool {
		d.Unplug()
		<-ctx.Done()
		return true
	}
}

// answers makes a device answer only with a status.
func answers(answer ...byte) func(*ledgertest.Device) {
	return func(d *ledgertest.Device) { d.Tamper(func(_, _ []byte) []byte { return answer }) }
}

// left makes an app, but not the system, answer with the given bytes.
func left(answer ...byte) func(*ledgertest.Device) {
	return func(d *ledgertest.Device) {
		d.Tamper(func(command, right []byte) []byte {
			if command[0] == 0xb0 {
				return right
			}
			return answer
		})
	}
}

func TestMultipleDevices(t *testing.T) {
	const other = "legal winner thank year wave sausage worth useful legal winner thank yellow"
	one, two := ledgertest.New(t, "usb-1"), ledgertest.NewWith(t, "usb-2", other)
	one.OpenApp("Cosmos")
	two.OpenApp("Cosmos")
	client := &ledger.Client{Port: ledger.Over(ledgertest.NewBus(one, two))}
	_, err := signCosmos(t.Context(), client, one, document(""))
	requireFault(t, device.MultipleDevices, "2 devices are connected, want one: unplug the others: Nano X (usb-1), Nano X (usb-2)", err)

	keyOf := func(id string) (public [33]byte) {
		require.NoError(t, client.Cosmos(t.Context(), id, func(a *ledger.Cosmos) (err error) {
			public, err = a.Key(t.Context(), cosmosPath, "cosmos")
			return err
		}))
		return public
	}
	require.Equal(t, one.PublicKey(cosmosPath), keyOf("usb-1"))
	require.Equal(t, two.PublicKey(cosmosPath), keyOf("usb-2"))

	one.Unplug()
	_, err = signCosmos(t.Context(), client, one, document(""))
	requireFault(t, device.Unexpected, "signing: this device holds another key at m/44'/118'/0'/0/0 than the account's: connect the device that the coin was activated with", err)
	require.Empty(t, two.Screens(), "its user is not asked")
}

// TestWaiting checks that a client with a timeout waits for its user to plug the device in,
// unlock it and open the app, and reports that it waits.
func TestWaiting(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, client := open(t, "Bitcoin")
		client.Timeout = time.Minute
		d.Unplug()
		d.Lock()
		go func() {
			time.Sleep(5*time.Second + device.Between/2) // between two checks
			d.Plug()
			time.Sleep(5 * time.Second)
			d.Unlock()
			time.Sleep(5 * time.Second)
			d.OpenApp("Cosmos")
		}()
		var states []device.State
		ctx := device.Listen(t.Context(), func(s device.State) { states = append(states, s) })
		began := time.Now()
		s, err := signCosmos(ctx, client, d, document(""))
		require.NoError(t, err)
		requireSigned(t, d, document(""), s)
		require.Equal(t, 15*time.Second+device.Between, time.Since(began))
		require.Equal(t, []device.State{device.WaitingForDevice, device.Proceeding, device.FollowDeviceInstructions, device.Proceeding}, states)

		d.OpenApp("Bitcoin")
		began = time.Now()
		_, err = signCosmos(ctx, client, d, document(""))
		requireFault(t, device.WrongApp, "app Bitcoin is open on the device: close it and open app Cosmos", err)
		require.Equal(t, time.Minute, time.Since(began))
	})
}

// TestSleepAndReconnect checks a device that falls asleep while its user is asked. It is gone
// for its host, and can be used again after it was woken.
func TestSleepAndReconnect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, client := open(t, "Cosmos")
		d.Use(func(ctx context.Context, _ []string) bool {
			time.Sleep(time.Minute)
			d.Unplug()
			<-ctx.Done()
			return true
		})
		_, err := signCosmos(t.Context(), client, d, document(""))
		requireFault(t, device.Unplugged, `device "usb-1" was unplugged`, err)
		_, err = signCosmos(t.Context(), client, d, document(""))
		requireFault(t, device.NotFound, "no device is connected: plug it in and unlock it", err)
		d.Plug()
		d.Lock()
		_, err = signCosmos(t.Context(), client, d, document(""))
		require.True(t, device.Is(err, device.Locked))
		d.Unlock()
		d.OpenApp("Cosmos")
		d.Use(ledgertest.Approve)
		s, err := signCosmos(t.Context(), client, d, document(""))
		require.NoError(t, err)
		requireSigned(t, d, document(""), s)
	})
}

// TestTimeout checks that a request to an inactive user times out, and that a later reply is
// not the answer to another request.
func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, client := open(t, "Cosmos")
		defer d.Unplug()
		says := make(chan bool)
		d.Use(func(context.Context, []string) bool { return <-says })
		began := time.Now()
		_, err := signCosmos(t.Context(), client, d, document("first"))
		requireFault(t, device.Timeout, "signing timed out after 5m0s", err)
		require.Equal(t, 5*time.Minute, time.Since(began))

		// The device still shows the first document.
		_, err = signCosmos(t.Context(), client, d, document("second"))
		requireFault(t, device.Busy, "getting the public key: app Cosmos is busy with an earlier request: reject that on the device, or close and open the app", err)

		// The user confirms that while the next request is in progress.
		started := make(chan struct{})
		d.Tamper(func(command, answer []byte) []byte {
			if command[0] == 0xb0 {
				close(started)
				time.Sleep(time.Second)
			}
			return answer
		})
		go func() {
			<-started
			says <- true
			d.Tamper(nil)
			d.Use(ledgertest.Approve)
		}()
		s, err := signCosmos(t.Context(), client, d, document("third"))
		require.NoError(t, err)
		requireSigned(t, d, document("third"), s)
	})
}

func TestSilentDevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, client := open(t, "Cosmos")
		d.Frame(func(uint16, []byte) [][]byte { return nil })
		_, err := signCosmos(t.Context(), client, d, document(""))
		requireFault(t, device.Timeout, "asking which app is open timed out after 30s", err)

		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = signCosmos(ctx, client, d, document(""))
		require.ErrorIs(t, err, context.DeadlineExceeded)
	})
}

// TestOneConversation checks that conversations with one device are serialized.
func TestOneConversation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, client := open(t, "Cosmos")
		talking := 0
		d.Use(func(context.Context, []string) bool {
			talking++
			require.Equal(t, 1, talking)
			time.Sleep(time.Second)
			talking--
			return true
		})
		results := make(chan error)
		for range 5 {
			go func() {
				_, err := signCosmos(t.Context(), client, d, document(""))
				results <- err
			}()
		}
		for range 5 {
			require.NoError(t, <-results)
		}
	})
}

// TestCallerGoesBetweenParts checks that a request that its caller abandons between two parts does
// not block the app.
func TestCallerGoesBetweenParts(t *testing.T) {
	d, client := open(t, "Cosmos")
	ctx, cancel := context.WithCancel(t.Context())
	d.Tamper(func(command, answer []byte) []byte {
		if command[0] == 0x55 && command[1] == 2 && command[2] == 1 {
			cancel()
		}
		return answer
	})
	_, err := signCosmos(ctx, client, d, document(strings.Repeat("x", 2000)))
	require.ErrorIs(t, err, context.Canceled)
	d.Tamper(nil)
	s, err := signCosmos(t.Context(), client, d, document(""))
	require.NoError(t, err)
	requireSigned(t, d, document(""), s)
	require.Len(t, d.Screens(), 1)
}
