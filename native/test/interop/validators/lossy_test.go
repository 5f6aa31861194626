package validators_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// Effects of a lossy link on IP packets, in each direction.
const (
	lost       = 0.05
	duplicated = 0.01
	minDelay   = 10 * time.Millisecond
	maxDelay   = 50 * time.Millisecond // packets may overtake one another
)

// lossy is a network whose packets pass through this process, for kernels without netem. Each
// namespace has a TUN device.
type lossy struct {
	devices [count]*os.File
	passed  atomic.Int64
	dropped atomic.Int64
}

func newLossy(t *testing.T) *lossy {
	require.Zero(t, os.Geteuid(), "network namespaces need root")
	l := &lossy{}
	remove := func() {
		for i := range count {
			_ = exec.Command("ip", "netns", "del", namespace(i)).Run()
		}
	}
	remove() // of a run that was killed
	t.Cleanup(func() {
		for _, device := range l.devices {
			_ = device.Close()
		}
		remove()
	})
	for i := range count {
		l.devices[i] = device(t, link(i))
		ip(t, "netns add "+namespace(i))
		ip(t, "link set "+link(i)+" netns "+namespace(i))
		inside := "netns exec " + namespace(i) + " ip "
		ip(t, inside+"addr add "+address(i)+"/24 dev "+link(i))
		ip(t, inside+"link set "+link(i)+" up")
		ip(t, inside+"link set lo up")
	}
	for i := range count {
		go l.carry(l.devices[i])
	}
	return l
}

// device creates a TUN device, which exists until the file is closed.
func device(t *testing.T, name string) *os.File {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_NONBLOCK, 0)
	require.NoError(t, err)
	request, err := unix.NewIfreq(name)
	require.NoError(t, err)
	request.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	require.NoError(t, unix.IoctlIfreq(fd, unix.TUNSETIFF, request))
	return os.NewFile(uintptr(fd), name)
}

// carry passes a node's packets to their receivers.
func (l *lossy) carry(from *os.File) {
	buffer := make([]byte, 1<<16)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if n < 20 || buffer[0]>>4 != 4 { // not an IPv4 packet
			continue
		}
		to := int(buffer[19]) - 1
		if to < 0 || to >= count {
			continue
		}
		l.send(l.devices[to], append([]byte{}, buffer[:n]...))
		if rand.Float64() < duplicated {
			l.send(l.devices[to], append([]byte{}, buffer[:n]...))
		}
	}
}

func (l *lossy) send(to *os.File, packet []byte) {
	if rand.Float64() < lost {
		l.dropped.Add(1)
		return
	}
	l.passed.Add(1)
	time.AfterFunc(minDelay+rand.N(maxDelay-minDelay), func() { _, _ = to.Write(packet) })
}

// TestLossyNetwork connects four validators with links that lose, delay, duplicate and reorder
// packets. Payments through each node must be confirmed, and all nodes must agree.
func TestLossyNetwork(t *testing.T) {
	l := newLossy(t)
	n := newNodes(t)
	for i := range count {
		n.start(i)
	}
	for k := range 20 {
		id := n.pay(k%count, "1")
		for i := range count {
			require.Eventually(t, func() bool { return n.confirmed(i, id) }, soon, 100*time.Millisecond, "payment %d at node %d", k, i)
		}
	}
	for i := range count {
		require.Eventually(t, func() bool { return n.call(i, "getbestblockhash") == n.call(0, "getbestblockhash") }, soon, 200*time.Millisecond)
	}
	require.Positive(t, l.dropped.Load())
	t.Logf("%d packets passed, %d were lost", l.passed.Load(), l.dropped.Load())
}
