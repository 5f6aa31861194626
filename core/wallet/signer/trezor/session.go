package trezor

import (
	"context"
	"strings"
	"time"

	"obverse/core/wallet/signer/device"
)

// session is a conversation with a device.
type session struct {
	link     Link
	done     func() // ends the turn in the queue
	features Features
	waiting  bool // whether the device expects something, or its answer is outstanding
}

// close cancels the request for which the device waits, and closes the link.
func (s *session) close(ctx context.Context) {
	if s.waiting {
		leaving, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaveWithin)
		_ = s.link.Tell(leaving, Message{Kind: KindCancel}) // the next Initialize has the same effect
		cancel()
	}
	_ = s.link.Close() // all answers were received already
	s.done()
}

// maxRounds is the maximum number of requests of a device before its answer. It shows long
// messages in pages.
const maxRounds = 200

// call sends a message, answers the device's requests, and returns the fields of its answer,
// which must be of the given kind.
func (s *session) call(ctx context.Context, what string, m Message, want Kind) (Fields, error) {
	limit := answerWithin
	for range maxRounds {
		answer, err := s.exchange(ctx, what, limit, m)
		if m.Kind == KindButtonAck || m.Kind == KindPinMatrixAck || m.Kind == KindPassphraseAck {
			device.Report(ctx, device.Proceeding)
		}
		if err != nil {
			return nil, err
		}
		all, ok := ReadFields(answer.Body)
		if !ok {
			return nil, device.Failf(device.InvalidAnswer, "%s: invalid message of kind %d from the device", what, answer.Kind)
		}
		limit = answerWithin
		switch answer.Kind {
		case want:
			s.waiting = false
			return all, nil
		case KindFailure:
			s.waiting = false
			return nil, failed(what, all)
		case KindButtonRequest:
			device.Report(ctx, device.FollowDeviceInstructions)
			m, limit = Message{Kind: KindButtonAck}, confirmWithin
		case KindPinMatrixRequest:
			m, err = answerPIN(ctx)
		case KindPassphrase:
			m, err = answerPassphrase(ctx, s.features)
		default:
			return nil, device.Failf(device.InvalidAnswer, "%s: device answered with a message of kind %d, want %d", what, answer.Kind, want)
		}
		if err != nil {
			return nil, err
		}
	}
	return nil, device.Failf(device.InvalidAnswer, "%s: device asked %d times and did not answer", what, maxRounds)
}

func (s *session) exchange(ctx context.Context, what string, limit time.Duration, m Message) (answer Message, err error) {
	s.waiting = true
	err = device.Within(ctx, limit, what, func(ctx context.Context) error {
		answer, err = s.link.Call(ctx, m)
		return err
	})
	return answer, err
}

// promptWithin is how long a user may take to answer a Prompter, as in Komodo DeFi Framework.
const promptWithin = 10 * time.Minute

// Limits of devices. Characters other than ASCII have several encodings, which would select
// different wallets.
const (
	maxPIN        = 50
	maxPassphrase = 50 // in bytes
)

// answerPIN returns the answer to a request for the PIN.
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

// answerPassphrase returns the answer to a request for a passphrase.
func answerPassphrase(ctx context.Context, f Features) (m Message, err error) {
	if f.PassphraseOnDevice {
		return Message{KindPassphraseAck, body(nil).flag(3)}, nil
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
		return Message{KindPassphraseAck, body(nil).flag(3)}, nil
	}
	if len(given.Text) > maxPassphrase || device.Printable([]byte(given.Text)) != given.Text {
		return m, device.Failf(device.Unsupported, "invalid passphrase of %d bytes: want at most %d, letters, digits and punctuation of English", len(given.Text), maxPassphrase)
	}
	return Message{KindPassphraseAck, body(nil).text(1, given.Text)}, nil
}
