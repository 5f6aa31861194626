package ledger

import "obverse/core/wallet/signer/device"

// Statuses of answers. Those of the operating system: LedgerHQ/ledger-live
// libs/ledgerjs/packages/errors; of the apps: doc.go's sources.
const (
	statusOK             = 0x9000
	statusLocked         = 0x5515 // since 2021
	statusLockedOld      = 0x6804
	statusLockedOlder    = 0x6b0c // observed: MetaMask/metamask-extension#17606
	statusRefused        = 0x5501
	statusNoApp          = 0x6511
	statusNotSatisfied   = 0x6985 // Ethereum, and older Cosmos apps: the user said no
	statusNotAllowed     = 0x6986 // Cosmos: the user said no, or a request is under way
	statusSecurity       = 0x6982 // Ethereum: the user said no; older firmware: locked
	statusSystemInFront  = 0x6901 // the system's own screen is open: LedgerHQ/device-sdk-ts#1773
	statusInvalidData    = 0x6a80
	statusCosmosInvalid  = 0x6984 // followed by a text
	statusTooLong        = 0x6988
	statusPathValue      = 0x6989
	statusPrefixLength   = 0x698a
	statusPath           = 0x698b
	statusPrefix         = 0x698c
	statusExpert         = 0x698d
	statusNoMemory       = 0x6a84
	statusTypeUnknown    = 0x6501
	statusNoInstruction  = 0x6d00
	statusNoInstruction2 = 0x6d02
	statusNoClass        = 0x6e00
	statusNoClass2       = 0x6e01
)

// statusError is the error of a status that both apps use alike. What names the request.
func statusError(what, app string, status uint16, data []byte) *device.Error {
	switch status {
	case statusLocked, statusLockedOld, statusLockedOlder:
		return device.Failf(device.Locked, "%s: device is locked: unlock it with its PIN", what)
	case statusRefused, statusNotSatisfied:
		return device.Failf(device.Rejected, "%s: rejected on the device", what)
	case statusNoApp, statusNoClass, statusNoClass2, statusNoInstruction, statusNoInstruction2:
		return device.Failf(device.WrongApp, "%s: app %s is not open on the device: open it", what, app)
	case statusSystemInFront:
		return device.Failf(device.Busy, "%s: device shows its own settings: leave them and open app %s", what, app)
	}
	return device.Failf(device.Failed, "%s: device failed with status %04x%s", what, status, device.Said(data))
}
