// Package versionprobe queries the version of a node of Komodo DeFi Framework, over libp2p: TCP,
// multistream-select, Noise, Yamux, and the protocol /request-response/2. Each query uses a
// new connection, so that one poll is not affected by another's back-off. On this connection it
// also answers requests of the peer for the time, without which a seed node closes the connection, and for
// its own version.
//
// A probe is not a node of the network: it listens on no port, and neither routes nor gossips nor
// stores addresses. core/versionstat decides which nodes are queried, how often, and which
// answers are stored.
//
// Sources: Komodo DeFi Framework mm2_p2p/src/behaviours/request_response.rs and
// atomicdex.rs, mm2_main/src/lp_network.rs; libp2p's connection specification;
// MessagePack as rmp-serde 0.14 writes it.
//
// Invariant: when Version returns, its connection is closed and its goroutines
// have ended.
package versionprobe

import (
	"context"
	"crypto/ed25519"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/crypto"
	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/peer"
	"github.com/libp2p/go-libp2p/core/protocol"
	"github.com/libp2p/go-libp2p/core/sec"
	"github.com/libp2p/go-libp2p/core/transport"
	muxer "github.com/libp2p/go-libp2p/p2p/muxer/yamux"
	"github.com/libp2p/go-libp2p/p2p/net/upgrader"
	"github.com/libp2p/go-libp2p/p2p/security/noise"
	"github.com/libp2p/go-yamux/v5"
	manet "github.com/multiformats/go-multiaddr/net"
	"github.com/multiformats/go-multistream"

	"obverse/core/net/peerid"
	"obverse/core/versionstat"
)

// requestResponse is the protocol of the network's requests.
const requestResponse protocol.ID = "/request-response/2"

// Config holds the parameters of a probe.
type Config struct {
	Identity ed25519.PrivateKey // identity for peers
	NetID    int                // of the network; it determines the port of an address without one
	Version  string             // version for peers that query it
	Now      func() time.Time   // time for peers that query it
}

// Probe queries nodes for their version. It implements versionstat.Probe, and is safe
// for concurrent use.
type Probe struct {
	upgrader transport.Upgrader
	port     uint16
	version  string
	now      func() time.Time
}

// New returns a probe. It opens no connection.
func New(c Config) (*Probe, error) {
	port, err := Port(c.NetID)
	if err != nil {
		return nil, err
	}
	private, err := crypto.UnmarshalEd25519PrivateKey(c.Identity)
	if err != nil {
		return nil, fmt.Errorf("identity of the probe: %w", err)
	}
	muxers := []upgrader.StreamMuxer{{ID: muxer.ID, Muxer: (*muxer.Transport)(yamuxConfig())}}
	secure, err := noise.New(noise.ID, private, muxers)
	if err != nil {
		return nil, fmt.Errorf("noise: %w", err)
	}
	up, err := upgrader.New([]sec.SecureTransport{secure}, muxers, nil, nil, nil)
	if err != nil {
		return nil, fmt.Errorf("upgrader: %w", err)
	}
	return &Probe{upgrader: up, port: port, version: c.Version, now: c.Now}, nil
}

// yamuxConfig limits the memory that a peer can use: few streams, with small windows.
func yamuxConfig() *yamux.Config {
	c := yamux.DefaultConfig()
	c.MaxIncomingStreams = 16
	c.AcceptBacklog = 16
	c.MaxStreamWindowSize = 256 << 10
	c.ReadBufSize = 0 // Noise has a buffer below it
	c.LogOutput = io.Discard
	c.EnableKeepAlive = false // connections are short-lived
	return c
}

// Version implements versionstat.Probe. It connects to the peer at an address in the form of
// versionstat.ParseAddress, and queries its version. Errors are a *Failure, or a PeerError
// if the peer returned an error.
func (p *Probe) Version(ctx context.Context, id peerid.ID, address string) (string, error) {
	conn, err := p.connect(ctx, id, address)
	if err != nil {
		return "", connectFailure(ctx, id, err)
	}
	var answering sync.WaitGroup
	defer answering.Wait()
	hangUp := context.AfterFunc(ctx, func() { conn.Close() })
	defer hangUp()
	defer conn.Close()
	answering.Go(func() { p.answer(ctx, conn) })
	version, err := ask(ctx, conn)
	if err != nil {
		return "", exchangeFailure(ctx, id, err)
	}
	return version, nil
}

// connect opens a connection on which both sides have proven their identity.
func (p *Probe) connect(ctx context.Context, id peerid.ID, address string) (transport.CapableConn, error) {
	a, err := versionstat.ParseAddress(address)
	if err != nil {
		return nil, err
	}
	if a.Port == 0 {
		a.Port = p.port
	}
	var dialer net.Dialer // resolves names, tries every address, sets TCP_NODELAY
	raw, err := dialer.DialContext(ctx, "tcp", net.JoinHostPort(a.Host, strconv.Itoa(int(a.Port))))
	if err != nil {
		return nil, err
	}
	// Only closing the connection ends libp2p's negotiation, and a second Close is harmless.
	hangUp := context.AfterFunc(ctx, func() { raw.Close() })
	defer hangUp()
	wrapped, err := manet.WrapNetConn(raw)
	if err != nil {
		raw.Close()
		return nil, err
	}
	return p.upgrader.Upgrade(ctx, nil, wrapped, network.DirOutbound, peer.ID(id.Bytes()), &network.NullScope{})
}

// ask sends the version query on a new stream.
func ask(ctx context.Context, conn transport.CapableConn) (string, error) {
	stream, err := conn.OpenStream(ctx)
	if err != nil {
		return "", err
	}
	defer stream.Reset() // after a Close it does nothing
	if deadline, ok := ctx.Deadline(); ok {
		if err := stream.SetDeadline(deadline); err != nil {
			return "", err
		}
	}
	if err := multistream.SelectProtoOrFail(requestResponse, stream); err != nil {
		return "", err
	}
	if err := writeFrame(stream, askVersion.encode()); err != nil {
		return "", err
	}
	if err := stream.CloseWrite(); err != nil {
		return "", err
	}
	answer, err := readFrame(stream)
	if err != nil {
		return "", err
	}
	return parseVersion(answer)
}

// Ports of the network, as Komodo DeFi Framework computes them.
const (
	firstPort = 7783
	tcpOffset = 20
	// MaxNetID is the largest netid whose ports are below 65536.
	MaxNetID = (65535 - 40 - firstPort) / 4
)

// ErrNetID means that a netid has no ports.
var ErrNetID = errors.New("netid must be from 0 to 14428")

// Port returns the TCP port of the nodes of a network.
func Port(netID int) (uint16, error) {
	if netID < 0 || netID > MaxNetID {
		return 0, fmt.Errorf("%w, got %d", ErrNetID, netID)
	}
	return uint16(netID/10*40 + netID%10 + firstPort + tcpOffset), nil
}
