package relay

import (
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
)

func TestTokens(t *testing.T) {
	var v struct {
		Tokens []struct {
			Seed, Subject, URL, Client, Token string
			Issued                            int64
		}
	}
	text, err := os.ReadFile(filepath.Join("..", "wire", "testdata", "vectors.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &v))
	require.NotEmpty(t, v.Tokens)
	for _, c := range v.Tokens {
		seed, err := hex.DecodeString(c.Seed)
		require.NoError(t, err)
		subject, err := hex.DecodeString(c.Subject)
		require.NoError(t, err)
		key := ed25519.NewKeyFromSeed(seed)
		require.Equal(t, c.Client, clientID(key.Public().(ed25519.PublicKey)))
		made, err := token(key, [32]byte(subject), c.URL, time.Unix(c.Issued, 0))
		require.NoError(t, err)
		require.Equal(t, c.Token, made)
	}
}

func TestSeen(t *testing.T) {
	var s seen
	require.True(t, s.add("a", "b"))
	require.False(t, s.add("a", "b"))
	require.True(t, s.add("b", "a"))
	for n := range maxSeen {
		require.True(t, s.add("n", strings.Repeat("x", n)))
	}
	require.Len(t, s.has, maxSeen)
	require.True(t, s.add("a", "b"), "forgotten")
}

func TestURLsRefused(t *testing.T) {
	for _, u := range []string{"", "https://relay.example", "ws://", "wss://a:b@relay.example", "wss://relay.example?x=1", "wss://relay.example#x", ":"} {
		_, err := New(Config{URL: u})
		require.ErrorContains(t, err, "want ws:// or wss://", u)
	}
}

func TestAddress(t *testing.T) {
	for given, path := range map[string]string{"wss://relay.example": "/", "wss://relay.example/": "/", "ws://127.0.0.1:1/relay": "/relay"} {
		c, err := New(Config{URL: given, ProjectID: "a b", Random: rand.Reader, Now: time.Now})
		require.NoError(t, err)
		address, err := c.address()
		require.NoError(t, err)
		u, err := url.Parse(address)
		require.NoError(t, err)
		require.Equal(t, path, u.Path)
		require.Equal(t, "a b", u.Query().Get("projectId"))
		require.Len(t, strings.Split(u.Query().Get("auth"), "."), 3)
	}
}

// script is a relay scripted by the test.
type script struct {
	in    chan string
	out   chan string
	over  chan struct{}
	count atomic.Int64
}

func (s *script) dials() int { return int(s.count.Load()) }

func (s *script) Dial(context.Context, fetch.Request) (fetch.Socket, error) {
	s.count.Add(1)
	if s.in == nil {
		return nil, fetch.ErrUnreachable
	}
	s.over = make(chan struct{})
	return s, nil
}

func (s *script) Read(ctx context.Context) ([]byte, error) {
	select {
	case text := <-s.in:
		return []byte(text), nil
	case <-s.over:
	case <-ctx.Done():
	}
	return nil, fetch.ErrUnreachable
}

func (s *script) Write(_ context.Context, text []byte) error {
	s.out <- string(text)
	return nil
}

func (s *script) Close() error {
	select {
	case <-s.over:
	default:
		close(s.over)
	}
	return nil
}

type silent struct{}

func (silent) Info(string, ...any) {}
func (silent) Warn(string, ...any) {}

// run calls test in a synctest bubble with a running client.
func run(t *testing.T, s *script, receive func(context.Context, Delivery), test func(t *testing.T, c *Client)) {
	synctest.Test(t, func(t *testing.T) {
		if s.out != nil {
			s.in, s.out = make(chan string, 10000), make(chan string, 10000)
		}
		c, err := New(Config{URL: "wss://relay.example", Dial: s, Now: time.Now, Random: rand.Reader, Log: silent{}, Receive: receive})
		require.NoError(t, err)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- c.Run(ctx) }()
		test(t, c)
		cancel()
		require.ErrorIs(t, <-ended, context.Canceled)
	})
}

func nothing(context.Context, Delivery) {}

func TestUnreachable(t *testing.T) {
	s := &script{}
	run(t, s, nothing, func(t *testing.T, c *Client) {
		began := time.Now()
		err := c.Publish(t.Context(), Publication{})
		require.ErrorIs(t, err, ErrUnanswered)
		require.ErrorIs(t, err, fetch.ErrUnreachable)
		require.Equal(t, timeout, time.Since(began))
		dials := s.dials()
		require.Greater(t, dials, 5)
		require.Less(t, dials, 12, "backoff grows")
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		require.ErrorIs(t, c.Publish(ctx, Publication{}), context.DeadlineExceeded)
		time.Sleep(time.Hour)
		require.LessOrEqual(t, s.dials(), dials+2, "no session needs the relay")
		c.Watch("topic")
		time.Sleep(time.Hour)
		require.InDelta(t, 240, s.dials()-dials, 15, "one in %s", maxBackoff)
	})
}

// A relay that does not answer a request is disconnected, and the request repeated.
func TestSilentRelay(t *testing.T) {
	s := &script{out: make(chan string)}
	run(t, s, nothing, func(t *testing.T, c *Client) {
		err := c.Publish(t.Context(), Publication{Delivery: Delivery{Topic: "t", Text: "m"}})
		require.ErrorIs(t, err, ErrUnanswered)
		require.ErrorContains(t, err, "relay.example: request timed out after 15s")
		require.Equal(t, 4, s.dials(), "one for each %s", answerTime)
		first := <-s.out
		for range 3 {
			require.Equal(t, first, <-s.out, "the same id, so that the relay knows it")
		}
	})
}

// TestFlappingRelay checks that a relay that repeatedly answers once and disconnects is
// retried, and logged, as rarely as an unreachable one.
func TestFlappingRelay(t *testing.T) {
	s := &script{out: make(chan string)}
	run(t, s, nothing, func(t *testing.T, c *Client) {
		c.Watch("t")
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		for ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case text := <-s.out:
				var q struct {
					ID     json.RawMessage
					Method string
				}
				require.NoError(t, json.Unmarshal([]byte(text), &q))
				if q.Method == methodSubscribe {
					s.in <- `{"id":` + string(q.ID) + `,"result":["s"]}`
					s.in <- "not JSON"
				}
			}
		}
		require.Less(t, s.dials(), 300, "one in %s", maxBackoff)
	})
}

// Invalid frames end the connection or are ignored.
func TestHostileRelay(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		ends bool
	}{
		"not JSON":             {"x", true},
		"a list":               {"[]", true},
		"deep":                 {strings.Repeat("[", 20000), true},
		"push without id":      {`{"method":"irn_subscription","params":{"data":{"topic":"t","message":"m"}}}`, true},
		"push with an object":  {`{"id":{},"method":"irn_subscription","params":{"data":{"topic":"t","message":"m"}}}`, true},
		"push of a number":     {`{"id":1,"method":"irn_subscription","params":{"data":{"topic":1}}}`, true},
		"push of a long id":    {`{"id":"` + strings.Repeat("0", 40) + `1","method":"irn_subscription","params":{"data":{}}}`, true},
		"other method":         {`{"id":1,"method":"irn_other","params":[]}`, false},
		"answer to nothing":    {`{"id":1,"result":true}`, false},
		"answer with null":     {`{"id":null,"error":{"code":-32700,"message":"Parse error"}}`, false},
		"push of another":      {`{"id":1,"method":"irn_subscription","params":{"data":{"topic":"other","message":"m"}}}`, false},
		"push that is too big": {`{"id":1,"method":"irn_subscription","params":{"data":{"topic":"t","message":"` + strings.Repeat("m", 600<<10) + `"}}}`, false},
	} {
		s := &script{out: make(chan string)}
		received := 0
		run(t, s, func(context.Context, Delivery) { received++ }, func(t *testing.T, client *Client) {
			client.Watch("t")
			synctest.Wait()
			s.in <- c.text
			time.Sleep(time.Second)
			require.Equal(t, c.ends, s.dials() > 1, name)
			require.Zero(t, received, name)
		})
	}
}

// The queue is limited: messages without room are fetched later.
func TestFlood(t *testing.T) {
	s := &script{out: make(chan string)}
	var release chan struct{}
	received := 0
	receive := func(context.Context, Delivery) {
		<-release
		received++
	}
	run(t, s, receive, func(t *testing.T, c *Client) {
		release = make(chan struct{})
		c.Watch("t")
		for _, result := range []string{`["s"]`, `{"messages":[],"hasMore":false}`} { // subscribed, no stored messages
			var q struct{ ID json.RawMessage }
			require.NoError(t, json.Unmarshal([]byte(<-s.out), &q))
			s.in <- `{"id":` + string(q.ID) + `,"result":` + result + `}`
		}
		for n := range 1000 {
			s.in <- `{"id":` + string(rune('1'+n%9)) + `,"method":"irn_subscription","params":{"data":{"topic":"t","message":"` + strings.Repeat("m", n+1) + `"}}}`
		}
		synctest.Wait()
		close(release)
		synctest.Wait()
		require.Equal(t, maxQueued+1, received)
		fetches := 0
		for len(s.out) > 0 {
			if strings.Contains(<-s.out, methodFetch) {
				fetches++
			}
		}
		require.Equal(t, 1, fetches)
	})
}

// Receive completes for a message even if the connection ends during the call.
func TestReceivedWhole(t *testing.T) {
	s := &script{out: make(chan string)}
	var ended chan error
	run(t, s, func(ctx context.Context, _ Delivery) {
		time.Sleep(time.Second)
		ended <- ctx.Err()
	}, func(t *testing.T, c *Client) {
		ended = make(chan error, 1) // made inside the bubble, so that its clock advances
		c.Watch("t")
		synctest.Wait()
		s.in <- `{"id":1,"method":"irn_subscription","params":{"data":{"topic":"t","message":"m"}}}`
		synctest.Wait()
		s.in <- "not JSON"
		require.NoError(t, <-ended)
	})
}

func FuzzFrame(f *testing.F) {
	for _, text := range []string{`{"id":1,"result":true}`, `{"id":"1","error":{"code":-32601,"message":"x"}}`,
		`{"id":1,"method":"irn_subscription","params":{"id":"s","data":{"topic":"t","message":"m","publishedAt":1}}}`} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		_, a, p, err := decodeFrame(text)
		if err != nil {
			require.Nil(t, a)
			require.Nil(t, p)
		}
		if p != nil {
			require.True(t, json.Valid(encodeConfirmation(p.id)))
		}
		if a != nil && a.err != nil {
			require.LessOrEqual(t, len(a.err.Error()), 300)
		}
	})
}
