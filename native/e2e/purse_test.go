package e2e

import (
	"encoding/hex"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core"
	"obverse/core/chain/chaintest"
	"obverse/core/chain/params"
	"obverse/core/chain/wire"
	"obverse/core/key"
)

// fee is what each transaction of these tests leaves, in satoshis.
const fee = 1000

// signer is the key of the nodes.
func signer(t testing.TB) chaintest.Signer {
	t.Helper()
	private, err := key.FromPassphrase(passphrase)
	require.NoError(t, err)
	return chaintest.Signer{Private: private}
}

// other is the key that payments go to.
func other(t testing.TB) chaintest.Signer { return chaintest.Key(t, 2) }

// purse signs for the node's key.
type purse struct {
	chaintest.Signer
	t      testing.TB
	params *params.Params
	branch uint32
}

// newPurse is for the chain that a node has by default.
func newPurse(t testing.TB) *purse {
	t.Helper()
	p, err := params.New(core.DefaultConfig().Chain.Options)
	require.NoError(t, err)
	return &purse{signer(t), t, p, p.BranchID(2)}
}

// sign spends coins of the key. The transaction never expires, since it may wait
// for longer than it takes to make twenty blocks.
func (p *purse) sign(from []chaintest.Coin, outs ...wire.TxOut) *wire.Tx {
	tx := chaintest.Spend(p.params, 2, from, outs...)
	tx.ExpiryHeight = 0
	return chaintest.Sign(p.t, tx, p.branch, from, p.Signer)
}

// change is what is left of coins after payments and the fee.
func change(from []chaintest.Coin, pays ...int64) int64 {
	left := int64(-fee)
	for _, coin := range from {
		left += coin.Value
	}
	for _, value := range pays {
		left -= value
	}
	return left
}

// lane is a place of its own to pay from, so that many can pay at once.
type lane struct{ coin, tokens chaintest.Coin }

// funding splits a premine into lanes of that many satoshis and tokens each, in
// three transactions that must be sent in order. The tokens are those of the second.
func (p *purse) funding(premine chaintest.Coin, count int, coins, tokens int64) (txs []*wire.Tx, lanes []lane) {
	all := int64(count) * tokens
	seed := all + 1_000_000
	outs := make([]wire.TxOut, 0, count+2)
	for range count {
		outs = append(outs, chaintest.Pay(p.PubKey(), coins))
	}
	from := []chaintest.Coin{premine}
	outs = append(outs, chaintest.Pay(p.PubKey(), seed), chaintest.Pay(p.PubKey(), change(from, int64(count)*coins, seed)))
	coinTx := p.sign(from, outs...)

	from = []chaintest.Coin{chaintest.Output(coinTx, count)}
	created := p.create(from, "LANES", all)
	tokenOuts := make([]wire.TxOut, 0, count+2)
	for range count {
		tokenOuts = append(tokenOuts, chaintest.Pay(p.Tokens(), tokens))
	}
	from = []chaintest.Coin{chaintest.Output(created, 1), chaintest.Output(created, 2)}
	tokenOuts = append(tokenOuts, chaintest.Pay(p.PubKey(), change(from, all)), chaintest.Transfer(created.ID(), p.Signer))
	tokenTx := p.sign(from, tokenOuts...)

	coin, token := chaintest.Output(coinTx, 0), chaintest.Output(tokenTx, 0)
	for i := range uint32(count) { // whose outputs are alike
		coin.Out.Index, token.Out.Index = i, i
		lanes = append(lanes, lane{coin, token})
	}
	return []*wire.Tx{coinTx, created, tokenTx}, lanes
}

// marker is what the output costs that lists a token, in satoshis.
const marker = 10_000

// create makes a token. Its outputs are the marker, the tokens, change, the payload.
func (p *purse) create(from []chaintest.Coin, name string, supply int64) *wire.Tx {
	return p.sign(from, chaintest.Creation(p.Signer, name, supply, change(from, supply, marker))...)
}

// transfer pays tokens of a lane to a script, and gives the lane that is left.
func (p *purse) transfer(l lane, id wire.Hash, to chaintest.Signer, amount int64) (*wire.Tx, lane) {
	from := []chaintest.Coin{l.coin, l.tokens}
	tx := p.sign(from, chaintest.Pay(to.Tokens(), amount), chaintest.Pay(p.Tokens(), l.tokens.Value-amount),
		chaintest.Pay(p.PubKey(), change(from, l.tokens.Value)), chaintest.Transfer(id, to))
	return tx, lane{chaintest.Output(tx, 2), chaintest.Output(tx, 1)}
}

// pay pays coins of a lane.
func (p *purse) pay(l lane, to chaintest.Signer, amount int64) (*wire.Tx, lane) {
	from := []chaintest.Coin{l.coin}
	tx := p.sign(from, chaintest.Pay(to.PubKeyHash(), amount), chaintest.Pay(p.PubKey(), change(from, amount)))
	return tx, lane{chaintest.Output(tx, 1), l.tokens}
}

// premine is the coin that block 1 pays to the node's key.
func (n *node) premine() chaintest.Coin {
	n.t.Helper()
	var text string
	n.call(&text, "getblock", "1", 0)
	return premineOf(n.t, text)
}

// premineOf is what the coinbase of a block pays, given in hexadecimal.
func premineOf(t testing.TB, text string) chaintest.Coin {
	t.Helper()
	raw, err := hex.DecodeString(text)
	require.NoError(t, err)
	block, err := wire.DecodeBlock(raw)
	require.NoError(t, err)
	return chaintest.Output(block.Txs[0], 0)
}

func encoded(tx *wire.Tx) string { return hex.EncodeToString(tx.Encode()) }
