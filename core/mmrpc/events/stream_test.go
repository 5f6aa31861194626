package events_test

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"math"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/event"
	"obverse/core/mmrpc"
	"obverse/core/mmrpc/events"
	"obverse/core/mmrpc/mmerr"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/rpc"
)

// streamCall calls a method of the area and returns its result as JSON.
func streamCall(t *testing.T, hub *event.Hub, method, params string) (string, error) {
	t.Helper()
	m, ok := rpc.NewTable(events.Streams{Hub: hub}.Methods()...).Lookup(method)
	require.True(t, ok)
	result, err := m.Named(t.Context(), json.RawMessage(params), rpc.Rules{})
	if err != nil {
		return "", err
	}
	text, err := json.Marshal(result)
	require.NoError(t, err)
	return string(text), nil
}

// requireKind requires an error of a kind that has the reason as data and in its text.
func requireKind(t *testing.T, err error, kind mmerr.Kind[string], reason string) {
	t.Helper()
	require.True(t, kind.Is(err), "%v", err)
	var failure *mmerr.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, 400, failure.Status())
	require.EqualError(t, failure, reason)
	data, _ := failure.Data()
	require.Equal(t, reason, data)
}

const (
	heartbeatEnable = "stream::heartbeat::enable"
	streamDisable   = "stream::disable"
)

// TestHeartbeatStates checks the states of a client's heartbeat stream.
func TestHeartbeatStates(t *testing.T) {
	hub := event.New(event.Config{Now: time.Now})
	_, err := streamCall(t, hub, heartbeatEnable, `{}`)
	requireKind(t, err, mmerr.EnableError, "UnknownClient")
	_, err = streamCall(t, hub, streamDisable, `{"streamer_id":"HEARTBEAT"}`)
	requireKind(t, err, mmerr.DisableError, "UnknownClient")

	connection, err := hub.Connect(0, nil)
	require.NoError(t, err)
	_, err = streamCall(t, hub, streamDisable, `{"streamer_id":"HEARTBEAT"}`)
	requireKind(t, err, mmerr.DisableError, "StreamerNotFound")
	got, err := streamCall(t, hub, heartbeatEnable, `{}`)
	require.NoError(t, err)
	require.Equal(t, `{"streamer_id":"HEARTBEAT"}`, got)
	_, err = streamCall(t, hub, heartbeatEnable, `{"config":{"stream_interval_seconds":30}}`)
	requireKind(t, err, mmerr.EnableError, "ClientAlreadyListening")
	_, err = streamCall(t, hub, heartbeatEnable, `{"client_id":1}`)
	requireKind(t, err, mmerr.EnableError, "UnknownClient")

	_, err = streamCall(t, hub, streamDisable, `{"client_id":0,"streamer_id":"BALANCE:MATIC"}`)
	requireKind(t, err, mmerr.DisableError, "StreamerNotFound")
	got, err = streamCall(t, hub, streamDisable, `{"client_id":0,"streamer_id":"HEARTBEAT"}`)
	require.NoError(t, err)
	require.Equal(t, `{"result":"Success"}`, got)
	_, err = streamCall(t, hub, streamDisable, `{"streamer_id":"HEARTBEAT"}`)
	requireKind(t, err, mmerr.DisableError, "StreamerNotFound")

	_, err = streamCall(t, hub, heartbeatEnable, `{}`)
	require.NoError(t, err)
	connection.Close()
	_, err = streamCall(t, hub, heartbeatEnable, `{}`)
	requireKind(t, err, mmerr.EnableError, "UnknownClient")
	got, err = streamCall(t, hub, streamDisable, `{"streamer_id":"HEARTBEAT"}`)
	require.NoError(t, err, "it is away, and remembered")
	require.Equal(t, `{"result":"Success"}`, got)
	_, err = streamCall(t, hub, streamDisable, `{"streamer_id":"HEARTBEAT"}`)
	requireKind(t, err, mmerr.DisableError, "StreamerNotFound")
}

func TestStreamIntervals(t *testing.T) {
	for config, want := range map[string]time.Duration{
		`{}`:              5 * time.Second,
		`{"config":null}`: 5 * time.Second,
		`{"config":{}}`:   5 * time.Second,
		`{"config":{"stream_interval_seconds":1}}`:                                              time.Second,
		`{"config":{"stream_interval_seconds":0.1}}`:                                            100 * time.Millisecond,
		`{"config":{"stream_interval_seconds":36e2}}`:                                           time.Hour,
		`{"config":{"stream_interval_seconds":2.5},"client_id":18446744073709551615,"other":1}`: 2500 * time.Millisecond,
	} {
		t.Run(config, func(t *testing.T) {
			m := rpc.Handle("m", rpc.Doc{}, func(_ context.Context, p events.EnableHeartbeatParams) (events.EnableHeartbeatParams, error) {
				return p, nil
			})
			got, err := m.Named(t.Context(), json.RawMessage(config), rpc.Rules{})
			require.NoError(t, err)
			require.Equal(t, want, time.Duration(got.(events.EnableHeartbeatParams).Config.Interval))
			if strings.Contains(config, "client_id") {
				require.Equal(t, uint64(math.MaxUint64), got.(events.EnableHeartbeatParams).ClientID)
			}
		})
	}
}

// TestInvalidStreamParams checks that errors name the parameter and the accepted values, and
// that nothing is changed.
func TestInvalidStreamParams(t *testing.T) {
	server := mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), Now: time.Now}, events.Streams{Hub: event.New(event.Config{Now: time.Now})})
	for name, c := range map[string]struct{ method, params, data, text string }{
		"too short":        {heartbeatEnable, `{"config":{"stream_interval_seconds":0.05}}`, "floating point `0.05`, expected a number of seconds from 0.1 to 3600", "config.stream_interval_seconds"},
		"too long":         {heartbeatEnable, `{"config":{"stream_interval_seconds":3601}}`, "integer `3601`, expected a number of seconds from 0.1 to 3600", "config.stream_interval_seconds"},
		"zero":             {heartbeatEnable, `{"config":{"stream_interval_seconds":0}}`, "integer `0`, expected a number", "config.stream_interval_seconds"},
		"negative":         {heartbeatEnable, `{"config":{"stream_interval_seconds":-5}}`, "integer `-5`, expected a number", "config.stream_interval_seconds"},
		"a text":           {heartbeatEnable, `{"config":{"stream_interval_seconds":"5"}}`, `string "5", expected a number`, "config.stream_interval_seconds"},
		"nothing":          {heartbeatEnable, `{"config":{"stream_interval_seconds":null}}`, "null, expected a number", "config.stream_interval_seconds"},
		"another key":      {heartbeatEnable, `{"config":{"interval":5}}`, "unknown field `interval`, expected `stream_interval_seconds`", "config.interval"},
		"a key twice":      {heartbeatEnable, `{"config":{"stream_interval_seconds":5,"stream_interval_seconds":6}}`, "duplicate field `stream_interval_seconds`", "config.stream_interval_seconds"},
		"config no object": {heartbeatEnable, `{"config":5}`, "integer `5`", "config"},
		"client no number": {heartbeatEnable, `{"client_id":"1"}`, `string "1"`, "client_id"},
		"client negative":  {streamDisable, `{"client_id":-1,"streamer_id":"HEARTBEAT"}`, "integer `-1`", "client_id"},
		"no streamer":      {streamDisable, `{"client_id":1}`, "missing field `streamer_id`", "streamer_id"},
		"no such form":     {streamDisable, `{"streamer_id":"heartbeat"}`, "Invalid StreamerId: heartbeat", "streamer_id"},
		"a long one":       {streamDisable, `{"streamer_id":"` + strings.Repeat("x", 1000) + `"}`, "Invalid StreamerId: xxx", "streamer_id"},
		"ticket's client":  {"stream::ticket", `{"client_id":0.5}`, "floating point `0.5`", "client_id"},
	} {
		t.Run(name, func(t *testing.T) {
			status, reply := server.Serve(t.Context(), rpc.Caller{Local: true},
				[]byte(`{"mmrpc":"2.0","userpass":"`+mmrpctest.Userpass+`","method":"`+c.method+`","params":`+c.params+`}`))
			require.Equal(t, 400, status)
			var answer struct {
				Text string `json:"error"`
				Type string `json:"error_type"`
				Data string `json:"error_data"`
			}
			require.NoError(t, json.Unmarshal(reply, &answer))
			require.Equal(t, "InvalidRequest", answer.Type)
			require.Contains(t, answer.Data, c.data)
			require.Contains(t, answer.Text, "Error parsing request: "+answer.Data)
			require.Contains(t, answer.Text, c.text)
			require.Less(t, len(answer.Text), 300)
		})
	}
}

// TestStreamAnswers checks the answers including their envelopes and error paths.
func TestStreamAnswers(t *testing.T) {
	hub := event.New(event.Config{Now: time.Now, Random: rand.Reader})
	server := mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), Now: time.Now}, events.Streams{Hub: hub})
	ask := func(method, params string) (int, string) {
		status, reply := server.Serve(t.Context(), rpc.Caller{Local: true},
			[]byte(`{"userpass":"`+mmrpctest.Userpass+`","mmrpc":"2.0","method":"`+method+`","params":`+params+`,"id":7}`))
		return status, string(reply)
	}
	status, reply := ask(heartbeatEnable, `{"config":{"stream_interval_seconds":30},"client_id":1}`)
	require.Equal(t, 400, status)
	require.Regexp(t, `^{"mmrpc":"2.0","error":"UnknownClient","error_path":"stream",`+
		`"error_trace":"stream:\d+]","error_type":"EnableError","error_data":"UnknownClient","id":7}\n$`, reply)
	_, err := hub.Connect(1, nil)
	require.NoError(t, err)
	status, reply = ask(heartbeatEnable, `{"config":{"stream_interval_seconds":30},"client_id":1}`)
	require.Equal(t, 200, status)
	require.Equal(t, `{"mmrpc":"2.0","result":{"streamer_id":"HEARTBEAT"},"id":7}`+"\n", reply)
	status, reply = ask(streamDisable, `{"client_id":1,"streamer_id":"HEARTBEAT"}`)
	require.Equal(t, 200, status)
	require.Equal(t, `{"mmrpc":"2.0","result":{"result":"Success"},"id":7}`+"\n", reply)
}

func TestStreamTicket(t *testing.T) {
	hub := event.New(event.Config{Now: time.Now, Random: rand.Reader})
	got, err := streamCall(t, hub, "stream::ticket", `{"client_id":3}`)
	require.NoError(t, err)
	var result events.TicketResult
	require.NoError(t, json.Unmarshal([]byte(got), &result))
	require.Equal(t, int64(30), result.Expires)
	require.True(t, hub.Redeem(result.Ticket, 3))

	hub = event.New(event.Config{Now: time.Now, Random: iotest.ErrReader(io.ErrUnexpectedEOF)})
	_, err = streamCall(t, hub, "stream::ticket", `{}`)
	require.ErrorIs(t, err, io.ErrUnexpectedEOF, "the server makes an InternalError of it")
}
