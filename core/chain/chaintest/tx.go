package chaintest

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/params"
	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

// Coin is an output to spend.
type Coin struct {
	Out wire.OutPoint
	wire.TxOut
}

// Output returns output i of tx.
func Output(tx *wire.Tx, i int) Coin {
	return Coin{wire.OutPoint{Hash: tx.ID(), Index: uint32(i)}, tx.Outputs[i]}
}

// Pay returns an output with a value in satoshis.
func Pay(pkScript []byte, value int64) wire.TxOut { return wire.TxOut{Value: value, Script: pkScript} }

// MultiSig returns a multisignature script with at most 16 keys, of which required must sign.
func MultiSig(required int, pubs ...[]byte) []byte {
	pkScript := script.AppendNumber(nil, int64(required))
	for _, pub := range pubs {
		pkScript = script.AppendPush(pkScript, pub)
	}
	return append(script.AppendNumber(pkScript, int64(len(pubs))), script.OpCheckMultiSig)
}

// Spend returns an unsigned transaction that spends the coins and is valid in a block at
// height.
func Spend(p *params.Params, height int, from []Coin, outs ...wire.TxOut) *wire.Tx {
	format := p.TxFormat(height)
	tx := &wire.Tx{Overwintered: format.Overwintered, Version: format.Version, VersionGroupID: format.VersionGroupID,
		ExpiryHeight: p.TxExpiry(height), Outputs: outs}
	for _, coin := range from {
		tx.Inputs = append(tx.Inputs, wire.TxIn{PrevOut: coin.Out, Sequence: 0xffffffff})
	}
	return tx
}

// Sign signs every input with the keys that its script requires. The scriptSig of an input with
// another form of script is left unchanged.
func Sign(t testing.TB, tx *wire.Tx, branch uint32, from []Coin, keys ...Signer) *wire.Tx {
	t.Helper()
	for i, coin := range from {
		for _, key := range keys {
			if sig := signature(t, tx, i, branch, coin, key); sig != nil {
				tx.Inputs[i].ScriptSig = sig
			}
		}
	}
	return tx
}

func signature(t testing.TB, tx *wire.Tx, i int, branch uint32, coin Coin, key Signer) []byte {
	t.Helper()
	hash, err := script.SignatureHash(tx, i, coin.Script, coin.Value, script.SigHashAll, branch, nil)
	require.NoError(t, err)
	der := func() []byte { return append(key.SignDER(hash), script.SigHashAll) }
	switch pub := key.PublicKey(); {
	case bytes.Equal(coin.Script, key.PubKey()):
		return script.PushData(der())
	case bytes.Equal(coin.Script, key.PubKeyHash()):
		return script.AppendPush(script.PushData(der()), pub[:])
	case bytes.Equal(coin.Script, key.Tokens()):
		tree, sig := key.condition(), key.SignCompact(hash)
		tree.Fill(pub[:], sig[:])
		fulfillment, err := tree.Encode()
		require.NoError(t, err)
		return script.FulfillCondition(fulfillment, script.SigHashAll)
	}
	return nil
}

// Creation returns the outputs of a token creation by owner: the marker, the tokens, the change
// in coins and the payload.
func Creation(owner Signer, name string, supply, change int64) []wire.TxOut {
	pub := owner.PublicKey()
	payload := token.Payload{Func: token.Create, Owner: pub[:], Name: name}
	const marker = 10_000
	return []wire.TxOut{
		Pay(token.MarkerScript(), marker), Pay(owner.Tokens(), supply),
		Pay(owner.PubKey(), change), Pay(payload.Script(), 0),
	}
}

// Transfer returns the payload output of a transfer of token id.
func Transfer(id wire.Hash, to ...Signer) wire.TxOut {
	payload := token.Payload{Func: token.Transfer, TokenID: id}
	for _, key := range to {
		payload.Keys = append(payload.Keys, key.Token())
	}
	return Pay(payload.Script(), 0)
}
