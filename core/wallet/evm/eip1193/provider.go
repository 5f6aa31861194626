package eip1193

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"obverse/core/key"
	"obverse/core/wallet/account"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/tx"
)

// Provider is the provider of BrowserWallet for EVM networks.
type Provider struct{ Wallets key.Wallets }

var (
	_ key.Provider                      = Provider{}
	_ account.ChainProvider[tx.Network] = Provider{}
)

// Policy implements key.Provider.
func (Provider) Policy() key.PolicyName { return key.NameBrowserWallet }

// Account implements key.Provider. It refuses: the wallet has to know the network.
func (Provider) Account(context.Context, key.Policy, key.Path) (key.Account, error) {
	return nil, fmt.Errorf("%s %w: it has accounts on EVM networks only", key.NameBrowserWallet, key.ErrUnsupported)
}

// OnChain implements account.ChainProvider. The wallet may ask its user for leave, and for leave
// to go to the network and to learn of it.
func (k Provider) OnChain(ctx context.Context, _ key.Policy, n tx.Network) (key.Account, error) {
	var own struct {
		Address string `json:"address"`
	}
	if err := k.ask(ctx, "account", n, &own); err != nil {
		return nil, err
	}
	shown, err := address.Parse(own.Address)
	if err != nil {
		return nil, failed("invalid address: %w", err)
	}
	return &opened{provider: k, network: n, address: shown}, nil
}

// patience is for a page that is frozen: one that works gives its user less time.
const patience = 10 * time.Minute

// maxAnswer bounds an answer in bytes: hashes, addresses and signatures are short.
const maxAnswer = 4 << 10

// question is what a page is asked. Do is one of the functions in
// web/src/wallet/eip1193.js.
type question struct {
	Wallet string `json:"wallet"`
	Do     string `json:"do"`
	With   any    `json:"with"`
}

// ask has the wallet do something and reads the answer.
func (k Provider) ask(ctx context.Context, do string, with, into any) error {
	request, err := json.Marshal(question{"eip1193", do, with})
	if err != nil {
		return err
	}
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answer, err := k.Wallets.Ask(patient, request)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return &key.WalletError{Fault: key.WalletTimeout, Text: fmt.Sprintf("the page of the wallet did not answer within %s", patience)}
	case err != nil:
		return err
	case len(answer) > maxAnswer:
		return failed("the response has more than %d bytes", maxAnswer)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return failed("invalid response: %w", err)
	}
	return nil
}

// failed is for answers that make no sense.
func failed(format string, args ...any) error {
	return key.NewWalletError(string(key.WalletFailed), "the browser's wallet: "+fmt.Errorf(format, args...).Error())
}
