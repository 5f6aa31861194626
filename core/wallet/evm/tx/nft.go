package tx

import (
	"context"
	"fmt"
	"math/big"

	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
)

// NFT is one, or several of one id.
type NFT struct {
	Contract address.Address
	ID       *big.Int
	Several  bool     // the contract is of ERC-1155: there may be several of an id
	Amount   *big.Int // with Several; nil: all that the account has
}

// NotOwnerError refuses to send an NFT of somebody else.
type NotOwnerError struct{ Own, Owner address.Address }

func (e *NotOwnerError) Error() string {
	return fmt.Sprintf("the NFT belongs to %s, and the coin's address is %s", e.Owner, e.Own)
}

// NFTShortageError says that an account has too few NFTs of an id.
type NFTShortageError struct{ Available, Required *big.Int }

func (e *NFTShortageError) Error() string {
	return fmt.Sprintf("not enough NFTs: available %s, required %s", e.Available, e.Required)
}

// WithdrawNFT sends NFTs of the account, which has to have them now. Fee, Send and To of
// the request count. Errors are a *NotOwnerError, an *NFTShortageError and those of
// coin.Withdrawer; what was sent has the number of NFTs as its Total.
func (w *Wallet) WithdrawNFT(ctx context.Context, n NFT, r coin.WithdrawRequest) (coin.Transaction, error) {
	r.Max, r.Amount = false, number.Int(1)
	p, err := w.plan(ctx, Asset{Ticker: w.Native.Ticker, Contract: &n.Contract}, r)
	if err != nil {
		return coin.Transaction{}, err
	}
	p.nft = &n
	if p.balance, p.units, err = w.held(ctx, n); err != nil {
		return coin.Transaction{}, err
	}
	done, err := p.execute(ctx)
	if done.Hash != "" {
		done.Kind = coin.KindNFTTransfer
	}
	return done, err
}

// held is how many the account has, and how many are to be sent.
func (w *Wallet) held(ctx context.Context, n NFT) (has, send *big.Int, err error) {
	one := big.NewInt(1)
	if !n.Several {
		owner, err := w.Node.NFTOwner(ctx, n.Contract, n.ID)
		if err == nil && owner != w.Address {
			err = &NotOwnerError{Own: w.Address, Owner: owner}
		}
		return one, one, err
	}
	if has, err = w.Node.NFTBalance(ctx, n.Contract, w.Address, n.ID); err != nil {
		return nil, nil, err
	}
	if send = n.Amount; send == nil {
		send = has
	}
	if has.Sign() == 0 || send.Cmp(has) > 0 {
		err = &NFTShortageError{Available: has, Required: maxOf(send, one)}
	}
	return has, send, err
}

func maxOf(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

// call is the transfer, which a contract that receives it may refuse.
func (n *NFT) call(from, to address.Address, amount *big.Int) node.Call {
	c := node.Call{From: from, To: n.Contract, Value: new(big.Int)}
	words := []abi.Word{abi.Address(from), abi.Address(to), abi.Uint(n.ID)}
	if !n.Several {
		c.Data = abi.Call(abi.SafeTransferFrom, words...)
		return c
	}
	const heads = 5 // arguments; the last is where the empty data begins
	words = append(words, abi.Uint(amount), abi.Uint(big.NewInt(heads*int64(len(abi.Word{})))), abi.Word{})
	c.Data = abi.Call(abi.SafeTransferMultiple, words...)
	return c
}
