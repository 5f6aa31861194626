package fetch

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/wasm/jsval"
)

// standIn implements the WebSocket of the standard without a network, since Node 20 has no
// WebSocket. It returns every message, and some with further ones.
const standIn = `({WebSocket: class {
	constructor(url) {
		if (url.includes('throw')) throw new SyntaxError(url);
		this.readyState = 0; this.bufferedAmount = 0; this.closed = 0;
		globalThis.lastSocket = this;
		if (url.includes('hang')) return;
		setTimeout(() => url.includes('refuse') ? this.drop() : (this.readyState = 1, this.onopen?.({})));
	}
	drop() { if (this.readyState == 3) return; this.readyState = 3; this.onerror?.({}); this.onclose?.({}); }
	send(text) {
		if (this.readyState == 0) throw new Error('InvalidStateError');
		const answer = data => setTimeout(() => this.onmessage?.({data}));
		if (text == 'close') return setTimeout(() => this.drop());
		if (text == 'two and close') { answer('1'); answer('2'); return setTimeout(() => this.drop()); }
		if (text == 'binary') return answer(new ArrayBuffer(3));
		if (text == 'flood') { for (let i = 0; i < 5000; i++) answer('x'); return }
		if (text == 'much') { for (let i = 0; i < 17; i++) answer('x'.repeat(100)); return }
		if (text == 'slow') { this.bufferedAmount = 2 << 20; setTimeout(() => this.bufferedAmount = 0, 25); }
		answer(text);
	}
	close() { this.closed++; this.readyState = 3 }
}})`

func dial(t *testing.T, url string) (fetch.Socket, error) {
	global, err := jsval.Global().Call("eval", standIn)
	require.NoError(t, err)
	client := New(global)
	if strings.Contains(url, "hang") {
		client.timeout = 5 * time.Millisecond
	}
	return client.Dial(t.Context(), fetch.Request{URL: url, Limit: 100})
}

func open(t *testing.T) fetch.Socket {
	s, err := dial(t, "wss://node.example/websocket")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, s.Close()) })
	return s
}

func TestSocket(t *testing.T) {
	s := open(t)
	for _, text := range []string{"one", "", "ü" + strings.Repeat("x", 98), "slow", "after"} {
		require.NoError(t, s.Write(t.Context(), []byte(text)))
		got, err := s.Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, text, string(got))
	}
	require.NoError(t, s.Close())
	require.NoError(t, s.Close())
	closed, err := jsval.Global().Get("lastSocket").Get("closed").Whole()
	require.NoError(t, err)
	require.EqualValues(t, 1, closed)
	_, err = s.Read(t.Context())
	require.ErrorIs(t, err, fetch.ErrUnreachable)
	require.ErrorIs(t, s.Write(t.Context(), []byte("x")), fetch.ErrUnreachable)
}

func TestSocketEnds(t *testing.T) {
	for text, want := range map[string]error{
		strings.Repeat("x", 101):           fetch.ErrTooLarge,
		strings.Repeat("x", 98) + "\u20ac": fetch.ErrTooLarge, // 99 units, 101 bytes
		"close":                            fetch.ErrUnreachable,
		"binary":                           fetch.ErrUnreachable,
	} {
		s := open(t)
		require.NoError(t, s.Write(t.Context(), []byte(text)))
		for range 2 {
			_, err := s.Read(t.Context())
			require.ErrorIs(t, err, want, text)
		}
		require.Error(t, s.Write(t.Context(), []byte("x")), "it stays over")
	}
}

func TestSocketGivesWhatCameBeforeTheEnd(t *testing.T) {
	s := open(t)
	require.NoError(t, s.Write(t.Context(), []byte("two and close")))
	time.Sleep(20 * time.Millisecond)
	for _, want := range []string{"1", "2"} {
		got, err := s.Read(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, string(got))
	}
	_, err := s.Read(t.Context())
	require.ErrorIs(t, err, fetch.ErrUnreachable)
}

// TestSocketFloods checks the limit on unread messages, which the browser stores.
func TestSocketFloods(t *testing.T) {
	for text, max := range map[string]int{"flood": 4999, "much": queueFactor + 1} {
		s := open(t)
		require.NoError(t, s.Write(t.Context(), []byte(text)))
		<-s.(*socket).over
		var err error
		for n := 0; err == nil; n++ {
			require.LessOrEqual(t, n, max, "not all came through")
			_, err = s.Read(t.Context())
		}
		require.ErrorContains(t, err, "receive queue overflowed", text)
	}
}

func TestSocketContext(t *testing.T) {
	s := open(t)
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Millisecond)
	defer cancel()
	_, err := s.Read(ctx)
	require.ErrorIs(t, err, fetch.ErrTimeout)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	_, err = s.Read(t.Context())
	require.Error(t, err, "it is over")
}

func TestDialFails(t *testing.T) {
	for name, want := range map[string]error{"refuse": fetch.ErrUnreachable, "throw": fetch.ErrUnreachable, "hang": fetch.ErrTimeout} {
		_, err := dial(t, "ws://node.example/"+name+secret)
		require.ErrorIs(t, err, want, name)
		require.NotContains(t, err.Error(), secret)
	}
	for _, url := range []string{"https://node.example/", "ws://a:b@node.example/", "ws:///", ""} {
		_, err := dial(t, url)
		require.ErrorIs(t, err, fetch.ErrRequest, url)
	}
	_, err := New(jsval.Global()).Dial(t.Context(), fetch.Request{URL: "ws://node.example/", Header: map[string]string{"A": "b"}})
	require.ErrorIs(t, err, fetch.ErrRequest)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = New(jsval.Global()).Dial(ended, fetch.Request{URL: "ws://node.example/"})
	require.ErrorIs(t, err, context.Canceled)
	_, err = New(jsval.Value{}).Dial(t.Context(), fetch.Request{URL: "ws://node.example/"})
	require.ErrorIs(t, err, fetch.ErrUnreachable, "where there is no WebSocket")
}
