package nft

import (
	"context"
	"errors"
	"time"

	"obverse/core/store/table"
)

// Services holds the servers that look up the metadata of NFTs.
type Services struct {
	Indexer, Antispam Server // without a URL only the chain is used, and no scans
	// Web permits reading documents from their authors' hosts if no Indexer is set. The authors
	// learn of these requests.
	Web       bool
	Contracts []string // as in Provider
}

// maxRefresh is the timeout of a refresh.
const maxRefresh = 2 * time.Minute

// Refresh looks up the metadata of a stored NFT again: the indexer's metadata, the document at
// its URI unless it is spam, and the scans of its contract and domains. Then it changes the
// stored NFT and its transfers in one step, and marks other stored items of a bad contract or
// domain. If a request fails, nothing is changed. Its errors are the context's, *NotFoundError,
// *RemoteError for the indexer, *ScanError for the anti-spam service, and *StoreError.
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
		if s.Antispam.URL == "" { // without a service, the NFT remains marked as spam
			fresh.Spam = fresh.Spam || known.Spam
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

// find returns a stored NFT of the wallet.
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

// renew sets the refreshed metadata. It keeps owner and amount, and members of the author's
// metadata if no server answered for them in this refresh.
func (n *NFT) renew(fresh *NFT) {
	m := fresh.Meta
	m.fill(&n.Meta)
	m.setDomains()
	n.Name, n.Symbol, n.URI, n.Domain, n.Metadata = fresh.Name, fresh.Symbol, fresh.URI, fresh.Domain, fresh.Metadata
	n.URISync, n.MetaSync, n.Spam, n.Meta = fresh.URISync, fresh.MetaSync, fresh.Spam, m
}

// refresh changes the stored NFT and its transfers in one transaction.
func (s *records) refresh(ctx context.Context, t Token, fresh *NFT, found *listUpdate) error {
	err := s.change(ctx, t.Chain, found.wallet, func(tx *table.Tx) error {
		n, known, err := s.get(ctx, tx, found.wallet, t)
		if err != nil {
			return err
		}
		if !known { // the NFT was removed meanwhile
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
			m, known, err := s.transfers.Get(ctx, tx, listed.name()) // an update may have removed the transfer since then
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

// mark marks other stored items of the wallet: those of the contract, or all if a domain is
// bad.
func (s *records) mark(ctx context.Context, tx *table.Tx, t Token, found *listUpdate) error {
	parts := []string{found.wallet}
	if len(found.phishing) == 0 {
		if !found.spam[t.Address] {
			return nil
		}
		parts = append(parts, t.Address)
	}
	others, err := s.nftsOf(ctx, t.Chain, parts...)
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
	return s.markTransfers(ctx, tx, t.Chain, found, parts...)
}

// markTransfers marks the transfers of a wallet, or of a contract in it.
func (s *records) markTransfers(ctx context.Context, tx *table.Tx, c Chain, found *listUpdate, parts ...string) error {
	if len(found.spam)+len(found.phishing) == 0 {
		return nil
	}
	transfers, err := s.transfersOf(ctx, c, parts...)
	if err != nil {
		return err
	}
	for _, m := range transfers {
		now, known, err := s.transfers.Get(ctx, tx, m.name()) // it may have changed in this transaction
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
