package device

import (
	"context"
	"errors"
	"fmt"
)

// Fault is the reason why a device did not perform a request.
type Fault string

// Faults of devices.
const (
	NotFound         Fault = "DeviceNotFound"         // no such device is plugged in
	MultipleDevices  Fault = "SeveralDevices"         // the caller must choose one
	Unexpected       Fault = "UnexpectedDevice"       // the device has other keys than the account's
	Locked           Fault = "DeviceLocked"           // the device waits for its PIN
	WrongApp         Fault = "WrongApp"               // another app is open on the device, or none
	TooOld           Fault = "TooOld"                 // the app or the firmware does not support the request
	Unplugged        Fault = "DeviceUnplugged"        // the device was unplugged, or fell asleep, during the request
	Rejected         Fault = "RejectedOnDevice"       // the user rejected the request
	Timeout          Fault = "DeviceTimeout"          // neither the device nor the user answered
	InvalidPIN       Fault = "InvalidPin"             // the user entered a wrong PIN
	NotInitialized   Fault = "NotInitialized"         // the device has no keys yet
	Busy             Fault = "DeviceBusy"             // the device, or another program, is busy
	Unsupported      Fault = "UnsupportedByDevice"    // the device cannot display the data to be signed
	SettingOff       Fault = "DeviceSettingOff"       // the app requires that a setting is changed on the device
	InvalidAnswer    Fault = "InvalidDeviceAnswer"    // the answer violates the device's protocol
	InvalidSignature Fault = "InvalidDeviceSignature" // the device signed something else, or with another key
	Failed           Fault = "DeviceFailed"           // any other failure
)

// Faults returns all faults.
func Faults() []Fault {
	return []Fault{NotFound, MultipleDevices, Unexpected, Locked, WrongApp, TooOld, Unplugged, Rejected, Timeout, InvalidPIN, NotInitialized,
		Busy, Unsupported, SettingOff, InvalidAnswer, InvalidSignature, Failed}
}

// Error is the error of a request to a device. Its text is for the user of the device.
type Error struct {
	Fault Fault
	Text  string
}

func (e *Error) Error() string { return e.Text }

// Failf returns an error with a fault.
func Failf(fault Fault, format string, values ...any) *Error {
	return &Error{fault, fmt.Sprintf(format, values...)}
}

// Is reports whether err is from a device and has one of the faults.
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

// Prompter asks the user for inputs that a device requires at the host. The inputs are sent to
// the device and not kept.
type Prompter interface {
	// PIN asks for the positions of the PIN's digits in the matrix on the device. 1 is at the
	// bottom left, 9 at the top right.
	PIN(ctx context.Context) (string, error)
	// Passphrase asks for the passphrase of the wallet.
	Passphrase(ctx context.Context) (Passphrase, error)
}

// Passphrase selects one of a device's wallets.
type Passphrase struct {
	Text     string // "" means the wallet without a passphrase
	OnDevice bool   // whether it is entered on the device; Text is not used then
}

// prompterKey is the context key of the Prompter.
type prompterKey struct{}

// Prompt returns a context with a Prompter for its requests.
func Prompt(ctx context.Context, p Prompter) context.Context {
	return context.WithValue(ctx, prompterKey{}, p)
}

// Prompted returns the Prompter of a context. Without one, the device stays locked.
func Prompted(ctx context.Context, wants string) (Prompter, error) {
	p, ok := ctx.Value(prompterKey{}).(Prompter)
	if !ok {
		return nil, Failf(Locked, "device waits for its %s: connect to it first (task::init_trezor::init)", wants)
	}
	return p, nil
}

// Identity identifies a device and the wallet of its passphrase.
type Identity struct {
	Model  string   // as reported by the device: 1, T, Safe 3
	ID     string   // does not change until the device is wiped
	Label  string   // set by the user
	Wallet [20]byte // identifies the wallet; the hash of a public key that is used for nothing else
}

// State is the user action for which a request to a device waits.
type State string

// States of requests.
const (
	WaitingForDevice         State = "WaitingForDevice"         // the device must be plugged in or unlocked, or an app opened
	FollowDeviceInstructions State = "FollowDeviceInstructions" // the user must confirm or reject
	Proceeding               State = "Proceeding"               // no user action is required
)

// listenerKey is the context key of the listener.
type listenerKey struct{}

// Listen returns a context whose requests report each change of their state to listener. The
// goroutine of the request calls it, so it must not wait for the request.
func Listen(ctx context.Context, listener func(State)) context.Context {
	return context.WithValue(ctx, listenerKey{}, listener)
}

// Report sends a state to the listener of ctx.
func Report(ctx context.Context, s State) {
	if listener, ok := ctx.Value(listenerKey{}).(func(State)); ok {
		listener(s)
	}
}
