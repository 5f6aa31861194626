package hardware

import (
	"context"
	"slices"

	"obverse/core/key"
	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/signer/ledger"
)

// Cosmos is the provider of HardwareWallet for chains of the Cosmos family.
type Cosmos struct{ Ledger *ledger.Client }

var _ key.ChainProvider[tx.Network] = Cosmos{}

// Policy implements key.Provider.
func (Cosmos) Policy() key.PolicyName { return key.NameHardwareWallet }

// OnChain implements key.ChainProvider. It asks the device for an unknown key, which needs no
// confirmation.
func (p Cosmos) OnChain(ctx context.Context, _ key.Policy, at key.Place, n tx.Network) (key.Account, error) {
	a := &cosmosAccount{ledger: p.Ledger, path: appPath(at.Path), prefix: n.Prefix}
	if at.Public != nil {
		a.public = *at.Public
		return a, nil
	}
	err := p.Ledger.Cosmos(ctx, "", func(app *ledger.Cosmos) (err error) {
		a.public, err = app.Key(ctx, a.path, a.prefix)
		return err
	})
	if err != nil {
		return nil, err
	}
	return a, nil
}

// appPath returns a coin's path with the coin type 118, since the app has no keys of other coin
// types. Other wallets for Ledger's devices (Keplr, cosmos-sdk's keys) use it for all chains
// too.
func appPath(path key.Path) key.Path {
	const at, coinType = 1, 118 + key.Hardened
	if len(path) > at {
		path = slices.Clone(path)
		path[at] = coinType
	}
	return path
}

// cosmosAccount is the account of a device at a path, on chains with a certain prefix of
// addresses.
type cosmosAccount struct {
	ledger *ledger.Client
	path   key.Path
	prefix string
	public [33]byte
}

var (
	_ tx.AminoSigner = (*cosmosAccount)(nil)
	_ tx.InLedger    = (*cosmosAccount)(nil)
)

// Policy implements key.Account.
func (*cosmosAccount) Policy() key.PolicyName { return key.NameHardwareWallet }

// Close implements key.Account.
func (*cosmosAccount) Close() {}

// PublicKey implements key.PublicKeyer.
func (a *cosmosAccount) PublicKey() [33]byte { return a.public }

// InLedger implements tx.InLedger.
func (*cosmosAccount) InLedger() bool { return true }

// SignAmino implements tx.AminoSigner. The document may also be the document of a text
// (ADR-036).
func (a *cosmosAccount) SignAmino(ctx context.Context, _ string, doc tx.AminoDoc) (done tx.AminoSigned, err error) {
	document, err := doc.Bytes()
	if err == nil {
		err = ledger.CheckDocument(document)
	}
	if err != nil {
		return done, err
	}
	var s key.Signature
	err = a.ledger.Cosmos(ctx, "", func(app *ledger.Cosmos) (err error) {
		s, err = app.SignAmino(ctx, a.path, a.prefix, a.public, document)
		return err
	})
	return tx.AminoSigned{Doc: doc, PublicKey: a.public, Signature: s.Compact()}, err
}
