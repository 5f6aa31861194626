package httpd

import (
	"context"
	"errors"
	"net/http"
	"time"

	"obverse/core/event"
)

// errAlive refuses who would end a stream that is read.
var errAlive = errors.New("another connection reads the events of this client; only the RPC password (Basic authentication, any user) " +
	"or a ticket of stream::ticket for this client takes them over")

const (
	// aliveTime is how long a client whose stream is open has to show that it is still
	// there, before another connection without a credential is refused: who comes back
	// after a drop may be faster than the node notices it.
	aliveTime = time.Second
	// probeTime is between two questions. The first thing that is written to a client
	// that is gone brings the refusal of its machine, and only the second one fails.
	probeTime = 100 * time.Millisecond
)

// connect opens the stream of a client. The stream of one that is still there is taken
// over by its owner alone, with a credential: every program on this machine may ask for any id.
func (e *events) connect(r *http.Request, hub *event.Hub, client uint64, owner bool) (*event.Connection, error) {
	query := r.URL.Query()
	last := event.ParsePosition(r.Header.Get("Last-Event-ID"), query.Get("lastEventId"))
	if owner {
		return hub.TakeOver(client, last)
	}
	connection, err := hub.Connect(client, last)
	if !errors.Is(err, event.ErrConnected) {
		return connection, err
	}
	owner, busy := e.owns(r, e.gate.senderOf(r), hub, client, query.Get("ticket"))
	if busy != nil {
		return nil, busy
	}
	if owner {
		return hub.TakeOver(client, last)
	}
	awaitEnd(r.Context(), hub, client)
	return hub.Connect(client, last)
}

// awaitEnd waits until the client's connection has ended, or has shown long enough that
// it will not.
func awaitEnd(ctx context.Context, hub *event.Hub, client uint64) {
	ctx, cancel := context.WithTimeout(ctx, aliveTime)
	defer cancel()
	ticks := time.NewTicker(probeTime)
	defer ticks.Stop()
	for {
		left := hub.Probe(client)
		if left == nil {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-left:
			return
		case <-ticks.C:
		}
	}
}
