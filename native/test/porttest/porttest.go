// Package porttest finds free ports for programs that tests start shortly afterwards.
//
// Invariant: a port is outside the range from which the system chooses ports for connections and
// for port 0, so that it stays free.
package porttest

import (
	"fmt"
	"math/rand/v2"
	"net"
	"testing"

	"github.com/stretchr/testify/require"
)

// The range is below net.ipv4.ip_local_port_range of Linux.
const first, last = 10_000, 32_000

// Free returns a free port of 127.0.0.1.
func Free(t testing.TB) int {
	t.Helper()
	for range 100 {
		port := first + rand.IntN(last-first)
		if l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port)); err == nil {
			require.NoError(t, l.Close())
			return port
		}
	}
	require.FailNow(t, "no free port")
	return 0
}
