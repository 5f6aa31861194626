package dapp

import (
	"context"
	"fmt"
	"math/big"

	"obverse/core/number"
	"obverse/core/text"
	"obverse/core/wallet/dapp"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/tx"
	"obverse/core/wallet/evm/wire"
)

// call is a call of a contract to be described.
type call struct {
	*dapp.Description
	account  address.Address
	contract address.Address
	token    *tx.Asset // nil means that the node does not know the contract
}

// function is a function of contracts that can be described.
type function struct {
	number    uint32
	arguments int
	describe  func(c *call, words []abi.Word) bool // returns false if the arguments are invalid
}

var functions = []function{
	{abi.Transfer, 2, (*call).transfer}, {abi.TransferFrom, 3, (*call).transferFrom}, {abi.SafeTransferFrom, 3, (*call).transferNFT},
	{abi.Approve, 2, (*call).approve}, {abi.IncreaseAllowance, 2, (*call).approve}, {abi.SetApprovalForAll, 2, (*call).approveAll},
}

// describeTransaction describes a transaction.
func (w *Wallet) describeTransaction(ctx context.Context, d *dapp.Description, t *wire.Transaction) {
	switch {
	case t.Deploys:
		d.Kind = dapp.Deploy
		d.Show("Deploys a contract of", fmt.Sprintf("%d bytes", len(t.Data)))
	case len(t.Data) == 0:
		d.Kind = dapp.Send
		w.showAmount(d, t.Value)
		d.Show("To", t.To.String())
	default:
		c := &call{d, w.Address, t.To, nil}
		if token, known := w.Token(ctx, t.To); known {
			c.token = &token
		}
		if !c.describe(t.Data) {
			c.unknown(t.Data)
		}
	}
	if len(t.Data) > 0 && t.Value.Sign() > 0 {
		w.showAmount(d, t.Value)
	}
	switch {
	case t.Deploys:
	case t.To.IsZero():
		d.Warn("The receiver is the zero address. Anything sent there is lost.")
	case t.To.IsReserved() && t.Value.Sign() > 0:
		d.Warn("The receiver is an address that is reserved for the network itself. Anything sent there is lost.")
	}
}

func (w *Wallet) showAmount(d *dapp.Description, units *big.Int) {
	d.Show("Amount", w.coins(units)+" "+w.Native.Ticker)
}

func (c *call) describe(data []byte) bool {
	for _, f := range functions {
		if words, is := abi.ReadCall(data, f.number, f.arguments); is {
			return f.describe(c, words)
		}
	}
	return false
}

// maxDisplayed limits the displayed hexadecimal digits of unreadable data, including 0x.
const maxDisplayed = 2 + 2*512

// unknown describes a call with data of an unknown function.
func (c *call) unknown(data []byte) {
	c.Kind = dapp.Call
	c.showContract("Contract")
	if len(data) >= 4 {
		c.Show("Function", text.Hex(data[:4]))
	}
	c.ShowPart("Data", text.Hex(data), maxDisplayed)
	c.Warn("It is not known what this contract call does. It may move all your tokens that the contract has access to.")
}

func (c *call) showContract(name string) {
	label := c.contract.String()
	if c.token != nil {
		label = c.token.Ticker + " (" + label + ")"
	}
	c.Show(name, label)
}

// showAmount shows an amount of tokens.
func (c *call) showAmount(amount *big.Int) {
	if c.token != nil {
		c.Show("Amount", number.Scaled(amount, c.token.Decimals).String()+" "+c.token.Ticker)
		return
	}
	c.Show("Amount or token id, in the smallest unit", amount.String())
	c.Warn("This token is not in your coins list. Its name and decimals are unknown.")
}

func (c *call) transfer(words []abi.Word) bool {
	to, ok := words[0].Address()
	if !ok {
		return false
	}
	c.Kind = dapp.Transfer
	c.showAmount(words[1].Uint())
	c.receiver(to)
	return true
}

// receiver shows the receiver of a token.
func (c *call) receiver(to address.Address) {
	c.Show("To", to.String())
	c.showContract("Token contract")
	if to.IsZero() || to == c.contract {
		c.Warn("The receiver is the token's contract or the zero address. Anything sent there is lost.")
	}
}

func (c *call) from(words []abi.Word) (to address.Address, ok bool) {
	from, okFrom := words[0].Address()
	to, okTo := words[1].Address()
	if !okFrom || !okTo {
		return to, false
	}
	c.Kind = dapp.Transfer
	if from != c.account {
		c.Show("From", from.String())
		c.Warn("It moves tokens of another account.")
	}
	return to, true
}

func (c *call) transferFrom(words []abi.Word) bool {
	to, ok := c.from(words)
	if ok {
		c.showAmount(words[2].Uint())
		c.receiver(to)
	}
	return ok
}

func (c *call) transferNFT(words []abi.Word) bool {
	to, ok := c.from(words)
	if ok {
		c.Show("Token id", words[2].Uint().String())
		c.receiver(to)
	}
	return ok
}

// approve describes a call that allows another account to transfer tokens up to an amount, or
// increases this amount. A contract that the node does not know may be for NFTs, whose approve
// function takes an id instead of the amount.
func (c *call) approve(words []abi.Word) bool {
	spender, ok := words[0].Address()
	if !ok {
		return false
	}
	c.Kind = dapp.Approve
	amount := words[1].Uint()
	switch {
	case c.token == nil:
		c.showAmount(amount)
	case amount.Sign() == 0:
		c.Show("Amount", "0: takes an earlier approval back")
	case unlimited(amount):
		c.Show("Amount", "unlimited")
	default:
		c.showAmount(amount)
	}
	switch {
	case unlimited(amount):
		c.Warn("The spender can take all your tokens of this contract, now and later.")
	case c.token == nil:
		c.Warn("The spender can take this amount, or the NFT with this id, at any time, without asking you again.")
	case amount.Sign() > 0:
		c.Warn("The spender can take this amount at any time, without asking you again.")
	}
	c.Show("Spender", spender.String())
	c.showContract("Token contract")
	return true
}

// unlimited reports whether an amount means all tokens. That is a number of 256 bits, or a
// number of at least 96 bits which are all set.
func unlimited(amount *big.Int) bool {
	const minBits, half = 96, 256
	bits := amount.BitLen()
	next := new(big.Int).Add(amount, big.NewInt(1))
	return bits == half || bits >= minBits && next.TrailingZeroBits() == uint(bits)
}

// approveAll describes a call that allows another account to transfer all NFTs of a contract.
func (c *call) approveAll(words []abi.Word) bool {
	operator, ok := words[0].Address()
	approved := words[1].Uint()
	if !ok || approved.Cmp(big.NewInt(1)) > 0 {
		return false
	}
	c.Kind = dapp.Approve
	if approved.Sign() > 0 {
		c.Show("NFTs", "all of this contract")
		c.Warn("The spender can take all your NFTs of this contract, now and later.")
	} else {
		c.Show("NFTs", "none: takes an earlier approval back")
	}
	c.Show("Spender", operator.String())
	c.showContract("Token contract")
	return true
}
