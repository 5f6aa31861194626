package daemon

import (
	"context"
	"encoding/json"
	"slices"

	"obverse/core/chain/keyring"
	"obverse/core/chain/script"
	"obverse/core/chain/wire"
	"obverse/core/number"
	"obverse/core/rpc"
)

const categoryWallet = "Wallet"

func (b *Backend) walletMethods() []rpc.Method {
	return slices.Concat(b.balanceMethods(), b.sendMethods(), b.addressBookMethods(), b.keyMethods(), b.historyMethods(),
		b.receivedMethods(), b.infoMethods(), b.multiSigMethods(), b.messageMethods(), b.rawMethods(), b.txOutProofMethods(), b.lockMethods())
}

func (b *Backend) balanceMethods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("getbalance", rpc.Doc{Reads: true,
			Usage:    `getbalance ( "account" minconf includeWatchonly )`,
			Summary:  "Return the coins that the wallet can spend",
			Detail:   "Without parameters, the result includes the wallet's unconfirmed change. With an account, or * for all accounts, it is the sum of the account's receipts and payments in listtransactions.",
			Category: categoryWallet,
		}, b.getBalance),
		rpc.Handle("listunspent", rpc.Doc{Reads: true,
			Usage:    `listunspent ( minconf maxconf ["address",...] )`,
			Summary:  "List the unspent coins of the wallet",
			Category: categoryWallet,
		}, b.listUnspent),
	}
}

// errNoWallet is returned by methods that need a key on a node without one.
var errNoWallet = &Error{CodeWallet, "this node has no key: start it with a passphrase"}

type balanceParams struct {
	Account   *Text `json:"account" doc:"account, or * for all accounts; if it is absent, all coins count"`
	MinConf   Int   `json:"minconf" default:"1" doc:"confirmations that a payment to the wallet must have"`
	WatchOnly Flag  `json:"includeWatchonly" rpc:"optional" doc:"include watched addresses"`
}

func (b *Backend) getBalance(ctx context.Context, p balanceParams) (balance number.Coins, err error) {
	if b.Wallet == nil {
		return 0, nil
	}
	err = b.viewWallet(ctx, func(w *walletView) error {
		if p.Account == nil {
			sum, err := w.balances()
			balance = number.Coins(sum.trusted)
			return err
		}
		sum, err := w.accountBalance(ctx, string(*p.Account), int(p.MinConf), filterOf(bool(p.WatchOnly)))
		balance = number.Coins(sum)
		return err
	})
	return balance, err
}

type unspentParams struct {
	MinConf   TypedInt   `json:"minconf" default:"1"`
	MaxConf   TypedInt   `json:"maxconf" default:"9999999"`
	Addresses addressSet `json:"addresses" rpc:"optional" doc:"list only the coins of these addresses"`
}

// addressSet is a list of distinct addresses.
type addressSet []script.Address

// UnmarshalParam implements rpc.Unmarshaler.
func (set *addressSet) UnmarshalParam(raw json.RawMessage) error {
	if err := expect(rpc.KindArray, raw); err != nil {
		return err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil {
		return err
	}
	seen := make(map[script.Address]bool, len(list))
	for _, item := range list {
		var text Text
		if err := text.UnmarshalParam(item); err != nil {
			return err
		}
		address, err := script.ParseAddress(string(text))
		switch {
		case err != nil:
			return &Error{CodeAddress, "Invalid Komodo address: " + clip(string(text))}
		case seen[address]:
			return &Error{CodeParameter, "Invalid parameter, duplicated address: " + string(text)}
		}
		seen[address] = true
		*set = append(*set, address)
	}
	return nil
}

type unspentCoin struct {
	TxID             wire.Hash       `json:"txid"`
	Index            uint32          `json:"vout"`
	Generated        bool            `json:"generated" doc:"true if the coin was created by a coinbase"`
	Address          *script.Address `json:"address,omitempty"`
	SegID            *int            `json:"segid,omitempty"`
	Account          *string         `json:"account,omitempty" doc:"account of the address, if it has one"`
	RedeemScript     hexBytes        `json:"redeemScript,omitempty" doc:"redeem script of a script address"`
	Amount           number.Coins    `json:"amount"`
	Interest         *number.Coins   `json:"interest,omitempty"`
	Script           hexBytes        `json:"scriptPubKey"`
	RawConfirmations int             `json:"rawconfirmations"`
	Confirmations    int             `json:"confirmations"`
	Spendable        bool            `json:"spendable" doc:"false if the wallet watches the address without its key"`
}

func (b *Backend) listUnspent(ctx context.Context, p unspentParams) (list []unspentCoin, err error) {
	list = []unspentCoin{}
	if b.Wallet == nil {
		return list, nil
	}
	err = b.viewWallet(ctx, func(w *walletView) error {
		coins, err := w.coins()
		if err != nil {
			return err
		}
		for i := range coins {
			c := &coins[i]
			if c.depth < int(p.MinConf) || c.depth > int(p.MaxConf) || !w.mature(c) || w.ring.CoinLocked(c.Out) {
				continue
			}
			address := destination(c.Script, b.Manager.Params())
			if len(p.Addresses) > 0 && (address == nil || !slices.Contains(p.Addresses, *address)) {
				continue
			}
			result, err := w.showUnspent(c, address)
			if err != nil {
				return err
			}
			list = append(list, result)
		}
		return nil
	})
	return list, err
}

func (w *walletView) showUnspent(c *walletCoin, address *script.Address) (unspentCoin, error) {
	result := unspentCoin{
		TxID: c.Out.Hash, Index: c.Out.Index, Generated: c.Coinbase, Address: address, Amount: number.Coins(c.Value), Script: c.Script,
		RawConfirmations: c.depth, Confirmations: c.depth, Spendable: c.relation == keyring.Mine,
	}
	if address != nil {
		result.SegID = new(segment(*address))
		if account, named := w.account(address); named {
			result.Account = &account
		}
		if redeem, has := w.ring.Redeem(address.Hash); has && address.Version == script.ScriptHashVersion {
			result.RedeemScript = redeem
		}
	}
	tx, err := w.parent(c.Out.Hash)
	if err == nil && tx.LockTime != 0 {
		result.Interest = new(number.Coins) // komodod adds the interest if there is a lock time; it is positive only on KMD
	}
	return result, err
}
