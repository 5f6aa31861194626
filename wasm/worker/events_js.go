package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"obverse/core/event"
	"obverse/wasm/jsval"
)

const (
	retryTime     = 2 * time.Second  // what a client is asked to wait before it connects again
	takenOverTime = 30 * time.Second // the same of one whose stream another connection has taken over
	keepAlive     = 15 * time.Second // between the comments of a stream
)

var (
	errClient = errors.New("parameter id must be a whole number from 0 to 18446744073709551615, the client_id of stream::heartbeat::enable and others")
	errNoBody = errors.New("a request for events has no body")
)

// stream is the event stream of a client, server-sent events.
func (s *server) stream(w http.ResponseWriter, r *http.Request) {
	allowOrigin(w, s.settings.Config.EventOrigin())
	query := r.URL.Query()
	client, err := clientOf(query)
	switch {
	case err != nil:
		s.refuse(w, http.StatusBadRequest, err)
		return
	case r.ContentLength != 0:
		s.refuse(w, http.StatusBadRequest, errNoBody)
		return
	case s.isForeign(r):
		s.refuse(w, http.StatusForbidden, errOrigin)
		return
	}
	hub := s.session.Node.Events()
	if ticket := query.Get("ticket"); ticket == "" || !hub.Redeem(ticket, client) {
		const what = "from another machine, events need, or as the parameter ticket an unused one that stream::ticket gave for this client,"
		if !s.admit(w, r, what) {
			return
		}
	}
	eventHeaders(w)
	if r.Method == http.MethodHead {
		raw(w, jsval.Null())
		return
	}
	connection, err := hub.TakeOver(client, positionOf(r, query))
	if err != nil {
		status := http.StatusServiceUnavailable
		retryAfter(w, retryTime)
		s.refuse(w, status, err)
		return
	}
	body, err := s.carry(connection)
	if err != nil {
		connection.Close()
		s.refuse(w, http.StatusInternalServerError, errInternal)
		return
	}
	raw(w, body)
}

// isForeign asks the guard as if for a POST: a foreign page could not read events, but
// it would take the stream over from its owner, so that this GET is no safe one.
func (s *server) isForeign(r *http.Request) bool {
	return s.events.Check(&http.Request{Method: http.MethodPost, URL: r.URL, Host: r.Host, Header: r.Header}) != nil
}

// eventHeaders begins the answer; the last one keeps proxies from holding events back.
func eventHeaders(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("X-Accel-Buffering", "no")
}

// carry gives a body into which the events of a connection are written until either end
// goes.
func (s *server) carry(connection *event.Connection) (body jsval.Value, err error) {
	ctx, cancel := context.WithCancel(s.session.Ctx)
	gone := jsval.NewFunc(func([]jsval.Value) any { cancel(); return nil })
	out, err := s.host.shell().Call("events", gone)
	if err != nil {
		cancel()
		gone.Release()
		return jsval.Value{}, err
	}
	go func() {
		defer gone.Release()
		defer func() { _, _ = out.Call("close") }() // which ends gone
		defer cancel()
		defer connection.Close()
		copyEvents(ctx, connection, func(format string, values ...any) error {
			taken, err := out.Call("write", fmt.Sprintf(format, values...))
			if err == nil && !taken.Is() {
				err = context.Canceled
			}
			return err
		})
	}()
	return out.Get("body"), nil
}

// copyEvents writes events until ctx ends, the client does not take them or the
// connection is taken over.
func copyEvents(ctx context.Context, connection *event.Connection, write func(format string, values ...any) error) {
	err := write("retry: %d\nid: %d\n\n", retryTime.Milliseconds(), connection.Start())
	for err == nil {
		var e event.Event
		quiet, cancel := context.WithTimeout(ctx, keepAlive)
		e, err = connection.Next(quiet)
		cancel()
		switch {
		case err == nil:
			err = write("id: %d\ndata: %s\n\n", e.ID, e.Text)
		case errors.Is(err, event.ErrProbed), errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
			err = write(": keep-alive\n\n")
		}
	}
	if errors.Is(err, event.ErrTakenOver) {
		_ = write("retry: %d\ndata: {\"_type\":%q,\"message\":{}}\n\n", takenOverTime.Milliseconds(), event.TypeTakenOver)
	}
}

// clientOf reads the id of the client, which is 0 if the URL has none.
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
// of browsers or from the query. One that is no number is a position that nobody knows.
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
