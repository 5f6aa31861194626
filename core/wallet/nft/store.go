package nft

import (
	"context"

	"obverse/core/store"
	"obverse/core/store/table"
)

// Names of indexes.
const (
	byName = "name" // chain, wallet, contract, id, and for transfers the transaction and the place in it
	newest = "newest"
)

// records holds the stored data: NFTs under N/nft/list/, transfers under N/nft/transfer/, the
// wallet address of a chain under N/nft/wallet/ and the chain, and the change counters of a
// chain and wallet under N/nft/change/.
type records struct {
	kv        store.KV
	nfts      *table.Table[NFT]
	transfers *table.Table[Transfer]
}

const (
	walletKey = "N/nft/wallet/"
	changeKey = "N/nft/change/"
)

// change calls table.Change for the records of a wallet on a chain. fn may list records, which
// a Tx does not guard. Each change therefore increments a counter that the Tx guards, so that
// fn runs again if the records changed since it started.
func (s *records) change(ctx context.Context, c Chain, wallet string, fn func(*table.Tx) error) error {
	return table.Change(ctx, s.kv, func(tx *table.Tx) error {
		key := changeKey + part(c, wallet)
		values, err := tx.Get(ctx, key)
		if err != nil {
			return err
		}
		count, _ := table.ParseUint(values[0].Data) // 0 before the first change
		tx.Put(key, table.Uint(count+1))
		return fn(tx)
	})
}

// name returns the key of a transfer.
func (t Transfer) name() string {
	return part(t.Chain, t.Wallet, t.Address, t.ID, t.Hash) + table.Uint(t.LogIndex)
}

// part returns the key prefix of the rows that have these parts.
func part(c Chain, parts ...string) string {
	key := table.Text(string(c))
	for _, part := range parts {
		key += table.Text(part)
	}
	return key
}

// StoreError reports a failure of the store.
type StoreError struct{ Err error }

func (e *StoreError) Error() string { return e.Err.Error() }

// Unwrap returns the store's error.
func (e *StoreError) Unwrap() error { return e.Err }

// failed wraps an error of the store, but not the context's error.
func failed(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	return &StoreError{err}
}

// wallet returns the address whose NFTs of a chain were stored last, or "".
func (s *records) wallet(ctx context.Context, c Chain) (string, error) {
	values, err := s.kv.Get(ctx, walletKey+string(c))
	if err != nil {
		return "", failed(ctx, err)
	}
	return values[0].Data, nil
}

// nftsOf lists the NFTs of a wallet, optionally only those of a contract or of one token.
func (s *records) nftsOf(ctx context.Context, c Chain, parts ...string) ([]NFT, error) {
	return s.nfts.List(ctx, s.kv, table.Prefixed(byName, part(c, parts...)))
}

// transfersOf lists the transfers of a wallet, optionally only those of a contract or of one
// token.
func (s *records) transfersOf(ctx context.Context, c Chain, parts ...string) ([]Transfer, error) {
	return s.transfers.List(ctx, s.kv, table.Prefixed(byName, part(c, parts...)))
}

// get returns an NFT of a wallet.
func (s *records) get(ctx context.Context, from table.Reader, wallet string, t Token) (NFT, bool, error) {
	return s.nfts.Get(ctx, from, part(t.Chain, wallet, t.Address, t.ID))
}

// listUpdate holds the results of an update of a wallet on a chain.
type listUpdate struct {
	chain     Chain
	wallet    string
	nfts      []NFT           // all NFTs of the wallet
	from      uint64          // first block with requested transfers; 0 if no transfers were requested
	last      uint64          // last block that the chain can have
	transfers []Transfer      // all transfers in these blocks
	spam      map[string]bool // contracts
	phishing  map[string]bool // domains
	cut       bool            // the wallet has more NFTs
	full      bool            // the wallet has more transfers
}

// replace replaces the stored list of NFTs and adds the transfers, as one change. It keeps the
// metadata of NFTs that were stored before.
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
			before, _, err := s.get(ctx, tx, n.wallet, nft.Token) // a refresh may have changed the NFT since it was listed
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

// add stores transfers with the metadata of their NFTs. It replaces the transfers in the same
// blocks, so that transfers that a reorganization removed are not kept.
func (s *records) add(ctx context.Context, tx *table.Tx, n *listUpdate) error {
	if err := s.drop(ctx, tx, n); err != nil {
		return err
	}
	known := map[Token]*NFT{} // brief, since an NFT may have thousands of transfers
	for _, t := range n.transfers {
		nft, read := known[t.Token]
		if !read {
			one, found, err := s.get(ctx, tx, n.wallet, t.Token)
			if err != nil {
				return err
			}
			if found {
				nft = one.brief()
			}
			known[t.Token] = nft
		}
		if nft != nil {
			t.describe(nft)
		}
		n.flagTransfer(&t)
		if err := s.transfers.Put(ctx, tx, t); err != nil {
			return err
		}
	}
	return s.markTransfers(ctx, tx, n.chain, n, n.wallet)
}

// drop removes stored transfers of the requested blocks that are not in the new list.
func (s *records) drop(ctx context.Context, tx *table.Tx, n *listUpdate) error {
	if n.from == 0 {
		return nil
	}
	there := make(map[string]bool, len(n.transfers))
	for _, t := range n.transfers {
		there[t.name()] = true
	}
	owner := part(n.chain, n.wallet)
	old, err := s.transfers.List(ctx, s.kv, table.Range{Index: newest, From: owner + table.Down(n.last), To: owner + table.Down(n.from-1)})
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

// flag sets the results of scans, and reports whether anything changed.
func (n *listUpdate) flag(nft *NFT) bool {
	return n.apply(nft.Address, nft.domains(), &nft.Spam, &nft.Phishing)
}

// flagTransfer is like flag, for a transfer.
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

// inherit copies the fields that a listing does not have.
func (n *NFT) inherit(before *NFT) {
	n.Spam, n.Phishing = n.Spam || before.Spam, n.Phishing || before.Phishing
	n.Meta.fill(&before.Meta)
	n.Meta.setDomains()
}

// firstBlock returns the first block to request transfers of. Transfers in blocks before it are
// stored and stay. Stored transfers in blocks that the chain cannot have, which an indexer may
// have listed, are ignored.
func (s *records) firstBlock(ctx context.Context, c Chain, wallet string, last uint64) (uint64, error) {
	r := table.Prefixed(newest, part(c, wallet))
	r.From, r.Limit = part(c, wallet)+table.Down(last), 1
	stored, err := s.transfers.List(ctx, s.kv, r)
	if err != nil || len(stored) == 0 || stored[0].Block < reorgDepth {
		return 1, failed(ctx, err)
	}
	if scan, err := s.scan(ctx, c, wallet); err != nil || scan.Next > 0 { // the store may lack transfers of older blocks
		return 1, err
	}
	return stored[0].Block - reorgDepth + 1, nil
}

// NotFoundError reports that an NFT is not stored.
type NotFoundError struct{ Token }

func (e *NotFoundError) Error() string {
	return "NFT " + e.ID + " of contract " + e.Address + " is not in the wallet"
}
