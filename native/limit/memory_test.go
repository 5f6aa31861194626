package limit

import (
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// Four addresses with incomplete bodies do not block other clients. The oldest body of an address
// is dropped for another body of the same address, or for any body if there is no memory left.
func TestBodiesMakeRoom(t *testing.T) {
	m := NewMemory(64<<20, 8<<20)
	var cut []string
	stalled := func(address string, declared, n int64) {
		b := &metered{memory: m, origin: address, declared: declared}
		m.receive(b, func() { cut = append(cut, address) })
		require.True(t, m.take(b, n))
	}
	for _, address := range []string{"a", "b", "c", "d"} {
		stalled(address, 8<<20, 7<<20)
		stalled(address, 8<<20, 7<<20)
	}
	for _, address := range []string{"a", "b", "c", "d"} {
		for range 32 {
			stalled(address, smallBody, smallBody)
		}
	}
	require.Equal(t, []int64{0, 0}, []int64{m.common, m.reserve})
	require.Empty(t, cut)
	owner := &metered{memory: m, origin: "127.0.0.1", declared: 10}
	m.receive(owner, func() { t.Error("a body makes no room for itself") })
	require.True(t, m.take(owner, 10))
	m.received(owner)
	require.Equal(t, []string{"a"}, cut)
	stalled("b", 8<<20, 7<<20)
	require.Equal(t, []string{"a", "b"}, cut)
	m.giveBack(owner)
}

// With the default limits, 56 MiB are shared, of which one address may use 16 MiB. Another 8 MiB
// are reserved for small bodies, of which one address may use 2 MiB.
func TestMemory(t *testing.T) {
	m := NewMemory(64<<20, 8<<20)
	body := func(address string, declared int64) *metered {
		return &metered{memory: m, origin: address, declared: declared}
	}
	const full = 8 << 20
	var taken []*metered
	take := func(want bool, b *metered, n int64) {
		t.Helper()
		require.Equal(t, want, m.take(b, n))
		taken = append(taken, b)
	}
	take(true, body("a", full), full)
	chunked := body("a", -1)
	take(true, chunked, full)
	take(false, chunked, 1)
	take(false, body("a", full), 1)
	for range 32 {
		take(true, body("a", smallBody), smallBody)
	}
	take(false, body("a", 1), 1)
	for _, address := range []string{"b", "c", "d"} {
		take(true, body(address, full), full)
		take(address != "d", body(address, full), full)
	}
	take(false, body("e", smallBody+1), 1)
	unknown := body("e", -1)
	take(true, unknown, smallBody)
	take(false, unknown, 1)
	take(true, body("e", 1), 1)

	for _, b := range taken {
		m.giveBack(b)
	}
	require.Equal(t, []int64{56 << 20, 8 << 20}, []int64{m.common, m.reserve})
	require.Empty(t, m.held)
}

// Responses are dropped to free memory: the oldest one of the same address, or of any address if
// that is not sufficient. A response to a client with a password is not dropped while the client
// reads it.
func TestAnswersMakeRoom(t *testing.T) {
	m := NewMemory(64<<20, 8<<20)
	const mebibyte = 1 << 20
	var cut []string
	send := func(name, address string, size int64, proven bool) *metered {
		b := &metered{memory: m, origin: address, declared: -1, proven: proven}
		m.send(b, size, func() { cut = append(cut, name) })
		return b
	}
	send("a1", "a", 8*mebibyte, false)
	send("a2", "a", 8*mebibyte, false)
	send("b1", "b", 8*mebibyte, false)
	require.Empty(t, cut)
	send("a3", "a", mebibyte, false)
	require.Equal(t, []string{"a1"}, cut)
	owner := send("owner", "a", 30*mebibyte, true)
	require.Equal(t, []string{"a1"}, cut)
	body := &metered{memory: m, origin: "c", declared: mebibyte}
	require.True(t, m.take(body, 12*mebibyte))
	require.Equal(t, []string{"a1", "a2"}, cut)
	m.prove(body)
	require.True(t, m.take(body, 8*mebibyte), "no share of the address")
	require.Equal(t, []string{"a1", "a2", "b1"}, cut)
	require.False(t, m.take(&metered{memory: m, origin: "d", declared: -1}, 10*mebibyte))
	small := &metered{memory: m, origin: "d", declared: 1}
	require.True(t, m.take(small, 1))
	overdrawn := send("d1", "d", 10*mebibyte, false)
	require.Negative(t, m.common, "a complete answer is sent")
	for _, b := range []*metered{owner, body, small, overdrawn} {
		m.giveBack(b)
		m.giveBack(b)
	}
	require.Equal(t, []int64{56 << 20, 8 << 20}, []int64{m.common, m.reserve})
	require.Empty(t, m.held)
	require.Zero(t, m.waiting.Len())
}

// A body of the maximum size always fits into an idle port.
func TestLargestBodyFits(t *testing.T) {
	for _, size := range []int64{1 << 10, 8 << 20, 64 << 20, 1 << 30} {
		m := NewMemory(max(64<<20, 2*size), size)
		require.True(t, m.take(&metered{memory: m, declared: size}, size), size)
	}
}

func TestMeteredCountsWhatItReads(t *testing.T) {
	m := NewMemory(10, 10)
	in := &metered{from: strings.NewReader("0123456789x"), memory: m, declared: -1}
	_, err := io.ReadAll(in)
	require.ErrorIs(t, err, ErrBusy)
}
