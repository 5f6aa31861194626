package node

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/wallet/cosmos/wire"
)

// probed returns a pool whose nodes have passed the probe.
func probed(t *testing.T, nodes ...behaviour) (*Pool, *world) {
	t.Helper()
	p, w := pool(t, nodes...)
	left, err := p.Probe(t.Context())
	require.NoError(t, err)
	require.Empty(t, left)
	return p, w
}

func TestSlowNodeIsHedged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := probed(t, at(9), at(9), at(9))
		var gaveUp atomic.Bool
		w.set(urlA, func(ctx context.Context, a query) (fetch.Response, error) {
			<-ctx.Done()
			gaveUp.Store(true)
			return fetch.Response{}, ctx.Err()
		})
		query := func() time.Duration {
			return elapsed(func() {
				_, err := p.Query(t.Context(), "/path", nil)
				require.NoError(t, err)
			})
		}
		require.Equal(t, fastest, query(), "nodes that answer at once are given a little time")
		synctest.Wait()
		require.True(t, gaveUp.Load(), "the slower nodes are not waited for")
		require.Zero(t, w.count("abci_query", urlC), "the third node is not needed")
		for range 20 { // until the node is known to be slow
			query()
		}
		before := w.count("abci_query", urlA)
		require.Zero(t, query())
		require.Equal(t, before, w.count("abci_query", urlA), "the faster one is asked first")
		require.Empty(t, p.Nodes()[0].Reason)
	})
}

func TestHedgeByNodeLatency(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := probed(t, after(400*time.Millisecond, at(9)), after(450*time.Millisecond, at(9)))
		took := elapsed(func() {
			_, err := p.Query(t.Context(), "/path", nil)
			require.NoError(t, err)
		})
		require.Equal(t, 400*time.Millisecond, took)
		require.Zero(t, w.count("abci_query", urlB), "that is its usual pace")
		w.set(urlA, hangs())
		took = elapsed(func() {
			_, err := p.Query(t.Context(), "/path", nil)
			require.NoError(t, err)
		})
		require.Equal(t, 600*time.Millisecond+450*time.Millisecond, took)
	})
}

func TestOrderOfTheUserAmongEqualNodes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := probed(t, after(40*time.Millisecond, at(9)), after(10*time.Millisecond, at(9)), at(9))
		for range 30 {
			_, err := p.Query(t.Context(), "/path", nil)
			require.NoError(t, err)
		}
		require.Equal(t, 30, w.count("abci_query", urlA))
	})
}

func TestHeavyQuestionsAreHedgedLate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		search := func(_ context.Context, a query) (fetch.Response, error) {
			return a.result(`{"txs":[],"total_count":"0"}`), nil
		}
		p, w := probed(t, but("tx_search", after(19*time.Second, search), at(9)), but("tx_search", search, at(9)))
		find := func() time.Duration {
			return elapsed(func() {
				_, err := p.Search(t.Context(), Search{Query: "q", Page: 1, Size: 1})
				require.NoError(t, err)
			})
		}
		require.Equal(t, 19*time.Second, find())
		require.Zero(t, w.count("tx_search", urlB))
		w.set(urlA, but("tx_search", hangs(), at(9)))
		require.Equal(t, 20*time.Second, find())
		_, err := p.Query(t.Context(), "/path", nil)
		require.NoError(t, err)
		require.Equal(t, 1, w.count("abci_query", urlA), "a slow search does not make a node slow")
	})
}

func TestNodeBehindIsNotPreferred(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := probed(t, at(90), at(100))
		height := func() int64 {
			h, err := p.Height(t.Context())
			require.NoError(t, err)
			return h
		}
		require.EqualValues(t, 100, height())
		time.Sleep(2 * time.Second)
		require.EqualValues(t, 100, height())
		require.LessOrEqual(t, w.count("abci_info", urlA), 1)
		w.set(urlB, dead)
		time.Sleep(2 * time.Second)
		require.EqualValues(t, 90, height(), "better than nothing")
	})
}

func TestHeightGoesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := probed(t, at(100), at(101))
		w.set(urlA, at(60)) // another machine at the same address
		height, err := p.Height(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 101, height)
		require.True(t, p.Nodes()[0].Behind)
		require.False(t, p.Nodes()[1].Behind)

		w.set(urlB, hangs())
		time.Sleep(2 * time.Second)
		took := elapsed(func() {
			height, err = p.Height(t.Context())
			require.NoError(t, err)
		})
		require.EqualValues(t, 60, height)
		require.LessOrEqual(t, took, fastest+grace, "a better answer is not waited for as long as for any")
	})
	synctest.Test(t, func(t *testing.T) {
		p, w := probed(t, at(100))
		w.set(urlA, at(98))
		height, err := p.Height(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 98, height)
		require.False(t, p.Nodes()[0].Behind, "nodes may be two blocks apart")
		w.set(urlA, at(3))
		time.Sleep(time.Second)
		height, err = p.Height(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 3, height, "the only node is believed: the chain may have begun again")
		time.Sleep(stale)
		_, err = p.Height(t.Context())
		require.NoError(t, err)
		require.False(t, p.Nodes()[0].Behind, "what was a minute ago counts no longer")
	})
}

// TestRefusalOfANodeBehind checks that ErrNotFound of a node that is behind is not final.
func TestRefusalOfANodeBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := probed(t, at(9), at(9))
		w.set(urlA, queried(22, "sdk"))
		p.ObserveBlock(10)
		w.set(urlB, at(10))
		_, err := p.Query(t.Context(), "/path", nil)
		require.NoError(t, err)
		w.set(urlB, dead)
		_, err = p.Query(t.Context(), "/path", nil)
		require.ErrorIs(t, err, ErrNotFound)
	})
}

func TestAnnouncedBlock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := probed(t, at(100), at(101))
		balance := func() string {
			p.Invalidate()
			coin, err := p.Balance(t.Context(), "a", "u")
			require.NoError(t, err)
			return coin.Amount
		}
		require.Equal(t, "100", balance())
		p.ObserveBlock(101)
		p.ObserveBlock(99)
		require.Equal(t, "101", balance(), "what has happened is in the answer")
		w.set(urlB, at(100))
		require.Equal(t, "100", balance(), "unless no node knows of it")
		time.Sleep(heardFor)
		before := w.total()
		require.Equal(t, "100", balance())
		require.Equal(t, 1, w.total()-before, "later it is forgotten")
	})
}

func refuses(code int, data string) behaviour {
	return func(_ context.Context, a query) (fetch.Response, error) { return a.refuse(code, data), nil }
}

func queried(code uint32, codespace string) behaviour {
	return func(_ context.Context, a query) (fetch.Response, error) {
		return a.result(fmt.Sprintf(`{"response":{"code":%d,"codespace":%q,"log":"no","height":"9"}}`, code, codespace)), nil
	}
}

func TestAnswersThatAreNotFinal(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b behaviour
		want string // text of the error; "" means none
	}{
		{"an error of JSON-RPC", refuses(-32603, "no"), at(9), ""},
		{"a method that a node does not have", refuses(-32601, ""), at(9), ""},
		{"both refuse", refuses(-32603, "one"), refuses(-32603, "two"), "https://a.example: Internal error: one (-32603)"},
		{"the other is dead", refuses(-32603, "one"), dead, "https://a.example: Internal error: one (-32603)"},
		{"a path that a node does not have", queried(6, "sdk"), at(9), ""},
		{"a path that no node has", queried(6, "sdk"), queried(6, "sdk"), "https://a.example: no (code 6 of sdk)"},
		{"a state that a node does not have", queried(18, "sdk"), at(9), ""},
		{"a module of a node that is broken", queried(111222, "undefined"), at(9), ""},
		{"a question that the chain refuses", queried(18, "sdk"), queried(18, "sdk"), "https://a.example: no (code 18 of sdk)"},
		{"no such thing, by one node", queried(22, "sdk"), at(9), ""},
		{"no such thing", queried(22, "sdk"), queried(22, "sdk"), "https://a.example: no (code 22 of sdk)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, w := probed(t, at(9), at(9))
				w.set(urlA, c.a)
				w.set(urlB, c.b)
				_, err := p.Query(t.Context(), "/path", nil)
				if c.want == "" {
					require.NoError(t, err)
				} else {
					require.EqualError(t, err, c.want)
				}
				require.Equal(t, 1, w.count("abci_query", urlB))
				require.True(t, p.Nodes()[0].Healthy, "it has answered")
			})
		})
	}
}

func TestRefusalWaitsBriefly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := probed(t, at(9), at(9))
		w.set(urlA, refuses(-32603, "no"))
		w.set(urlB, hangs())
		var err error
		require.Equal(t, grace, elapsed(func() { _, err = p.Query(t.Context(), "/path", nil) }))
		var refused *nodepool.RPCError
		require.ErrorAs(t, err, &refused)
	})
}

// TestAskChecksTheMessage checks that a message that cannot be decoded is a failure of the
// node.
func TestAskChecksTheMessage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := probed(t, at(9), at(9))
		w.set(urlA, func(_ context.Context, a query) (fetch.Response, error) {
			return a.result(`{"response":{"value":"/w=="}}`), nil
		})
		coin, err := p.Balance(t.Context(), "a", "u")
		require.NoError(t, err)
		require.Equal(t, wire.Coin{Denom: "u", Amount: "9"}, coin)
		require.Contains(t, p.Nodes()[0].Reason, "malformed protobuf message")
		w.set(urlB, func(_ context.Context, a query) (fetch.Response, error) { return a.result(`{}`), nil })
		_, err = p.Query(t.Context(), "/path", nil)
		require.ErrorIs(t, err, nodepool.ErrAnswer)
	})
}

func sends(code uint32, codespace string) behaviour {
	return func(_ context.Context, a query) (fetch.Response, error) {
		var params struct{ Tx []byte }
		if err := json.Unmarshal(a.Params, &params); err != nil {
			return fetch.Response{}, err
		}
		return a.result(fmt.Sprintf(`{"code":%d,"codespace":%q,"log":"l","hash":"%X"}`, code, codespace, sha256.Sum256(params.Tx))), nil
	}
}

func TestBroadcast(t *testing.T) {
	arrives := func(ctx context.Context, _ query) (fetch.Response, error) {
		return fetch.Response{}, fetch.ErrUnreachable
	}
	const fullText = "mempool is full: number of txs 5000 (max: 5000), total txs bytes 3 (max: 4)"
	hash, full := sha256.Sum256([]byte("tx")), mempool(fullText)
	for _, c := range []struct {
		name string
		a, b behaviour
		want error // nil means accepted
		know bool
		took time.Duration
	}{
		{"taken", sends(0, ""), sends(0, ""), nil, false, 0},
		{"the answer is lost, the other has it from the first", arrives, refuses(-32603, "tx already exists in cache"), nil, true, 0},
		{"the other has it, in the words of later versions", arrives, refuses(-32603, "broadcast error: tx already exists in cache"), nil, true, 0},
		{"known", sends(19, "sdk"), sends(0, ""), nil, true, 0},
		{"the fee is too small for one node", sends(13, "sdk"), sends(0, ""), nil, false, 0},
		{"one node has too many", sends(20, "sdk"), sends(0, ""), nil, false, 0},
		{"one node is behind", sends(32, "sdk"), sends(0, ""), nil, false, 0},
		{"the fee is too small for all", sends(13, "sdk"), sends(13, "sdk"), &CheckError{hash, 13, "sdk", "l"}, false, 0},
		{"refused by one", sends(4, "sdk"), sends(0, ""), nil, false, 0},
		{"refused by a module of one", sends(13, "wasm"), sends(0, ""), nil, false, 0},
		{"refused", sends(4, "sdk"), sends(4, "sdk"), &CheckError{hash, 4, "sdk", "l"}, false, 0},
		{"refused by a module", sends(13, "wasm"), sends(13, "wasm"), &CheckError{hash, 13, "wasm", "l"}, false, 0},
		{"the chain takes it, the node is full", full, sends(0, ""), nil, false, 0},
		{"all nodes are full", full, full, &CheckError{hash, 20, "sdk", fullText}, false, 0},
		{"all nodes are full, by JSON-RPC", refuses(-32603, fullText), refuses(-32603, fullText), &CheckError{hash, 20, "sdk", fullText}, false, 0},
		{"the node is full, and its answer is lost", arrives, full, &nodepool.UnreachableError{}, false, 0},
		{"known, by a mempool error", mempool("tx already exists in cache"), sends(0, ""), nil, true, 0},
		{"another mempool error", mempool("no"), mempool("no"), &CheckError{hash, 20, "sdk", "no"}, false, 0},
		{"too large", refuses(-32603, "Tx too large. Max size is 5, but got 6"), refuses(-32603, "Tx too large. Max size is 5, but got 6"),
			&CheckError{hash, 21, "sdk", "Tx too large. Max size is 5, but got 6"}, false, 0},
		{"another hash", func(_ context.Context, a query) (fetch.Response, error) {
			return a.result(`{"code":0,"hash":"00"}`), nil
		}, sends(0, ""), nil, false, 0},
		{"refused by JSON-RPC", refuses(-32602, "no"), refuses(-32602, "no"), &nodepool.RPCError{Code: -32602, Message: "Internal error", Data: "no"}, false, 0},
		{"slow", hangs(), sends(0, ""), nil, false, 5 * time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, w := probed(t, at(9), at(9))
				w.set(urlA, c.a)
				w.set(urlB, c.b)
				var sent Sent
				var err error
				require.Equal(t, c.took, elapsed(func() { sent, err = p.Broadcast(t.Context(), []byte("tx")) }))
				time.Sleep(time.Minute)
				require.Equal(t, 1, w.count("broadcast_tx_sync", urlB), "what one has taken is given to the other")
				if c.want == nil {
					require.NoError(t, err)
					require.Equal(t, Sent{sha256.Sum256([]byte("tx")), c.know}, sent)
					return
				}
				require.ErrorAs(t, err, pointerTo(c.want))
				if _, unclear := c.want.(*nodepool.UnreachableError); !unclear {
					require.ErrorContains(t, err, c.want.Error())
				}
			})
		})
	}
}

// mempool returns a node that rejects a transaction that the chain accepts.
func mempool(text string) behaviour {
	return func(ctx context.Context, a query) (fetch.Response, error) {
		r, err := sends(0, "")(ctx, a)
		r.Body = bytes.Replace(r.Body, []byte(`"log":"l"`), fmt.Appendf(nil, `"log":"[]","mempool_error":%q`, text), 1)
		return r, err
	}
}

// TestBroadcastWithALiar checks that one lying node, at any place of the list, neither prevents
// a transaction nor determines the reason of a refusal.
func TestBroadcastWithALiar(t *testing.T) {
	for place := range 5 {
		synctest.Test(t, func(t *testing.T) {
			nodes := []behaviour{at(9), at(9), at(9), at(9), at(9)}
			p, w := probed(t, nodes...)
			urls := []string{urlA, urlB, urlC, "https://d.example/", "https://e.example/"}
			for i, url := range urls {
				w.set(url, sends(0, ""))
				if i == place {
					w.set(url, sends(5, "sdk"))
				}
			}
			_, err := p.Broadcast(t.Context(), []byte("tx"))
			require.NoError(t, err)
			for i, url := range urls {
				if i != place {
					w.set(url, sends(13, "sdk"))
				}
			}
			_, err = p.Broadcast(t.Context(), []byte("tx"))
			var refused *CheckError
			require.ErrorAs(t, err, &refused)
			require.EqualValues(t, 13, refused.Code)
		})
	}
}

func pointerTo(err error) any {
	switch err.(type) {
	case *CheckError:
		return new(*CheckError)
	case *nodepool.UnreachableError:
		return new(*nodepool.UnreachableError)
	}
	return new(*nodepool.RPCError)
}

func TestSlowBroadcastIsNotAwaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := probed(t, at(9), at(9))
		var gaveUp atomic.Bool
		w.set(urlA, func(ctx context.Context, a query) (fetch.Response, error) {
			<-ctx.Done()
			gaveUp.Store(true)
			return fetch.Response{}, ctx.Err()
		})
		w.set(urlB, sends(0, ""))
		_, err := p.Broadcast(t.Context(), []byte("tx"))
		require.NoError(t, err)
		require.Empty(t, p.Nodes()[0].Reason)
		time.Sleep(time.Minute)
		require.True(t, gaveUp.Load(), "by the question's timeout: it may pass the transaction on")
	})
}

func TestStaleAnswerBeforeRefusal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := probed(t, at(100), at(100))
		w.set(urlA, refuses(-32603, "no"))
		w.set(urlB, at(50))
		height, err := p.Height(t.Context())
		require.NoError(t, err)
		require.EqualValues(t, 50, height)
	})
}

// TestAnswersWithAnotherID checks that answers to other questions are rejected.
func TestAnswersWithAnotherID(t *testing.T) {
	tx := func(hash string) behaviour {
		return func(_ context.Context, a query) (fetch.Response, error) {
			found := `{"hash":"` + hash + `","height":"5","index":0,"tx":"dHg=","tx_result":{"code":0}}`
			if a.Method == "tx_search" {
				found = `{"txs":[` + found + `],"total_count":"1"}`
			}
			return a.result(found), nil
		}
	}
	block := func(_ context.Context, a query) (fetch.Response, error) {
		return a.result(`{"block":{"header":{"height":"5","time":"2026-01-02T03:04:05Z"}}}`), nil
	}
	hash := sha256.Sum256([]byte("tx"))
	right, wrong := fmt.Sprintf("%X", hash), fmt.Sprintf("%064d", 0)
	for _, c := range []struct {
		name string
		node behaviour
		ask  func(context.Context, *Pool) error
		want error
	}{
		{"transaction", tx(right), func(ctx context.Context, p *Pool) error { _, err := p.Tx(ctx, hash); return err }, nil},
		{"another transaction", tx(right), func(ctx context.Context, p *Pool) error { _, err := p.Tx(ctx, [32]byte{}); return err }, nodepool.ErrOtherID},
		{"transaction under another hash", tx(wrong), func(ctx context.Context, p *Pool) error { _, err := p.Tx(ctx, [32]byte{}); return err }, nodepool.ErrAnswer},
		{"search", tx(right), func(ctx context.Context, p *Pool) error { _, err := p.Search(ctx, Search{}); return err }, nil},
		{"search with another hash", tx(wrong), func(ctx context.Context, p *Pool) error { _, err := p.Search(ctx, Search{}); return err }, nodepool.ErrAnswer},
		{"block", block, func(ctx context.Context, p *Pool) error { _, err := p.BlockTime(ctx, 5); return err }, nil},
		{"another block", block, func(ctx context.Context, p *Pool) error { _, err := p.BlockTime(ctx, 6); return err }, nodepool.ErrOtherID},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				p, w := probed(t, at(9))
				w.set(urlA, c.node)
				require.ErrorIs(t, c.ask(t.Context(), p), c.want)
			})
		})
	}
}

func TestBroadcastsAreNotShared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, w := probed(t, but("broadcast_tx_sync", after(time.Second, sends(0, "")), at(9)))
		var all sync.WaitGroup
		for range 3 {
			all.Go(func() {
				_, err := p.Broadcast(t.Context(), []byte("tx"))
				require.NoError(t, err)
			})
		}
		all.Wait()
		require.Equal(t, 3, w.count("broadcast_tx_sync"))
	})
}
