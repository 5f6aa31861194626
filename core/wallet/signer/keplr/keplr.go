// Package keplr implements accounts in Keplr and compatible wallets, which are browser
// extensions. Through the page it asks the wallet for its key on a chain and for signatures,
// and verifies every result. It contains no browser code. The page's part is
// web/src/wallet/keplr.js.
//
// Sources: Keplr's documentation (enable, getKey, signDirect, signAmino, signArbitrary,
// experimentalSuggestChain); ADR-036 for texts.
//
// Invariant: A returned account has the address that the wallet shows its user, on the
// requested chain.
package keplr

import (
	"context"
	"encoding/json"
	"fmt"

	"obverse/core/key"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/cosmos/wire"
)

// Provider is the provider of BrowserWallet for chains of the Cosmos family.
type Provider struct{ Wallets key.Wallets }

var _ key.ChainProvider[tx.Network] = Provider{}

// Policy implements key.Provider.
func (Provider) Policy() key.PolicyName { return key.NameBrowserWallet }

// algorithm is the algorithm of keys whose addresses this package can check. Chains with other
// keys are not supported, even with a wallet that signs for them.
const algorithm = "secp256k1"

// OnChain implements key.ChainProvider. The wallet may ask its user for permission to connect
// and to add the chain.
func (k Provider) OnChain(ctx context.Context, _ key.Policy, _ key.Place, n tx.Network) (key.Account, error) {
	var answer struct {
		Algorithm string `json:"algo"`
		PublicKey []byte `json:"public_key"`
		Address   string `json:"address"`
		Amino     bool   `json:"amino"`
	}
	if err := k.page().Ask(ctx, "key", n, &answer); err != nil {
		return nil, err
	}
	if answer.Algorithm != algorithm {
		return nil, fmt.Errorf("%s %w: its key on %s is of %.40q, not of %s", key.NameBrowserWallet, key.ErrUnsupported, n.ID, answer.Algorithm, algorithm)
	}
	external, err := key.NewExternalKey(key.Secp256k1, answer.PublicKey)
	if err != nil {
		return nil, failed("invalid public key: %w", err)
	}
	parsed, err := address.Parse(answer.Address)
	if err != nil {
		return nil, failed("invalid address: %w", err)
	}
	if parsed.Prefix() != n.Prefix {
		return nil, &key.WalletError{Fault: key.WalletWrongChain,
			Text: fmt.Sprintf("Keplr: its addresses on %s begin with %s, those of the coin with %s", n.ID, parsed.Prefix(), n.Prefix)}
	}
	a := &opened{provider: k, chain: n.ID, public: [33]byte(external.Bytes()), amino: answer.Amino}
	if derived, err := address.FromKey(n.Prefix, a.public); err != nil || derived != parsed {
		return nil, failed("its address is not that of its public key")
	}
	return a, nil
}

// maxResponse is the maximum size of a response in bytes. It is sufficient for the largest
// document that tx parses.
const maxResponse = 2 << 20

// page returns the interface to the functions in web/src/wallet/keplr.js.
func (k Provider) page() key.PageWallet {
	return key.PageWallet{Wallets: k.Wallets, ID: "keplr", Name: "Keplr", MaxResponse: maxResponse}
}

// failed returns the error for an invalid response.
func failed(format string, args ...any) error { return Provider{}.page().Failed(format, args...) }

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

// InLedger implements tx.InLedger. It reports whether the wallet's key is in a device that only
// signs amino JSON, such as a Ledger or a Keystone.
func (a *opened) InLedger() bool { return a.amino }

// directDoc is a SIGN_MODE_DIRECT document in JSON.
type directDoc struct {
	Body     []byte `json:"body"`
	AuthInfo []byte `json:"auth_info"`
	ChainID  string `json:"chain_id"`
	Account  uint64 `json:"account_number,string"`
}

// order holds the document to sign and its signer.
type order struct {
	ChainID string `json:"chain_id"`
	Signer  string `json:"signer"`
	Doc     any    `json:"doc"`
}

// proof holds the signature and the public key of the signer.
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
	request := order{a.chain, signer, directDoc{doc.Body, doc.AuthInfo, doc.ChainID, doc.Account}}
	if err := a.provider.page().Ask(ctx, "sign_direct", request, &answer); err != nil {
		return done, err
	}
	done.Doc = wire.SignDoc{Body: answer.Doc.Body, AuthInfo: answer.Doc.AuthInfo, ChainID: answer.Doc.ChainID, Account: answer.Doc.Account}
	done.PublicKey, done.Signature, err = answer.parts()
	return done, err
}

// SignAmino implements tx.AminoSigner. The document may also be the document of a text
// (ADR-036).
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
