package hd

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"sync"

	"obverse/core/key"
	"obverse/core/store"
	"obverse/core/store/table"
)

// Bounds of what a coin knows.
const (
	MaxAccounts  = 50
	MaxAddresses = 500 // of each chain of an account
	MaxGap       = 100
	DefaultGap   = 20
)

// Config is what a coin's accounts are made of.
type Config struct {
	Store  store.KV
	Ticker string   // canonical, of the platform
	Base   key.Path // what the paths of accounts begin with
	Own    key.Path // of the coin's own address, below Base
	Gap    uint32   // gap limit of requests that name none
	// Derive gives the addresses at paths.
	Derive func(ctx context.Context, paths []key.Path) ([]string, error)
}

// Accounts are those of one platform. They may be used by many goroutines.
type Accounts struct {
	c    Config
	turn chan struct{} // of who changes them

	mu      sync.Mutex
	derived map[string]string // addresses by path
}

// row is how many addresses of an account are known.
type row struct {
	Wallet   string `json:"wallet"`
	Account  uint32 `json:"account"`
	External uint32 `json:"external"`
	Internal uint32 `json:"internal"`
	kept     bool
}

func (r row) key() string { return r.Wallet + table.Uint(uint64(r.Account)) }

// known is how many addresses of a chain are known.
func (r *row) known(chain key.Chain) *uint32 {
	if chain == key.Internal {
		return &r.Internal
	}
	return &r.External
}

// grow makes at least so many known.
func (r *row) grow(chain key.Chain, number uint32) {
	known := r.known(chain)
	*known = max(*known, number)
}

// New makes the accounts of a coin. It reads nothing.
func New(c Config) *Accounts {
	return &Accounts{c: c, turn: make(chan struct{}, 1), derived: map[string]string{}}
}

const byAccount = "account"

// rows is the table of all coins and wallets of a store. It is made where it is used: New stays
// in a page's module, and the rest is loaded later.
func rows() *table.Table[row] {
	return table.New(table.Spec[row]{Prefix: "N/hd/", Key: table.Index[row]{Name: byAccount, Of: row.key}})
}

// begin waits for its turn to change the accounts.
func (a *Accounts) begin(ctx context.Context) (end func(), err error) {
	select {
	case a.turn <- struct{}{}:
		return func() { <-a.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// own is the account, chain and number of the coin's own address.
func (a *Accounts) own() (account uint32, chain key.Chain, address uint32) {
	at := a.c.Own[len(a.c.Base):]
	return at[0] &^ key.Hardened, key.Chain(at[1]), at[2]
}

// read lists the known accounts in order. That of the coin's own address is among them.
func (a *Accounts) read(ctx context.Context) ([]row, error) {
	wallet, err := a.wallet(ctx)
	if err != nil {
		return nil, err
	}
	list, err := rows().List(ctx, a.c.Store, table.Prefixed(byAccount, wallet))
	if err != nil {
		return nil, failed(err)
	}
	for n := range list {
		list[n].kept = true
		list[n].External, list[n].Internal = min(list[n].External, MaxAddresses), min(list[n].Internal, MaxAddresses)
	}
	account, chain, address := a.own()
	at := slices.IndexFunc(list, func(r row) bool { return r.Account == account })
	if at < 0 {
		at, _ = slices.BinarySearchFunc(list, account, func(r row, n uint32) int { return int(int64(r.Account) - int64(n)) })
		list = slices.Insert(list, at, row{Wallet: wallet, Account: account})
	}
	if address < MaxAddresses {
		list[at].grow(chain, address+1)
	}
	return list, nil
}

// find reads one account.
func (a *Accounts) find(ctx context.Context, account uint32) (row, error) {
	list, err := a.read(ctx)
	if err != nil {
		return row{}, err
	}
	at := slices.IndexFunc(list, func(r row) bool { return r.Account == account })
	if at < 0 {
		return row{}, &UnknownAccountError{account}
	}
	return list[at], nil
}

// keep writes what is known, and waits until that survives a crash.
func (a *Accounts) keep(ctx context.Context, list ...row) error {
	t := rows()
	return failed(table.Change(ctx, a.c.Store, func(tx *table.Tx) error {
		for _, r := range list {
			if err := t.Put(ctx, tx, r); err != nil {
				return err
			}
		}
		return nil
	}))
}

// failed marks errors of the store.
func failed(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrStore, err)
}

// wallet separates the accounts of one coin and wallet from others in the store, by the first
// address that there can be.
func (a *Accounts) wallet(ctx context.Context) (string, error) {
	first, err := a.c.Base.Address(0, key.External, 0)
	if err != nil {
		return "", err
	}
	addresses, err := a.derive(ctx, []key.Path{first})
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256([]byte(table.Text(a.c.Ticker) + addresses[0]))
	return hex.EncodeToString(sum[:10]), nil
}

// maxDerived bounds the addresses that are remembered.
const maxDerived = 4096

// derive gives the addresses at paths, and remembers them: they cost a few operations on the
// curve each.
func (a *Accounts) derive(ctx context.Context, paths []key.Path) ([]string, error) {
	all, missing := make([]string, len(paths)), []key.Path(nil)
	a.mu.Lock()
	for n, p := range paths {
		if all[n] = a.derived[p.String()]; all[n] == "" {
			missing = append(missing, p)
		}
	}
	a.mu.Unlock()
	if len(missing) == 0 {
		return all, nil
	}
	fresh, err := a.c.Derive(ctx, missing)
	if err != nil {
		return nil, err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.derived)+len(missing) > maxDerived {
		clear(a.derived)
	}
	for n, p := range missing {
		a.derived[p.String()] = fresh[n]
	}
	for n := range paths {
		if all[n] == "" {
			all[n], fresh = fresh[0], fresh[1:]
		}
	}
	return all, nil
}
