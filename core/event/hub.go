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

// Config of a Hub. Zero limits have defaults.
type Config struct {
	Now     func() time.Time
	Random  io.Reader     // for tickets; must be unpredictable
	Clients int           // known at a time, default 4096
	Buffer  int           // events kept of each client, default 1024
	Keep    time.Duration // for which a client without a connection is remembered, default 60 s
}

func (c Config) withDefaults() Config {
	c.Clients = cmp.Or(c.Clients, 4096)
	c.Buffer = cmp.Or(c.Buffer, 1024)
	c.Keep = cmp.Or(c.Keep, time.Minute)
	return c
}

// Hub passes events to clients. New makes it; events that are due by the clock come
// while Run runs. Its methods may be called by many goroutines.
type Hub struct {
	config Config
	wake   chan struct{} // Run has something to look at

	mu       sync.Mutex
	clients  map[uint64]*client
	streams  map[string]*stream // those with listeners
	begun    []*stream          // those whose source Run has to start
	schedule schedule
	tickets  map[digest]ticket
	dropped  uint64
	stopped  bool
}

// client is known from its first connection until it has been away for Config.Keep.
type client struct {
	id            uint64
	connection    *Connection // nil: away
	history       history
	subscriptions map[string]subscription // by streamer id
	forget        *task                   // while away
}

// New makes a hub without clients.
func New(config Config) *Hub {
	return &Hub{
		config: config.withDefaults(), wake: make(chan struct{}, 1),
		clients: map[uint64]*client{}, streams: map[string]*stream{}, tickets: map[digest]ticket{},
	}
}

// idle is how long Run sleeps when nothing is due.
const idle = time.Hour

// Run sends due messages, removes clients that stay away and runs the sources of streams, until
// ctx ends. Then all connections end with ErrStopped.
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

// work does all that is due and returns the time until the next work.
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

// soon lets Run look again.
func (h *Hub) soon() {
	select {
	case h.wake <- struct{}{}:
	default: // it is going to
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

// Connect opens the connection of a client, which is known from now on and keeps its
// subscriptions. It gives ErrConnected if a connection of the client is still open.
// last is the id of the last event that the client has got: those after it come
// first. Without it the next event is the next that happens.
func (h *Hub) Connect(id uint64, last *uint64) (*Connection, error) {
	return h.connect(id, last, false)
}

// TakeOver is Connect for a client with a credential for the stream: a connection of the
// client that is still open ends with ErrTakenOver.
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
// transport writes something, which fails if the client is gone. left is closed when the
// connection has ended; it is nil if none is open.
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

// makeRoom lets a new client in, in the place of the one that has been away longest
// if it must.
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

// leave starts the time after which a client without a connection is forgotten.
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

// Subscribed counts the clients, connected or not, that listen to a streamer.
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

// Reasons for which the hub refuses, found with errors.Is.
var (
	// ErrUnknownClient: the client has not connected, or is away and was forgotten;
	// for Enable also: it is away.
	ErrUnknownClient = errors.New("the client is not connected")
	// ErrAlreadyListening: the client subscribed to the streamer before.
	ErrAlreadyListening = errors.New("the client listens to this streamer already")
	// ErrStreamerNotFound: the client is not subscribed to the streamer.
	ErrStreamerNotFound = errors.New("the client listens to no such streamer")
	// ErrConnected: a connection of the client is open.
	ErrConnected = errors.New("the client is connected")
	// ErrTooManyClients: as many clients as allowed are connected.
	ErrTooManyClients = errors.New("too many clients are connected")
	// ErrInterval: a Periodic streamer without a time between its events.
	ErrInterval = errors.New("the interval of a streamer must be positive")
	// ErrStreamerID: not the name of any streamer.
	ErrStreamerID = errors.New("not a streamer id")
)

// Reasons for which a connection ends.
var (
	// ErrTakenOver: the client has opened another connection.
	ErrTakenOver = errors.New("another connection has taken the stream over")
	// ErrClosed: Close was called.
	ErrClosed = errors.New("the connection is closed")
	// ErrStopped: the hub's Run has ended.
	ErrStopped = errors.New("the hub has stopped")
)

// ErrProbed: a connection goes on, and the client must be sent something.
var ErrProbed = errors.New("a sign of life is wanted")
