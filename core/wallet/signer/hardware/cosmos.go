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

// OnChain implements key.ChainProvider. The device is asked for a key that is unknown,
// which takes no confirmation.
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

// appPath is a coin's path where the app has keys: it has none of other coin types than 118,
// so that wallets for Ledger's devices (Keplr, cosmos-sdk's keys) use that one for all chains.
func appPath(path key.Path) key.Path {
	const at, coinType = 1, 118 + key.Hardened
	if len(path) > at {
		path = slices.Clone(path)
		path[at] = coinType
	}
	return path
}

// cosmosAccount is the device's account at a path, on chains whose addresses have a prefix.
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

// SignAmino implements tx.AminoSigner. A document that holds a text (ADR-036) is one too.
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
