package keplr

import (
	"context"
	"encoding/json"

	"obverse/core/key"
	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/cosmos/wire"
)

// opened is the wallet's account on a chain.
type opened struct {
	provider Provider
	chain    string
	public   [33]byte
	amino    bool
}

var (
	_ tx.DirectSigner = (*opened)(nil)
	_ tx.AminoSigner  = (*opened)(nil)
	_ tx.InLedger     = (*opened)(nil)
)

// Policy implements key.Account.
func (*opened) Policy() key.PolicyName { return key.NameBrowserWallet }

// Close implements key.Account.
func (*opened) Close() {}

// PublicKey implements key.PublicKeyer.
func (a *opened) PublicKey() [33]byte { return a.public }

// InLedger implements tx.InLedger: the wallet says that its key is in a device that signs
// amino JSON only, a Ledger or a Keystone.
func (a *opened) InLedger() bool { return a.amino }

// directDoc is a SIGN_MODE_DIRECT document on its way.
type directDoc struct {
	Body     []byte `json:"body"`
	AuthInfo []byte `json:"auth_info"`
	ChainID  string `json:"chain_id"`
	Account  uint64 `json:"account_number,string"`
}

// order is what to sign and who.
type order struct {
	ChainID string `json:"chain_id"`
	Signer  string `json:"signer"`
	Doc     any    `json:"doc"`
}

// proof is who signed.
type proof struct {
	PublicKey []byte `json:"public_key"`
	Signature []byte `json:"signature"`
}

func (p proof) parts() (public [33]byte, s tx.Signature, err error) {
	if copy(public[:], p.PublicKey) != len(public) || copy(s[:], p.Signature) != len(s) ||
		len(p.PublicKey) != len(public) || len(p.Signature) != len(s) {
		err = failed("invalid signature")
	}
	return public, s, err
}

// SignDirect implements tx.DirectSigner.
func (a *opened) SignDirect(ctx context.Context, signer string, doc wire.SignDoc) (done tx.DirectSigned, err error) {
	var answer struct {
		Doc directDoc `json:"doc"`
		proof
	}
	asked := order{a.chain, signer, directDoc{doc.Body, doc.AuthInfo, doc.ChainID, doc.Account}}
	if err := a.provider.page().Ask(ctx, "sign_direct", asked, &answer); err != nil {
		return done, err
	}
	done.Doc = wire.SignDoc{Body: answer.Doc.Body, AuthInfo: answer.Doc.AuthInfo, ChainID: answer.Doc.ChainID, Account: answer.Doc.Account}
	done.PublicKey, done.Signature, err = answer.parts()
	return done, err
}

// SignAmino implements tx.AminoSigner. A document that holds a text (ADR-036) is one too.
func (a *opened) SignAmino(ctx context.Context, signer string, doc tx.AminoDoc) (done tx.AminoSigned, err error) {
	text, err := doc.Bytes()
	if err != nil {
		return done, err
	}
	var answer struct {
		Doc json.RawMessage `json:"doc"`
		proof
	}
	if err := a.provider.page().Ask(ctx, "sign_amino", order{a.chain, signer, json.RawMessage(text)}, &answer); err != nil {
		return done, err
	}
	if done.Doc, err = tx.ParseAminoDoc(answer.Doc); err != nil {
		return done, err
	}
	done.PublicKey, done.Signature, err = answer.parts()
	return done, err
}
