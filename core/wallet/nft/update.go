package nft

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"time"

	"obverse/core/wallet/coin"
)

// maxListing is the timeout of all pages of a chain.
const maxListing = 2 * time.Minute

// Update lists the wallet's NFTs and transfers on each of the chains again, and scans all
// contracts and domains. A failure on one chain does not affect the others. It returns the
// error of the first chain that failed: coin.ErrNotActive with a *NetworkError, or an error of
// Refresh other than *NotFoundError.
func (g *Gallery) Update(ctx context.Context, chains []Chain, s Services) error {
	var failures []error
	for _, c := range chains {
		if err := g.update(ctx, c, s); err != nil {
			if ctx.Err() != nil {
				return err
			}
			g.noteFailure(ctx, c, err)
			failures = append(failures, fmt.Errorf("%s: %w", c, err))
		}
	}
	return errors.Join(failures...)
}

// NetworkError reports that the NFT network of a chain is not active.
type NetworkError struct{ Ticker string }

func (e *NetworkError) Error() string { return "the network " + e.Ticker + " is not activated" }

// Is reports whether target is coin.ErrNotActive.
func (e *NetworkError) Is(target error) bool { return target == coin.ErrNotActive }

func (g *Gallery) update(ctx context.Context, c Chain, s Services) error {
	active, err := g.Active.Get(c.Ticker())
	n, is := active.(*Network)
	if err != nil || !is {
		return &NetworkError{c.Ticker()}
	}
	if s.Indexer.URL == "" {
		if !n.onChain {
			return ErrNoIndexer
		}
		return withTimeout(ctx, maxListing, func(ctx context.Context) error {
			_, err := g.lookOnChain(ctx, n, s)
			return err
		})
	}
	newest, err := n.on.Height(ctx)
	if err != nil {
		return err
	}
	found := &listUpdate{chain: c, wallet: n.wallet, last: newest + min(reorgDepth, math.MaxUint64-newest)}
	if found.from, err = g.records.firstBlock(ctx, c, n.wallet, found.last); err != nil {
		return err
	}
	err = withTimeout(ctx, maxListing, func(ctx context.Context) error { return g.lookUp(ctx, s, found) })
	if err != nil {
		return err
	}
	if now, err := g.walletOf(ctx, c); err != nil || now != n.wallet { // another address was activated meanwhile
		return cmp.Or(err, error(&NetworkError{c.Ticker()}))
	}
	if err := g.records.replace(ctx, found); err != nil {
		return err
	}
	return g.records.unsearch(ctx, found)
}

// reorgDepth is how many of the newest blocks a reorganization may replace, and by how many
// blocks an indexer may be ahead of the platform's nodes. Each update requests the transfers of
// these blocks again.
const reorgDepth = 64

// lookUp requests the NFTs and the new transfers.
func (g *Gallery) lookUp(ctx context.Context, s Services, found *listUpdate) error {
	l, err := g.list(ctx, s.Indexer, found.chain, found.wallet)
	if err != nil {
		return err
	}
	found.nfts, found.cut = l.nfts, l.cut
	if found.transfers, err = g.transfers(ctx, s.Indexer, found); err != nil {
		return err
	}
	return g.judge(ctx, s.Antispam, found)
}

// judge scans all contracts and domains.
func (g *Gallery) judge(ctx context.Context, antispam Server, found *listUpdate) (err error) {
	var contracts, domains names
	for i := range found.nfts {
		contracts.add(found.nfts[i].Address)
		domains.add(found.nfts[i].domains()...)
	}
	for i := range found.transfers {
		contracts.add(found.transfers[i].Address)
	}
	if found.spam, err = g.scanContracts(ctx, antispam, found.chain, contracts.list); err != nil {
		return err
	}
	found.phishing, err = g.scanDomains(ctx, antispam, domains.list)
	return err
}

// names is a set of texts in the order of insertion.
type names struct {
	list []string
	seen map[string]bool
}

func (n *names) add(more ...string) {
	if n.seen == nil {
		n.seen = map[string]bool{}
	}
	for _, name := range more {
		if !n.seen[name] {
			n.seen[name] = true
			n.list = append(n.list, name)
		}
	}
}
