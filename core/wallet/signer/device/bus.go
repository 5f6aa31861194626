package device

import (
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"obverse/core/clock"
)

// ReportSize is the size of the reports that hardware wallets read and write over USB.
const ReportSize = 64

// Info describes a device that is plugged in.
type Info struct {
	ID      string // names the device while it stays where it is plugged in
	Vendor  uint16 // as USB numbers them
	Product uint16
	Name    string // as the device calls itself
}

// Bus is a transport of 64-byte reports to devices: hidraw, WebHID. Its errors are *Error
// and those of ctx; it may be used by several goroutines.
type Bus interface {
	// List lists the devices of a vendor that are plugged in.
	List(ctx context.Context, vendor uint16) ([]Info, error)
	// Open connects to a device by its ID. A device that is gone is NotFound.
	Open(ctx context.Context, id string) (Conn, error)
}

// Conn is an open device. One goroutine uses it; Close may come from another one and ends
// what the first one waits for.
type Conn interface {
	// Write sends one report of ReportSize bytes.
	Write(ctx context.Context, report []byte) error
	// Read waits for the next report and returns it, at most ReportSize bytes. A device
	// that is pulled out is Unplugged.
	Read(ctx context.Context) ([]byte, error)
	Close() error
}

// Choose picks the device of an ID, or the only one where id is empty.
func Choose(all []Info, id string) (Info, error) {
	if id != "" {
		if i := slices.IndexFunc(all, func(d Info) bool { return d.ID == id }); i >= 0 {
			return all[i], nil
		}
		return Info{}, Failf(NotFound, "device %q is not connected: %s", id, names(all))
	}
	switch len(all) {
	case 0:
		return Info{}, Failf(NotFound, "no device is connected: plug it in and unlock it")
	case 1:
		return all[0], nil
	}
	return Info{}, Failf(MultipleDevices, "%d devices are connected, want one: unplug the others: %s", len(all), names(all))
}

// names lists devices for an error's text.
func names(all []Info) string {
	if len(all) == 0 {
		return "no device is"
	}
	texts := make([]string, len(all))
	for i, d := range all {
		texts[i] = Printable([]byte(d.Name)) + " (" + Printable([]byte(d.ID)) + ")" // which the device chose
	}
	return strings.Join(texts, ", ")
}

// Port connects to devices. A Link is a connection in the vendor's protocol.
type Port[Link any] interface {
	// List lists the devices that are connected.
	List(ctx context.Context) ([]Info, error)
	// Open connects to a device by its ID. A device that is gone is NotFound.
	Open(ctx context.Context, id string) (Link, error)
}

// Open connects to the device of an ID, or to the only one where id is empty, when its turn
// in the queue comes. The caller calls done once, after the link is closed.
func Open[Link any](ctx context.Context, q *Queue, p Port[Link], id string) (link Link, chosen string, done func(), err error) {
	all, err := p.List(ctx)
	if err != nil {
		return link, "", nil, err
	}
	d, err := Choose(all, id)
	if err != nil {
		return link, "", nil, err
	}
	done, err = q.Turn(ctx, d.ID)
	if err != nil {
		return link, "", nil, err
	}
	link, err = p.Open(ctx, d.ID)
	if err != nil {
		done()
		return link, "", nil, err
	}
	return link, d.ID, done, nil
}

// Queue lets one conversation at a time reach each device. The zero value is empty.
type Queue struct {
	mu    sync.Mutex
	turns map[string]*turn // of devices that have conversations
}

// turn is the state that all requests to one device share.
type turn struct {
	free  chan struct{} // holds one value while no conversation runs
	users int           // who talk or wait
}

// Limits of a queue. A request that waits too long would be shown to a user who no longer
// expects it, and who may confirm it in addition to its replacement.
const (
	turnWithin = 2 * time.Minute
	maxTurns   = 16 // who talk to a device or wait for it
)

// Turn waits until the other conversations with the device of an ID end, or ctx ends. The caller calls
// done once when its conversation is over. A queue that is full is Failed, one that does
// not move Timeout.
func (q *Queue) Turn(ctx context.Context, id string) (done func(), err error) {
	t := q.enter(id)
	if t == nil {
		return nil, Failf(Failed, "%d requests wait for the device, which is the limit: confirm or reject what it shows", maxTurns)
	}
	late := time.NewTimer(turnWithin)
	defer late.Stop()
	select {
	case <-t.free:
		return func() {
			t.free <- struct{}{}
			q.leave(id, t)
		}, nil
	case <-ctx.Done():
		q.leave(id, t)
		return nil, ctx.Err()
	case <-late.C:
		q.leave(id, t)
		return nil, Failf(Timeout, "device still shows an earlier request after %s: confirm or reject that, and ask again", turnWithin)
	}
}

// enter is nil for a queue that is full.
func (q *Queue) enter(id string) *turn {
	q.mu.Lock()
	defer q.mu.Unlock()
	t := q.turns[id]
	if t == nil {
		t = &turn{free: make(chan struct{}, 1)}
		t.free <- struct{}{}
		if q.turns == nil {
			q.turns = map[string]*turn{}
		}
		q.turns[id] = t
	}
	if t.users >= maxTurns {
		return nil
	}
	t.users++
	return t
}

func (q *Queue) leave(id string, t *turn) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if t.users--; t.users == 0 {
		delete(q.turns, id)
	}
}

// DefaultTimeout is how long nodes wait for a device that is absent or locked, or shows another
// app. Upstream waits for 5 minutes, in tasks alone.
const DefaultTimeout = 2 * time.Minute

// Between is the time between two looks for a device that is not ready.
const Between = 500 * time.Millisecond

// waitable are the faults that the user ends at the device: by plugging it in, unlocking
// it or opening an app.
var waitable = []Fault{NotFound, Locked, WrongApp, Unplugged, Busy}

// Wait calls connect until it succeeds, fails with a fault that waiting does not end, or
// timeout is over; then it fails with connect's last error. Timeout 0 calls it once.
func Wait(ctx context.Context, timeout time.Duration, connect func(context.Context) error) error {
	err := connect(ctx)
	if timeout == 0 || !Is(err, waitable...) {
		return err
	}
	Report(ctx, WaitingForDevice)
	patient, cancel := context.WithTimeout(ctx, timeout)
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
