package hd

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"obverse/core/key"
	"obverse/core/wallet/coin"
)

// Coin is a coin that can have multiple accounts.
type Coin interface {
	coin.Coin
	// HD returns ErrNotHD if the coin has a single address.
	HD() (View, error)
}

// Chain queries the addresses of HD wallets on a chain. Errors are coin.ErrTransport.
type Chain interface {
	// Owners returns the balances of each of the addresses in each of the assets.
	Owners(ctx context.Context, addresses []string, assets []any) ([][]coin.Balance, error)
	// Used reports for each address whether it was ever used, or has a balance of the assets.
	Used(ctx context.Context, addresses []string, assets []any) ([]bool, error)
}

// View provides the accounts of a platform from the point of view of one of its coins: the
// platform with all its tokens, or a single token.
type View struct {
	*Accounts
	Chain   Chain
	Assets  []any    // assets of the coins, for Chain
	Tickers []string // tickers of the coins
}

// Address is a known address with its balances.
type Address struct {
	Address string
	Path    key.Path
	Chain   key.Chain
	Holds   []coin.TickerBalance // in the order of the view's coins
}

// Account is a known account with its addresses and balances.
type Account struct {
	Index     uint32
	Path      key.Path
	Total     []coin.TickerBalance
	Addresses []Address
}

// Page is a range of the addresses on one chain of an account.
type Page struct {
	Account
	Skipped, Number uint32 // number of addresses before the page, and total number
}

// place is the position of an address within an account.
type place struct {
	chain  key.Chain
	number uint32
}

// places returns the places from first up to, but not including, end.
func places(chain key.Chain, first, end uint32) (list []place) {
	for n := first; n < end; n++ {
		list = append(list, place{chain, n})
	}
	return list
}

// all returns the known places of an account.
func (a *Accounts) all(r row) []place {
	list := append(places(key.External, 0, r.External), places(key.Internal, 0, r.Internal)...)
	if account, chain, number := a.position(); account == r.Account && number >= *r.known(chain) {
		list = append(list, place{chain, number})
	}
	return list
}

// List returns the accounts with their balances.
func (v View) List(ctx context.Context) ([]Account, error) {
	rows, err := v.read(ctx)
	if err != nil {
		return nil, err
	}
	return v.list(ctx, rows)
}

// Addresses returns the addresses of all accounts with their balances, the coin's own first.
func (v View) Addresses(ctx context.Context) ([]Address, error) {
	accounts, err := v.List(ctx)
	if err != nil {
		return nil, err
	}
	account, chain, number := v.position()
	path, err := v.c.Base.Address(account, chain, number)
	if err != nil {
		return nil, err
	}
	var all, others []Address
	for _, a := range accounts {
		for _, at := range a.Addresses {
			if slices.Equal(at.Path, path) {
				all = append(all, at)
			} else {
				others = append(others, at)
			}
		}
	}
	return append(all, others...), nil
}

// AddressAt derives a known address. It returns an *UnknownAccountError, or a
// *coin.InvalidError if the address is not known.
func (a *Accounts) AddressAt(ctx context.Context, from coin.From) (string, error) {
	path, err := from.In(a.c.Base)
	if err != nil {
		return "", err
	}
	at := path[len(a.c.Base):]
	account, where := at[0]&^key.Hardened, place{key.Chain(at[1]), at[2]}
	r, err := a.find(ctx, account)
	if err != nil {
		return "", err
	}
	if !slices.Contains(a.all(r), where) {
		return "", &coin.InvalidError{Field: coin.FieldFrom, Reason: fmt.Errorf("the address %s is not known: get_new_address and task::scan_for_new_addresses make addresses known", path)}
	}
	list, err := a.addresses(ctx, account, []place{where})
	if err != nil {
		return "", err
	}
	return list[0].Address, nil
}

// list queries the balances of all accounts in one call.
func (v View) list(ctx context.Context, rows []row) (list []Account, err error) {
	var all []Address
	for _, r := range rows {
		addresses, err := v.addresses(ctx, r.Account, v.all(r))
		if err != nil {
			return nil, err
		}
		all = append(all, addresses...)
	}
	if err := v.fill(ctx, all); err != nil {
		return nil, err
	}
	for _, r := range rows {
		number := len(v.all(r))
		a, err := v.account(r.Account, all[:number:number])
		if err != nil {
			return nil, err
		}
		list, all = append(list, a), all[number:]
	}
	return list, nil
}

// Account returns a known account with its balances.
func (v View) Account(ctx context.Context, account uint32) (Account, error) {
	r, err := v.find(ctx, account)
	if err != nil {
		return Account{}, err
	}
	list, err := v.list(ctx, []row{r})
	if err != nil {
		return Account{}, err
	}
	return list[0], nil
}

// Page returns up to limit addresses of a chain, from an index on, with their balances.
func (v View) Page(ctx context.Context, account uint32, chain key.Chain, from, limit uint32) (p Page, err error) {
	r, err := v.find(ctx, account)
	if err != nil {
		return p, err
	}
	p.Number = *r.known(chain)
	p.Skipped = min(from, p.Number)
	page, err := v.at(ctx, account, places(chain, p.Skipped, p.Skipped+min(limit, p.Number-p.Skipped)))
	if err != nil {
		return p, err
	}
	p.Account, err = v.account(account, page)
	return p, err
}

// at returns addresses of an account with their balances.
func (v View) at(ctx context.Context, account uint32, list []place) ([]Address, error) {
	addresses, err := v.addresses(ctx, account, list)
	if err != nil {
		return nil, err
	}
	return addresses, v.fill(ctx, addresses)
}

// addresses derives addresses of an account.
func (a *Accounts) addresses(ctx context.Context, account uint32, list []place) ([]Address, error) {
	addresses, paths := make([]Address, len(list)), make([]key.Path, len(list))
	for n, at := range list {
		path, err := a.c.Base.Address(account, at.chain, at.number)
		if err != nil {
			return nil, err
		}
		paths[n] = path
		addresses[n] = Address{Path: path, Chain: at.chain}
	}
	derived, err := a.derive(ctx, paths)
	for n := range derived {
		addresses[n].Address = derived[n]
	}
	return addresses, err
}

// fill queries and sets the balances of addresses.
func (v View) fill(ctx context.Context, list []Address) error {
	held, err := v.Chain.Owners(ctx, texts(list), v.Assets)
	for n := range held {
		for i, balance := range held[n] {
			list[n].Holds = append(list[n].Holds, coin.TickerBalance{Ticker: v.Tickers[i], Balance: balance})
		}
	}
	return err
}

func texts(list []Address) []string {
	all := make([]string, len(list))
	for n, a := range list {
		all[n] = a.Address
	}
	return all
}

// account returns an account with the sum of its balances.
func (v View) account(index uint32, list []Address) (Account, error) {
	first, err := v.c.Base.Address(index, key.External, 0)
	if err != nil {
		return Account{}, err
	}
	const below = 2 // path components after the account: chain and address
	return Account{Index: index, Path: first[:len(first)-below], Total: sum(list), Addresses: list}, nil
}

// sum adds up balances by coin. A total is unknown if one of its balances is unknown.
func sum(list []Address) (total []coin.TickerBalance) {
	for _, a := range list {
		if total == nil {
			for _, balance := range a.Holds {
				total = append(total, coin.TickerBalance{Ticker: balance.Ticker})
			}
		}
		for n, balance := range a.Holds {
			total[n].Unknown = cmp.Or(total[n].Unknown, balance.Unknown)
			total[n].Balance.Spendable = total[n].Balance.Spendable.Add(balance.Balance.Spendable)
			total[n].Balance.Unspendable = total[n].Balance.Unspendable.Add(balance.Balance.Unspendable)
		}
	}
	return total
}

// Has returns an *UnknownAccountError unless the account is known.
func (a *Accounts) Has(ctx context.Context, account uint32) error {
	_, err := a.find(ctx, account)
	return err
}

// AccountOf returns the account of an address of the coin.
func (a *Accounts) AccountOf(from coin.From) (uint32, error) {
	path, err := from.In(a.c.Base)
	if err != nil {
		return 0, err
	}
	return path[len(a.c.Base)] &^ key.Hardened, nil
}
