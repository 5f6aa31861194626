package wire

import (
	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/wallet/signer/device"
)

// deviceFailure gives the errors of hardware wallets their kinds: HwError and Timeout, as
// Komodo DeFi Framework has them (crypto/src/hw_error.rs).
func deviceFailure(err error, e *device.Error) error {
	if e.Fault == device.Timeout {
		return mmerr.HwTimeout.From(err, e.Text, e.Text)
	}
	return mmerr.HwError.From(err, mmerr.Nested{Type: hwKind(e.Fault), Data: e.Text}, e.Text)
}

// hwKind is a fault's name: upstream's if it has one.
func hwKind(fault device.Fault) string {
	switch fault {
	case device.NotFound:
		return "NoTrezorDeviceAvailable"
	case device.MultipleDevices:
		return "FoundMultipleDevices"
	case device.Unexpected:
		return "FoundUnexpectedDevice"
	case device.InvalidAnswer:
		return "UnexpectedMessage"
	case device.InvalidSignature:
		return "InvalidSignature"
	}
	return string(fault)
}

// DeviceKinds are the kinds of deviceFailure.
func DeviceKinds() []rpc.ErrorKind { return append(Kinds(mmerr.HwError), Kinds(mmerr.HwTimeout)...) }

// States of tasks that wait for a hardware wallet, by upstream's names.
const (
	StateWaiting = "WaitingForTrezorToConnect"
	StateFollow  = "FollowHwDeviceInstructions"
)
