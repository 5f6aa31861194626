package keyring

import (
	"bytes"
	"cmp"
	"context"
	"encoding/hex"
	"maps"
	"slices"

	"obverse/core/chain/script"
	"obverse/core/key"
)

// Import adds a key. known reports whether the ring already had it; then nothing is changed.
func (r *Ring) Import(ctx context.Context, p *key.Private, compressed bool, created int64) (k *Key, known bool, err error) {
	k = newImported(p, compressed, created)
	if old, has := r.Key(k.Hash); has && r.Given(old) {
		return old, true, nil
	}
	secret := p.Secret()
	defer clear(secret[:])
	return k, false, r.change(ctx, func() (rows, func()) {
		var w rows
		w.add(rowImported+hex.EncodeToString(k.Hash[:]), importedRow{hex.EncodeToString(secret[:]), !compressed, created})
		return w, func() { r.keys[k.Hash] = k }
	})
}

// Watch adds an output script. Its coins are listed, but never spent.
func (r *Ring) Watch(ctx context.Context, pkScript []byte) error {
	created := r.now().Unix()
	return r.change(ctx, func() (rows, func()) {
		var w rows
		w.add(rowWatched+hex.EncodeToString(pkScript), scriptRow{hex.EncodeToString(pkScript), created})
		return w, func() { r.watched[string(pkScript)] = Watched{pkScript, created} }
	})
}

// IsWatched reports whether Watch was called with an output script.
func (r *Ring) IsWatched(pkScript []byte) bool {
	r.mu.RLock()
	defer r.mu.RUnlock()
	_, is := r.watched[string(pkScript)]
	return is
}

// AddRedeem adds a redeem script and the name of its address.
func (r *Ring) AddRedeem(ctx context.Context, redeem []byte, account string) error {
	address := script.ScriptAddress(redeem)
	return r.change(ctx, func() (rows, func()) {
		var w rows
		w.add(rowRedeem+hex.EncodeToString(address.Hash[:]), scriptRow{hex.EncodeToString(redeem), r.now().Unix()})
		w.add(rowEntry+address.String(), entryRow{address.String(), account, purposeSend})
		return w, func() {
			r.scripts[address.Hash] = redeem
			r.book[address] = Entry{account, purposeSend}
		}
	})
}

// Purposes of names [komodod wallet/rpcwallet.cpp].
const (
	purposeReceive = "receive"
	purposeSend    = "send"
)

// Name sets the name of an address. A name that exists keeps its purpose.
func (r *Ring) Name(ctx context.Context, a script.Address, account string) error {
	return r.change(ctx, func() (rows, func()) {
		entry := Entry{account, purposeReceive}
		if old, has := r.book[a]; has {
			entry.Purpose = old.Purpose
		}
		var w rows
		w.add(rowEntry+a.String(), entryRow{a.String(), entry.Account, entry.Purpose})
		return w, func() { r.book[a] = entry }
	})
}

// Entry returns the name of an address.
func (r *Ring) Entry(a script.Address) (e Entry, named bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	e, named = r.book[a]
	return e, named
}

// Named returns the addresses with names: addresses of keys before addresses of scripts, each
// sorted by hash.
func (r *Ring) Named() []script.Address {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.SortedFunc(maps.Keys(r.book), CompareAddresses)
}

// CompareAddresses compares addresses for lists. Addresses of keys come first; otherwise the
// order is by hash.
func CompareAddresses(a, b script.Address) int {
	return cmp.Or(cmp.Compare(a.Version, b.Version), bytes.Compare(a.Hash[:], b.Hash[:]))
}

// Current returns the receiving address of an account.
func (r *Ring) Current(account string) (a script.Address, has bool) {
	r.mu.RLock()
	defer r.mu.RUnlock()
	a, has = r.current[account]
	return a, has
}

// SetCurrent sets the receiving address of an account.
func (r *Ring) SetCurrent(ctx context.Context, account string, a script.Address) error {
	return r.change(ctx, func() (rows, func()) {
		var w rows
		w.add(rowCurrent+account, currentRow{account, a.String()})
		return w, func() { r.current[account] = a }
	})
}
