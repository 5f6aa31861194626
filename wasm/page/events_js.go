package main

import (
	"errors"
	"sync"

	"obverse/core/event"
	"obverse/wasm/jsval"
	"obverse/wasm/session"
)

// events passes the events of the node's clients to the host. A client gets
// its events from connect to disconnect. After a restart of the node, the host's function disconnected is called
// for the client, and the client's streams have to be enabled again.
type events struct {
	host *host

	mu      sync.Mutex
	clients map[int64]*event.Connection
}

// errClient means that the id of a client is not a whole number of JavaScript.
var errClient = errors.New("a client is a whole number from 0 to 2^53")

func clientOf(args []jsval.Value) (int64, error) {
	client, err := jsval.Arg(args, 0).Whole()
	if err != nil || client < 0 {
		return 0, errClient
	}
	return client, nil
}

func (b *bridge) connect(args []jsval.Value) (any, error) {
	client, err := clientOf(args)
	if err != nil {
		return nil, err
	}
	s, release, err := b.running()
	if err != nil {
		return nil, err
	}
	defer release()
	connection, err := s.Node.Events().TakeOver(uint64(client), nil)
	if err != nil {
		return nil, err
	}
	b.events.mu.Lock()
	b.events.clients[client] = connection
	b.events.mu.Unlock()
	go b.events.carry(s, client, connection)
	return nil, nil
}

// carry passes on events until the connection ends, which happens at the latest when the session ends.
func (e *events) carry(s *session.Session, client int64, connection *event.Connection) {
	for {
		next, err := connection.Next(s.Ctx)
		if err != nil {
			break
		}
		e.host.call("event", client, next.Text)
	}
	connection.Close()
	e.mu.Lock()
	current := e.clients[client] == connection
	if current {
		delete(e.clients, client)
	}
	e.mu.Unlock()
	if current {
		e.host.call("disconnected", client)
	}
}

func (b *bridge) disconnect(args []jsval.Value) (any, error) {
	client, err := clientOf(args)
	if err != nil {
		return nil, err
	}
	b.events.mu.Lock()
	connection := b.events.clients[client]
	delete(b.events.clients, client)
	b.events.mu.Unlock()
	if connection != nil {
		connection.Close()
	}
	return nil, nil
}
