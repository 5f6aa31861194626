package trezor

import (
	"fmt"
	"slices"

	"obverse/core/wallet/signer/device"
)

// Version is that of a firmware.
type Version struct{ Major, Minor, Patch uint64 }

func (v Version) String() string { return fmt.Sprintf("%d.%d.%d", v.Major, v.Minor, v.Patch) }

// before reports whether v is older than other.
func (v Version) before(other Version) bool {
	return slices.Compare([]uint64{v.Major, v.Minor, v.Patch}, []uint64{other.Major, other.Minor, other.Patch}) < 0
}

// oldest is the first version that signs transactions with EIP-1559's fees, for the first
// model (major version 1) and for the others.
func oldest(v Version) Version {
	if v.Major <= 1 {
		return Version{1, 10, 4}
	}
	return Version{2, 4, 2}
}

// capabilityEthereum says that a firmware knows EVM networks; one for Bitcoin alone does not.
const capabilityEthereum = 7

// Features is a device's description of itself.
type Features struct {
	Version            Version
	Model              string // as the device calls it: 1, T, Safe 3
	ID                 string // which stays until the device is wiped
	Label              string // which its user gave it
	PassphraseOnDevice bool   // it takes a passphrase nowhere else

	session      []byte
	bootloader   bool
	initialized  bool
	capabilities []uint64
	busy         bool
}

// maxSession bounds the names of sessions, which have 32 bytes.
const maxSession = 64

// readFeatures reads the answer to Initialize.
func readFeatures(all Fields) (f Features, err error) {
	text := func(b []byte, _ bool) string { return device.Printable(b) }
	f = Features{
		Version: Version{all.Number(2), all.Number(3), all.Number(4)},
		Model:   text(all.Bytes(21)), ID: text(all.Bytes(6)), Label: text(all.Bytes(10)),
		bootloader: all.Number(5) == 1, initialized: all.Number(12) == 1, capabilities: all.Numbers(30),
		PassphraseOnDevice: all.Number(36) == 1, busy: all.Number(41) == 1,
	}
	session, _ := all.Bytes(35)
	if len(session) > maxSession {
		return f, device.Failf(device.InvalidAnswer, "invalid session of %d bytes from the device, want at most %d", len(session), maxSession)
	}
	f.session = slices.Clone(session)
	return f, nil
}

// check fails if a device is not ready for requests.
func (f Features) check() error {
	switch want := oldest(f.Version); {
	case f.bootloader:
		return device.Failf(device.WrongApp, "device is in bootloader mode: reconnect it without touching it")
	case !f.initialized:
		return device.Failf(device.NotInitialized, "device holds no wallet yet: set it up with Trezor Suite")
	case f.busy:
		return device.Failf(device.Busy, "device is busy: finish what it shows")
	case f.Version.before(want):
		return device.Failf(device.TooOld, "firmware is too old: version is %s, want %s or newer: update it with Trezor Suite", f.Version, want)
	case len(f.capabilities) > 0 && !slices.Contains(f.capabilities, capabilityEthereum):
		return device.Failf(device.Unsupported, "firmware %s knows Bitcoin only: install the universal one with Trezor Suite", f.Version)
	}
	return nil
}
