package nft

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"
	"strings"
	"sync"
	"time"

	"obverse/core/wallet/coin"
)

// Limits of a search on the chain. The author of a contract chooses how many NFTs it sends.
const (
	maxHeld     = 2_000 // NFTs of an address; NFTs that are stored already come first
	textsAtOnce = 16
	maxTextURI  = 2 * maxJSON // in bytes; a URI may contain a picture
	maxFetched  = 60          // documents read in one call
	fetchers    = 4
	fetchTime   = 15 * time.Second

	describeTime = 30 * time.Second // for texts of contracts
)

// lookOnChain finds the NFTs of a network's address without an indexer and stores them. If web
// is set, it also reads the documents of NFTs from their authors' hosts, except of suspected
// spam.
func (g *Gallery) lookOnChain(ctx context.Context, n *Network, s Services) ([]NFT, error) {
	on, is := n.on.(Readable)
	if !is {
		return nil, errNoReader
	}
	from := on.NFTReader()
	state := g.searches[n.chain]
	select {
	case state.slot <- struct{}{}:
		defer func() { <-state.slot }()
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
	if err := g.held(ctx, n, from, &named, found); err != nil {
		return nil, err
	}
	fresh := map[string]bool{}
	for i := range found.nfts {
		fresh[found.nfts[i].Key()] = found.nfts[i].URISync == ""
	}
	texts := g.textsOf(found.nfts)
	if err := g.describe(ctx, from, found.nfts, texts); err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		named.failed = errors.Join(named.failed, err) // the next call tries again
	}
	if s.Web {
		g.readAll(ctx, s.Antispam, found.nfts, texts, state.failures)
	}
	if texts.cut {
		found.cut = true
		g.warn("left out texts of NFTs", 1, n.chain, errTooMany)
	}
	if err := g.records.limited(ctx, found); err != nil {
		return nil, err
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
			found.transfers = append(found.transfers, t) // with the metadata of its NFT
		}
	}
	if err := g.records.replace(ctx, found); err != nil {
		return nil, err
	}
	return found.nfts, g.records.note(ctx, n.chain, n.wallet, named.failed)
}

// namedNFTs holds the NFTs that contracts named by the user list.
type namedNFTs struct {
	list   []Token
	cut    bool  // the contracts list more
	failed error // errors of contracts that failed this time, also of contracts that the user did not name
}

// namedIDs lists the NFTs of the contracts that the user named in this call or before. It fails
// if a contract named in this call cannot list NFTs.
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

// held finds which of the received NFTs the address still has. NFTs with an unknown amount keep
// their stored amount.
func (g *Gallery) held(ctx context.Context, n *Network, from Reader, named *namedNFTs, found *listUpdate) error {
	all, err := g.candidates(ctx, n, named.list)
	if err != nil {
		return err
	}
	if found.cut = len(all) > maxHeld || named.cut; found.cut {
		g.warn("left out NFTs", 1, n.chain, errTooMany)
	}
	all = fair(all, named.list)
	amounts, err := from.NFTAmounts(ctx, all)
	if err != nil {
		return err
	}
	failed := map[string]bool{} // contracts
	for i, amount := range amounts {
		if amount.Err == nil {
			all[i].Amount = amount.Number
		} else if contract := all[i].Address; !failed[contract] {
			failed[contract] = true
			named.failed = errors.Join(named.failed, &ContractError{contract, amount.Err})
		}
		if all[i].Amount != "0" && all[i].Amount != "" {
			found.nfts = append(found.nfts, all[i])
		}
	}
	return nil
}

// fair selects up to maxHeld NFTs. NFTs listed by contracts that the user named come first,
// then those of as many contracts as possible, and known spam comes last.
func fair(all []NFT, named []Token) []NFT {
	requested := make(map[Token]bool, len(named))
	for _, t := range named {
		requested[t] = true
	}
	places := coin.Fair(len(all), maxHeld, func(i int) string {
		if requested[all[i].Token] {
			return all[i].Key() // the first of each group
		}
		return all[i].Address
	}, func(i int) bool { return all[i].Spam || all[i].Phishing })
	taken := make([]NFT, len(places))
	for i, place := range places {
		taken[i] = all[place]
	}
	return taken
}

// candidates returns the NFTs that the address may have: the stored ones and the received ones.
func (g *Gallery) candidates(ctx context.Context, n *Network, named []Token) (all []NFT, err error) {
	stored, err := g.records.nftsOf(ctx, n.chain, n.wallet)
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
	for _, nft := range stored {
		add(nft)
	}
	for _, t := range named {
		add(NFT{Token: t, Owner: n.wallet, Type: ERC721})
	}
	sort.SliceStable(transfers, func(i, j int) bool { return transfers[i].Block > transfers[j].Block }) // newest first
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

// describe reads name, symbol and URI of NFTs from their contracts unless they are known, for a
// limited time. The first NFT of each contract comes first, then the second of each, and so on.
// The next call continues. It returns errTextsLate if the time was too short.
func (g *Gallery) describe(ctx context.Context, from Reader, list []NFT, texts *textBudget) error {
	var open []*NFT
	for _, i := range coin.InTurns(len(list), func(i int) string { return list[i].Address }) {
		if n := &list[i]; n.URISync == "" {
			open = append(open, n)
		}
	}
	bounded, cancel := context.WithTimeout(ctx, describeTime)
	defer cancel()
	for len(open) > 0 {
		var batch []*NFT
		for ; len(open) > 0 && len(batch) < textsAtOnce; open = open[1:] {
			if n := open[0]; texts.admits(n.Address) {
				batch = append(batch, n)
			}
		}
		if len(batch) == 0 {
			return nil
		}
		requested := make([]NFT, len(batch))
		for i, n := range batch {
			requested[i] = *n
		}
		answers, err := from.NFTTexts(bounded, requested, maxTextURI)
		switch {
		case ctx.Err() == nil && bounded.Err() != nil:
			return errTextsLate
		case err != nil:
			return err
		}
		for i, n := range batch {
			if answers[i].Err == nil { // otherwise the next call tries again
				g.apply(n, answers[i])
				texts.add(n.Address, n.textSize())
			}
		}
	}
	return nil
}

var errTextsLate = fmt.Errorf("the nodes did not return the texts of all contracts within %s", describeTime)

// apply sets the fields of an NFT that its contract returned.
func (g *Gallery) apply(n *NFT, t Texts) {
	n.Name, n.Symbol = displayName(rawText(t.Name)), displayName(rawText(t.Symbol))
	n.URI = g.Settings.canonical(allowedURI(t.URI))
	n.Domain = domainOf(n.URI)
	n.URISync = g.Now().UTC().Format(time.RFC3339)
	if body, is := inlineDocument(t.URI); is { // the document is in the URI, which is not stored with it
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

// readAll reads the documents of NFTs that were not read yet from their authors' hosts, within a
// limited time. Slow hosts of one author do not keep the documents of other contracts waiting.
func (g *Gallery) readAll(ctx context.Context, antispam Server, list []NFT, texts *textBudget, failures map[string]int) {
	open := unread(list, failures)
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
				if m.hasContent() {
					delete(failures, n.Key())
					n.readInto(m, g.Now())
					texts.add(n.Address, n.textSize())
				} else {
					failures[n.Key()]++
				}
				mu.Unlock()
			}
		})
	}
	for _, n := range open[:min(len(open), maxFetched)] {
		if ctx.Err() != nil {
			break
		}
		mu.Lock()
		admitted := texts.admits(n.Address)
		mu.Unlock()
		if admitted {
			next <- n
		}
	}
	close(next)
	all.Wait()
}

// unread returns the NFTs whose documents were not read yet. The first NFT of each contract
// comes first, then the second of each, and so on. Among the NFTs of a contract, the ones with
// the fewest failures come first.
func unread(list []NFT, failures map[string]int) []*NFT {
	var open []*NFT
	for i := range list {
		if n := &list[i]; n.MetaSync == "" && n.URI != "" && !n.Spam && !n.Phishing {
			open = append(open, n)
		}
	}
	slices.SortStableFunc(open, func(a, b *NFT) int { return failures[a.Key()] - failures[b.Key()] })
	ordered := make([]*NFT, len(open))
	for n, i := range coin.InTurns(len(open), func(i int) string { return open[i].Address }) {
		ordered[n] = open[i]
	}
	return ordered
}

// readInto sets the fields of an NFT that its document has.
func (n *NFT) readInto(m Meta, now time.Time) {
	m.fill(&n.Meta)
	m.setDomains()
	n.Meta, n.MetaSync = m, now.UTC().Format(time.RFC3339)
	n.Spam = n.Spam || n.linked()
}

// metadataOnChain reads the metadata of a stored NFT from its contract.
func (g *Gallery) metadataOnChain(ctx context.Context, known NFT) (NFT, error) {
	active, err := g.Active.Get(known.Chain.Ticker())
	n, is := active.(*Network)
	if err != nil || !is || n.wallet != known.Owner {
		return NFT{}, &NetworkError{known.Chain.Ticker()}
	}
	on, is := n.on.(Readable)
	if !n.onChain || !is {
		return NFT{}, ErrNoIndexer
	}
	fresh := []NFT{{Token: known.Token, Owner: known.Owner, Type: known.Type}}
	err = g.describe(ctx, on.NFTReader(), fresh, g.textsOf(nil))
	return fresh[0], err
}

// maxTexts limits the texts of an address's NFTs on a chain that are read without an indexer, in
// bytes. Each NFT may have as many as a document.
const maxTexts = 16 << 20

// textBudget limits the total size of the texts of NFTs. The texts of one contract cannot
// exclude the texts of others, see coin.Admits.
type textBudget struct {
	limit, total int
	perContract  map[string]int
	cut          bool // texts were left out
}

func newTextBudget(limit int) *textBudget {
	return &textBudget{limit: limit, perContract: map[string]int{}}
}

// textsOf returns the budget that the texts of a list leave.
func (g *Gallery) textsOf(list []NFT) *textBudget {
	b := newTextBudget(g.maxTexts)
	for i := range list {
		if n := &list[i]; n.URISync != "" {
			b.add(n.Address, n.textSize())
		}
	}
	return b
}

// admits reports whether the texts of another NFT of a contract are read.
func (b *textBudget) admits(contract string) bool {
	ok := coin.Admits(b.limit, b.total, b.perContract[contract])
	b.cut = b.cut || !ok
	return ok
}

func (b *textBudget) add(contract string, size int) {
	b.total += size
	b.perContract[contract] += size
}

// textSize returns the size of the texts of an NFT, in bytes.
func (n *NFT) textSize() int {
	m := &n.Meta
	return len(n.Name) + len(n.Symbol) + len(n.URI) + len(n.Metadata) + len(m.Image) + len(m.ImageURL) + len(m.Name) + len(m.Description) +
		len(m.Attributes) + len(m.AnimationURL) + len(m.ExternalURL) + len(m.ImageDetails)
}
