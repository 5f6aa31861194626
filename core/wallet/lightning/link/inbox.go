package link

import (
	"errors"
	"fmt"
	"time"

	"obverse/core/wallet/lightning/wire"
)

// noChannels is told to whoever wants to open a channel.
const noChannels = "this node opens no channels"

// What a peer does that ends the connection.
var (
	errNotInit  = errors.New("the first message is not init")
	errTwice    = errors.New("duplicate init message")
	errNetworks = errors.New("no chain in common with the node")
)

// inbox decides what is done about each message of a peer. About channels that exist it
// says nothing, where BOLT 1 would have an error for unknown ones: the user may have
// them at another node with the same key, and an error would make the peer close them.
type inbox struct {
	networks [][32]byte
	begun    bool   // the peer has said init
	said     string // the last error or warning
}

// take says what is to be done, and what the message has cost, in bytes.
func (in *inbox) take(message []byte) (m news, cost int) {
	kind, payload, err := wire.Split(message)
	if err == nil {
		m, cost, err = in.sort(kind, payload)
	}
	if err != nil {
		m = news{reply: wire.Problem{Text: err.Error()}.Encode(wire.TypeWarning), fatal: err}
		if !in.begun {
			m.reply = nil // nothing but init is said before init
		}
	}
	return m, max(cost, len(message))
}

func (in *inbox) sort(kind wire.Type, payload []byte) (m news, cost int, err error) {
	if !in.begun && kind != wire.TypeError && kind != wire.TypeWarning {
		return in.begin(kind, payload)
	}
	switch kind {
	case wire.TypeInit:
		return m, 0, errTwice
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
			in.said = fmt.Sprintf("%q", problem.Text)
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

// begin takes the first message.
func (in *inbox) begin(kind wire.Type, payload []byte) (m news, cost int, err error) {
	if kind != wire.TypeInit {
		return m, 0, errNotInit
	}
	hello, err := wire.DecodeInit(payload)
	if err != nil {
		return m, 0, err
	}
	in.begun = true // from here on a warning may be said
	if err := hello.Features.Check(); err != nil {
		return m, 0, err
	}
	if !hello.Shares(in.networks) {
		return m, 0, errNetworks
	}
	return news{init: &hello}, 0, nil
}

// What a peer may send on average, and at once, before it is read more slowly: gossip
// that nobody asked for comes in bursts.
const (
	paceRate  = 2 << 20 // bytes a second
	paceBurst = 8 << 20
	paceLeast = 512 // what a message costs at least
)

// pace bounds the work that a peer makes.
type pace struct {
	now   func() time.Time
	spent int // not yet paid for by time
	last  time.Time
}

// spend says how long to wait before the next message is read.
func (p *pace) spend(bytes int) time.Duration {
	now := p.now()
	if passed := now.Sub(p.last); p.last.IsZero() || passed >= paceBurst/paceRate*time.Second {
		p.spent = 0
	} else if passed > 0 {
		p.spent = max(0, p.spent-int(passed*paceRate/time.Second))
	}
	p.last = now
	p.spent += max(bytes, paceLeast)
	if p.spent <= paceBurst {
		return 0
	}
	return time.Duration(p.spent-paceBurst) * time.Second / paceRate
}
