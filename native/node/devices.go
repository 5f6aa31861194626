package node

import (
	"runtime"
	"time"

	"obverse/core/wallet/signer/device"
	"obverse/core/wallet/signer/ledger"
	"obverse/core/wallet/signer/trezor"
	"obverse/native/hidraw"
	"obverse/native/portowner"
	"obverse/native/speculos"
	"obverse/native/trezorudp"
)

// ledgers reaches Ledger's devices: those on USB, or an emulator that the config names in
// their place.
func (b *backend) ledgers() ledger.Port {
	emulator := b.settings.Config.LedgerEmulator
	switch {
	case emulator != "":
		return speculos.Port{Address: emulator}
	case runtime.GOOS == "linux":
		return ledger.Over(hidraw.New())
	}
	return nil
}

// trezors reaches Trezor's devices: those that Trezor Suite or Bridge has, and those of the
// first model that hidraw shows, or an emulator that the config names in their place.
func (b *backend) trezors() *trezor.Client {
	return &trezor.Client{Port: b.trezorPort(), Patience: device.Patience}
}

func (b *backend) trezorPort() trezor.Port {
	if emulator := b.settings.Config.TrezorEmulator; emulator != "" {
		return trezor.Over(trezorudp.Bus{Address: emulator})
	}
	const confirming = 11 * time.Minute // a person takes to answer what a device shows
	bridge := &trezor.Bridge{Fetch: portowner.New(b.client.Patient(confirming), trezor.BridgePort), URL: trezor.BridgeURL}
	if runtime.GOOS == "linux" {
		return trezor.Either(bridge, trezor.Over(hidraw.New()))
	}
	return bridge
}
