package key

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"obverse/core/text"
)

// PageWallet is one kind of browser wallet, which the node asks through the page that it is
// in. The page's half is web/src/wallet.
type PageWallet struct {
	Wallets     Wallets
	ID          string // of the page's half: the name of its file
	Name        string // for people: errors begin with it
	MaxResponse int    // in bytes
}

// pageTimeout is for a page that is frozen: one that works gives its user less time.
const pageTimeout = 10 * time.Minute

// pageRequest is a request to a page. Do is a function of the page's half.
type pageRequest struct {
	Wallet string `json:"wallet"`
	Do     string `json:"do"`
	With   any    `json:"with"`
}

// Ask calls a function of the page's half and decodes its response. Errors are
// *WalletError and those of ctx.
func (w PageWallet) Ask(ctx context.Context, function string, params, response any) error {
	request, err := json.Marshal(pageRequest{w.ID, function, params})
	if err != nil {
		return err
	}
	limited, cancel := context.WithTimeout(ctx, pageTimeout)
	defer cancel()
	raw, err := w.Wallets.Ask(limited, request)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return &WalletError{WalletTimeout, fmt.Sprintf("%s: timed out, the page did not answer within %s", w.Name, pageTimeout)}
	case err != nil:
		return err
	case len(raw) > w.MaxResponse:
		return w.Failed("the response has more than %d bytes", w.MaxResponse)
	}
	if err := json.Unmarshal(raw, response); err != nil {
		return w.Failed("invalid response: %w", err)
	}
	return nil
}

// Failed returns the error of a response that makes no sense.
func (w PageWallet) Failed(format string, args ...any) error {
	return NewWalletError(string(WalletFailed), w.Name+": "+fmt.Errorf(format, args...).Error())
}

// Wallets are the wallets in the pages that use the node. No secret of theirs comes
// into the node.
type Wallets interface {
	// Ask sends a request to a wallet in the page that makes the call of ctx. Request and answer
	// are JSON, in the format of the provider of the wallet's accounts. The wallet may ask its
	// user, which takes minutes. Errors are *WalletError and those of ctx.
	Ask(ctx context.Context, request []byte) ([]byte, error)
}

// WalletFault is why a wallet outside the node does not do what it was asked to.
type WalletFault string

// Faults of wallets.
const (
	WalletNotFound   WalletFault = "WalletNotFound"   // the page has no such wallet
	WalletRefused    WalletFault = "WalletRefused"    // its user said no
	WalletTimeout    WalletFault = "WalletTimeout"    // its user said nothing
	WalletWrongChain WalletFault = "WalletWrongChain" // it has no account on the chain
	WalletSwitched   WalletFault = "WalletSwitched"   // its account is another one now
	WalletGone       WalletFault = "WalletGone"       // the page that it is in was closed
	WalletFailed     WalletFault = "WalletFailed"     // anything else
)

// WalletFaults lists all faults.
func WalletFaults() []WalletFault {
	return []WalletFault{WalletNotFound, WalletRefused, WalletTimeout, WalletWrongChain, WalletSwitched, WalletGone, WalletFailed}
}

// WalletError is the error of a request to a wallet.
type WalletError struct {
	Fault WalletFault
	Text  string
}

func (e *WalletError) Error() string { return e.Text }

// maxWalletText bounds what a wallet says, in bytes.
const maxWalletText = 500

// NewWalletError returns the error of a fault, by its name, with the text of a wallet or a
// page. An unknown name becomes WalletFailed.
func NewWalletError(fault, words string) *WalletError {
	e := &WalletError{WalletFault(fault), text.Line(words, maxWalletText)}
	if !slices.Contains(WalletFaults(), e.Fault) {
		e.Fault = WalletFailed
	}
	return e
}

// Switched returns the error of a wallet that has changed from the account of the coin's
// activation to another one. Both are addresses.
func Switched(now, was string) *WalletError {
	return &WalletError{WalletSwitched, "it switched to account " + now + ", and the coin was activated with " + was +
		": switch back, or disable the coin and activate it again"}
}
