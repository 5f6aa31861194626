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
			Summary: "Return the coins that others have paid to the wallet and no block has yet", Category: categoryWallet, Terse: true,
		}, b.getUnconfirmedBalance),
	}
}

type walletInfo struct {
	Version     int          `json:"walletversion"`
	Balance     number.Coins `json:"balance"`
	Unconfirmed number.Coins `json:"unconfirmed_balance" doc:"paid by others and in no block"`
	Immature    number.Coins `json:"immature_balance" doc:"of blocks that the node made lately"`
	TxCount     int          `json:"txcount" doc:"transactions of the wallet"`
	PoolOldest  int64        `json:"keypoololdest" doc:"when the next key was derived, Unix seconds"`
	PoolSize    int          `json:"keypoolsize" doc:"keys that are watched beyond the last one that was used"`
	Unlocked    *int64       `json:"unlocked_until,omitempty" doc:"Unix seconds, 0 while locked; only of a wallet with a password"`
	PayTxFee    number.Coins `json:"paytxfee" doc:"what settxfee set"`
	SeedFP      string       `json:"seedfp" doc:"hash that identifies the key from which the others are derived"`
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
