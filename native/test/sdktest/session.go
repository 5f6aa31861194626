package sdktest

import (
	"bufio"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Config returns the config with which the SDK starts a node, with additional members.
func Config(port int, password, more string) string {
	return fmt.Sprintf(`{"mm2":1,"allow_weak_password":true,"rpc_password":%q,"netid":6133,"gui":"komodo-defi-flutter-auth","dbdir":"data","userhome":"/tmp",
		"rpcport":%d,"rpc_local_only":true,"allow_registrations":false,"enable_hd":false,"https":false,"coins":[],"seednodes":["seed.example"],
		"disable_p2p":false,"i_am_seed":false,"is_bootstrap_node":false,
		"event_streaming_configuration":{"access_control_allow_origin":"*","worker_path":"assets/event_streaming_worker.js"}%s}`, password, port, more)
}

// SignedIn checks that the wallet "a wallet" is open, and reads its phrase and its file.
func SignedIn(c Client, password, phrase string) {
	c.T.Helper()
	c.Legacy("version", ``).Text("result")
	names := c.V2("get_wallet_names", "null")
	require.Len(c.T, names.List("wallet_names"), 1)
	require.Equal(c.T, "a wallet", names.Text("activated_wallet"))
	mnemonic := c.V2("get_mnemonic", `{"format":"plaintext","password":"`+password+`"}`)
	require.Equal(c.T, "plaintext", mnemonic.Text("format"))
	require.Equal(c.T, phrase, mnemonic.Text("mnemonic"))
	file := c.V2("get_mnemonic", `{"format":"encrypted"}`).Object("encrypted_mnemonic_data")
	for _, name := range []string{"encryption_algorithm", "iv", "ciphertext", "tag"} {
		require.NotEmpty(c.T, file.Text(name))
	}
	argon := file.Object("key_derivation_details").Object("Argon2")
	argon.Text("salt_aes")
	argon.Text("salt_hmac")
	require.Equal(c.T, "argon2id", argon.Object("params").Text("algorithm"))
	for _, name := range []string{"m_cost", "t_cost", "p_cost"} {
		argon.Object("params").Number(name)
	}
}

// Stream is the stream of events.
type Stream struct {
	t     testing.TB
	mu    sync.Mutex
	lines []string
	ended chan struct{}
}

// Events opens the event stream. The SDK waits for its first line before it enables any events.
func Events(c Client) *Stream {
	c.T.Helper()
	response, err := http.Get(c.URL + "/event-stream?id=0")
	require.NoError(c.T, err)
	c.T.Cleanup(func() { response.Body.Close() })
	require.Equal(c.T, "text/event-stream", response.Header.Get("Content-Type"))
	lines := bufio.NewReader(response.Body)
	_, err = lines.ReadString('\n')
	require.NoError(c.T, err)
	s := &Stream{t: c.T, ended: make(chan struct{})}
	go s.read(lines)
	for _, method := range []string{"shutdown_signal", "network", "heartbeat"} {
		require.NotEmpty(c.T, c.V2("stream::"+method+"::enable", `{"client_id":0}`).Text("streamer_id"))
	}
	return s
}

func (s *Stream) read(lines *bufio.Reader) {
	defer close(s.ended)
	for {
		line, err := lines.ReadString('\n')
		s.mu.Lock()
		s.lines = append(s.lines, line)
		s.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// All returns the whole stream after its end.
func (s *Stream) All() string {
	<-s.ended
	return strings.Join(s.lines, "")
}

// Await waits for an event of a type for which is returns true. is is called with the message as an
// Answer; a list is the member "".
func (s *Stream) Await(typ string, is func(Answer) bool) Answer {
	s.t.Helper()
	for begin := time.Now(); time.Since(begin) < time.Minute; time.Sleep(Pause) {
		s.mu.Lock()
		lines := slices.Clone(s.lines)
		s.mu.Unlock()
		for _, line := range lines {
			data, there := strings.CutPrefix(line, "data: ")
			if !there || !strings.HasSuffix(line, "\n") {
				continue
			}
			event := Answer{decoded(s.t, []byte(data)).(map[string]any), s.t, "event"}
			if event.Text("_type") != typ {
				continue
			}
			noFractions(s.t, typ, event.Members)
			message, object := event.Value("message").(map[string]any)
			if !object {
				message = map[string]any{"": event.Value("message")}
			}
			if a := (Answer{message, s.t, typ}); is(a) {
				return a
			}
		}
	}
	require.Fail(s.t, "no such event", "%s in %v", typ, s.lines)
	return Answer{}
}

// Account decodes an account of an HD wallet.
func Account(s Answer, ticker string) {
	s.t.Helper()
	s.Number("account_index")
	s.Text("derivation_path")
	s.Object("total_balance").Balance(ticker)
	for _, address := range s.List("addresses") {
		address.Text("address")
		require.Contains(s.t, []string{"External", "Internal"}, address.Text("chain"))
		address.Text("derivation_path")
		address.Object("balance").Balance(ticker)
	}
}
