// Package story plays a wallet's life on an EVM network: activation with tokens, balances,
// fees, sending and waiting. It is played on a real network, Foundry's anvil, where the
// answers are recorded, and later on the recorded answers. Only tests use it.
//
// Invariant: what is asked of a tape was asked when it was recorded, but for the ids.
package story

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"sync"

	"obverse/core/net/fetch"
)

// Exchange is a request and what a node answered.
type Exchange struct {
	Request  json.RawMessage `json:"request"`
	Status   int             `json:"status"`
	Response json.RawMessage `json:"response"`
}

// Tape records what a network answers, or answers in its place.
type Tape struct {
	Network fetch.Fetcher // nil means no network

	mu   sync.Mutex
	All  []Exchange
	used map[int]bool
}

var ids = regexp.MustCompile(`"id":(\d+)`)

// question is the same for requests that ask the same.
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

// replay answers as a node did, in the same order to the same question; the last answer
// stands for all that follow.
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

// renumber gives an answer the ids that were asked with.
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
