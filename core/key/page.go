package key

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
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

// Failed is the error of a response that makes no sense.
func (w PageWallet) Failed(format string, args ...any) error {
	return NewWalletError(string(WalletFailed), w.Name+": "+fmt.Errorf(format, args...).Error())
}
