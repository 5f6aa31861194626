package worker

import (
	"bytes"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// floods are the two kinds of requests with a wrong password and a body of at least 200 bytes.
var floods = map[string]struct {
	path   string
	body   func(pad int) []byte
	header header
	status int // status of the rejection
}{
	"daemon API": {"/daemon", func(pad int) []byte {
		return fmt.Appendf(nil, `{"method":"getinfo","params":["%s"]}`, bytes.Repeat([]byte("x"), pad))
	}, basic("any", "wrong"), http.StatusUnauthorized},
	"node API": {"/", func(pad int) []byte {
		return fmt.Appendf(nil, `{"mmrpc":"2.0","userpass":"wrong","method":"get_public_key","params":{"pad":"%s"}}`, bytes.Repeat([]byte("x"), pad))
	}, header{}, http.StatusForbidden},
}

// TestWrongPasswordsLeaveRoom checks that callers that wait because of wrong passwords do not block
// the owner, although their bodies together have the size of an object's memory.
func TestWrongPasswordsLeaveRoom(t *testing.T) {
	t.Parallel()
	const addresses, before, large = 3, 16, 8<<20 - 200
	for name, c := range floods {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := openEdge(t).node(t, map[string]any{"passphrase": "an owner among guesses"})
			guess := func(from, pad int) int {
				response, _, err := n.try(http.MethodPost, c.path, c.body(pad), c.header, header{"Cf-Connecting-Ip", fmt.Sprintf("198.51.100.%d", from)})
				if err != nil {
					return c.status // the response came before the body was sent, and the connection ended
				}
				return response.StatusCode
			}
			var running sync.WaitGroup
			for i := range addresses * before { // afterwards, a wrong password is delayed by seconds
				running.Go(func() { guess(i%addresses, 0) })
			}
			running.Wait()
			answered := make(chan int, addresses)
			for from := range addresses {
				go func() { answered <- guess(from, large) }()
			}
			valid := fmt.Appendf(nil, `{"mmrpc":"2.0","userpass":%q,"method":"get_public_key","params":{"pad":"%s"}}`, rpcPassword, bytes.Repeat([]byte("x"), 20<<10))
			for left := addresses; left > 0; {
				status, answer := n.do("/", valid)
				require.Equal(t, http.StatusOK, status, string(answer))
				status, answer = n.daemon(request(t, "getinfo", string(valid)))
				require.NotEqual(t, http.StatusServiceUnavailable, status, string(answer))
				select {
				case status := <-answered:
					require.Equal(t, c.status, status)
					left--
				case <-time.After(50 * time.Millisecond):
				}
			}
		})
	}
}

// TestNoBodyIsReceivedForAWrongCredential checks that a client with a wrong credential is rejected
// before it has sent its body.
func TestNoBodyIsReceivedForAWrongCredential(t *testing.T) {
	t.Parallel()
	n := openEdge(t).node(t, nil)
	for _, c := range []struct{ method, path string }{{http.MethodPost, "/daemon"}, {http.MethodPut, "/backup"}} {
		body := &unsent{ended: make(chan struct{})}
		request, err := http.NewRequest(c.method, n.url+"/n/"+n.name+c.path, body)
		require.NoError(t, err)
		request.Header.Set("Authorization", basic("any", "wrong")[1])
		response, err := n.client.Do(request)
		require.NoError(t, err)
		_ = response.Body.Close()
		close(body.ended)
		require.Equal(t, http.StatusUnauthorized, response.StatusCode, c.path)
	}
}

// unsent is an incomplete body.
type unsent struct {
	begun bool
	ended chan struct{}
}

func (u *unsent) Read(p []byte) (int, error) {
	if u.begun {
		<-u.ended
		return 0, http.ErrBodyReadAfterClose
	}
	u.begun = true
	return copy(p, "{"), nil
}
