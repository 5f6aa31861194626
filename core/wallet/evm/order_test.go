package evm

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"math/rand/v2"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/number"
	"obverse/core/store"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/coin"
	network "obverse/core/wallet/cosmos/nodetest"
)

// chance is a seeded random source that is safe for concurrent use.
type chance struct {
	mu sync.Mutex
	r  *rand.Rand
}

func (c *chance) upTo(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.r.IntN(n)
}

func (c *chance) pause(limit time.Duration) time.Duration {
	return time.Duration(c.upTo(int(limit/time.Millisecond))) * time.Millisecond
}

// flaky is a slow node that is sometimes down, sometimes loses its responses and sometimes refuses
// transactions.
func flaky(c *chance, inner network.Behaviour) network.Behaviour {
	return func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
		down, lost := c.upTo(12) == 0, c.upTo(12) == 0
		for _, step := range []func() (fetch.Response, error){
			func() (fetch.Response, error) { return fetch.Response{}, nil },
			func() (fetch.Response, error) {
				if down {
					return fetch.Response{}, fetch.ErrUnreachable
				}
				return inner(ctx, r)
			},
		} {
			time.Sleep(c.pause(3 * time.Second))
			response, err := step()
			if err != nil {
				return response, err
			}
			if response.Status == 0 {
				continue
			}
			time.Sleep(c.pause(5 * time.Second))
			if lost {
				return fetch.Response{}, fetch.ErrUnreachable
			}
			return response, ctx.Err()
		}
		panic("unreachable")
	}
}

// world is a network with its nodes, and a user with a wallet.
type world struct {
	*chance
	t     *testing.T
	kv    store.KV
	l     *fiveNodes
	nodes map[string]network.Behaviour
	liars []*liar
	b     *bench
}

// newWorld returns a network with five nodes of which two lie, or one honest node.
func newWorld(t *testing.T, kv store.KV, seed uint64) *world {
	w := &world{chance: &chance{r: rand.New(rand.NewPCG(seed, 1))}, t: t, kv: kv, nodes: map[string]network.Behaviour{}}
	w.b = openBench(t, kv)
	w.l = newFiveNodes(w.b.eth, 5)
	count, liars := 5, 2
	if w.upTo(4) == 0 {
		count, liars = 1, 0
	}
	places := w.r.Perm(count)
	for i := range count {
		var x *liar
		if places[i] < liars {
			x = &liar{lie: func(a call) (string, string, bool) {
				n := numbers[w.upTo(len(numbers))]
				switch w.upTo(3) {
				case 0:
					return "", "", false
				case 1:
					return n.lie.refusing()(a)
				}
				return n.lie(a)
			}}
			w.liars = append(w.liars, x)
		}
		w.nodes[fmt.Sprintf("https://node%d.example/", i)] = flaky(w.chance, w.l.serve(x, 0))
	}
	return w
}

// start activates the coin, also again after a kill, when earlier requests may still arrive.
func (w *world) start() {
	w.b = openBench(w.t, w.kv)
	w.b.Queue = coin.OpenSendQueue(time.Now, w.kv)
	p := eth()
	p.Nodes, p.Balances = nil, false
	for i := range len(w.nodes) {
		url := fmt.Sprintf("https://node%d.example/", i)
		w.b.net.Set(url, w.nodes[url])
		p.Nodes = append(p.Nodes, at(url)...)
	}
	for tries := 0; ; tries++ {
		_, err := w.b.Activate(w.t.Context(), p)
		if err == nil {
			return
		}
		require.Less(w.t, tries, 20, "%v", err)
		time.Sleep(w.pause(time.Minute))
	}
}

// send makes one payment. The user tries until it is sent, and checks before each retry whether
// an earlier attempt arrived.
func (w *world) send(amount number.Rational) {
	var unclear []string
	for range 8 {
		active, err := w.b.Active.Get("ETH")
		require.NoError(w.t, err)
		ctx, cancel := context.WithTimeout(w.t.Context(), 2*time.Second+w.pause(40*time.Second))
		_, err = active.(coin.Withdrawer).Withdraw(ctx, coin.WithdrawRequest{To: payee, Amount: amount, Send: true})
		cancel()
		if err == nil {
			return
		}
		var maybe *coin.UnclearError
		if errors.As(err, &maybe) {
			unclear = append(unclear, "0x"+maybe.Hash)
		}
		if w.upTo(4) == 0 {
			w.start() // after a kill
		}
		time.Sleep(w.pause(time.Minute))
		if w.upTo(2) == 0 {
			time.Sleep(3 * time.Minute) // until all requests have arrived
			w.l.mine()
		}
		for _, hash := range unclear {
			w.l.mu.Lock()
			done := w.l.executed[hash]
			w.l.mu.Unlock()
			if done {
				return
			}
		}
	}
}

// TestOneOrderIsExecutedOnce checks that at most one of the transactions that are signed for
// one payment is executed, regardless of the behaviour of servers and liars, the number of
// retries and kills of the node.
func TestOneOrderIsExecutedOnce(t *testing.T) {
	seeds := 200
	if testing.Short() {
		seeds = 15
	}
	paid := 0
	for seed := range seeds {
		kv := bunttest.Memory(t)
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, kv, uint64(seed))
			w.start()
			var amounts []*big.Int
			for i := range 4 {
				amount := number.Scaled(big.NewInt(int64(i+1)), 3)
				amounts = append(amounts, new(big.Int).Mul(big.NewInt(int64(i+1)), big.NewInt(1_000_000_000_000_000)))
				w.send(amount)
				time.Sleep(w.pause(time.Minute))
				if w.upTo(2) == 0 {
					w.l.mine()
				}
			}
			time.Sleep(10 * time.Minute)
			for range 5 {
				w.l.mine()
				for _, x := range w.liars {
					for _, raw := range x.received {
						w.l.take(raw)
					}
				}
			}
			w.l.mine()
			for i, wei := range amounts {
				n := w.l.paid(payee, wei)
				require.LessOrEqual(t, n, 1, "seed %d: order %d", seed, i)
				paid += n
			}
		})
	}
	require.Greater(t, paid, 2*seeds, "most orders are executed")
}
