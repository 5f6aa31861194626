package httpd

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"obverse/core/event"
	"obverse/core/net/route"
	"obverse/core/rpc/auth"
	"obverse/native/limit"
)

// events serves the event streams of the node API as
// server-sent events.
type events struct {
	endpoint
	hub         func() *event.Hub
	origin      string
	guard       *http.CrossOriginProtection
	credentials Credentials
}

func newEvents(c Config, g *gate) *events {
	return &events{
		hub: c.Node.Events.Hub, origin: c.Node.Events.Origin, guard: guardOf(c.Node.Events.Origin),
		credentials: c.Node.Credentials, endpoint: endpoint{refuse: nodeRefusal, gate: g, log: c.Log},
	}
}

func (e *events) mount(get register) { get(route.Events, e.open) }

// open streams the events of a client until the client disconnects or the server ends.
func (e *events) open(w http.ResponseWriter, r *http.Request) {
	route.AllowOrigin(w.Header(), e.origin)
	query := r.URL.Query()
	client, err := event.ParseClient(query.Get("id"))
	if err != nil {
		e.reject(w, r, err)
		return
	}
	hub, owner, err := e.admit(r, client, query.Get("ticket"))
	if errors.Is(err, errNoCredential) {
		needCredential(w, e.gate.limits.Write, errNoCredential.Error())
		return
	}
	if err != nil {
		e.reject(w, r, err)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	out := newStream(w, e.gate.limits, cancel)
	if err := e.gate.work.Admit(out); err != nil {
		e.reject(w, r, err)
		return
	}
	defer e.gate.work.Dismiss(out)
	_ = connectionOf(r.Context()).limited().Work() // a dropped connection ends by itself
	if r.Method == http.MethodHead {
		eventHeaders(w)
		return
	}
	connection, err := e.connect(r, hub, client, owner)
	if err != nil {
		e.gate.work.Dismiss(out) // refusing a stream takes time
		e.reject(w, r, connectError(err, client))
		return
	}
	defer connection.Close()
	out.run(ctx, connection)
}

// connectError returns the error for a client that cannot open its stream.
func connectError(err error, client uint64) error {
	switch {
	case errors.Is(err, event.ErrTooManyClients):
		return fmt.Errorf("%w: %w", limit.ErrStreams, err)
	case errors.Is(err, event.ErrConnected):
		return fmt.Errorf("%w: id %d", errAlive, client)
	case errors.Is(err, auth.ErrBusy):
		return err
	}
	return limit.ErrClosing
}

// errNoCredential means that the caller needs a credential and has no valid one.
var errNoCredential = fmt.Errorf("from another machine, %w", event.ErrNoCredential)

// admit decides whether a request may read events. A local caller needs no credential. Any
// other caller needs the password or a ticket, which a browser can put into a URL. A caller with the
// password or a ticket is the owner of the stream.
func (e *events) admit(r *http.Request, client uint64, ticket string) (hub *event.Hub, owner bool, err error) {
	if r.ContentLength != 0 {
		return nil, false, event.ErrBody
	}
	if isForeign(e.guard, r) {
		return nil, false, event.ErrOrigin
	}
	hub = e.hub()
	if from := e.gate.senderOf(r); !from.local {
		if owner, err = e.owns(r, from, hub, client, ticket); err != nil {
			return nil, false, err
		}
		if !owner {
			return nil, false, errNoCredential
		}
	}
	if hub == nil {
		return nil, false, errStarting
	}
	return hub, owner, nil
}

// owns reports whether a request has the password or a ticket of the client. The error
// is auth.ErrBusy.
func (e *events) owns(r *http.Request, from sender, hub *event.Hub, client uint64, ticket string) (bool, error) {
	if ticket != "" {
		return hub == nil || hub.Redeem(ticket, client), nil
	}
	err := e.credentials.Check(r.Context(), from.origin, r.Header.Values("Authorization"))
	if errors.Is(err, auth.ErrBusy) {
		return false, err
	}
	return err == nil, nil
}

// guardOf returns a guard that detects requests from pages of other sites than this port and the
// allowed one.
func guardOf(allowed string) *http.CrossOriginProtection {
	guard := http.NewCrossOriginProtection()
	if allowed != "" {
		_ = guard.AddTrustedOrigin(allowed) // a malformed one is no page's
	}
	return guard
}

// isForeign checks a request with a guard as if it were a POST, for paths on which a GET has
// effects. A page of another site could not read the events, but it would take the stream over from
// its owner.
func isForeign(guard *http.CrossOriginProtection, r *http.Request) bool {
	return guard.Check(&http.Request{Method: http.MethodPost, URL: r.URL, Host: r.Host, Header: r.Header}) != nil
}

// reject answers a request for events with an error.
func (e *events) reject(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, event.ErrOrigin) {
		e.log.Warn("refused an event stream to a web page of another origin; event_streaming_configuration and rpccors name the allowed origin")
	}
	switch statusOf(err) {
	case http.StatusServiceUnavailable:
		retryAfter(w, event.RetryTime)
	case http.StatusTooManyRequests:
		retryAfter(w, turnTime)
	}
	e.refuseFor(w, r, err)
}

// errAlive refuses who would end a stream that is read.
var errAlive = errors.New("another connection reads the events of this client; only the RPC password (Basic authentication, any user) " +
	"or a ticket of stream::ticket for this client takes them over")

const (
	// aliveTime is the time for which a new connection of a client without a credential waits for
	// the end of the previous one, before it is refused. A client may connect again before the node
	// has noticed the loss of its connection.
	aliveTime = time.Second
	// probeTime is the time between two probes. The first data that is written to a client that has
	// disconnected makes its machine reset the connection, and only the second write fails.
	probeTime = 100 * time.Millisecond
)

// connect opens the stream of a client. If the stream is already open, only its owner can take it over, with
// a credential, because every program on this machine can name any id.
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

// awaitEnd waits until the client's previous connection has ended, or until it has stayed open for
// so long that it is still in use.
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
