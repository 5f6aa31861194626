package nft

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/nft/nfttest"
)

// TestFair checks that neither a flood of NFTs nor spam displaces NFTs of other contracts.
func TestFair(t *testing.T) {
	var all []NFT
	for n := range 3_900 {
		all = append(all, NFT{Token: Token{ETH, fmt.Sprint("0xf", n%2), fmt.Sprint(n)}, Spam: n < 1_000})
	}
	late := NFT{Token: Token{ETH, "0xaa", "1"}}
	named := NFT{Token: Token{ETH, "0xf1", "3899"}}
	first := fair(append(all, late), []Token{named.Token})
	require.Len(t, first, maxHeld)
	require.Contains(t, first, late)
	require.Contains(t, first, named)
	for _, n := range first {
		require.False(t, n.Spam)
	}
}

// gapsOf returns the reasons for which a chain's lists may lack items.
func (b *bench) gapsOf(t *testing.T, c Chain) (reasons []coin.GapReason) {
	t.Helper()
	gaps, err := b.Gaps(t.Context(), []Chain{c, c})
	require.NoError(t, err)
	for _, g := range gaps {
		require.Equal(t, string(c), g.Part)
		reasons = append(reasons, g.Reason)
	}
	return reasons
}

// TestFloodOfTransfers checks that more transfers of one contract than can be stored do not
// displace the transfers and NFTs of other contracts, older or newer. The lists report that
// they are incomplete.
func TestFloodOfTransfers(t *testing.T) {
	b, p, _ := onChain(t, func(p *chainPlatform) {
		p.came(40_000, smurfs, "1", ERC721, Texts{Name: "Smurfs"}) // older than the flood
		for n := range 2_500 {
			p.came(50_000+n/10, apes, fmt.Sprint(n), ERC721, Texts{})
		}
	})
	b.maxMoves = 2_000
	require.Equal(t, []coin.GapReason{coin.GapInProgress}, b.gapsOf(t, Polygon))
	scan := b.untilDone(t)
	require.Zero(t, scan.Low, "the search goes on below the flood")
	require.Equal(t, "Smurfs", b.stored(t, smurfs, "1").Name)
	p.height = 100_100
	p.came(100_050, smurfs, "2", ERC721, Texts{}) // newer
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, Services{}))
	require.Equal(t, smurfs, b.stored(t, smurfs, "2").Address)
	transfers, err := b.records.transfersOf(t.Context(), Polygon, wallet, smurfs)
	require.NoError(t, err)
	require.Len(t, transfers, 2)
	all, err := b.records.transfersOf(t.Context(), Polygon, wallet)
	require.NoError(t, err)
	require.LessOrEqual(t, len(all), 2_000+2)
	require.Equal(t, []coin.GapReason{coin.GapTooMany}, b.gapsOf(t, Polygon))
}

// TestFloodedBlock checks that a block with more transfers than an answer may have does not
// exclude transfers of other blocks.
func TestFloodedBlock(t *testing.T) {
	for _, flood := range []uint64{99_999, 40_000} { // a new block and an old one
		b, _, _ := onChain(t, func(p *chainPlatform) {
			p.flood = flood
			for _, block := range []int{39_999, 40_001, 99_998, 100_000} {
				p.came(block, smurfs, fmt.Sprint(block), ERC721, Texts{})
			}
		})
		for scan := b.untilDone(t); scan.Behind; scan = b.untilDone(t) { // new blocks come first
		}
		list, err := b.List(t.Context(), Query{Chains: []Chain{Polygon}, Max: true})
		require.NoError(t, err)
		require.Len(t, list.NFTs, 4)
		require.Equal(t, []coin.GapReason{coin.GapTooMany}, b.gapsOf(t, Polygon))
	}
}

// TestFloodOfAnIndexer checks that NFTs and transfers of other contracts are stored when the
// indexer lists more than the limit.
func TestFloodOfAnIndexer(t *testing.T) {
	b := newBench(t)
	var items, moved []nfttest.Item
	for n := range 510 {
		items = append(items, nfttest.NewItem(apes, fmt.Sprint(n), ERC721, "1"))
	}
	b.world.PageSize, b.maxItems = 50, 500
	b.polygon(t, append(items, smurf("7"))...)
	require.Equal(t, "7", b.stored(t, smurfs, "7").ID)
	require.Equal(t, []coin.GapReason{coin.GapTooMany}, b.gapsOf(t, Polygon))
	b.world.Hold("POLYGON", wallet, smurf("7"))
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, services()))
	require.Empty(t, b.gapsOf(t, Polygon), "all are listed again")
	for n := range 510 {
		one := nfttest.NewTransfer(apes, fmt.Sprint(n), ERC721, "1", other, wallet, 5, n)
		moved = append(moved, one)
	}
	b.world.Moved("POLYGON", wallet, append(moved, receivedIn(4))...)
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, services()))
	require.Equal(t, []coin.GapReason{coin.GapTooMany}, b.gapsOf(t, Polygon))
	stored, err := b.records.transfersOf(t.Context(), Polygon, wallet, smurfs)
	require.NoError(t, err)
	require.NotEmpty(t, stored)
}

// TestGaps checks that lists report a failed request and a contract's limit.
func TestGaps(t *testing.T) {
	b, p, _ := onChain(t, func(p *chainPlatform) { p.lowest = 99_000 })
	require.Empty(t, b.gapsOf(t, ETH))
	b.untilDone(t)
	require.Equal(t, []coin.GapReason{coin.GapNoLogs}, b.gapsOf(t, Polygon))
	p.down = &RemoteError{Reason: "unreachable"}
	require.Error(t, b.Update(t.Context(), []Chain{Polygon}, Services{}))
	require.Equal(t, []coin.GapReason{coin.GapNoAnswer}, b.gapsOf(t, Polygon))
	gaps, err := b.Gaps(t.Context(), []Chain{Polygon})
	require.NoError(t, err)
	require.Equal(t, "unreachable", gaps[0].Err)
	p.down = nil
	for id := range maxHeld/MaxContracts + 1 {
		p.listed[apes] = append(p.listed[apes], fmt.Sprint(id))
	}
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, Services{Contracts: []string{apes}}))
	require.Equal(t, []coin.GapReason{coin.GapTooMany}, b.gapsOf(t, Polygon), "the contract has more NFTs than are requested")
	delete(p.listed, apes)
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, Services{}))
	require.Equal(t, []coin.GapReason{coin.GapNoAnswer}, b.gapsOf(t, Polygon), "the contract does not answer any more")

	with := newBench(t)
	with.polygon(t, smurf("5"))
	require.Empty(t, with.gapsOf(t, Polygon))
	with.world.Hook = func(nfttest.Request) (nfttest.Answer, bool) { return nfttest.Answer{Status: 500}, true }
	require.Error(t, with.Update(t.Context(), []Chain{Polygon}, services()))
	require.Equal(t, []coin.GapReason{coin.GapNoAnswer}, with.gapsOf(t, Polygon))
	with.world.Hook = nil
	require.NoError(t, with.Update(t.Context(), []Chain{Polygon}, services()))
	require.Empty(t, with.gapsOf(t, Polygon))
}

// TestTransfersOfALargeNFT checks that the transfers of an NFT, of which its author can log
// thousands, have no copies of the documents in its URIs.
func TestTransfersOfALargeNFT(t *testing.T) {
	image := "data:image/png;base64," + strings.Repeat("A", 40<<10)
	document := "data:application/json;base64," + base64.StdEncoding.EncodeToString([]byte(`{"name":"Large","image":"`+image+`"}`))
	const count = 50
	b, _, _ := onChain(t, func(p *chainPlatform) {
		for n := range count {
			p.came(99_990, smurfs, "1", ERC721, Texts{URI: document})
			p.moves[n].LogIndex = uint64(n)
		}
		p.came(99_991, apes, "1", ERC721, Texts{URI: "https://apes.example/1"})
	})
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, Services{}))
	n := b.stored(t, smurfs, "1")
	require.Len(t, n.URI, len(document))
	require.Len(t, n.Meta.ImageURL, len(image))
	l, err := b.Transfers(t.Context(), TransferQuery{Query: Query{Chains: []Chain{Polygon}, Max: true}})
	require.NoError(t, err)
	require.Len(t, l.Transfers, count+1)
	require.Equal(t, "https://apes.example/1", l.Transfers[0].URI)
	for _, one := range l.Transfers[1:] {
		require.Zero(t, len(one.URI)+len(one.ImageURL))
		require.Equal(t, "Large", one.TokenName)
	}
}

// TestFailingContract checks that a contract whose calls nodes refuse does not stop the list of
// other NFTs. Unknown data of its NFTs remain unchanged, and the list reports it.
func TestFailingContract(t *testing.T) {
	b, p, _ := onChain(t, func(p *chainPlatform) {
		p.came(99_990, smurfs, "1", ERC721, Texts{Name: "Smurfs"})
	})
	b.untilDone(t)
	p.failing = map[string]error{smurfs: errors.New("missing trie node")}
	p.height = 100_010
	p.came(100_005, smurfs, "2", ERC721, Texts{Name: "Smurfs"})
	p.came(100_006, apes, "1", ERC721, Texts{Name: "Apes"})
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, Services{}))
	require.Equal(t, "Apes", b.stored(t, apes, "1").Name)
	require.Equal(t, "1", b.stored(t, smurfs, "1").Amount)
	_, err := b.Get(t.Context(), Token{Polygon, smurfs, "2"}, false)
	require.ErrorAs(t, err, new(*NotFoundError))
	gaps, err := b.Gaps(t.Context(), []Chain{Polygon})
	require.NoError(t, err)
	require.Equal(t, []coin.Gap{{Part: string(Polygon), Reason: coin.GapNoAnswer, Err: "contract " + smurfs + ": missing trie node"}}, gaps)
	p.failing = nil
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, Services{}))
	require.Equal(t, "Smurfs", b.stored(t, smurfs, "2").Name)
	require.Empty(t, b.gapsOf(t, Polygon))
}

// TestFloodOfTexts checks that the texts of a contract's NFTs are limited together, do not displace
// those of another contract, and that the list reports it.
func TestFloodOfTexts(t *testing.T) {
	const limit = 1 << 20
	document := "data:application/json," + `{"name":"Large","description":"` + strings.Repeat("d", 12<<10) + `","image_details":["` + strings.Repeat("i", 40<<10) + `"]}`
	b, p, _ := onChain(t, func(*chainPlatform) {})
	b.maxTexts, p.height = limit, 100_010
	for n := range 100 {
		p.came(100_001, smurfs, fmt.Sprint(n), ERC721, Texts{Name: "Smurfs", URI: document})
	}
	p.came(100_002, apes, "1", ERC721, Texts{Name: "Apes", URI: document})
	for range 2 {
		require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, Services{}))
		require.Equal(t, "Large", b.stored(t, apes, "1").Meta.Name)
		require.Equal(t, []coin.GapReason{coin.GapTooMany}, b.gapsOf(t, Polygon))
	}
	list, err := b.List(t.Context(), Query{Chains: []Chain{Polygon}, Max: true})
	require.NoError(t, err)
	require.Len(t, list.NFTs, 101)
	size := 0
	for i := range list.NFTs {
		size += list.NFTs[i].textSize()
	}
	require.Less(t, size, 3*limit)
}

// failingHosts is a fetcher for which good.example fails once, and all other hosts always.
type failingHosts struct{ good int }

func (f *failingHosts) Fetch(_ context.Context, r fetch.Request) (fetch.Response, error) {
	if strings.Contains(r.URL, "good.example") {
		if f.good++; f.good > 1 {
			return fetch.Response{Status: 200, ContentType: "application/json", Body: []byte(`{"name":"Read"}`)}, nil
		}
	}
	return fetch.Response{Status: 500}, nil
}

// TestFloodOfFailingDocuments checks that documents that always fail, of an author who sends many
// NFTs, do not keep a document of another contract waiting that failed once.
func TestFloodOfFailingDocuments(t *testing.T) {
	b, p, _ := onChain(t, func(*chainPlatform) {})
	hosts := &failingHosts{}
	b.Fetcher, p.height = hosts, 100_010
	for n := range 3 * maxFetched {
		p.came(100_001, smurfs, fmt.Sprint(n), ERC721, Texts{URI: fmt.Sprintf("https://n%d.example/", n)})
	}
	p.came(100_002, apes, "1", ERC721, Texts{URI: "https://good.example/"})
	for range 3 {
		require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, Services{Web: true}))
	}
	require.Equal(t, 2, hosts.good)
	require.Equal(t, "Read", b.stored(t, apes, "1").Meta.Name)
	require.Len(t, b.searches[Polygon].failures, 3*maxFetched-2)
}

// slowPlatform is a network whose nodes do not answer until released is closed.
type slowPlatform struct {
	*chainPlatform
	once              sync.Once
	started, released chan struct{}
}

func (p *slowPlatform) NFTReader() Reader { return p }

func (p *slowPlatform) NFTTransfers(ctx context.Context, from, to uint64) ([]Transfer, bool, error) {
	p.once.Do(func() { close(p.started) })
	select {
	case <-p.released:
		return nil, false, p.down
	case <-ctx.Done():
		return nil, false, ctx.Err()
	}
}

// TestSlowChain checks that the search on a chain does not wait for the search on another one.
func TestSlowChain(t *testing.T) {
	b, p, _ := onChain(t, func(*chainPlatform) {})
	entry, err := b.Registry.Lookup("ETH")
	require.NoError(t, err)
	slow := &slowPlatform{chainPlatform: &chainPlatform{fakePlatform: fakePlatform{entry: entry, address: checksumWallet, height: 10}},
		started: make(chan struct{}), released: make(chan struct{})}
	slow.down = &RemoteError{Reason: "unreachable"}
	b.commit(t, slow)
	activated := make(chan error)
	go func() {
		_, err := b.Activate(t.Context(), "NFT_ETH", Provider{OnChain: true})
		activated <- err
	}()
	<-slow.started
	p.height = 100_010
	p.came(100_001, smurfs, "1", ERC721, Texts{Name: "Smurfs"})
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	require.NoError(t, b.Update(ctx, []Chain{Polygon}, Services{}))
	require.Equal(t, "Smurfs", b.stored(t, smurfs, "1").Name)
	close(slow.released)
	require.Error(t, <-activated)
}
