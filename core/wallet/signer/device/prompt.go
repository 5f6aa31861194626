package device

import "context"

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
	Text     string // "": the wallet without one
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
