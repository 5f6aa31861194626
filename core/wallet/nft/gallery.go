package nft

import (
	"context"
	"time"

	"obverse/core/net/fetch"
	"obverse/core/net/proxyauth"
	"obverse/core/store"
	"obverse/core/store/table"
	"obverse/core/wallet/coin"
)

// Gallery manages the NFTs of the node's wallet. Its methods are safe for concurrent use.
// Create one with New.
type Gallery struct {
	Config
	records   *records
	textLimit int // maximum size of the texts in a listing, in bytes; items after that have only their numbers
	maxItems  int // maxItems, or a smaller value in tests
	maxMoves  int // likewise
	maxTexts  int // likewise

	searches map[Chain]*search
	between  time.Duration // pause between two requests of a search
}

// search is the state of the search on a chain. Each chain has its own, so that slow nodes of one
// delay no other.
type search struct {
	slot     chan struct{}  // holds an element while the chain is searched
	failures map[string]int // by token, how often its document could not be read; used only by the search
}

// Config holds the dependencies of a Gallery.
type Config struct {
	Active   *coin.Active
	Registry *coin.Registry
	Store    store.KV
	Fetcher  fetch.Fetcher
	Identity proxyauth.Signer // signs requests to services behind a gateway; may be nil
	Now      func() time.Time
	Settings Settings
	// Warn logs a message for the operator, with pairs of names and values. If it is nil,
	// warnings are dropped.
	Warn func(message string, pairs ...any)
}

// New returns a Gallery of the NFTs in the store.
func New(c Config) *Gallery {
	stored := &records{
		kv: c.Store,
		nfts: table.New(table.Spec[NFT]{
			Prefix: "N/nft/list/",
			Key:    table.Index[NFT]{Name: byName, Value: func(n NFT) string { return part(n.Chain, n.Owner, n.Address, n.ID) }},
			Sorted: []table.Index[NFT]{{Name: newest, Value: func(n NFT) string { return part(n.Chain, n.Owner) + table.Down(n.Block) }}},
		}),
		transfers: table.New(table.Spec[Transfer]{
			Prefix: "N/nft/transfer/",
			Key:    table.Index[Transfer]{Name: byName, Value: Transfer.name},
			Sorted: []table.Index[Transfer]{{Name: newest, Value: func(t Transfer) string {
				return part(t.Chain, t.Wallet) + table.Down(t.Block) + table.Down(t.LogIndex)
			}}},
		}),
	}
	g := &Gallery{Config: c, records: stored, textLimit: maxListingBytes, maxItems: maxItems, maxMoves: maxMoves, maxTexts: maxTexts,
		searches: map[Chain]*search{}, between: walkPause}
	for _, chain := range Chains() {
		g.searches[chain] = &search{make(chan struct{}, 1), map[string]int{}}
	}
	return g
}

// walletOf returns the address whose NFTs of a chain are listed. It is the address of the
// active network, or else of the network that was active last.
func (g *Gallery) walletOf(ctx context.Context, c Chain) (string, error) {
	if active, err := g.Active.Get(c.Ticker()); err == nil {
		if n, is := active.(*Network); is {
			return n.wallet, nil
		}
	}
	return g.records.wallet(ctx, c)
}

// Get returns a stored NFT. Its errors are *NotFoundError, *StoreError and the context's.
func (g *Gallery) Get(ctx context.Context, t Token, protect bool) (NFT, error) {
	n, err := g.find(ctx, t)
	if err != nil {
		return NFT{}, err
	}
	return g.display(n, protect), nil
}

// display returns an NFT in the form for clients. URIs that a browser cannot read become URLs
// of a gateway, and protect replaces names that have links.
func (g *Gallery) display(n NFT, protect bool) NFT {
	n.Meta.Image, n.Meta.ExternalURL = storedURI(n.Meta.Image), storedURI(n.Meta.ExternalURL)
	n.Meta.ImageURL, n.Meta.AnimationURL = g.Settings.web(n.Meta.ImageURL), g.Settings.web(n.Meta.AnimationURL)
	if protect {
		n.redact()
	}
	return n
}
