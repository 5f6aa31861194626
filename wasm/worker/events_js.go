package main

import (
	"context"
	"errors"
	"net/http"

	"obverse/core/event"
	"obverse/core/net/route"
	"obverse/wasm/jsval"
	"obverse/wasm/session"
)

// stream is the event stream of a client, with server-sent events.
func (s *server) stream(w http.ResponseWriter, r *http.Request) {
	route.AllowOrigin(w.Header(), s.settings.Config.EventOrigin())
	query := r.URL.Query()
	client, err := event.ParseClient(query.Get("id"))
	switch {
	case err != nil:
		s.refuse(w, http.StatusBadRequest, err)
		return
	case r.ContentLength != 0:
		s.refuse(w, http.StatusBadRequest, event.ErrBody)
		return
	case s.isForeign(r):
		s.refuse(w, http.StatusForbidden, event.ErrOrigin)
		return
	}
	redeemed := false
	if ticket := query.Get("ticket"); ticket != "" {
		var open bool
		if redeemed, open = s.redeem(w, ticket, client); !open {
			return
		}
	}
	if !redeemed && !s.admit(w, r, event.ErrNoCredential) {
		return
	}
	eventHeaders(w)
	if r.Method == http.MethodHead {
		raw(w, jsval.Null())
		return
	}
	position := event.ParsePosition(r.Header.Get("Last-Event-ID"), query.Get("lastEventId"))
	if session, release := s.use(w); session != nil {
		defer release()
		s.connect(w, session, client, position)
	}
}

// connect starts the event stream of a client.
func (s *server) connect(w http.ResponseWriter, session *session.Session, client uint64, position *uint64) {
	connection, err := session.Node.Events().TakeOver(client, position)
	if err != nil {
		retryAfter(w, event.RetryTime)
		s.refuse(w, http.StatusServiceUnavailable, err)
		return
	}
	body, err := s.carry(session.Ctx, connection)
	if err != nil {
		connection.Close()
		s.refuse(w, http.StatusInternalServerError, errInternal)
		return
	}
	raw(w, body)
}

// isForeign checks a GET like a POST. A page of another origin could not read the events, but it
// could take over the stream of the owner, so the GET is not a safe request.
func (s *server) isForeign(r *http.Request) bool {
	return s.events.Check(&http.Request{Method: http.MethodPost, URL: r.URL, Host: r.Host, Header: r.Header}) != nil
}

// eventHeaders are the headers of the response. The last one prevents proxies from buffering
// events.
func eventHeaders(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Accel-Buffering", "no")
}

// carry returns a body to which the events of a connection are written until the client or the
// connection closes.
func (s *server) carry(ctx context.Context, connection *event.Connection) (body jsval.Value, err error) {
	ctx, cancel := context.WithCancel(ctx)
	gone := jsval.NewFunc(func([]jsval.Value) any { cancel(); return nil })
	out, err := s.host.shell().Call("events", gone)
	if err != nil {
		cancel()
		gone.Release()
		return jsval.Value{}, err
	}
	go func() {
		defer gone.Release()
		defer func() { _, _ = out.Call("close") }() // notifies the client that the stream has ended
		defer cancel()
		defer connection.Close()
		copyEvents(ctx, connection, func(text []byte) error {
			taken, err := out.Call("write", string(text))
			if err == nil && !taken.Is() {
				err = context.Canceled
			}
			return err
		})
	}()
	return out.Get("body"), nil
}

// copyEvents writes events until ctx ends, the client stops reading, or the connection is taken
// over. It writes a comment after each interval without events.
func copyEvents(ctx context.Context, connection *event.Connection, write func(text []byte) error) {
	err := write(connection.AppendStart(nil))
	for err == nil {
		quiet, cancel := context.WithTimeout(ctx, event.KeepAlive)
		e, ended := connection.Next(quiet)
		cancel()
		if ended == nil {
			err = write(e.Append(nil))
			continue
		}
		var text []byte
		if text, err = event.After(ctx, ended); text != nil {
			err = errors.Join(err, write(text))
		}
	}
}

// redeem reports whether a ticket allows a client to read events. If there is no node, it responds
// to the request, and open is false.
func (s *server) redeem(w http.ResponseWriter, ticket string, client uint64) (redeemed, open bool) {
	session, release := s.use(w)
	if session == nil {
		return false, false
	}
	defer release()
	return session.Node.Events().Redeem(ticket, client), true
}
