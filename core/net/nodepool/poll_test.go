package nodepool

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
)

// saying returns a host that passes the health check and gives the same answer to all other
// requests, after a delay.
func saying(answer fetch.Response, after time.Duration) host {
	return func(body string) fetch.Response {
		if greets(body) {
			return adder(body)
		}
		time.Sleep(after)
		return answer
	}
}

// after returns a host that answers correctly after a delay.
func after(d time.Duration) host {
	return func(body string) fetch.Response {
		if !greets(body) {
			time.Sleep(d)
		}
		return adder(body)
	}
}

func greets(body string) bool { return len(body) > 0 && body[0] == '{' }

func TestPoll(t *testing.T) {
	slow := saying(ok("[]"), 20*time.Second)
	for _, c := range []struct {
		name  string
		hosts []host
		want  map[string]string
		takes time.Duration
		fails string
	}{
		{"one", []host{adder}, map[string]string{"a": "6"}, 0, ""},
		{"three", []host{adder, liar(50), adder}, map[string]string{"a": "6", "b": "100", "c": "6"}, 0, ""},
		{"a late one", []host{adder, slow}, map[string]string{"a": "6"}, LightTimeout, ""},
		{"two that are late after one", []host{adder, after(7 * time.Second), after(7200 * time.Millisecond)}, map[string]string{"a": "6", "b": "6", "c": "6"},
			7200 * time.Millisecond, ""},
		{"one that fails", []host{saying(ok("<html>"), 0), adder}, map[string]string{"b": "6"}, 0, ""},
		{"none", []host{saying(ok("<html>"), 0), saying(fetch.Response{Status: 502}, time.Minute)}, nil, time.Minute,
			"responds with an HTML page; https://b.example: HTTP status 502"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPool(t, c.hosts...)
				began := time.Now()
				votes, err := p.Poll(t.Context(), doubles(3), nil)
				if c.fails == "" {
					require.NoError(t, err)
				} else {
					require.ErrorContains(t, err, c.fails)
					require.ErrorAs(t, err, new(*UnreachableError))
				}
				require.Equal(t, c.takes, time.Since(began))
				got := map[string]string{}
				for _, v := range votes {
					got[v.URL[len("https://"):len("https://")+1]] = v.Answer.(string)
				}
				require.Len(t, got, len(c.want))
				for node, want := range c.want {
					require.Equal(t, want, got[node])
				}
				time.Sleep(time.Hour) // waits for late requests
			})
		})
	}
}

// liar returns a host that doubles another number.
func liar(number int) host {
	return func(body string) fetch.Response {
		if greets(body) {
			return adder(body)
		}
		return adder(fmt.Sprintf(`[{"id":%s,"method":"double","params":[%d]}]`, idOf(body), number))
	}
}

// slowly returns a host that answers after a delay.
func slowly(d time.Duration, h host) host {
	return func(body string) fetch.Response {
		if !greets(body) {
			time.Sleep(d)
		}
		return h(body)
	}
}

// TestPollTimeout checks that a node for which Poll does not wait is not recorded as failed,
// and that the caller's context is respected.
func TestPollTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, adder, saying(ok("<html>"), 2*time.Second))
		_, err := p.Poll(t.Context(), doubles(3), func(votes []Vote, missing int) bool { return len(votes) == 1 && missing == 1 })
		require.NoError(t, err)
		time.Sleep(time.Hour)
		require.True(t, p.Nodes()[1].Healthy)

		p = newPool(t, after(time.Minute))
		short, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		began := time.Now()
		_, err = p.Poll(short, doubles(3), nil)
		require.ErrorIs(t, err, context.DeadlineExceeded)
		require.Equal(t, 300*time.Millisecond, time.Since(began))
		time.Sleep(time.Hour)
		require.True(t, p.Nodes()[0].Healthy)
	})
}

// permutations returns all permutations of n elements.
func permutations(n int) (all [][]int) {
	if n == 0 {
		return [][]int{nil}
	}
	for _, shorter := range permutations(n - 1) {
		for at := range n {
			all = append(all, slices.Insert(slices.Clone(shorter), at, n-1))
		}
	}
	return all
}

// TestLiarsDecideNothing checks that two liars of five nodes neither decide nor prevent a
// decision, wherever they are in the list, and whether they are fast or slow.
func TestLiarsDecideNothing(t *testing.T) {
	number := func(answer any) *big.Int { n, _ := new(big.Int).SetString(answer.(string), 10); return n }
	lies := map[string][2]host{
		"fast, high":         {liar(1 << 40), liar(1 << 40)},
		"fast, low":          {liar(1), liar(1)},
		"high and low":       {liar(1 << 40), liar(1)},
		"slow":               {slowly(9*time.Second, liar(9)), slowly(8*time.Second, liar(9))},
		"silent":             {saying(ok("<html>"), 14*time.Second), saying(ok("<html>"), 0)},
		"one says no":        {saying(ok("<html>"), 0), liar(4)},
		"different":          {liar(4), liar(5)},
		"a little different": {liar(4), liar(4)},
	}
	for name, pair := range lies {
		t.Run(name, func(t *testing.T) {
			seen := map[string]bool{}
			for _, order := range permutations(5) {
				hosts := make([]host, 5)
				shape := ""
				for place, who := range order {
					hosts[place] = slowly(7*time.Second, adder)
					if who < 2 {
						hosts[place] = pair[who]
					}
					shape += strconv.Itoa(min(who, 2))
				}
				if seen[shape] { // the honest nodes are equal
					continue
				}
				seen[shape] = true
				synctest.Test(t, func(t *testing.T) {
					p := newPool(t, hosts...)
					agreed, _, err := p.Agree(t.Context(), "the double of 3", doubles(3), nil)
					require.NoError(t, err)
					require.Equal(t, "6", agreed)
					reached, votes, err := p.Reached(t.Context(), doubles(3), number)
					require.NoError(t, err)
					require.Equal(t, []*big.Int{big.NewInt(6)}, reached)
					require.GreaterOrEqual(t, len(votes), 3)
					time.Sleep(time.Minute)
				})
			}
			require.Len(t, seen, 20)
		})
	}
}

// TestTies checks that nothing is decided without a majority, and that the lower of two
// increasing numbers is returned.
func TestTies(t *testing.T) {
	number := func(answer any) *big.Int { n, _ := new(big.Int).SetString(answer.(string), 10); return n }
	for _, c := range []struct {
		name    string
		hosts   []host
		agreed  any // nil for a tie
		reached int64
	}{
		{"one", []host{liar(9)}, "18", 18},
		{"two", []host{adder, liar(9)}, nil, 6},
		{"two, the other way round", []host{liar(9), adder}, nil, 6},
		{"a fast liar, and one that is slow", []host{liar(9), slowly(7*time.Second, adder)}, nil, 6},
		{"two and two", []host{adder, liar(9), adder, liar(9)}, nil, 6},
		{"three numbers", []host{adder, liar(9), liar(4)}, nil, 8},
		{"one that is dead", []host{adder, saying(fetch.Response{Status: 502}, 0)}, "6", 6},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p := newPool(t, c.hosts...)
				agreed, _, err := p.Agree(t.Context(), "the double of 3", doubles(3), nil)
				if c.agreed == nil {
					var tie *DisagreementError
					require.ErrorAs(t, err, &tie)
					require.Len(t, tie.Answers, len(c.hosts))
				} else {
					require.NoError(t, err)
				}
				require.Equal(t, c.agreed, agreed)
				reached, _, err := p.Reached(t.Context(), doubles(3), number)
				require.NoError(t, err)
				require.Equal(t, []*big.Int{big.NewInt(c.reached)}, reached)
				time.Sleep(time.Minute)
			})
		})
	}
	p := newPool(t, adder, liar(9))
	_, _, err := p.Agree(t.Context(), "the double of 3", doubles(3), nil)
	require.EqualError(t, err, "the nodes do not agree on the double of 3 (https://a.example: 6; https://b.example: 18)")
}

// TestMajorityIsEnough checks that a majority does not wait for the other nodes.
func TestMajorityIsEnough(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, slowly(time.Second, adder), slowly(14*time.Second, adder), adder)
		began := time.Now()
		_, _, err := p.Agree(t.Context(), "", doubles(3), nil)
		require.NoError(t, err)
		require.Equal(t, time.Second, time.Since(began))
		time.Sleep(time.Minute)
	})
}

// TestOneServerHasOneVote checks that several URLs of one server have one vote, and that one
// server is not a majority of two.
func TestOneServerHasOneVote(t *testing.T) {
	for _, twice := range []string{"https://A.example", "https://a.example.", "https://a.example:443", "https://a.example:8443", "https://a.example/other", "https://user:password@a.example/"} {
		p := newPoolAt(t, []string{"https://a.example/", twice, "https://b.example"}, liar(9), adder)
		require.Equal(t, 2, p.Servers(), twice)
		votes, err := p.Poll(t.Context(), doubles(3), nil)
		require.NoError(t, err)
		require.Equal(t, []Vote{{"https://a.example", "18"}, {"https://b.example", "6"}}, votes, twice)
		_, _, err = p.Agree(t.Context(), "the double of 3", doubles(3), nil)
		require.ErrorAs(t, err, new(*DisagreementError), twice)
	}
}

// TestServerThatAnswersOnce checks that an answer from one URL of a server is sufficient.
func TestServerThatAnswersOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPoolAt(t, []string{"https://a.example", "https://a.example/archive", "https://b.example"}, adder, adder)
		slow := p.config.Fetcher
		p.config.Fetcher = fetch.Func(func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
			if strings.HasSuffix(r.URL, "/archive") {
				time.Sleep(9 * time.Second)
			}
			return slow.Fetch(ctx, r)
		})
		began := time.Now()
		_, _, err := p.Agree(t.Context(), "", doubles(3), nil)
		require.NoError(t, err)
		require.Zero(t, time.Since(began))
		time.Sleep(time.Minute)
	})
}

// TestServersOfURLs checks that each port on this machine is a separate server, since tunnels
// to other servers may end there.
func TestServersOfURLs(t *testing.T) {
	for url, want := range map[string]string{
		"https://Node.Example.:8443/key?a=b": "node.example", "wss://node.example": "node.example", "http://10.0.0.7:26657": "10.0.0.7", "http://[2001:DB8::1]:1": "2001:db8::1",
		"http://127.0.0.1:8545": "127.0.0.1:8545", "http://localhost:8546/": "localhost:8546", "http://[::1]:7": "::1:7",
	} {
		e, err := Parse(url, "http", "https", "ws", "wss")
		require.Nil(t, err)
		require.Equal(t, want, e.server(), url)
	}
}

// TestAlone checks that a single server does not decide irreversible questions while others
// fail, until they have been failing for long.
func TestAlone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := host(func(string) fetch.Response { return fetch.Response{Status: 502} })
		alone := func(p *Pool) bool {
			_, alone, err := p.Agree(t.Context(), "", doubles(3), nil)
			require.NoError(t, err)
			return alone
		}
		require.False(t, alone(newPool(t, adder)))
		require.False(t, alone(newPoolAt(t, []string{"https://a.example", "https://a.example/other"}, adder)))
		require.False(t, alone(newPool(t, adder, down, adder)))
		p := newPool(t, adder, down, down)
		require.True(t, alone(p))
		time.Sleep(outage - time.Second)
		require.True(t, alone(p))
		time.Sleep(time.Second)
		require.False(t, alone(p))
		p.succeed(p.nodes[1], doubles(3), 0)
		require.True(t, alone(p), "it was up meanwhile")
		time.Sleep(outage)
		require.False(t, alone(p))
		time.Sleep(8 * time.Hour)
		require.True(t, alone(p), "they may have been up while they were not asked")

		p = newPool(t, adder, down, host(func(string) fetch.Response { return fetch.Response{Status: 429, RetryAfter: "3600"} }))
		for range 12 {
			require.True(t, alone(p), "it was asked only once")
			time.Sleep(5 * time.Minute)
		}
		require.False(t, alone(p), "it failed again after its pause")
	})
}

// TestAloneAmongRefusals checks that a node that refuses questions it answered before, for
// example with an internal error, also prevents another node from deciding alone, until it has
// refused for long or reports that it does not support the method.
func TestAloneAmongRefusals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		code, refuses := "-32603", true
		fails := host(func(body string) fetch.Response {
			if refuses && !greets(body) {
				body = strings.ReplaceAll(body, `"params":[`, `"params":[-`)
			}
			r := adder(body)
			r.Body = []byte(strings.ReplaceAll(string(r.Body), `"code":-1,`, `"code":`+code+`,`))
			return r
		})
		p := newPool(t, adder, fails)
		alone := func(number int) bool {
			q := doubles(number)
			q.ReadAll = func(o []Outcome) (any, int64, error) {
				if o[0].Err != nil {
					return nil, 0, o[0].Err
				}
				return big.NewInt(1), 0, nil
			}
			_, _, alone, err := p.ReachedAlone(t.Context(), q, func(answer any) *big.Int { return answer.(*big.Int) })
			require.NoError(t, err)
			return alone
		}
		require.True(t, alone(3))
		time.Sleep(outage - time.Second)
		require.True(t, alone(3))
		time.Sleep(time.Second)
		require.False(t, alone(3))
		refuses = false
		require.False(t, alone(3))
		refuses = true
		require.True(t, alone(3), "it answered meanwhile")
		time.Sleep(outage)
		require.True(t, alone(3), "it may have answered between two refusals")
		for range 2 {
			time.Sleep(outage - time.Second)
			alone(3)
		}
		require.False(t, alone(3))
		code = "-32601"
		require.False(t, alone(3), "it does not have the method")
	})
}

// TestPollAsksRestingNodes checks that a node that failed recently is asked, but that Poll does
// not wait for it.
func TestPollAsksRestingNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := newPool(t, adder, adder, slowly(9*time.Second, adder))
		p.fail(p.nodes[0], errors.New("no"))
		p.fail(p.nodes[2], errors.New("no"))
		began := time.Now()
		votes, err := p.Poll(t.Context(), doubles(1), nil)
		require.NoError(t, err)
		require.Len(t, votes, 2)
		require.Equal(t, time.Second, time.Since(began))
		time.Sleep(time.Minute)
	})
}

// TestPollLeavesOutSyncingNodes checks that a node that reports missing blocks has no vote
// while there are others.
func TestPollLeavesOutSyncingNodes(t *testing.T) {
	p := newPool(t, liar(9), adder)
	p.nodes[0].health.Behind = true
	votes, err := p.Poll(t.Context(), doubles(3), nil)
	require.NoError(t, err)
	require.Equal(t, []Vote{{"https://b.example", "6"}}, votes)
}

func idOf(body string) string {
	_, rest, _ := strings.Cut(body, `"id":`)
	id, _, _ := strings.Cut(rest, ",")
	return id
}

// TestPollIgnoresErrors checks that a node that answers with an error has answered.
func TestPollIgnoresErrors(t *testing.T) {
	no := errors.New("no")
	p := newPool(t, adder, adder)
	q := doubles(1)
	q.ReadAll = func([]Outcome) (any, int64, error) { return nil, 0, verdict{no} }
	_, err := p.Poll(t.Context(), q, nil)
	require.ErrorIs(t, err, no)
	require.ErrorContains(t, err, ".example: no")

	p.fail(p.nodes[0], no)
	p.fail(p.nodes[1], no)
	votes, err := p.Poll(t.Context(), doubles(1), nil)
	require.NoError(t, err)
	require.Len(t, votes, 2, "all rest: they are asked for their chain first")
}

type verdict struct{ error }

func (verdict) Final() bool     { return false }
func (v verdict) Unwrap() error { return v.error }

// TestMajorityAmongOutages checks that a poll waits for all servers of a majority if others fail.
func TestMajorityAmongOutages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		fails := doing(act{status: 503})
		s := newStage(t, fails, fails, good("a", 0), good("a", 0), good("a", time.Second))
		answer, err := s.Majority(t.Context(), "the name", who(), nil)
		require.NoError(t, err)
		require.Equal(t, "a", answer)
		_, err = newStage(t, fails, fails, good("a", 0), good("a", 0), fails).Majority(t.Context(), "the name", who(), nil)
		require.ErrorIs(t, err, ErrAlone)
	})
}

// TestAloneAmongOutages checks that two servers of five do not decide while the others, which
// are honest, fail for a moment.
func TestAloneAmongOutages(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		down := false
		fails := host(func(body string) fetch.Response {
			if down {
				return fetch.Response{Status: 503}
			}
			return adder(body)
		})
		p := newPool(t, adder, adder, fails, fails, fails)
		polls := map[string]func() bool{
			"Agree": func() bool {
				_, alone, err := p.Agree(t.Context(), "the double", doubles(3), nil)
				require.NoError(t, err)
				return alone
			},
			"ReachedAlone": func() bool {
				_, _, alone, err := p.ReachedAlone(t.Context(), doubles(3), func(answer any) *big.Int { return big.NewInt(int64(len(answer.(string)))) })
				require.NoError(t, err)
				return alone
			},
			"Tally": func() bool {
				_, _, alone, err := p.Tally(t.Context(), doubles(3), 1, func(answer any, _ int) any { return answer })
				require.NoError(t, err)
				return alone
			},
		}
		check := func() { // a poll may end before the last failure
			for _, n := range p.nodes {
				_ = p.verify(t.Context(), n)
			}
		}
		require.False(t, polls["Agree"]())
		synctest.Wait() // for the answers that did not matter
		down = true
		check()
		for name, poll := range polls {
			require.True(t, poll(), name)
		}
		time.Sleep(outage)
		check()
		for name, poll := range polls {
			require.False(t, poll(), name)
		}
	})
}
