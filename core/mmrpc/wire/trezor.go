package wire

import (
	"context"
	"encoding/json"
	"errors"

	"obverse/core/mmrpc/mmerr"
	"obverse/core/task"
	"obverse/core/wallet/signer/device"
)

// Questions of a task to its user, and the user's answers, with the names of Komodo DeFi
// Framework.
const (
	AskPIN        = "EnterTrezorPin"
	AskPassphrase = "EnterTrezorPassphrase"

	actionPIN        = "TrezorPin"
	actionPassphrase = "TrezorPassphrase"
)

// prompts asks the user of a task for input that a Trezor needs.
type prompts struct{ t *task.Task }

// action is an answer of a user.
type action struct {
	Type       string  `json:"action_type"`
	PIN        *string `json:"pin"`
	Passphrase *string `json:"passphrase"`
	OnDevice   bool    `json:"on_device"`
}

var errAction = errors.New("the answer is not what the task asked for")

func (p prompts) ask(ctx context.Context, question, want string) (a action, err error) {
	raw, err := p.t.Ask(ctx, question)
	if err != nil {
		return a, err
	}
	if json.Unmarshal(raw, &a) != nil || a.Type != want || want == actionPIN && a.PIN == nil {
		return a, mmerr.UnexpectedUserAction.From(errAction, mmerr.Expected{Expected: want}, "RPC 'task' is awaiting '"+want+"' user action")
	}
	return a, nil
}

// PIN implements device.Prompter.
func (p prompts) PIN(ctx context.Context) (string, error) {
	a, err := p.ask(ctx, AskPIN, actionPIN)
	if err != nil {
		return "", err
	}
	return *a.PIN, nil
}

// Passphrase implements device.Prompter.
func (p prompts) Passphrase(ctx context.Context) (given device.Passphrase, err error) {
	a, err := p.ask(ctx, AskPassphrase, actionPassphrase)
	if err != nil || a.OnDevice || a.Passphrase == nil { // the Bridge of another program would receive the text
		return device.Passphrase{OnDevice: true}, err
	}
	return device.Passphrase{Text: *a.Passphrase}, nil
}
