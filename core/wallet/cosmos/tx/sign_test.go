package tx

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/wire"
)

// outside is an external wallet. It displays documents to its user, who may change or decline them.
type outside struct {
	account      key.Account
	fails        error
	changeAmino  func(*AminoSigned)
	changeDirect func(*DirectSigned)
	amino        AminoDoc // requested document
	direct       wire.SignDoc
	signer       string
}

func (o *outside) Policy() key.PolicyName { return key.NameBrowserWallet }
func (o *outside) Close()                 {}
func (o *outside) PublicKey() [33]byte    { return o.account.(key.PublicKeyer).PublicKey() }

type aminoWallet struct{ *outside }

func (w aminoWallet) SignAmino(ctx context.Context, signer string, doc AminoDoc) (AminoSigned, error) {
	w.amino, w.signer = doc, signer
	if w.fails != nil {
		return AminoSigned{}, w.fails
	}
	done := AminoSigned{Doc: doc, PublicKey: w.PublicKey()}
	done.Doc.Messages = append([]AminoMessage{}, doc.Messages...)
	if w.changeAmino != nil {
		w.changeAmino(&done)
	}
	text, err := done.Doc.Bytes()
	if err == nil && done.Signature == (Signature{}) {
		done.Signature, err = signHash(ctx, w.account, text)
	}
	return done, err
}

type directWallet struct{ *outside }

func (w directWallet) SignDirect(ctx context.Context, signer string, doc wire.SignDoc) (done DirectSigned, err error) {
	w.direct, w.signer = doc, signer
	if w.fails != nil {
		return done, w.fails
	}
	done = DirectSigned{Doc: doc, PublicKey: w.PublicKey()}
	if w.changeDirect != nil {
		w.changeDirect(&done)
	}
	if done.Signature == (Signature{}) {
		done.Signature, err = signHash(ctx, w.account, wire.Encode(&done.Doc))
	}
	return done, err
}

// bothWallet signs in both modes, and can report that it is a Ledger.
type bothWallet struct {
	aminoWallet
	directWallet
	ledger bool
}

func (w bothWallet) Policy() key.PolicyName { return w.aminoWallet.Policy() }
func (w bothWallet) Close()                 {}
func (w bothWallet) PublicKey() [33]byte    { return w.aminoWallet.PublicKey() }
func (w bothWallet) InLedger() bool         { return w.ledger }

// directLedger is a Ledger behind a wallet that only signs in the direct mode.
type directLedger struct{ directWallet }

func (directLedger) InLedger() bool { return true }

func TestModeOf(t *testing.T) {
	_, account := readWallets(t)
	o := &outside{account: account}
	for _, c := range []struct {
		name    string
		account key.Account
		want    wire.SignMode
		refusal string
	}{
		{"the node's own key", account, wire.SignDirect, ""},
		{"a key in a Ledger", ledgerAccount{account.(key.HashSigner)}, wire.SignAmino, ""},
		{"a wallet that signs directly", directWallet{o}, wire.SignDirect, ""},
		{"a wallet that signs amino", aminoWallet{o}, wire.SignAmino, ""},
		{"a wallet that does both", bothWallet{aminoWallet{o}, directWallet{o}, false}, wire.SignDirect, ""},
		{"a Ledger in a wallet that does both", bothWallet{aminoWallet{o}, directWallet{o}, true}, wire.SignAmino, ""},
		{"a Ledger in a wallet that signs directly", directLedger{directWallet{o}}, 0,
			"BrowserWallet cannot be used here: a Ledger signs amino JSON, and this wallet does not let it"},
		{"a wallet that signs nothing", o, 0, "BrowserWallet cannot be used here: the wallet does not sign transactions of Cosmos chains"},
	} {
		t.Run(c.name, func(t *testing.T) {
			mode, err := ModeOf(c.account)
			require.Equal(t, c.want, mode)
			if c.refusal == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorIs(t, err, key.ErrUnsupported)
			require.EqualError(t, err, c.refusal)
			_, err = Draft{}.Sign(t.Context(), c.account, "")
			require.ErrorIs(t, err, key.ErrUnsupported)
			_, err = SignMessage(t.Context(), c.account, "cosmos1", "x")
			require.ErrorIs(t, err, key.ErrUnsupported)
		})
	}
}

// changedBody returns a change of a signed document with another body than requested.
func changedBody(change func(*wire.TxBody)) func(*DirectSigned) {
	return func(s *DirectSigned) {
		var body wire.TxBody
		if wire.Decode(s.Doc.Body, &body) != nil {
			panic("no body")
		}
		change(&body)
		s.Doc.Body = wire.Encode(&body)
	}
}

func changedAuth(change func(*wire.AuthInfo)) func(*DirectSigned) {
	return func(s *DirectSigned) {
		var auth wire.AuthInfo
		if wire.Decode(s.Doc.AuthInfo, &auth) != nil {
			panic("no auth info")
		}
		change(&auth)
		s.Doc.AuthInfo = wire.Encode(&auth)
	}
}

func TestDirectWallets(t *testing.T) {
	vectors, account := readWallets(t)
	v := vectors.Direct[0]
	otherKey := newAccount(t, "bob passphrase").(key.PublicKeyer).PublicKey()
	declined := errors.New("Request rejected")
	for _, c := range []struct {
		name    string
		change  func(*DirectSigned)
		fails   error
		refusal string
	}{
		{"nothing", nil, nil, ""},
		{"memo", changedBody(func(b *wire.TxBody) { b.Memo = "by the user" }), nil, ""},
		{"fee", changedAuth(func(a *wire.AuthInfo) { a.Fee.Amount[0].Amount, a.Fee.GasLimit = "99999", 200000 }), nil, ""},
		{"no fee", changedAuth(func(a *wire.AuthInfo) { a.Fee.Amount = nil }), nil, ""},
		{"declined", nil, declined, "the wallet did not sign: Request rejected"},
		{"fee in another coin", changedAuth(func(a *wire.AuthInfo) { a.Fee.Amount[0].Denom = "uosmo" }), nil, "a fee in another coin"},
		{"fee of no amount", changedAuth(func(a *wire.AuthInfo) { a.Fee.Amount[0].Amount = "-1" }), nil, "a fee with an invalid amount"},
		{"another payer", changedAuth(func(a *wire.AuthInfo) { a.Fee.Payer = "cosmos1" }), nil, "another transaction"},
		{"another granter", changedAuth(func(a *wire.AuthInfo) { a.Fee.Granter = "cosmos1" }), nil, "another transaction"},
		{"another sequence", changedAuth(func(a *wire.AuthInfo) { a.Signers[0].Sequence++ }), nil, "another transaction"},
		{"another mode", changedAuth(func(a *wire.AuthInfo) { a.Signers[0].Mode.Single = wire.SignAmino }), nil, "another transaction"},
		{"another signer in it", changedAuth(func(a *wire.AuthInfo) { a.Signers = append(a.Signers, a.Signers[0]) }), nil, "another transaction"},
		{"another message", changedBody(func(b *wire.TxBody) { b.Messages = append(b.Messages, b.Messages[0]) }), nil, "another transaction"},
		{"no message", changedBody(func(b *wire.TxBody) { b.Messages = nil }), nil, "another transaction"},
		{"another receiver", changedBody(func(b *wire.TxBody) {
			b.Messages[0] = wire.Pack(&wire.MsgSend{From: v.From, To: v.From, Amount: []wire.Coin{{Denom: "uatom", Amount: "100000"}}})
		}), nil, "another transaction"},
		{"another height", changedBody(func(b *wire.TxBody) { b.TimeoutHeight = 7 }), nil, "another transaction"},
		{"an extension", changedBody(func(b *wire.TxBody) { b.Optional = []wire.Any{{TypeURL: "/x"}} }), nil, "another transaction"},
		{"another chain", func(s *DirectSigned) { s.Doc.ChainID = "osmosis-1" }, nil, "another transaction"},
		{"another account", func(s *DirectSigned) { s.Doc.Account++ }, nil, "another transaction"},
		{"rubbish", func(s *DirectSigned) { s.Doc.Body = []byte("rubbish") }, nil, "an invalid transaction"},
		{"another key", func(s *DirectSigned) { s.PublicKey = otherKey }, nil, "it has switched to another account"},
		{"another signature", func(s *DirectSigned) { s.Signature[0] = 1 }, nil, "the signature does not match the document"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := &outside{account: account, fails: c.fails, changeDirect: c.change}
			signed, err := v.draft(t).Sign(t.Context(), directWallet{o}, v.From)
			require.Equal(t, v.From, o.signer)
			if c.refusal != "" {
				require.ErrorIs(t, err, coin.ErrSigning)
				require.ErrorContains(t, err, c.refusal)
				require.Zero(t, signed)
				return
			}
			require.NoError(t, err)
			requireSound(t, signed, v.ChainID, v.Number)
		})
	}
}

// requireSound checks that a chain would accept the signed transaction.
func requireSound(t *testing.T, signed Signed, chain string, account uint64) {
	t.Helper()
	u := unpack(t, signed.Raw)
	require.Equal(t, Hash(signed.Raw), signed.Hash)
	require.Equal(t, u.auth.Fee, signed.Fee)
	require.Equal(t, u.body.Memo, signed.Memo)
	require.True(t, Signature(u.raw.Signatures[0]).verifies(u.public, u.signBytes(t, chain, account)))
}

func TestAminoWallets(t *testing.T) {
	vectors, account := readWallets(t)
	v := vectors.Amino[0]
	otherKey := newAccount(t, "bob passphrase").(key.PublicKeyer).PublicKey()
	for _, c := range []struct {
		name    string
		change  func(*AminoSigned)
		fails   error
		refusal string
	}{
		{"nothing", nil, nil, ""},
		{"memo", func(s *AminoSigned) { s.Doc.Memo = "by <the> user" }, nil, ""},
		{"fee", func(s *AminoSigned) {
			s.Doc.Fee = AminoFee{Amount: []wire.Coin{{Denom: "uatom", Amount: "43400"}}, Gas: 100000}
		}, nil, ""},
		{"the order of names", func(s *AminoSigned) {
			s.Doc.Messages[0].Value = []byte(`{"to_address": "` + v.Send.To + `", "amount":[{"denom":"uatom","amount":"100000"}],"from_address":"` + v.From + `"}`)
		}, nil, ""},
		{"declined", nil, errors.New("Request rejected"), "the wallet did not sign: Request rejected"},
		{"fee in another coin", func(s *AminoSigned) { s.Doc.Fee.Amount = []wire.Coin{{Denom: "uosmo", Amount: "1"}} }, nil, "a fee in another coin"},
		{"another granter", func(s *AminoSigned) { s.Doc.Fee.Granter = "cosmos1" }, nil, "another transaction"},
		{"another sequence", func(s *AminoSigned) { s.Doc.Sequence++ }, nil, "another transaction"},
		{"another account", func(s *AminoSigned) { s.Doc.Account++ }, nil, "another transaction"},
		{"another chain", func(s *AminoSigned) { s.Doc.ChainID = "" }, nil, "another transaction"},
		{"another height", func(s *AminoSigned) { s.Doc.TimeoutHeight = 7 }, nil, "another transaction"},
		{"another type", func(s *AminoSigned) { s.Doc.Messages[0].Type = "cosmos-sdk/MsgDelegate" }, nil, "another transaction"},
		{"no message", func(s *AminoSigned) { s.Doc.Messages = nil }, nil, "another transaction"},
		{"another key", func(s *AminoSigned) { s.PublicKey = otherKey }, nil, "it has switched to another account"},
		{"another signature", func(s *AminoSigned) { s.Signature[0] = 1 }, nil, "the signature does not match the document"},
	} {
		t.Run(c.name, func(t *testing.T) {
			o := &outside{account: account, fails: c.fails, changeAmino: c.change}
			signed, err := v.draft(t).Sign(t.Context(), aminoWallet{o}, v.From)
			if c.refusal != "" {
				require.ErrorIs(t, err, coin.ErrSigning)
				require.ErrorContains(t, err, c.refusal)
				require.Zero(t, signed)
				return
			}
			require.NoError(t, err)
			requireSound(t, signed, v.ChainID, v.Number)
		})
	}
}

func TestDraftsWithoutAmino(t *testing.T) {
	vectors, account := readWallets(t)
	d := vectors.Amino[0].draft(t)
	d.Messages = []wire.Named{&wire.PubKey{}}
	_, err := d.Sign(t.Context(), aminoWallet{&outside{account: account}}, "")
	require.ErrorIs(t, err, ErrDoc)
	require.ErrorContains(t, err, "/cosmos.crypto.secp256k1.PubKey")
}
