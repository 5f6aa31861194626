package cosmos

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"obverse/core/key"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/cosmos/wire"
	"obverse/core/wallet/signer/walletconnect"
)

// Provider is the provider of SessionWallet for chains of the Cosmos family.
type Provider struct{ Sessions walletconnect.Asker }

var _ key.ChainProvider[tx.Network] = Provider{}

// Policy implements key.Provider.
func (Provider) Policy() key.PolicyName { return key.NameSessionWallet }

// OnChain implements key.ChainProvider. It requests the wallet's key once, which most wallets
// return without asking their user, and again if the accounts of the session have changed.
func (k Provider) OnChain(ctx context.Context, p key.Policy, at key.Place, n tx.Network) (key.Account, error) {
	s, err := walletconnect.SessionOf(k.Sessions, p)
	if err != nil {
		return nil, err
	}
	acc, known := remembered(s, at.Public, n)
	if !known {
		if acc, err = k.ask(ctx, s, n); err != nil {
			return nil, err
		}
	}
	a := &opened{sessions: k.Sessions, topic: s.Topic, chain: n.ID, own: acc}
	if s.Namespaces.Allows(tx.CAIP2(n.ID), DirectSign) == nil {
		return direct{a}, nil
	}
	return a, nil
}

// remembered returns the account of a known key, if it is still in the session.
func remembered(s walletconnect.Session, public *[33]byte, n tx.Network) (own Account, known bool) {
	if public == nil {
		return own, false
	}
	a, err := address.FromKey(n.Prefix, *public)
	return Account{Address: a, PublicKey: *public}, err == nil && slices.Contains(s.Namespaces.Accounts(tx.CAIP2(n.ID)), a.String())
}

// ask returns the first account of the session for which the wallet has a key. If the session
// does not contain the wallet's accounts, for example after a switch that the wallet has not
// announced, it returns the wallet's first account.
func (k Provider) ask(ctx context.Context, s walletconnect.Session, n tx.Network) (acc Account, err error) {
	listed, err := Accounts(ctx, k.Sessions, s.Topic, n.ID)
	if err != nil {
		return acc, walletconnect.Fault(err)
	}
	acc = listed[0]
	for _, named := range s.Namespaces.Accounts(tx.CAIP2(n.ID)) {
		if at := slices.IndexFunc(listed, func(a Account) bool { return a.Address.String() == named }); at >= 0 {
			acc = listed[at]
			break
		}
	}
	if prefix := acc.Address.Prefix(); prefix != n.Prefix {
		return acc, &key.WalletError{Fault: key.WalletWrongChain,
			Text: fmt.Sprintf("WalletConnect: addresses of the wallet on %s begin with %s, those of the coin with %s", n.ID, prefix, n.Prefix)}
	}
	return acc, nil
}

// opened is an account of a wallet on a chain. It signs amino JSON.
type opened struct {
	sessions walletconnect.Asker
	topic    string
	chain    string
	own      Account
}

// direct is an account of a session that also allows SIGN_MODE_DIRECT.
type direct struct{ *opened }

var (
	_ tx.AminoSigner  = (*opened)(nil)
	_ tx.DirectSigner = direct{}
)

// Policy implements key.Account.
func (*opened) Policy() key.PolicyName { return key.NameSessionWallet }

// Close implements key.Account.
func (*opened) Close() {}

// PublicKey implements key.PublicKeyer.
func (a *opened) PublicKey() [33]byte { return a.own.PublicKey }

// SignDirect implements tx.DirectSigner.
func (a direct) SignDirect(ctx context.Context, _ string, doc wire.SignDoc) (done tx.DirectSigned, err error) {
	done.PublicKey = a.own.PublicKey
	var signature [64]byte
	done.Doc, signature, err = SignDirect(ctx, a.sessions, a.topic, a.own, doc)
	done.Signature = signature
	return done, walletconnect.Fault(err)
}

// SignAmino implements tx.AminoSigner. The document may also be the document of a text
// (ADR-036).
func (a *opened) SignAmino(ctx context.Context, _ string, doc tx.AminoDoc) (done tx.AminoSigned, err error) {
	text, err := doc.Bytes()
	if err != nil {
		return done, err
	}
	signed, signature, err := SignAmino(ctx, a.sessions, a.topic, a.chain, a.own, json.RawMessage(text))
	if err != nil {
		return done, walletconnect.Fault(err)
	}
	done.PublicKey, done.Signature = a.own.PublicKey, signature
	done.Doc, err = tx.ParseAminoDoc(signed)
	return done, err
}
