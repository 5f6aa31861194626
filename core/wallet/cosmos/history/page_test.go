package history

import (
	"errors"
	"fmt"
	"math/big"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/number"
	"obverse/core/store"
	"obverse/core/store/table"
	"obverse/core/wallet/account/txlog"
	"obverse/core/wallet/coin"
)

// all returns the range of an account's transactions.
func all(l *Log) table.Range { return table.Prefixed(txlog.ByPlace, l.Account) }

// views returns the views of a recorded chain: its coin and both vouchers.
func (r *recorded) views() []View {
	platform := Asset{Ticker: "COIN", Denom: r.Denom, Decimals: 6}
	list := []View{{Asset: platform, Platform: platform}}
	for n, v := range r.Vouchers {
		list = append(list, View{Asset: Asset{Ticker: "VOUCHER" + strconv.Itoa(n+1), Denom: v.Denom, Decimals: []uint8{6, 18}[n]}, Platform: platform})
	}
	return list
}

func (r *recorded) loaded(t *testing.T) *Log {
	t.Helper()
	l := start(memory(t), r.nodes(), r.user())
	_, err := l.load(t.Context())
	require.NoError(t, err)
	return l
}

// TestPages checks that pages of every size, by number or by id, list every transaction once,
// the newest first.
func TestPages(t *testing.T) {
	for _, kind := range kinds {
		r := replay(t, kind)
		l := r.loaded(t)
		for _, v := range r.views() {
			whole, err := l.History(t.Context(), v, coin.HistoryQuery{Limit: 1000, Page: 1})
			require.NoError(t, err)
			require.NotZero(t, whole.Total)
			require.Len(t, whole.Transactions, whole.Total)
			require.Equal(t, r.txs[len(r.txs)-1].Height+10, whole.CurrentBlock)
			require.Equal(t, coin.SyncFinished, whole.Sync.State)
			for n, tx := range whole.Transactions[1:] {
				require.GreaterOrEqual(t, whole.Transactions[n].Height, tx.Height)
			}
			for limit := 1; limit <= whole.Total+1; limit++ {
				var byPage, byID []coin.Transaction
				after := ""
				for page := 1; (page-1)*limit < whole.Total; page++ {
					h, err := l.History(t.Context(), v, coin.HistoryQuery{Limit: limit, Page: page})
					require.NoError(t, err)
					require.Equal(t, []int{(page - 1) * limit, whole.Total}, []int{h.Skipped, h.Total})
					byPage = append(byPage, h.Transactions...)
					if h, err = l.History(t.Context(), v, coin.HistoryQuery{Limit: limit, Page: 1, After: after}); after == "" {
						require.Equal(t, h.Skipped, 0)
					}
					require.NoError(t, err)
					require.Equal(t, []int{(page - 1) * limit, whole.Total}, []int{h.Skipped, h.Total})
					byID = append(byID, h.Transactions...)
					after = byID[len(byID)-1].ID
				}
				require.Equal(t, whole.Transactions, byPage)
				require.Equal(t, whole.Transactions, byID)
			}
		}
	}
}

func TestPagesBeyond(t *testing.T) {
	r := replay(t, "gaiad")
	l := r.loaded(t)
	views := r.views()
	token, err := l.History(t.Context(), views[1], coin.HistoryQuery{Limit: 1000, Page: 1})
	require.NoError(t, err)
	platform, err := l.History(t.Context(), views[0], coin.HistoryQuery{Limit: 1000, Page: 1})
	require.NoError(t, err)
	for _, c := range []struct {
		name  string
		view  View
		query coin.HistoryQuery
		want  int // number of skipped transactions
	}{
		{"no limit", views[0], coin.HistoryQuery{Page: 3}, 0},
		{"page beyond", views[0], coin.HistoryQuery{Limit: 1000, Page: 2}, 1000},
		{"page far beyond", views[0], coin.HistoryQuery{Limit: 1000, Page: 1 << 62}, 2147483000},
		{"after the last", views[0], coin.HistoryQuery{Limit: 9, After: platform.Transactions[platform.Total-1].ID}, platform.Total},
		{"after one that is not there", views[0], coin.HistoryQuery{Limit: 9, After: "00"}, 0},
		{"after one of another coin", views[0], coin.HistoryQuery{Limit: 9, After: token.Transactions[0].ID}, 0},
		{"of a coin without any", View{Asset: Asset{Ticker: "Z", Denom: "uz", Decimals: 6}, Platform: views[0].Platform}, coin.HistoryQuery{Limit: 9, Page: 1}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, err := l.History(t.Context(), c.view, c.query)
			require.NoError(t, err)
			require.Empty(t, h.Transactions)
			require.Equal(t, c.want, h.Skipped)
		})
	}
}

// TestEntries checks the listed entries of some transactions, in whole coins.
func TestEntries(t *testing.T) {
	r := replay(t, "iris")
	l := r.loaded(t)
	find := func(view int, name string) string {
		h, err := l.History(t.Context(), r.views()[view], coin.HistoryQuery{Limit: 1000, Page: 1})
		require.NoError(t, err)
		for _, tx := range h.Transactions {
			if original := r.titled(t, name); tx.Hash == original.Hash {
				require.Equal(t, original.Raw, tx.Raw)
				require.Equal(t, original.Height, tx.Height)
				require.Equal(t, r.times[original.Height].Unix(), tx.Timestamp)
				return fmt.Sprintf("%s %s %s%s %s-%s=%s fee %s %s %s %d", tx.Coin, tx.Kind, tx.Message, tx.Token, tx.Received, tx.Spent, tx.Total,
					tx.Fee.Type, tx.Fee.Coin, tx.Fee.Amount, tx.Fee.GasLimit)
			}
		}
		return "nothing"
	}
	fee := " fee Tendermint COIN 0.1 300000"
	require.Equal(t, "COIN StandardTransfer  0-1.1=1.1"+fee, find(0, "coin out, with memo"))
	require.Equal(t, "COIN StandardTransfer  2.5-0=2.5"+fee, find(0, "coin in"))
	require.Equal(t, "COIN FeeForTokenTx  0-0.1=0.1"+fee, find(0, "voucher out"))
	require.Equal(t, "nothing", find(0, "voucher in"))
	require.Equal(t, "VOUCHER1 TokenTransfer "+TokenID(r.Vouchers[0].Denom)+" 0-3=3"+fee, find(1, "voucher out"))
	require.Equal(t, "VOUCHER1 TendermintIBCTransfer "+TokenID(r.Vouchers[0].Denom)+" 0-0.000011=0.000011"+fee, find(1, "voucher over IBC"))
	require.Equal(t, "COIN TendermintIBCTransfer  0-0.10001=0.10001"+fee, find(0, "over IBC"))
	require.Equal(t, "VOUCHER2 TokenTransfer "+TokenID(r.Vouchers[1].Denom)+" 0-100000000=100000000"+fee, find(2, "beyond 64 bits out"))
	require.Equal(t, "VOUCHER2 TokenTransfer "+TokenID(r.Vouchers[1].Denom)+" 36.893488147419103232-0=36.893488147419103232"+fee, find(2, "beyond 64 bits in"))
}

// TestEntriesSumUp checks that the listed entries add up to the balance.
func TestEntriesSumUp(t *testing.T) {
	for _, kind := range kinds {
		r := replay(t, kind)
		l := r.loaded(t)
		for _, v := range r.views()[1:] { // the fees that gaiad does not index are in its own coin
			h, err := l.History(t.Context(), v, coin.HistoryQuery{Limit: 1000, Page: 1})
			require.NoError(t, err)
			balance, err := number.ParseRational(map[string]string{"VOUCHER1": "777", "VOUCHER2": "123456789012.345678901234567890"}[v.Ticker])
			require.NoError(t, err)
			for _, tx := range h.Transactions {
				balance = balance.Add(tx.Received).Sub(tx.Spent)
			}
			for _, b := range r.Balances["user"] {
				if b.Denom == v.Denom {
					want, err := number.ParseRational(b.Amount + "e-" + strconv.Itoa(int(v.Decimals)))
					require.NoError(t, err)
					require.Zero(t, want.Cmp(balance), "%s %s, not %s", v.Ticker, balance, want)
				}
			}
		}
	}
}

func TestFeeOfOtherDenoms(t *testing.T) {
	v := View{Asset: Asset{Ticker: "TOKEN", Denom: "utoken", Decimals: 3}, Platform: Asset{Ticker: "COIN", Denom: "ucoin", Decimals: 6},
		Named: func(denom string) (Asset, bool) {
			return Asset{Ticker: "OTHER", Denom: denom, Decimals: 2}, denom == "uother"
		}}
	row := func(denom string) txlog.Row {
		return txlog.Row{FeeDenom: denom, FeeAmount: big.NewInt(1500), GasLimit: 7}
	}
	for denom, want := range map[string]string{"ucoin": "COIN 0.0015", "utoken": "TOKEN 1.5", "uother": "OTHER 15", "ustranger": "ustranger 1500"} {
		fee := v.Fee(row(denom), "Tendermint")
		require.Equal(t, want, fee.Coin+" "+fee.Amount.String())
		require.Equal(t, uint64(7), fee.GasLimit)
	}
	v.Named = nil
	require.Equal(t, "uother", v.Fee(row("uother"), "Tendermint").Coin)
	none := v.Fee(txlog.Row{}, "Tendermint")
	require.Equal(t, "COIN 0", none.Coin+" "+none.Amount.String())
}

func TestHistoryFails(t *testing.T) {
	r := replay(t, "gaiad")
	l := r.loaded(t)
	view, query := r.views()[0], coin.HistoryQuery{Limit: 10, Page: 1}
	source := r.nodes()
	source.fail = func(string) error { return errors.New("all down") }
	down := start(l.c.Store, source, r.user())
	_, err := down.History(t.Context(), view, query)
	require.ErrorIs(t, err, coin.ErrTransport)
	require.ErrorContains(t, err, "all down")
	source.fail = func(string) error { return fmt.Errorf("%w: [x]", coin.ErrTransport) }
	_, err = down.History(t.Context(), view, query)
	require.EqualError(t, err, "current block: "+coin.ErrTransport.Error()+": [x]")

	// Damage a record, and delete another one.
	kv := l.c.Store
	entries, err := kv.Scan(t.Context(), "N/tm/history/tx/", "", 1000)
	require.NoError(t, err)
	for _, spoil := range []func(*store.Batch, string){
		func(b *store.Batch, key string) { b.Put(key, "\x00rubbish") },
		func(b *store.Batch, key string) { b.Delete(key) },
	} {
		var b store.Batch
		spoil(&b, entries[0].Key)
		require.NoError(t, store.Apply(t.Context(), kv, b))
		_, err = l.History(t.Context(), view, query)
		require.ErrorIs(t, err, coin.ErrHistoryStore)
		require.ErrorIs(t, err, table.ErrDamaged)
	}
}

func BenchmarkPage(b *testing.B) {
	for _, n := range []int{1_000, 10_000} {
		l := start(memory(b), made(n, "a"), "me1")
		l.size = 100
		if _, err := l.load(b.Context()); err != nil {
			b.Fatal(err)
		}
		view := View{Asset: Asset{Ticker: "X", Denom: "x0", Decimals: 6}, Platform: Asset{Ticker: "X", Denom: "x0", Decimals: 6}}
		for _, page := range []int{1, n / 30} {
			b.Run(fmt.Sprintf("of %d, page %d", n, page), func(b *testing.B) {
				for b.Loop() {
					if _, err := l.History(b.Context(), view, coin.HistoryQuery{Limit: 10, Page: page}); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
