package worker

import (
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

const (
	warmUp  = 3000
	whole   = 12000
	clients = 8
	// slack is two steps of the heap's growth, which is less than 60 bytes per request. A leaked
	// JavaScript function takes 200 bytes.
	slack = 512<<10 + 1
)

// TestNoGrowth checks that 10,000 requests of all kinds use no more memory and goroutines than
// 1,000.
func TestNoGrowth(t *testing.T) {
	t.Parallel()
	n := openEdge(t).node(t, map[string]any{"passphrase": "many requests"})
	body := fmt.Appendf(nil, `{"mmrpc":"2.0","userpass":%q,"method":"get_public_key","params":{}}`, rpcPassword)
	kinds := []struct {
		method, path string
		body         []byte
		header       header
		status       int
	}{
		{"POST", "/", body, header{}, 200},
		{"POST", "/daemon", request(t, "getinfo"), basic(daemonUser, daemonPassword), 200},
		{"POST", "/daemon", request(t, "tokenlist"), basic(daemonUser, daemonPassword), 200},
		{"POST", "/", body[:20], header{}, 500},
		{"GET", "/livez", nil, header{}, 200},
		{"POST", "/daemon", nil, header{}, 401},
		{"OPTIONS", "/", nil, header{}, 200},
	}
	send := func(count int) {
		var all sync.WaitGroup
		for range clients {
			all.Go(func() {
				for i := range count / clients {
					k := kinds[i%len(kinds)]
					response, answer, err := n.try(k.method, k.path, k.body, k.header)
					if err != nil || response.StatusCode != k.status {
						t.Errorf("%s %s: %v, %s, %v", k.method, k.path, response, answer, err)
						return
					}
				}
			})
		}
		all.Wait()
		require.False(t, t.Failed())
	}
	memory := func() int {
		response, text := n.ask(http.MethodGet, "/__memory", nil)
		require.Equal(t, http.StatusOK, response.StatusCode)
		bytes, err := strconv.Atoi(string(text))
		require.NoError(t, err)
		return bytes
	}
	send(warmUp)
	bytes, goroutines := memory(), n.gauge("go_goroutines")
	send(whole - warmUp)
	require.Less(t, memory()-bytes, slack)
	n.eventually("go_goroutines", goroutines)
	t.Logf("%d bytes, %d goroutines", bytes, goroutines)
}
