package consensus

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/script"
	"obverse/core/chain/token"
	"obverse/core/chain/wire"
)

func TestSpentSigOps(t *testing.T) {
	redeem := []byte{script.OpCheckSig, script.OpCheckSig, script.Op1 + 1, script.OpCheckMultiSig}
	scriptSig := script.PushData(redeem)
	tx := &wire.Tx{Inputs: []wire.TxIn{{ScriptSig: scriptSig}, {ScriptSig: scriptSig}}}
	hashed := script.PayToScriptHash(script.Hash160(redeem))
	plain := script.PayToPubKey(make([]byte, token.KeySize))
	coin := func(pkScript []byte) Coin { return Coin{Coin: token.Coin{Script: pkScript}} }
	require.Equal(t, 8, SpentSigOps(tx, []Coin{coin(hashed), coin(hashed)}))
	require.Equal(t, 4, SpentSigOps(tx, []Coin{coin(plain), coin(hashed)}), "only script hashes run a redeem script")
	require.Zero(t, SpentSigOps(tx, nil), "a coinbase spends nothing")
}
