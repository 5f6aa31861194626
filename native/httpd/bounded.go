package httpd

import (
	"net"
	"sync"
)

// bounded is a listener with at most so many connections open. Further clients wait
// in the kernel's queue, where they cost next to nothing, until one is closed; those
// that say nothing are, when their time is over.
type bounded struct {
	net.Listener
	slots  chan struct{}
	closed chan struct{}
	close  func() error
}

func newBounded(l net.Listener, connections int) *bounded {
	b := &bounded{Listener: l, slots: make(chan struct{}, connections), closed: make(chan struct{})}
	b.close = sync.OnceValue(func() error {
		close(b.closed)
		return l.Close()
	})
	return b
}

// Accept waits for a slot, then for a client.
func (b *bounded) Accept() (net.Conn, error) {
	select {
	case b.slots <- struct{}{}:
	case <-b.closed:
		return nil, net.ErrClosed
	}
	conn, err := b.Listener.Accept()
	if err != nil {
		<-b.slots
		return nil, err
	}
	return &slotted{conn, sync.OnceFunc(func() { <-b.slots })}, nil
}

// Close also ends an Accept that waits for a slot.
func (b *bounded) Close() error { return b.close() }

// slotted is a connection that gives its slot back.
type slotted struct {
	net.Conn
	release func()
}

func (s *slotted) Close() error {
	defer s.release()
	return s.Conn.Close()
}

// CloseWrite lets the server end its half first, so that the client reads the answer
// before the connection breaks.
func (s *slotted) CloseWrite() error {
	if half, ok := s.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
