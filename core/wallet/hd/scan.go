package hd

import (
	"context"
	"slices"

	"obverse/core/key"
)

// Policy says when an activation looks for used addresses.
type Policy string

// Policies, by their names in the interface.
const (
	DoNotScan       Policy = "do_not_scan"
	ScanIfNewWallet Policy = "scan_if_new_wallet" // if the coin's account is not kept yet
	Scan            Policy = "scan"
)

// Options are what an activation asks.
type Options struct {
	Policy       Policy
	Gap          uint32 // 0: DefaultGap
	MinAddresses uint32 // that the coin's own chain has afterwards
}

// Activate keeps the accounts, and lists them with what they hold. With the policy it looks
// for used addresses first.
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
	account, chain, _ := v.own()
	for n := range rows {
		r := &rows[n]
		if o.Policy == Scan || o.Policy == ScanIfNewWallet && !r.kept {
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

// gap is the gap limit of a request.
func (a *Accounts) gap(asked uint32) uint32 {
	for _, limit := range []uint32{asked, a.c.Gap} {
		if limit > 0 {
			return min(limit, MaxGap)
		}
	}
	return DefaultGap
}

// scan looks for used addresses beyond those that are known, until as many in a row as the
// limit are unused. Change goes back to the address that it comes from on the chains that
// this node has, so that internal addresses are not looked for.
func (v View) scan(ctx context.Context, r *row, gap uint32) error {
	unused := uint32(0)
	for next := r.External; unused < gap && next < MaxAddresses; {
		some, err := v.addresses(ctx, r.Account, places(key.External, next, min(next+gap-unused, MaxAddresses)))
		if err != nil {
			return err
		}
		used, err := v.Used(ctx, texts(some))
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

// Scan looks for used addresses of an account, and gives those that are new. They are known
// afterwards, with the unused ones between them. gap 0 is the coin's.
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

// NewAddress makes the next address of a chain known. It fails with a *GapError while as many
// of the last ones as the limit are unused. gap 0 is the coin's.
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

// checkGap demands that one of the last known addresses was used, if there are as many as the
// limit.
func (v View) checkGap(ctx context.Context, account uint32, chain key.Chain, known, gap uint32) error {
	if known < gap {
		return nil
	}
	last, err := v.addresses(ctx, account, places(chain, known-gap, known))
	if err != nil {
		return err
	}
	used, err := v.Used(ctx, texts(last))
	if err == nil && !slices.Contains(used, true) {
		err = &GapError{gap}
	}
	return err
}

// NewAccount makes an account known, with its first address: the one that is asked for, or the
// next. With scan its used addresses are looked for. gap 0 is the coin's.
func (v View) NewAccount(ctx context.Context, asked *uint32, scan bool, gap uint32) (Account, error) {
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
	if r.Account == key.Hardened { // after the last one come those that were left out
		for r.Account = 0; known(r.Account); r.Account++ {
		}
	}
	if asked != nil {
		r.Account = *asked
	}
	switch {
	case len(rows) >= MaxAccounts, r.Account >= key.Hardened:
		return Account{}, &AccountLimitError{MaxAccounts}
	case known(r.Account):
		return Account{}, &AccountExistsError{r.Account}
	}
	if scan {
		r.External = 0 // the first one may be used too
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
