package dapp

import (
	"encoding/json"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/cosmos/wire"
	"obverse/core/wallet/dapp"
)

// requests returns CosmJS's vectors of one method.
func requests(t testing.TB, method string) (docs []json.RawMessage, w *Wallet) {
	t.Helper()
	text, err := os.ReadFile("../testdata/cosmjs.json")
	require.NoError(t, err)
	var v struct {
		Address string
		Cases   []struct {
			Method string
			Params struct {
				Doc json.RawMessage `json:"signDoc"`
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &v))
	for _, c := range v.Cases {
		if c.Method == method {
			docs = append(docs, c.Params.Doc)
		}
	}
	require.NotEmpty(t, docs)
	native := tx.Asset{Ticker: "ATOM", Denom: "uatom", Decimals: 6}
	return docs, &Wallet{TxChain: &tx.Chain{ID: "cosmoshub-4", Prefix: "cosmos", Native: native}, Address: v.Address,
		Assets: func() map[string]tx.Asset { return map[string]tx.Asset{"uatom": native} }}
}

// requireTold checks that a description can be displayed.
func requireTold(t *testing.T, d dapp.Description) {
	t.Helper()
	require.NotEmpty(t, d.Kind)
	require.NotEmpty(t, d.Lines)
	for _, l := range d.Lines {
		require.True(t, dapp.Readable(l.Name) && dapp.Readable(l.Value), "%q", l)
	}
}

func FuzzDirect(f *testing.F) {
	docs, w := requests(f, methodDirect)
	for _, raw := range docs {
		var doc directDoc
		require.NoError(f, json.Unmarshal(raw, &doc))
		f.Add(doc.Body, doc.AuthInfo)
	}
	f.Fuzz(func(t *testing.T, body, auth []byte) {
		var d dapp.Description
		doc := wire.SignDoc{Body: body, AuthInfo: auth, ChainID: w.TxChain.ID}
		if w.describeDirect(&d, &doc) != nil {
			return
		}
		requireTold(t, d)
		var b wire.TxBody
		var a wire.AuthInfo
		require.NoError(t, wire.Decode(body, &b))
		require.NoError(t, wire.Decode(auth, &a))
		require.Equal(t, [2]string{string(body), string(auth)}, [2]string{string(wire.Encode(&b)), string(wire.Encode(&a))}, "all of it was read")
	})
}

func FuzzAmino(f *testing.F) {
	docs, w := requests(f, methodAmino)
	for _, raw := range docs {
		f.Add([]byte(raw))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var d dapp.Description
		if _, err := w.amino(&d, raw); err != nil {
			require.EqualValues(t, dapp.CodeInvalid, dapp.ErrorOf(err).Code)
			return
		}
		requireTold(t, d)
		doc, err := canonical(raw)
		require.NoError(t, err)
		text, err := doc.Bytes()
		require.NoError(t, err)
		var again dapp.Description
		_, err = w.amino(&again, text)
		require.NoError(t, err)
		require.Equal(t, d, again, "what is signed says the same")
	})
}
