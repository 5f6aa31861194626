package event

import (
	"cmp"
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"obverse/core/metrics"
)

// Config holds the settings of a Hub. Limits of zero have defaults.
type Config struct {
	Now     func() time.Time
	Random  io.Reader     // source of unpredictable bytes for tickets
	Clients int           // maximum number of known clients; default 4096
	Buffer  int           // maximum number of stored events per client; default 1024
	Keep    time.Duration // time for which a client without a connection is remembered; default 60 s
}

func (c Config) withDefaults() Config {
	c.Clients = cmp.Or(c.Clients, 4096)
	c.Buffer = cmp.Or(c.Buffer, 1024)
	c.Keep = cmp.Or(c.Keep, time.Minute)
	return c
}

// Hub delivers events to clients. It is created by New. Events that depend on the time are sent
// while Run runs. A Hub is safe for concurrent use.
type Hub struct {
	config Config
	wake   chan struct{} // signals that Run has work to do

	mu       sync.Mutex
	clients  map[uint64]*client
	streams  map[string]*stream // streams with listeners
	begun    []*stream          // streams whose sources Run has to start
	schedule schedule
	tickets  map[digest]ticket
	dropped  uint64
	stopped  bool
}

// client is a known client. It is known from its first connection until it has been away for
// Config.Keep.
type client struct {
	id            uint64
	connection    *Connection // nil while the client is away
	history       history
	subscriptions map[string]subscription // by streamer id
	forget        *task                   // set while the client is away
}

// New returns a hub without clients.
func New(config Config) *Hub {
	return &Hub{
		config: config.withDefaults(), wake: make(chan struct{}, 1),
		clients: map[uint64]*client{}, streams: map[string]*stream{}, tickets: map[digest]ticket{},
	}
}

// idle is the time that Run sleeps if there is no scheduled work.
const idle = time.Hour

// Run sends scheduled messages, removes clients that stay away, and runs the sources of
// streams, until ctx ends. Then all connections end with ErrStopped.
func (h *Hub) Run(ctx context.Context) error {
	var sources sync.WaitGroup
	defer sources.Wait()
	defer h.stop()
	for {
		timer := time.NewTimer(h.work(ctx, &sources))
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-h.wake:
		}
		timer.Stop()
		if err := ctx.Err(); err != nil {
			return err
		}
	}
}

// work does all work that is due, and returns the time until the next work is due.
func (h *Hub) work(ctx context.Context, sources *sync.WaitGroup) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, s := range h.begun {
		h.runSource(ctx, s, sources)
	}
	h.begun = nil
	now := h.config.Now()
	h.schedule.run(now)
	return h.schedule.wait(now)
}

// soon wakes Run.
func (h *Hub) soon() {
	select {
	case h.wake <- struct{}{}:
	default: // Run has already been woken
	}
}

func (h *Hub) stop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.stopped = true
	for _, c := range h.clients {
		if c.connection != nil {
			c.connection.end(ErrStopped)
		}
	}
}

// Connect opens a connection of a client. From now on, the client is known and keeps its
// subscriptions. If the client has an open connection, Connect returns ErrConnected. The
// argument last is the id of the last event that the client has received; the connection starts
// with the events after it. If last is nil, it starts with the next new event.
func (h *Hub) Connect(id uint64, last *uint64) (*Connection, error) {
	return h.connect(id, last, false)
}

// TakeOver is like Connect, for a client with a credential for the stream: an open connection
// of the client ends with ErrTakenOver.
func (h *Hub) TakeOver(id uint64, last *uint64) (*Connection, error) {
	return h.connect(id, last, true)
}

func (h *Hub) connect(id uint64, last *uint64, takeOver bool) (*Connection, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.stopped {
		return nil, ErrStopped
	}
	c, known := h.clients[id]
	if !known {
		if err := h.makeRoom(); err != nil {
			return nil, err
		}
		c = &client{id: id, history: history{limit: h.config.Buffer}, subscriptions: map[string]subscription{}}
		h.clients[id] = c
	}
	if c.connection != nil {
		if !takeOver {
			return nil, ErrConnected
		}
		c.connection.end(ErrTakenOver)
	}
	h.schedule.remove(c.forget)
	c.forget = nil
	c.connection = newConnection(h, c, known, last)
	return c.connection, nil
}

// Probe tests whether the open connection of a client is alive: Next returns ErrProbed, and the
// transport writes something, which fails if the client is gone. The channel left is closed
// when the connection has ended; it is nil if no connection is open.
func (h *Hub) Probe(id uint64) (left <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := h.clients[id]
	if c == nil || c.connection == nil {
		return nil
	}
	c.connection.probe(h.config.Now())
	return c.connection.left
}

// makeRoom makes room for a new client. If necessary, it removes the client that has been away
// longest.
func (h *Hub) makeRoom() error {
	if len(h.clients) < h.config.Clients {
		return nil
	}
	var longest *client
	for _, c := range h.clients {
		if c.forget != nil && (longest == nil || c.forget.due.Before(longest.forget.due)) {
			longest = c
		}
	}
	if longest == nil {
		return ErrTooManyClients
	}
	h.forget(longest)
	return nil
}

// leave schedules the removal of a client that has no connection.
func (h *Hub) leave(c *client) {
	c.connection = nil
	c.forget = &task{due: h.config.Now().Add(h.config.Keep), do: func() { h.forget(c) }}
	h.schedule.add(c.forget)
	h.soon()
}

func (h *Hub) forget(c *client) {
	h.schedule.remove(c.forget)
	delete(h.clients, c.id)
	for _, s := range c.subscriptions {
		h.unsubscribe(c, s)
	}
}

// Gauges returns the gauges of the hub.
func (h *Hub) Gauges() []metrics.Gauge {
	count := func(counts func(*client) bool) func() float64 {
		return func() float64 { return float64(h.count(counts)) }
	}
	return []metrics.Gauge{
		{Name: "event_streams_open", Help: "Connections on which clients read events.",
			Read: count(func(c *client) bool { return c.connection != nil })},
		{Name: "event_clients_subscribed", Help: "Clients, connected or not, that listen to a streamer.",
			Read: func() float64 { return float64(h.Subscribed()) }},
		{Name: "event_dropped_events_total", Help: "Events that clients were too slow or away too long to get.", Grows: true,
			Read: func() float64 {
				h.mu.Lock()
				defer h.mu.Unlock()
				return float64(h.dropped)
			}},
	}
}

// Subscribed returns the number of clients, connected or not, that are subscribed to a
// streamer.
func (h *Hub) Subscribed() int {
	return h.count(func(c *client) bool { return len(c.subscriptions) > 0 })
}

func (h *Hub) count(counts func(*client) bool) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.clients {
		if counts(c) {
			n++
		}
	}
	return n
}

// Errors of the hub's methods.
var (
	// ErrUnknownClient reports that the client has never connected, or was away too long and
	// has been forgotten. Enable also returns it if the client is away.
	ErrUnknownClient = errors.New("the client is not connected")
	// ErrAlreadyListening reports that the client is already subscribed to the streamer.
	ErrAlreadyListening = errors.New("the client listens to this streamer already")
	// ErrStreamerNotFound reports that the client is not subscribed to the streamer.
	ErrStreamerNotFound = errors.New("the client listens to no such streamer")
	// ErrConnected reports that the client has an open connection.
	ErrConnected = errors.New("the client is connected")
	// ErrTooManyClients reports that the maximum number of clients is connected.
	ErrTooManyClients = errors.New("too many clients are connected")
	// ErrInterval reports a Periodic streamer with an interval that is not positive.
	ErrInterval = errors.New("the interval of a streamer must be positive")
	// ErrStreamerID reports a text that is not the name of a streamer.
	ErrStreamerID = errors.New("not a streamer id")
)

// Reasons why a connection ended.
var (
	// ErrTakenOver reports that the client has opened another connection.
	ErrTakenOver = errors.New("another connection has taken the stream over")
	// ErrClosed reports that Close was called.
	ErrClosed = errors.New("the connection is closed")
	// ErrStopped reports that the hub's Run has ended.
	ErrStopped = errors.New("the hub has stopped")
)

// ErrProbed reports that the connection is still open and that the transport must send
// something to the client.
var ErrProbed = errors.New("a sign of life is wanted")
