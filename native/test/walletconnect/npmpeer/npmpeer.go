// Package npmpeer runs foreign implementations of both ends of WalletConnect sessions for tests:
// the official sign client under Node, with keys of CosmJS and viem, and a relay; see peer.mjs.
// `make peer` installs its npm packages.
//
// Invariant: the peer's process does not outlive the test that started it.
package npmpeer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/native/test/npmprocess"
)

// Line is a line of the peer's output.
type Line struct {
	Relay   uint16          `json:"relay"`
	Control uint16          `json:"control"`
	Event   string          `json:"event"`
	Data    json.RawMessage `json:"data"`
	Vectors json.RawMessage `json:"vectors"`
}

// Peer is a running peer.
type Peer struct {
	*npmprocess.Process[Line]
	Relay   string // URL of the relay
	control string
}

// Start runs a peer until the test ends. peer.mjs describes the arguments. The test fails if the
// packages are missing.
func Start(t testing.TB, arguments ...string) *Peer {
	t.Helper()
	p := &Peer{Process: npmprocess.Start[Line](t, "test/walletconnect/npmpeer", "@walletconnect/sign-client", arguments...)}
	l := p.Next(t, func(l Line) bool { return l.Relay != 0 })
	p.Relay, p.control = fmt.Sprintf("ws://127.0.0.1:%d", l.Relay), fmt.Sprintf("http://127.0.0.1:%d", l.Control)
	return p
}

// Vectors returns the results of the official libraries for fixed keys.
func Vectors(t testing.TB) json.RawMessage {
	t.Helper()
	return npmprocess.Start[Line](t, "test/walletconnect/npmpeer", "@walletconnect/sign-client", "--vectors").
		Next(t, func(l Line) bool { return l.Vectors != nil }).Vectors
}

// Event waits for an event of the clients and decodes its data.
func (p *Peer) Event(t testing.TB, name string, into any) {
	t.Helper()
	l := p.Next(t, func(l Line) bool { return l.Event == name })
	require.NoError(t, json.Unmarshal(l.Data, into))
}

// Failure is the reason why a command failed.
type Failure struct {
	Code    int64  `json:"code"`
	Message string `json:"message"`
}

func (f *Failure) Error() string { return f.Message }

// Parameters are the parameters of a command.
type Parameters map[string]any

// Try sends a command to the peer and decodes the result.
func (p *Peer) Try(t testing.TB, command string, with Parameters, into any) error {
	t.Helper()
	body := Parameters{"do": command}
	for name, value := range with {
		body[name] = value
	}
	text, err := json.Marshal(body)
	require.NoError(t, err)
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, p.control, bytes.NewReader(text))
	require.NoError(t, err)
	response, err := http.DefaultClient.Do(request)
	require.NoError(t, err)
	defer response.Body.Close()
	var answer struct {
		Result json.RawMessage `json:"result"`
		Error  *Failure        `json:"error"`
	}
	require.NoError(t, json.NewDecoder(response.Body).Decode(&answer))
	if answer.Error != nil {
		return answer.Error
	}
	if into != nil {
		require.NoError(t, json.Unmarshal(answer.Result, into))
	}
	return nil
}

// Do is like Try, and fails the test if the command fails.
func (p *Peer) Do(t testing.TB, command string, with Parameters, into any) {
	t.Helper()
	require.NoError(t, p.Try(t, command, with, into), command)
}
