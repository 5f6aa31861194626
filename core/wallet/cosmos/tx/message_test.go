package tx

import (
	"encoding/base64"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
)

// TestSignMessage checks that signatures of texts are the same as another wallet's.
func TestSignMessage(t *testing.T) {
	vectors, account := readWallets(t)
	require.Len(t, vectors.Messages, 5)
	for _, v := range vectors.Messages {
		doc, err := MessageDoc(v.Address, v.Message)
		require.NoError(t, err)
		text, err := doc.Bytes()
		require.NoError(t, err)
		require.Equal(t, v.SignText, string(text))
		signed, err := SignMessage(t.Context(), account, v.Address, v.Message)
		require.NoError(t, err)
		require.Equal(t, v.Signature, signed.Signature)
		require.Equal(t, v.PublicKey, hex.EncodeToString(signed.PublicKey))
		for _, public := range [][]byte{nil, signed.PublicKey} {
			for _, by := range []string{v.Address, strings.ToUpper(v.Address)} {
				valid, err := VerifyMessage(v.Prefix, coin.MessageProof{Message: v.Message, Signature: v.Signature, Address: by, PublicKey: public})
				require.NoError(t, err)
				require.True(t, valid)
			}
		}
	}
	_, err := SignMessage(t.Context(), account, vectors.Messages[0].Address, "")
	require.ErrorIs(t, err, ErrEmpty)
	var invalid *coin.InvalidError
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, coin.FieldMessage, invalid.Field)
}

func TestVerifyMessage(t *testing.T) {
	vectors, _ := readWallets(t)
	v := vectors.Messages[0]
	good := coin.MessageProof{Message: v.Message, Signature: v.Signature, Address: v.Address}
	public, err := hex.DecodeString(v.PublicKey)
	require.NoError(t, err)
	other := newAccount(t, "bob passphrase").(key.PublicKeyer).PublicKey()
	raw, err := base64.StdEncoding.DecodeString(v.Signature)
	require.NoError(t, err)
	order := fromHex(t, "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141")
	high := append([]byte{}, raw...)
	borrow := 0 // of the subtraction of s from the order
	for i := 31; i >= 0; i-- {
		n := int(order[i]) - int(raw[32+i]) - borrow
		borrow = 0
		if n < 0 {
			n, borrow = n+256, 1
		}
		high[32+i] = byte(n)
	}
	otherAddress, err := address.FromKey("cosmos", other)
	require.NoError(t, err)
	for _, c := range []struct {
		name   string
		change func(*coin.MessageProof)
		field  coin.Field // field in the error; "" means no error, but a false proof
	}{
		{"another text", func(p *coin.MessageProof) { p.Message += " " }, ""},
		{"another text, with a key", func(p *coin.MessageProof) { p.Message, p.PublicKey = "x", public }, ""},
		{"another address", func(p *coin.MessageProof) { p.Address = otherAddress.String() }, ""},
		{"another address and its key", func(p *coin.MessageProof) { p.Address, p.PublicKey = otherAddress.String(), other[:] }, ""},
		{"another key", func(p *coin.MessageProof) { p.PublicKey = other[:] }, ""},
		{"another text's signature", func(p *coin.MessageProof) { p.Signature = vectors.Messages[3].Signature }, ""},
		{"a signature that is not low", func(p *coin.MessageProof) { p.Signature = base64.StdEncoding.EncodeToString(high) }, ""},
		{"a signature of noughts", func(p *coin.MessageProof) { p.Signature = base64.StdEncoding.EncodeToString(make([]byte, 64)) }, ""},
		{"a signature beyond the order", func(p *coin.MessageProof) {
			p.Signature = base64.StdEncoding.EncodeToString(append(order, raw[32:]...))
		}, ""},
		{"a signature of 65 bytes", func(p *coin.MessageProof) { p.Signature = base64.StdEncoding.EncodeToString(append(raw, 0)) }, coin.FieldSignature},
		{"a signature of 63 bytes", func(p *coin.MessageProof) { p.Signature = base64.StdEncoding.EncodeToString(raw[1:]) }, coin.FieldSignature},
		{"no signature", func(p *coin.MessageProof) { p.Signature = "" }, coin.FieldSignature},
		{"hexadecimal", func(p *coin.MessageProof) { p.Signature = hex.EncodeToString(raw) }, coin.FieldSignature},
		{"another chain's address", func(p *coin.MessageProof) { p.Address = vectors.Messages[1].Address }, coin.FieldAddress},
		{"no address", func(p *coin.MessageProof) { p.Address = "cosmos1" }, coin.FieldAddress},
		{"no text", func(p *coin.MessageProof) { p.Message = "" }, coin.FieldMessage},
		{"no key", func(p *coin.MessageProof) { p.PublicKey = public[1:] }, coin.FieldPublicKey},
	} {
		t.Run(c.name, func(t *testing.T) {
			proof := good
			c.change(&proof)
			valid, err := VerifyMessage("cosmos", proof)
			require.False(t, valid)
			if c.field == "" {
				require.NoError(t, err)
				return
			}
			var invalid *coin.InvalidError
			require.ErrorAs(t, err, &invalid)
			require.Equal(t, c.field, invalid.Field)
		})
	}
}

func TestSignMessageInWallets(t *testing.T) {
	vectors, account := readWallets(t)
	v := vectors.Messages[0]
	w := &outside{account: account}
	signed, err := SignMessage(t.Context(), aminoWallet{w}, v.Address, v.Message)
	require.NoError(t, err)
	require.Equal(t, v.Signature, signed.Signature)
	require.Equal(t, "sign/MsgSignData", w.amino.Messages[0].Type)

	w.fails = errors.New("Request rejected")
	_, err = SignMessage(t.Context(), aminoWallet{w}, v.Address, v.Message)
	require.ErrorIs(t, err, coin.ErrSigning)
	require.ErrorIs(t, err, w.fails)

	w.fails, w.changeAmino = nil, func(s *AminoSigned) { s.Doc.Memo = "x" }
	_, err = SignMessage(t.Context(), aminoWallet{w}, v.Address, v.Message)
	require.ErrorIs(t, err, coin.ErrSigning)
	require.ErrorContains(t, err, "another text")
}
