// Package client calls the APIs of a node over HTTP, for `obverse call`.
// It does not know methods.
//
// Sources: the envelopes of the daemon API (JSON-RPC 1.0) and of the node API (mmrpc 2.0).
//
// Invariant: a credential is sent only to the address for which it was passed, and appears in no
// error.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// maxAnswer limits an answer to a size that fits into memory and that no node exceeds.
const maxAnswer = 512 << 20

// ErrCredential means that the daemon API refused the user and password.
var ErrCredential = errors.New("user or password is wrong")

// Daemon is the daemon API of a node.
type Daemon struct {
	URL, User, Password string
	Warn                func(text string) // called with the warning of a reply; may be nil
}

// Call sends one request and returns its result. An error of the node is a
// *RemoteError, including an error that a token method returns in the result.
func (d Daemon) Call(ctx context.Context, method string, params []json.RawMessage) (json.RawMessage, error) {
	if params == nil {
		params = []json.RawMessage{}
	}
	body, err := json.Marshal(map[string]any{"jsonrpc": "1.0", "id": "obverse", "method": method, "params": params, "hints": true})
	if err != nil {
		return nil, err
	}
	request, err := post(ctx, d.URL, body)
	if err != nil {
		return nil, err
	}
	request.SetBasicAuth(d.User, d.Password)
	var reply struct {
		Result, Error json.RawMessage
		Warning       string
	}
	if err := exchange(request, &reply); err != nil {
		return nil, err
	}
	if reply.Warning != "" && d.Warn != nil {
		d.Warn(reply.Warning)
	}
	if isPresent(reply.Error) {
		return nil, daemonError(reply.Error)
	}
	if refused := refusal(reply.Result); refused != nil {
		return nil, refused
	}
	return reply.Result, nil
}

// Node is the node API of a node.
type Node struct{ URL, Password string }

// Call sends one request and returns its result; an error of the node is a
// *RemoteError with the whole answer.
func (n Node) Call(ctx context.Context, method string, params json.RawMessage) (json.RawMessage, error) {
	body, err := json.Marshal(map[string]any{"mmrpc": "2.0", "userpass": n.Password, "method": method, "params": params, "id": 0})
	if err != nil {
		return nil, err
	}
	request, err := post(ctx, n.URL, body)
	if err != nil {
		return nil, err
	}
	var reply json.RawMessage
	if err := exchange(request, &reply); err != nil {
		return nil, err
	}
	var parts struct{ Result, Error json.RawMessage }
	if err := json.Unmarshal(reply, &parts); err != nil || isPresent(parts.Error) {
		return nil, nodeError(reply)
	}
	return parts.Result, nil
}

func post(ctx context.Context, url string, body []byte) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	return request, nil
}

// direct uses neither proxies nor redirects, which would receive the credential.
var direct = &http.Client{
	Transport:     &http.Transport{},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// exchange sends a request and decodes the answer into reply, whatever its status, because both APIs return
// their errors in the body too.
func exchange(request *http.Request, reply any) error {
	response, err := direct.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return err
	}
	if len(body) > maxAnswer {
		return fmt.Errorf("%s returned more than %d MiB", request.URL, maxAnswer>>20)
	}
	if response.StatusCode == http.StatusUnauthorized {
		return ErrCredential
	}
	if err := json.Unmarshal(body, reply); err != nil {
		return fmt.Errorf("%s returned %s without JSON", request.URL, response.Status)
	}
	return nil
}

func isPresent(raw json.RawMessage) bool { return len(raw) > 0 && string(raw) != "null" }
