package trezor

import (
	"context"
	"strings"
	"time"

	"obverse/core/wallet/signer/device"
)

// promptWithin is how long a person may take to answer a Prompter, as upstream has it.
const promptWithin = 10 * time.Minute

// What devices take. Other letters than those of ASCII have several encodings, which lead
// to different wallets.
const (
	maxPIN        = 50
	maxPassphrase = 50 // bytes
)

// answerPIN makes the answer to a request for the PIN.
func answerPIN(ctx context.Context) (m Message, err error) {
	p, err := device.Prompted(ctx, "PIN")
	if err != nil {
		return m, err
	}
	var pin string
	err = device.Within(ctx, promptWithin, "entering the PIN", func(ctx context.Context) (err error) {
		pin, err = p.PIN(ctx)
		return err
	})
	if err != nil {
		return m, err
	}
	if pin == "" || len(pin) > maxPIN || strings.Trim(pin, "123456789") != "" {
		return m, device.Failf(device.InvalidPIN, "invalid PIN: want 1 to %d digits from 1 to 9, the places in the matrix that the device shows", maxPIN)
	}
	return Message{KindPinMatrixAck, body(nil).text(1, pin)}, nil
}

// answerPassphrase makes the answer to a request for a passphrase.
func answerPassphrase(ctx context.Context, f Features) (m Message, err error) {
	if f.PassphraseOnDevice {
		return Message{KindPassphraseAck, body(nil).yes(3)}, nil
	}
	p, err := device.Prompted(ctx, "passphrase")
	if err != nil {
		return m, err
	}
	var given device.Passphrase
	err = device.Within(ctx, promptWithin, "entering the passphrase", func(ctx context.Context) (err error) {
		given, err = p.Passphrase(ctx)
		return err
	})
	if err != nil {
		return m, err
	}
	if given.OnDevice {
		return Message{KindPassphraseAck, body(nil).yes(3)}, nil
	}
	if len(given.Text) > maxPassphrase || device.Printable([]byte(given.Text)) != given.Text {
		return m, device.Failf(device.Unsupported, "invalid passphrase of %d bytes: want at most %d, letters, digits and punctuation of English", len(given.Text), maxPassphrase)
	}
	return Message{KindPassphraseAck, body(nil).text(1, given.Text)}, nil
}
