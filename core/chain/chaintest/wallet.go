package chaintest

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/params"
	"obverse/core/chain/wire"
)

const (
	fee    = 1000   // fee of each transaction of a Wallet, in satoshis
	large  = 30_000 // fee of those with many outputs, which nodes relay up to 200 kB
	marker = 10_000 // value of the marker output that lists a token, in satoshis
)

// Wallet makes transactions for one key.
type Wallet struct {
	Signer
	t      testing.TB
	params *params.Params
	branch uint32
}

// NewWallet returns the wallet of a key for a chain with the given options.
func NewWallet(t testing.TB, owner Signer, options params.Options) *Wallet {
	t.Helper()
	p, err := params.New(options)
	require.NoError(t, err)
	return &Wallet{owner, t, p, p.BranchID(2)}
}

// spend returns a signed transaction that spends coins of the key. The transaction never
// expires, since it may wait longer than the usual 20 blocks.
func (p *Wallet) spend(from []Coin, outs ...wire.TxOut) *wire.Tx {
	tx := Spend(p.params, 2, from, outs...)
	tx.ExpiryHeight = 0
	return Sign(p.t, tx, p.branch, from, p.Signer)
}

// change returns the value of from minus the payments and the fee.
func change(from []Coin, pays ...int64) int64 {
	left := int64(-fee)
	for _, coin := range from {
		left += coin.Value
	}
	for _, value := range pays {
		left -= value
	}
	return left
}

// Funds are the outputs that one client spends. Separate funds let many clients pay at the same
// time.
type Funds struct{ Coin, Tokens Coin }

// Fund splits a premine into count funds, each with the given satoshis and tokens. It returns
// three transactions that must be sent in order; the second one creates the tokens.
func (p *Wallet) Fund(premine Coin, count int, coins, tokens int64) (txs []*wire.Tx, funds []Funds) {
	all := int64(count) * tokens
	seed := all + 1_000_000
	outs := make([]wire.TxOut, 0, count+2)
	for range count {
		outs = append(outs, Pay(p.PubKey(), coins))
	}
	from := []Coin{premine}
	outs = append(outs, Pay(p.PubKey(), seed), Pay(p.PubKey(), change(from, int64(count)*coins, seed, large-fee)))
	coinTx := p.spend(from, outs...)

	created, rest := p.Create(Output(coinTx, count), "LANES", all)
	tokenOuts := make([]wire.TxOut, 0, count+2)
	for range count {
		tokenOuts = append(tokenOuts, Pay(p.Tokens(), tokens))
	}
	from = []Coin{rest.Tokens, rest.Coin}
	tokenOuts = append(tokenOuts, Pay(p.PubKey(), change(from, all, large-fee)), Transfer(created.ID(), p.Signer))
	tokenTx := p.spend(from, tokenOuts...)

	coin, token := Output(coinTx, 0), Output(tokenTx, 0)
	for i := range uint32(count) { // all these outputs are equal
		coin.Out.Index, token.Out.Index = i, i
		funds = append(funds, Funds{coin, token})
	}
	return []*wire.Tx{coinTx, created, tokenTx}, funds
}

// Create returns a transaction that creates a token, and the funds with the token and the
// change.
func (p *Wallet) Create(coin Coin, name string, supply int64) (*wire.Tx, Funds) {
	from := []Coin{coin}
	tx := p.spend(from, Creation(p.Signer, name, supply, change(from, supply, marker))...)
	return tx, Funds{Output(tx, 2), Output(tx, 1)}
}

// Transfer returns a transaction that pays tokens to a key, and the remaining funds.
func (p *Wallet) Transfer(l Funds, id wire.Hash, to Signer, amount int64) (*wire.Tx, Funds) {
	from := []Coin{l.Coin, l.Tokens}
	tx := p.spend(from, Pay(to.Tokens(), amount), Pay(p.Tokens(), l.Tokens.Value-amount),
		Pay(p.PubKey(), change(from, l.Tokens.Value)), Transfer(id, to))
	return tx, Funds{Output(tx, 2), Output(tx, 1)}
}

// Pay returns a transaction that pays coins to a key, and the remaining funds.
func (p *Wallet) Pay(l Funds, to Signer, amount int64) (*wire.Tx, Funds) {
	from := []Coin{l.Coin}
	tx := p.spend(from, Pay(to.PubKeyHash(), amount), Pay(p.PubKey(), change(from, amount)))
	return tx, Funds{Output(tx, 1), l.Tokens}
}

// Scatter returns a transaction that splits tokens into the given number of outputs with one
// token each, and the remaining funds.
func (p *Wallet) Scatter(l Funds, id wire.Hash, singles int) (*wire.Tx, Funds) {
	from := []Coin{l.Coin, l.Tokens}
	outs := make([]wire.TxOut, 0, singles+3)
	outs = append(outs, Pay(p.PubKey(), change(from, l.Tokens.Value, large-fee)))
	if rest := l.Tokens.Value - int64(singles); rest > 0 {
		outs = append(outs, Pay(p.Tokens(), rest))
	}
	for range singles {
		outs = append(outs, Pay(p.Tokens(), 1))
	}
	tx := p.spend(from, append(outs, Transfer(id, p.Signer))...)
	return tx, Funds{Output(tx, 0), Output(tx, 1)}
}

// Premine returns the output of the coinbase in a hexadecimal block.
func Premine(t testing.TB, block string) Coin {
	t.Helper()
	raw, err := hex.DecodeString(block)
	require.NoError(t, err)
	b, err := wire.DecodeBlock(raw)
	require.NoError(t, err)
	return Output(b.Txs[0], 0)
}
