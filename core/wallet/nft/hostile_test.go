package nft

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/store"
	"obverse/core/store/table"
	"obverse/core/wallet/nft/nfttest"
)

// TestMemoryOfListings checks that stored texts do not hold the indexer's whole answer in
// memory, and that a very large listing has only numbers.
func TestMemoryOfListings(t *testing.T) {
	const much = 256 << 10
	items := 50
	if testing.Short() {
		items = 10
	}
	b, _ := newBenchAtHeight(t)
	b.textLimit, b.world.PageSize = items*much, 5
	wide := strings.Repeat("x", much)
	var held, moved []nfttest.Item
	for n := range items {
		id := strings.Repeat("0", much/4) + fmt.Sprint(n)
		held = append(held, smurf(id).With("name", "n"+wide, "token_uri", "https://a.example/"+strings.Repeat("x", 4000)))
		moved = append(moved, receivedIn(900).With("token_id", id, "transaction_type", wide, "value", strings.Repeat("0", much)+"1"))
	}
	b.world.Hold("POLYGON", wallet, held...)
	b.world.Moved("POLYGON", wallet, moved...)
	before := heapInUse()
	l, err := b.list(t.Context(), indexer().Indexer, Polygon, wallet)
	require.NoError(t, err)
	all, err := b.transfers(t.Context(), indexer().Indexer, &listUpdate{chain: Polygon, wallet: wallet, last: 1000})
	require.NoError(t, err)
	require.Less(t, heapInUse(), before+2<<20, "of %d kB", items*3*much>>10)
	require.Len(t, all, items)
	require.Len(t, l.nfts, items)
	require.Len(t, l.nfts[0].Name, maxName)
	last := l.nfts[items-1]
	require.Equal(t, NFT{Token: Token{Polygon, smurfs, fmt.Sprint(items - 1)}, Owner: wallet, Type: ERC1155, Amount: "1", Block: 42491885, Minted: 36781490}, last)
}

// TestHasLinkInLongNames checks that the search for links does not take longer per letter in
// long names.
func TestHasLinkInLongNames(t *testing.T) {
	name := strings.Repeat("a1.", 20_000)
	require.False(t, hasLink(name))
	require.Less(t, testing.AllocsPerRun(1, func() { hasLink(name) }), 100.0)
}

// TestVerdictsOnOthers checks that an anti-spam service cannot fill the memory with names that
// were not in the request.
func TestVerdictsOnOthers(t *testing.T) {
	b, _ := newBenchAtHeight(t)
	b.world.Hook = func(r nfttest.Request) (nfttest.Answer, bool) {
		return nfttest.JSON(map[string]any{"result": map[string]bool{"A.example": true, "b.example": true, "c.example": false}}), true
	}
	bad, err := b.scanDomains(t.Context(), services().Antispam, []string{"a.example", "c.example"})
	require.NoError(t, err)
	require.Equal(t, map[string]bool{"a.example": true}, bad)
}

// interruptedStore is a store that calls a function once, after the sixth NFT was read.
type interruptedStore struct {
	store.KV
	happens func()
}

func (m *interruptedStore) read(data string) {
	if happens := m.happens; happens != nil && strings.Contains(data, `"id":"6"`) {
		m.happens = nil
		happens()
	}
}

func (m *interruptedStore) Get(ctx context.Context, keys ...string) ([]store.Value, error) {
	found, err := m.KV.Get(ctx, keys...)
	for _, v := range found {
		m.read(v.Data)
	}
	return found, err
}

func (m *interruptedStore) Scan(ctx context.Context, prefix, after string, limit int) ([]store.Entry, error) {
	found, err := m.KV.Scan(ctx, prefix, after, limit)
	for _, e := range found {
		m.read(e.Data)
	}
	return found, err
}

// TestUpdateDuringRefresh checks that a concurrent update and refresh do not lose changes of
// each other.
func TestUpdateDuringRefresh(t *testing.T) {
	for name, other := range map[string]func(*records, context.Context) error{
		"an update": func(s *records, ctx context.Context) error {
			return s.replace(ctx, &listUpdate{chain: Polygon, wallet: wallet, nfts: []NFT{{Token: Token{Polygon, smurfs, "6"}, Owner: wallet, Type: ERC1155, Amount: "1"}}})
		},
		"a refresh of another": func(s *records, ctx context.Context) error {
			return s.refresh(ctx, Token{Polygon, smurfs, "5"}, &NFT{}, &listUpdate{wallet: wallet, spam: map[string]bool{smurfs: true}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t)
			b.polygon(t, smurf("5"), smurf("6"))
			kv := &interruptedStore{KV: b.kv, happens: func() {
				require.NoError(t, table.Change(t.Context(), b.kv, func(tx *table.Tx) error {
					n, _, err := b.records.get(t.Context(), tx, wallet, Token{Polygon, smurfs, "6"})
					if err != nil {
						return err
					}
					n.Phishing, n.Meta.Name = true, "looked up"
					return b.records.nfts.Put(t.Context(), tx, n)
				}))
			}}
			require.NoError(t, other(New(Config{Store: kv}).records, t.Context()))
			require.Nil(t, kv.happens)
			n := b.stored(t, smurfs, "6")
			require.True(t, n.Phishing)
			require.Equal(t, "looked up", n.Meta.Name)
		})
	}
}
