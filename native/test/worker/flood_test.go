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

// floods are the two ways in which a wrong password comes with a body, of 200 bytes and more.
var floods = map[string]struct {
	path   string
	body   func(pad int) []byte
	header header
	status int // of the refusal
}{
	"daemon API": {"/daemon", func(pad int) []byte {
		return fmt.Appendf(nil, `{"method":"getinfo","params":["%s"]}`, bytes.Repeat([]byte("x"), pad))
	}, basic("any", "wrong"), http.StatusUnauthorized},
	"node API": {"/", func(pad int) []byte {
		return fmt.Appendf(nil, `{"mmrpc":"2.0","userpass":"wrong","method":"get_public_key","params":{"pad":"%s"}}`, bytes.Repeat([]byte("x"), pad))
	}, header{}, http.StatusForbidden},
}

// TestWrongPasswordsLeaveRoom: callers that wait because their passwords are wrong keep no owner
// from calling, though their bodies together are as large as an object holds.
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
					return c.status // it came before the body was sent, and the connection ended
				}
				return response.StatusCode
			}
			var running sync.WaitGroup
			for i := range addresses * before { // after which a wrong password waits for seconds
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

// TestNoBodyIsReceivedForAWrongCredential: a client with a wrong credential is refused before it
// has sent its body.
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

// unsent is a body of which only the beginning comes.
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
