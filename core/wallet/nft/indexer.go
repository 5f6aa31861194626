package nft

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"obverse/core/wallet/coin"
)

// Limits of a listing, so that it ends regardless of the indexer's answers.
const (
	maxPages        = 1000
	maxItems        = 50_000 // stored items, exceeded only by items of other contracts
	maxRead         = 5      // factor by which more items than that are read
	maxCursor       = 8 << 10
	maxListingBytes = 64 << 20
)

// Reasons why a listing cannot be read to its end.
var (
	errRepeats   = errors.New("pages repeat: a cursor came twice")
	errPages     = errors.New("more than 1000 pages")
	errItems     = errors.New("more than 250000 items")
	errCursor    = errors.New("cursor is longer than 8192 bytes")
	errNoListing = errors.New("answer is not a page of a listing")
)

// page is an answer of the indexer.
type page struct {
	Result  []json.RawMessage `json:"result"`
	Cursor  rawText           `json:"cursor"`
	Message rawText           `json:"message"`
}

// pages reads a listing page by page. cut is errPages or errItems if it was not read to its
// end.
func (g *Gallery) pages(ctx context.Context, s Server, path []string, query [][2]string, each func(json.RawMessage)) (cut, err error) {
	seen := map[string]bool{}
	items, cursor := 0, ""
	for n := 1; ; n++ {
		q := apiCall{path: path, query: query, limit: maxPage, timeout: timeout}
		if cursor != "" {
			q.query = append(query[:len(query):len(query)], [2]string{"cursor", cursor})
		}
		body, err := g.ask(ctx, s, q)
		if err != nil {
			return nil, err
		}
		p, err := readPage(body)
		items += len(p.Result)
		cursor = string(p.Cursor)
		switch {
		case err != nil:
		case p.Result == nil || cursor == "":
			p.each(each)
			return nil, nil
		case len(cursor) > maxCursor:
			err = errCursor
		case seen[cursor]:
			err = errRepeats
		case n == maxPages:
			cut = errPages
		case items > maxRead*g.maxItems:
			cut = errItems
		}
		if err != nil {
			return nil, unusable(s, err)
		}
		seen[cursor] = true
		p.each(each)
		if cut != nil {
			return cut, nil
		}
	}
}

func (p page) each(do func(json.RawMessage)) {
	for _, raw := range p.Result {
		do(raw)
	}
}

// readPage parses an answer. An answer without a result is the end of the listing, unless it
// has a message.
func readPage(body []byte) (p page, err error) {
	if err := decode(body, &p); err != nil {
		return p, err
	}
	if p.Result == nil && p.Message != "" {
		return p, fmt.Errorf("%w: %s", errNoListing, singleLine(string(p.Message), 200))
	}
	return p, nil
}

func unusable(s Server, err error) error {
	return &RemoteError{URL: displayURL(s.URL), Reason: "the answer of " + displayURL(s.URL) + " cannot be used: " + err.Error(), Err: err}
}

// commonQuery returns the parameters of all requests to the indexer.
func commonQuery(c Chain) [][2]string {
	return [][2]string{{"chain", string(c)}, {"format", "decimal"}}
}

// listing holds the NFTs of a wallet on a chain, and the number of invalid items.
type listing struct {
	nfts    []NFT // without duplicates
	skipped int
	cut     bool // the wallet has more
}

// list requests the NFTs of a wallet.
func (g *Gallery) list(ctx context.Context, s Server, c Chain, wallet string) (l listing, err error) {
	at, texts, counts, full := map[string]int{}, newTextBudget(g.textLimit), map[string]int{}, false
	cut, err := g.pages(ctx, s, []string{"api", "v2", wallet, "nft"}, commonQuery(c), func(raw json.RawMessage) {
		n, err := g.Settings.readItem(c, raw, NFT{})
		if err != nil {
			l.skipped++
			g.warn("skipped an invalid NFT of the indexer's list", l.skipped, c, err)
			return
		}
		n.Owner = wallet
		if _, known := at[n.Key()]; !known && !coin.Admits(g.maxItems, len(l.nfts), counts[n.Address]) {
			full = true
			return
		}
		if !texts.admits(n.Address) {
			n = NFT{Token: n.Token, Owner: n.Owner, Type: n.Type, Amount: n.Amount, Block: n.Block, Minted: n.Minted, Spam: n.Spam}
		}
		texts.add(n.Address, len(raw))
		if i, known := at[n.Key()]; known {
			l.nfts[i] = n
			return
		}
		at[n.Key()] = len(l.nfts)
		counts[n.Address]++
		l.nfts = append(l.nfts, n)
	})
	g.warnMore(l.skipped, c)
	if err == nil && cut != nil && len(l.nfts) == 0 {
		return l, unusable(s, cut)
	}
	if l.cut = cut != nil || full || texts.cut; l.cut {
		g.warn("left out NFTs or texts of NFTs", 1, c, errTooMany)
	}
	return l, err
}

// errFuture reports that a transfer is in a block that the platform does not have.
var errFuture = errors.New("the block does not exist yet")

// transfers requests the transfers to and from a wallet in the blocks of the update.
func (g *Gallery) transfers(ctx context.Context, s Server, found *listUpdate) (all []Transfer, err error) {
	skipped, c, counts, full := 0, found.chain, map[string]int{}, false
	query := append(commonQuery(c), [2]string{"from_block", strconv.FormatUint(found.from, 10)})
	cut, err := g.pages(ctx, s, []string{"api", "v2", found.wallet, "nft", "transfers"}, query, func(raw json.RawMessage) {
		t, err := readTransfer(c, found.wallet, raw)
		if err == nil && t.Block > found.last {
			err = errFuture
		}
		if err != nil {
			skipped++
			g.warn("skipped an invalid transfer of the indexer's list", skipped, c, err)
			return
		}
		if !coin.Admits(g.maxItems, len(all), counts[t.Address]) {
			full = true
			return
		}
		counts[t.Address]++
		all = append(all, t)
	})
	g.warnMore(skipped, c)
	if err == nil && cut != nil && len(all) == 0 {
		return nil, unusable(s, cut)
	}
	if cut != nil || full {
		found.full = true
		g.warn("left out transfers of NFTs", 1, c, errTooMany)
	}
	return all, err
}

// metadata requests the metadata of a known token. It ignores owner and amount, since an
// ERC-1155 token may have many owners.
func (g *Gallery) metadata(ctx context.Context, s Server, known NFT) (NFT, error) {
	t := known.Token
	body, err := g.ask(ctx, s, apiCall{path: []string{"api", "v2", "nft", t.Address, t.ID}, query: commonQuery(t.Chain), limit: maxPage, timeout: timeout})
	if err != nil {
		return NFT{}, err
	}
	if err := checkDepth(body); err != nil {
		return NFT{}, unusable(s, err)
	}
	n, err := g.Settings.readItem(t.Chain, body, known)
	if err == nil && n.Token != t {
		err = &itemError{"token", n.Key()}
	}
	if err != nil {
		return NFT{}, unusable(s, err)
	}
	return n, nil
}

// maxWarnings limits the log lines for a list with many invalid items.
const maxWarnings = 5

func (g *Gallery) warn(message string, nth int, c Chain, err error) {
	if g.Warn != nil && nth <= maxWarnings {
		g.Warn(message, "chain", string(c), "reason", err.Error())
	}
}

func (g *Gallery) warnMore(skipped int, c Chain) {
	if g.Warn != nil && skipped > maxWarnings {
		g.Warn("skipped more invalid items of the indexer's list", "chain", string(c), "count", skipped-maxWarnings)
	}
}
