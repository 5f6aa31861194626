package nft

import (
	"context"
	"time"

	"obverse/core/net/fetch"
	"obverse/core/net/proxyauth"
	"obverse/core/store"
	"obverse/core/wallet/coin"
)

// Gallery is the NFTs of the node's wallet. Its methods may be called by many
// goroutines. Make it with New.
type Gallery struct {
	Config
	records   *records
	textLimit int // bytes of texts in a listing; what comes after has its numbers only
	maxItems  int // maxItems, and
	maxMoves  int // maxMoves

	onChain chan struct{}   // full while a chain is searched
	between time.Duration   // two questions of a search
	failed  map[string]bool // by token: its document could not be read; of who searches
}

// Config is what New needs.
type Config struct {
	Active   *coin.Active
	Registry *coin.Registry
	Store    store.KV
	Fetcher  fetch.Fetcher
	Identity proxyauth.Signer // for services behind a gateway; may be nil
	Now      func() time.Time
	Settings Settings
	// Warn is told of what an operator may want to know: a message, and pairs of names
	// and values; nil: nobody is.
	Warn func(message string, pairs ...any)
}

// New makes a Gallery of what the store has.
func New(c Config) *Gallery {
	return &Gallery{c, newRecords(c.Store), maxListingBytes, maxItems, maxMoves, make(chan struct{}, 1), walkPause, map[string]bool{}}
}

// walletOf is the address whose NFTs of a chain are shown: that of the network that is
// active, or else of the one that was.
func (g *Gallery) walletOf(ctx context.Context, c Chain) (string, error) {
	if active, err := g.Active.Get(c.Ticker()); err == nil {
		if n, is := active.(*Network); is {
			return n.wallet, nil
		}
	}
	return g.records.wallet(ctx, c)
}

// Get finds one NFT that is kept. Its errors are *NotFoundError, *StoreError and the
// context's.
func (g *Gallery) Get(ctx context.Context, t Token, protect bool) (NFT, error) {
	n, err := g.find(ctx, t)
	if err != nil {
		return NFT{}, err
	}
	return g.shown(n, protect), nil
}

// shown is an NFT as it is handed out: what a browser could not read is named by a
// gateway, and with protect the links in names are taken out.
func (g *Gallery) shown(n NFT, protect bool) NFT {
	n.Meta.Image, n.Meta.ExternalURL = storedURI(n.Meta.Image), storedURI(n.Meta.ExternalURL)
	n.Meta.ImageURL, n.Meta.AnimationURL = g.Settings.web(n.Meta.ImageURL), g.Settings.web(n.Meta.AnimationURL)
	if protect {
		n.redact()
	}
	return n
}
