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
	ID      string // identifies the device as long as it stays plugged in at the same place
	Vendor  uint16 // USB vendor number
	Product uint16
	Name    string // name that the device reports
}

// Bus is a transport of 64-byte reports to devices, such as hidraw or WebHID. Its errors are
// *Error and the errors of ctx. It is safe for concurrent use.
type Bus interface {
	// List returns the connected devices of a vendor.
	List(ctx context.Context, vendor uint16) ([]Info, error)
	// Open connects to a device by its ID. If the device is gone, the error is NotFound.
	Open(ctx context.Context, id string) (Conn, error)
}

// Conn is an open device. It is used by one goroutine. Close may be called by another
// goroutine, and ends a waiting call.
type Conn interface {
	// Write sends one report of ReportSize bytes.
	Write(ctx context.Context, report []byte) error
	// Read waits for the next report and returns it. It has at most ReportSize bytes. If the
	// device is unplugged, the error is Unplugged.
	Read(ctx context.Context) ([]byte, error)
	Close() error
}

// Choose returns the device with an ID. If id is empty, there must be only one device.
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

// names returns the devices as a text for errors.
func names(all []Info) string {
	if len(all) == 0 {
		return "no device is"
	}
	texts := make([]string, len(all))
	for i, d := range all {
		texts[i] = Printable([]byte(d.Name)) + " (" + Printable([]byte(d.ID)) + ")" // the device chose both texts
	}
	return strings.Join(texts, ", ")
}

// Port connects to devices. A Link is a connection in the vendor's protocol.
type Port[Link any] interface {
	// List returns the connected devices.
	List(ctx context.Context) ([]Info, error)
	// Open connects to a device by its ID. If the device is gone, the error is NotFound.
	Open(ctx context.Context, id string) (Link, error)
}

// Open waits for its turn in the queue, and connects to the device with an ID, or to the only
// one if id is empty. The caller must call done once, after closing the link.
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

// Queue limits the concurrent conversations with each device to one. The zero value is empty.
type Queue struct {
	mu    sync.Mutex
	turns map[string]*turn // devices with conversations
}

// turn is the state that all requests to one device share.
type turn struct {
	free  chan struct{} // holds one value while no conversation runs
	users int           // number of callers that have or wait for a conversation
}

// Limits of a queue. A request that waited too long would be shown to a user who does not
// expect it any more, and who may confirm it in addition to its replacement.
const (
	turnWithin = 2 * time.Minute
	maxTurns   = 16 // number of callers that have or wait for a conversation with a device
)

// Turn waits until the other conversations with the device with an ID end, or ctx ends. The
// caller must call done once after its conversation. If the queue is full, the error is Failed;
// if the wait takes too long, it is Timeout.
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

// enter adds a caller to the queue. It returns nil if the queue is full.
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
// app. Komodo DeFi Framework waits for 5 minutes, only in tasks.
const DefaultTimeout = 2 * time.Minute

// Between is the interval at which a device that is not ready is checked.
const Between = 500 * time.Millisecond

// waitable holds the faults that the user can end by plugging the device in, unlocking it or
// opening an app.
var waitable = []Fault{NotFound, Locked, WrongApp, Unplugged, Busy}

// Wait calls connect until it succeeds, fails with a fault that waiting does not end, or the
// timeout is over. In the last case it returns the last error of connect. A timeout of 0 calls
// connect once.
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

// Within limits the time of a request. If the limit passes before ctx ends, the error is
// Timeout, with a text about the request.
func Within(ctx context.Context, limit time.Duration, what string, request func(context.Context) error) error {
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	err := request(bounded)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		return Failf(Timeout, "%s timed out after %s", what, limit)
	}
	return err
}
