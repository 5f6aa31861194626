package event

import (
	"cmp"
	"context"
	"io"
	"sync"
	"time"
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

// Run sends what is due by the clock, forgets clients that stay away and runs the
// sources of streams, until ctx ends. Then all connections end with ErrStopped.
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

// work does what is due and says how long there is nothing more to do.
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

// TakeOver is Connect for who has shown a right to the stream: a connection of the
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
