package tendermint

import (
	"context"
	"errors"
	"fmt"

	"obverse/core/key"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/tendermint/address"
	"obverse/core/wallet/tendermint/tx"
)

// account is whose coins these are. Its key is fetched from its keeper for each use and
// given back afterwards.
type account struct {
	keepers key.Keepers
	policy  key.Policy
	base    key.Path // what the paths of the coin's accounts begin with; nil: unknown
	path    key.Path // of this account, below base
	hd      bool     // the keys of other paths are others
	network tx.Network
	address address.Address
	public  *[33]byte // nil: of another curve, so that nothing is signed
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

// remembered is the account of a key that a wallet showed once. The wallet is asked when
// something is to be signed: nobody may be there now.
func (a *account) remembered(public [33]byte) (err error) {
	a.public = &public
	a.address, err = address.OfKey(a.network.Prefix, public)
	return err
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
	if elsewhere, is := opened.(key.Elsewhere); is {
		a.address, err = address.OfExternal(a.network.Prefix, elsewhere.ExternalKey())
	} else {
		a.address, err = addressOf(a.network.Prefix, opened)
	}
	if keyer, is := opened.(key.PublicKeyer); is {
		public := keyer.PublicKey()
		a.public = &public
	}
	return err
}

func addressOf(prefix string, opened key.Account) (address.Address, error) {
	keyer, err := key.As[key.PublicKeyer](opened)
	if err != nil {
		return address.Address{}, err
	}
	return address.OfKey(prefix, keyer.PublicKey())
}

// signer opens the account to sign with it. Who asks closes it.
func (a *account) signer(ctx context.Context) (key.Account, error) {
	opened, err := a.fetch(ctx)
	if err != nil {
		return nil, err
	}
	now, err := addressOf(a.network.Prefix, opened)
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

// reader is the account for estimates, for which nobody signs and no device is asked.
func (a *account) reader() (key.Account, error) {
	if a.public == nil {
		return nil, fmt.Errorf("%s %w: its key is of another curve", a.policy.Name(), key.ErrCannot)
	}
	return reader{a.policy.Name(), *a.public}, nil
}

// reader knows a public key and looks as if it could sign.
type reader struct {
	policy key.PolicyName
	public [33]byte
}

var _ key.HashSigner = reader{}

var errReader = errors.New("an estimate is not signed")

func (r reader) Policy() key.PolicyName { return r.policy }
func (reader) Close()                   {}
func (r reader) PublicKey() [33]byte    { return r.public }

func (reader) SignHash(context.Context, [32]byte) (key.Signature, error) {
	return key.Signature{}, errReader
}

// wallet makes what sends from an account that was opened.
func (c *chain) wallet(opened key.Account, confirmations uint64) *tx.Wallet {
	w := &tx.Wallet{Chain: c.facts, Node: c.nodes, Account: opened, Address: c.account.address, Now: c.now, Turns: c.turns, Confirmations: confirmations}
	if c.account.hd {
		w.Open, w.Path = c.account.other, c.account.base
	}
	return w
}
