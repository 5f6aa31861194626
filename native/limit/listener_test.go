package limit

import (
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// addressed is a connection from a given address.
type addressed struct {
	net.Conn
	from string
}

func (a addressed) RemoteAddr() net.Addr {
	addr, _ := net.ResolveTCPAddr("tcp", a.from) // the address is a literal
	return addr
}

// gathering is a listener to which the test adds connections.
type gathering struct{ conns chan net.Conn }

func (g gathering) Accept() (net.Conn, error) {
	conn, open := <-g.conns
	if !open {
		return nil, net.ErrClosed
	}
	return conn, nil
}
func (g gathering) Close() error   { close(g.conns); return nil }
func (g gathering) Addr() net.Addr { return &net.TCPAddr{} }

// origin returns the IPv6 network of an address, or the IPv4 address. It is "" for this machine.
func origin(remote net.Addr) string {
	address := remote.(*net.TCPAddr).AddrPort().Addr().Unmap()
	if address.IsLoopback() {
		return ""
	}
	if network, err := address.Prefix(64); err == nil && address.Is6() {
		return network.String()
	}
	return address.String()
}

// A foreign address may use an eighth of the connections. An IPv6 address shares them with the
// addresses of its network.
func TestShareOfAnAddress(t *testing.T) {
	dropped := 0
	clients := gathering{make(chan net.Conn, 16)}
	b := NewListener(clients, 32, origin, func() { dropped++ })
	come := func(from string) *Conn {
		here, there := net.Pipe()
		t.Cleanup(func() { _ = there.Close() })
		clients.conns <- addressed{here, from}
		conn, err := b.Accept()
		require.NoError(t, err)
		return conn.(*Conn)
	}
	var first []*Conn
	for i := range 4 {
		first = append(first, come(fmt.Sprintf("[2001:db8::%d]:1", i)))
	}
	require.Zero(t, dropped)
	first[0].Work()
	come("[2001:db8::5]:1")
	require.Equal(t, 1, dropped)
	require.True(t, first[1].gone.Load(), "the oldest that is not at work")
	first[0].Wait()
	come("[2001:db8::6]:1")
	require.True(t, first[2].gone.Load())
	require.False(t, first[0].gone.Load(), "it has waited for a shorter time than another")

	var proven []*Conn
	for range 4 {
		proven = append(proven, come("192.0.2.1:7"))
		proven[len(proven)-1].Prove()
	}
	here, there := net.Pipe()
	clients.conns <- addressed{here, "192.0.2.1:8"}
	other := come("127.0.0.1:1") // it is accepted next, since the one before was rejected
	_, err := there.Read(make([]byte, 1))
	require.ErrorIs(t, err, io.EOF)
	for range 40 {
		come("127.0.0.1:2")
	}
	require.True(t, other.gone.Load(), "this machine's have no share, and make room for each other")
	for _, c := range proven {
		require.False(t, c.gone.Load())
		require.NoError(t, c.Close())
		require.NoError(t, c.Close())
	}
	require.Len(t, b.open, 28)
	require.NoError(t, b.Close())
	_, err = b.Accept()
	require.ErrorIs(t, err, net.ErrClosed)
}

// hurriedConn stores its deadline, and calls a function before the deadline of both directions is
// set.
type hurriedConn struct {
	net.Conn
	before func()
	lifted chan struct{}
	read   time.Time
}

func (c *hurriedConn) SetReadDeadline(t time.Time) error {
	if c.read = t; t.IsZero() {
		c.lifted <- struct{}{}
	}
	return nil
}

func (c *hurriedConn) SetDeadline(t time.Time) error {
	c.before()
	c.read = t
	return nil
}

// A call that begins while the server stops gets the usual time.
func TestWorkBeginsAsTheServerEnds(t *testing.T) {
	b := NewListener(nil, 1, origin, func() {})
	conn := &hurriedConn{lifted: make(chan struct{}, 2)}
	c := &Conn{Conn: conn, from: b}
	b.open[c] = struct{}{}
	c.Prove()
	works := make(chan bool, 1)
	conn.before = func() {
		go func() { works <- c.Work() }()
		<-conn.lifted
	}
	b.Drain()
	require.True(t, <-works)
	require.Zero(t, conn.read, "its end would end the context of the call")
}
