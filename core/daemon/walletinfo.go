package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/hex"

	"obverse/core/number"
	"obverse/core/rpc"
)

func (b *Backend) infoMethods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("getwalletinfo", rpc.Doc{Reads: true, Summary: "Describe the wallet", Category: categoryWallet}, b.getWalletInfo),
		rpc.Handle("getunconfirmedbalance", rpc.Doc{Reads: true,
			Summary: "Return the sum of unconfirmed payments to the wallet by others", Category: categoryWallet, Terse: true,
		}, b.getUnconfirmedBalance),
	}
}

type walletInfo struct {
	Version     int          `json:"walletversion"`
	Balance     number.Coins `json:"balance"`
	Unconfirmed number.Coins `json:"unconfirmed_balance" doc:"sum of unconfirmed payments by others"`
	Immature    number.Coins `json:"immature_balance" doc:"coins of coinbases that are not mature"`
	TxCount     int          `json:"txcount" doc:"number of transactions of the wallet"`
	PoolOldest  int64        `json:"keypoololdest" doc:"time when the next key was derived, in Unix seconds"`
	PoolSize    int          `json:"keypoolsize" doc:"number of keys that are watched after the last used one"`
	Unlocked    *int64       `json:"unlocked_until,omitempty" doc:"Unix seconds, 0 while the wallet is locked; absent if the wallet has no password"`
	PayTxFee    number.Coins `json:"paytxfee" doc:"fee rate that was set by settxfee"`
	SeedFP      string       `json:"seedfp" doc:"SHA-256 of the public key of the node, from which the other keys are derived"`
}

func (b *Backend) getWalletInfo(ctx context.Context, _ struct{}) (info walletInfo, err error) {
	err = b.viewWallet(ctx, func(w *walletView) error {
		sum, err := w.balances()
		if err != nil {
			return err
		}
		count := 0
		if err := w.each(ctx, func(*walletTx) bool { count++; return true }); err != nil {
			return err
		}
		public := w.ring.Master()
		seed := sha256.Sum256(public[:])
		info = walletInfo{
			Version: walletVersion, Balance: number.Coins(sum.trusted), Unconfirmed: number.Coins(sum.unconfirmed), Immature: number.Coins(sum.immature),
			TxCount: count, PoolOldest: w.ring.Peek(false).Created, PoolSize: w.ring.Left(), PayTxFee: number.Coins(w.ring.FeeRate()), SeedFP: hex.EncodeToString(seed[:]),
		}
		if until, limited := w.ring.UnlockedUntil(); limited {
			info.Unlocked = new(int64)
			if !until.IsZero() {
				*info.Unlocked = until.Unix()
			}
		}
		return nil
	})
	return info, err
}

func (b *Backend) getUnconfirmedBalance(ctx context.Context, _ struct{}) (sum number.Coins, err error) {
	if b.Wallet == nil {
		return 0, nil
	}
	err = b.viewWallet(ctx, func(w *walletView) error {
		all, err := w.balances()
		sum = number.Coins(all.unconfirmed)
		return err
	})
	return sum, err
}
