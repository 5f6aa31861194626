package evm

import (
	"context"
	"encoding/json"
	"errors"
	"math/big"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/net/nodepool"
	"obverse/core/number"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	network "obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/evm/wire"
)

func rational(t testing.TB, text string) number.Rational {
	t.Helper()
	r, err := number.ParseRational(text)
	require.NoError(t, err)
	return r
}

func TestSending(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		b := openBench(t, kv)
		b.eth.Nonce(walletAddress, 4)
		_, err := b.Activate(t.Context(), eth("SIX-ERC20"))
		require.NoError(t, err)
		token := get[*Token](t, b, "SIX-ERC20")
		first, err := token.Withdraw(t.Context(), coin.WithdrawRequest{To: payee, Amount: rational(t, "2.5")})
		require.NoError(t, err)
		hash, err := token.Broadcast(t.Context(), first.Raw)
		require.NoError(t, err)
		require.Equal(t, first.Hash, hash)
		second, err := get[*Platform](t, b, "ETH").Withdraw(t.Context(), coin.WithdrawRequest{To: payee, Amount: rational(t, "1")})
		require.NoError(t, err)
		for nonce, x := range map[uint64]coin.Transaction{4: first, 5: second} {
			sent, err := wire.Decode(x.Raw)
			require.NoError(t, err)
			require.Equal(t, nonce, sent.Nonce, "tokens and coins are of one account")
		}
		go func() {
			time.Sleep(7 * time.Second)
			b.eth.Mine()
			time.Sleep(30 * time.Second)
			b.eth.At(103)
		}()
		where, err := token.Await(t.Context(), first.Raw, 1)
		require.NoError(t, err)
		require.Equal(t, coin.Confirmed{Height: 101, Confirmations: 1}, where)
		where, err = token.Await(t.Context(), first.Raw, 0)
		require.NoError(t, err)
		require.EqualValues(t, 3, where.Confirmations, "the coins file's")

		b.eth.Refuse("insufficient funds for gas * price + value")
		_, err = token.Broadcast(t.Context(), second.Raw)
		var refused *coin.RefusedError
		require.ErrorAs(t, err, &refused)
		require.Equal(t, coin.RefusedError{Code: 32000, Codespace: codespaceRPC, Log: "insufficient funds for gas * price + value", Hash: second.Hash}, *refused)
		b.net.Set(ethURL, network.Dead)
		_, err = token.Broadcast(t.Context(), second.Raw)
		require.ErrorIs(t, err, coin.ErrTransport)
	})
}

func TestRefusedEstimate(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), eth("SIX-ERC20"))
	require.NoError(t, err)
	b.eth.Fail("eth_estimateGas", `{"code":3,"message":"execution reverted: paused","data":"0x"}`)
	_, err = get[*Token](t, b, "SIX-ERC20").Withdraw(t.Context(), coin.WithdrawRequest{To: payee, Amount: rational(t, "2.5")})
	var refused *coin.RefusedError
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "execution reverted: paused", refused.Log)
	require.EqualValues(t, 3, refused.Code)
}

// TestSpendingCost checks the fees of a swap's maker, which are as in Komodo DeFi Framework.
func TestSpendingCost(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), eth("SIX-ERC20"))
	require.NoError(t, err)
	gwei := func(n int64) *big.Int { return big.NewInt(n * 1_000_000_000) }
	for _, c := range []struct {
		base, tip *big.Int
		coin, six string
	}{
		{gwei(20), gwei(2), "0.0038115", "0.00693"}, // 23.1 gwei
		{nil, gwei(10), "0.0017325", "0.00315"},
		{nil, big.NewInt(7), "0.000165", "0.0003"}, // at least 1 gwei
	} {
		b.eth.Price(c.base, c.tip)
		for ticker, want := range map[string]string{"ETH": c.coin, "SIX-ERC20": c.six} {
			active, err := b.Active.Get(ticker)
			require.NoError(t, err)
			get[*Platform](t, b, "ETH").nodes.Invalidate()
			cost, err := active.(coin.Estimator).SpendingCost(t.Context())
			require.NoError(t, err)
			require.Equal(t, want, cost.Fee.Amount.String())
			require.Equal(t, "ETH", cost.Fee.Coin)
			require.Equal(t, "2.500000000000000001", cost.Funds.String())
			require.Zero(t, cost.MinAmount.Sign())
		}
	}
	b.net.Set(ethURL, network.Dead)
	get[*Platform](t, b, "ETH").nodes.Invalidate()
	_, err = get[*Platform](t, b, "ETH").SpendingCost(t.Context())
	require.ErrorIs(t, err, coin.ErrTransport)
}

func TestMessages(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), eth())
	require.NoError(t, err)
	platform := get[*Platform](t, b, "ETH")
	m, err := platform.SignMessage(t.Context(), "hello")
	require.NoError(t, err)
	valid, err := platform.VerifyMessage(t.Context(), coin.MessageProof{Message: "hello", Address: walletAddress, Signature: m.Signature})
	require.NoError(t, err)
	require.True(t, valid)
}

func TestConfirmations(t *testing.T) {
	nine, four := uint64(9), uint64(4)
	b := newBench(t)
	p := eth("SIX-ERC20", "HUGE-ERC20")
	_, err := b.Activate(t.Context(), p)
	require.NoError(t, err)
	count := func(ticker string) uint64 {
		active, err := b.Active.Get(ticker)
		require.NoError(t, err)
		return active.(interface{ Confirmations() uint64 }).Confirmations()
	}
	require.Equal(t, []uint64{3, 3, nine}, []uint64{count("ETH"), count("SIX-ERC20"), count("HUGE-ERC20")}, "the coins file's, or the platform's")
	_, err = b.Active.Disable(t.Context(), "ETH", true)
	require.NoError(t, err)
	p.Confirmations, p.Tokens[1].Confirmations = &nine, &four
	_, err = b.Activate(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, []uint64{nine, nine, four}, []uint64{count("ETH"), count("SIX-ERC20"), count("HUGE-ERC20")})
	_, err = b.Active.Disable(t.Context(), "ETH", true)
	require.NoError(t, err)
	p = eth()
	p.Ticker = "OLD"
	_, err = b.Activate(t.Context(), p)
	require.NoError(t, err)
	require.EqualValues(t, 1, count("OLD"))
}

func TestActivateToken(t *testing.T) {
	four := uint64(4)
	b := newBench(t)
	_, err := b.ActivateToken(t.Context(), account.TokenRequest{Ticker: "SIX-ERC20"})
	as[*coin.PlatformError]()(t, err)
	_, err = b.Activate(t.Context(), eth())
	require.NoError(t, err)
	done, err := b.ActivateToken(t.Context(), account.TokenRequest{Ticker: "SIX-ERC20", Confirmations: &four})
	require.NoError(t, err)
	require.Equal(t, "ETH "+walletAddress+" 12.345678", done.Platform+" "+done.Address+" "+done.Balance.Spendable.String())
	require.Equal(t, "0xfb6916095ca1df60bb79ce92ce3ea74c37c5d359", done.Contract.Plain())
	require.Equal(t, four, done.Confirmations)
	_, err = b.ActivateToken(t.Context(), account.TokenRequest{Ticker: "SIX-ERC20"})
	require.ErrorIs(t, err, coin.ErrAlreadyActive)
	_, err = b.ActivateToken(t.Context(), account.TokenRequest{Ticker: "XYZ"})
	require.ErrorIs(t, err, coin.ErrNotConfigured)
	_, err = b.ActivateToken(t.Context(), account.TokenRequest{Ticker: "WRONG-ERC20"})
	as[*coin.UnexpectedError]()(t, err)
	_, err = b.ActivateToken(t.Context(), account.TokenRequest{Ticker: "GONE-ERC20"})
	require.ErrorIs(t, err, coin.ErrTransport)
	require.Equal(t, []string{"ETH", "SIX-ERC20"}, b.active())
	foreign, err := b.Active.Begin(t.Context(), "MATIC")
	require.NoError(t, err)
	require.NoError(t, foreign.Commit(t.Context(), coin.Item{Coin: bare("MATIC")}))
	_, err = b.ActivateToken(t.Context(), account.TokenRequest{Ticker: "SIX-PLG20"})
	as[*coin.PlatformKindError]()(t, err)
	require.EqualError(t, err, "MATIC is not a platform coin for token SIX-PLG20")
}

// bare is a coin of another family.
type bare string

func (b bare) Ticker() string   { return string(b) }
func (bare) Entry() *coin.Entry { return nil }

func TestRestore(t *testing.T) {
	kv := bunttest.Memory(t)
	b := openBench(t, kv)
	p := eth("SIX-ERC20", "HUGE-ERC20", "ZERO-ERC20")
	p.Nodes = []nodepool.Node{{URL: ethURL, WSURL: "wss://eth.example/ws"}, {URL: "https://dead.example"}}
	p.Path = account.AddressPath{Account: 1, Chain: key.Internal, Address: 2}
	p.Contracts.Fallback = swaps
	nine := uint64(9)
	p.Confirmations, p.Tokens[0].Confirmations = &nine, &nine
	_, err := b.Activate(t.Context(), p)
	require.NoError(t, err)

	again := openBench(t, kv)
	again.eth.Deploy(sixAt, 0).GiveToken(sixAt, walletAddress, "12345678") // with known decimals
	restorer := &coin.Restorer{Active: again.Active, Registry: again.Registry,
		Kinds: map[coin.ProtocolType]func(context.Context, coin.SavedCoin) error{coin.TypeETH: again.Restore, coin.TypeERC20: again.Restore}}
	require.NoError(t, restorer.Run(t.Context()))
	require.Equal(t, []string{"ETH", "SIX-ERC20", "HUGE-ERC20", "ZERO-ERC20"}, again.active())
	require.Equal(t, 1, again.eth.Requests(), "a greeting is enough")
	platform := get[*Platform](t, again, "ETH")
	require.Equal(t, Contracts{swaps, swaps}, platform.Contracts())
	require.Equal(t, nine, platform.Confirmations())
	nodes := get[*Token](t, again, "SIX-ERC20").Nodes()
	require.Equal(t, platform.Nodes(), nodes)
	require.Len(t, nodes, 2)
	require.True(t, nodes[0].Healthy)
	require.Equal(t, "unreachable: no such host", nodes[1].Reason)
	for ticker, want := range map[string]string{"SIX-ERC20": "12.345678", "ZERO-ERC20": maxUint256} {
		balance, err := get[*Token](t, again, ticker).Balance(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, balance.Spendable.String())
	}
	p.Nodes = at(ethURL)
	_, err = again.Activate(t.Context(), p)
	require.NoError(t, err, "the user enables it once more")
	_, err = again.Activate(t.Context(), p)
	require.ErrorIs(t, err, coin.ErrAlreadyActive)
}

// Saved parameters stay readable for earlier and later versions.
func TestSavedParams(t *testing.T) {
	b, _ := walletBench(t, bunttest.Memory(t))
	ring, err := key.Open(phrase, false)
	require.NoError(t, err)
	b.Providers = append(key.Providers{ring}, b.Providers[1:]...)
	p := byWallet(eth("SIX-ERC20", "ZERO-ERC20"))
	p.Contracts.Fallback = swaps
	two := uint64(2)
	p.Confirmations, p.Tokens[0].Confirmations = &two, &two
	_, err = b.Activate(t.Context(), p)
	require.NoError(t, err)
	p = eth()
	p.Ticker, p.Nodes = "MATIC", []nodepool.Node{{URL: maticURL, WSURL: "wss://m.example"}}
	_, err = b.Activate(t.Context(), p)
	require.NoError(t, err)
	var texts []string
	for _, saved := range openBench(t, b.kv).Active.Saved() {
		texts = append(texts, string(saved.Params))
	}
	require.Equal(t, []string{
		`{"nodes":[{"url":"https://eth.example/"}],"policy":{"type":"BrowserWallet"},"wallet":"` + walletAddress + `","account":0,"chain":0,"address":0,` +
			`"swap_contract":"` + swaps + `","fallback_swap_contract":"` + swaps + `","confirmations":2}`,
		`{"confirmations":2,"decimals":6}`, `{"decimals":0}`,
		`{"nodes":[{"url":"https://matic.example/","ws":"wss://m.example"}],"policy":{"type":"ContextPrivKey"},"account":0,"chain":0,"address":0,` +
			`"swap_contract":"` + swaps + `"}`,
	}, texts)
}

func TestRestoreFails(t *testing.T) {
	kv := bunttest.Memory(t)
	b := openBench(t, kv)
	_, err := b.Activate(t.Context(), eth("SIX-ERC20"))
	require.NoError(t, err)
	again := openBench(t, kv)
	again.net.Set(ethURL, network.Dead)
	saved := again.Active.Saved()
	require.Len(t, saved, 2)
	require.ErrorIs(t, again.Restore(t.Context(), saved[0]), coin.ErrTransport)
	as[*coin.PlatformError]()(t, again.Restore(t.Context(), saved[1]))
	for _, damaged := range []string{`5`, `{"policy":5}`, `{"policy":{"type":"ContextPrivKey"},"wallet":"x"}`, `{"policy":{"type":"ContextPrivKey"},"public_key":"02"}`} {
		require.Error(t, again.Restore(t.Context(), coin.SavedCoin{Ticker: "ETH", Params: json.RawMessage(damaged)}), damaged)
	}
	require.Empty(t, again.active())
	again.net.Set(ethURL, again.eth.Well)
	require.NoError(t, again.Restore(t.Context(), saved[0]))
	saved[1].Params = json.RawMessage(`5`)
	require.ErrorContains(t, again.Restore(t.Context(), saved[1]), "saved parameters of SIX-ERC20")
	_, err = again.Active.Disable(t.Context(), "ETH", true)
	require.NoError(t, err)
	require.ErrorIs(t, again.Restore(t.Context(), saved[0]), coin.ErrNotSaved)
}

func TestWatchBalances(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		b := openBench(t, kv)
		_, err := b.Activate(t.Context(), eth("SIX-ERC20"))
		require.NoError(t, err)
		b.run(t)
		platform := get[*Platform](t, b, "ETH")
		updates := make(chan string, 10)
		report := func(list []coin.TickerBalance) error {
			text := ""
			for _, balance := range list {
				text += balance.Ticker + " " + balance.Spendable.String() + " "
			}
			updates <- text
			return nil
		}
		ended := make(chan error, 1)
		watch := func() { ended <- platform.WatchBalances(t.Context(), report) }
		go watch()
		synctest.Wait()
		require.Empty(t, updates, "initial balances are not reported")
		b.eth.Give(walletAddress, "7").GiveToken(sixAt, walletAddress, "8")
		time.Sleep(20 * time.Second)
		require.Equal(t, "ETH 0.000000000000000007 SIX-ERC20 0.000008 ", <-updates)
		time.Sleep(time.Minute)
		require.Empty(t, updates)
		before := b.eth.Requests()
		time.Sleep(time.Minute)
		require.InDelta(t, 4, b.eth.Requests()-before, 1, "once a block")

		b.net.Set(ethURL, network.Dead)
		b.eth.Give(walletAddress, "9")
		require.ErrorIs(t, <-ended, coin.ErrTransport)
		b.net.Set(ethURL, b.eth.Well)
		go watch()
		require.Equal(t, "ETH 0.000000000000000009 ", <-updates, "missed changes are reported")
		_, err = b.Active.Disable(t.Context(), "ETH", true)
		require.NoError(t, err)
		require.ErrorIs(t, <-ended, coin.ErrNotActive)
	})
	b := newBench(t)
	_, err := b.Activate(t.Context(), eth("SIX-ERC20"))
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err = get[*Token](t, b, "SIX-ERC20").WatchBalances(ctx, func([]coin.TickerBalance) error { return errors.New("no reports are expected") })
	require.ErrorIs(t, err, context.Canceled)
}

func TestBlocktime(t *testing.T) {
	for text, want := range map[string]time.Duration{`15`: 15 * time.Second, `0.25`: 250 * time.Millisecond, `0`: usualBlocktime, `4000`: usualBlocktime, `null`: usualBlocktime} {
		entry, err := coin.ParseEntry([]byte(`{"coin":"X","avg_blocktime":` + text + `}`))
		require.NoError(t, err)
		require.Equal(t, want, blocktime(entry), text)
	}
}

func TestReadAddress(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), eth())
	require.NoError(t, err)
	platform := get[*Platform](t, b, "ETH")
	read, err := platform.ReadAddress(strings.ToLower(walletAddress))
	require.NoError(t, err)
	require.Equal(t, walletAddress, read)
	var invalid *coin.InvalidError
	_, err = platform.ReadAddress(walletAddress[:41])
	require.ErrorAs(t, err, &invalid)
	require.Equal(t, coin.FieldAddress, invalid.Field)
}

func TestFeeLevels(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), eth())
	require.NoError(t, err)
	levels, err := get[*Platform](t, b, "ETH").FeeLevels(t.Context())
	require.NoError(t, err)
	require.Positive(t, levels.BaseFee.Sign())
	for i, level := range levels.Levels {
		require.Positive(t, level.Max.Cmp(levels.BaseFee.Add(level.Tip)), "a full block raises the base fee")
		if i > 0 {
			require.Positive(t, level.Max.Sub(level.Tip).Cmp(levels.Levels[i-1].Max.Sub(levels.Levels[i-1].Tip)))
		}
	}
}

func TestRisen(t *testing.T) {
	for blocks, want := range map[int64]int64{0: 1000, 1: 1125, 3: 1424, 6: 2028} {
		require.Equal(t, want, risen(big.NewInt(1000), blocks).Int64())
	}
}
