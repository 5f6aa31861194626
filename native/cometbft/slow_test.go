package cometbft

import (
	"io"
	"math/rand/v2"
	"net"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// relay is a slow network connection in front of a node. Each piece of data is delayed by another
// time, and connections are closed at random.
type relay struct {
	listener net.Listener
	to       string
	minDelay time.Duration
	maxDelay time.Duration
	life     time.Duration // maximum duration of a connection
	broken   atomic.Int32

	mu   sync.Mutex
	ends []func() // functions that close its connections
}

// cut closes all connections and accepts no more.
func (r *relay) cut() {
	_ = r.listener.Close()
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, end := range r.ends {
		end()
	}
}

func newRelay(t *testing.T, to string, minDelay, maxDelay, life time.Duration) *relay {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	r := &relay{listener: l, to: to, minDelay: minDelay, maxDelay: maxDelay, life: life}
	go r.accept()
	t.Cleanup(func() { _ = l.Close() })
	return r
}

func (r *relay) accept() {
	for {
		in, err := r.listener.Accept()
		if err != nil {
			return
		}
		out, err := net.Dial("tcp", r.to)
		if err != nil {
			_ = in.Close()
			continue
		}
		end := sync.OnceFunc(func() { _ = in.Close(); _ = out.Close() })
		r.mu.Lock()
		r.ends = append(r.ends, end)
		r.mu.Unlock()
		time.AfterFunc(r.life/4+time.Duration(rand.Int64N(int64(r.life))), func() { r.broken.Add(1); end() })
		go r.pass(in, out, end)
		go r.pass(out, in, end)
	}
}

// piece is the data of one read, with the time at which it is passed on.
type piece struct {
	data []byte
	due  time.Time
}

func (r *relay) pass(from io.Reader, to io.Writer, end func()) {
	defer end()
	pieces := make(chan piece, 1024)
	go func() {
		defer close(pieces)
		for {
			data := make([]byte, 4096)
			n, err := from.Read(data)
			if err != nil {
				return
			}
			pieces <- piece{data[:n], time.Now().Add(r.minDelay + time.Duration(rand.Int64N(int64(r.maxDelay-r.minDelay))))}
		}
	}()
	for p := range pieces {
		time.Sleep(time.Until(p.due))
		if _, err := to.Write(p.data); err != nil {
			end()
			for range pieces {
			}
			return
		}
	}
}

// TestSlowNetwork connects validators with slow connections that are closed at random. All nodes
// must agree on every payment.
func TestSlowNetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("waits for slow links")
	}
	w := newNetwork(t, testOptions(t), 4)
	var relays []*relay
	instead := map[string]string{}
	for i := range w.nodes {
		w.nodes[i].inMemory(t)
		r := newRelay(t, w.settings[i].Listen, 20*time.Millisecond, 120*time.Millisecond, 8*time.Second)
		relays = append(relays, r)
		instead[w.settings[i].Listen] = r.listener.Addr().String()
		w.settings[i].External = r.listener.Addr().String()
	}
	for i := range w.settings {
		for j, peer := range w.settings[i].Peers {
			const id = 41 // length including the @
			w.settings[i].Peers[j] = peer[:id] + instead[peer[id:]]
		}
	}
	w.begin(t)
	from, broken := w.nodes[0].premine(t), int32(0)
	for height := 2; height <= 8 || broken == 0; height++ {
		tx := w.nodes[height%4].payment(t, from, 10_000)
		require.NoError(t, w.nodes[height%4].send(tx.Encode()))
		w.agree(t, height)
		from = tx
		for _, r := range relays {
			broken += r.broken.Swap(0)
		}
	}
	t.Logf("%d connections broke", broken)
}
