package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/stretchr/testify/require"
)

// client calls the daemon API over persistent connections.
type client struct {
	url      string
	user     string
	password string
	http     *http.Client
}

// connections is the number of requests that a client can have in flight.
const connections = 64

func newClient(url string, seen *record) *client {
	transport := &http.Transport{MaxIdleConnsPerHost: connections, MaxConnsPerHost: connections}
	return &client{
		url: url, user: daemonUser, password: daemonPassword,
		http: &http.Client{Transport: recorded{transport, seen}, Timeout: timeout},
	}
}

// post sends a body with the credential. It returns only errors of the connection.
func (c *client) post(body []byte) (status int, reply []byte, err error) {
	request, err := http.NewRequest(http.MethodPost, c.url+"/", bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	request.SetBasicAuth(c.user, c.password)
	response, err := c.http.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	if reply, err = io.ReadAll(response.Body); err != nil {
		return 0, nil, err
	}
	return response.StatusCode, reply, nil
}

// reply is a response of the daemon API.
type reply struct {
	Result json.RawMessage `json:"result"`
	Error  *rpcError       `json:"error"`
}

type rpcError struct {
	Code    int    `json:"code"`
	Message string `json:"message"`
}

func (e *rpcError) Error() string { return fmt.Sprintf("%d: %s", e.Code, e.Message) }

// request returns the body of a call.
func request(method string, params ...any) []byte {
	if params == nil {
		params = []any{}
	}
	body, err := json.Marshal(map[string]any{"id": "e2e", "method": method, "params": params})
	if err != nil {
		panic(err) // a mistake in the test
	}
	return body
}

// try calls a method of a node that may be killed meanwhile.
func (c *client) try(body []byte) (r reply, err error) {
	_, raw, err := c.post(body)
	if err != nil {
		return r, err
	}
	if err := json.Unmarshal(raw, &r); err != nil {
		return r, fmt.Errorf("reply %.200q: %w", raw, err)
	}
	return r, nil
}

// call calls a method that must succeed, and decodes its result into result.
func (n *node) call(result any, method string, params ...any) {
	n.t.Helper()
	r, err := n.client.try(request(method, params...))
	require.NoError(n.t, err, method)
	require.Nil(n.t, r.Error, "%s answers %v", method, r.Error)
	require.NoError(n.t, json.Unmarshal(r.Result, result), "%s answers %s", method, r.Result)
}

// raw returns the result of a call as bytes.
func (n *node) raw(method string, params ...any) string {
	n.t.Helper()
	var result json.RawMessage
	n.call(&result, method, params...)
	return string(result)
}

// send broadcasts a transaction in hexadecimal, which must be accepted.
func (n *node) send(hex string) (id string) {
	n.t.Helper()
	n.call(&id, "sendrawtransaction", hex)
	return id
}

// waitConfirmed waits until the mempool is empty.
func (n *node) waitConfirmed() {
	n.t.Helper()
	for deadline := time.Now().Add(timeout); ; time.Sleep(5 * time.Millisecond) {
		var waiting []string
		if n.call(&waiting, "getrawmempool"); len(waiting) == 0 {
			return
		}
		require.True(n.t, time.Now().Before(deadline), "%d transactions wait and get into no block", len(waiting))
	}
}

// get requests a path on the port of the node API.
func (n *node) get(path string, host string) (status int, body string) {
	n.t.Helper()
	return n.fetch(n.ready.Node+path, host)
}

// fetch sends a GET request, with the header Host if it is not empty.
func (n *node) fetch(url, host string) (status int, body string) {
	n.t.Helper()
	request, err := http.NewRequest(http.MethodGet, url, nil)
	require.NoError(n.t, err)
	request.Host = host
	response, err := n.client.http.Do(request)
	require.NoError(n.t, err)
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	require.NoError(n.t, err)
	return response.StatusCode, string(text)
}

func (n *node) requireReady() {
	n.t.Helper()
	status, body := n.get("/readyz", "")
	require.Equal(n.t, http.StatusOK, status, body)
}

// anonymous posts a body without a credential.
func (n *node) anonymous(body []byte) (status int, header http.Header) {
	n.t.Helper()
	response, err := n.client.http.Post(n.ready.Daemon+"/", "application/json", bytes.NewReader(body))
	require.NoError(n.t, err)
	defer response.Body.Close()
	_, err = io.Copy(io.Discard, response.Body) // for the record of the responses
	require.NoError(n.t, err)
	return response.StatusCode, response.Header
}
