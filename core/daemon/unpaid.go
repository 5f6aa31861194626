package daemon

import (
	"bytes"
	"context"
	"errors"
	"fmt"

	"obverse/core/chain"
	"obverse/core/chain/consensus"
	"obverse/core/chain/token"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
)

// unpaid returns the payees without the ones to which transactions that spend tokens of the
// wallet's keys have paid the same amount, in blocks after since or pending. Two payments of the
// same amount count as two.
func (b *Backend) unpaid(ctx context.Context, id wire.Hash, payees []wallet.Payee, since int) (left []wallet.Payee, err error) {
	var creation token.Creation
	isToken := false
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		if tip := v.Tip().Height; since < 0 || since > tip {
			return refusal(fmt.Sprintf("since must be a height from 0 to %d, the height of the chain, got %d", tip, since))
		}
		creation, isToken = v.Creation(id)
		return v.Err()
	})
	if err != nil || !isToken {
		return payees, err // PayTokens rejects what is not a token
	}
	codes := token.CreateCodes(nil)
	if creation.NFT != 0 {
		codes = token.HolderCodes(creation.NFT)
	}
	payers := b.walletHolders(codes)
	count, err := b.countPayments(ctx, payers, id, since)
	if err != nil {
		return payees, err
	}
	left = []wallet.Payee{}
	for _, p := range payees {
		key := paymentOf(p.Amount, token.Script(codes, p.Key))
		if count[key]--; count[key] < 0 {
			left = append(left, p)
		}
	}
	return left, nil
}

// walletHolders returns the addresses at which the keys of the wallet hold tokens.
func (b *Backend) walletHolders(codes []byte) map[chain.Address]bool {
	payers := map[chain.Address]bool{conditionAddress(codes, b.Wallet.PublicKey()): true}
	if b.Ring == nil {
		return payers
	}
	for _, k := range b.Ring.Keys(false) {
		if k.Compressed() {
			payers[conditionAddress(codes, token.Key(k.Public))] = true
		}
	}
	return payers
}

// countPayments counts the outputs, by paymentOf, that transactions of the own addresses have paid
// with tokens in blocks after since, or pending.
func (b *Backend) countPayments(ctx context.Context, payers map[chain.Address]bool, id wire.Hash, since int) (map[string]int, error) {
	lists := make([]*payments, 0, len(payers))
	for holder := range payers {
		lists = append(lists, &payments{id: id, payers: payers, holder: holder, since: since})
	}
	for {
		for _, p := range lists {
			for done := false; !done; {
				// A change of the chain waits for the readers, so a read has one block at most.
				err := b.Manager.Read(ctx, func(v *chain.View) (err error) {
					done, err = p.readBlock(v)
					return err
				})
				if err != nil {
					return nil, err
				}
			}
		}
		// A transaction is either pending or in a block that was read, if the chain has not changed
		// since.
		var count map[string]int
		err := b.Manager.Read(ctx, func(v *chain.View) error {
			count = map[string]int{}
			for _, p := range lists {
				if p.tip != v.Tip().Hash {
					count = nil
					return nil
				}
				for payment, n := range p.count {
					count[payment] += n
				}
			}
			for _, e := range b.Pool.Entries() {
				if _, pays := payerOf(e.Coins, payers, id); !pays {
					continue
				}
				for i := range e.Tx.Outputs {
					if e.Transfers.Holds(id, i) {
						count[paymentOf(e.Tx.Outputs[i].Value, e.Tx.Outputs[i].Script)]++
					}
				}
			}
			return nil
		})
		if count != nil || err != nil {
			return count, err
		}
	}
}

// paymentsPage is the number of transactions that payments lists at a time.
const paymentsPage = 128

// payments counts the outputs that transactions of a holder have paid with tokens.
type payments struct {
	id     wire.Hash
	payers map[chain.Address]bool
	holder chain.Address // one of the own addresses
	since  int           // height after which they count

	count    map[string]int // by paymentOf; nil before the first block
	after    *wire.Hash     // the last transaction that was read
	last     int            // height of its block
	lastHash wire.Hash      // hash of its block
	tip      wire.Hash      // hash of the last block of the chain at the last read
}

func paymentOf(amount int64, script []byte) string {
	return string(wire.AppendInt64(script[:len(script):len(script)], amount))
}

// readBlock counts the payments of the next block with transactions of the holder, and reports
// whether it was the last one. If the chain has changed below it, it begins from the start.
func (p *payments) readBlock(v *chain.View) (done bool, err error) {
	p.tip = v.Tip().Hash
	if p.after != nil {
		if hash, err := v.HashAt(p.last); err != nil && !errors.Is(err, chain.ErrNotFound) {
			return false, err
		} else if err != nil || hash != p.lastHash {
			p.after = nil
		}
	}
	if p.after == nil {
		p.count = map[string]int{}
	}
	page, err := v.TokenTxs(p.id, &p.holder, p.after, p.since+1, paymentsPage)
	if err != nil || len(page) == 0 {
		return err == nil, err
	}
	done = len(page) < paymentsPage
	p.last = page[0].Height
	if p.lastHash, err = v.HashAt(p.last); err != nil {
		return false, err
	}
	var positions []int
	for _, one := range page {
		if one.Height != p.last {
			done = false
			break
		}
		p.after = &one.TxID
		if one.Amount <= 0 {
			positions = append(positions, one.Position)
		}
	}
	if len(positions) == 0 {
		return done, nil
	}
	effects, err := v.Effects(p.last, positions...)
	for i := range effects {
		p.add(&effects[i])
	}
	return done, err
}

// add counts the payments of a transaction, if it spends tokens of the holder. Of a transaction of
// several own addresses, the first counts them.
func (p *payments) add(e *consensus.TxEffects) {
	if payer, pays := payerOf(e.Spent, p.payers, p.id); !pays || payer != p.holder {
		return
	}
	for i := range e.Created {
		if isTokenOf(&e.Created[i], p.id) {
			p.count[paymentOf(e.Created[i].Value, e.Created[i].Script)]++
		}
	}
}

func isTokenOf(c *consensus.Coin, id wire.Hash) bool {
	return c.Claim == token.Backed && c.TokenID == id
}

// payerOf returns the first, by its bytes, of the own addresses whose tokens are spent.
func payerOf(spent []consensus.Coin, payers map[chain.Address]bool, id wire.Hash) (first chain.Address, pays bool) {
	for i := range spent {
		if !isTokenOf(&spent[i], id) {
			continue
		}
		for _, a := range chain.AddressesOf(spent[i].Script) {
			if payers[a] && (!pays || bytes.Compare(a.Hash[:], first.Hash[:]) < 0) {
				first, pays = a, true
			}
		}
	}
	return first, pays
}
