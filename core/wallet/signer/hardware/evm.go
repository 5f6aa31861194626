package hardware

import (
	"context"

	"obverse/core/key"
	"obverse/core/wallet/evm/tx"
	"obverse/core/wallet/evm/wire"
	"obverse/core/wallet/signer/ledger"
)

// EVM is the provider of HardwareWallet for EVM networks. It has at least one client.
type EVM struct {
	Ledger *ledger.Client // nil means that no Ledger can be connected
	Trezor Trezors        // nil means that no Trezor can be connected
}

var _ key.ChainProvider[tx.Network] = EVM{}

// Policy implements key.Provider.
func (EVM) Policy() key.PolicyName { return key.NameHardwareWallet }

// OnChain implements key.ChainProvider. It asks the device for an unknown key. A Trezor also
// shows the address, which its user must confirm, because any program can listen on the port of
// Bridge and return a key of its own.
func (p EVM) OnChain(ctx context.Context, _ key.Policy, at key.Place, n tx.Network) (key.Account, error) {
	a := &evmAccount{devices: p, path: at.Path}
	if at.Public != nil {
		a.public = *at.Public
		return a, nil
	}
	app, err := p.app(ctx)
	if err == nil {
		a.public, err = app.Key(ctx, a.path)
	}
	if trezor, is := app.(Trezors); err == nil && is {
		err = trezor.Confirm(ctx, a.path, n.ChainID, a.public)
	}
	if err != nil {
		return nil, err
	}
	return a, nil
}

// evmAccount is the account of a device at a path.
type evmAccount struct {
	devices EVM
	path    key.Path
	public  [33]byte
}

var (
	_ key.PublicKeyer      = (*evmAccount)(nil)
	_ tx.TransactionSigner = (*evmAccount)(nil)
	_ tx.TextSigner        = (*evmAccount)(nil)
	_ tx.TypedSigner       = (*evmAccount)(nil)
)

// Policy implements key.Account.
func (*evmAccount) Policy() key.PolicyName { return key.NameHardwareWallet }

// Close implements key.Account.
func (*evmAccount) Close() {}

// PublicKey implements key.PublicKeyer.
func (a *evmAccount) PublicKey() [33]byte { return a.public }

// SignTransaction implements tx.TransactionSigner.
func (a *evmAccount) SignTransaction(ctx context.Context, t wire.Transaction) (s key.Signature, err error) {
	app, err := a.devices.app(ctx)
	if err != nil {
		return s, err
	}
	return app.SignTransaction(ctx, a.path, a.public, t)
}

// SignTyped implements tx.TypedSigner.
func (a *evmAccount) SignTyped(ctx context.Context, domain, message [32]byte) (s key.Signature, err error) {
	app, err := a.devices.app(ctx)
	if err != nil {
		return s, err
	}
	return app.SignTyped(ctx, a.path, a.public, domain, message)
}

// SignText implements tx.TextSigner.
func (a *evmAccount) SignText(ctx context.Context, text string) (signature [65]byte, err error) {
	app, err := a.devices.app(ctx)
	if err != nil {
		return signature, err
	}
	s, err := app.SignText(ctx, a.path, a.public, text)
	if err != nil {
		return signature, err
	}
	const plain = 27 // number that is added to the recovery number in signatures of texts
	signature = s.Recoverable()
	signature[64] += plain
	return signature, nil
}
