package link

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"

	"obverse/core/task/guard"
	"obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/noise"
	"obverse/core/wallet/lightning/wire"
)

// Times of a connection.
const (
	initWithin  = 10 * time.Second // from the handshake to the peer's init
	pingAfter   = 30 * time.Second // of silence: BOLT 1 wants no more pings than that
	pongWithin  = 20 * time.Second
	writeWithin = 20 * time.Second // until the peer has taken a message
)

// crossed is how long a node is waited for that has hung up on us as if it had a
// connection to us of its own on the way.
const crossed = time.Second

// lastWords is how long the reader is waited for when nothing can be written any more.
const lastWords = time.Second

// pongSize is what a ping asks for.
const pongSize = 16

// readAhead is the buffer in front of the decryption.
const readAhead = 2048

var (
	errSilent  = fmt.Errorf("%w: no message received", lightning.ErrTimeout)
	errNoInit  = fmt.Errorf("%w: the node does not say what it is", lightning.ErrTimeout)
	errStalled = fmt.Errorf("%w: the node does not read messages", lightning.ErrTimeout)
)

// link is one connection on which the handshake is done, or all but done.
type link struct {
	conn    Conn
	session *noise.Session
	first   []byte // what is written before all messages: the last act
	inbound bool
	address string // host:port
	heard   atomic.Uint64

	// under the mutex of Peers
	claimed time.Time
	up      bool
	seen    netip.AddrPort

	once     sync.Once
	quit     chan struct{} // closed when it is over
	err      error         // why, when quit is closed
	replaced chan struct{} // closed when replaced by a newer connection from this node
}

func newLink(conn Conn, address string) *link {
	return &link{conn: conn, address: address, quit: make(chan struct{}), replaced: make(chan struct{})}
}

// goneError says that a connection broke, or that the other side has ended it.
type goneError struct{ cause error }

func (e *goneError) Error() string { return e.cause.Error() }

// Unwrap gives the cause.
func (e *goneError) Unwrap() error { return e.cause }

// end ends the connection; the first reason counts.
func (l *link) end(why error) {
	l.once.Do(func() {
		l.err = why
		close(l.quit)
		l.conn.Close()
	})
}

// cause is why the connection is over.
func (l *link) cause() error {
	<-l.quit
	return l.err
}

// serve holds a connection until it is over, and says how long it was up.
func (p *Peers) serve(ctx context.Context, n *peer, l *link) time.Duration {
	stopping := context.AfterFunc(ctx, func() { l.end(lightning.ErrStopped) })
	defer stopping()
	news := make(chan news)
	var reading sync.WaitGroup
	const work = "a connection of a Lightning node"
	reading.Go(func() { l.end(guard.Do(ctx, work, func() error { return l.read(p, news) })) })
	l.end(guard.Do(ctx, work, func() error { return l.own(p, n, news) }))
	reading.Wait()
	p.linger(ctx, n, l)
	return p.drop(n, l)
}

// linger waits for the connection of a node that ended ours before it was up, if that
// is what the node does when both connect at the same time. It takes the place of ours,
// and whoever waits for ours waits for it.
func (p *Peers) linger(ctx context.Context, n *peer, l *link) {
	var gone *goneError
	theirs := bytes.Compare(p.self[:], n.id[:]) > 0 // is the connection that is kept
	if l.up || l.inbound || !theirs || p.config.Listener == nil || !errors.As(l.cause(), &gone) {
		return
	}
	timer := time.NewTimer(crossed)
	defer timer.Stop()
	select {
	case <-l.replaced:
	case <-timer.C:
	case <-ctx.Done():
	}
}

// news is what the reader wants to be done.
type news struct {
	init  *wire.Init // the peer has said init
	reply []byte     // is to be written
	fatal error      // then the connection is to be ended
}

// own writes all that is written, and keeps the time. It returns when the connection is
// over, and why.
func (l *link) own(p *Peers, n *peer, news <-chan news) error {
	writer := l.session.Writer(l.conn)
	hello := wire.Init{Features: wire.OwnFeatures(), Networks: p.config.Networks}
	if l.inbound {
		hello.Remote = tellable(l.conn.Remote())
	}
	if err := l.write(func() error { return l.greet(writer, hello) }); err != nil {
		return err
	}
	timer := time.NewTimer(initWithin)
	defer timer.Stop()
	for alive := newPulse(l); ; {
		select {
		case <-l.quit:
			return l.cause()
		case m := <-news:
			if m.init != nil {
				p.raise(n, l, m.init.Remote)
				timer.Reset(alive.start())
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
			ping, next, err := alive.beat()
			if err != nil {
				return err
			}
			if ping {
				if err := l.write(func() error { return writer.Write(wire.Ping{Pong: pongSize}.Encode()) }); err != nil {
					return err
				}
			}
			timer.Reset(next)
		}
	}
}

// greet writes the last act and init.
func (l *link) greet(writer *noise.Writer, hello wire.Init) error {
	if l.first != nil {
		if _, err := l.conn.Write(l.first); err != nil {
			return err
		}
	}
	return writer.Write(hello.Encode())
}

// write ends the connection if the peer does not take what is written. If it has gone,
// the reader finds out why: the peer may have said so.
func (l *link) write(do func() error) error {
	late := time.AfterFunc(writeWithin, func() { l.end(errStalled) })
	err := do()
	late.Stop()
	if err == nil || !l.rest(lastWords) {
		return err // not counted if the reader was faster
	}
	return &goneError{err}
}

// pulse reports when to ping, and when a peer is taken for dead.
type pulse struct {
	l       *link
	heard   uint64 // messages at the last beat
	started bool
	pinged  bool
}

func newPulse(l *link) *pulse { return &pulse{l: l} }

// start begins to watch a peer that has said init, and gives the time of the first beat.
func (b *pulse) start() time.Duration {
	b.started, b.heard = true, b.l.heard.Load()
	return pingAfter
}

// beat is called when the time that was given is over.
func (b *pulse) beat() (ping bool, next time.Duration, err error) {
	heard := b.l.heard.Load()
	switch {
	case !b.started:
		return false, 0, errNoInit
	case heard != b.heard:
		b.heard, b.pinged = heard, false
		return false, pingAfter, nil
	case b.pinged:
		return false, 0, errSilent
	}
	b.pinged = true
	return true, pongWithin, nil
}

// read reads all that comes. It returns when the connection is over, and why.
func (l *link) read(p *Peers, out chan<- news) error {
	reader := l.session.Reader(bufio.NewReaderSize(l.conn, readAhead))
	in := inbox{networks: p.config.Networks}
	pace := pace{now: p.config.Now}
	for {
		message, err := reader.Read()
		if err != nil {
			return in.lost(err)
		}
		l.heard.Add(1)
		m, cost := in.take(message)
		if m.init != nil || m.reply != nil || m.fatal != nil {
			select {
			case out <- m:
			case <-l.quit:
				return l.cause()
			}
		}
		if m.fatal != nil {
			<-l.quit // by the owner, who may have to write something first
			return m.fatal
		}
		if wait := pace.spend(cost); wait > 0 {
			if !l.rest(wait) {
				return l.cause()
			}
		}
	}
}

// rest waits, unless the connection is over.
func (l *link) rest(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-l.quit:
		return false
	}
}

// lost says why there is nothing more to read.
func (in *inbox) lost(err error) error {
	if errors.Is(err, noise.ErrFrame) {
		return err
	}
	err = &goneError{hungUp(err, "")}
	if in.said != "" {
		return fmt.Errorf("%w; the node's message: %s", err, in.said)
	}
	return err
}
