package nft

import (
	"context"
	"errors"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"obverse/core/wallet/coin"
)

// Bounds of what is looked up of NFTs: the maker of a contract chooses how many it sends.
const (
	maxHeld     = 2_000 // NFTs of an address, those that are known first
	textsAtOnce = 16
	maxTextURI  = 2 * maxJSON // bytes; a picture may be in it
	maxFetched  = 60          // documents of one call
	fetchers    = 4
	fetchTime   = 15 * time.Second
)

// lookOnChain finds what a network's address has without an indexer, and keeps it. web: documents are
// also read from where their authors keep them, of NFTs that are not suspect.
func (g *Gallery) lookOnChain(ctx context.Context, n *Network, s Services) ([]NFT, error) {
	from, is := n.on.(Reader)
	if !is {
		return nil, errNoReader
	}
	select {
	case g.onChain <- struct{}{}:
		defer func() { <-g.onChain }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	named, err := g.namedIDs(ctx, n, from, s.Contracts)
	if err != nil {
		return nil, err
	}
	if err := g.walk(ctx, n, from, s.Contracts); err != nil {
		return nil, err
	}
	found := &listUpdate{chain: n.chain, wallet: n.wallet}
	if err := g.held(ctx, n, from, named, found); err != nil {
		return nil, err
	}
	fresh := map[string]bool{}
	for i := range found.nfts {
		fresh[found.nfts[i].Key()] = found.nfts[i].URISync == ""
	}
	if err := g.describe(ctx, from, found.nfts); err != nil {
		return nil, err
	}
	if s.Web {
		g.readAll(ctx, s.Antispam, found.nfts)
	}
	if s.Antispam.URL != "" {
		if err := g.judge(ctx, s.Antispam, found); err != nil {
			return nil, err
		}
	}
	transfers, err := g.records.transfersOf(ctx, n.chain, n.wallet)
	if err != nil {
		return nil, failed(ctx, err)
	}
	for _, t := range transfers {
		if fresh[t.Key()] {
			found.transfers = append(found.transfers, t) // with what is known of its NFT now
		}
	}
	if err := g.records.replace(ctx, found); err != nil {
		return nil, err
	}
	return found.nfts, g.records.note(ctx, n.chain, n.wallet, named.failed)
}

// namedNFTs are those that contracts list which a user named.
type namedNFTs struct {
	list   []Token
	cut    bool  // the contracts have more
	failed error // of contracts that could not be asked this time
}

// namedIDs lists the NFTs of the contracts that a user named, now or before. Those named now must
// be able to.
func (g *Gallery) namedIDs(ctx context.Context, n *Network, from Reader, now []string) (named namedNFTs, err error) {
	scan, err := g.records.scan(ctx, n.chain, n.wallet)
	if err != nil {
		return named, err
	}
	for i, c := range append(slices.Clone(now), scan.Contracts...) {
		if i >= len(now) && slices.Contains(now, c) {
			continue
		}
		ids, more, err := from.NFTsOf(ctx, c, maxHeld/MaxContracts)
		switch {
		case err == nil:
		case ctx.Err() != nil:
			return named, err
		case i < len(now):
			return named, &ContractError{c, err}
		default:
			named.failed = errors.Join(named.failed, &ContractError{c, err})
		}
		named.cut = named.cut || more
		for _, id := range ids {
			named.list = append(named.list, Token{n.chain, c, id})
		}
	}
	return named, nil
}

// held finds which of the NFTs that came to the address it still has.
func (g *Gallery) held(ctx context.Context, n *Network, from Reader, named namedNFTs, found *listUpdate) error {
	all, err := g.candidates(ctx, n, named.list)
	if err != nil {
		return err
	}
	if found.cut = len(all) > maxHeld || named.cut; found.cut {
		g.warn("left out NFTs", 1, n.chain, errTooMany)
	}
	all = fair(all, named.list)
	if err := g.records.limited(ctx, found); err != nil {
		return err
	}
	amounts, err := from.NFTAmounts(ctx, all)
	if err != nil {
		return err
	}
	for i, amount := range amounts {
		if amount != "0" {
			all[i].Amount = amount
			found.nfts = append(found.nfts, all[i])
		}
	}
	return nil
}

// fair takes up to maxHeld NFTs: those that contracts list which a user named, then those of many
// contracts, and last what is known as spam.
func fair(all []NFT, named []Token) []NFT {
	asked := make(map[Token]bool, len(named))
	for _, t := range named {
		asked[t] = true
	}
	places := coin.Fair(len(all), maxHeld, func(i int) string {
		if asked[all[i].Token] {
			return all[i].Key() // each is the first of its group
		}
		return all[i].Address
	}, func(i int) bool { return all[i].Spam || all[i].Phishing })
	taken := make([]NFT, len(places))
	for i, place := range places {
		taken[i] = all[place]
	}
	return taken
}

// candidates are the NFTs that the address may have: those that are kept, and those that came.
func (g *Gallery) candidates(ctx context.Context, n *Network, named []Token) (all []NFT, err error) {
	kept, err := g.records.nftsOf(ctx, n.chain, n.wallet)
	if err != nil {
		return nil, failed(ctx, err)
	}
	transfers, err := g.records.transfersOf(ctx, n.chain, n.wallet)
	if err != nil {
		return nil, failed(ctx, err)
	}
	at := map[string]int{}
	add := func(nft NFT) *NFT {
		i, known := at[nft.Key()]
		if !known {
			i = len(all)
			at[nft.Key()] = i
			all = append(all, nft)
		}
		return &all[i]
	}
	for _, nft := range kept {
		add(nft)
	}
	for _, t := range named {
		add(NFT{Token: t, Owner: n.wallet, Type: ERC721})
	}
	sort.SliceStable(transfers, func(i, j int) bool { return transfers[i].Block > transfers[j].Block }) // the newest first
	for _, t := range transfers {
		if !t.Received() {
			continue
		}
		nft := add(NFT{Token: t.Token, Owner: n.wallet, Type: t.Type})
		nft.Block = max(nft.Block, t.Block)
		if t.From == zeroAddress {
			nft.Minted = t.Block
		}
	}
	return all, nil
}

// zeroAddress is the sender of a transfer that mints an NFT (EIP-721, EIP-1155).
const zeroAddress = "0x0000000000000000000000000000000000000000"

// describe asks the contracts what they say of NFTs of which that is not known.
func (g *Gallery) describe(ctx context.Context, from Reader, list []NFT) error {
	var open []*NFT
	for i := range list {
		if list[i].URISync == "" {
			open = append(open, &list[i])
		}
	}
	for len(open) > 0 {
		some := open[:min(len(open), textsAtOnce)]
		open = open[len(some):]
		asked := make([]NFT, len(some))
		for i, n := range some {
			asked[i] = *n
		}
		texts, err := from.NFTTexts(ctx, asked, maxTextURI)
		if err != nil {
			return err
		}
		for i, n := range some {
			g.apply(n, texts[i])
		}
	}
	return nil
}

// apply takes over what a contract says of an NFT.
func (g *Gallery) apply(n *NFT, t Texts) {
	n.Name, n.Symbol = displayName(rawText(t.Name)), displayName(rawText(t.Symbol))
	n.URI = g.Settings.canonical(allowedURI(t.URI))
	n.Domain = domainOf(n.URI)
	n.URISync = g.Now().UTC().Format(time.RFC3339)
	if body, is := inlineDocument(t.URI); is { // all that there is to read; its documents are taken out
		n.Metadata = cleanJSON(string(body))
		n.Meta = n.document([]byte(n.Metadata))
		n.MetaSync = n.URISync
	} else if media, _, is := inData(t.URI); is && strings.HasPrefix(media, "image/") {
		n.Meta, n.MetaSync = Meta{Image: allowedURI(t.URI)}, n.URISync
	}
	n.Meta.fill(&Meta{})
	n.Meta.setDomains()
	n.Spam = n.Spam || maliciousURI(n.URI) || n.linked()
}

// readAll reads the documents of NFTs from where their authors keep them, if they were not read. What
// fails is tried again by the next call, after what was not tried yet.
func (g *Gallery) readAll(ctx context.Context, antispam Server, list []NFT) {
	var open, late []*NFT
	for i := range list {
		n := &list[i]
		switch {
		case n.MetaSync != "" || n.URI == "" || n.Spam || n.Phishing:
		case g.failed[n.Key()]:
			late = append(late, n)
		default:
			open = append(open, n)
		}
	}
	open = append(open, late...)
	open = open[:min(len(open), maxFetched)]
	ctx, cancel := context.WithTimeout(ctx, fetchTime)
	defer cancel()
	next := make(chan *NFT)
	var all sync.WaitGroup
	var mu sync.Mutex
	for range fetchers {
		all.Go(func() {
			for n := range next {
				m := g.read(ctx, antispam, n)
				mu.Lock()
				if g.failed[n.Key()] = !m.hasContent(); m.hasContent() {
					n.readInto(m, g.Now())
				}
				mu.Unlock()
			}
		})
	}
	for _, n := range open {
		if ctx.Err() != nil {
			break
		}
		next <- n
	}
	close(next)
	all.Wait()
}

// readInto takes over what an NFT's document says.
func (n *NFT) readInto(m Meta, now time.Time) {
	m.fill(&n.Meta)
	m.setDomains()
	n.Meta, n.MetaSync = m, now.UTC().Format(time.RFC3339)
	n.Spam = n.Spam || n.linked()
}

// metadataOnChain asks the contract what it says of an NFT that is kept.
func (g *Gallery) metadataOnChain(ctx context.Context, known NFT) (NFT, error) {
	active, err := g.Active.Get(known.Chain.Ticker())
	n, is := active.(*Network)
	if err != nil || !is || n.wallet != known.Owner {
		return NFT{}, &NetworkError{known.Chain.Ticker()}
	}
	from, is := n.on.(Reader)
	if !n.onChain || !is {
		return NFT{}, ErrNoIndexer
	}
	fresh := []NFT{{Token: known.Token, Owner: known.Owner, Type: known.Type}}
	err = g.describe(ctx, from, fresh)
	return fresh[0], err
}
