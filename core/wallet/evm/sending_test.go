package evm

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"obverse/core/net/fetch"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/coin"
	network "obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/dapp"
	"obverse/core/wallet/evm/nodetest"
)

func little(t testing.TB) coin.WithdrawRequest {
	return coin.WithdrawRequest{To: payee, Amount: rational(t, "0.001"), Send: true}
}

// TestSendingTogether sends the coin, a token and previously signed transactions from one
// account concurrently.
func TestSendingTogether(t *testing.T) {
	b := newBench(t)
	b.eth.Nonce(walletAddress, 7)
	_, err := b.Activate(t.Context(), eth("SIX-ERC20"))
	require.NoError(t, err)
	platform, token := get[*Platform](t, b, "ETH"), get[*Token](t, b, "SIX-ERC20")
	before := little(t)
	before.Send = false
	made, err := token.Withdraw(t.Context(), before)
	require.NoError(t, err)
	_, err = platform.Broadcast(t.Context(), made.Raw)
	require.NoError(t, err)
	from := []coin.Withdrawer{platform, token}
	var group errgroup.Group
	for i := range 20 {
		group.Go(func() error {
			_, err := from[i%2].Withdraw(t.Context(), little(t))
			return err
		})
	}
	require.NoError(t, group.Wait())
	var want []uint64
	for i := range uint64(21) {
		want = append(want, 7+i)
	}
	require.Equal(t, want, b.eth.Nonces(walletAddress))
}

// A refusal frees the nonce. A platform that is activated again, with a node that has no
// transactions, knows the transactions that were sent.
func TestSendQueueGoesOn(t *testing.T) {
	b := newBench(t)
	b.Queue = coin.NewSendQueue(time.Now)
	_, err := b.Activate(t.Context(), eth())
	require.NoError(t, err)
	b.eth.Refuse("txpool is full")
	_, err = get[*Platform](t, b, "ETH").Withdraw(t.Context(), little(t))
	require.ErrorAs(t, err, new(*coin.RefusedError))
	b.eth.Refuse("")
	_, err = get[*Platform](t, b, "ETH").Withdraw(t.Context(), little(t))
	require.NoError(t, err)
	require.Equal(t, []uint64{0}, b.eth.Nonces(walletAddress))

	_, err = b.Active.Disable(t.Context(), "ETH", false)
	require.NoError(t, err)
	other := nodetest.New(1, 100).Give(walletAddress, "2500000000000000001")
	b.net.Set(ethURL, other.Well)
	_, err = b.Activate(t.Context(), eth())
	require.NoError(t, err)
	_, err = get[*Platform](t, b, "ETH").Withdraw(t.Context(), little(t))
	require.NoError(t, err)
	require.Equal(t, []uint64{1}, other.Nonces(walletAddress))
}

// TestRefusedByTheOthers checks that a refusal is unclear if another node may have the
// transaction although it did not confirm this. The transaction may be executed, and the next
// one has the same nonce.
func TestRefusedByTheOthers(t *testing.T) {
	const otherHash = `"0x1111111111111111111111111111111111111111111111111111111111111111"`
	for name, answer := range map[string]func(ctx context.Context, r fetch.Request, honest network.Behaviour) (fetch.Response, error){
		"closes": func(context.Context, fetch.Request, network.Behaviour) (fetch.Response, error) {
			return fetch.Response{}, fetch.ErrUnreachable
		},
		"hangs": func(ctx context.Context, r fetch.Request, _ network.Behaviour) (fetch.Response, error) {
			return network.Hangs(ctx, r)
		},
		"answers with another hash": func(ctx context.Context, r fetch.Request, _ network.Behaviour) (fetch.Response, error) {
			return newFiveNodes(nodetest.New(1, 1), 0).serve(&liar{lie: says("eth_sendRawTransaction", otherHash)}, 0)(ctx, r)
		},
	} {
		for place := range 3 {
			t.Run(fmt.Sprint(name, place), func(t *testing.T) {
				kv := bunttest.Memory(t)
				synctest.Test(t, func(t *testing.T) {
					b := openBench(t, kv)
					l := newFiveNodes(b.eth, 5)
					p := eth()
					p.Nodes = nil
					for i := range 3 {
						url := fmt.Sprintf("https://node%d.example/", i)
						p.Nodes = append(p.Nodes, at(url)...)
						honest := l.serve(nil, 0)
						refuses := l.serve(&liar{lie: func(a call) (string, string, bool) {
							if a.Method == "eth_getTransactionByHash" { // the node does not have it
								return "null", "", true
							}
							return fails("eth_sendRawTransaction", "txpool is full")(a)
						}}, 0)
						b.net.Set(url, func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
							switch sends := bytes.Contains(r.Body, []byte("eth_sendRawTransaction")); {
							case sends && i == place:
								if _, err := honest(ctx, r); err != nil {
									return fetch.Response{}, err
								}
								return answer(ctx, r, honest)
							case i != place:
								return refuses(ctx, r)
							}
							return honest(ctx, r)
						})
					}
					_, err := b.Activate(t.Context(), p)
					require.NoError(t, err)
					done, err := get[*Platform](t, b, "ETH").Withdraw(t.Context(), little(t))
					var unclear *coin.UnclearError
					require.ErrorAs(t, err, &unclear)
					require.Equal(t, done.Hash, unclear.Hash)
					require.False(t, errors.As(err, new(*coin.RefusedError)), err)
					require.NotEqual(t, int64(-32000), dapp.ErrorOf(err).Code)
					require.Len(t, l.waiting, 1)
				})
			})
		}
	}
}
