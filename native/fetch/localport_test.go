package fetch

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
)

// table is the connection table of a machine: the port 21325 (534D) on loopback and on all
// addresses, and a connection to it.
const table = `  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:534D 00000000:0000 0A 00000000:00000000 00:00000000 00000000  %d        0 31872 1 0000000000000000 100 0 0 10 0
   1: 0100007F:8F2A 0100007F:534D 01 00000000:00000000 00:00000000 00000000  1007        0 31880 1 0000000000000000 20 4 30 10 -1
   2: 0100007F:534D 0100007F:8F2A 01 00000000:00000000 00:00000000 00000000  1007        0 31881 1 0000000000000000 20 4 30 10 -1
   3: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000  1007        0 31872 1 0000000000000000 100 0 0 10 0
`

func TestOtherListener(t *testing.T) {
	for uid, other := range map[int]bool{0: false, 1000: false, 1001: true, 65534: true} {
		got, found := otherListener(strings.NewReader(fmt.Sprintf(table, uid)), 21325, 1000)
		require.Equal(t, other, found, uid)
		if other {
			require.Equal(t, uid, got)
		}
	}
	_, found := otherListener(strings.NewReader(fmt.Sprintf(table, 1001)), 21326, 1000)
	require.False(t, found)
	_, found = otherListener(strings.NewReader("nonsense\n\n: : : : : : : :\n"), 21325, 1000)
	require.False(t, found)
}

type answers struct{ requests int }

func (a *answers) Fetch(context.Context, fetch.Request) (fetch.Response, error) {
	a.requests++
	return fetch.Response{Status: 200}, nil
}

// TestFetcher checks that requests reach a program of this user, but not a program of another user.
func TestFetcher(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	ours := &answers{}
	f := ToLocalPort(ours, port)
	_, err = f.Fetch(t.Context(), fetch.Request{})
	require.NoError(t, err)
	require.Equal(t, 1, ours.requests)

	f.tables = []string{filepath.Join(t.TempDir(), "none"), filepath.Join(t.TempDir(), "tcp")}
	require.NoError(t, os.WriteFile(f.tables[1], fmt.Appendf(nil, table, os.Geteuid()+1), 0o600))
	f.port = 21325
	_, err = f.Fetch(t.Context(), fetch.Request{})
	require.ErrorIs(t, err, ErrOtherUser)
	require.Equal(t, 1, ours.requests, "it got nothing")
}
