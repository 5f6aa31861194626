package link

import (
	"errors"
	"fmt"
	"time"

	"obverse/core/wallet/lightning/wire"
)

// noChannels is the reply to requests to open a channel.
const noChannels = "this node opens no channels"

// Errors of a peer that end the connection.
var (
	errNotInit       = errors.New("the first message is not init")
	errDuplicateInit = errors.New("duplicate init message")
	errNetworks      = errors.New("no chain in common with the node")
)

// inbox decides how to handle each message of a peer. It ignores messages about existing
// channels, for which BOLT 1 sends an error if they are unknown. The user may have them on
// another node with the same key, and an error would make the peer close them.
type inbox struct {
	networks    [][32]byte
	initialized bool   // whether init was received
	problem     string // text of the last error or warning
}

// handle returns the reaction to a message, and its cost in bytes.
func (in *inbox) handle(message []byte) (m received, cost int) {
	kind, payload, err := wire.Split(message)
	if err == nil {
		m, cost, err = in.dispatch(kind, payload)
	}
	if err != nil {
		m = received{reply: wire.Problem{Text: err.Error()}.Encode(wire.TypeWarning), fatal: err}
		if !in.initialized {
			m.reply = nil // nothing is sent before init
		}
	}
	return m, max(cost, len(message))
}

func (in *inbox) dispatch(kind wire.Type, payload []byte) (m received, cost int, err error) {
	if !in.initialized && kind != wire.TypeError && kind != wire.TypeWarning {
		return in.handleInit(kind, payload)
	}
	switch kind {
	case wire.TypeInit:
		return m, 0, errDuplicateInit
	case wire.TypePing:
		ping, err := wire.DecodePing(payload)
		if err == nil && ping.Wanted() {
			m.reply = wire.Pong(ping.Pong).Encode()
		}
		return m, len(m.reply), err
	case wire.TypePong:
		_, err = wire.DecodePong(payload)
	case wire.TypeError, wire.TypeWarning:
		var problem wire.Problem
		if problem, err = wire.DecodeProblem(payload); err == nil {
			in.problem = fmt.Sprintf("%q", problem.Text)
		}
	case wire.TypeOpenChannel, wire.TypeOpenChannel2:
		m.reply, err = wire.RefuseChannel(payload, noChannels)
	case wire.TypeQueryChannels, wire.TypeQueryRange:
		m.reply, err = wire.NoChannels(kind, payload)
	default:
		if !kind.Known() {
			err = fmt.Errorf("unsupported mandatory message of type %d", kind)
		}
	}
	return m, 0, err
}

// handleInit handles the first message.
func (in *inbox) handleInit(kind wire.Type, payload []byte) (m received, cost int, err error) {
	if kind != wire.TypeInit {
		return m, 0, errNotInit
	}
	hello, err := wire.DecodeInit(payload)
	if err != nil {
		return m, 0, err
	}
	in.initialized = true // from here on warnings may be sent
	if err := hello.Features.Check(); err != nil {
		return m, 0, err
	}
	if !hello.Shares(in.networks) {
		return m, 0, errNetworks
	}
	return received{init: &hello}, 0, nil
}

// Average rate and burst of a peer's messages before reading slows down. Unrequested gossip
// comes in bursts.
const (
	readRate       = 2 << 20 // bytes per second
	readBurst      = 8 << 20
	minMessageCost = 512 // minimum cost of a message
)

// rateLimit limits the work that a peer causes.
type rateLimit struct {
	now   func() time.Time
	spent int // decreases with time
	last  time.Time
}

// spend returns how long to wait before reading the next message.
func (p *rateLimit) spend(bytes int) time.Duration {
	now := p.now()
	if passed := now.Sub(p.last); p.last.IsZero() || passed >= readBurst/readRate*time.Second {
		p.spent = 0
	} else if passed > 0 {
		p.spent = max(0, p.spent-int(passed*readRate/time.Second))
	}
	p.last = now
	p.spent += max(bytes, minMessageCost)
	if p.spent <= readBurst {
		return 0
	}
	return time.Duration(p.spent-readBurst) * time.Second / readRate
}
