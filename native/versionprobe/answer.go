package versionprobe

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/protocol"
	"github.com/libp2p/go-libp2p/core/sec"
	"github.com/libp2p/go-libp2p/core/transport"
	"github.com/multiformats/go-multistream"

	"obverse/core/guard"
	"obverse/core/net/peerid"
)

// answerTimeout limits the handling of a peer's request, which also ends with the connection.
const answerTimeout = 10 * time.Second

// answer serves the streams that the peer opens until the connection ends. A peer
// queries the time at once, and closes the connection if the answer is missing or differs much from its own time.
func (p *Probe) answer(ctx context.Context, conn transport.CapableConn) {
	var streams sync.WaitGroup
	defer streams.Wait()
	for {
		stream, err := conn.AcceptStream()
		if err != nil {
			return
		}
		streams.Go(func() {
			if guard.Do(ctx, "answering a peer", func() error { return p.serve(stream) }) != nil {
				stream.Reset()
			}
		})
	}
}

// serve answers one request. Other requests are refused as the protocol
// defines it.
func (p *Probe) serve(stream network.MuxedStream) error {
	if err := stream.SetDeadline(time.Now().Add(answerTimeout)); err != nil {
		return err
	}
	protocols := multistream.NewMultistreamMuxer[protocol.ID]()
	protocols.AddHandler(requestResponse, nil)
	if _, _, err := protocols.Negotiate(stream); err != nil {
		return err
	}
	request, err := readFrame(stream)
	if err != nil {
		return err
	}
	if err := writeFrame(stream, p.reply(request)); err != nil {
		return err
	}
	return stream.Close()
}

func (p *Probe) reply(request []byte) []byte {
	kind, err := parseQuery(request)
	switch {
	case err != nil:
		return encodeRefusal(err.Error())
	case kind == askTime:
		return encodeAnswer(encodeUint(uint64(max(p.now().Unix(), 0))))
	}
	return encodeAnswer(encodeString(p.version))
}

// Kind is the kind of a failure, as Komodo DeFi Framework names it.
type Kind string

// The kinds.
const (
	// Canceled means that there is no connection: no peer, or another one, is at the address.
	Canceled Kind = "Canceled"
	// Timeout means that the answer did not arrive in time.
	Timeout Kind = "Timeout"
	// UnsupportedProtocols means that the peer does not know the protocol.
	UnsupportedProtocols Kind = "UnsupportedProtocols"
	// ConnectionClosed means that the peer ended the stream, or that its answer is invalid.
	ConnectionClosed Kind = "ConnectionClosed"
)

// Failure is the reason why a peer did not answer.
type Failure struct {
	Peer  peerid.ID
	Kind  Kind
	Cause error // details; may be nil
}

// Error returns the text of Komodo DeFi Framework, followed by the cause.
func (f *Failure) Error() string {
	text := fmt.Sprintf(`Error on request the peer PeerId("%v"): "%s". Request next peer`, f.Peer, f.Kind)
	if f.Cause == nil {
		return text
	}
	return fmt.Sprintf("%s (%v)", text, f.Cause)
}

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Cause }

// WrongPeerError means that another peer is at the address.
type WrongPeerError struct{ Actual string }

func (e *WrongPeerError) Error() string { return "the peer there is " + e.Actual }

// late reports whether the deadline of ctx has passed, which libp2p's own errors may hide.
func late(ctx context.Context, err error) bool {
	var timed net.Error
	return errors.Is(ctx.Err(), context.DeadlineExceeded) || errors.As(err, &timed) && timed.Timeout()
}

func connectFailure(ctx context.Context, id peerid.ID, err error) error {
	var other sec.ErrPeerIDMismatch
	switch {
	case late(ctx, err):
		return &Failure{id, Timeout, nil}
	case ctx.Err() != nil:
		return &Failure{id, Canceled, ctx.Err()}
	case errors.As(err, &other):
		return &Failure{id, Canceled, &WrongPeerError{other.Actual.String()}}
	}
	return &Failure{id, Canceled, err}
}

func exchangeFailure(ctx context.Context, id peerid.ID, err error) error {
	var refusal PeerError
	var unknown multistream.ErrNotSupported[protocol.ID]
	switch {
	case errors.As(err, &refusal):
		return refusal
	case errors.As(err, &unknown):
		return &Failure{id, UnsupportedProtocols, nil}
	case late(ctx, err):
		return &Failure{id, Timeout, nil}
	case ctx.Err() != nil:
		return &Failure{id, Canceled, ctx.Err()}
	}
	return &Failure{id, ConnectionClosed, err}
}
