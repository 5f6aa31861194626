package worker

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/native/test/benchtable"
)

const (
	rounds   = 5
	perRound = 1000 // requests per round
	starts   = 10
)

// BenchmarkEdge measures the cost of a call at the edge, in comparison with a Worker that returns a
// constant, and the time in which an object starts.
func BenchmarkEdge(b *testing.B) {
	for range b.N {
		e := openSeparateEdge(b)
		e.client.Transport = &http.Transport{MaxIdleConnsPerHost: 64}
		n := e.node(b, map[string]any{"passphrase": "a phrase of the edge"})
		body := fmt.Appendf(nil, `{"userpass":%q,"mmrpc":"2.0","method":"get_public_key","params":{},"id":5}`, rpcPassword)
		node, constant := n.url+"/n/"+n.name+"/", n.url+"/__constant"
		t := new(benchtable.Table)
		for _, c := range []struct {
			connections int
			aim         string
		}{{1, ">= 0.25"}, {16, ">= 0.20"}} {
			var ours, theirs []float64
			var middle []time.Duration
			for range rounds {
				bare, _ := e.load(b, constant, body, c.connections)
				calls, p50 := e.load(b, node, body, c.connections)
				ours, theirs, middle = append(ours, calls), append(theirs, bare), append(middle, p50)
			}
			t.Add(benchtable.Row{What: fmt.Sprintf("at the edge: get_public_key, %d at a time, of a constant answer", c.connections), Unit: "/s", Ours: ours, Reference: theirs,
				Aim: c.aim, Note: fmt.Sprintf("p50 %s", median(middle).Round(10*time.Microsecond))})
		}
		var cold []float64
		for range starts {
			n.evict()
			start := time.Now()
			n.do("/", body)
			cold = append(cold, float64(time.Since(start).Milliseconds()))
		}
		t.Add(benchtable.Row{What: "at the edge: first answer of an object that was evicted", Unit: " ms", Ours: cold})
		require.NoError(b, t.Finish(os.Stdout))
	}
}

// load returns the requests per second over a number of connections, and the median duration of a
// request.
func (e *edge) load(b *testing.B, url string, body []byte, connections int) (perSecond float64, p50 time.Duration) {
	b.Helper()
	var mu sync.Mutex
	var all []time.Duration
	var group sync.WaitGroup
	start := time.Now()
	for range connections {
		group.Go(func() {
			took := make([]time.Duration, 0, perRound/connections)
			for range perRound / connections {
				begin := time.Now()
				response, err := e.client.Post(url, "application/json", bytes.NewReader(body))
				if err != nil || response.StatusCode != http.StatusOK {
					panic(fmt.Sprint(response, err))
				}
				_, _ = io.Copy(io.Discard, response.Body)
				_ = response.Body.Close()
				took = append(took, time.Since(begin))
			}
			mu.Lock()
			defer mu.Unlock()
			all = append(all, took...)
		})
	}
	group.Wait()
	require.NotEmpty(b, all)
	return float64(len(all)) / time.Since(start).Seconds(), median(all)
}

func median[T float64 | time.Duration](values []T) T {
	return slices.Sorted(slices.Values(values))[len(values)/2]
}
