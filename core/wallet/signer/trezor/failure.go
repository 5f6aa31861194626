package trezor

import "obverse/core/wallet/signer/device"

// Codes of failures: common/protob/messages-common.proto, FailureType.
const (
	failureUnexpected     = 1
	failureData           = 3
	failureCancelled      = 4
	failurePinExpected    = 5
	failurePinCancelled   = 6
	failurePinInvalid     = 7
	failureNotInitialized = 11
	failurePinMismatch    = 12
	failureSession        = 14
	failureBusy           = 15
)

func failureCode(m Message) uint64 {
	all, _ := ReadFields(m.Body)
	return all.Number(1)
}

// failed is the error of a failure's fields. What names the request.
func failed(what string, all Fields) *device.Error {
	words, _ := all.Bytes(2)
	code, said := all.Number(1), device.Said(words)
	switch code {
	case failureCancelled, failurePinCancelled:
		return device.Failf(device.Rejected, "%s: rejected on the device", what)
	case failurePinInvalid, failurePinMismatch:
		return device.Failf(device.InvalidPIN, "%s: invalid PIN", what)
	case failurePinExpected:
		return device.Failf(device.Locked, "%s: device is locked: unlock it with its PIN", what)
	case failureUnexpected:
		return device.Failf(device.TooOld, "%s: device's firmware does not know this request%s: update it with Trezor Suite", what, said)
	case failureData:
		return device.Failf(device.Unsupported, "%s: device refused the request%s", what, said)
	case failureNotInitialized:
		return device.Failf(device.NotInitialized, "%s: device holds no wallet yet: set it up with Trezor Suite", what)
	case failureBusy, failureSession:
		return device.Failf(device.Busy, "%s: device is busy%s: try again", what, said)
	}
	return device.Failf(device.Failed, "%s: device failed with code %d%s", what, code, said)
}
