package httpd

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"

	"github.com/julienschmidt/httprouter"

	"obverse/core/event"
	"obverse/core/guess"
)

// eventPath is where clients read their events.
const eventPath = "/event-stream"

// events are the event streams of interface B, in the form that browsers know as
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

func (e *events) mount(router *httprouter.Router) {
	router.HandlerFunc(http.MethodGet, eventPath, e.open)
	router.HandlerFunc(http.MethodHead, eventPath, e.open)
}

// open streams the events of a client until one of both ends goes.
func (e *events) open(w http.ResponseWriter, r *http.Request) {
	allowOrigin(w, e.origin)
	query := r.URL.Query()
	client, err := clientOf(query)
	if err != nil {
		e.turnAway(w, r, err)
		return
	}
	hub, owner, err := e.admit(r, client, query.Get("ticket"))
	if errors.Is(err, errNoCredential) {
		needCredential(w, e.gate.limits.Write, errNoCredential.Error())
		return
	}
	if err != nil {
		e.turnAway(w, r, err)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	out := newStream(w, e.gate.limits, cancel)
	if err := e.gate.admit(out); err != nil {
		e.turnAway(w, r, err)
		return
	}
	defer e.gate.dismiss(out)
	_ = connectionOf(r.Context()).work() // one that is gone ends by itself
	if r.Method == http.MethodHead {
		eventHeaders(w)
		return
	}
	connection, err := e.connect(r, hub, client, owner)
	if err != nil {
		e.gate.dismiss(out) // being turned away takes time
		e.turnAway(w, r, whyNot(err, client))
		return
	}
	defer connection.Close()
	out.run(ctx, connection)
}

// whyNot words the refusal to connect a client.
func whyNot(err error, client uint64) error {
	switch {
	case errors.Is(err, event.ErrTooManyClients):
		return fmt.Errorf("%w: %w", errStreams, err)
	case errors.Is(err, event.ErrConnected):
		return fmt.Errorf("%w: id %d", errAlive, client)
	case errors.Is(err, guess.ErrBusy):
		return err
	}
	return errClosing
}

// errNoCredential: the caller needs one and has none that is right.
var errNoCredential = errors.New("from another machine, events need the RPC password (Basic authentication, any user), " +
	"or as the parameter ticket an unused one that stream::ticket gave for this client")

// admit decides who may read events. A caller that is local needs no credential; any
// other has the password or a ticket, which a browser can put into a URL, and with that
// is the stream's owner.
func (e *events) admit(r *http.Request, client uint64, ticket string) (hub *event.Hub, owner bool, err error) {
	if r.ContentLength != 0 {
		return nil, false, errNoBody
	}
	if e.isForeign(r) {
		return nil, false, errOrigin
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
// is guess.ErrBusy.
func (e *events) owns(r *http.Request, from sender, hub *event.Hub, client uint64, ticket string) (bool, error) {
	if ticket != "" {
		return hub == nil || hub.Redeem(ticket, client), nil
	}
	err := e.credentials.Check(r.Context(), from.origin, r.Header.Values("Authorization"))
	if errors.Is(err, guess.ErrBusy) {
		return false, err
	}
	return err == nil, nil
}

// guardOf knows requests that a browser makes for a page of another site than this
// port and the allowed one.
func guardOf(allowed string) *http.CrossOriginProtection {
	guard := http.NewCrossOriginProtection()
	if allowed != "" {
		_ = guard.AddTrustedOrigin(allowed) // a malformed one is no page's
	}
	return guard
}

// isForeign asks the guard as if for a POST: a foreign page could not read events, but
// it would take the stream over from its owner, so that this GET is no safe one.
func (e *events) isForeign(r *http.Request) bool {
	return e.guard.Check(&http.Request{Method: http.MethodPost, URL: r.URL, Host: r.Host, Header: r.Header}) != nil
}

// clientOf reads the id of the client, which is 0 if the URL has none, as upstream. What
// is no id is client 0 there: who mistypes it would wait for events of another client.
func clientOf(query url.Values) (uint64, error) {
	text := query.Get("id")
	if text == "" {
		return 0, nil
	}
	id, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w, got %.40q", errClient, text)
	}
	return id, nil
}

// positionOf reads the id of the last event that the client has got, from the header
// of browsers or, for their first request, from the query. One that is no number is a
// position that nobody knows.
func positionOf(r *http.Request, query url.Values) *uint64 {
	text := r.Header.Get("Last-Event-ID")
	if text == "" {
		text = query.Get("lastEventId")
	}
	if text == "" {
		return nil
	}
	last, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		last = math.MaxUint64
	}
	return &last
}

// turnAway says why there are no events now.
func (e *events) turnAway(w http.ResponseWriter, r *http.Request, err error) {
	if errors.Is(err, errOrigin) {
		e.log.Warn("a web page of another origin asked for events; event_streaming_configuration and rpccors name the one that may")
	}
	switch statusOf(err) {
	case http.StatusServiceUnavailable:
		retryAfter(w, retryTime)
	case http.StatusTooManyRequests:
		retryAfter(w, turnTime)
	}
	e.refuseFor(w, r, err)
}
