package cosmos

import (
	"context"
	"errors"
	"fmt"

	"obverse/core/key"
	"obverse/core/wallet/account"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/tx"
)

// codec finds the addresses of a chain by their prefix.
func codec(prefix string) account.Codec[address.Address] {
	ofKey := func(public [33]byte) (address.Address, error) { return address.OfKey(prefix, public) }
	return account.Codec[address.Address]{OfKey: ofKey, Of: func(opened key.Account) (a address.Address, public *[33]byte, err error) {
		if keyer, is := opened.(key.PublicKeyer); is {
			shown := keyer.PublicKey()
			public = &shown
		}
		if elsewhere, is := opened.(key.ExternalAccount); is {
			a, err = address.OfExternal(prefix, elsewhere.ExternalKey())
			return a, public, err
		}
		if public == nil {
			_, err = key.As[key.PublicKeyer](opened)
			return a, nil, err
		}
		a, err = ofKey(*public)
		return a, public, err
	}}
}

// reader is the account for estimates, for which nobody signs and no device is asked.
func (c *chain) reader() (key.Account, error) {
	policy := c.account.Policy().Name()
	if c.account.Public == nil {
		return nil, fmt.Errorf("%s %w: its key is of another curve", policy, key.ErrUnsupported)
	}
	return reader{policy, *c.account.Public}, nil
}

// reader knows a public key and looks as if it could sign.
type reader struct {
	policy key.PolicyName
	public [33]byte
}

var _ key.HashSigner = reader{}

var errReader = errors.New("a fee estimate cannot be signed")

func (r reader) Policy() key.PolicyName { return r.policy }
func (reader) Close()                   {}
func (r reader) PublicKey() [33]byte    { return r.public }

func (reader) SignHash(context.Context, [32]byte) (key.Signature, error) {
	return key.Signature{}, errReader
}

// wallet makes what sends from an account that was opened.
func (c *chain) wallet(opened key.Account, confirmations uint64) *tx.Wallet {
	w := &tx.Wallet{Chain: c.params, Node: c.nodes, Account: opened, Address: c.account.Address, Now: c.now, Queue: c.queue, Confirmations: confirmations}
	if c.account.HD {
		w.Open, w.Path = c.account.Other, c.account.Base
	}
	return w
}
