package nodepool

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
)

// chainBlock is the block time of the chain in these tests.
const chainBlock = 6 * time.Second

// talk returns the height that a node reports at an age of the test.
type talk func(age time.Duration) int64

func honest(age time.Duration) int64 { return 1000 + int64(age/chainBlock) }

func plus(more int64) talk { return func(age time.Duration) int64 { return honest(age) + more } }

// liars are nodes that report heights. The number of questions is counted for each node.
type liars struct {
	*Pool
	began    time.Time
	mu       sync.Mutex
	requests map[byte]int
	talks    map[byte]talk
	slow     map[byte]time.Duration // latency of a node
}

func heightOf(result json.RawMessage) (any, int64, error) {
	var n int64
	err := Read(result, &n)
	return n, n, err
}

func newLiars(t *testing.T, talks ...talk) *liars {
	t.Helper()
	l := &liars{began: time.Now(), requests: map[byte]int{}, talks: map[byte]talk{}, slow: map[byte]time.Duration{}}
	greeting := Light("hello", func(result json.RawMessage) (any, int64, error) {
		_, n, err := heightOf(result)
		return Health{}, n, err
	})
	c := Config{HealthCheck: greeting, Now: time.Now, NumericIDs: true, MaxLag: 2, Block: chainBlock}
	c.Fetcher = fetch.Func(func(_ context.Context, r fetch.Request) (fetch.Response, error) {
		var call struct {
			ID     json.RawMessage
			Method string
		}
		require.NoError(t, json.Unmarshal(r.Body, &call))
		name := r.URL[len("https://")]
		time.Sleep(l.slow[name])
		l.mu.Lock()
		defer l.mu.Unlock()
		if call.Method == "height" {
			l.requests[name]++
		}
		return ok(fmt.Sprintf(`{"id":%s,"result":%d}`, call.ID, l.talks[name](time.Since(l.began)))), nil
	})
	for i, say := range talks {
		name := byte('a' + i)
		l.talks[name] = say
		c.Nodes = append(c.Nodes, Node{URL: "https://" + string(name) + ".example"})
	}
	var err error
	l.Pool, err = New(c)
	require.NoError(t, err)
	_, err = l.Probe(t.Context())
	require.NoError(t, err)
	return l
}

// ask asks 50 questions at intervals of one second, and returns the number of false answers.
func (l *liars) ask(t *testing.T) (lies int) {
	t.Helper()
	for range 50 {
		want := honest(time.Since(l.began))
		got, err := Get[int64](t.Context(), l.Pool, Light("height", heightOf))
		require.NoError(t, err)
		if got < want || got > honest(time.Since(l.began)) {
			lies++
		}
		time.Sleep(time.Second)
	}
	return lies
}

func (l *liars) state(name byte) State { return l.Nodes()[name-'a'] }

// TestLyingNodes checks that nodes with false heights, one in four or two, do not determine
// answers, wherever they are in the user's list, and that the state of a node contains the
// height that it reported.
func TestLyingNodes(t *testing.T) {
	const huge = 1 << 40
	later := func(at time.Duration, more int64) talk {
		return func(age time.Duration) int64 {
			if age < at {
				return honest(age)
			}
			return honest(age) + more
		}
	}
	slowly := func(age time.Duration) int64 { return honest(age) + int64(age/time.Second) } // seven blocks in the time of one
	for _, c := range []struct {
		name          string
		talks         []talk
		liars         string
		maxLies       int    // maximum number of accepted false answers in 100 calls
		heightProblem string // part of the final height problem of the first liar; "" if it may be empty
	}{
		{"a huge height, first", []talk{plus(huge), honest, honest, honest}, "a", 0, "block 1099511628"},
		{"a huge height, last", []talk{honest, honest, honest, plus(huge)}, "d", 0, "block 1099511628"},
		{"the largest height", []talk{honest, honest, honest, func(time.Duration) int64 { return 1<<63 - 1 }}, "d", 0, "block 9223372036854775807"},
		{"one of three", []talk{plus(huge), honest, honest}, "a", 0, "block 1099511628"},
		{"two of four", []talk{plus(huge), plus(huge), honest, honest}, "ab", 0, "block 1099511628"},
		{"two of four that do not agree", []talk{plus(huge), honest, plus(2 * huge), honest}, "ac", 0, "block 1099511628"},
		{"it jumps later", []talk{later(20*time.Second, huge), honest, honest, honest}, "a", 0, "block 1099511628"},
		{"it jumps a little further than it can", []talk{later(20*time.Second, 200), honest, honest, honest}, "a", 0, "block 13"},
		{"a low height", []talk{plus(-500), honest, honest, honest}, "a", 0, "block 6"},
		{"two low ones of five", []talk{plus(-500), plus(-500), honest, honest, honest}, "ab", 0, "block 6"},
		{"it grows slowly, last", []talk{honest, honest, honest, slowly}, "d", 0, ""},
		{"it grows slowly, first", []talk{slowly, honest, honest, honest}, "a", 60, "block 1"},
		{"a little more, which gains it nothing", []talk{honest, honest, honest, plus(40)}, "d", 0, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLiars(t, c.talks...)
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan error, 1)
				go func() { done <- l.Run(ctx) }()
				lies := l.ask(t)
				time.Sleep(10 * time.Minute) // the heights become stale without questions
				lies += l.ask(t)
				require.LessOrEqual(t, lies, c.maxLies)
				if c.heightProblem != "" {
					require.Contains(t, l.state(c.liars[0]).HeightProblem, c.heightProblem)
				}
				for _, s := range l.Nodes() {
					if !strings.Contains(c.liars, s.URL[len("https://"):len("https://")+1]) {
						require.False(t, s.Behind || s.Ahead, s)
					}
				}
				cancel()
				<-done
			})
		})
	}
}

// TestTwoNodesThatDisagree checks that of two nodes the one with more blocks is believed if the
// other may be late. Otherwise neither is, and the user's order decides.
func TestTwoNodesThatDisagree(t *testing.T) {
	for _, c := range []struct {
		name          string
		talks         []talk
		answer        int64 // difference from the true height
		heightProblem string
	}{
		{"ten blocks", []talk{plus(-10), honest}, 0, "at block 990, others at 1000"},
		{"too many, the first lies", []talk{plus(1 << 40), honest}, 1 << 40, "two nodes that disagree"},
		{"too many, the second lies", []talk{honest, plus(1 << 40)}, 0, "two nodes that disagree"},
		{"far behind, and the first", []talk{plus(-900), honest}, -900, "two nodes that disagree"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				l := newLiars(t, c.talks...)
				got, err := Get[int64](t.Context(), l.Pool, Light("height", heightOf))
				require.NoError(t, err)
				require.Equal(t, 1000+c.answer, got)
				require.Contains(t, l.state('a').HeightProblem, c.heightProblem)
			})
		})
	}
	synctest.Test(t, func(t *testing.T) { // of two nodes, one that jumps is not believed before a minute has passed
		l := newLiars(t, honest, honest)
		l.talks['a'] = plus(1 << 40)
		require.Zero(t, l.ask(t))
		require.True(t, l.state('a').Ahead)
	})
}

// TestLatencyDecidesNoDispute checks that the user's order decides between two nodes that
// disagree, even if the second one is faster.
func TestLatencyDecidesNoDispute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLiars(t, honest, plus(1<<40))
		l.slow['a'] = 700 * time.Millisecond
		require.Zero(t, l.ask(t))
	})
}

// TestStalledNodes checks that nodes without new blocks lose against the same number of nodes
// with new blocks.
func TestStalledNodes(t *testing.T) {
	stands := func(time.Duration) int64 { return 100 }
	for _, talks := range [][]talk{{stands, honest}, {stands, stands, honest, honest}} {
		synctest.Test(t, func(t *testing.T) {
			l := newLiars(t, talks...)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() { done <- l.Run(ctx) }()
			require.Equal(t, 50, l.ask(t), "no node is known to be right")
			time.Sleep(5 * time.Minute)
			require.Zero(t, l.ask(t))
			require.True(t, l.state('a').Behind)
			cancel()
			<-done
		})
	}
}

// TestSingleNodeIsTrusted checks that a single node is trusted, whatever height it reports.
func TestSingleNodeIsTrusted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLiars(t, honest)
		for _, more := range []int64{0, 1 << 40, -999} {
			l.talks['a'] = plus(more)
			got, err := Get[int64](t.Context(), l.Pool, Light("height", heightOf))
			require.NoError(t, err)
			require.Equal(t, 1000+more, got)
			require.False(t, l.state('a').Ahead)
		}
	})
}

// TestLyingNodeAsFallback checks that a node with false heights is used if no other node is
// left.
func TestLyingNodeAsFallback(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := newLiars(t, honest, honest, plus(1<<40))
		for _, name := range []byte("ab") {
			l.fail(l.nodes[name-'a'], fetch.ErrUnreachable)
			l.talks[name] = func(time.Duration) int64 { return -1 } // not a valid height
		}
		got, err := Get[int64](t.Context(), l.Pool, Light("height", func(result json.RawMessage) (any, int64, error) {
			n, height, err := heightOf(result)
			if height < 0 {
				err = ErrAnswer
			}
			return n, height, err
		}))
		require.NoError(t, err)
		require.EqualValues(t, 1000+1<<40, got)
	})
}

// TestImplausibleAnnouncement checks that an event about a block that cannot exist yet has no
// effect.
func TestImplausibleAnnouncement(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		for _, talks := range [][]talk{{honest}, {honest, plus(1 << 40)}, {honest, honest, honest, plus(1 << 40)}} {
			l := newLiars(t, talks...)
			l.ObserveBlock(1 << 41)
			l.ObserveBlock(1 << 40)
			requests := l.requests['b']
			got, err := Get[int64](t.Context(), l.Pool, Light("height", heightOf))
			require.NoError(t, err)
			require.EqualValues(t, honest(0), got%(1<<40))
			if len(talks) == 4 {
				require.Equal(t, requests, l.requests['b'], "the first answer does")
			}
		}
	})
}
