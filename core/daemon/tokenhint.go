package daemon

import (
	"errors"
	"fmt"

	"obverse/core/chain/token"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
	"obverse/core/number"
)

// hintTransfer adds to komodod's words for a transfer without enough tokens, which are
// the same for several reasons, what the reason is.
func (b *Backend) hintTransfer(err error, from wallet.Snapshot, id wire.Hash, amount int64) error {
	if !errors.Is(err, wallet.ErrNoTokens) && !errors.Is(err, wallet.ErrFewTokens) {
		return err
	}
	hint, failed := b.lackOfTokens(from, id, amount)
	if failed != nil {
		return failed
	}
	return hinted{refusal(err.Error()), hint}
}

// hintCreation adds to komodod's words for a creation without enough coins how many there are.
func (b *Backend) hintCreation(err error, from wallet.Snapshot, supply int64) error {
	if !errors.Is(err, wallet.ErrCoins) {
		return err
	}
	held, failed := b.balance(from.View, 0)
	if failed != nil {
		return failed
	}
	hint := fmt.Sprintf("supply is %s coins, the node's key can spend %s, and the creation takes a fee", number.Coins(supply), number.Coins(held))
	if held/2 >= supply { // fees are far less
		hint += "; the coins are too small for one transaction: join them with sendtoaddress"
	}
	return hinted{refusal(err.Error()), hint}
}

func (b *Backend) lackOfTokens(from wallet.Snapshot, id wire.Hash, amount int64) (hint string, err error) {
	creation, isToken := from.View.Creation(id)
	known, err := from.View.HasTx(id)
	_, waiting := from.Pool.Entry(id)
	switch {
	case err != nil:
		return "", err
	case !isToken && waiting:
		return "the token waits for a block; transfer it once that is there", nil
	case !isToken && known:
		return "the transaction with this id does not create a token; tokenlist lists the tokens", nil
	case !isToken:
		return "no transaction of this chain has this id; tokenlist lists the tokens", nil
	}
	holder := b.tokensOf(b.Wallet.PublicKey())
	if creation.NFT != 0 {
		holder = conditionAddress(token.HolderCodes(creation.NFT), b.Wallet.PublicKey())
	}
	held, err := from.TokenBalance(id, holder)
	hint = fmt.Sprintf("amount is %d, the node's key has %d confirmed tokens of this id", amount, held)
	if held >= amount {
		hint += ", but some in outputs too small for this amount; transfer less at once"
	}
	return hint, err
}
