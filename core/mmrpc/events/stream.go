package events

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"obverse/core/event"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/wire"
	"obverse/core/rpc"
)

const categoryStreams = "Event streams"

// Streams is the area of the methods with which a client subscribes to events. The client must
// open its event stream first.
type Streams struct {
	Hub  *event.Hub
	Ends bool // whether the node can be ended while clients listen
}

// Methods implements Area.
func (s Streams) Methods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("stream::heartbeat::enable", rpc.Doc{
			Summary:  "Send heartbeats to a client",
			Detail:   "The client must have an open event stream: GET /event-stream?id=<client_id>. Each client has its own interval.",
			Category: categoryStreams,
		}, s.enableHeartbeat).Raises(wire.Kinds(mmerr.EnableError)...),
		rpc.Handle("stream::network::enable", rpc.Doc{
			Summary:  "Stream the peers of the order network: always none",
			Detail:   "The event is sent once, after one interval, or with always_send at each interval.",
			Category: categoryStreams,
		}, s.enableNetwork).Raises(wire.Kinds(mmerr.EnableError)...),
		rpc.Handle("stream::shutdown_signal::enable", rpc.Doc{
			Summary:  "Stream the shutdown of the node",
			Detail:   "The message of the event is SIGTERM, SIGINT, or stop if a client called stop. The stream ends after the event.",
			Category: categoryStreams,
		}, s.enableShutdown).Raises(wire.Kinds(mmerr.EnableError, mmerr.UnsupportedMode)...),
		rpc.Handle("stream::disable", rpc.Doc{
			Summary: "Stop sending events of a streamer to a client", Category: categoryStreams,
		}, s.disable).Raises(wire.Kinds(mmerr.DisableError)...),
		rpc.Handle("stream::ticket", rpc.Doc{
			Summary:  "Create a ticket that lets a client on another machine open its event stream",
			Detail:   "GET /event-stream?id=<client_id>&ticket=<ticket>. The ticket is valid for one connection. A browser's EventSource requires one, because it cannot send credentials.",
			Category: categoryStreams,
		}, s.ticket),
	}
}

type EnableHeartbeatParams struct {
	ClientID uint64          `json:"client_id" default:"0" doc:"id of the client's event stream"`
	Config   streamingConfig `json:"config" default:"{}" doc:"interval of the events"`
}

// streamingConfig is the config of a stream. As in Komodo DeFi Framework, unknown members are
// errors.
type streamingConfig struct {
	Interval streamInterval `json:"stream_interval_seconds" default:"5" doc:"seconds between two events"`
}

// Closed implements rpc.Closed.
func (streamingConfig) Closed() {}

// Limits of the interval between two events.
const (
	minInterval  = 100 * time.Millisecond
	maxInterval  = time.Hour
	wantInterval = "a number of seconds from 0.1 to 3600"
)

// streamInterval is the interval between two events for a client.
type streamInterval wire.Seconds

// UnmarshalParam implements rpc.Unmarshaler.
func (i *streamInterval) UnmarshalParam(raw json.RawMessage) error {
	var s wire.Seconds
	if err := s.UnmarshalParam(raw); err != nil {
		var refusal *rpc.ParamError
		if errors.As(err, &refusal) && !errors.Is(err, wire.ErrFineSeconds) {
			refusal.Want = wantInterval
		}
		return err
	}
	if s.Duration() < minInterval || s.Duration() > maxInterval {
		return &rpc.ParamError{Want: wantInterval, Got: rpc.KindNumber, Err: rpc.ErrRange, Value: raw}
	}
	*i = streamInterval(s)
	return nil
}

// JSONSchema implements rpc.Described.
func (streamInterval) JSONSchema() *rpc.Schema {
	return &rpc.Schema{Type: "number", Minimum: "0.1", Maximum: "3600", Description: wantInterval}
}

type enableResult struct {
	StreamerID string `json:"streamer_id" doc:"id of the streamer, for stream::disable; also the _type of its events"`
}

func (s Streams) enableHeartbeat(_ context.Context, p EnableHeartbeatParams) (enableResult, error) {
	return s.enable(p.ClientID, event.Heartbeat{Every: time.Duration(p.Config.Interval)})
}

type enableNetworkParams struct {
	ClientID uint64        `json:"client_id" default:"0" doc:"id of the client's event stream"`
	Config   networkConfig `json:"config" default:"{}" doc:"interval of the events"`
}

type networkConfig struct {
	Interval streamInterval `json:"stream_interval_seconds" default:"5" doc:"seconds before the first event and between events"`
	Always   bool           `json:"always_send" default:"false" doc:"send the event at each interval"`
}

// Closed implements rpc.Closed.
func (networkConfig) Closed() {}

func (s Streams) enableNetwork(_ context.Context, p enableNetworkParams) (enableResult, error) {
	return s.enable(p.ClientID, event.Network{Every: time.Duration(p.Config.Interval), Always: p.Config.Always})
}

type enableShutdownParams struct {
	ClientID uint64 `json:"client_id" default:"0" doc:"id of the client's event stream"`
}

func (s Streams) enableShutdown(_ context.Context, p enableShutdownParams) (enableResult, error) {
	if !s.Ends {
		const text = "this node does not end while clients listen"
		return enableResult{}, mmerr.UnsupportedMode.New(text, text)
	}
	return s.enable(p.ClientID, event.Shutdown{})
}

// unknownClient is the error's data for clients without an open stream.
const unknownClient = "UnknownClient"

// enable subscribes a client to a streamer.
func (s Streams) enable(client uint64, streamer event.Streamer) (enableResult, error) {
	id, err := s.Hub.Enable(client, streamer)
	switch {
	case errors.Is(err, event.ErrUnknownClient):
		err = mmerr.EnableError.From(err, unknownClient, unknownClient)
	case errors.Is(err, event.ErrAlreadyListening):
		const reason = "ClientAlreadyListening"
		err = mmerr.EnableError.From(err, reason, reason)
	}
	return enableResult{id}, err
}

type disableParams struct {
	ClientID   uint64 `json:"client_id" default:"0" doc:"id of the client's event stream"`
	StreamerID string `json:"streamer_id" doc:"as returned by the enabling method"`
}

type disableResult struct {
	Result string `json:"result" doc:"Success"`
}

func (s Streams) disable(_ context.Context, p disableParams) (disableResult, error) {
	if err := event.CheckID(p.StreamerID); err != nil {
		return disableResult{}, wire.RefuseFrom(err, wire.Fault{Serde: "Invalid StreamerId: " + wire.Clip(p.StreamerID), Help: `parameter "streamer_id"`})
	}
	err := s.Hub.Disable(p.ClientID, p.StreamerID)
	switch {
	case errors.Is(err, event.ErrUnknownClient):
		err = mmerr.DisableError.From(err, unknownClient, unknownClient)
	case errors.Is(err, event.ErrStreamerNotFound):
		const reason = "StreamerNotFound"
		err = mmerr.DisableError.From(err, reason, reason)
	}
	return disableResult{"Success"}, err
}

type ticketParams struct {
	ClientID uint64 `json:"client_id" default:"0" doc:"id of the client's event stream"`
}

type TicketResult struct {
	Ticket  string `json:"ticket" doc:"32 hexadecimal digits; secret until it is used"`
	Expires int64  `json:"expires_in" doc:"validity in seconds"`
}

func (s Streams) ticket(_ context.Context, p ticketParams) (TicketResult, error) {
	ticket, expires, err := s.Hub.Ticket(p.ClientID)
	return TicketResult{ticket, int64(expires / time.Second)}, err
}
