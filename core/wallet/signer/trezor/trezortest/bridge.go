package trezortest

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"obverse/core/clock"
	"obverse/core/net/fetch"
	"obverse/core/wallet/signer/trezor"
)

// Bridge answers requests as Trezor Bridge does.
type Bridge struct {
	bus *Bus

	mu       sync.Mutex
	made     int
	sessions map[string]string // by device
	hosts    map[string]*Host  // by session
}

// NewBridge returns a Bridge with devices.
func NewBridge(devices ...*Device) *Bridge {
	return &Bridge{bus: NewBus(devices...), sessions: map[string]string{}, hosts: map[string]*Host{}}
}

// Fetch implements fetch.Fetcher, so that a client needs no connection.
func (b *Bridge) Fetch(ctx context.Context, r fetch.Request) (fetch.Response, error) {
	path := strings.TrimPrefix(r.URL, trezor.BridgeURL)
	status, body := b.Handle(ctx, path, r.Body)
	if ctx.Err() != nil {
		return fetch.Response{}, ctx.Err()
	}
	if int64(len(body)) > r.Limit {
		return fetch.Response{}, fetch.ErrTooLarge
	}
	return fetch.Response{Status: status, Body: body}, nil
}

// Handle answers a POST request.
func (b *Bridge) Handle(ctx context.Context, path string, content []byte) (status int, body []byte) {
	part := strings.Split(strings.Trim(path, "/"), "/")
	switch {
	case part[0] == "":
		return encoded(map[string]any{"version": "3.0.0"})
	case part[0] == "enumerate":
		return encoded(b.list())
	case part[0] == "listen":
		return encoded(b.listen(ctx, content))
	case part[0] == "acquire" && len(part) == 3:
		return b.acquire(part[1], part[2])
	case part[0] == "release" && len(part) == 2:
		return b.release(part[1])
	case len(part) == 2:
		return b.exchange(ctx, part[0], part[1], content)
	}
	return refuse("not found")
}

func encoded(v any) (int, []byte) {
	body, err := json.Marshal(v)
	if err != nil {
		return http.StatusInternalServerError, nil
	}
	return http.StatusOK, body
}

func refuse(why string) (int, []byte) {
	_, body := encoded(map[string]string{"error": why})
	return http.StatusBadRequest, body
}

func (b *Bridge) list() []map[string]any {
	all := []map[string]any{}
	for _, d := range b.bus.plugged() {
		var session any
		b.mu.Lock()
		if s := b.sessions[d.Info.ID]; s != "" {
			session = s
		}
		b.mu.Unlock()
		all = append(all, map[string]any{"path": d.Info.ID, "vendor": d.Info.Vendor, "product": d.Info.Product, "session": session, "debug": false,
			"debugSession": nil, "type": 1})
	}
	return all
}

// listen waits until the list of devices differs from the list that the host has.
func (b *Bridge) listen(ctx context.Context, known []byte) []map[string]any {
	type named struct{ Path, Session any }
	var old []named
	_ = json.Unmarshal(known, &old) // a host without a list sends nothing
	for {
		all := b.list()
		var now []named
		for _, d := range all {
			now = append(now, named{d["path"], d["session"]})
		}
		if !slices.Equal(old, now) || clock.Sleep(ctx, 50*time.Millisecond) != nil {
			return all
		}
	}
}

func (b *Bridge) acquire(id, previous string) (int, []byte) {
	h, err := b.bus.connect(id)
	if err != nil {
		return refuse("device not found")
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	held := b.sessions[id]
	if held == "" {
		held = "null"
	}
	if previous != held {
		return refuse("wrong previous session")
	}
	delete(b.hosts, held)
	b.made++
	session := strconv.Itoa(b.made)
	b.sessions[id], b.hosts[session] = session, h
	return encoded(map[string]string{"session": session})
}

func (b *Bridge) release(session string) (int, []byte) {
	b.mu.Lock()
	defer b.mu.Unlock()
	h := b.hosts[session]
	if h == nil {
		return refuse("session not found")
	}
	delete(b.hosts, session)
	delete(b.sessions, h.d.Info.ID)
	return encoded(nil)
}

// exchange handles the endpoints call, post and read.
func (b *Bridge) exchange(ctx context.Context, what, session string, content []byte) (int, []byte) {
	b.mu.Lock()
	h := b.hosts[session]
	b.mu.Unlock()
	if h == nil {
		return refuse("session not found")
	}
	if what != "read" {
		whole, err := hex.DecodeString(string(content))
		if err != nil || len(whole) < 6 || int(binary.BigEndian.Uint32(whole[2:])) != len(whole)-6 {
			return refuse("malformed message")
		}
		if h.Send(ctx, trezor.Message{Kind: trezor.Kind(binary.BigEndian.Uint16(whole)), Body: whole[6:]}) != nil {
			return refuse("device disconnected during action")
		}
	}
	if what == "post" {
		return http.StatusOK, nil
	}
	m, err := h.Receive(ctx)
	if err != nil {
		return refuse("device disconnected during action")
	}
	whole := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint16(nil, uint16(m.Kind)), uint32(len(m.Body)))
	return http.StatusOK, []byte(hex.EncodeToString(append(whole, m.Body...)))
}
