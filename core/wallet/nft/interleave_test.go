package nft

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
	"obverse/core/store/bunttest"
)

// racingStore is a store that calls a function right after the first read of a list.
type racingStore struct {
	store.KV
	prefix string // prefix of the keys of the list
	once   sync.Once
	then   func()
}

func (k *racingStore) Scan(ctx context.Context, prefix, after string, limit int) ([]store.Entry, error) {
	entries, err := k.KV.Scan(ctx, prefix, after, limit)
	if strings.HasPrefix(prefix, k.prefix) {
		k.once.Do(k.then)
	}
	return entries, err
}

func owned(id string) NFT {
	return NFT{Token: Token{Polygon, smurfs, id}, Owner: wallet, Type: ERC1155, Amount: "1", Block: 5}
}

func moved(id, hash string) Transfer {
	return Transfer{Token: Token{Polygon, smurfs, id}, Wallet: wallet, Hash: hash, Block: 5, Type: ERC1155, Amount: "1"}
}

func (s *records) list(t *testing.T) (ids []string) {
	t.Helper()
	nfts, err := s.nftsOf(t.Context(), Polygon, wallet)
	require.NoError(t, err)
	for _, n := range nfts {
		ids = append(ids, "nft "+n.ID)
	}
	moves, err := s.transfersOf(t.Context(), Polygon, wallet)
	require.NoError(t, err)
	for _, m := range moves {
		ids = append(ids, fmt.Sprintf("transfer %s %s spam %t", m.ID, m.Hash, m.Spam))
	}
	return ids
}

// TestUpdatesInTheMidstOfOthers checks an update that happens after another one has read the
// old list and before it changes the list. The result must be as if one came after the other.
func TestUpdatesInTheMidstOfOthers(t *testing.T) {
	listing := func(nfts []NFT, transfers ...Transfer) *listUpdate {
		return &listUpdate{chain: Polygon, wallet: wallet, nfts: nfts, from: 1, last: 100, transfers: transfers}
	}
	for _, c := range []struct {
		name, prefix   string
		before, others *listUpdate
		last           func(context.Context, *records) error
		want           []string
	}{
		{"a list", "N/nft/list/", nil, listing([]NFT{owned("2")}),
			func(ctx context.Context, s *records) error { return s.replace(ctx, listing([]NFT{owned("3")})) }, []string{"nft 3"}},
		{"a list that another network's address had", "N/nft/list/", listing([]NFT{owned("1")}), listing([]NFT{owned("1"), owned("2")}),
			func(ctx context.Context, s *records) error { return s.replace(ctx, listing([]NFT{owned("1")})) }, []string{"nft 1"}},
		{"transfers", "N/nft/transfer/", nil, listing(nil, moved("2", "a")),
			func(ctx context.Context, s *records) error { return s.replace(ctx, listing(nil, moved("3", "b"))) }, []string{"transfer 3 b spam false"}},
		{"transfers of what is refreshed", "N/nft/transfer/", listing([]NFT{owned("2")}), listing([]NFT{owned("2")}, moved("2", "a")),
			func(ctx context.Context, s *records) error {
				fresh := owned("2")
				return s.refresh(ctx, fresh.Token, &fresh, &listUpdate{chain: Polygon, wallet: wallet, spam: map[string]bool{smurfs: true}})
			}, []string{"nft 2", "transfer 2 a spam true"}},
		{"what else a bad contract has", "N/nft/list/", listing([]NFT{owned("2")}), listing([]NFT{owned("2"), owned("4")}, moved("4", "a")),
			func(ctx context.Context, s *records) error {
				fresh := owned("2")
				return s.refresh(ctx, fresh.Token, &fresh, &listUpdate{chain: Polygon, wallet: wallet, spam: map[string]bool{smurfs: true}})
			}, []string{"nft 2", "nft 4", "transfer 4 a spam true"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			kv := bunttest.Memory(t)
			plain := New(Config{Store: kv}).records
			if c.before != nil {
				require.NoError(t, plain.replace(t.Context(), c.before))
			}
			hooked := New(Config{Store: &racingStore{KV: kv, prefix: c.prefix, then: func() { require.NoError(t, plain.replace(t.Context(), c.others)) }}}).records
			require.NoError(t, c.last(t.Context(), hooked))
			require.Equal(t, c.want, plain.list(t))
		})
	}
}

// TestManyUpdatesAtOnce checks that many concurrent updates and refreshes result in the
// complete list of one of the updates.
func TestManyUpdatesAtOnce(t *testing.T) {
	s := New(Config{Store: bunttest.Memory(t)}).records
	const lists, each = 8, 5
	var all sync.WaitGroup
	for i := range lists {
		all.Go(func() {
			for range 10 {
				n := &listUpdate{chain: Polygon, wallet: wallet, from: 1, last: 100}
				for j := range each {
					id := fmt.Sprint(100*i + j)
					n.nfts, n.transfers = append(n.nfts, owned(id)), append(n.transfers, moved(id, "a"))
				}
				if err := s.replace(t.Context(), n); err != nil {
					t.Error(err)
				}
				fresh := owned(fmt.Sprint(100 * i))
				err := s.refresh(t.Context(), fresh.Token, &fresh, &listUpdate{chain: Polygon, wallet: wallet})
				var gone *NotFoundError
				if err != nil && !errors.As(err, &gone) {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	list := s.list(t)
	require.Len(t, list, 2*each)
	first := strings.TrimPrefix(list[0], "nft ")
	for _, line := range list {
		require.Equal(t, first[:len(first)-1], strings.Fields(line)[1][:len(first)-1], list)
	}
}
