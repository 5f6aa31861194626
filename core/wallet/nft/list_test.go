package nft

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/nft/nfttest"
)

// filledBench returns a bench with five NFTs on Polygon, in blocks 1 to 5, and two on BSC. The
// second NFT on Polygon is spam, and the fourth is phishing.
func filledBench(t *testing.T) *bench {
	b := newBench(t)
	var items []nfttest.Item
	for n := 1; n <= 5; n++ {
		items = append(items, smurf(fmt.Sprint(n)).With("block_number", fmt.Sprint(n), "possible_spam", n == 2,
			"metadata", fmt.Sprintf(`{"image":"https://%d.example/x"}`, n)))
	}
	b.polygon(t, items...)
	b.world.Phishing = map[string]bool{"4.example": true}
	b.world.Moved("POLYGON", wallet, filledTransfers()...)
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, services()))
	b.world.Hold("BSC", wallet, nfttest.NewItem(apes, "8", ERC721, "1"), nfttest.NewItem(apes, "9", ERC721, "1").With("block_number", "42491886"))
	b.addPlatform(t, "BNB", checksumWallet)
	_, err := b.Activate(t.Context(), "NFT_BNB", indexer())
	require.NoError(t, err)
	return b
}

// filledTransfers returns the transfers on Polygon, of which the last one is invalid.
func filledTransfers() []nfttest.Item {
	return []nfttest.Item{
		nfttest.NewTransfer(smurfs, "1", ERC1155, "1", other, wallet, 10, 0).With("block_timestamp", "2023-01-01T00:00:10Z"),
		nfttest.NewTransfer(smurfs, "2", ERC1155, "1", other, wallet, 11, 0).With("block_timestamp", "2023-01-01T00:00:11"),
		nfttest.NewTransfer(smurfs, "4", ERC1155, "1", wallet, other, 12, 0).With("block_timestamp", "2023-01-01T00:00:12.999Z"),
		nfttest.NewTransfer(smurfs, "9", ERC1155, "1", wallet, wallet, 12, 1).With("block_timestamp", "2023-01-01T01:00:13+01:00"),
		nfttest.NewTransfer(smurfs, "9", ERC1155, "1", wallet, "alice.eth", 13, 1),
	}
}

func TestList(t *testing.T) {
	b := filledBench(t)
	both := []Chain{Polygon, BSC, Polygon}
	for _, c := range []struct {
		name           string
		query          Query
		want           string
		skipped, total int
	}{
		{"a page of more than there is", Query{Chains: both, Limit: 10, Page: 1}, "5 4 3 2 1 9 8", 0, 7},
		{"the first page", Query{Chains: both, Limit: 3, Page: 1}, "5 4 3", 0, 7},
		{"a page over two chains", Query{Chains: both, Limit: 3, Page: 2}, "2 1 9", 3, 7},
		{"the last page", Query{Chains: both, Limit: 3, Page: 3}, "8", 6, 7},
		{"a page beyond", Query{Chains: both, Limit: 3, Page: 4}, "", 7, 7},
		{"a page far beyond", Query{Chains: both, Limit: 10_000, Page: 1 << 30}, "", 7, 7},
		{"a page of nothing", Query{Chains: both, Page: 1}, "", 0, 7},
		{"all", Query{Chains: both, Limit: 1, Page: 5, Max: true}, "5 4 3 2 1 9 8", 0, 7},
		{"the other order", Query{Chains: []Chain{BSC, Polygon}, Limit: 3, Page: 1}, "9 8 5", 0, 7},
		{"no chain", Query{Limit: 3, Page: 1}, "", 0, 0},
		{"a chain without any", Query{Chains: []Chain{ETH}, Limit: 3, Page: 1}, "", 0, 0},
		{"no spam", Query{Chains: both, Limit: 2, Page: 2, ExcludeSpam: true}, "3 1", 2, 6},
		{"no phishing", Query{Chains: both, Limit: 2, Page: 2, ExcludePhishing: true}, "2 1", 2, 6},
		{"neither", Query{Chains: both, Max: true, ExcludeSpam: true, ExcludePhishing: true}, "5 3 1 9 8", 0, 5},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := b.List(t.Context(), c.query)
			require.NoError(t, err)
			var ids []string
			for _, n := range l.NFTs {
				ids = append(ids, n.ID)
			}
			require.Equal(t, c.want, strings.Join(ids, " "))
			require.Equal(t, []int{c.skipped, c.total}, []int{l.Skipped, l.Total})
		})
	}
}

func TestTransfers(t *testing.T) {
	b := filledBench(t)
	polygon := Query{Chains: []Chain{Polygon, BSC}, Limit: 10, Page: 1}
	at := func(second int64) int64 { return 1672531200 + second }
	for _, c := range []struct {
		name           string
		query          TransferQuery
		want           string
		skipped, total int
	}{
		{"all", TransferQuery{Query: polygon}, "9 4 2 1", 0, 4},
		{"a page", TransferQuery{Query: Query{Chains: []Chain{Polygon}, Limit: 3, Page: 2}}, "1", 3, 4},
		{"received", TransferQuery{Query: polygon, Receive: true}, "9 2 1", 0, 3},
		{"sent", TransferQuery{Query: polygon, Send: true}, "4", 0, 1},
		{"both", TransferQuery{Query: polygon, Send: true, Receive: true}, "9 4 2 1", 0, 4},
		{"from", TransferQuery{Query: polygon, From: at(12)}, "9 4", 0, 2},
		{"to", TransferQuery{Query: polygon, To: at(12)}, "4 2 1", 0, 3},
		{"at", TransferQuery{Query: polygon, From: at(11), To: at(11)}, "2", 0, 1},
		{"no spam", TransferQuery{Query: Query{Chains: []Chain{Polygon}, Max: true, ExcludeSpam: true}}, "9 4 1", 0, 3},
		{"no phishing", TransferQuery{Query: Query{Chains: []Chain{Polygon}, Max: true, ExcludePhishing: true}}, "9 2 1", 0, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, err := b.Transfers(t.Context(), c.query)
			require.NoError(t, err)
			var ids []string
			for _, m := range l.Transfers {
				ids = append(ids, m.ID)
			}
			require.Equal(t, c.want, strings.Join(ids, " "))
			require.Equal(t, []int{c.skipped, c.total}, []int{l.Skipped, l.Total})
		})
	}
	require.Contains(t, strings.Join(b.logged, "\n"), `skipped an invalid transfer of the indexer's list POLYGON invalid to_address "alice.eth"`)
}

func TestUpdate(t *testing.T) {
	b := filledBench(t)
	earlier := len(b.world.Paths())
	b.world.Hold("POLYGON", wallet, smurf("1").With("block_number", "20"), smurf("6"))
	b.world.Spam = map[string]bool{smurfs: true}
	b.world.Moved("POLYGON", wallet, append(filledTransfers(), nfttest.NewTransfer(smurfs, "6", ERC1155, "1", other, wallet, 20, 0))...)
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon, BSC}, services()))
	require.Equal(t, []string{
		"GET /api/v2/" + wallet + "/nft?chain=POLYGON&format=decimal",
		"GET /api/v2/" + wallet + "/nft/transfers?chain=POLYGON&format=decimal&from_block=1",
		"POST /api/blocklist/contract/scan",
	}, b.world.Paths()[earlier:earlier+3])
	l, err := b.List(t.Context(), Query{Chains: []Chain{Polygon}, Max: true})
	require.NoError(t, err)
	require.Len(t, l.NFTs, 2)
	for _, n := range l.NFTs {
		require.True(t, n.Spam)
	}
	require.Equal(t, "https://1.example/x", l.NFTs[1].Meta.ImageURL, "what was known stays")
	moved := b.transfersOf(t)
	require.Len(t, moved, 5)
	for _, m := range moved {
		require.True(t, m.Spam, "older ones too")
	}

	before := b.transfersOf(t)
	b.world.Hook = func(r nfttest.Request) (nfttest.Answer, bool) {
		return nfttest.Answer{Status: 500}, strings.Contains(r.URL, "chain=POLYGON")
	}
	b.world.Hold("BSC", wallet)
	err = b.Update(t.Context(), []Chain{Polygon, ETH, BSC}, services())
	require.ErrorIs(t, err, coin.ErrTransport)
	require.ErrorIs(t, err, coin.ErrNotActive)
	require.ErrorContains(t, err, "POLYGON: https://indexer.example/api/v2/…/nft: HTTP status 500")
	require.ErrorContains(t, err, "ETH: the network NFT_ETH is not activated")
	require.Equal(t, before, b.transfersOf(t))
	l, err = b.List(t.Context(), Query{Chains: []Chain{BSC}, Max: true})
	require.NoError(t, err)
	require.Empty(t, l.NFTs, "the others are updated all the same")
}

func TestUpdateFailures(t *testing.T) {
	for _, part := range []string{"/nft?", "/nft/transfers?", "/contract/scan", "/domain/scan"} {
		b := filledBench(t)
		b.world.Hold("POLYGON", wallet, smurf("7").With("metadata", `{"image":"https://7.example/x"}`))
		b.world.Hook = func(r nfttest.Request) (nfttest.Answer, bool) {
			return nfttest.Answer{Status: 500}, strings.Contains(r.URL, part)
		}
		err := b.Update(t.Context(), []Chain{Polygon}, services())
		require.ErrorIs(t, err, coin.ErrTransport, part)
		_, err = b.Get(t.Context(), Token{Polygon, smurfs, "7"}, false)
		require.ErrorAs(t, err, new(*NotFoundError), "nothing has changed")
	}
}

// TestWalletOfList checks that the list of an inactive network is the list of the last active
// address, and that the list changes with the platform's address.
func TestWalletOfList(t *testing.T) {
	b := newBench(t)
	b.polygon(t, smurf("5"))
	_, err := b.Active.Disable(t.Context(), "NFT_MATIC", true)
	require.NoError(t, err)
	require.Equal(t, "5", b.stored(t, smurfs, "5").ID)
	_, err = b.Active.Disable(t.Context(), "MATIC", true)
	require.NoError(t, err)
	b.addPlatform(t, "MATIC", other)
	b.world.Hold("POLYGON", other, smurf("6"))
	_, err = b.Activate(t.Context(), "NFT_MATIC", indexer())
	require.NoError(t, err)
	l, err := b.List(t.Context(), Query{Chains: []Chain{Polygon}, Max: true})
	require.NoError(t, err)
	require.Len(t, l.NFTs, 1)
	require.Equal(t, "6", l.NFTs[0].ID)
}

func TestProtection(t *testing.T) {
	b := newBench(t)
	b.polygon(t, smurf("5").With("name", "visit smurfs.example", "symbol", "https://x", "metadata", `{"a":{"name":"https://x.example"},"name":"win at HTTPS://X.example","image":"ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"}`))
	l, err := b.List(t.Context(), Query{Chains: []Chain{Polygon}, Max: true})
	require.NoError(t, err)
	n := l.NFTs[0]
	require.True(t, n.Spam)
	require.Equal(t, "visit smurfs.example", n.Name)
	require.Equal(t, "https://ipfs.io/ipfs/bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi", n.Meta.ImageURL, "as a browser reads it")
	l, err = b.List(t.Context(), Query{Chains: []Chain{Polygon}, Max: true, Protect: true})
	require.NoError(t, err)
	n = l.NFTs[0]
	require.Equal(t, []string{redacted, redacted, redacted}, []string{n.Name, n.Symbol, n.Meta.Name})
	require.Equal(t, `{"a":{"name":"https://x.example"},"name":"`+redacted+`","image":"ipfs://bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi"}`, n.Metadata)
	require.NotEqual(t, redacted, b.stored(t, smurfs, "5").Name, "the stored NFT is not changed")

	b.world.Moved("POLYGON", wallet, nfttest.NewTransfer(smurfs, "5", ERC1155, "1", other, wallet, 10, 0))
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, services()))
	moved, err := b.Transfers(t.Context(), TransferQuery{Query: Query{Chains: []Chain{Polygon}, Max: true, Protect: true}})
	require.NoError(t, err)
	require.Equal(t, []string{redacted, redacted}, []string{moved.Transfers[0].Name, moved.Transfers[0].TokenName})
	require.True(t, moved.Transfers[0].Spam)
}
