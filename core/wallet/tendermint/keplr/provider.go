package keplr

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"obverse/core/key"
	"obverse/core/wallet/account"
	"obverse/core/wallet/tendermint/address"
	"obverse/core/wallet/tendermint/tx"
)

// Provider is the provider of BrowserWallet for chains of the Cosmos family.
type Provider struct{ Wallets key.Wallets }

var (
	_ key.Provider                      = Provider{}
	_ account.ChainProvider[tx.Network] = Provider{}
)

// Policy implements key.Provider.
func (Provider) Policy() key.PolicyName { return key.NameBrowserWallet }

// Account implements key.Provider. It refuses: the wallet has to know the chain.
func (Provider) Account(context.Context, key.Policy, key.Path) (key.Account, error) {
	return nil, fmt.Errorf("%s %w: it has accounts on chains of the Cosmos family only", key.NameBrowserWallet, key.ErrUnsupported)
}

// algorithm is the only one whose addresses are as this package checks them. Chains with
// others are not for the node, whatever wallet signs.
const algorithm = "secp256k1"

// OnChain implements account.ChainProvider. The wallet may ask its user for leave, and for leave
// to learn of the chain.
func (k Provider) OnChain(ctx context.Context, _ key.Policy, n tx.Network) (key.Account, error) {
	var own struct {
		Algorithm string `json:"algo"`
		PublicKey []byte `json:"public_key"`
		Address   string `json:"address"`
		Amino     bool   `json:"amino"`
	}
	if err := k.ask(ctx, "key", n, &own); err != nil {
		return nil, err
	}
	if own.Algorithm != algorithm {
		return nil, fmt.Errorf("%s %w: its key on %s is of %.40q, not of %s", key.NameBrowserWallet, key.ErrUnsupported, n.ID, own.Algorithm, algorithm)
	}
	external, err := key.NewExternalKey(key.Secp256k1, own.PublicKey)
	if err != nil {
		return nil, failed("invalid public key: %w", err)
	}
	shown, err := address.Parse(own.Address)
	if err != nil {
		return nil, failed("invalid address: %w", err)
	}
	if shown.Prefix() != n.Prefix {
		return nil, &key.WalletError{Fault: key.WalletWrongChain,
			Text: fmt.Sprintf("Keplr: its addresses on %s begin with %s, those of the coin with %s", n.ID, shown.Prefix(), n.Prefix)}
	}
	a := &opened{provider: k, chain: n.ID, public: [33]byte(external.Bytes()), amino: own.Amino}
	if of, err := address.OfKey(n.Prefix, a.public); err != nil || of != shown {
		return nil, failed("its address is not that of its public key")
	}
	return a, nil
}

// patience is for a page that is frozen: one that works gives its user less time.
const patience = 10 * time.Minute

// maxAnswer bounds an answer in bytes: a document of the largest size that tx reads.
const maxAnswer = 2 << 20

// question is what a page is asked. Do is one of the functions in web/src/wallet/keplr.js.
type question struct {
	Wallet string `json:"wallet"`
	Do     string `json:"do"`
	With   any    `json:"with"`
}

// ask has the wallet do something and reads the answer.
func (k Provider) ask(ctx context.Context, do string, with, into any) error {
	request, err := json.Marshal(question{"keplr", do, with})
	if err != nil {
		return err
	}
	patient, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	answer, err := k.Wallets.Ask(patient, request)
	switch {
	case errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil:
		return &key.WalletError{Fault: key.WalletTimeout, Text: fmt.Sprintf("Keplr: the page did not answer within %s", patience)}
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
	return key.NewWalletError(string(key.WalletFailed), "Keplr: "+fmt.Errorf(format, args...).Error())
}
