package history

import (
	"encoding/hex"
	"math/big"
	"slices"

	"obverse/core/wallet/account/txlog"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
)

// Limits of the stored data of one transaction, which anyone may send.
const (
	maxRaw     = 16 << 10
	maxEntries = 256
	maxParties = 256 // number of addresses on one side of an entry
)

// Denom returns the denom of a token's entries, which is its contract. For the network's coin
// it returns "".
func Denom(contract *address.Address) string {
	if contract == nil {
		return ""
	}
	return contract.Plain()
}

// read determines the effects of a transaction on an address. A transaction without effects has
// no entries.
func read(m node.Mined, addr address.Address) txlog.Record {
	r := txlog.Record{Height: m.Height, Index: m.Index, Hash: m.Hash, Raw: m.Raw, Block: m.Block,
		Fee: txlog.Fee{Amount: m.Fee, GasLimit: m.Gas, GasPrice: m.Price}}
	if len(r.Raw) > maxRaw {
		r.Raw = nil
	}
	add(&r, coinEntry(m, addr))
	for _, e := range tokenEntries(m, addr) {
		add(&r, e)
	}
	if pays := m.MovedNothing(); pays != nil && m.From == addr {
		add(&r, txlog.Entry{Denom: Denom(&pays.Token), Kind: coin.KindFeeOnly, From: []string{addr.String()}, To: []string{pays.Token.String()},
			Total: new(big.Int), Spent: new(big.Int), Received: new(big.Int)})
	}
	return r
}

// add appends an entry that moves coins, or that reports that a payment of a token moved
// nothing. The id of the first entry is the transaction's hash, as in Komodo DeFi Framework.
func add(r *txlog.Record, e txlog.Entry) {
	n := len(r.Entries)
	stays := e.Denom != "" && e.Kind == coin.KindFeeOnly
	if e.Spent.Sign() == 0 && e.Received.Sign() == 0 && !stays || n >= maxEntries {
		return
	}
	e.ID = r.Hash
	if n > 0 {
		e.ID += hex.EncodeToString([]byte{byte(n)})
	}
	r.Entries = append(r.Entries, e)
}

// coinEntry returns the entry for the network's coin.
func coinEntry(m node.Mined, addr address.Address) txlog.Entry {
	e := txlog.Entry{Kind: coin.KindTransfer, From: []string{m.From.String()}, Total: new(big.Int), Spent: new(big.Int), Received: new(big.Int)}
	if m.To != nil {
		e.To = []string{m.To.String()}
	}
	moved := m.Value
	if m.Failed {
		moved = new(big.Int)
	}
	if m.From == addr {
		e.Spent.Add(moved, m.Fee)
		if moved.Sign() == 0 {
			e.Kind = coin.KindFeeOnly
		}
	}
	if m.To != nil && *m.To == addr {
		e.Received.Set(moved)
	}
	e.Total.Set(e.Spent)
	if e.Received.Cmp(e.Total) > 0 {
		e.Total.Set(e.Received)
	}
	return e
}

// tokenEntries returns one entry for each token, in the order of the first transfers.
func tokenEntries(m node.Mined, addr address.Address) (list []txlog.Entry) {
	for _, move := range m.Moves {
		if move.From != addr && move.To != addr {
			continue
		}
		denom := Denom(&move.Contract)
		at := slices.IndexFunc(list, func(e txlog.Entry) bool { return e.Denom == denom })
		if at < 0 {
			if len(list) >= maxEntries {
				continue
			}
			at = len(list)
			list = append(list, txlog.Entry{Denom: denom, Kind: coin.KindTransfer, Total: new(big.Int), Spent: new(big.Int), Received: new(big.Int)})
		}
		e := &list[at]
		e.From, e.To = party(e.From, move.From), party(e.To, move.To)
		if move.From == addr {
			e.Spent.Add(e.Spent, move.Units)
		}
		if move.To == addr {
			e.Received.Add(e.Received, move.Units)
		}
	}
	for _, e := range list {
		e.Total.Set(e.Spent)
		if e.Received.Cmp(e.Total) > 0 {
			e.Total.Set(e.Received)
		}
	}
	return list
}

func party(list []string, a address.Address) []string {
	text := a.String()
	if len(list) >= maxParties || slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}
