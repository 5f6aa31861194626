package hd_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/store"
	"obverse/core/store/bunt"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/coin"
	evm "obverse/core/wallet/evm/address"
	"obverse/core/wallet/hd"
)

// junk is a publicly known phrase of development chains.
const junk = "test test test test test test test test test test test junk"

// bench holds the accounts of a wallet on a simulated chain.
type bench struct {
	hd.View
	ring *key.Ring
	base key.Path

	mu      sync.Mutex
	funds   map[string]int64       // by address
	fails   error                  // error that queries return
	using   func() ([]bool, error) // replaces the result of Used if not nil
	queried int                    // number of addresses queried
}

func newBench(t testing.TB) *bench {
	return open(t, bunttest.Memory(t), junk, "ETH", "m/44'/60'/0'/0/0", map[string]int64{})
}

func open(t testing.TB, kv store.KV, phrase, ticker, path string, funds map[string]int64) *bench {
	t.Helper()
	ring, err := key.Open(phrase, true)
	require.NoError(t, err)
	at, err := key.ParsePath(path)
	require.NoError(t, err)
	b := &bench{ring: ring, base: at[:2], funds: funds}
	b.View = hd.View{Chain: b, Tickers: []string{"ETH", "TOKEN"},
		Accounts: hd.New(hd.Config{Store: kv, Ticker: ticker, Base: b.base, Path: at, Derive: b.derive})}
	return b
}

func (b *bench) derive(_ context.Context, paths []key.Path) (list []string, err error) {
	for _, p := range paths {
		private, err := b.ring.At(p)
		if err != nil {
			return nil, err
		}
		a, err := evm.FromKey(private.PublicKey())
		if err != nil {
			return nil, err
		}
		list = append(list, a.String())
	}
	return list, nil
}

// Used implements hd.Chain.
func (b *bench) Used(_ context.Context, addresses []string, _ []any) ([]bool, error) {
	if b.using != nil {
		return b.using()
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.queried += len(addresses)
	all := make([]bool, len(addresses))
	for n, a := range addresses {
		_, all[n] = b.funds[a]
	}
	return all, b.fails
}

// Owners implements hd.Chain.
func (b *bench) Owners(_ context.Context, addresses []string, _ []any) ([][]coin.Balance, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.fails != nil {
		return nil, b.fails
	}
	all := make([][]coin.Balance, len(addresses))
	for n, a := range addresses {
		all[n] = []coin.Balance{{Spendable: number.Int(b.funds[a])}, {}}
	}
	return all, nil
}

// give makes an address of the external chain used.
func (b *bench) give(t testing.TB, account, address uint32, funds int64) {
	t.Helper()
	path, err := b.base.Address(account, key.External, address)
	require.NoError(t, err)
	list, err := b.derive(t.Context(), []key.Path{path})
	require.NoError(t, err)
	b.funds[list[0]] = funds
}

// numbers returns the last components of the addresses' paths.
func numbers(list []hd.Address) (all []uint32) {
	for _, a := range list {
		all = append(all, a.Path[len(a.Path)-1])
	}
	return all
}

func upTo(n uint32) (all []uint32) {
	for i := range n {
		all = append(all, i)
	}
	return all
}

func (b *bench) known(t testing.TB, account uint32) []uint32 {
	t.Helper()
	a, err := b.Account(t.Context(), account)
	require.NoError(t, err)
	return numbers(a.Addresses)
}

// TestAddresses checks that the addresses are the well-known ones of the phrase.
func TestAddresses(t *testing.T) {
	b := newBench(t)
	list, err := b.Activate(t.Context(), hd.Options{Policy: hd.DoNotScan, MinAddresses: 10})
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, "m/44'/60'/0'", list[0].Path.String())
	var texts []string
	for n, a := range list[0].Addresses {
		require.Equal(t, fmt.Sprintf("m/44'/60'/0'/0/%d", n), a.Path.String())
		require.Equal(t, key.External, a.Chain)
		texts = append(texts, a.Address)
	}
	require.Equal(t, []string{
		"0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266", "0x70997970C51812dc3A010C7d01b50e0d17dc79C8", "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
		"0x90F79bf6EB2c4f870365E785982E1f101E93b906", "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65", "0x9965507D1a55bcC2695C58ba16FB37d819B0A4dc",
		"0x976EA74026E726554dB657fA54763abd0C3a0aa9", "0x14dC79964da2C08b23698B3D3cc7Ca32193d9955", "0x23618e81E3f5cdF7f54C3d65f7FBc0aBf5B21E8f",
		"0xa0Ee7A142d267C1f36714E4a8F75612F20a79720",
	}, texts)
}

// TestScan checks that a scan finds used addresses within the gap limit, but not after it.
func TestScan(t *testing.T) {
	for _, c := range []struct {
		used    []uint32
		gap     uint32
		known   uint32
		queried int
	}{
		{nil, 0, 1, 20},
		{[]uint32{0}, 20, 1, 20},
		{[]uint32{20}, 20, 21, 40}, // 1 to 19 are unused
		{[]uint32{21}, 20, 1, 20},
		{[]uint32{3, 24}, 20, 4, 23},
		{[]uint32{3, 23}, 20, 24, 43},
		{[]uint32{3, 23, 40}, 20, 41, 60},
		{[]uint32{1}, 1, 2, 2},
		{[]uint32{2}, 1, 1, 1},
	} {
		b := newBench(t)
		for _, n := range c.used {
			b.give(t, 0, n, 0) // used, with a zero balance
		}
		found, err := b.Scan(t.Context(), 0, c.gap)
		require.NoError(t, err, c)
		require.Equal(t, upTo(c.known), b.known(t, 0), c)
		require.Equal(t, upTo(c.known)[1:], append([]uint32{}, numbers(found.Addresses)...), c)
		require.Equal(t, c.queried, b.queried, c)
		again, err := b.Scan(t.Context(), 0, c.gap)
		require.NoError(t, err)
		require.Empty(t, again.Addresses, "they are known")
	}
}

func TestScanEndsAtTheLimit(t *testing.T) {
	b := newBench(t)
	for n := range uint32(hd.MaxAddresses + 3) {
		b.give(t, 0, n, 1)
	}
	found, err := b.Scan(t.Context(), 0, math.MaxUint32)
	require.NoError(t, err)
	require.Len(t, found.Addresses, hd.MaxAddresses-1)
	require.Equal(t, fmt.Sprint(hd.MaxAddresses-1), found.Total[0].Balance.Spendable.String())
	_, err = b.NewAddress(t.Context(), 0, key.External, 0)
	require.Equal(t, &hd.AddressLimitError{Max: hd.MaxAddresses}, err)
}

// TestActivate checks that a coin's account is new until it is stored.
func TestActivate(t *testing.T) {
	kv, funds := bunttest.Memory(t), map[string]int64{}
	b := open(t, kv, junk, "ETH", "m/44'/60'/0'/0/0", funds)
	b.give(t, 0, 5, 7)
	activate := func(policy hd.Policy, min uint32) []uint32 {
		t.Helper()
		b = open(t, kv, junk, "ETH", "m/44'/60'/0'/0/0", funds)
		list, err := b.Activate(t.Context(), hd.Options{Policy: policy, MinAddresses: min})
		require.NoError(t, err)
		require.Len(t, list, 1)
		return numbers(list[0].Addresses)
	}
	require.Equal(t, upTo(6), activate(hd.ScanIfNewWallet, 0))
	b.give(t, 0, 9, 8)
	require.Equal(t, upTo(6), activate(hd.ScanIfNewWallet, 2), "not new")
	require.Equal(t, upTo(8), activate(hd.DoNotScan, 8))
	require.Equal(t, upTo(10), activate(hd.Scan, 0))
	list, err := b.List(t.Context())
	require.NoError(t, err)
	require.Equal(t, "15", list[0].Total[0].Balance.Spendable.String())
	require.Equal(t, "TOKEN", list[0].Total[1].Ticker)
	require.True(t, list[0].Total[1].Balance.Spendable.IsZero())
	require.Len(t, activate(hd.DoNotScan, math.MaxUint32), hd.MaxAddresses)
}

// TestOwnAddress checks that the coin's own address is always known, regardless of its path.
func TestOwnAddress(t *testing.T) {
	for path, want := range map[string][]string{
		"m/44'/60'/0'/0/2":          {"m/44'/60'/0'/0/0", "m/44'/60'/0'/0/1", "m/44'/60'/0'/0/2"},
		"m/44'/60'/3'/1/1":          {"m/44'/60'/3'/1/0", "m/44'/60'/3'/1/1"},
		"m/44'/60'/0'/0/2147483647": {"m/44'/60'/0'/0/2147483647"},
		"m/44'/60'/0'/1/500":        {"m/44'/60'/0'/1/500"},
	} {
		b := open(t, bunttest.Memory(t), junk, "ETH", path, nil)
		for range 2 { // before and after it is stored
			list, err := b.List(t.Context())
			require.NoError(t, err)
			require.Len(t, list, 1)
			var paths []string
			for _, a := range list[0].Addresses {
				paths = append(paths, a.Path.String())
			}
			require.Equal(t, want, paths)
			_, err = b.Activate(t.Context(), hd.Options{Policy: hd.DoNotScan})
			require.NoError(t, err)
		}
	}
}

func TestNewAddress(t *testing.T) {
	b := newBench(t)
	for n := uint32(1); n < 3; n++ {
		fresh, err := b.NewAddress(t.Context(), 0, key.External, 3)
		require.NoError(t, err)
		require.Equal(t, []uint32{n}, numbers([]hd.Address{fresh}))
	}
	_, err := b.NewAddress(t.Context(), 0, key.External, 3)
	require.Equal(t, &hd.GapError{Limit: 3}, err)
	_, err = b.NewAddress(t.Context(), 0, key.External, 4)
	require.NoError(t, err, "another limit")
	b.give(t, 0, 3, 1)
	fresh, err := b.NewAddress(t.Context(), 0, key.External, 3)
	require.NoError(t, err, "the last one was used")
	require.Equal(t, "m/44'/60'/0'/0/4", fresh.Path.String())
	fresh, err = b.NewAddress(t.Context(), 0, key.Internal, 1)
	require.NoError(t, err)
	require.Equal(t, "m/44'/60'/0'/1/0", fresh.Path.String())
	require.Equal(t, key.Internal, fresh.Chain)
	_, err = b.NewAddress(t.Context(), 1, key.External, 1)
	require.Equal(t, &hd.UnknownAccountError{Account: 1}, err)
	require.Equal(t, []uint32{0, 1, 2, 3, 4, 0}, b.known(t, 0))
}

// TestNewAddressesAtOnce checks that concurrent callers get different addresses.
func TestNewAddressesAtOnce(t *testing.T) {
	b := newBench(t)
	var group sync.WaitGroup
	var mu sync.Mutex
	var got []uint32
	for range 12 {
		group.Go(func() {
			fresh, err := b.NewAddress(t.Context(), 0, key.External, 0)
			mu.Lock()
			defer mu.Unlock()
			if err == nil {
				got = append(got, numbers([]hd.Address{fresh})...)
			}
		})
	}
	group.Wait()
	slices.Sort(got)
	require.Equal(t, upTo(13)[1:], got)
}

func TestNewAccount(t *testing.T) {
	b := newBench(t)
	b.give(t, 1, 2, 5)
	b.give(t, 7, 0, 6)
	first, err := b.NewAccount(t.Context(), nil, true, 0)
	require.NoError(t, err)
	require.Equal(t, "m/44'/60'/1'", first.Path.String())
	require.EqualValues(t, 1, first.Index)
	require.Equal(t, upTo(3), numbers(first.Addresses))
	require.Equal(t, "5", first.Total[0].Balance.Spendable.String())
	seven := uint32(7)
	second, err := b.NewAccount(t.Context(), &seven, false, 0)
	require.NoError(t, err)
	require.Equal(t, upTo(1), numbers(second.Addresses))
	_, err = b.NewAccount(t.Context(), &seven, false, 0)
	require.Equal(t, &hd.AccountExistsError{Account: 7}, err)
	third, err := b.NewAccount(t.Context(), nil, true, 0)
	require.NoError(t, err)
	require.EqualValues(t, 8, third.Index)
	list, err := b.List(t.Context())
	require.NoError(t, err)
	var indexes []uint32
	for _, a := range list {
		indexes = append(indexes, a.Index)
	}
	require.Equal(t, []uint32{0, 1, 7, 8}, indexes)
	require.NoError(t, b.Has(t.Context(), 7))
	require.Equal(t, &hd.UnknownAccountError{Account: 2}, b.Has(t.Context(), 2))
	last := key.Hardened
	_, err = b.NewAccount(t.Context(), &last, false, 0)
	require.Equal(t, &hd.AccountLimitError{Max: hd.MaxAccounts}, err)
	last--
	_, err = b.NewAccount(t.Context(), &last, false, 0)
	require.NoError(t, err)
	next, err := b.NewAccount(t.Context(), nil, false, 0)
	require.NoError(t, err)
	require.EqualValues(t, 2, next.Index, "the first that was left out")
	for range hd.MaxAccounts - 6 {
		_, err = b.NewAccount(t.Context(), nil, false, 0)
		require.NoError(t, err)
	}
	_, err = b.NewAccount(t.Context(), nil, false, 0)
	require.Equal(t, &hd.AccountLimitError{Max: hd.MaxAccounts}, err)
}

func TestPage(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), hd.Options{Policy: hd.DoNotScan, MinAddresses: 25})
	require.NoError(t, err)
	b.give(t, 0, 12, 3)
	b.give(t, 0, 24, 4)
	for _, c := range []struct {
		from, limit, skipped uint32
		total                string
		want                 []uint32
	}{
		{0, 10, 0, "0", upTo(10)},
		{10, 10, 10, "3", upTo(20)[10:]},
		{20, 10, 20, "4", upTo(25)[20:]},
		{24, math.MaxUint32, 24, "4", []uint32{24}},
		{25, 10, 25, "", nil},
		{math.MaxUint32, math.MaxUint32, 25, "", nil},
		{0, 0, 0, "", nil},
	} {
		p, err := b.Page(t.Context(), 0, key.External, c.from, c.limit)
		require.NoError(t, err)
		require.Equal(t, c.want, numbers(p.Addresses), c)
		require.Equal(t, []uint32{c.skipped, 25}, []uint32{p.Skipped, p.Number}, c)
		if c.total == "" {
			require.Empty(t, p.Total)
		} else {
			require.Equal(t, c.total, p.Total[0].Balance.Spendable.String(), c)
		}
	}
	p, err := b.Page(t.Context(), 0, key.Internal, 0, 10)
	require.NoError(t, err)
	require.Empty(t, p.Addresses)
	_, err = b.Page(t.Context(), 1, key.External, 0, 10)
	require.Equal(t, &hd.UnknownAccountError{Account: 1}, err)
}

// TestRestart checks that known addresses survive a restart, and that other coins and wallets
// in the store have their own.
func TestRestart(t *testing.T) {
	path, funds := filepath.Join(t.TempDir(), "store"), map[string]int64{}
	kv, err := bunt.Open(path)
	require.NoError(t, err)
	b := open(t, kv, junk, "ETH", "m/44'/60'/0'/0/0", funds)
	b.give(t, 0, 3, 1)
	_, err = b.Scan(t.Context(), 0, 0)
	require.NoError(t, err)
	_, err = b.NewAccount(t.Context(), nil, false, 0)
	require.NoError(t, err)
	require.NoError(t, kv.Close())
	if kv, err = bunt.Open(path); err != nil { // js/wasm has no files
		t.Fatal(err)
	}
	defer func() { require.NoError(t, kv.Close()) }()
	again := open(t, kv, junk, "ETH", "m/44'/60'/0'/0/0", funds)
	require.Equal(t, upTo(4), again.known(t, 0))
	require.NoError(t, again.Has(t.Context(), 1))
	elsewhere := open(t, kv, junk, "ETH", "m/44'/60'/2'/0/0", funds)
	require.NoError(t, elsewhere.Has(t.Context(), 1), "another address of the same wallet")
	require.NoError(t, elsewhere.Has(t.Context(), 2))
	other := open(t, kv, junk, "MATIC", "m/44'/60'/0'/0/0", funds)
	require.Equal(t, upTo(1), other.known(t, 0), "another coin")
	require.Error(t, other.Has(t.Context(), 1))
	other = open(t, kv, "emerge canoe salmon dolphin glow priority random become gasp sell blade argue", "ETH", "m/44'/60'/0'/0/0", funds)
	require.Equal(t, upTo(1), other.known(t, 0), "another wallet")
}

// TestNodesThatFail checks that a failed query changes nothing.
func TestNodesThatFail(t *testing.T) {
	b := newBench(t)
	b.give(t, 0, 3, 1)
	b.fails = errors.New("no node answers")
	_, err := b.Scan(t.Context(), 0, 0)
	require.ErrorIs(t, err, b.fails)
	_, err = b.Activate(t.Context(), hd.Options{Policy: hd.ScanIfNewWallet})
	require.ErrorIs(t, err, b.fails)
	_, err = b.NewAddress(t.Context(), 0, key.External, 0)
	require.ErrorIs(t, err, b.fails)
	_, err = b.NewAccount(t.Context(), nil, true, 0)
	require.ErrorIs(t, err, b.fails)
	_, err = b.List(t.Context())
	require.ErrorIs(t, err, b.fails)
	_, err = b.Page(t.Context(), 0, key.External, 0, 1)
	require.ErrorIs(t, err, b.fails)
	b.fails = nil
	require.Equal(t, upTo(1), b.known(t, 0))
	require.Error(t, b.Has(t.Context(), 1))
	list, err := b.Activate(t.Context(), hd.Options{Policy: hd.ScanIfNewWallet})
	require.NoError(t, err)
	require.Len(t, list[0].Addresses, 4, "it is still new")
}

// TestEndOfACaller checks that a cancelled caller does not wait for another caller that is
// working.
func TestEndOfACaller(t *testing.T) {
	b := newBench(t)
	began, proceed := make(chan struct{}), make(chan struct{})
	b.using = func() ([]bool, error) {
		close(began)
		<-proceed
		return nil, errors.New("cut off")
	}
	done := make(chan error)
	go func() {
		_, err := b.Scan(t.Context(), 0, 0)
		done <- err
	}()
	<-began
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := b.NewAddress(ended, 0, key.External, 0)
	require.ErrorIs(t, err, context.Canceled)
	close(proceed)
	require.EqualError(t, <-done, "cut off")
}

func TestAccountOf(t *testing.T) {
	b := newBench(t)
	path, err := key.ParsePath("m/44'/60'/5'/0/1")
	require.NoError(t, err)
	for _, from := range []coin.From{{Path: path}, {Account: 5, Chain: key.Internal}} {
		account, err := b.AccountOf(from)
		require.NoError(t, err)
		require.EqualValues(t, 5, account)
	}
	_, err = b.AccountOf(coin.From{Path: path[:4]})
	require.Error(t, err)
}
