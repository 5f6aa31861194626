package nft

import (
	"context"

	"obverse/core/store"
	"obverse/core/store/table"
)

// Names of indexes.
const (
	byName = "name" // chain, wallet, contract, id and, of transfers, transaction and place in it
	newest = "newest"
)

// records is what is kept: under N/nft/list/ the NFTs, under N/nft/transfer/ the
// transfers, under N/nft/wallet/ followed by a chain the address whose they are, and
// under N/nft/change/ how often those of a chain and wallet were changed.
type records struct {
	kv        store.KV
	nfts      *table.Table[NFT]
	transfers *table.Table[Transfer]
}

const (
	walletKey = "N/nft/wallet/"
	changeKey = "N/nft/change/"
)

// change is table.Change for those of a wallet on a chain. fn may list them, which is no
// part of what a Tx guards: each change counts, and the count is guarded, so that fn runs
// again if they were changed by others since it began.
func (s *records) change(ctx context.Context, c Chain, wallet string, fn func(*table.Tx) error) error {
	return table.Change(ctx, s.kv, func(tx *table.Tx) error {
		key := changeKey + part(c, wallet)
		values, err := tx.Get(ctx, key)
		if err != nil {
			return err
		}
		count, _ := table.ParseUint(values[0].Data) // 0 before the first
		tx.Put(key, table.Uint(count+1))
		return fn(tx)
	})
}

func newRecords(kv store.KV) *records {
	return &records{kv,
		table.New(table.Spec[NFT]{
			Prefix: "N/nft/list/",
			Key:    table.Index[NFT]{Name: byName, Of: func(n NFT) string { return part(n.Chain, n.Owner, n.Address, n.ID) }},
			Sorted: []table.Index[NFT]{{Name: newest, Of: func(n NFT) string { return part(n.Chain, n.Owner) + table.Down(n.Block) }}},
		}),
		table.New(table.Spec[Transfer]{
			Prefix: "N/nft/transfer/",
			Key:    table.Index[Transfer]{Name: byName, Of: Transfer.name},
			Sorted: []table.Index[Transfer]{{Name: newest, Of: func(t Transfer) string {
				return part(t.Chain, t.Wallet) + table.Down(t.Block) + table.Down(t.LogIndex)
			}}},
		})}
}

// name is a transfer's key.
func (t Transfer) name() string {
	return part(t.Chain, t.Wallet, t.Address, t.ID, t.Hash) + table.Uint(t.LogIndex)
}

// part is the part of a key that names what follows it in the table.
func part(c Chain, parts ...string) string {
	key := table.Text(string(c))
	for _, part := range parts {
		key += table.Text(part)
	}
	return key
}

// StoreError says that the store failed.
type StoreError struct{ Err error }

func (e *StoreError) Error() string { return e.Err.Error() }

// Unwrap gives the store's error.
func (e *StoreError) Unwrap() error { return e.Err }

// failed marks an error of the store, but not that a caller does not wait any longer.
func failed(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return &StoreError{err}
}

// wallet is the address whose NFTs of a chain were kept last, "" if none were.
func (s *records) wallet(ctx context.Context, c Chain) (string, error) {
	values, err := s.kv.Get(ctx, walletKey+string(c))
	if err != nil {
		return "", failed(ctx, err)
	}
	return values[0].Data, nil
}

// nftsOf lists the NFTs of a wallet, or those of a contract or of one token of it.
func (s *records) nftsOf(ctx context.Context, c Chain, parts ...string) ([]NFT, error) {
	return s.nfts.List(ctx, s.kv, table.Prefixed(byName, part(c, parts...)))
}

// transfersOf lists the transfers of a wallet, or those of a contract or of one token of it.
func (s *records) transfersOf(ctx context.Context, c Chain, parts ...string) ([]Transfer, error) {
	return s.transfers.List(ctx, s.kv, table.Prefixed(byName, part(c, parts...)))
}

// get finds an NFT of a wallet.
func (s *records) get(ctx context.Context, from table.Reader, wallet string, t Token) (NFT, bool, error) {
	return s.nfts.Get(ctx, from, part(t.Chain, wallet, t.Address, t.ID))
}

// listUpdate is what is found out about a wallet on a chain.
type listUpdate struct {
	chain     Chain
	wallet    string
	nfts      []NFT           // all that it holds
	from      uint64          // the first block whose transfers were asked for; 0: none were
	last      uint64          // the last one that the chain can have
	transfers []Transfer      // all in blocks from there on
	spam      map[string]bool // contracts
	phishing  map[string]bool // domains
	cut       bool            // there are more NFTs
	full      bool            // there are more transfers
}

// replace puts a new list in the place of the one that is there, and transfers beside
// those that are, as one change. What was found out about an NFT before stays.
func (s *records) replace(ctx context.Context, n *listUpdate) error {
	err := s.change(ctx, n.chain, n.wallet, func(tx *table.Tx) error {
		tx.Put(walletKey+string(n.chain), n.wallet)
		old, err := s.nftsOf(ctx, n.chain, n.wallet)
		if err != nil {
			return err
		}
		gone := make(map[string]Token, len(old))
		for _, nft := range old {
			gone[nft.Key()] = nft.Token
		}
		for _, nft := range n.nfts {
			delete(gone, nft.Key())
			before, _, err := s.get(ctx, tx, n.wallet, nft.Token) // a refresh may have changed it since it was listed
			if err != nil {
				return err
			}
			nft.inherit(&before)
			n.flag(&nft)
			if err := s.nfts.Put(ctx, tx, nft); err != nil {
				return err
			}
		}
		for _, t := range gone {
			if _, err := s.nfts.Delete(ctx, tx, part(n.chain, n.wallet, t.Address, t.ID)); err != nil {
				return err
			}
		}
		return s.add(ctx, tx, n)
	})
	return failed(ctx, err)
}

// add keeps transfers, with what is known of their NFTs, in the place of those in the same
// blocks: what a chain took back is not kept.
func (s *records) add(ctx context.Context, tx *table.Tx, n *listUpdate) error {
	if err := s.drop(ctx, tx, n); err != nil {
		return err
	}
	for _, t := range n.transfers {
		nft, found, err := s.get(ctx, tx, n.wallet, t.Token)
		if err != nil {
			return err
		}
		if found {
			t.describe(&nft)
		}
		n.flagTransfer(&t)
		if err := s.transfers.Put(ctx, tx, t); err != nil {
			return err
		}
	}
	return s.markTransfers(ctx, tx, n.chain, n, n.wallet)
}

// drop forgets the transfers in the blocks that were asked for and that are not there.
func (s *records) drop(ctx context.Context, tx *table.Tx, n *listUpdate) error {
	if n.from == 0 {
		return nil
	}
	there := make(map[string]bool, len(n.transfers))
	for _, t := range n.transfers {
		there[t.name()] = true
	}
	of := part(n.chain, n.wallet)
	old, err := s.transfers.List(ctx, s.kv, table.Range{Index: newest, From: of + table.Down(n.last), To: of + table.Down(n.from-1)})
	if err != nil {
		return err
	}
	for _, t := range old {
		if there[t.name()] {
			continue
		}
		if _, err := s.transfers.Delete(ctx, tx, t.name()); err != nil {
			return err
		}
	}
	return nil
}

// flag applies the verdicts of scans, and reports whether there were any that are new.
func (n *listUpdate) flag(nft *NFT) bool {
	return n.apply(nft.Address, nft.domains(), &nft.Spam, &nft.Phishing)
}

// flagTransfer is flag for a transfer.
func (n *listUpdate) flagTransfer(t *Transfer) bool {
	return n.apply(t.Address, []string{t.Domain, t.ImageDomain}, &t.Spam, &t.Phishing)
}

func (n *listUpdate) apply(contract string, domains []string, spam, phishing *bool) bool {
	before := [2]bool{*spam, *phishing}
	*spam = *spam || n.spam[contract]
	for _, domain := range domains {
		*phishing = *phishing || n.phishing[domain]
	}
	return before != [2]bool{*spam, *phishing}
}

// inherit takes over what a listing does not tell.
func (n *NFT) inherit(before *NFT) {
	n.Spam, n.Phishing = n.Spam || before.Spam, n.Phishing || before.Phishing
	n.Meta.fill(&before.Meta)
	n.Meta.setDomains()
}

// firstBlock is the first block whose transfers have to be asked for: those before it are
// kept and stay. Of transfers in blocks after the last that the chain can have, which an
// indexer once told, nothing follows.
func (s *records) firstBlock(ctx context.Context, c Chain, wallet string, last uint64) (uint64, error) {
	r := table.Prefixed(newest, part(c, wallet))
	r.From, r.Limit = part(c, wallet)+table.Down(last), 1
	kept, err := s.transfers.List(ctx, s.kv, r)
	if err != nil || len(kept) == 0 || kept[0].Block < reorgDepth {
		return 1, failed(ctx, err)
	}
	if scan, err := s.scan(ctx, c, wallet); err != nil || scan.Next > 0 { // of older blocks there may be more than is kept
		return 1, err
	}
	return kept[0].Block - reorgDepth + 1, nil
}

// NotFoundError says that an NFT is not kept.
type NotFoundError struct{ Token }

func (e *NotFoundError) Error() string {
	return "NFT " + e.ID + " of contract " + e.Address + " is not in the wallet"
}
