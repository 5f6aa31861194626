package keplr

import (
	"context"
	"fmt"

	"obverse/core/key"
	"obverse/core/wallet/account"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/tx"
)

// Provider is the provider of BrowserWallet for chains of the Cosmos family.
type Provider struct{ Wallets key.Wallets }

var _ account.ChainProvider[tx.Network] = Provider{}

// Policy implements key.Provider.
func (Provider) Policy() key.PolicyName { return key.NameBrowserWallet }

// algorithm is the only one whose addresses are as this package checks them. Chains with
// others are not for the node, whatever wallet signs.
const algorithm = "secp256k1"

// OnChain implements account.ChainProvider. The wallet may ask its user for leave, and for leave
// to learn of the chain.
func (k Provider) OnChain(ctx context.Context, _ key.Policy, _ account.Place, n tx.Network) (key.Account, error) {
	var own struct {
		Algorithm string `json:"algo"`
		PublicKey []byte `json:"public_key"`
		Address   string `json:"address"`
		Amino     bool   `json:"amino"`
	}
	if err := k.page().Ask(ctx, "key", n, &own); err != nil {
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

// maxResponse bounds a response in bytes: a document of the largest size that tx reads.
const maxResponse = 2 << 20

// page asks the wallet by the functions in web/src/wallet/keplr.js.
func (k Provider) page() key.PageWallet {
	return key.PageWallet{Wallets: k.Wallets, ID: "keplr", Name: "Keplr", MaxResponse: maxResponse}
}

// failed is for responses that make no sense.
func failed(format string, args ...any) error { return Provider{}.page().Failed(format, args...) }
