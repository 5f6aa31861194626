package hd

import (
	"context"
	"slices"

	"obverse/core/key"
)

// Policy selects when activation scans for used addresses.
type Policy string

// Policies, with their names in the API.
const (
	DoNotScan       Policy = "do_not_scan"
	ScanIfNewWallet Policy = "scan_if_new_wallet" // scan if the coin's account is not in the store yet
	Scan            Policy = "scan"
)

// Options are the parameters of an activation.
type Options struct {
	Policy       Policy
	Gap          uint32 // 0 means DefaultGap
	MinAddresses uint32 // minimum number of addresses on the external chain
}

// GapLimit returns the gap limit; 0 means DefaultGap. o may be nil.
func (o *Options) GapLimit() uint32 {
	if o == nil {
		return 0
	}
	return o.Gap
}

// Activate stores the accounts and returns them with their balances. It first scans for used
// addresses if the policy requires it.
func (v View) Activate(ctx context.Context, o Options) ([]Account, error) {
	end, err := v.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer end()
	rows, err := v.read(ctx)
	if err != nil {
		return nil, err
	}
	account, chain, _ := v.position()
	for n := range rows {
		r := &rows[n]
		if o.Policy == Scan || o.Policy == ScanIfNewWallet && !r.stored {
			if err := v.scan(ctx, r, v.gap(o.Gap)); err != nil {
				return nil, err
			}
		}
		if r.Account == account {
			r.grow(chain, min(o.MinAddresses, MaxAddresses))
		}
	}
	list, err := v.list(ctx, rows)
	if err != nil {
		return nil, err
	}
	return list, v.keep(ctx, rows...)
}

// gap returns the effective gap limit of a request.
func (a *Accounts) gap(requested uint32) uint32 {
	for _, limit := range []uint32{requested, a.c.Gap} {
		if limit > 0 {
			return min(limit, MaxGap)
		}
	}
	return DefaultGap
}

// scan discovers used addresses after the known ones. It stops after a full gap of unused
// addresses. It does not scan the internal chain: on the supported chains change returns to the
// sending address.
func (v View) scan(ctx context.Context, r *row, gap uint32) error {
	unused := uint32(0)
	for next := r.External; unused < gap && next < MaxAddresses; {
		batch, err := v.addresses(ctx, r.Account, places(key.External, next, min(next+gap-unused, MaxAddresses)))
		if err != nil {
			return err
		}
		used, err := v.Chain.Used(ctx, texts(batch), v.Assets)
		if err != nil {
			return err
		}
		for _, is := range used {
			next++
			if unused++; is {
				unused = 0
				r.grow(key.External, next)
			}
		}
	}
	return nil
}

// Scan discovers used addresses of an account and returns the new ones. They and the unused
// addresses between them become known. A gap of 0 selects the coin's limit.
func (v View) Scan(ctx context.Context, account, gap uint32) (Account, error) {
	end, err := v.begin(ctx)
	if err != nil {
		return Account{}, err
	}
	defer end()
	r, err := v.find(ctx, account)
	if err != nil {
		return Account{}, err
	}
	before := r.External
	if err := v.scan(ctx, &r, v.gap(gap)); err != nil {
		return Account{}, err
	}
	fresh, err := v.at(ctx, account, places(key.External, before, r.External))
	if err != nil {
		return Account{}, err
	}
	found, err := v.account(account, fresh)
	if err != nil {
		return Account{}, err
	}
	return found, v.keep(ctx, r)
}

// NewAddress adds the next address of a chain. It returns a *GapError if the last addresses, as
// many as the gap limit, are all unused. A gap of 0 selects the coin's limit.
func (v View) NewAddress(ctx context.Context, account uint32, chain key.Chain, gap uint32) (Address, error) {
	end, err := v.begin(ctx)
	if err != nil {
		return Address{}, err
	}
	defer end()
	r, err := v.find(ctx, account)
	if err != nil {
		return Address{}, err
	}
	known := *r.known(chain)
	if known >= MaxAddresses {
		return Address{}, &AddressLimitError{MaxAddresses}
	}
	if err := v.checkGap(ctx, account, chain, known, v.gap(gap)); err != nil {
		return Address{}, err
	}
	fresh, err := v.at(ctx, account, places(chain, known, known+1))
	if err != nil {
		return Address{}, err
	}
	r.grow(chain, known+1)
	return fresh[0], v.keep(ctx, r)
}

// checkGap returns a *GapError if none of the last gap known addresses was used.
func (v View) checkGap(ctx context.Context, account uint32, chain key.Chain, known, gap uint32) error {
	if known < gap {
		return nil
	}
	last, err := v.addresses(ctx, account, places(chain, known-gap, known))
	if err != nil {
		return err
	}
	used, err := v.Chain.Used(ctx, texts(last), v.Assets)
	if err == nil && !slices.Contains(used, true) {
		err = &GapError{gap}
	}
	return err
}

// NewAccount adds the requested account, or the next free one, with its first address. With
// scan it also discovers the account's used addresses. A gap of 0 selects the coin's limit.
func (v View) NewAccount(ctx context.Context, requested *uint32, scan bool, gap uint32) (Account, error) {
	end, err := v.begin(ctx)
	if err != nil {
		return Account{}, err
	}
	defer end()
	rows, err := v.read(ctx)
	if err != nil {
		return Account{}, err
	}
	known := func(account uint32) bool {
		return slices.ContainsFunc(rows, func(other row) bool { return other.Account == account })
	}
	r := row{Wallet: rows[0].Wallet, Account: rows[len(rows)-1].Account + 1, External: 1}
	if r.Account == key.Hardened { // the highest account exists, so the lowest free one is used
		for r.Account = 0; known(r.Account); r.Account++ {
		}
	}
	if requested != nil {
		r.Account = *requested
	}
	switch {
	case len(rows) >= MaxAccounts, r.Account >= key.Hardened:
		return Account{}, &AccountLimitError{MaxAccounts}
	case known(r.Account):
		return Account{}, &AccountExistsError{r.Account}
	}
	if scan {
		r.External = 0 // the first address may be used too
		if err := v.scan(ctx, &r, v.gap(gap)); err != nil {
			return Account{}, err
		}
		r.grow(key.External, 1)
	}
	list, err := v.list(ctx, []row{r})
	if err != nil {
		return Account{}, err
	}
	return list[0], v.keep(ctx, r)
}
