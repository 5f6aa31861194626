package nft

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"obverse/core/coin"
	"obverse/core/trace"
)

// maxListing bounds the time that all pages of a chain may take.
const maxListing = 10 * time.Minute

// Update asks anew what the wallet holds on each of the chains and which transfers
// there were, and has the contracts and domains of all scanned. What cannot be asked on
// one chain does not keep the others from being updated. Its errors are, of the first
// chain that failed, coin.ErrNotActive with a *NetworkError, and those of Refresh but
// *NotFoundError.
func (g *Gallery) Update(ctx context.Context, chains []Chain, s Services) error {
	var failures []error
	for _, c := range chains {
		if err := g.update(ctx, c, s); err != nil {
			if ctx.Err() != nil {
				return err
			}
			failures = append(failures, fmt.Errorf("%s: %w", c, err))
		}
	}
	return errors.Join(failures...)
}

// NetworkError says that the network of a chain's NFTs is not active.
type NetworkError struct{ Ticker string }

func (e *NetworkError) Error() string { return "the network " + e.Ticker + " is not activated" }

// Is finds coin.ErrNotActive.
func (e *NetworkError) Is(target error) bool { return target == coin.ErrNotActive }

func (g *Gallery) update(ctx context.Context, c Chain, s Services) error {
	active, err := g.Active.Get(c.Ticker())
	n, is := active.(*Network)
	if err != nil || !is {
		return trace.Here(&NetworkError{c.Ticker()})
	}
	found := news{chain: c, wallet: n.wallet}
	last, err := g.shelf.lastBlock(ctx, c, n.wallet)
	if err != nil {
		return err
	}
	err = within(ctx, maxListing, func(ctx context.Context) error { return g.lookUp(ctx, s, last+1, &found) })
	if err != nil {
		return err
	}
	return g.shelf.replace(ctx, found)
}

// lookUp asks for all that is new.
func (g *Gallery) lookUp(ctx context.Context, s Services, from uint64, found *news) error {
	l, err := g.list(ctx, s.Indexer, found.chain, found.wallet)
	if err != nil {
		return err
	}
	found.nfts = l.nfts
	if found.transfers, err = g.transfers(ctx, s.Indexer, found.chain, found.wallet, from); err != nil {
		return err
	}
	contracts, domains := map[string]bool{}, map[string]bool{}
	for _, n := range found.nfts {
		contracts[n.Address] = true
		for _, d := range n.domains() {
			domains[d] = true
		}
	}
	for _, t := range found.transfers {
		contracts[t.Address] = true
	}
	if found.spam, err = g.scanContracts(ctx, s.Antispam, found.chain, sorted(contracts)); err != nil {
		return err
	}
	found.phishing, err = g.scanDomains(ctx, s.Antispam, sorted(domains))
	return err
}

func sorted(set map[string]bool) []string {
	all := make([]string, 0, len(set))
	for name := range set {
		all = append(all, name)
	}
	slices.SortFunc(all, strings.Compare)
	return all
}
