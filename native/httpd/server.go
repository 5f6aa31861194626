package httpd

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"

	"obverse/core/guard"
)

// Errors of Run.
var (
	// ErrCutShort: calls were still at work when the time for them was over.
	ErrCutShort = errors.New("calls in flight were cut short")
	// ErrAtWork: some did not even end when they were told to. What they use must stay.
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
	listener *bounded
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
		Handler:           g.counting(observe(handler, name, c.Metrics, c.Log)),
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
		p.listener = newBounded(listener, s.config.Limits.Connections, s.config.Metrics.droppedOf(p.name).Inc)
	}
	return nil
}

func (s *Server) unbind() error {
	if s.daemon.listener == nil {
		return nil
	}
	return s.daemon.listener.Close()
}

// DaemonAddress is where the daemon API really listens, after Listen.
func (s *Server) DaemonAddress() string { return s.daemon.listener.Addr().String() }

// NodeAddress is where the node API really listens, after Listen.
func (s *Server) NodeAddress() string { return s.node.listener.Addr().String() }

// walletPort is the port of the wallet page, empty if there is none.
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

// drain ends the daemon's port first, so that /readyz goes on telling why.
func (s *Server) drain(work context.Context, cut context.CancelFunc) error {
	s.gate.close()
	s.daemon.listener.drain()
	s.node.listener.drain()
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
	case <-s.gate.empty():
	case <-time.After(s.config.Limits.Cut):
		failed = errors.Join(failed, ErrAtWork)
	}
	return failed
}
