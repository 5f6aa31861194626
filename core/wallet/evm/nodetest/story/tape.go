// Package story runs a typical sequence of a wallet's operations on an EVM network: activation
// with tokens, balances, fees, sending and waiting. It runs on a real network, Foundry's anvil,
// where the answers are recorded, and later with the recorded answers. It is only for tests.
//
// Invariant: The requests to a tape are the recorded requests, except for the ids.
package story

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"sync"

	"obverse/core/net/fetch"
)

// Exchange is a request with the answer of a node.
type Exchange struct {
	Request  json.RawMessage `json:"request"`
	Status   int             `json:"status"`
	Response json.RawMessage `json:"response"`
}

// Tape records the answers of a network, or replays them.
type Tape struct {
	Network fetch.Fetcher // nil if the tape is replayed

	mu   sync.Mutex
	All  []Exchange
	used map[int]bool
}

var ids = regexp.MustCompile(`"id":(\d+)`)

// question returns a text that is equal for equivalent requests.
func question(request []byte) string { return ids.ReplaceAllString(string(request), `"id":0`) }

// Fetch implements fetch.Fetcher.
func (t *Tape) Fetch(ctx context.Context, r fetch.Request) (fetch.Response, error) {
	if t.Network == nil {
		return t.replay(r)
	}
	response, err := t.Network.Fetch(ctx, r)
	if err == nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.All = append(t.All, Exchange{append(json.RawMessage(nil), r.Body...), response.Status, append(json.RawMessage(nil), response.Body...)})
	}
	return response, err
}

// replay returns the recorded answers to a request in their order. The last answer is repeated.
func (t *Tape) replay(r fetch.Request) (fetch.Response, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.used == nil {
		t.used = map[int]bool{}
	}
	found := -1
	for i, e := range t.All {
		if question(e.Request) != question(r.Body) {
			continue
		}
		found = i
		if !t.used[i] {
			break
		}
	}
	if found < 0 {
		return fetch.Response{}, fmt.Errorf("%w: it was not recorded: %s", fetch.ErrUnreachable, r.Body)
	}
	t.used[found] = true
	e := t.All[found]
	return fetch.Response{Status: e.Status, ContentType: "application/json", Body: renumber(e, r.Body)}, nil
}

// renumber replaces the ids of an answer with the ids of the request.
func renumber(e Exchange, request []byte) []byte {
	now := map[string]string{}
	asks := ids.FindAllSubmatch(request, -1)
	for i, old := range ids.FindAllSubmatch(e.Request, -1) {
		now[string(old[1])] = string(asks[i][1])
	}
	return ids.ReplaceAllFunc(e.Response, func(id []byte) []byte {
		return []byte(`"id":` + now[string(ids.FindSubmatch(id)[1])])
	})
}
