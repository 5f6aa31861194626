package device

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

var (
	nano = Info{ID: "usb-1", Vendor: 0x2c97, Product: 0x4011, Name: "Nano X"}
	stax = Info{ID: "usb-2", Vendor: 0x2c97, Product: 0x6011, Name: "Stax"}
)

func TestChoose(t *testing.T) {
	for name, c := range map[string]struct {
		all  []Info
		id   string
		want Info
		err  *Error
	}{
		"the only one":      {all: []Info{nano}, want: nano},
		"by its ID":         {all: []Info{nano, stax}, id: "usb-2", want: stax},
		"absent":            {err: &Error{NotFound, "no device is connected: plug it in and unlock it"}},
		"another one":       {all: []Info{nano}, id: "usb-2", err: &Error{NotFound, `device "usb-2" is not connected: Nano X (usb-1)`}},
		"a name of its own": {all: []Info{{ID: "usb\u202e-1", Name: "Na\x1b[31mno\n"}}, id: "usb-2", err: &Error{NotFound, `device "usb-2" is not connected: Na[31mno (usb-1)`}},
		"none, and an ID":   {id: "usb-2", err: &Error{NotFound, `device "usb-2" is not connected: no device is`}},
		"several, no choice": {all: []Info{nano, stax},
			err: &Error{MultipleDevices, "2 devices are connected, want one: unplug the others: Nano X (usb-1), Stax (usb-2)"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Choose(c.all, c.id)
			if c.err != nil {
				require.Equal(t, c.err, err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.want, got)
		})
	}
}

func TestFaults(t *testing.T) {
	seen := map[Fault]bool{}
	for _, fault := range Faults() {
		require.False(t, seen[fault], fault)
		seen[fault] = true
		err := fmt.Errorf("signing: %w", Failf(fault, "why %d", 1))
		require.EqualError(t, err, "signing: why 1")
		require.True(t, Is(err, Fault("x"), fault))
		require.False(t, Is(err, Fault("x")))
	}
	require.False(t, Is(errors.New("x"), Faults()...))
	require.False(t, Is(nil, Faults()...))
}

func TestReport(t *testing.T) {
	Report(t.Context(), WaitingForDevice) // without a listener
	var states []State
	ctx := Listen(t.Context(), func(s State) { states = append(states, s) })
	Report(ctx, WaitingForDevice)
	Report(ctx, FollowDeviceInstructions)
	require.Equal(t, []State{WaitingForDevice, FollowDeviceInstructions}, states)
}

// TestWait checks that Wait waits as long as the user can make the device ready, and not
// longer.
func TestWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var states []State
		ctx := Listen(t.Context(), func(s State) { states = append(states, s) })
		tries := 0
		answers := func(errs ...error) func(context.Context) error {
			tries = 0
			return func(context.Context) error { tries++; return errs[min(tries, len(errs))-1] }
		}
		absent, locked, old := Failf(NotFound, "absent"), Failf(Locked, "locked"), Failf(TooOld, "old")
		require.NoError(t, Wait(ctx, time.Minute, answers(nil)))
		require.Empty(t, states, "a device that is ready is not waited for")
		require.NoError(t, Wait(ctx, time.Minute, answers(absent, locked, nil)))
		require.Equal(t, []State{WaitingForDevice, Proceeding}, states)
		require.Equal(t, 3, tries)

		require.Equal(t, old, Wait(ctx, time.Minute, answers(absent, old)), "an update takes longer than patience")
		require.Equal(t, absent, Wait(ctx, 0, answers(absent)))
		require.Equal(t, 1, tries)
		began := time.Now()
		require.Equal(t, locked, Wait(ctx, time.Minute, answers(absent, locked)))
		require.Equal(t, time.Minute, time.Since(began))

		ended, cancel := context.WithTimeout(ctx, 3*time.Second)
		defer cancel()
		require.ErrorIs(t, Wait(ended, time.Minute, answers(absent)), context.DeadlineExceeded)
	})
}

func TestWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forever := func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }
		require.Equal(t, Failf(Timeout, "the answer timed out after 1m0s"), Within(t.Context(), time.Minute, "the answer", forever))
		ended, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, Within(ended, time.Minute, "the answer", forever), context.DeadlineExceeded)
		require.NoError(t, Within(t.Context(), time.Minute, "the answer", func(context.Context) error { return nil }))
		require.Equal(t, Failf(Locked, "x"), Within(t.Context(), time.Minute, "the answer", func(context.Context) error { return Failf(Locked, "x") }))
	})
}

// TestQueueIsBounded checks that the number of unconfirmed requests to a device is limited.
func TestQueueIsBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		done, err := q.Turn(t.Context(), "a")
		require.NoError(t, err)
		ended := make(chan error, maxTurns)
		for range maxTurns - 1 {
			go func() {
				_, err := q.Turn(t.Context(), "a")
				ended <- err
			}()
		}
		synctest.Wait()
		began := time.Now()
		_, err = q.Turn(t.Context(), "a")
		require.True(t, Is(err, Failed), err)
		require.Zero(t, time.Since(began))
		for range maxTurns - 1 {
			require.True(t, Is(<-ended, Timeout))
		}
		require.Equal(t, turnWithin, time.Since(began))
		done()
		require.Empty(t, q.turns)
	})
}

func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q Queue
		done, err := q.Turn(t.Context(), "a")
		require.NoError(t, err)
		other, err := q.Turn(t.Context(), "b")
		require.NoError(t, err, "another device is free")
		other()

		impatient, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err = q.Turn(impatient, "a")
		require.ErrorIs(t, err, context.DeadlineExceeded)

		got := make(chan struct{})
		go func() {
			next, err := q.Turn(t.Context(), "a")
			if err == nil {
				close(got)
				next()
			}
		}()
		synctest.Wait()
		select {
		case <-got:
			require.Fail(t, "two conversations at once")
		default:
		}
		done()
		<-got
		synctest.Wait()
		require.Empty(t, q.turns, "idle devices take no memory")
	})
}
