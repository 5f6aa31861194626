package nft

import (
	"context"
	"errors"
	"time"

	"obverse/core/store/table"
)

// Services are where the metadata of NFTs is looked up.
type Services struct {
	Indexer, Antispam Server // without a URL: the chain alone, and no scans
	// Web: without an Indexer, documents are read from where the authors of NFTs keep them, who
	// learn of it.
	Web       bool
	Contracts []string // as of a Provider
}

// maxRefresh bounds the time that a refresh takes.
const maxRefresh = 2 * time.Minute

// Refresh looks anew at what is said of an NFT that is kept: the indexer's metadata, what
// its URI leads to unless it is spam, and whether its contract or one of its domains is
// known to be bad. Then it changes what is kept of the NFT and of its transfers in one
// step, and marks what else is kept of a bad contract or domain. Until then nothing is
// changed. Its errors are the context's, *NotFoundError, *RemoteError for the indexer,
// *ScanError for the service against spam, and *StoreError.
func (g *Gallery) Refresh(ctx context.Context, t Token, s Services) error {
	known, err := g.find(ctx, t)
	if err != nil {
		return err
	}
	fresh, found := NFT{}, &listUpdate{chain: t.Chain, wallet: known.Owner}
	err = withTimeout(ctx, maxRefresh, func(ctx context.Context) (err error) {
		if s.Indexer.URL == "" {
			fresh, err = g.metadataOnChain(ctx, known)
		} else {
			fresh, err = g.metadata(ctx, s.Indexer, known)
		}
		if err != nil {
			return err
		}
		if reads := s.Web || s.Indexer.URL != ""; reads && !fresh.Spam && !known.Phishing && fresh.URI != "" {
			m := g.read(ctx, s.Antispam, &fresh)
			if fresh.MetaSync == "" && m.hasContent() {
				fresh.MetaSync = g.Now().UTC().Format(time.RFC3339)
			}
			m.fill(&fresh.Meta)
			m.setDomains()
			fresh.Meta = m
			fresh.Spam = fresh.linked()
		}
		if s.Antispam.URL == "" {
			return nil
		}
		if !fresh.Spam {
			if found.spam, err = g.scanContracts(ctx, s.Antispam, t.Chain, []string{t.Address}); err != nil {
				return err
			}
		}
		if !known.Phishing {
			found.phishing, err = g.scanDomains(ctx, s.Antispam, fresh.domains())
		}
		return err
	})
	if err != nil {
		return err
	}
	return g.records.refresh(ctx, t, &fresh, found)
}

// find finds an NFT of the wallet.
func (g *Gallery) find(ctx context.Context, t Token) (NFT, error) {
	wallet, err := g.walletOf(ctx, t.Chain)
	if err != nil {
		return NFT{}, err
	}
	n, found, err := g.records.get(ctx, g.Store, wallet, t)
	if err != nil {
		return NFT{}, failed(ctx, err)
	}
	if !found {
		return NFT{}, &NotFoundError{t}
	}
	return n, nil
}

// renew takes over what was looked up. What is told of the holding stays; so does what
// an author said that no server answers for at this refresh.
func (n *NFT) renew(fresh *NFT) {
	m := fresh.Meta
	m.fill(&n.Meta)
	m.setDomains()
	n.Name, n.Symbol, n.URI, n.Domain, n.Metadata = fresh.Name, fresh.Symbol, fresh.URI, fresh.Domain, fresh.Metadata
	n.URISync, n.MetaSync, n.Spam, n.Meta = fresh.URISync, fresh.MetaSync, fresh.Spam, m
}

// refresh changes what is kept, all at once.
func (s *records) refresh(ctx context.Context, t Token, fresh *NFT, found *listUpdate) error {
	err := s.change(ctx, t.Chain, found.wallet, func(tx *table.Tx) error {
		n, known, err := s.get(ctx, tx, found.wallet, t)
		if err != nil {
			return err
		}
		if !known { // any more
			return &NotFoundError{t}
		}
		n.renew(fresh)
		found.flag(&n)
		if err := s.nfts.Put(ctx, tx, n); err != nil {
			return err
		}
		transfers, err := s.transfersOf(ctx, t.Chain, found.wallet, t.Address, t.ID)
		if err != nil {
			return err
		}
		for _, listed := range transfers {
			m, known, err := s.transfers.Get(ctx, tx, listed.name()) // an update may have dropped it since
			if err != nil {
				return err
			}
			if !known {
				continue
			}
			m.describe(&n)
			m.Spam, m.Phishing = n.Spam, n.Phishing
			if err := s.transfers.Put(ctx, tx, m); err != nil {
				return err
			}
		}
		return s.mark(ctx, tx, t, found)
	})
	var absent *NotFoundError
	if errors.As(err, &absent) {
		return err
	}
	return failed(ctx, err)
}

// mark applies the verdicts to what else is kept of the wallet: to the contract's, or to
// all if a domain is bad.
func (s *records) mark(ctx context.Context, tx *table.Tx, t Token, found *listUpdate) error {
	of := []string{found.wallet}
	if len(found.phishing) == 0 {
		if !found.spam[t.Address] {
			return nil
		}
		of = append(of, t.Address)
	}
	others, err := s.nftsOf(ctx, t.Chain, of...)
	if err != nil {
		return err
	}
	for _, listed := range others {
		n, known, err := s.get(ctx, tx, found.wallet, listed.Token)
		if err != nil {
			return err
		}
		if !known || n.Token == t || !found.flag(&n) {
			continue
		}
		if err := s.nfts.Put(ctx, tx, n); err != nil {
			return err
		}
	}
	return s.markTransfers(ctx, tx, t.Chain, found, of...)
}

// markTransfers is mark for the transfers of a wallet, or of a contract in it.
func (s *records) markTransfers(ctx context.Context, tx *table.Tx, c Chain, found *listUpdate, of ...string) error {
	if len(found.spam)+len(found.phishing) == 0 {
		return nil
	}
	transfers, err := s.transfersOf(ctx, c, of...)
	if err != nil {
		return err
	}
	for _, m := range transfers {
		now, known, err := s.transfers.Get(ctx, tx, m.name()) // it may be another in this change
		if err != nil {
			return err
		}
		if !known || !found.flagTransfer(&now) {
			continue
		}
		if err := s.transfers.Put(ctx, tx, now); err != nil {
			return err
		}
	}
	return nil
}
