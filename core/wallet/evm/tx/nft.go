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

// NFT selects one NFT, or an amount of one id.
type NFT struct {
	Contract address.Address
	ID       *big.Int
	ERC1155  bool     // whether the contract is of ERC-1155, so that there may be more than one NFT with an id
	Amount   *big.Int // for ERC1155; nil means the whole balance
}

// NotOwnerError means that the account does not own the NFT.
type NotOwnerError struct{ Address, Owner address.Address }

func (e *NotOwnerError) Error() string {
	return fmt.Sprintf("the NFT belongs to %s, and the coin's address is %s", e.Owner, e.Address)
}

// NFTShortageError means that an account has too few NFTs of an id.
type NFTShortageError struct{ Available, Required *big.Int }

func (e *NFTShortageError) Error() string {
	return fmt.Sprintf("not enough NFTs: available %s, required %s", e.Available, e.Required)
}

// WithdrawNFT sends NFTs that the account owns. It uses Fee, Send and To of the request. Errors
// are a *NotOwnerError, an *NFTShortageError and the errors of coin.Withdrawer. The result has
// the number of NFTs as its Total.
func (w *Wallet) WithdrawNFT(ctx context.Context, n NFT, r coin.WithdrawRequest) (coin.Transaction, error) {
	r.Max, r.Amount = false, number.Int(1)
	t, err := w.transfer(Asset{Ticker: w.Native.Ticker, Contract: &n.Contract}, r)
	if err != nil {
		return coin.Transaction{}, err
	}
	t.nft = &n
	if t.units, err = w.held(ctx, n); err != nil {
		return coin.Transaction{}, err
	}
	done, err := w.execute(ctx, t, r)
	if done.Hash != "" {
		done.Kind = coin.KindNFTTransfer
	}
	return done, err
}

// held returns the number of NFTs to send, after checking that the account has them.
func (w *Wallet) held(ctx context.Context, n NFT) (*big.Int, error) {
	one := big.NewInt(1)
	if !n.ERC1155 {
		owner, err := w.Node.NFTOwner(ctx, n.Contract, n.ID)
		if err == nil && owner != w.Address {
			err = &NotOwnerError{Address: w.Address, Owner: owner}
		}
		return one, err
	}
	has, err := w.Node.NFTBalance(ctx, n.Contract, w.Address, n.ID)
	if err != nil {
		return nil, err
	}
	send := n.Amount
	if send == nil {
		send = has
	}
	if has.Sign() == 0 || send.Cmp(has) > 0 {
		err = &NFTShortageError{Available: has, Required: maxOf(send, one)}
	}
	return send, err
}

func maxOf(a, b *big.Int) *big.Int {
	if a.Cmp(b) < 0 {
		return b
	}
	return a
}

// call returns the call of a safe transfer, which a receiving contract may reject.
func (n *NFT) call(from, to address.Address, amount *big.Int) node.Call {
	c := node.Call{From: from, To: n.Contract, Value: new(big.Int)}
	words := []abi.Word{abi.Address(from), abi.Address(to), abi.Uint(n.ID)}
	if !n.ERC1155 {
		c.Data = abi.Call(abi.SafeTransferFrom, words...)
		return c
	}
	const heads = 5 // number of arguments; the last one is the offset of the empty data
	words = append(words, abi.Uint(amount), abi.Uint(big.NewInt(heads*int64(len(abi.Word{})))), abi.Word{})
	c.Data = abi.Call(abi.SafeTransferMultiple, words...)
	return c
}
