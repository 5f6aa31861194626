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

// PageWallet is a kind of browser wallet. The node sends it requests through the page that it
// is in. The page's implementation is in web/src/wallet.
type PageWallet struct {
	Wallets     Wallets
	ID          string // name of the page's implementation and of its file
	Name        string // name for users, with which errors begin
	MaxResponse int    // in bytes
}

// pageTimeout is the timeout for a page that is frozen. The timeouts for users in the page are
// shorter.
const pageTimeout = 10 * time.Minute

// pageRequest is a request to a page. Do is the name of a function in the page's
// implementation.
type pageRequest struct {
	Wallet string `json:"wallet"`
	Do     string `json:"do"`
	With   any    `json:"with"`
}

// Ask calls a function of the page's implementation and decodes its response. Its errors are
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

// Failed returns the error for an invalid response.
func (w PageWallet) Failed(format string, args ...any) error {
	return NewWalletError(string(WalletFailed), w.Name+": "+fmt.Errorf(format, args...).Error())
}

// Wallets provides the wallets in the pages that use the node. Their secrets never reach the
// node.
type Wallets interface {
	// Ask sends a request to a wallet in the page that makes the call of ctx. The request and
	// the answer are JSON, in the format of the provider of the wallet's accounts. The wallet
	// may ask its user for confirmation, which can take minutes. Its errors are *WalletError
	// and those of ctx.
	Ask(ctx context.Context, request []byte) ([]byte, error)
}

// WalletFault is the reason why a wallet outside the node did not fulfill a request.
type WalletFault string

// Faults of wallets.
const (
	WalletNotFound   WalletFault = "WalletNotFound"   // the page has no such wallet
	WalletRefused    WalletFault = "WalletRefused"    // the user refused
	WalletTimeout    WalletFault = "WalletTimeout"    // the user did not respond
	WalletWrongChain WalletFault = "WalletWrongChain" // the wallet has no account on the chain
	WalletSwitched   WalletFault = "WalletSwitched"   // the wallet has switched to another account
	WalletGone       WalletFault = "WalletGone"       // the wallet's page was closed
	WalletFailed     WalletFault = "WalletFailed"     // any other error
)

// WalletFaults returns all faults.
func WalletFaults() []WalletFault {
	return []WalletFault{WalletNotFound, WalletRefused, WalletTimeout, WalletWrongChain, WalletSwitched, WalletGone, WalletFailed}
}

// WalletError is the error of a request to a wallet.
type WalletError struct {
	Fault WalletFault
	Text  string
}

func (e *WalletError) Error() string { return e.Text }

// maxWalletText limits the length of a wallet's error text in bytes.
const maxWalletText = 500

// NewWalletError returns the error for the fault with a name, with the text of a wallet or a
// page. An unknown name becomes WalletFailed.
func NewWalletError(fault, words string) *WalletError {
	e := &WalletError{WalletFault(fault), text.Line(words, maxWalletText)}
	if !slices.Contains(WalletFaults(), e.Fault) {
		e.Fault = WalletFailed
	}
	return e
}

// Switched returns the error for a wallet that has switched from the account with which the
// coin was activated to another one. Both arguments are addresses.
func Switched(now, was string) *WalletError {
	return &WalletError{WalletSwitched, "it switched to account " + now + ", and the coin was activated with " + was +
		": switch back, or disable the coin and activate it again"}
}
