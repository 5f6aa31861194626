package daemon

import (
	"context"

	"obverse/core/chain"
	"obverse/core/chain/keyring"
	"obverse/core/chain/script"
	"obverse/core/rpc"
)

func (b *Backend) addressBookMethods() []rpc.Method {
	return []rpc.Method{
		rpc.Handle("getnewaddress", rpc.Doc{
			Usage:    `getnewaddress ( "account" )`,
			Summary:  "Return a new address for payments to the wallet",
			Detail:   "The key of the address is derived from the node's key, so the recovery phrase restores it. An account is a name for addresses; any text is valid.",
			Category: categoryWallet,
		}, b.getNewAddress),
		rpc.Handle("getrawchangeaddress", rpc.Doc{
			Summary:  "Return a new address for the change of a transaction that the client builds",
			Category: categoryWallet,
		}, b.getRawChangeAddress),
		rpc.Handle("getaccountaddress", rpc.Doc{
			Usage:    `getaccountaddress "account"`,
			Summary:  "Return the receiving address of an account, or a new one if that address has received coins",
			Category: categoryWallet,
		}, b.getAccountAddress),
		rpc.Handle("setaccount", rpc.Doc{
			Usage:    `setaccount "komodoaddress" ( "account" )`,
			Summary:  "Set the account of an address of the wallet",
			Category: categoryWallet,
		}, b.setAccount).Gives(nil),
		rpc.Handle("getaccount", rpc.Doc{
			Usage:    `getaccount "komodoaddress"`,
			Summary:  "Return the account of an address",
			Category: categoryWallet,
		}, b.getAccount),
		rpc.Handle("getaddressesbyaccount", rpc.Doc{
			Usage:    `getaddressesbyaccount "account"`,
			Summary:  "List the addresses of an account",
			Category: categoryWallet,
		}, b.getAddressesByAccount),
		rpc.Handle("keypoolrefill", rpc.Doc{
			Usage:    "keypoolrefill ( newsize )",
			Summary:  "Do nothing: the wallet derives its keys when they are needed",
			Category: categoryWallet,
		}, b.keyPoolRefill).Gives(nil),
	}
}

// errLocked is returned by methods that need a private key while the wallet is locked.
var errLocked = &Error{CodeLocked, "Error: Please enter the wallet passphrase with walletpassphrase first."}

// errExhausted is returned by methods that need a new address if the wallet is locked and has
// issued all keys that it had derived.
var errExhausted = &Error{CodeKeyPool, "Error: Keypool ran out, please call keypoolrefill first"}

type newAddressParams struct {
	Account Text `json:"account" rpc:"optional" doc:"account of the address"`
}

func (b *Backend) getNewAddress(ctx context.Context, p newAddressParams) (script.Address, error) {
	return b.newAddress(ctx, false, string(p.Account))
}

// newAddress issues the next address that has never received coins.
func (b *Backend) newAddress(ctx context.Context, change bool, account string) (a script.Address, err error) {
	if b.Ring == nil {
		return a, errNoWallet
	}
	k, err := b.Ring.NewKey(ctx, change, account)
	if err == keyring.ErrExhausted {
		err = errExhausted
	}
	if err != nil {
		return a, err
	}
	return k.Address(), nil
}

type changeAddressParams struct {
	Ignored unreadText `json:"ignored" rpc:"optional" doc:"ignored"`
}

func (b *Backend) getRawChangeAddress(ctx context.Context, _ changeAddressParams) (script.Address, error) {
	return b.newAddress(ctx, true, "")
}

type accountParams struct {
	Account Text `json:"account" rpc:"absent=null"`
}

func (b *Backend) getAccountAddress(ctx context.Context, p accountParams) (script.Address, error) {
	if b.Ring == nil {
		return script.Address{}, errNoWallet
	}
	account := string(p.Account)
	if a, has := b.Ring.Current(account); has {
		used := false
		err := b.Manager.Read(ctx, func(v *chain.View) error {
			_, received, err := v.Balance(chain.Address{Kind: chain.KeyAddress, Hash: a.Hash})
			used = received > 0 || b.isPaid(a)
			return err
		})
		if err != nil || !used {
			return a, err
		}
	}
	a, err := b.newAddress(ctx, false, account)
	if err == nil {
		err = b.Ring.SetCurrent(ctx, account, a)
	}
	return a, err
}

// isPaid reports whether a transaction in the mempool pays to an address.
func (b *Backend) isPaid(a script.Address) bool {
	for _, entry := range b.Pool.Entries() {
		for i := range entry.Tx.Outputs {
			if to := destination(entry.Tx.Outputs[i].Script, b.Manager.Params()); to != nil && *to == a {
				return true
			}
		}
	}
	return false
}

type setAccountParams struct {
	Address Text       `json:"komodoaddress" rpc:"absent=null"`
	Account unreadText `json:"account" rpc:"optional" doc:"account; empty means the default account"`
}

func (b *Backend) setAccount(ctx context.Context, p setAccountParams) (any, error) {
	if b.Ring == nil {
		return nil, errNoWallet
	}
	a, err := script.ParseAddress(string(p.Address))
	if err != nil {
		return nil, errAddress
	}
	account, err := p.Account.orEmpty()
	if err != nil {
		return nil, err
	}
	if b.Ring.Relation(a.PkScript()) == keyring.Foreign {
		return nil, &Error{CodeMisc, "setaccount can only be used with own address"}
	}
	return nil, b.Ring.Name(ctx, a, account)
}

type accountOfParams struct {
	Address Text `json:"komodoaddress"`
}

func (b *Backend) getAccount(_ context.Context, p accountOfParams) (string, error) {
	a, err := script.ParseAddress(string(p.Address))
	if err != nil {
		return "", errAddress
	}
	if b.Ring == nil {
		return "", nil
	}
	entry, _ := b.Ring.Entry(a)
	return entry.Account, nil
}

func (b *Backend) getAddressesByAccount(_ context.Context, p accountParams) ([]script.Address, error) {
	list := []script.Address{}
	if b.Ring == nil {
		return list, nil
	}
	for _, a := range b.Ring.Named() {
		if entry, _ := b.Ring.Entry(a); entry.Account == string(p.Account) {
			list = append(list, a)
		}
	}
	return list, nil
}

type poolSizeParams struct {
	Size *Int `json:"newsize" doc:"has no effect"`
}

func (b *Backend) keyPoolRefill(_ context.Context, p poolSizeParams) (any, error) {
	switch {
	case p.Size != nil && *p.Size < 0:
		return nil, &Error{CodeParameter, "Invalid parameter, expected valid size."}
	case b.Ring != nil && b.Ring.Locked():
		return nil, errLocked
	}
	return nil, nil
}
