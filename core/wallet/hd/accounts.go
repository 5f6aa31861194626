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

// Limits of the addresses that are recorded for a coin.
const (
	MaxAccounts  = 50
	MaxAddresses = 500 // on each chain of an account
	MaxGap       = 100
	DefaultGap   = 20
)

// Config configures the accounts of a coin.
type Config struct {
	Store  store.KV
	Ticker string   // canonical ticker of the platform
	Base   key.Path // common prefix of all account paths
	Path   key.Path // path of the coin's own address, below Base
	Gap    uint32   // default gap limit
	// Derive returns the addresses at paths.
	Derive func(ctx context.Context, paths []key.Path) ([]string, error)
}

// Accounts holds the accounts of one platform. It is safe for concurrent use.
type Accounts struct {
	c    Config
	turn chan struct{} // held by the goroutine that changes the accounts

	mu      sync.Mutex
	derived map[string]string // addresses by path
}

// row records the number of known addresses of an account.
type row struct {
	Wallet   string `json:"wallet"`
	Account  uint32 `json:"account"`
	External uint32 `json:"external"`
	Internal uint32 `json:"internal"`
	stored   bool
}

func (r row) key() string { return r.Wallet + table.Uint(uint64(r.Account)) }

// known returns the number of known addresses on a chain.
func (r *row) known(chain key.Chain) *uint32 {
	if chain == key.Internal {
		return &r.Internal
	}
	return &r.External
}

// grow raises the number of known addresses to at least number.
func (r *row) grow(chain key.Chain, number uint32) {
	known := r.known(chain)
	*known = max(*known, number)
}

// New returns the accounts of a coin. It does not access the store.
func New(c Config) *Accounts {
	return &Accounts{c: c, turn: make(chan struct{}, 1), derived: map[string]string{}}
}

const byAccount = "account"

// rows returns the table shared by all coins and wallets of a store. It is created on use
// because New is in a page's first module and the table code is loaded later.
func rows() *table.Table[row] {
	return table.New(table.Spec[row]{Prefix: "N/hd/", Key: table.Index[row]{Name: byAccount, Value: row.key}})
}

// begin waits for exclusive access to change the accounts.
func (a *Accounts) begin(ctx context.Context) (end func(), err error) {
	select {
	case a.turn <- struct{}{}:
		return func() { <-a.turn }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// position returns the account, chain and index of the coin's own address.
func (a *Accounts) position() (account uint32, chain key.Chain, address uint32) {
	at := a.c.Path[len(a.c.Base):]
	return at[0] &^ key.Hardened, key.Chain(at[1]), at[2]
}

// read returns the known accounts in order. They include the account of the coin's own address.
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
		list[n].stored = true
		list[n].External, list[n].Internal = min(list[n].External, MaxAddresses), min(list[n].Internal, MaxAddresses)
	}
	account, chain, address := a.position()
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

// find returns one account.
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

// keep writes the rows durably.
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

// failed wraps errors of the store.
func failed(err error) error {
	if err == nil || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrStore, err)
}

// wallet returns the key prefix that separates this coin and wallet from others in the store.
// It is the first address that the wallet can have.
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

// maxDerived limits the cache of derived addresses.
const maxDerived = 4096

// derive returns the addresses at paths and caches them, since each derivation costs several
// operations on the curve.
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

// ErrNotHD means that a coin has a single address. The text is from Komodo DeFi Framework.
var ErrNotHD = errors.New("Coin is expected to be activated with the HD wallet derivation method")

// ErrStore means that the known accounts could not be read or written.
var ErrStore = errors.New("the known accounts cannot be read or written")

// UnknownAccountError reports an account that was never created.
type UnknownAccountError struct{ Account uint32 }

func (e *UnknownAccountError) Error() string {
	return fmt.Sprintf("HD account '%d' is not activated", e.Account)
}

// AccountExistsError reports an account that already exists.
type AccountExistsError struct{ Account uint32 }

func (e *AccountExistsError) Error() string {
	return fmt.Sprintf("account %d exists already", e.Account)
}

// GapError reports that a new address would exceed the gap limit.
type GapError struct{ Limit uint32 }

func (e *GapError) Error() string {
	return fmt.Sprintf("Empty addresses limit reached. Gap limit: %d", e.Limit)
}

// AddressLimitError reports more addresses than MaxAddresses.
type AddressLimitError struct{ Max uint32 }

func (e *AddressLimitError) Error() string {
	return fmt.Sprintf("Addresses limit reached. Max number of addresses: %d", e.Max)
}

// AccountLimitError reports more accounts than MaxAccounts, or an account number out of range.
type AccountLimitError struct{ Max uint32 }

func (e *AccountLimitError) Error() string {
	return fmt.Sprintf("Accounts limit reached. Max number of accounts: %d", e.Max)
}
