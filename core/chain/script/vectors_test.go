package script

import (
	"encoding/hex"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/chain/cc"
	"obverse/core/chain/wire"
)

func TestVectorsSigHash(t *testing.T) {
	type vector struct {
		Name       string `json:"name"`
		Hex        string `json:"hex"`
		TxID       string `json:"txid"`
		ScriptCode string `json:"script_code"`
		Index      int    `json:"input_index"`
		HashType   int32  `json:"hash_type"`
		BranchID   uint32 `json:"branch_id"`
		Amount     int64  `json:"amount"`
		SigHash    string `json:"sighash"`
	}
	for _, v := range vectors[vector](t, "sighash.json") {
		t.Run(v.Name, func(t *testing.T) {
			tx, code := decodeTx(t, v.Hex), unhex(t, v.ScriptCode)
			require.Equal(t, v.TxID, tx.ID().String())
			for _, hashes := range []*SigHashes{nil, NewSigHashes(tx)} {
				hash, err := SignatureHash(tx, v.Index, code, v.Amount, uint32(v.HashType), v.BranchID, hashes)
				require.NoError(t, err)
				require.Equal(t, v.SigHash, hash.String())
			}
		})
	}
}

type signatureVector struct {
	Name       string `json:"name"`
	TxID       string `json:"txid"`
	Index      int    `json:"input_index"`
	Amount     int64  `json:"amount"`
	BranchID   string `json:"branch_id"`
	ScriptCode string `json:"script_code"`
	HashType   uint32 `json:"hash_type"`
	SigHash    string `json:"sighash"`
	PubKey     string `json:"pubkey"`
	DER        string `json:"signature_der"`
	Compact    string `json:"signature_compact"`
	CCAddress  string `json:"condition_address"`
}

func (v signatureVector) spend(t *testing.T, tx *wire.Tx) *Spend {
	s := &Spend{Tx: tx, Index: v.Index, Amount: v.Amount, Hashes: NewSigHashes(tx)}
	if v.BranchID != "" {
		branch, err := strconv.ParseUint(v.BranchID, 16, 32)
		require.NoError(t, err)
		s.BranchID = uint32(branch)
	}
	return s
}

func TestVectorsSignature(t *testing.T) {
	txs := map[string]*wire.Tx{}
	for _, v := range vectors[rawTx](t, "rawtx.json") {
		txs[v.TxID] = decodeTx(t, v.Hex)
	}
	found := 0
	for _, v := range vectors[signatureVector](t, "signature.json") {
		t.Run(v.Name, func(t *testing.T) {
			if v.DER != "" {
				require.True(t, NewECDSA().verifyDER(unhex(t, v.PubKey), unhex(t, v.DER), (*[32]byte)(unhex(t, v.SigHash))))
			} else {
				require.True(t, cc.VerifySecp256k1(unhex(t, v.PubKey), unhex(t, v.SigHash), unhex(t, v.Compact)))
			}
			code := unhex(t, v.ScriptCode)
			if v.CCAddress != "" {
				require.Equal(t, v.CCAddress, Classify(code).Addresses[0].String())
				require.Contains(t, v.Name, v.TxID[:12])
			}
			tx := txs[v.TxID]
			if tx == nil {
				return // no vector file contains the transaction
			}
			found++
			s := v.spend(t, tx)
			hash, err := SignatureHash(tx, v.Index, code, v.Amount, v.HashType, s.BranchID, s.Hashes)
			require.NoError(t, err)
			require.Equal(t, v.SigHash, hex.EncodeToString(hash[:]))
			require.NoError(t, s.Verify(code, StandardFlags))
			s.Amount++
			if tx.Overwintered {
				require.ErrorIs(t, s.Verify(code, StandardFlags), ErrEvalFalse)
			} else {
				require.NoError(t, s.Verify(code, StandardFlags), "a legacy hash does not hold the amount")
			}
		})
	}
	require.Greater(t, found, 15)
}

type scriptJSON struct {
	Asm       string   `json:"asm"`
	Hex       string   `json:"hex"`
	ReqSigs   int      `json:"reqSigs"`
	Type      string   `json:"type"`
	Addresses []string `json:"addresses"`
	P2SH      string   `json:"p2sh"`
}

type txJSON struct {
	Inputs []struct {
		ScriptSig *scriptJSON `json:"scriptSig"`
	} `json:"vin"`
	Outputs []struct {
		PkScript scriptJSON `json:"scriptPubKey"`
	} `json:"vout"`
}

type rawTx struct {
	Name    string  `json:"name"`
	Hex     string  `json:"hex"`
	TxID    string  `json:"txid"`
	Decoded *txJSON `json:"decoded"`
	Ours    *txJSON `json:"decoded_by_our_script"`
}

func (want scriptJSON) requirePkScript(t *testing.T, script []byte) {
	t.Helper()
	if want.Hex != "" {
		require.Equal(t, want.Hex, hex.EncodeToString(script))
	}
	class := Classify(script)
	got := scriptJSON{Asm: Disasm(script, false), Hex: want.Hex, ReqSigs: class.ReqSigs, Type: class.Type.String(),
		Addresses: addressTexts(class), P2SH: want.P2SH}
	require.Equal(t, want, got)
}

func addressTexts(c Class) (texts []string) {
	for _, a := range c.Addresses {
		texts = append(texts, a.String())
	}
	return texts
}

func TestVectorsDecodedScripts(t *testing.T) {
	scripts := 0
	for _, v := range vectors[rawTx](t, "rawtx.json") {
		t.Run(v.Name, func(t *testing.T) {
			tx := decodeTx(t, v.Hex)
			require.Equal(t, v.TxID, tx.ID().String())
			for _, want := range []*txJSON{v.Decoded, v.Ours} {
				if want == nil {
					continue
				}
				for i, in := range want.Inputs {
					if in.ScriptSig != nil {
						require.Equal(t, in.ScriptSig.Asm, Disasm(tx.Inputs[i].ScriptSig, true))
						require.Equal(t, in.ScriptSig.Hex, hex.EncodeToString(tx.Inputs[i].ScriptSig))
						scripts++
					}
				}
				for i, out := range want.Outputs {
					out.PkScript.requirePkScript(t, tx.Outputs[i].Script)
					scripts++
				}
			}
		})
	}
	require.Greater(t, scripts, 300)
}

func TestVectorsAddress(t *testing.T) {
	type vector struct {
		Name    string `json:"name"`
		Address string `json:"address"`
		PubKey  string `json:"pubkey"`
		Script  string `json:"script"`
		Hash    string `json:"hash160"`

		// Verified is false if komodod's constants contradict each other, and for addresses
		// that are not in the documentation.
		Verified bool `json:"verified"`
	}
	for _, name := range []string{"address.json", "address-computed.json"} {
		for _, v := range vectors[vector](t, name) {
			t.Run(v.Name, func(t *testing.T) {
				a, err := ParseAddress(v.Address)
				require.NoError(t, err)
				require.Equal(t, v.Address, a.String())
				if !v.Verified && name == "address.json" {
					return
				}
				if v.Hash != "" {
					require.Equal(t, v.Hash, hex.EncodeToString(a.Hash[:]))
				}
				if v.PubKey != "" {
					require.Equal(t, a, PubKeyAddress(unhex(t, v.PubKey)))
				}
				if v.Script != "" {
					class := Classify(unhex(t, v.Script))
					require.Equal(t, TypeCryptoCondition, class.Type)
					require.Equal(t, []Address{a}, class.Addresses)
				}
			})
		}
	}
}
