package daemon

import (
	"context"
	"errors"
	"slices"

	"obverse/core/chain"
	"obverse/core/chain/wire"
	"obverse/core/number"
	"obverse/core/rpc"
)

func (b *Backend) historyMethods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("listtransactions", rpc.Doc{Reads: true,
			Usage:    `listtransactions ( "account" count from includeWatchonly )`,
			Summary:  "List payments to and from the wallet, oldest first",
			Detail:   "Change is listed both as a payment and as a receipt.",
			Category: categoryWallet,
		}, b.listTransactions),
		rpc.Handle("listsinceblock", rpc.Doc{Reads: true,
			Usage:    `listsinceblock ( "blockhash" target-confirmations includeWatchonly )`,
			Summary:  "List payments to and from the wallet since a block",
			Detail:   "The result contains the last block with target-confirmations, which is the parameter of the next call.",
			Category: categoryWallet,
		}, b.listSinceBlock),
		rpc.Handle("gettransaction", rpc.Doc{Reads: true,
			Usage:    `gettransaction "txid" ( includeWatchonly )`,
			Summary:  "Show a transaction of the wallet",
			Category: categoryWallet,
		}, b.getTransaction),
	}
}

type listParams struct {
	Account   Text `json:"account" default:"*" doc:"list only the entries of this account; * means all accounts"`
	Count     Int  `json:"count" default:"10" doc:"maximum number of entries"`
	From      Int  `json:"from" rpc:"optional" doc:"number of the newest entries to skip"`
	WatchOnly Flag `json:"includeWatchonly" rpc:"optional" doc:"include watched addresses"`
}

func (b *Backend) listTransactions(ctx context.Context, p listParams) (list []walletEntry, err error) {
	switch {
	case p.Count < 0:
		return nil, &Error{CodeParameter, "Negative count"}
	case p.From < 0:
		return nil, &Error{CodeParameter, "Negative from"}
	}
	list = []walletEntry{}
	if b.Wallet == nil {
		return list, nil
	}
	err = b.viewWallet(ctx, func(w *walletView) error {
		all, err := w.transactions(ctx)
		if err != nil {
			return err
		}
		for _, t := range slices.Backward(all) {
			if len(list) >= int(p.Count)+int(p.From) {
				break
			}
			mine, err := w.load(t)
			if err != nil {
				return err
			}
			if mine {
				list = append(list, w.entries(t, string(p.Account), filterOf(bool(p.WatchOnly)), true)...)
			}
		}
		return nil
	})
	first := min(int(p.From), len(list))
	list = list[first:min(first+int(p.Count), len(list))]
	slices.Reverse(list)
	return list, err
}

type sinceParams struct {
	Block     Text `json:"blockhash" rpc:"optional" doc:"list the transactions after this block; all if the block is unknown"`
	Target    Int  `json:"target-confirmations" default:"1" doc:"confirmations of the block in the result, at least 1"`
	WatchOnly Flag `json:"includeWatchonly" rpc:"optional" doc:"include watched addresses"`

	Ignored unreadText `json:"ignored" rpc:"optional" doc:"ignored"`
}

type sinceBlock struct {
	Transactions []walletEntry `json:"transactions"`
	LastBlock    wire.Hash     `json:"lastblock"`
}

func (b *Backend) listSinceBlock(ctx context.Context, p sinceParams) (result sinceBlock, err error) {
	if p.Target < 1 {
		return result, &Error{CodeParameter, "Invalid parameter"}
	}
	result.Transactions = []walletEntry{}
	err = b.Manager.Read(ctx, func(v *chain.View) error {
		if height := v.Tip().Height + 1 - int(p.Target); height >= 0 {
			if result.LastBlock, err = v.HashAt(height); err != nil {
				return err
			}
		}
		if b.Wallet == nil || b.Ring == nil {
			return nil
		}
		return b.walletAt(v).since(ctx, p, &result)
	})
	return result, err
}

func (w *walletView) since(ctx context.Context, p sinceParams, result *sinceBlock) error {
	within := -1 // all
	record, err := w.view.Record(looseHash(string(p.Block)))
	switch {
	case p.Block == "" || errors.Is(err, chain.ErrNotFound):
	case err != nil:
		return err
	default:
		within = w.tip - record.Height + 1
	}
	list, err := w.transactions(ctx)
	if err != nil {
		return err
	}
	slices.SortFunc(list, byID)
	for _, t := range list {
		if within >= 0 && t.depth(w.tip) >= within {
			continue
		}
		mine, err := w.load(t)
		if err != nil {
			return err
		}
		if mine {
			result.Transactions = append(result.Transactions, w.entries(t, "*", filterOf(bool(p.WatchOnly)), true)...)
		}
	}
	return nil
}

type txParams struct {
	TxID      Text `json:"txid"`
	WatchOnly Flag `json:"includeWatchonly" rpc:"optional" doc:"include watched addresses"`
}

type walletTransaction struct {
	Amount number.Coins  `json:"amount" doc:"receipts less payments of the wallet, without the fee"`
	Fee    *number.Coins `json:"fee,omitempty" doc:"fee of a payment by the wallet, negative"`
	*walletTxFields
	Details []walletEntry `json:"details"`
	Hex     hexBytes      `json:"hex"`
}

func (b *Backend) getTransaction(ctx context.Context, p txParams) (result walletTransaction, err error) {
	unknown := &Error{CodeAddress, "Invalid or non-wallet transaction id"}
	if b.Wallet == nil {
		return result, unknown
	}
	err = b.viewWallet(ctx, func(w *walletView) error {
		t, err := w.at(ctx, looseHash(string(p.TxID)))
		switch {
		case errors.Is(err, chain.ErrNotFound):
			return unknown
		case err != nil:
			return err
		}
		f := filterOf(bool(p.WatchOnly))
		debit, credit := t.debit(f), int64(0)
		if w.blocksToMaturity(t) == 0 {
			for i := range t.tx.Outputs {
				if f.includes(w.ring.Relation(t.tx.Outputs[i].Script)) {
					credit += t.tx.Outputs[i].Value
				}
			}
		}
		result = walletTransaction{Amount: number.Coins(credit - debit), walletTxFields: w.fields(t), Details: w.entries(t, "*", f, false), Hex: t.raw}
		if debit > 0 {
			fee := number.Coins(t.total() - debit)
			result.Fee, result.Amount = &fee, result.Amount-fee
		}
		if result.Details == nil {
			result.Details = []walletEntry{}
		}
		return nil
	})
	return result, err
}
