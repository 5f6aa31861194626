package versionprobe

import (
	"context"
	"crypto/ed25519"
	"io"
	"net"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/guard"
	"obverse/core/net/peerid"
	"obverse/native/versionprobe/npmpeer"
)

const ourVersion = "obverse-test"

func newProbe(t testing.TB) *Probe {
	t.Helper()
	_, private, err := ed25519.GenerateKey(nil)
	require.NoError(t, err)
	p, err := New(Config{Identity: private, NetID: 8762, Version: ourVersion, Now: time.Now})
	require.NoError(t, err)
	return p
}

func parseID(t testing.TB, text string) peerid.ID {
	t.Helper()
	id, err := peerid.Parse(text)
	require.NoError(t, err)
	return id
}

// someoneElse is a peer id without a known key.
const someoneElse = "12D3KooWEsuiKcQaBaKEzuMtT6uFjs89P1E8MK3wGRZbeuCbCw6P"

// sentence returns the text of Komodo DeFi Framework for a failure.
func sentence(id string, kind Kind) string {
	return `Error on request the peer PeerId("` + id + `"): "` + string(kind) + `". Request next peer`
}

func TestPort(t *testing.T) {
	for netID, want := range map[int]uint16{0: 7803, 1: 7804, 10: 7843, 8762: 42845, 14428: 65491} {
		got, err := Port(netID)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	for _, netID := range []int{-1, MaxNetID + 1} {
		_, err := Port(netID)
		require.ErrorIs(t, err, ErrNetID)
		_, err = New(Config{NetID: netID})
		require.ErrorIs(t, err, ErrNetID)
	}
	_, err := New(Config{Identity: make([]byte, 5)})
	require.Error(t, err)
}

// Another implementation of libp2p responds over IPv4, IPv6 and by name, and receives a response to
// its time query.
func TestVersionOfAnNpmPeer(t *testing.T) {
	for _, c := range []struct{ name, listen, host string }{
		{"IPv4", "/ip4/127.0.0.1/tcp/0", ""},
		{"IPv6", "/ip6/::1/tcp/0", ""},
		{"name", "/ip4/127.0.0.1/tcp/0", "localhost"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProbe(t)
			peer := npmpeer.Start(t, "--listen", c.listen, "--version", "2.5.0-beta_ünï")
			address := peer.Address
			if c.host != "" {
				_, port, err := net.SplitHostPort(address)
				require.NoError(t, err)
				address = net.JoinHostPort(c.host, port)
			}
			for range 3 { // a poll must not block the next one
				version, err := p.Version(t.Context(), parseID(t, peer.ID), address)
				require.NoError(t, err)
				require.Equal(t, "2.5.0-beta_ünï", version)
			}
			line := peer.Next(t, func(l npmpeer.Line) bool { return l.Request != "" })
			require.Equal(t, "9195cc8101cc8100ccc0", line.Request)
		})
	}
}

// A panic during a response to a peer ends only this response. The peer disconnects, and the probe
// fails.
func TestAnswerThatPanics(t *testing.T) {
	p := newProbe(t)
	p.now = func() time.Time { panic("s3cret") }
	var panics atomic.Int64
	ctx := guard.With(t.Context(), func(*guard.Panic) { panics.Add(1) })
	peer := npmpeer.Start(t, "--mode", "slow")
	_, err := p.Version(ctx, parseID(t, peer.ID), peer.Address)
	var failure *Failure
	require.ErrorAs(t, err, &failure)
	require.NotContains(t, err.Error(), "s3cret")
	require.Positive(t, panics.Load())
	p.now = time.Now
	_, err = p.Version(t.Context(), parseID(t, npmpeer.Start(t).ID), peer.Address)
	require.ErrorAs(t, err, &failure, "it goes on, and knows whom it talks to")
}

// A peer with a slow response sends a query meanwhile.
func TestTimeQueryIsAnswered(t *testing.T) {
	p := newProbe(t)
	now := time.Now()
	p.now = func() time.Time { return now }
	peer := npmpeer.Start(t, "--mode", "slow")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	done := make(chan error, 1)
	go func() {
		_, err := p.Version(ctx, parseID(t, peer.ID), peer.Address)
		done <- err
	}()
	answered := peer.Next(t, func(l npmpeer.Line) bool { return l.Time != 0 || l.Dropped != "" })
	require.Empty(t, answered.Dropped)
	require.EqualValues(t, now.Unix(), answered.Time)
	cancel()
	var failure *Failure
	require.ErrorAs(t, <-done, &failure)
	require.Equal(t, Canceled, failure.Kind)
}

// If the clock is wrong, the peer disconnects, and the result is that error.
func TestPeerDropsAWrongClock(t *testing.T) {
	p := newProbe(t)
	p.now = func() time.Time { return time.Now().Add(-time.Hour) }
	peer := npmpeer.Start(t, "--mode", "slow")
	_, err := p.Version(t.Context(), parseID(t, peer.ID), peer.Address)
	var failure *Failure
	require.ErrorAs(t, err, &failure)
	require.Equal(t, ConnectionClosed, failure.Kind)
	dropped := peer.Next(t, func(l npmpeer.Line) bool { return l.Dropped != "" })
	require.Contains(t, dropped.Dropped, "too far apart")
}

func TestAnswersWithoutAVersion(t *testing.T) {
	for _, c := range []struct {
		name, mode, want string // of the error
		kind             Kind
	}{
		{"no data", "none", "", ""},
		{"error", "error", "no version here", ""},
		{"no such protocol", "without", "", UnsupportedProtocols},
		{"garbage", "garbage", "(invalid message: want a map, got 0xc1)", ConnectionClosed},
		{"too long", "huge", "(the message is too long: 268435455 bytes, at most 1048476 are allowed)", ConnectionClosed},
		{"end", "close", "(length of a message: EOF)", ConnectionClosed},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProbe(t)
			peer := npmpeer.Start(t, "--mode", c.mode, "--version", "no version here")
			version, err := p.Version(t.Context(), parseID(t, peer.ID), peer.Address)
			require.Empty(t, version)
			switch {
			case c.kind != "":
				want := sentence(peer.ID, c.kind)
				if c.want != "" {
					want += " " + c.want
				}
				require.EqualError(t, err, want)
			case c.want != "":
				require.Equal(t, PeerError(c.want), err)
			default:
				require.NoError(t, err)
			}
		})
	}
}

func TestSlowPeer(t *testing.T) {
	p := newProbe(t)
	peer := npmpeer.Start(t, "--mode", "slow")
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	_, err := p.Version(ctx, parseID(t, peer.ID), peer.Address)
	require.EqualError(t, err, sentence(peer.ID, Timeout))
}

func TestWrongPeerID(t *testing.T) {
	p := newProbe(t)
	peer := npmpeer.Start(t)
	_, err := p.Version(t.Context(), parseID(t, someoneElse), peer.Address)
	require.EqualError(t, err, sentence(someoneElse, Canceled)+" (the peer there is "+peer.ID+")")
	var wrong *WrongPeerError
	require.ErrorAs(t, err, &wrong)
	require.LessOrEqual(t, len(err.Error()), 255)
}

func TestDeadPeer(t *testing.T) {
	p := newProbe(t)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	address := listener.Addr().String()
	require.NoError(t, listener.Close())
	_, err = p.Version(t.Context(), parseID(t, someoneElse), address)
	require.EqualError(t, err, sentence(someoneElse, Canceled)+" (dial tcp "+address+": connect: connection refused)")
}

// serveTCP calls handle with each connection to a port.
func serveTCP(t *testing.T, handle func(net.Conn)) (address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go handle(conn)
		}
	}()
	return listener.Addr().String()
}

func TestOtherServersAtTheAddress(t *testing.T) {
	for _, c := range []struct {
		name   string
		handle func(net.Conn)
		kind   Kind
	}{
		{"hangs up", func(c net.Conn) { c.Close() }, Canceled},
		{"says nothing", func(c net.Conn) { _, _ = io.Copy(io.Discard, c) }, Timeout},
		{"speaks HTTP", func(c net.Conn) {
			_, _ = io.WriteString(c, "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
			c.Close()
		}, Canceled},
		{"never stops", func(c net.Conn) {
			for junk := []byte(strings.Repeat("\xff", 4096)); ; {
				if _, err := c.Write(junk); err != nil {
					return
				}
			}
		}, Canceled},
		{"echoes", func(c net.Conn) { _, _ = io.Copy(c, c) }, Canceled},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProbe(t)
			address := serveTCP(t, c.handle)
			ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
			defer cancel()
			_, err := p.Version(ctx, parseID(t, someoneElse), address)
			var failure *Failure
			require.ErrorAs(t, err, &failure)
			require.Equal(t, c.kind, failure.Kind, "%v", err)
			require.Equal(t, someoneElse, failure.Peer.String())
		})
	}
}

func TestUnknownAddress(t *testing.T) {
	p := newProbe(t)
	for _, address := range []string{"no such address", "seed.invalid:1"} {
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		_, err := p.Version(ctx, parseID(t, someoneElse), address)
		cancel()
		var failure *Failure
		require.ErrorAs(t, err, &failure, address)
	}
}

// A query leaves no resources behind, whether it succeeds or fails.
func TestNothingIsLeft(t *testing.T) {
	p := newProbe(t)
	peer := npmpeer.Start(t)
	id := parseID(t, peer.ID)
	_, err := p.Version(t.Context(), id, peer.Address)
	require.NoError(t, err)
	before := runtime.NumGoroutine()
	for range 20 {
		_, err := p.Version(t.Context(), id, peer.Address)
		require.NoError(t, err)
		_, err = p.Version(t.Context(), parseID(t, someoneElse), peer.Address)
		require.Error(t, err)
	}
	require.Eventually(t, func() bool { return runtime.NumGoroutine() <= before+2 }, 10*time.Second, 10*time.Millisecond)
}

func BenchmarkVersion(b *testing.B) {
	p := newProbe(b)
	peer := npmpeer.Start(b)
	id := parseID(b, peer.ID)
	for b.Loop() {
		_, err := p.Version(b.Context(), id, peer.Address)
		require.NoError(b, err)
	}
}
