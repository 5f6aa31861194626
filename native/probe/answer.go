package probe

import (
	"context"
	"sync"
	"time"

	"github.com/libp2p/go-libp2p/core/network"
	"github.com/libp2p/go-libp2p/core/protocol"
	"github.com/libp2p/go-libp2p/core/transport"
	"github.com/multiformats/go-multistream"

	"obverse/core/guard"
)

// answerTimeout limits a peer's own request. The end of the connection ends it earlier.
const answerTimeout = 10 * time.Second

// answer serves the streams that the peer opens until the connection ends. The peer
// asks for the time at once, and hangs up if the answer is missing or far from its own.
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

// serve answers one request. Requests that are not ours to answer are refused the way
// the protocol has it.
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
	asked, err := parseQuery(request)
	switch {
	case err != nil:
		return encodeRefusal(err.Error())
	case asked == askTime:
		return encodeAnswer(encodeUint(uint64(max(p.now().Unix(), 0))))
	}
	return encodeAnswer(encodeString(p.version))
}
