package device

import (
	"context"
	"time"

	"obverse/core/clock"
)

// Patience is how long nodes wait for a device that is absent or locked, or shows another
// app. Upstream waits for 5 minutes, in tasks alone.
const Patience = 2 * time.Minute

// Between is the time between two looks for a device that is not ready.
const Between = 500 * time.Millisecond

// waitable are the faults that the user ends at the device: by plugging it in, unlocking
// it or opening an app.
var waitable = []Fault{NotFound, Locked, WrongApp, Unplugged, Busy}

// Wait calls connect until it succeeds, fails with a fault that waiting does not end, or
// patience is over; then it fails with connect's last error. Patience 0 calls it once.
func Wait(ctx context.Context, patience time.Duration, connect func(context.Context) error) error {
	err := connect(ctx)
	if patience == 0 || !Is(err, waitable...) {
		return err
	}
	Report(ctx, WaitingForDevice)
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for Is(err, waitable...) {
		if clock.Sleep(patient, Between) != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return err
		}
		err = connect(ctx)
	}
	Report(ctx, Proceeding)
	return err
}

// Within bounds a request. When limit passes before ctx ends, the request fails with
// Timeout and a text about what was waited for.
func Within(ctx context.Context, limit time.Duration, what string, request func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := request(bounded)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		return Failf(Timeout, "%s timed out after %s", what, limit)
	}
	return err
}
