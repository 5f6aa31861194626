package keplr

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/cosmos/wire"
	"obverse/core/wallet/signer/keplr/keplrtest"
)

const (
	passphrase  = "tendermint test seed"
	testAddress = "cosmos150evuj4j7k9kgu38e453jdv9m3u0ft2n53flg6"
	other       = "cosmos1jrkmdcwgq94uaamx6zax2luewlhf7u4kucx3kz"
)

var hub = tx.Network{ID: "cosmoshub-4", Prefix: "cosmos", Denom: "uatom", Decimals: 6}

// open returns the account of a wallet.
func open(t *testing.T, w key.Wallets) key.Account {
	t.Helper()
	opened, err := Provider{w}.OnChain(t.Context(), key.BrowserWallet{}, key.Place{}, hub)
	require.NoError(t, err)
	return opened
}

func transfer() tx.Draft {
	return tx.Draft{ChainID: hub.ID, Account: 7, Sequence: 3, Memo: "<memo>", Fee: wire.Fee{GasLimit: 90000, Amount: []wire.Coin{{Denom: "uatom", Amount: "900"}}},
		Messages: []wire.Named{&wire.MsgSend{From: testAddress, To: other, Amount: []wire.Coin{{Denom: "uatom", Amount: "10"}}}}}
}

func TestProvider(t *testing.T) {
	w := keplrtest.New(t, passphrase)
	k := Provider{w}
	require.Equal(t, key.NameBrowserWallet, k.Policy())
	_, err := key.Providers{k}.Account(t.Context(), key.BrowserWallet{}, nil)
	require.ErrorIs(t, err, key.ErrUnsupported)
	require.Empty(t, w.Requests())

	network := tx.Network{ID: "cosmoshub-4", Name: "Cosmos", Prefix: "cosmos", CoinType: 118, Ticker: "ATOM", Denom: "uatom", Decimals: 6, GasPrice: "0.25",
		RPC: "https://rpc.example", REST: "https://api.example"}
	opened, err := k.OnChain(t.Context(), key.BrowserWallet{}, key.Place{}, network)
	require.NoError(t, err)
	defer opened.Close()
	require.Equal(t, network, w.Network(), "the wallet gets the whole chain")
	require.Equal(t, key.NameBrowserWallet, opened.Policy())
	ring, err := key.Open(passphrase, false)
	require.NoError(t, err)
	require.Equal(t, ring.Node().PublicKey(), opened.(key.PublicKeyer).PublicKey())
	_, hashes := opened.(key.HashSigner)
	require.False(t, hashes, "a wallet shows its user what it signs")
	require.Equal(t, []string{"key cosmoshub-4"}, w.Requests())
}

// TestSigning checks that a wallet signs the same bytes as a key of the node.
func TestSigning(t *testing.T) {
	ring, err := key.Open(passphrase, false)
	require.NoError(t, err)
	inside, err := ring.Account(t.Context(), key.ContextPrivKey{}, nil)
	require.NoError(t, err)
	w := keplrtest.New(t, passphrase)
	for name, device := range map[string]bool{"sign_direct": false, "sign_amino": true} {
		w.Device(device)
		opened := open(t, w)
		w.Requests()
		signed, err := transfer().Sign(t.Context(), opened, testAddress)
		require.NoError(t, err)
		require.Equal(t, []string{name + " cosmoshub-4"}, w.Requests())
		want, err := transfer().Sign(t.Context(), account2{inside, device}, testAddress)
		require.NoError(t, err)
		require.Equal(t, want, signed, name)

		message, err := tx.SignMessage(t.Context(), opened, testAddress, "hello <you> & me")
		require.NoError(t, err)
		require.Equal(t, []string{"sign_amino cosmoshub-4"}, w.Requests(), "texts are amino JSON in any wallet")
		valid, err := tx.VerifyMessage("cosmos", coin.MessageProof{Message: "hello <you> & me", Signature: message.Signature, Address: testAddress})
		require.NoError(t, err)
		require.True(t, valid)
	}
}

// account2 is the node's own key, in a device or not.
type account2 struct {
	key.Account
	device bool
}

func (a account2) PublicKey() [33]byte { return a.Account.(key.PublicKeyer).PublicKey() }
func (a account2) InLedger() bool      { return a.device }
func (a account2) SignHash(ctx context.Context, hash [32]byte) (key.Signature, error) {
	return a.Account.(key.HashSigner).SignHash(ctx, hash)
}

// TestWalletVectors checks that the results equal those that libraries of other wallets produce
// for the same documents.
func TestWalletVectors(t *testing.T) {
	var vectors struct {
		Secret string
		Direct []struct {
			Name, From, Memo, Tx string
			ChainID              string `json:"chain_id"`
			Number, Sequence     uint64
			Gas                  uint64
			Fee                  *[2]string
			TimeoutHeight        uint64 `json:"timeout_height"`
			Send                 *struct{ To, Denom, Amount string }
		}
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "cosmos", "tx", "testdata", "wallets.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &vectors))
	opened := open(t, keplrtest.New(t, "0x"+vectors.Secret))
	compared := 0
	for _, v := range vectors.Direct {
		if v.Send == nil || v.Fee == nil {
			continue
		}
		compared++
		d := tx.Draft{ChainID: v.ChainID, Account: v.Number, Sequence: v.Sequence, Memo: v.Memo, TimeoutHeight: v.TimeoutHeight,
			Fee:      wire.Fee{GasLimit: v.Gas, Amount: []wire.Coin{{Denom: v.Fee[0], Amount: v.Fee[1]}}},
			Messages: []wire.Named{&wire.MsgSend{From: v.From, To: v.Send.To, Amount: []wire.Coin{{Denom: v.Send.Denom, Amount: v.Send.Amount}}}}}
		signed, err := d.Sign(t.Context(), opened, v.From)
		require.NoError(t, err, v.Name)
		require.Equal(t, v.Tx, hex.EncodeToString(signed.Raw), v.Name)
	}
	require.Positive(t, compared)
}

// TestEdits checks that the result has the fee and the memo that a user changed in the wallet.
func TestEdits(t *testing.T) {
	w := keplrtest.New(t, passphrase)
	w.Edit(func(doc *wire.SignDoc) {
		var auth wire.AuthInfo
		require.NoError(t, wire.Decode(doc.AuthInfo, &auth))
		auth.Fee.Amount[0].Amount, auth.Fee.GasLimit = "1234", 99999
		doc.AuthInfo = wire.Encode(&auth)
	}, func(doc *tx.AminoDoc) {
		doc.Fee.Amount[0].Amount, doc.Fee.Gas = "1234", 99999
	})
	for _, device := range []bool{false, true} {
		w.Device(device)
		signed, err := transfer().Sign(t.Context(), open(t, w), testAddress)
		require.NoError(t, err)
		require.Equal(t, wire.Fee{GasLimit: 99999, Amount: []wire.Coin{{Denom: "uatom", Amount: "1234"}}}, signed.Fee)
	}
	w.Edit(func(doc *wire.SignDoc) {
		var body wire.TxBody
		require.NoError(t, wire.Decode(doc.Body, &body))
		body.Messages[0] = wire.Pack(&wire.MsgSend{From: testAddress, To: testAddress, Amount: []wire.Coin{{Denom: "uatom", Amount: "10"}}})
		doc.Body = wire.Encode(&body)
	}, func(doc *tx.AminoDoc) {
		doc.Messages[0].Value = []byte(strings.Replace(string(doc.Messages[0].Value), other, testAddress, 1))
	})
	for _, device := range []bool{false, true} {
		w.Device(device)
		_, err := transfer().Sign(t.Context(), open(t, w), testAddress)
		require.ErrorIs(t, err, coin.ErrSigning)
		require.ErrorContains(t, err, "but another transaction")
	}
}

func TestWalletsThatFail(t *testing.T) {
	declined := &key.WalletError{Fault: key.WalletRefused, Text: "Keplr: Request rejected"}
	set := func(name string, value any) func(string, map[string]any) {
		return func(_ string, answer map[string]any) { answer[name] = value }
	}
	bob, err := key.Open("bob passphrase", false)
	require.NoError(t, err)
	public := bob.Node().PublicKey()
	for _, c := range []struct {
		name    string
		fails   error
		rewrite func(string, map[string]any)
		fault   key.WalletFault
		text    string
	}{
		{"refuses", declined, nil, key.WalletRefused, "Keplr: Request rejected"},
		{"no key", nil, set("public_key", []byte{2}), key.WalletFailed, "invalid public key"},
		{"a point off the curve", nil, set("public_key", append([]byte{2}, bytes.Repeat([]byte{0xff}, 32)...)), key.WalletFailed, "invalid public key"},
		{"no base64", nil, set("public_key", "?"), key.WalletFailed, "invalid response"},
		{"no address", nil, set("address", "cosmos1"), key.WalletFailed, "invalid address"},
		{"a missing address", nil, func(_ string, answer map[string]any) { delete(answer, "address") }, key.WalletFailed, "invalid address"},
		{"another chain's address", nil, set("address", "iaa150evuj4j7k9kgu38e453jdv9m3u0ft2npnfw2t"), key.WalletWrongChain, "begin with iaa, those of the coin with cosmos"},
		{"another address", nil, set("address", other), key.WalletFailed, "not that of its public key"},
		{"another key", nil, set("public_key", public[:]), key.WalletFailed, "not that of its public key"},
		{"too much", nil, set("more", strings.Repeat("x", maxResponse)), key.WalletFailed, "more than 2097152 bytes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := keplrtest.New(t, passphrase)
			w.Fail(c.fails)
			w.Rewrite(c.rewrite)
			_, err := Provider{w}.OnChain(t.Context(), key.BrowserWallet{}, key.Place{}, hub)
			var fault *key.WalletError
			require.ErrorAs(t, err, &fault)
			require.Equal(t, c.fault, fault.Fault)
			require.ErrorContains(t, err, c.text)
		})
	}
	w := keplrtest.New(t, passphrase)
	w.Rewrite(set("algo", "ethsecp256k1"))
	_, err = Provider{w}.OnChain(t.Context(), key.BrowserWallet{}, key.Place{}, hub)
	require.ErrorIs(t, err, key.ErrUnsupported)
	require.ErrorContains(t, err, `"ethsecp256k1"`)
}

func TestInvalidSignatures(t *testing.T) {
	bob, err := key.Open("bob passphrase", false)
	require.NoError(t, err)
	public := bob.Node().PublicKey()
	for _, c := range []struct {
		name, member string
		value        any
		fault        key.WalletFault // "" means none, so that the error is only coin.ErrSigning
		text         string
	}{
		{"short signature", "signature", make([]byte, 63), key.WalletFailed, "invalid signature"},
		{"long signature", "signature", make([]byte, 65), key.WalletFailed, "invalid signature"},
		{"short key", "public_key", make([]byte, 32), key.WalletFailed, "invalid signature"},
		{"wrong signature", "signature", bytes.Repeat([]byte{1}, 64), "", "does not match the document"},
		{"another's key", "public_key", public[:], key.WalletSwitched, "another account"},
		{"no document", "doc", nil, "", ""},
		{"a number", "doc", 7, "", ""},
	} {
		for _, device := range []bool{false, true} {
			t.Run(c.name, func(t *testing.T) {
				w := keplrtest.New(t, passphrase)
				w.Device(device)
				opened := open(t, w)
				w.Rewrite(func(_ string, answer map[string]any) { answer[c.member] = c.value })
				_, err := transfer().Sign(t.Context(), opened, testAddress)
				require.ErrorIs(t, err, coin.ErrSigning)
				require.ErrorContains(t, err, c.text)
				var fault *key.WalletError
				if c.fault != "" && errors.As(err, &fault) {
					require.Equal(t, c.fault, fault.Fault)
				} else {
					require.Empty(t, c.fault)
				}
			})
		}
	}
}

// silent is a page that never answers.
type silent struct{}

func (silent) Ask(ctx context.Context, _ []byte) ([]byte, error) {
	<-ctx.Done()
	return nil, ctx.Err()
}

func TestWalletTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := Provider{silent{}}.OnChain(t.Context(), key.BrowserWallet{}, key.Place{}, hub)
		var fault *key.WalletError
		require.ErrorAs(t, err, &fault)
		require.Equal(t, key.WalletTimeout, fault.Fault)

		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err = Provider{silent{}}.OnChain(ctx, key.BrowserWallet{}, key.Place{}, hub)
		require.ErrorIs(t, err, context.Canceled, "the caller has disconnected")
	})
}

// says is a page that always returns the same answer.
type says []byte

func (s says) Ask(context.Context, []byte) ([]byte, error) { return s, nil }

// FuzzAnswers checks any answers of a page: a returned account must have the displayed address,
// and a signature must be of the requested document.
func FuzzAnswers(f *testing.F) {
	w := keplrtest.New(f, passphrase)
	for _, request := range []string{
		`{"do":"key","with":{"prefix":"cosmos"}}`,
		`{"do":"sign_direct","with":{"signer":"` + testAddress + `","doc":{"body":"AA==","auth_info":"","chain_id":"x","account_number":"7"}}}`,
		`{"do":"sign_amino","with":{"signer":"` + testAddress + `","doc":{"account_number":"0","chain_id":"","fee":{"amount":[],"gas":"0"},"memo":"","msgs":[],"sequence":"0"}}}`,
	} {
		answer, err := w.Ask(f.Context(), []byte(request))
		require.NoError(f, err)
		f.Add([]byte(answer))
	}
	f.Add([]byte(`{"doc":{"account_number":"-1"}}`))
	ring, err := key.Open(passphrase, false)
	require.NoError(f, err)
	public := ring.Node().PublicKey()
	f.Fuzz(func(t *testing.T, answer []byte) {
		k := Provider{says(answer)}
		if opened, err := k.OnChain(t.Context(), key.BrowserWallet{}, key.Place{}, hub); err == nil {
			require.Contains(t, string(answer), "cosmos1")
			require.NotZero(t, opened.(key.PublicKeyer).PublicKey())
		}
		for _, amino := range []bool{false, true} {
			_, err := transfer().Sign(t.Context(), &opened{provider: k, chain: hub.ID, public: public, amino: amino}, testAddress)
			require.Error(t, err, "the transfer has no signature")
		}
	})
}
