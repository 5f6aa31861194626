package lightning

import (
	"context"
	"fmt"
	"net"
	"os"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	core "obverse/core/wallet/lightning"
	"obverse/core/wallet/lightning/link"
	"obverse/core/wallet/lightning/noise"
	"obverse/core/wallet/lightning/wire"
)

// half is the number of peers in each direction in TestManyPeers.
const half = 100

// usage holds the resources that the process uses.
type usage struct {
	heap        uint64
	goroutines  int
	descriptors int
}

func used(t *testing.T) usage {
	t.Helper()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	open, err := os.ReadDir("/proc/self/fd")
	require.NoError(t, err)
	return usage{m.HeapAlloc + m.StackInuse, runtime.NumGoroutine(), len(open)}
}

// caller is a peer that connects to the node and pings it continuously.
type caller struct {
	conn  link.Conn
	pongs atomic.Int64
}

// ping sends pings that request pongs of various sizes, one after the other, until the connection
// ends.
func (c *caller) ping(session *noise.Session) {
	writer, reader := session.Writer(c.conn), session.Reader(c.conn)
	if writer.Write(wire.Init{Features: wire.LocalFeatures()}.Encode()) != nil {
		return
	}
	for n := 0; ; n++ {
		if writer.Write(wire.Ping{Pong: n * 97 % 5000, Ignored: 100}.Encode()) != nil {
			return
		}
		for answered := false; !answered; {
			message, err := reader.Read()
			if err != nil {
				return
			}
			kind, _, _ := wire.Split(message)
			answered = kind == wire.TypePong
		}
		c.pongs.Add(1)
		time.Sleep(20 * time.Millisecond)
	}
}

// TestManyPeers keeps 200 peers connected for OBVERSE_PEER_SECONDS seconds, or 2 if it is not set.
// All connections must stay open, their resources are limited, and they leave no resources behind.
func TestManyPeers(t *testing.T) {
	seconds, err := strconv.Atoi(os.Getenv("OBVERSE_PEER_SECONDS"))
	if err != nil {
		seconds = 2
	}
	before := used(t)
	var up, down atomic.Int64
	listener, err := Listen(t.Context(), "127.0.0.1:0")
	require.NoError(t, err)
	hub := start(t, "hub", listener, func(c *link.Config) {
		c.Changed = func(p core.Peer) {
			if p.State == core.Connected {
				up.Add(1)
			} else {
				down.Add(1)
			}
		}
	})
	idle := used(t)
	friends := befriend(t, hub)
	callers, pinging := callAll(t, hub, listener.Addr())
	require.Eventually(t, func() bool { return up.Load() == 2*half }, timeout, 10*time.Millisecond)

	time.Sleep(time.Duration(seconds) * time.Second)
	require.Len(t, hub.List(), 2*half)
	require.EqualValues(t, 2*half, up.Load())
	require.Zero(t, down.Load(), "none was lost")
	pongs := int64(0)
	for _, c := range callers {
		require.Positive(t, c.pongs.Load())
		pongs += c.pongs.Load()
	}
	during := used(t)
	// Both ends of each connection are in this process, and half of the peers are nodes.
	t.Logf("%d peers for %d s, %d pongs: %d kB, %d goroutines, %d descriptors for both ends of one", 2*half, seconds, pongs,
		(during.heap-min(during.heap, idle.heap))/(2*half)>>10, (during.goroutines-idle.goroutines)/(2*half), (during.descriptors-idle.descriptors)/(2*half))
	require.LessOrEqual(t, during.heap, idle.heap+2*half*128<<10)
	require.LessOrEqual(t, during.goroutines, idle.goroutines+2*half*10)
	require.LessOrEqual(t, during.descriptors, idle.descriptors+2*half*3)

	hub.stop()
	pinging.Wait() // their connections have been closed
	for _, friend := range friends {
		friend.stop()
	}
	for _, c := range callers {
		require.NoError(t, c.conn.Close())
	}
	require.Eventually(t, func() bool {
		after := used(t)
		return after.goroutines <= before.goroutines+2 && after.descriptors <= before.descriptors+2
	}, timeout, 100*time.Millisecond)
	require.LessOrEqual(t, used(t).heap, before.heap+8<<20)
}

// befriend connects the hub to other nodes of the test.
func befriend(t *testing.T, hub *node) (friends []*node) {
	t.Helper()
	var connecting sync.WaitGroup
	for n := range half {
		friend, address := listening(t, fmt.Sprint("friend", n), "127.0.0.1:0")
		friends = append(friends, friend)
		connecting.Go(func() {
			_, err := hub.Connect(t.Context(), parse(t, address), timeout)
			require.NoError(t, err)
		})
	}
	connecting.Wait()
	return friends
}

// callAll connects peers to the hub. The number of concurrent handshakes stays within the limit.
func callAll(t *testing.T, hub *node, place string) (callers []*caller, pinging *sync.WaitGroup) {
	t.Helper()
	pinging = new(sync.WaitGroup)
	where, err := net.ResolveTCPAddr("tcp", place)
	require.NoError(t, err)
	for n := range half {
		conn, err := Dialer{}.Dial(context.Background(), where.IP.String(), uint16(where.Port))
		require.NoError(t, err)
		session := handshake(t, conn, fmt.Sprint("caller", n), hub.ID())
		c := &caller{conn: conn}
		callers = append(callers, c)
		pinging.Go(func() { c.ping(session) })
	}
	return callers, pinging
}
