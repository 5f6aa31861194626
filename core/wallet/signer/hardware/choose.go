package hardware

import (
	"context"

	"obverse/core/key"
	"obverse/core/wallet/evm/wire"
	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/ledger"
)

// App is implemented by devices of all vendors for accounts of EVM networks.
type App interface {
	Key(ctx context.Context, path key.Path) (public [33]byte, err error)
	SignTransaction(ctx context.Context, path key.Path, public [33]byte, t wire.Transaction) (key.Signature, error)
	SignText(ctx context.Context, path key.Path, public [33]byte, text string) (key.Signature, error)
	SignTyped(ctx context.Context, path key.Path, public [33]byte, domain, message [32]byte) (key.Signature, error)
}

// Trezors provides Trezor's devices. It is implemented by *trezor.Client. Platforms without
// such devices do not include its code.
type Trezors interface {
	App // of the only device
	// Confirm shows the address of the account on the device and waits until its user accepts it.
	Confirm(ctx context.Context, path key.Path, chain uint64, public [33]byte) error
	// Connected reports whether the device with an ID is connected, or any device if id is
	// empty.
	Connected(ctx context.Context, id string) (bool, error)
}

// ledgers is the App of the only device of Ledger.
type ledgers struct{ client *ledger.Client }

func (l ledgers) Key(ctx context.Context, path key.Path) (public [33]byte, err error) {
	err = l.client.Ethereum(ctx, "", func(e *ledger.Ethereum) (err error) {
		public, err = e.Key(ctx, path)
		return err
	})
	return public, err
}

func (l ledgers) SignTransaction(ctx context.Context, path key.Path, public [33]byte, t wire.Transaction) (s key.Signature, err error) {
	err = l.client.Ethereum(ctx, "", func(e *ledger.Ethereum) (err error) {
		s, err = e.SignTransaction(ctx, path, public, t)
		return err
	})
	return s, err
}

// SignText rejects a text that the app cannot show before it waits for a device.
func (l ledgers) SignText(ctx context.Context, path key.Path, public [33]byte, text string) (s key.Signature, err error) {
	if err := ledger.CheckText(text); err != nil {
		return s, err
	}
	err = l.client.Ethereum(ctx, "", func(e *ledger.Ethereum) (err error) {
		s, err = e.SignText(ctx, path, public, text)
		return err
	})
	return s, err
}

func (l ledgers) SignTyped(ctx context.Context, path key.Path, public [33]byte, domain, message [32]byte) (s key.Signature, err error) {
	err = l.client.Ethereum(ctx, "", func(e *ledger.Ethereum) (err error) {
		s, err = e.SignTyped(ctx, path, public, domain, message)
		return err
	})
	return s, err
}

// app waits for a connected device and returns its App.
func (p EVM) app(ctx context.Context) (App, error) {
	switch {
	case p.Trezor == nil:
		return ledgers{p.Ledger}, nil
	case p.Ledger == nil:
		return p.Trezor, nil
	}
	isTrezor := false
	err := device.Wait(ctx, p.Ledger.Timeout, func(ctx context.Context) (err error) {
		isTrezor, err = p.isTrezor(ctx)
		return err
	})
	if isTrezor {
		return p.Trezor, err
	}
	return ledgers{p.Ledger}, err
}

// isTrezor reports whether a Trezor is connected.
func (p EVM) isTrezor(ctx context.Context) (bool, error) {
	all, err := p.Ledger.Port.List(ctx)
	if err != nil && !device.Is(err, device.NotFound) { // an absent transport has no devices
		return false, err
	}
	trezor, err := p.Trezor.Connected(ctx, "")
	switch {
	case err != nil && !device.Is(err, device.NotFound):
		return false, err
	case len(all) > 0 && trezor:
		return false, device.Failf(device.MultipleDevices, "a Ledger and a Trezor are connected, want one: unplug the other")
	case len(all) == 0 && !trezor:
		return false, device.Failf(device.NotFound, "no device is connected: plug it in and unlock it")
	}
	return trezor, nil
}
