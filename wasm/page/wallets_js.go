package main

import (
	"context"
	"errors"

	"obverse/core/key"
	"obverse/core/wallet/signer/ledger"
	"obverse/wasm/jsval"
)

// pageWallets sends requests to the wallet in the caller's page, see host.
type pageWallets struct{ host *host }

var _ key.Wallets = pageWallets{}

// wallets returns nil if the host serves no pages with wallets.
func (h *host) wallets() key.Wallets {
	if h.object.Get("wallet").Kind() != "function" {
		return nil
	}
	return pageWallets{h}
}

// ledgers returns a port to Ledger's devices through the pages; nil if the host serves no pages.
func (h *host) ledgers() ledger.Port {
	if pages := h.wallets(); pages != nil {
		return ledger.Over(devices{pages})
	}
	return nil
}

// callerKey is the context key of the client that made a call.
type callerKey struct{}

// calledBy adds the client in an argument to the context, if there is one.
func calledBy(ctx context.Context, client jsval.Value) context.Context {
	if id, err := client.Whole(); err == nil {
		return context.WithValue(ctx, callerKey{}, id)
	}
	return ctx
}

// Ask implements key.Wallets.
func (w pageWallets) Ask(ctx context.Context, request []byte) ([]byte, error) {
	client, known := ctx.Value(callerKey{}).(int64)
	if !known {
		return nil, key.NewWalletError(string(key.WalletGone), "the call came from no page, and a wallet is in one")
	}
	answer, err := w.host.object.Call("wallet", client, string(request))
	if err == nil {
		answer, err = jsval.Await(ctx, answer)
	}
	var thrown *jsval.Error
	if errors.As(err, &thrown) {
		return nil, key.NewWalletError(thrown.Kind, thrown.Text)
	}
	if err != nil {
		return nil, err
	}
	text, err := answer.Text()
	if err != nil {
		return nil, key.NewWalletError(string(key.WalletFailed), "the page's answer: "+err.Error())
	}
	return []byte(text), nil
}
