package device

import (
	"context"
	"errors"
	"fmt"
)

// Fault is why a device does not do what it was asked to.
type Fault string

// Faults of devices.
const (
	NotFound         Fault = "DeviceNotFound"         // no such device is plugged in
	MultipleDevices  Fault = "SeveralDevices"         // the caller has to choose one
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
	return []Fault{NotFound, MultipleDevices, Unexpected, Locked, WrongApp, TooOld, Unplugged, Rejected, Timeout, InvalidPIN, NotInitialized,
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

// Prompter asks a person for what a device wants to have typed at the host. What it
// returns is sent to the device and kept nowhere.
type Prompter interface {
	// PIN asks for the places of the PIN's digits in the matrix that the device shows: 1 is
	// at the bottom left, 9 at the top right.
	PIN(ctx context.Context) (string, error)
	// Passphrase asks for the passphrase of the wallet that is wanted.
	Passphrase(ctx context.Context) (Passphrase, error)
}

// Passphrase leads to one of a device's wallets.
type Passphrase struct {
	Text     string // "" means the wallet without one
	OnDevice bool   // it is typed there, and Text is not used
}

// prompterKey finds the Prompter in a context.
type prompterKey struct{}

// Prompt makes a context whose requests ask p.
func Prompt(ctx context.Context, p Prompter) context.Context {
	return context.WithValue(ctx, prompterKey{}, p)
}

// Prompted is the Prompter of a context. Without one, the device stays locked.
func Prompted(ctx context.Context, wants string) (Prompter, error) {
	p, ok := ctx.Value(prompterKey{}).(Prompter)
	if !ok {
		return nil, Failf(Locked, "device waits for its %s: connect to it first (task::init_trezor::init)", wants)
	}
	return p, nil
}

// Identity is a device with the wallet that its passphrase leads to.
type Identity struct {
	Model  string   // as the device calls it: 1, T, Safe 3
	ID     string   // which stays until the device is wiped
	Label  string   // which its user gave it
	Wallet [20]byte // names the wallet: the hash of a public key that serves for nothing else
}

// State is the user action that a request to a device waits for.
type State string

// States of requests.
const (
	WaitingForDevice         State = "WaitingForDevice"         // to be plugged in, unlocked, its app opened
	FollowDeviceInstructions State = "FollowDeviceInstructions" // its user has to confirm or reject
	Proceeding               State = "Proceeding"               // the request needs neither
)

// listenerKey finds the listener in a context.
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
