package wire

import (
	"obverse/core/mmrpc/mmerr"
	"obverse/core/rpc"
	"obverse/core/wallet/signer/device"
)

// deviceFailure returns an error of a hardware wallet with a kind: HwError or Timeout, as in
// Komodo DeFi Framework (crypto/src/hw_error.rs).
func deviceFailure(err error, e *device.Error) error {
	if e.Fault == device.Timeout {
		return mmerr.HwTimeout.From(err, e.Text, e.Text)
	}
	return mmerr.HwError.From(err, mmerr.Nested{Type: hwKind(e.Fault), Data: e.Text}, e.Text)
}

// hwKind returns the name of a fault. It is that of Komodo DeFi Framework if it has such a
// fault.
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

// DeviceKinds returns the kinds of errors that deviceFailure returns.
func DeviceKinds() []rpc.ErrorKind { return append(Kinds(mmerr.HwError), Kinds(mmerr.HwTimeout)...) }

// States of tasks that wait for a hardware wallet, with the names of Komodo DeFi Framework.
const (
	StateWaiting = "WaitingForTrezorToConnect"
	StateFollow  = "FollowHwDeviceInstructions"
)
