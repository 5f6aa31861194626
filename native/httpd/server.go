package httpd

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/julienschmidt/httprouter"

	"obverse/core/daemon"
	"obverse/core/event"
	"obverse/core/guard"
	"obverse/core/rpc"
	"obverse/native/limit"
)

// Errors of Run.
var (
	// ErrCutShort: calls were still at work when the time for them was over.
	ErrCutShort = errors.New("calls in flight were cut short")
	// ErrAtWork: some calls did not end even when their contexts were canceled. Their resources
	// must stay.
	ErrAtWork = errors.New("calls in flight did not end when they were cut short")
)

// Server is both ports. New makes it, Listen binds, Run serves until its context
// ends.
type Server struct {
	config Config
	gate   *gate
	daemon port
	node   port
}

// Names of the ports in logs and metrics.
const (
	daemonName = "daemon"
	nodeName   = "node"
)

// port is one listening address.
type port struct {
	name     string
	address  string
	http     *http.Server
	listener *limit.Listener
}

// New makes a server and starts nothing.
func New(config Config) *Server {
	config = config.withDefaults()
	g := newGate(config.Limits)
	g.behindProxy = config.BehindProxy
	s := &Server{config: config, gate: g}
	s.daemon = newPort(daemonName, config.Daemon.Address, newDaemonPort(config, g, s.walletPort), config, g)
	s.node = newPort(nodeName, config.Node.Address, newNodePort(config, g), config, g)
	return s
}

func newPort(name, address string, handler http.Handler, c Config, g *gate) port {
	return port{name: name, address: address, http: &http.Server{
		Handler:           g.work.Counting(observe(handler, name, c.Metrics, c.Log)),
		ReadHeaderTimeout: min(c.Limits.Begin, c.Limits.Read),
		ReadTimeout:       c.Limits.Read,
		IdleTimeout:       c.Limits.Idle,
		ConnContext:       withConnection,
		ConnState:         c.Metrics.connection(name),
		MaxHeaderBytes:    c.Limits.Header,
		ErrorLog:          slog.NewLogLogger(c.Log.Handler(), slog.LevelWarn),
	}}
}

// Listen binds both ports, or none and says which one failed.
func (s *Server) Listen(ctx context.Context) error {
	for _, p := range []*port{&s.daemon, &s.node} {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", p.address)
		if err != nil {
			return errors.Join(fmt.Errorf("%s port: %w", p.name, err), s.unbind())
		}
		p.listener = limit.NewListener(listener, s.config.Limits.Connections, sharing, s.config.Metrics.droppedOf(p.name).Inc)
	}
	return nil
}

func (s *Server) unbind() error {
	if s.daemon.listener == nil {
		return nil
	}
	return s.daemon.listener.Close()
}

// DaemonAddress returns the address on which the daemon API listens, after Listen.
func (s *Server) DaemonAddress() string { return s.daemon.listener.Addr().String() }

// NodeAddress returns the address on which the node API listens, after Listen.
func (s *Server) NodeAddress() string { return s.node.listener.Addr().String() }

// walletPort returns the port of the wallet page, or "".
func (s *Server) walletPort() string {
	if s.config.Node.Mount == nil {
		return ""
	}
	_, port, err := net.SplitHostPort(s.NodeAddress())
	if err != nil {
		return ""
	}
	return port
}

// Run serves both ports after Listen. When ctx ends it takes no more work, lets
// calls in flight finish within Limits.Drain, cuts the others short and returns when
// all have ended: nil, ErrCutShort if that was too short for some, and ErrAtWork if they
// did not end within Limits.Cut either. It returns early if a port fails.
func (s *Server) Run(ctx context.Context) error {
	if !guard.Watched(ctx) {
		ctx = guard.With(ctx, s.config.Metrics.Panicked(s.config.Log))
	}
	work, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	base := withWork(work)
	ended := make(chan error, 2)
	for _, p := range []port{s.daemon, s.node} {
		p.http.BaseContext = func(net.Listener) context.Context { return base }
		go func() { ended <- p.http.Serve(p.listener) }()
	}
	var failed error
	running := 2
	select {
	case <-ctx.Done():
	case failed = <-ended:
		running--
	}
	err := s.drain(work, cut)
	for range running {
		if e := <-ended; !errors.Is(e, http.ErrServerClosed) {
			failed = errors.Join(failed, e)
		}
	}
	return errors.Join(failed, err)
}

// drain ends the daemon's port first, so that /readyz continues to give the reason.
func (s *Server) drain(work context.Context, cut context.CancelFunc) error {
	s.gate.work.Close()
	s.daemon.listener.Drain()
	s.node.listener.Drain()
	ctx, cancel := context.WithTimeout(work, s.config.Limits.Drain)
	defer cancel()
	var failed error
	for _, p := range []port{s.daemon, s.node} {
		if err := p.http.Shutdown(ctx); err != nil {
			cut()
			failed = errors.Join(ErrCutShort, p.http.Close())
		}
	}
	select {
	case <-s.gate.work.Empty():
	case <-time.After(s.config.Limits.Cut):
		failed = errors.Join(failed, ErrAtWork)
	}
	return failed
}

// Handler answers one request body with an HTTP status and a reply.
type Handler func(ctx context.Context, caller rpc.Caller, body []byte) (status int, reply []byte)

// Credentials checks the values of the Authorization headers of a request from an
// address. It may take its time over a wrong one; when ctx ends, the caller is gone.
// daemon.Authorizer is one.
type Credentials interface {
	Check(ctx context.Context, address string, headers []string) error
}

// refuseAll is Credentials that refuses every caller.
type refuseAll struct{}

func (refuseAll) Check(context.Context, string, []string) error { return daemon.ErrNoCredential }

// Config of a Server. Addresses are host:port; port 0 is any free one.
type Config struct {
	Daemon Daemon
	Node   Node
	// BehindProxy: a proxy on this machine forwards requests of others, and may not say so. No
	// caller is taken for a program on this machine.
	BehindProxy bool
	Hosts       []string     // names by which clients may call this machine, beyond the obvious
	Limits      Limits       // zero fields have defaults
	Ready       func() error // nil when requests can be answered and kept; asked by /readyz
	Metrics     *Metrics
	Log         *slog.Logger // nil: discard
}

// Daemon is the port of the daemon API.
type Daemon struct {
	Address     string
	Serve       Handler
	Credentials Credentials
}

// Node is the port of the node API and of everything that is fetched.
type Node struct {
	Address string
	// Serve answers POST on any path. Without it, POST is answered with 501.
	Serve Handler
	// LocalOnly is rpc_local_only, for the routes that are not calls. Serve itself obeys it for each method.
	LocalOnly bool
	// RetryAfter, if set, says for how long a caller is refused because of what it did;
	// zero: it is not. Answers that are errors carry it in the header of that name.
	RetryAfter func(caller rpc.Caller) time.Duration
	// Credentials protect /metrics and /event-stream from callers that are not local.
	Credentials Credentials
	Events      Events
	// Link lets a page of this port connect without the password; nil: off.
	Link Link
	// Mount, if set, adds routes for GET and HEAD, those of the wallet page.
	Mount func(*httprouter.Router)
	// Origin is the one web origin that may call from a browser; empty: none.
	Origin string
}

// Events is the event stream of the node API.
type Events struct {
	// Hub returns the hub of the streams, nil while the node is starting. Without the function
	// there is no /event-stream.
	Hub func() *event.Hub
	// Origin is the one web origin that may read events from a browser, in addition to pages of
	// this port; empty: no other.
	Origin string
}

// Limits bound what clients can cost. Work is shared by both ports, all else each has
// for itself.
type Limits struct {
	Body        int64         // bytes of one request body, default 8 MiB
	Memory      int64         // bytes of all bodies and answers held at a time on each port, default 64 MiB or two bodies
	Work        int           // requests answered at a time, default 256
	Turn        time.Duration // for which a request waits to be among them, default 1 s
	Connections int           // open at a time on each port, default 4096
	Streams     int           // event streams open at a time, default 3/4 of Connections
	Header      int           // bytes of request line and headers, default 16 KiB
	Begin       time.Duration // to receive request line and headers, default 5 s
	Read        time.Duration // to receive a whole request, default 30 s
	Write       time.Duration // to take a reply, default 30 s
	KeepAlive   time.Duration // between the comments of an event stream, default 15 s
	Idle        time.Duration // between requests of a connection, default 60 s
	Gone        time.Duration // for which reading calls go on once their client has closed its end, default 5 s
	Drain       time.Duration // for requests in flight when the server ends, default 3 s
	Cut         time.Duration // for them to end once their contexts are canceled, default 700 ms
}

func (l Limits) withDefaults() Limits {
	l.Connections = cmp.Or(l.Connections, 4096)
	l.Body = cmp.Or(l.Body, 8<<20)
	return Limits{
		Body:        l.Body,
		Memory:      cmp.Or(l.Memory, max(64<<20, 2*l.Body)),
		Work:        cmp.Or(l.Work, 256),
		Turn:        cmp.Or(l.Turn, time.Second),
		Connections: l.Connections,
		Streams:     cmp.Or(l.Streams, l.Connections*3/4),
		Header:      cmp.Or(l.Header, 16<<10),
		Begin:       cmp.Or(l.Begin, 5*time.Second),
		Read:        cmp.Or(l.Read, 30*time.Second),
		Write:       cmp.Or(l.Write, 30*time.Second),
		KeepAlive:   cmp.Or(l.KeepAlive, event.KeepAlive),
		Idle:        cmp.Or(l.Idle, time.Minute),
		Gone:        cmp.Or(l.Gone, 5*time.Second),
		Drain:       cmp.Or(l.Drain, 3*time.Second),
		Cut:         cmp.Or(l.Cut, 700*time.Millisecond),
	}
}

func (c Config) withDefaults() Config {
	c.Limits = c.Limits.withDefaults()
	if c.Ready == nil {
		c.Ready = func() error { return nil }
	}
	if c.Node.Credentials == nil {
		c.Node.Credentials = refuseAll{}
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.Metrics == nil {
		c.Metrics = NewMetrics(Build{})
	}
	return c
}
