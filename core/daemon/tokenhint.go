package daemon

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"obverse/core/chain"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wallet"
	"obverse/core/chain/wire"
	"obverse/core/number"
)

// hintTransfer adds to komodod's words for a transfer without enough tokens, which are
// the same for several reasons, what the reason is.
func (b *Backend) hintTransfer(err error, from wallet.Snapshot, id wire.Hash, amount int64) error {
	var hint string
	var failed error
	switch {
	case errors.Is(err, wallet.ErrNoTokens), errors.Is(err, wallet.ErrFewTokens):
		hint, failed = b.lackOfTokens(from, id, amount)
	case errors.Is(err, wallet.ErrFee):
		hint, failed = b.lackOfCoins(from)
	default:
		return err
	}
	if failed != nil {
		return failed
	}
	return hinted{refusal(err.Error()), hint}
}

// lackOfCoins says where the coins for a fee have to be.
func (b *Backend) lackOfCoins(from wallet.Snapshot) (hint string, err error) {
	held, err := b.balance(from.View, 0)
	return fmt.Sprintf("%v has %s coins for the fee of %s; send some to it", b.Wallet.Address(), number.Coins(held), number.Coins(wallet.Fee)), err
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
	if tokens := supply / coin; supply%coin == 0 && tokens < held { // a whole number was meant as one of tokens
		hint += fmt.Sprintf("; one coin makes 100,000,000 tokens: %s tokens are %s coins", grouped(tokens), shortCoins(tokens))
	}
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
	change := waitingTokens(from, id, holder)
	hint = fmt.Sprintf("amount is %d, the node's key has %d confirmed tokens of this id", amount, held)
	if held >= amount {
		hint += ", but some in outputs too small for this amount; transfer less at once"
	}
	if change > 0 {
		hint += fmt.Sprintf(", and %d wait for the next block", change)
	}
	return hint, err
}

// waitingTokens counts the tokens of a holder in transactions that wait for a block.
func waitingTokens(from wallet.Snapshot, id wire.Hash, holder chain.Address) (sum int64) {
	for _, e := range from.Pool.Entries() {
		if e.Transfers.TokenID != id {
			continue
		}
		for i, claim := range e.Transfers.Claims {
			out := &e.Tx.Outputs[i]
			_, spent := from.Pool.SpentBy(wire.OutPoint{Hash: e.ID, Index: uint32(i)})
			if claim == token.Backed && !spent && script.PubKeyAddress(out.Script).Hash == holder.Hash {
				sum += out.Value
			}
		}
	}
	return sum
}

// coin is the value of one, in satoshis; each satoshi makes a token.
const coin = 100_000_000

// grouped writes a whole number with a comma after each thousand.
func grouped(n int64) string {
	text := strconv.FormatInt(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// shortCoins writes an amount without zeros at its end.
func shortCoins(satoshis int64) string {
	return strings.TrimSuffix(strings.TrimRight(number.Coins(satoshis).String(), "0"), ".")
}
