package nft

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/nft/nfttest"
)

// once returns a hook that runs an action at the first request with a part in its URL, and
// answers no request.
func once(part string, action func()) func(nfttest.Request) (nfttest.Answer, bool) {
	var done atomic.Bool // the action may make the same request again
	return func(r nfttest.Request) (nfttest.Answer, bool) {
		if strings.Contains(r.URL, part) && done.CompareAndSwap(false, true) {
			action()
		}
		return nfttest.Answer{}, false
	}
}

// stages holds the requests of an update, in their order.
var stages = []string{"/nft?", "/nft/transfers?", "/contract/scan", "/domain/scan"}

func (b *bench) disable(t *testing.T, tickers ...string) {
	t.Helper()
	for _, ticker := range tickers {
		_, err := b.Active.Disable(t.Context(), ticker, true)
		require.NoError(t, err)
	}
}

// TestDisableDuringAnUpdate checks that a network that is disabled while it is scanned keeps a
// complete list, from before or after the scan.
func TestDisableDuringAnUpdate(t *testing.T) {
	for _, part := range stages {
		t.Run(part, func(t *testing.T) {
			b := filledBench(t)
			b.world.Hold("POLYGON", wallet, smurf("7").With("metadata", `{"image":"https://7.example/x"}`), smurf("8"))
			b.world.Moved("POLYGON", wallet, transferAt(20, 0, "7"))
			b.world.Hook = once(part, func() { b.disable(t, "NFT_MATIC") })
			require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, services()))
			require.NotContains(t, fmt.Sprint(b.Active.List()), "NFT_MATIC", "it stays disabled")
			l, err := b.List(t.Context(), Query{Chains: []Chain{Polygon}, Max: true})
			require.NoError(t, err)
			require.ElementsMatch(t, []string{"P7", "P8"}, nftIDs(l.NFTs))
			require.Equal(t, []string{"20/0/7"}, b.history(t))
			require.ErrorIs(t, b.Update(t.Context(), []Chain{Polygon}, services()), coin.ErrNotActive)
			_, err = b.Activate(t.Context(), "NFT_MATIC", indexer())
			require.NoError(t, err)
		})
	}
}

// TestAnotherAddressDuringAnUpdate checks that an update does not restore its address if
// another address of the network was activated meanwhile.
func TestAnotherAddressDuringAnUpdate(t *testing.T) {
	for _, part := range stages {
		t.Run(part, func(t *testing.T) {
			b := filledBench(t)
			b.world.Hold("POLYGON", other, smurf("70"))
			b.world.Hold("POLYGON", wallet, smurf("7").With("metadata", `{"image":"https://7.example/x"}`))
			b.world.Hook = once(part, func() {
				b.disable(t, "NFT_MATIC", "MATIC")
				b.addPlatform(t, "MATIC", other)
				_, err := b.Activate(t.Context(), "NFT_MATIC", indexer())
				require.NoError(t, err)
			})
			err := b.Update(t.Context(), []Chain{Polygon}, services())
			require.ErrorIs(t, err, coin.ErrNotActive)
			for _, step := range []func(){func() {}, func() { b.disable(t, "NFT_MATIC") }, func() { b.disable(t, "MATIC") }} {
				step()
				l, err := b.List(t.Context(), Query{Chains: []Chain{Polygon}, Max: true})
				require.NoError(t, err)
				require.Equal(t, []string{"P70"}, nftIDs(l.NFTs), "the newer address's, active or not")
			}
		})
	}
}

// TestDisableDuringARefresh checks that a refresh changes only the NFT that it was called for
// when the network is disabled meanwhile, or activated again for another address.
func TestDisableDuringARefresh(t *testing.T) {
	for _, part := range []string{"/api/v2/nft/", "/url/decode/", "/contract/scan", "/domain/scan"} {
		b := described(t)
		b.world.Hold("POLYGON", other, smurf("5").With("name", "theirs"))
		b.world.Hook = once(part, func() {
			b.disable(t, "NFT_MATIC", "MATIC")
			b.addPlatform(t, "MATIC", other)
			_, err := b.Activate(t.Context(), "NFT_MATIC", indexer())
			require.NoError(t, err)
		})
		require.NoError(t, b.Refresh(t.Context(), five, services()), part)
		n := b.stored(t, smurfs, "5")
		require.Equal(t, []string{other, "theirs", ""}, []string{n.Owner, n.Name, n.Meta.Name}, part)
		mine, found, err := b.records.get(t.Context(), b.kv, wallet, five)
		require.NoError(t, err)
		require.True(t, found)
		require.Equal(t, "Forest Mushrooms", mine.Meta.Name, part)
	}
}

// TestRefreshTwiceAtOnce checks that two concurrent refreshes of an NFT both succeed, and that
// the stored NFT is the same as after one refresh.
func TestRefreshTwiceAtOnce(t *testing.T) {
	b := described(t)
	require.NoError(t, b.Refresh(t.Context(), five, services()))
	want, history := b.stored(t, smurfs, "5"), b.transfersOf(t)
	b = described(t)
	const refreshes = 8
	var ready, done sync.WaitGroup
	ready.Add(refreshes)
	b.world.Hook = func(r nfttest.Request) (nfttest.Answer, bool) {
		if strings.Contains(r.URL, "/domain/scan") { // the last request, so that all of them write at the same time
			ready.Done()
			ready.Wait()
		}
		return nfttest.Answer{}, false
	}
	for range refreshes {
		done.Go(func() {
			if err := b.Refresh(t.Context(), five, services()); err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	require.Equal(t, want, b.stored(t, smurfs, "5"))
	require.Equal(t, history, b.transfersOf(t))
}

// TestManyRefreshesAtOnce checks that concurrent refreshes of different NFTs do not overwrite
// changes of each other, of updates or of readers.
func TestManyRefreshesAtOnce(t *testing.T) {
	b := newBench(t)
	const count = 6
	b.world.Documents = map[string]nfttest.Answer{}
	var items, moved []nfttest.Item
	for i := range count {
		uri := fmt.Sprintf("https://a.example/%d", i)
		b.world.Documents[uri] = nfttest.JSON(map[string]string{"name": fmt.Sprint("name ", i)})
		items = append(items, smurf(fmt.Sprint(i)).With("token_uri", uri))
		moved = append(moved, transferAt(10+i, i, fmt.Sprint(i)))
	}
	b.polygon(t, items...)
	b.world.Moved("POLYGON", wallet, moved...)
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, services()))
	var all sync.WaitGroup
	check := func(err error) {
		if err != nil {
			t.Error(err)
		}
	}
	for i := range count {
		all.Go(func() { check(b.Refresh(t.Context(), Token{Polygon, smurfs, fmt.Sprint(i)}, services())) })
		all.Go(func() {
			l, err := b.List(t.Context(), Query{Chains: []Chain{Polygon}, Max: true})
			check(err)
			if len(l.NFTs) != count {
				t.Errorf("%d NFTs are listed, want %d", len(l.NFTs), count)
			}
		})
	}
	all.Go(func() { check(b.Update(t.Context(), []Chain{Polygon}, services())) })
	all.Wait()
	for i := range count {
		require.Equal(t, fmt.Sprint("name ", i), b.stored(t, smurfs, fmt.Sprint(i)).Meta.Name)
	}
	for _, m := range b.transfersOf(t) {
		require.Equal(t, "name "+m.ID, m.TokenName)
	}
}

// TestGivingUpAtEachRequest checks that a call that is canceled at any of its requests changes
// nothing and does not return a store error.
func TestGivingUpAtEachRequest(t *testing.T) {
	for name, call := range map[string]func(*bench, context.Context) error{
		"update":  func(b *bench, ctx context.Context) error { return b.Update(ctx, []Chain{Polygon}, services()) },
		"refresh": func(b *bench, ctx context.Context) error { return b.Refresh(ctx, five, services()) },
	} {
		for at := range 4 {
			t.Run(fmt.Sprint(name, " ", at), func(t *testing.T) {
				b := described(t)
				before, history := b.stored(t, smurfs, "5"), b.transfersOf(t)
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				requests := 0
				b.world.Hook = func(nfttest.Request) (nfttest.Answer, bool) {
					if requests++; requests > at {
						cancel()
						return nfttest.Answer{Err: context.Canceled}, true
					}
					return nfttest.Answer{}, false
				}
				err := call(b, ctx)
				require.ErrorIs(t, err, context.Canceled)
				require.NotErrorIs(t, err, coin.ErrTransport)
				require.False(t, errors.As(err, new(*StoreError)))
				require.Equal(t, before, b.stored(t, smurfs, "5"))
				require.Equal(t, history, b.transfersOf(t))
			})
		}
	}
}
