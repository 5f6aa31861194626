package hardware

import (
	"context"

	"obverse/core/key"
	"obverse/core/wallet/device"
	"obverse/core/wallet/device/ledger"
	"obverse/core/wallet/device/trezor"
	"obverse/core/wallet/evm/wire"
)

// app is what devices of all vendors do for accounts of EVM networks.
type app interface {
	Key(ctx context.Context, path key.Path) (public [33]byte, err error)
	SignTransaction(ctx context.Context, path key.Path, public [33]byte, t wire.Transaction) (key.Signature, error)
	SignText(ctx context.Context, path key.Path, public [33]byte, text string) (key.Signature, error)
	SignTyped(ctx context.Context, path key.Path, public [33]byte, domain, message [32]byte) (key.Signature, error)
}

// use uses the device that is connected.
func (p Provider) use(ctx context.Context, use func(app) error) error {
	isTrezor, err := p.isTrezor(ctx)
	if err != nil {
		return err
	}
	if isTrezor {
		return p.Trezor.Ethereum(ctx, "", func(e *trezor.Ethereum) error { return use(e) })
	}
	return p.Ledger.Ethereum(ctx, "", func(e *ledger.Ethereum) error { return use(e) })
}

// isTrezor reports whose device is connected, and waits until one is.
func (p Provider) isTrezor(ctx context.Context) (is bool, err error) {
	if p.Ledger == nil || p.Trezor == nil {
		return p.Trezor != nil, nil
	}
	err = device.Wait(ctx, p.Ledger.Patience, func(ctx context.Context) error {
		ledgers, err := listed(p.Ledger.Port.List(ctx))
		if err != nil {
			return err
		}
		trezors, err := listed(p.Trezor.Port.List(ctx))
		switch is = trezors; {
		case err != nil:
			return err
		case ledgers && trezors:
			return device.Failf(device.Several, "a Ledger and a Trezor are connected, want one: unplug the other")
		case !ledgers && !trezors:
			return device.Failf(device.NotFound, "no device is connected: plug it in and unlock it")
		}
		return nil
	})
	return is, err
}

// listed reports whether there are devices. A transport that is not there has none.
func listed(all []device.Info, err error) (bool, error) {
	if device.Is(err, device.NotFound) {
		return false, nil
	}
	return len(all) > 0, err
}
