package event

import "errors"

// Reasons for which the hub refuses, found with errors.Is.
var (
	// ErrUnknownClient: the client has not connected, or is away and was forgotten;
	// for Enable also: it is away.
	ErrUnknownClient = errors.New("the client is not connected")
	// ErrAlreadyListening: the client subscribed to the streamer before.
	ErrAlreadyListening = errors.New("the client listens to this streamer already")
	// ErrStreamerNotFound: the client is not subscribed to the streamer.
	ErrStreamerNotFound = errors.New("the client listens to no such streamer")
	// ErrConnected: a connection of the client is open.
	ErrConnected = errors.New("the client is connected")
	// ErrTooManyClients: as many clients as allowed are connected.
	ErrTooManyClients = errors.New("too many clients are connected")
	// ErrInterval: a Periodic streamer without a time between its events.
	ErrInterval = errors.New("the interval of a streamer must be positive")
	// ErrStreamerID: not the name of any streamer.
	ErrStreamerID = errors.New("not a streamer id")
)

// Reasons for which a connection ends.
var (
	// ErrTakenOver: the client has opened another connection.
	ErrTakenOver = errors.New("another connection has taken the stream over")
	// ErrClosed: Close was called.
	ErrClosed = errors.New("the connection is closed")
	// ErrStopped: the hub's Run has ended.
	ErrStopped = errors.New("the hub has stopped")
)

// ErrProbed: a connection goes on, and the client must be sent something.
var ErrProbed = errors.New("a sign of life is wanted")
