package nft

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/store/bunttest"
	"obverse/core/store/table"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/nft/nfttest"
)

// chainPlatform is an EVM network with nodes that have logs.
type chainPlatform struct {
	fakePlatform
	moves    []Transfer
	held     map[string]string // amounts, by token
	texts    map[string]Texts
	listed   map[string][]string // ids, by contract
	maxSpan  uint64              // maximum number of blocks in a request; 0 means any
	lowest   uint64              // the first block with logs
	perCall  int                 // maximum number of transfers in an answer; 0 means any
	flood    uint64              // block for which the answer is too large; 0 means none
	requests []string            // requested ranges
	read     int                 // number of texts read
	down     error
	failing  map[string]error // errors of contracts for which nodes reject calls
}

func (p *chainPlatform) NFTReader() Reader { return p }

func (p *chainPlatform) NFTTransfers(_ context.Context, from, to uint64) (list []Transfer, more bool, err error) {
	if p.down != nil {
		return nil, false, p.down
	}
	p.requests = append(p.requests, fmt.Sprintf("%d-%d", from, to))
	if p.maxSpan > 0 && to-from+1 > p.maxSpan || from < p.lowest {
		return nil, false, &nodepool.RPCError{Code: -32000, Message: "block range is too wide"}
	}
	if p.flood > 0 && from <= p.flood && p.flood <= to {
		return nil, false, fetch.ErrTooLarge
	}
	for _, t := range p.moves {
		if t.Block < from || t.Block > to {
			continue
		}
		if p.perCall > 0 && len(list) == p.perCall {
			return list, true, nil
		}
		list = append(list, t)
	}
	return list, false, nil
}

func (p *chainPlatform) NFTAmounts(_ context.Context, list []NFT) (amounts []Amount, err error) {
	for _, n := range list {
		if reason := p.failing[n.Address]; reason != nil {
			amounts = append(amounts, Amount{Err: reason})
			continue
		}
		amounts = append(amounts, Amount{Number: or(p.held[n.Key()], "0")})
	}
	return amounts, nil
}

func (p *chainPlatform) NFTTexts(_ context.Context, list []NFT, _ int) (all []Texts, err error) {
	for _, n := range list {
		p.read++
		if reason := p.failing[n.Address]; reason != nil {
			all = append(all, Texts{Err: reason})
			continue
		}
		all = append(all, p.texts[n.Key()])
	}
	return all, nil
}

func (p *chainPlatform) NFTsOf(_ context.Context, contract string, maxSpan int) ([]string, bool, error) {
	ids, is := p.listed[contract]
	if !is {
		return nil, false, ErrNoEnumeration
	}
	return ids[:min(maxSpan, len(ids))], len(ids) > maxSpan, nil
}

// came adds an NFT that the wallet received in a block and still has.
func (p *chainPlatform) came(block int, contract, id, kind string, texts Texts) {
	t := Transfer{Token: Token{Address: contract, ID: id}, Wallet: wallet, Type: kind, Amount: "1", From: other, To: wallet, Hash: fmt.Sprintf("0x%064x", block), Block: uint64(block), Time: 7}
	p.moves = append(p.moves, t)
	p.held[t.Key()], p.texts[t.Key()] = "1", texts
}

// onChain returns a bench with an NFT network that is activated without an indexer. prepare
// sets the contents of the chain, which has newest block 100,000.
func onChain(t *testing.T, prepare func(*chainPlatform)) (*bench, *chainPlatform, Activated) {
	t.Helper()
	b := newBench(t)
	entry, err := b.Registry.Lookup("MATIC")
	require.NoError(t, err)
	p := &chainPlatform{fakePlatform: fakePlatform{entry: entry, address: checksumWallet, height: 100_000}, held: map[string]string{}, texts: map[string]Texts{}, listed: map[string][]string{}}
	prepare(p)
	b.commit(t, p)
	b.between = 0
	now := time.Unix(1_700_000_000, 0)
	b.Now = func() time.Time { now = now.Add(2 * time.Second); return now } // time for a few requests in each call
	done, err := b.Activate(t.Context(), "NFT_MATIC", Provider{OnChain: true})
	require.NoError(t, err)
	return b, p, done
}

// untilDone calls update until all blocks are searched.
func (b *bench) untilDone(t *testing.T) Scan {
	t.Helper()
	for range 200 {
		require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, Services{Web: true}))
		scan, onChain, err := b.Scanned(t.Context(), Polygon)
		require.NoError(t, err)
		require.True(t, onChain)
		if scan.Done() {
			return scan
		}
	}
	s, _, _ := b.Scanned(t.Context(), Polygon)
	t.Fatalf("the search does not end: %+v", s)
	return Scan{}
}

func TestNFTsFromTheChain(t *testing.T) {
	json := `{"name":"Drawn","image":"data:image/svg+xml,<svg/>","description":"On the chain"}`
	b, p, done := onChain(t, func(p *chainPlatform) {
		p.came(99_990, apes, "7", ERC721, Texts{"Apes", "APE", "https://meta.example/7", nil})
		p.came(70_000, smurfs, "5", ERC1155, Texts{URI: "data:application/json;base64," + base64.StdEncoding.EncodeToString([]byte(json))})
		p.came(3, smurfs, "6", ERC1155, Texts{"win at prize.example", "", "https://spam.example/6", nil})
		p.came(60_000, apes, "8", ERC721, Texts{})
		p.held[apes+",8"] = "0" // the NFT was sent away since then
		p.held[smurfs+",5"] = "340282366920938463463374607431768211456"
	})
	b.world.Documents = map[string]nfttest.Answer{"https://meta.example/7": {Body: []byte(`{"name":"Lighthouse","image":"https://pictures.example/7.png"}`)}}
	require.Equal(t, "MATIC", done.Platform)
	require.Len(t, done.NFTs, 1, "what came lately is there at once")
	require.Empty(t, b.world.Requests(), "activation makes requests to nodes only")
	scan, _, err := b.Scanned(t.Context(), Polygon)
	require.NoError(t, err)
	require.False(t, scan.Done())
	require.Equal(t, uint64(100_001), scan.Next)

	require.Equal(t, uint64(0), b.untilDone(t).Low)
	list, err := b.List(t.Context(), Query{Chains: []Chain{Polygon}, Max: true})
	require.NoError(t, err)
	require.Len(t, list.NFTs, 3)
	require.Equal(t, []string{"7", "5", "6"}, []string{list.NFTs[0].ID, list.NFTs[1].ID, list.NFTs[2].ID}, "the newest first")
	lighthouse, drawn, spam := list.NFTs[0], list.NFTs[1], list.NFTs[2]
	require.Equal(t, "Lighthouse", lighthouse.Meta.Name)
	require.Equal(t, "Apes", lighthouse.Name)
	require.Equal(t, "pictures.example", lighthouse.Meta.ImageDomain)
	require.Equal(t, "Drawn", drawn.Meta.Name)
	require.Equal(t, "340282366920938463463374607431768211456", drawn.Amount)
	require.NotContains(t, drawn.Metadata+drawn.Meta.Image+drawn.Meta.ImageURL, "svg")
	require.True(t, spam.Spam)
	var requests []string
	for _, r := range b.world.Requests() {
		requests = append(requests, r.URL)
		require.True(t, r.Public, r.URL)
	}
	require.Equal(t, []string{"https://meta.example/7"}, requests, "once, and not for what is spam")
	require.Equal(t, 3, p.read, "texts of contracts are read once")

	transfers, err := b.Transfers(t.Context(), TransferQuery{Query: Query{Chains: []Chain{Polygon}, Max: true}})
	require.NoError(t, err)
	require.Len(t, transfers.Transfers, 4)
	require.Equal(t, "Apes", transfers.Transfers[0].Name)
}

// TestSearchGoesOn checks that a search continues where it ended, also in another run, and
// searches again the blocks that may be replaced.
func TestSearchGoesOn(t *testing.T) {
	b, p, _ := onChain(t, func(p *chainPlatform) { p.came(99_980, apes, "7", ERC721, Texts{}) })
	b.untilDone(t)
	p.requests, p.height = nil, 100_010
	p.moves = nil // the block was replaced
	p.held = map[string]string{}
	p.came(100_005, apes, "9", ERC721, Texts{})
	again := openBench(t, b.kv)
	again.between = 0
	again.commit(t, p)
	require.NoError(t, again.Restore(t.Context(), coin.SavedCoin{Ticker: "NFT_MATIC", Params: []byte(`{"url":"","on_chain":true}`)}))
	require.NoError(t, again.Update(t.Context(), []Chain{Polygon}, Services{}))
	require.Equal(t, []string{"99937-100010"}, p.requests)
	list, err := again.List(t.Context(), Query{Chains: []Chain{Polygon}, Max: true})
	require.NoError(t, err)
	require.Len(t, list.NFTs, 1)
	require.Equal(t, "9", list.NFTs[0].ID)
	transfers, err := again.Transfers(t.Context(), TransferQuery{Query: Query{Chains: []Chain{Polygon}, Max: true}})
	require.NoError(t, err)
	require.Len(t, transfers.Transfers, 1, "transfers that a reorganization removed are not stored")
}

// TestSearchWithinWhatNodesServe checks nodes that accept few blocks in a request and have no
// old ones.
func TestSearchWithinWhatNodesServe(t *testing.T) {
	b, p, _ := onChain(t, func(p *chainPlatform) {
		p.maxSpan, p.lowest = 900, 90_000
		p.came(95_000, apes, "7", ERC721, Texts{})
		p.came(1_000, apes, "8", ERC721, Texts{})
	})
	scan := b.untilDone(t)
	require.True(t, scan.Bottom)
	require.GreaterOrEqual(t, scan.Low, uint64(90_000))
	require.Less(t, scan.Low, uint64(90_000+2*minSpan))
	list, err := b.List(t.Context(), Query{Chains: []Chain{Polygon}, Max: true})
	require.NoError(t, err)
	require.Len(t, list.NFTs, 1)
	before := len(p.requests)
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, Services{}))
	require.LessOrEqual(t, len(p.requests)-before, 8, "the bottom is not looked for again")
}

// TestSearchFails checks that a failure in older blocks keeps the transfers that were found,
// and that a failure in the newest blocks is returned.
func TestSearchFails(t *testing.T) {
	b, p, _ := onChain(t, func(p *chainPlatform) { p.came(99_990, apes, "7", ERC721, Texts{}) })
	p.down = &RemoteError{Reason: "unreachable"}
	before, _, err := b.Scanned(t.Context(), Polygon)
	require.NoError(t, err)
	require.ErrorIs(t, b.Update(t.Context(), []Chain{Polygon}, Services{}), coin.ErrTransport)
	after, _, err := b.Scanned(t.Context(), Polygon)
	require.NoError(t, err)
	require.Equal(t, before, after)
	require.Equal(t, apes, b.stored(t, apes, "7").Address)
}

// TestManyTransfers checks that a range with too many transfers is split, and that transfers are
// left out if even the smallest range has too many.
func TestManyTransfers(t *testing.T) {
	b, _, _ := onChain(t, func(p *chainPlatform) {
		p.perCall = 50
		for n := range 120 {
			p.came(99_000+n/60, apes, fmt.Sprint(n), ERC721, Texts{})
		}
	})
	b.untilDone(t)
	list, err := b.List(t.Context(), Query{Chains: []Chain{Polygon}, Max: true})
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(list.NFTs), 50)
	require.Contains(t, strings.Join(b.logged, "\n"), "left out transfers of NFTs")
}

// TestNamedContracts checks that contracts that a user names list NFTs that are older than the
// searched blocks.
func TestNamedContracts(t *testing.T) {
	b, p, _ := onChain(t, func(p *chainPlatform) { p.lowest = 99_000 })
	p.listed[apes] = []string{"1", "2"}
	p.held[apes+",1"], p.held[apes+",2"] = "1", "1"
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, Services{Contracts: []string{apes}}))
	require.Equal(t, ERC721, b.stored(t, apes, "2").Type)
	p.listed[apes] = []string{"1", "2", "3"}
	p.held[apes+",3"] = "1"
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, Services{}))
	require.Equal(t, "1", b.stored(t, apes, "3").Amount, "the contract is used again without being named")
	var refused *ContractError
	require.ErrorAs(t, b.Update(t.Context(), []Chain{Polygon}, Services{Contracts: []string{smurfs}}), &refused)
	require.ErrorIs(t, refused, ErrNoEnumeration)
	require.Equal(t, smurfs, refused.Address)
	scan, _, err := b.Scanned(t.Context(), Polygon)
	require.NoError(t, err)
	require.Equal(t, []string{apes}, scan.Contracts)
	many := make([]string, MaxContracts+1)
	for i := range many {
		many[i] = fmt.Sprintf("0x%040x", i)
		p.listed[many[i]] = nil
	}
	require.ErrorIs(t, b.Update(t.Context(), []Chain{Polygon}, Services{Contracts: many}), ErrContracts)
}

func TestRefreshOnChain(t *testing.T) {
	b, p, _ := onChain(t, func(p *chainPlatform) { p.came(99_990, apes, "7", ERC721, Texts{Name: "Apes"}) })
	token := Token{Polygon, apes, "7"}
	p.texts[token.Key()] = Texts{"Apes II", "", "https://meta.example/7", nil}
	b.world.Documents = map[string]nfttest.Answer{"https://meta.example/7": {Body: []byte(`{"name":"Lighthouse"}`)}}
	require.NoError(t, b.Refresh(t.Context(), token, Services{}))
	require.Equal(t, "Apes II", b.stored(t, apes, "7").Name)
	require.Empty(t, b.stored(t, apes, "7").Meta.Name, "no request to the document's host")
	require.NoError(t, b.Refresh(t.Context(), token, Services{Web: true}))
	require.Equal(t, "Lighthouse", b.stored(t, apes, "7").Meta.Name)
	require.NotEmpty(t, b.stored(t, apes, "7").MetaSync)

	require.NoError(t, table.Change(t.Context(), b.kv, func(tx *table.Tx) error { // as a scan marks it
		n := b.stored(t, apes, "7")
		n.Spam = true
		return b.records.nfts.Put(t.Context(), tx, n)
	}))
	b.world.Documents = map[string]nfttest.Answer{"https://meta.example/7": {Body: []byte(`{"name":"Read"}`)}}
	require.NoError(t, b.Refresh(t.Context(), token, Services{Web: true}))
	require.True(t, b.stored(t, apes, "7").Spam, "no service cleared it")
	require.Equal(t, "Lighthouse", b.stored(t, apes, "7").Meta.Name, "no request to the host of a spammer")
}

// TestIndexerAfterChain checks that a network that was activated without an indexer can use one
// later, and that one activated with an indexer needs it.
func TestIndexerAfterChain(t *testing.T) {
	b, _, _ := onChain(t, func(p *chainPlatform) { p.came(99_990, apes, "7", ERC721, Texts{}) })
	b.world.Hold("POLYGON", wallet, smurf("5"))
	b.world.Moved("POLYGON", wallet, receivedIn(10))
	require.NoError(t, b.Update(t.Context(), []Chain{Polygon}, services()))
	require.Contains(t, strings.Join(b.world.Paths(), "\n"), "from_block=1", "the blocks that were not searched too")
	scan, _, err := b.Scanned(t.Context(), Polygon)
	require.NoError(t, err)
	require.Equal(t, Scan{}, scan)
	with := newBench(t)
	with.polygon(t, smurf("5"))
	require.ErrorIs(t, with.Update(t.Context(), []Chain{Polygon}, Services{}), ErrNoIndexer)
	require.ErrorIs(t, with.Refresh(t.Context(), Token{Polygon, smurfs, "5"}, Services{}), ErrNoIndexer)
	_, is, err := with.Scanned(t.Context(), Polygon)
	require.NoError(t, err)
	require.False(t, is)
	_, _, err = with.Scanned(t.Context(), ETH)
	require.ErrorIs(t, err, coin.ErrNotActive)
}

func TestChainWithoutReader(t *testing.T) {
	b := openBench(t, bunttest.Memory(t))
	b.addPlatform(t, "MATIC", checksumWallet)
	_, err := b.Activate(t.Context(), "NFT_MATIC", Provider{OnChain: true})
	require.True(t, errors.Is(err, errNoReader), err)
}
