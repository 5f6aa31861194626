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
	// ErrCutShort means that calls were still running when their time was over.
	ErrCutShort = errors.New("calls in flight were canceled")
	// ErrAtWork means that some calls did not end even after their contexts were canceled. The resources
	// that they use must not be closed.
	ErrAtWork = errors.New("calls in flight did not end after they were canceled")
)

// Server serves both ports. Listen binds them, and Run serves until its context
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

// New returns a server, which does nothing before Listen.
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

// Listen binds both ports. If one fails, it binds none and the error names the port.
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

// Run serves both ports after Listen. When ctx ends, it accepts no more requests, lets running
// calls finish within Limits.Drain, cancels the others and returns when
// all have ended. The error is nil, ErrCutShort if calls were canceled, or ErrAtWork if canceled calls
// did not end within Limits.Cut. Run returns early if a port fails.
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

// drain ends the daemon API's port first, so that /readyz continues to return the reason.
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

// Credentials checks the Authorization headers of a request from an
// address. Check may delay its answer after a wrong credential; when ctx ends, the caller has disconnected.
// daemon.Authorizer implements it.
type Credentials interface {
	Check(ctx context.Context, address string, headers []string) error
}

// refuseAll implements Credentials and refuses every caller.
type refuseAll struct{}

func (refuseAll) Check(context.Context, string, []string) error { return daemon.ErrNoCredential }

// Config of a Server. Addresses are host:port; port 0 is any free one.
type Config struct {
	Daemon Daemon
	Node   Node
	// BehindProxy reports that a proxy on this machine forwards requests of others, perhaps without a header. No
	// caller then counts as local.
	BehindProxy bool
	Hosts       []string     // further names by which clients may call this machine
	Limits      Limits       // zero fields have defaults
	Ready       func() error // returns nil if requests can be answered and changes stored; called by /readyz
	Metrics     *Metrics
	Log         *slog.Logger // nil: discard
}

// Daemon is the port of the daemon API.
type Daemon struct {
	Address     string
	Serve       Handler
	Credentials Credentials
}

// Node is the port of the node API and of all other routes.
type Node struct {
	Address string
	// Serve answers POST on any path. If it is nil, POST is answered with 501.
	Serve Handler
	// LocalOnly is rpc_local_only, for the routes that are not calls. Serve itself obeys it for each method.
	LocalOnly bool
	// RetryAfter, if set, returns for how long a caller is refused because of its earlier requests, or
	// zero. It is sent in the Retry-After header of errors.
	RetryAfter func(caller rpc.Caller) time.Duration
	// Credentials protects /metrics and /event-stream from callers that are not local.
	Credentials Credentials
	Events      Events
	// Link lets a page of this port connect without the password; nil: off.
	Link Link
	// Mount, if set, adds the routes of the wallet page, for GET and HEAD.
	Mount func(*httprouter.Router)
	// Origin is the one web origin that may call from a browser; empty: none.
	Origin string
}

// Events is the event stream of the node API.
type Events struct {
	// Hub returns the hub of the streams, or nil while the node is starting. If the function is nil,
	// there is no /event-stream.
	Hub func() *event.Hub
	// Origin is the one web origin that may read events from a browser, in addition to pages of
	// this port; empty: no other.
	Origin string
}

// Limits are the limits for clients. Both ports share Work, Turn and Streams; each port has
// the others for itself.
type Limits struct {
	Body        int64         // bytes of one request body, default 8 MiB
	Memory      int64         // bytes of all bodies and answers held at a time on each port, default 64 MiB or two bodies
	Work        int           // requests that run at a time, default 256
	Turn        time.Duration // for which a request waits for its turn, default 1 s
	Connections int           // open at a time on each port, default 4096
	Streams     int           // event streams open at a time, default 3/4 of Connections
	Header      int           // bytes of request line and headers, default 16 KiB
	Begin       time.Duration // to receive request line and headers, default 5 s
	Read        time.Duration // to receive a whole request, default 30 s
	Write       time.Duration // to take a reply, default 30 s
	KeepAlive   time.Duration // between the comments of an event stream, default 15 s
	Idle        time.Duration // between requests of a connection, default 60 s
	Gone        time.Duration // for which reading calls continue after their client has closed its side, default 5 s
	Drain       time.Duration // for running requests when the server ends, default 3 s
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
