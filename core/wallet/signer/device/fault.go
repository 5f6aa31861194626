package device

import (
	"errors"
	"fmt"
)

// Fault is why a device does not do what it was asked to.
type Fault string

// Faults of devices.
const (
	NotFound         Fault = "DeviceNotFound"         // no such device is plugged in
	Several          Fault = "SeveralDevices"         // the caller has to choose one
	Unexpected       Fault = "UnexpectedDevice"       // it holds other keys than the account's
	Locked           Fault = "DeviceLocked"           // it waits for its PIN
	WrongApp         Fault = "WrongApp"               // another app is open on it, or none
	TooOld           Fault = "TooOld"                 // its app or firmware lacks what was asked for
	Unplugged        Fault = "DeviceUnplugged"        // it was pulled out, or fell asleep, during the request
	Rejected         Fault = "RejectedOnDevice"       // its user said no
	Timeout          Fault = "DeviceTimeout"          // neither the device nor its user answered
	InvalidPIN       Fault = "InvalidPin"             // its user typed another one
	NotInitialized   Fault = "NotInitialized"         // it holds no keys yet
	Busy             Fault = "DeviceBusy"             // it, or another program, is in the middle of something else
	Unsupported      Fault = "UnsupportedByDevice"    // it could not show what it would sign
	SettingOff       Fault = "DeviceSettingOff"       // its app does so after a setting is changed on the device
	InvalidAnswer    Fault = "InvalidDeviceAnswer"    // what it answered is not of its protocol
	InvalidSignature Fault = "InvalidDeviceSignature" // it signed something else, or with another key
	Failed           Fault = "DeviceFailed"           // anything else
)

// Faults lists all faults.
func Faults() []Fault {
	return []Fault{NotFound, Several, Unexpected, Locked, WrongApp, TooOld, Unplugged, Rejected, Timeout, InvalidPIN, NotInitialized,
		Busy, Unsupported, SettingOff, InvalidAnswer, InvalidSignature, Failed}
}

// Error is the error of a request to a device. Its text is for the device's user.
type Error struct {
	Fault Fault
	Text  string
}

func (e *Error) Error() string { return e.Text }

// Failf makes the error of a fault.
func Failf(fault Fault, format string, values ...any) *Error {
	return &Error{fault, fmt.Sprintf(format, values...)}
}

// Is reports whether err comes from a device, with one of the faults.
func Is(err error, faults ...Fault) bool {
	e, ok := errors.AsType[*Error](err)
	if !ok {
		return false
	}
	for _, fault := range faults {
		if e.Fault == fault {
			return true
		}
	}
	return false
}
