package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/coder/websocket"

	"obverse/native/test/interop"
)

// socket is a websocket that records every message in order, both sent and received.
type socket struct {
	conn *websocket.Conn
	on   *tape
}

// tapeEvents records messages on the node's websocket: subscriptions to the user's account,
// transactions, and invalid requests.
func (r *recorder) tapeEvents(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	conn, _, err := websocket.Dial(ctx, "ws"+strings.TrimPrefix(r.URL, "http")+"/websocket", nil)
	if err != nil {
		return err
	}
	defer conn.CloseNow()
	conn.SetReadLimit(1 << 20)
	s := socket{conn, &r.events}
	spent := "tm.event='Tx' AND coin_spent.spender='" + r.User.Address + "'"
	received := "tm.event='Tx' AND coin_received.receiver='" + r.User.Address + "'"
	for n, query := range []string{spent, received} {
		if err := s.ask(ctx, n+1, "subscribe", query); err != nil {
			return err
		}
	}
	for _, a := range []struct {
		name   string
		events int // number of subscriptions to which it belongs
		draft
	}{
		{"seen to go out", 1, draft{from: r.User, arguments: send(r.User, r.Other.Address, "31"+r.Denom)}},
		{"seen to come in", 1, draft{from: r.Other, arguments: send(r.Other, r.User.Address, "32"+r.Vouchers[0].Denom)}},
		{"seen on both sides", 2, draft{from: r.User, arguments: send(r.User, r.User.Address, "33"+r.Denom)}},
		{"seen to fail", 1, draft{from: r.User, arguments: send(r.User, r.Other.Address, interop.Plenty+r.Denom)}},
	} {
		raw, err := r.sign(ctx, a.draft)
		if err != nil {
			return fmt.Errorf("%s: %w", a.name, err)
		}
		if err := r.commit(ctx, a.name, raw); err != nil {
			return err
		}
		for range a.events {
			if err := s.hear(ctx, a.name); err != nil {
				return fmt.Errorf("%s: %w", a.name, err)
			}
		}
	}
	return s.refusals(ctx, spent)
}

// refusals sends invalid requests at the end.
func (s socket) refusals(ctx context.Context, spent string) error {
	for n, q := range []struct{ method, query string }{
		{"subscribe", spent}, // the second time
		{"subscribe", "tm.event="},
		{"subscribe", ""},
		{"subscribe", "tm.event='NewBlock' AND tm.event='Tx'"},
		{"subscribe", "transfer.amount='3'"},
		{"subscribe", "transfer.amount='4'"},
		{"subscribe", "transfer.amount='5'"}, // exceeds the limit of five
		{"unsubscribe", spent},
		{"unsubscribe", spent}, // the second time
		{"health", ""},
		{"nothing", ""},
	} {
		if err := s.ask(ctx, n+11, q.method, q.query); err != nil {
			return fmt.Errorf("%s %q: %w", q.method, q.query, err)
		}
	}
	return s.ask(ctx, 31, "unsubscribe_all", "")
}

// ask sends a request and waits for its response.
func (s socket) ask(ctx context.Context, id int, method, query string) error {
	with := params{}
	if query != "" {
		with = params{{"query", query}}
	}
	request, err := marshal(struct {
		Version string `json:"jsonrpc"`
		ID      int    `json:"id"`
		Method  string `json:"method"`
		Params  params `json:"params"`
	}{"2.0", id, method, with})
	if err != nil {
		return err
	}
	*s.on = append(*s.on, entry{Name: "sent", Request: request})
	if err := s.conn.Write(ctx, websocket.MessageText, request); err != nil {
		return err
	}
	return s.hear(ctx, "received")
}

// hear waits for a message.
func (s socket) hear(ctx context.Context, name string) error {
	kind, text, err := s.conn.Read(ctx)
	if err != nil {
		return err
	}
	if kind != websocket.MessageText || !json.Valid(text) {
		return fmt.Errorf("a message is invalid JSON: %.200q", text)
	}
	*s.on = append(*s.on, entry{Name: name, Response: text})
	return nil
}
