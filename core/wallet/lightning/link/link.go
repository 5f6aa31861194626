// Package link manages the connections of a Lightning node to its peers. It opens and accepts
// connections, performs the handshake, exchanges init messages, sends and answers pings,
// reconnects to peers that the user wants, and limits the resources of inbound connections. It
// opens no channels and makes no payments.
//
// Each connection has two goroutines. One reads; the other one writes, handles timeouts, and
// reconnects afterwards. Decisions about several connections are made under one mutex, see
// peer.go.
//
// Sources: BOLT 1, BOLT 7, BOLT 8; lnd's server.go for the choice between two simultaneous
// connections, and its ping_manager.go for its expectations of peers.
//
// Invariant: Each node has at most one authenticated connection, and after Run returns no
// connection and no goroutine is left.
package link

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"obverse/core/guard"
	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/noise"
	"obverse/core/wallet/lightning/wire"
)

// Time limits of a connection.
const (
	initTimeout  = 10 * time.Second // from the handshake to the peer's init
	pingInterval = 30 * time.Second // BOLT 1 allows no more pings than one in this interval
	pongTimeout  = 20 * time.Second
	writeTimeout = 20 * time.Second // until the peer has read a message
)

// crossingWait is how long to wait for the connection of a node that closed this node's
// connection, as nodes do that connect at the same time.
const crossingWait = time.Second

// drainTimeout is how long to wait for the reader after a write failed.
const drainTimeout = time.Second

// pongSize is the size of the pongs that pings request.
const pongSize = 16

// readAhead is the size of the read buffer.
const readAhead = 2048

var (
	errSilent  = fmt.Errorf("%w: no message received", lightning.ErrTimeout)
	errNoInit  = fmt.Errorf("%w: the node did not send an init message", lightning.ErrTimeout)
	errStalled = fmt.Errorf("%w: the node does not read messages", lightning.ErrTimeout)
)

// link is one connection after the handshake, or before its last act.
type link struct {
	conn     Conn
	session  *noise.Session
	act3     []byte // last act of the handshake, written before all messages
	inbound  bool
	address  string // host:port
	messages atomic.Uint64

	// under the mutex of Peers
	claimed time.Time
	up      bool
	seen    netip.AddrPort

	once     sync.Once
	quit     chan struct{} // closed when the link ends
	err      error         // reason for the end, set before quit is closed
	replaced chan struct{} // closed when a newer connection from the node replaces this one
}

func newLink(conn Conn, address string) *link {
	return &link{conn: conn, address: address, quit: make(chan struct{}), replaced: make(chan struct{})}
}

// closedError means that a connection broke or that the peer closed it.
type closedError struct{ cause error }

func (e *closedError) Error() string { return e.cause.Error() }

// Unwrap returns the cause.
func (e *closedError) Unwrap() error { return e.cause }

// end ends the connection. Only the first reason counts.
func (l *link) end(why error) {
	l.once.Do(func() {
		l.err = why
		close(l.quit)
		l.conn.Close()
	})
}

// cause returns the reason why the connection ended.
func (l *link) cause() error {
	<-l.quit
	return l.err
}

// serve serves a connection until it ends, and returns how long it was up.
func (p *Peers) serve(ctx context.Context, n *peer, l *link) time.Duration {
	stopping := context.AfterFunc(ctx, func() { l.end(lightning.ErrStopped) })
	defer stopping()
	messages := make(chan received)
	var reading sync.WaitGroup
	const work = "a connection of a Lightning node"
	reading.Go(func() { l.end(guard.Do(ctx, work, func() error { return l.readLoop(p, messages) })) })
	l.end(guard.Do(ctx, work, func() error { return l.writeLoop(p, n, messages) }))
	reading.Wait()
	p.awaitReplacement(ctx, n, l)
	return p.drop(n, l)
}

// awaitReplacement waits for the connection of a node that closed this node's connection before
// it was up, as nodes do when both connect at the same time. The new connection replaces the
// old one, also for callers that wait for it.
func (p *Peers) awaitReplacement(ctx context.Context, n *peer, l *link) {
	var gone *closedError
	theirs := bytes.Compare(p.self[:], n.id[:]) > 0 // the peer's connection is kept
	if l.up || l.inbound || !theirs || p.config.Listener == nil || !errors.As(l.cause(), &gone) {
		return
	}
	timer := time.NewTimer(crossingWait)
	defer timer.Stop()
	select {
	case <-l.replaced:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// received is a message from the reader to the writer.
type received struct {
	init  *wire.Init // the peer's init
	reply []byte     // to be written
	fatal error      // ends the connection
}

// writeLoop writes all messages and handles timeouts. It returns the reason why the connection
// ended.
func (l *link) writeLoop(p *Peers, n *peer, messages <-chan received) error {
	writer := l.session.Writer(l.conn)
	hello := wire.Init{Features: wire.LocalFeatures(), Networks: p.config.Networks}
	if l.inbound {
		hello.Remote = publicAddress(l.conn.Remote())
	}
	if err := l.write(func() error { return l.writeInit(writer, hello) }); err != nil {
		return err
	}
	timer := time.NewTimer(initTimeout)
	defer func() { timer.Stop() }()
	for alive := newKeepalive(l); ; {
		select {
		case <-l.quit:
			return l.cause()
		case m := <-messages:
			if m.init != nil {
				p.markUp(n, l, m.init.Remote)
				timer.Stop()
				timer = time.NewTimer(alive.start())
			}
			if m.reply != nil {
				if err := l.write(func() error { return writer.Write(m.reply) }); err != nil {
					return err
				}
			}
			if m.fatal != nil {
				return m.fatal
			}
		case <-timer.C:
			ping, next, err := alive.tick()
			if err != nil {
				return err
			}
			if ping {
				if err := l.write(func() error { return writer.Write(wire.Ping{Pong: pongSize}.Encode()) }); err != nil {
					return err
				}
			}
			timer = time.NewTimer(next)
		}
	}
}

// writeInit writes the last act and init.
func (l *link) writeInit(writer *noise.Writer, hello wire.Init) error {
	if l.act3 != nil {
		if _, err := l.conn.Write(l.act3); err != nil {
			return err
		}
	}
	return writer.Write(hello.Encode())
}

// write ends the connection if the peer does not read in time. If the peer has closed it, the
// reader may find the reason, since the peer may have sent an error.
func (l *link) write(do func() error) error {
	late := time.AfterFunc(writeTimeout, func() { l.end(errStalled) })
	err := do()
	late.Stop()
	if err == nil || !l.sleep(drainTimeout) {
		return err // ignored if the reader was faster
	}
	return &closedError{err}
}

// keepalive decides when to ping, and when a peer is considered dead.
type keepalive struct {
	l        *link
	messages uint64 // number of messages at the last tick
	started  bool
	pinged   bool
}

func newKeepalive(l *link) *keepalive { return &keepalive{l: l} }

// start is called after init was received. It returns the time until the first tick.
func (b *keepalive) start() time.Duration {
	b.started, b.messages = true, b.l.messages.Load()
	return pingInterval
}

// tick is called after the time that start or the last tick returned.
func (b *keepalive) tick() (ping bool, next time.Duration, err error) {
	heard := b.l.messages.Load()
	switch {
	case !b.started:
		return false, 0, errNoInit
	case heard != b.messages:
		b.messages, b.pinged = heard, false
		return false, pingInterval, nil
	case b.pinged:
		return false, 0, errSilent
	}
	b.pinged = true
	return true, pongTimeout, nil
}

// readLoop reads all messages. It returns the reason why the connection ended.
func (l *link) readLoop(p *Peers, out chan<- received) error {
	reader := l.session.Reader(bufio.NewReaderSize(l.conn, readAhead))
	in := inbox{networks: p.config.Networks}
	pace := rateLimit{now: p.config.Now}
	for {
		message, err := reader.Read()
		if err != nil {
			return in.readError(err)
		}
		l.messages.Add(1)
		m, cost := in.handle(message)
		if m.init != nil || m.reply != nil || m.fatal != nil {
			select {
			case out <- m:
			case <-l.quit:
				return l.cause()
			}
		}
		if m.fatal != nil {
			<-l.quit // closed by writeLoop, which may have to write a reply first
			return m.fatal
		}
		if wait := pace.spend(cost); wait > 0 {
			if !l.sleep(wait) {
				return l.cause()
			}
		}
	}
}

// sleep waits, and returns false if the connection ended meanwhile.
func (l *link) sleep(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-l.quit:
		return false
	}
}

// readError converts an error of the reader.
func (in *inbox) readError(err error) error {
	if errors.Is(err, noise.ErrFrame) {
		return err
	}
	err = &closedError{closeReason(err, "")}
	if in.problem != "" {
		return fmt.Errorf("%w; the node's message: %s", err, in.problem)
	}
	return err
}

// Dialer opens connections. On native platforms they are TCP connections.
type Dialer interface {
	// Dial connects to a port of a host, which is an IP address without brackets or a domain
	// name. It fails when ctx ends. It must be safe for concurrent use. The text of its error
	// is shown to users.
	Dial(ctx context.Context, host string, port uint16) (Conn, error)
}

// Listener accepts connections.
type Listener interface {
	// Accept waits for the next connection. After an error it is called again later.
	Accept() (Conn, error)
	// Close ends a waiting Accept. It is called once.
	Close() error
}

// Conn is an open connection. It is used by one goroutine that reads and one that writes.
type Conn interface {
	// Close ends a waiting Read or Write. It may be called several times, by any goroutine.
	io.ReadWriteCloser
	// Remote returns the address of the other side, or the zero value if it is unknown.
	Remote() netip.AddrPort
}
