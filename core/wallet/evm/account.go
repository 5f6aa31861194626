package evm

import (
	"context"
	"errors"
	"fmt"

	"obverse/core/key"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/tx"
)

// account is whose coins these are. Its key is fetched from its keeper for each use and
// given back afterwards.
type account struct {
	keepers key.Keepers
	policy  key.Policy
	base    key.Path // what the paths of the network's accounts begin with; nil: unknown
	path    key.Path // of this account, below base
	hd      bool     // the keys of other paths are others
	network tx.Network
	address address.Address
	public  *[33]byte // nil: its wallet does not show it
}

// wallet is the keeper of a wallet outside the node.
func (a *account) wallet() (tx.ChainKeeper, bool) {
	keeper, err := a.keepers.Of(a.policy)
	if err != nil {
		return nil, false
	}
	wallet, is := keeper.(tx.ChainKeeper)
	return wallet, is
}

// fetch gets the account of its keeper.
func (a *account) fetch(ctx context.Context) (key.Account, error) {
	if wallet, is := a.wallet(); is {
		return wallet.OnChain(ctx, a.policy, a.network)
	}
	return a.keepers.Account(ctx, a.policy, a.path)
}

// open looks at the account's key and finds its address.
func (a *account) open(ctx context.Context, at AddressPath) (err error) {
	if a.base != nil {
		if a.path, err = a.base.Address(at.Account, at.Chain, at.Address); err != nil {
			return err
		}
	}
	opened, err := a.fetch(ctx)
	if err != nil {
		return err
	}
	defer opened.Close()
	a.address, a.public, err = tx.AddressOf(opened)
	return err
}

// signer opens the account to sign with it. Who asks closes it.
func (a *account) signer(ctx context.Context) (key.Account, error) {
	opened, err := a.fetch(ctx)
	if err != nil {
		return nil, err
	}
	now, _, err := tx.AddressOf(opened)
	if err == nil && now != a.address {
		err = fmt.Errorf("%w: %w", coin.ErrSigning, key.Switched(now.String(), a.address.String()))
	}
	if err != nil {
		opened.Close()
		return nil, err
	}
	return opened, nil
}

// same demands of a wallet outside the node that its account is still this one.
func (a *account) same(ctx context.Context) error {
	if _, is := a.wallet(); !is {
		return nil
	}
	opened, err := a.signer(ctx)
	if err == nil {
		opened.Close()
	}
	return err
}

// other opens another account of an HD wallet.
func (a *account) other(ctx context.Context, path key.Path) (key.Account, error) {
	return a.keepers.Account(ctx, a.policy, path)
}

// Owner is whose a coin is, for people who look at an activation.
type Owner struct {
	Address   string    // with the checksum of EIP-55
	PublicKey *[33]byte // nil: the wallet that has it does not show it
	Path      key.Path  // of an HD wallet; nil: there is one key
}

func (a *account) owner() Owner {
	o := Owner{Address: a.address.String(), PublicKey: a.public}
	if a.hd {
		o.Path = a.path
	}
	return o
}

// ofKeeper tells errors of keepers that callers are shown as they are.
func ofKeeper(err error) bool {
	var refused *key.NotAllowedError
	var wallet *key.WalletError
	return errors.As(err, &refused) || errors.As(err, &wallet) || errors.Is(err, key.ErrCannot)
}
