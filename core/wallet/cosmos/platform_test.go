package cosmos

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/number"
	"obverse/core/store/bunttest"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/node"
	"obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/cosmos/wire"
)

// TestHistory checks the history of a recorded account, of its coin and of a token.
func TestHistory(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		b := openBench(t, kv)
		user := b.gaiad.Accounts["user"]
		b.Providers = key.Providers{mustRing(t, user.Passphrase)}
		p := atom("CAREFUL-IBC_ATOM")
		p.History = true
		_, err := b.Activate(t.Context(), p)
		require.NoError(t, err)
		b.run(t)
		time.Sleep(time.Minute)
		synctest.Wait()
		page, err := get[*Platform](t, b, "ATOM").History(t.Context(), coin.HistoryQuery{Limit: 1000, Page: 1})
		require.NoError(t, err)
		require.Equal(t, coin.SyncFinished, page.Sync.State, page.Sync.Message)
		require.EqualValues(t, 45, page.CurrentBlock)
		sum := number.Int(0)
		for _, entry := range page.Transactions {
			sum = sum.Add(entry.Received).Sub(entry.Spent)
			require.Equal(t, "ATOM", entry.Coin)
		}
		require.Equal(t, "-5.9002", sum.String(), "the sum of the recorded transactions")
		page, err = get[*Token](t, b, "CAREFUL-IBC_ATOM").History(t.Context(), coin.HistoryQuery{Limit: 1000, Page: 1})
		require.NoError(t, err)
		require.NotEmpty(t, page.Transactions)
		sum = number.Int(0)
		for _, entry := range page.Transactions {
			sum = sum.Add(entry.Received).Sub(entry.Spent)
			require.Equal(t, "CAREFUL-IBC_ATOM", entry.Coin)
		}
		require.Equal(t, "0.999991", sum.String(), "777 at genesis, 777.999991 now")

		time.Sleep(time.Minute)
		synctest.Wait()
		searches := b.gaiad.CallCount("tx_search")
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		require.Equal(t, searches, b.gaiad.CallCount("tx_search"), "it is not asked for all the time")
	})
}

// Two nodes of five that report the transactions of an account as failed do not change its history,
// wherever they are in the list.
func TestHistoryOfLiars(t *testing.T) {
	history := func(liars ...int) (list []coin.Transaction) {
		kv := bunttest.Memory(t)
		synctest.Test(t, func(t *testing.T) {
			b := openBench(t, kv)
			b.Providers = key.Providers{mustRing(t, b.gaiad.Accounts["user"].Passphrase)}
			p := atom()
			p.Nodes, p.History = nil, true
			fails := func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
				answer, err := nodetest.Well(b.gaiad)(ctx, r)
				answer.Body = regexp.MustCompile(`"code": ?0`).ReplaceAll(answer.Body, []byte(`"code":5`))
				return answer, err
			}
			for i := range 5 {
				is := nodetest.Well(b.gaiad)
				if slices.Contains(liars, i) {
					is = nodetest.But("tx_search", fails, nodetest.But("tx", fails, is))
				}
				b.net.Set(nodeURL(i), is)
				p.Nodes = append(p.Nodes, at(nodeURL(i))...)
			}
			_, err := b.Activate(t.Context(), p)
			require.NoError(t, err)
			b.run(t)
			time.Sleep(time.Minute)
			synctest.Wait()
			page, err := get[*Platform](t, b, "ATOM").History(t.Context(), coin.HistoryQuery{Limit: 1000, Page: 1})
			require.NoError(t, err)
			require.Equal(t, coin.SyncFinished, page.Sync.State, page.Sync.Message)
			list = page.Transactions
		})
		return list
	}
	want := history()
	require.NotEmpty(t, want)
	for _, liars := range [][]int{{0, 1}, {0, 4}, {3, 4}} {
		require.Equal(t, want, history(liars...), liars)
	}
}

// forger returns the behaviour of a node that lists a forged payment to an account.
func forger(b *bench) nodetest.Behaviour {
	type listed struct {
		Hash   string          `json:"hash"`
		Height string          `json:"height"`
		Index  int             `json:"index"`
		Result json.RawMessage `json:"tx_result"`
		Tx     []byte          `json:"tx"`
	}
	type found struct {
		Txs   []json.RawMessage `json:"txs"`
		Total string            `json:"total_count"`
	}
	var mu sync.Mutex
	var forged listed
	is := func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
		mu.Lock()
		defer mu.Unlock()
		response, err := nodetest.Well(b.gaiad)(ctx, r)
		var question struct {
			Method string
			Params struct {
				Query, Height string
				Hash          []byte
			}
		}
		var answer struct {
			ID     json.RawMessage `json:"id"`
			Result json.RawMessage `json:"result,omitempty"`
			Error  json.RawMessage `json:"error,omitempty"`
		}
		if json.Unmarshal(r.Body, &question) != nil || json.Unmarshal(response.Body, &answer) != nil {
			return response, err
		}
		switch {
		case question.Method == "tx_search" && strings.Contains(question.Params.Query, "coin_received"):
			var page found
			if json.Unmarshal(answer.Result, &page) != nil || len(page.Txs) == 0 || json.Unmarshal(page.Txs[len(page.Txs)-1], &forged) != nil {
				return response, err
			}
			forged.Index, forged.Tx = forged.Index+1, append(forged.Tx, 0)
			forged.Hash = fmt.Sprintf("%X", sha256.Sum256(forged.Tx))
			raw, _ := json.Marshal(forged)
			n, _ := strconv.Atoi(page.Total)
			page.Txs, page.Total = append(page.Txs, raw), strconv.Itoa(n+1)
			answer.Result, _ = json.Marshal(page)
		case question.Method == "tx" && fmt.Sprintf("%X", question.Params.Hash) == forged.Hash:
			answer.Error = nil
			answer.Result, _ = json.Marshal(forged)
		case question.Method == "block" && question.Params.Height == forged.Height:
			answer.Result = bytes.Replace(answer.Result, []byte(`"txs":[`), fmt.Appendf(nil, `"txs":[%q,`, base64.StdEncoding.EncodeToString(forged.Tx)), 1)
		}
		response.Body, _ = json.Marshal(answer)
		return response, err
	}
	return is
}

// TestIncomingOfLiars checks that a payment which one node reports is listed only if most nodes
// that can know it have it, and that a payment which most nodes have is listed regardless of
// the others.
func TestIncomingOfLiars(t *testing.T) {
	changes := func(matches, with string) func(*bench) nodetest.Behaviour {
		return func(b *bench) nodetest.Behaviour {
			return func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
				answer, err := nodetest.Well(b.gaiad)(ctx, r)
				answer.Body = regexp.MustCompile(matches).ReplaceAll(answer.Body, []byte(with))
				return answer, err
			}
		}
	}
	says := func(data string) nodetest.Behaviour {
		return func(_ context.Context, r fetch.Request) (fetch.Response, error) {
			return fetch.Response{Status: 200, Body: nodetest.WithID(`{"jsonrpc":"2.0","id":"ID","error":{"code":-32603,"message":"Internal error","data":"`+data+`"}}`, r.Body)}, nil
		}
	}
	kinds := map[byte]func(*bench) nodetest.Behaviour{
		'h': func(b *bench) nodetest.Behaviour { return nodetest.Well(b.gaiad) },
		'f': forger,
		'a': changes(base64.StdEncoding.EncodeToString([]byte("amount")), base64.StdEncoding.EncodeToString([]byte("number"))), // the amounts of events
		'u': func(b *bench) nodetest.Behaviour {
			return nodetest.But("tx", says("tx (AB) not found"), nodetest.Well(b.gaiad))
		},
	}
	behind := func(b *bench, status nodetest.Behaviour) nodetest.Behaviour { // before the first payment
		return nodetest.But("tx", says("tx (AB) not found"), nodetest.But("status", status,
			nodetest.But("block", says("height 9 must be less than or equal to the current blockchain height 1"), nodetest.Well(b.gaiad))))
	}
	kinds['l'] = func(b *bench) nodetest.Behaviour { // this node is late
		return behind(b, changes(`"latest_block_height":"[0-9]+"`, `"latest_block_height":"1"`)(b))
	}
	kinds['s'] = func(b *bench) nodetest.Behaviour { // the height of this node does not change
		return behind(b, changes(`"latest_block_height":"[0-9]+","latest_block_time":"[^"]*"`, `"latest_block_height":"1","latest_block_time":"1999-01-01T00:00:00Z"`)(b))
	}
	history := func(nodes string) (list []coin.Transaction, gaps []coin.Gap) {
		kv := bunttest.Memory(t)
		synctest.Test(t, func(t *testing.T) {
			b := openBench(t, kv)
			b.Providers = key.Providers{mustRing(t, b.gaiad.Accounts["user"].Passphrase)}
			p := atom()
			p.Nodes, p.History = nil, true
			for i := range nodes {
				b.net.Set(nodeURL(i), kinds[nodes[i]](b))
				p.Nodes = append(p.Nodes, at(nodeURL(i))...)
			}
			_, err := b.Activate(t.Context(), p)
			require.NoError(t, err)
			b.run(t)
			time.Sleep(3 * time.Minute)
			synctest.Wait()
			page, err := get[*Platform](t, b, "ATOM").History(t.Context(), coin.HistoryQuery{Limit: 1000, Page: 1})
			require.NoError(t, err)
			require.Equal(t, coin.SyncFinished, page.Sync.State, page.Sync.Message)
			list, gaps = page.Transactions, page.Gaps
		})
		return list, gaps
	}
	want, _ := history("h")
	alone, _ := history("f")
	require.Len(t, alone, len(want)+1, "a node that is configured alone is believed")
	for _, nodes := range []string{"fh", "fhh", "hfh", "fhfhh", "ahh", "haahh", "huu", "uhu", "hs", "hhl"} {
		got, gaps := history(nodes)
		require.Equal(t, want, got, nodes)
		if nodes[0] == 'f' {
			require.Len(t, gaps, 1, nodes)
			require.Equal(t, coin.GapNoAnswer, gaps[0].Reason)
		}
	}
	for _, nodes := range []string{"hl", "hls", "hss"} { // nothing is known yet about a payment that is late, and the nodes of "hss" report a constant height
		got, gaps := history(nodes)
		require.Empty(t, got, nodes)
		require.Len(t, gaps, 1, nodes)
	}
}

// TestHistoryIsWoken checks that an event of a transaction makes the history load.
func TestHistoryIsWoken(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		b := openBench(t, kv)
		b.listening()
		p := atom()
		p.History = true
		_, err := b.Activate(t.Context(), p)
		require.NoError(t, err)
		b.run(t)
		time.Sleep(time.Minute)
		synctest.Wait()
		require.Equal(t, 1, b.gaiad.Listeners())
		searches := b.gaiad.CallCount("tx_search")
		b.gaiad.Announce(atomAddress)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		require.Greater(t, b.gaiad.CallCount("tx_search"), searches)
		_, err = b.Active.Disable(t.Context(), "ATOM", false)
		require.NoError(t, err)
		require.Zero(t, b.gaiad.Listeners(), "a coin that is gone listens to nothing")
	})
}

func TestNoHistory(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), atom("HUGE-IBC_ATOM"))
	require.NoError(t, err)
	_, err = get[*Token](t, b, "HUGE-IBC_ATOM").History(t.Context(), coin.HistoryQuery{Limit: 1, Page: 1})
	require.ErrorIs(t, err, coin.ErrNoHistory)
}

func TestSending(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), atom("CAREFUL-IBC_ATOM"))
	require.NoError(t, err)
	token := get[*Token](t, b, "CAREFUL-IBC_ATOM")
	other := b.gaiad.Accounts["other"].Address
	sent := sendTen(t, token, coin.WithdrawRequest{To: other})
	require.Equal(t, "CAREFUL-IBC_ATOM", sent.Coin)
	require.Equal(t, "ATOM", sent.Fee.Coin)
	require.Equal(t, coin.KindTokenTransfer, sent.Kind)
	hash, err := token.Broadcast(t.Context(), sent.Raw)
	require.NoError(t, err)
	require.Equal(t, sent.Hash, hash)
	require.Equal(t, [][]byte{sent.Raw}, b.gaiad.Sent())
	var refused *coin.RefusedError
	_, err = token.Broadcast(t.Context(), []byte("rubbish"))
	require.ErrorAs(t, err, &refused)
	require.EqualValues(t, 2, refused.Code)
	b.net.Set(atomURL, nodetest.Dead)
	_, err = token.Broadcast(t.Context(), sent.Raw)
	require.ErrorIs(t, err, coin.ErrTransport)
	_, err = token.Withdraw(t.Context(), coin.WithdrawRequest{To: other, Amount: number.Int(1)})
	require.ErrorIs(t, err, coin.ErrTransport)
}

// TestAwait checks that Await waits until a transaction has as many confirmations as the coin
// requires.
func TestAwait(t *testing.T) {
	kv := bunttest.Memory(t)
	synctest.Test(t, func(t *testing.T) {
		b := openBench(t, kv)
		p := atom()
		p.Confirmations = 44
		_, err := b.Activate(t.Context(), p)
		require.NoError(t, err)
		raw := recordedTx(t, b)
		done := make(chan coin.Confirmed)
		go func() {
			where, err := get[*Platform](t, b, "ATOM").Await(t.Context(), raw, 0)
			require.NoError(t, err)
			done <- where
		}()
		time.Sleep(5 * time.Second)
		synctest.Wait()
		select {
		case where := <-done:
			require.Fail(t, "Await returned early", "%v", where)
		default:
		}
		b.gaiad.SetHeight(46)
		where := <-done
		require.Equal(t, coin.Confirmed{Height: 3, Confirmations: 44}, where)
	})
}

// recordedTx is the first transaction of the recorded account.
func recordedTx(t *testing.T, b *bench) []byte {
	t.Helper()
	pool, err := node.New(node.Config{Nodes: at(atomURL), ChainID: "cosmoshub-4", Fetcher: b.net, Now: time.Now})
	require.NoError(t, err)
	found, err := pool.Search(t.Context(), node.Search{Query: "coin_spent.spender='" + b.gaiad.Accounts["user"].Address + "'", Page: 1, Size: 1})
	require.NoError(t, err)
	require.EqualValues(t, 3, found.Txs[0].Height)
	return found.Txs[0].Raw
}

func newNodes(t *testing.T, b *bench) *nodes {
	t.Helper()
	pool, err := node.New(node.Config{Nodes: at(atomURL), ChainID: "cosmoshub-4", Fetcher: b.net, Now: time.Now})
	require.NoError(t, err)
	return &nodes{pool: pool, kinds: fetch.NewCache[kind](time.Now)}
}

// TestNodesErrors checks that an error of the chain is returned unchanged, and that all others
// are failures of the nodes.
func TestNodesErrors(t *testing.T) {
	b := newBench(t)
	n := newNodes(t, b)
	ctx := t.Context()
	_, err := n.Account(ctx, b.gaiad.Accounts["empty"].Address)
	require.ErrorIs(t, err, tx.ErrNoAccount)
	account, err := n.Account(ctx, b.gaiad.Accounts["user"].Address)
	require.NoError(t, err)
	require.EqualValues(t, 7, account.Number)
	_, err = n.Channel(ctx, "channel-99")
	require.Error(t, err)
	channel, err := n.Channel(ctx, "channel-0")
	require.NoError(t, err)
	require.Equal(t, wire.ChannelOpen, channel.State)
	client, err := n.ChannelClient(ctx, "channel-1")
	require.NoError(t, err)
	status, err := n.ClientStatus(ctx, client.ID)
	require.NoError(t, err)
	require.Equal(t, wire.ClientExpired, status)
	_, err = n.Find(ctx, strings.Repeat("0", 64), false)
	require.ErrorIs(t, err, tx.ErrNotFound)
	_, err = n.Find(ctx, "zz", false)
	require.Error(t, err)
	_, err = n.Search(ctx, node.Search{Query: "coin_spent.spender='nobody'", Page: 2, Size: 50})
	require.ErrorIs(t, err, node.ErrNoPage)
	earliest, err := n.Earliest(ctx)
	require.NoError(t, err)
	require.EqualValues(t, 1, earliest)

	b.net.Set(atomURL, nodetest.Dead)
	n = newNodes(t, b)
	for name, call := range map[string]func() error{
		"account":   func() error { _, err := n.Account(ctx, atomAddress); return err },
		"balance":   func() error { _, err := n.Balance(ctx, atomAddress, "uatom"); return err },
		"newest":    func() error { _, err := n.Newest(ctx); return err },
		"simulate":  func() error { _, err := n.Simulate(ctx, nil); return err },
		"channel":   func() error { _, err := n.Channel(ctx, "channel-0"); return err },
		"client":    func() error { _, err := n.ChannelClient(ctx, "channel-0"); return err },
		"status":    func() error { _, err := n.ClientStatus(ctx, "x"); return err },
		"broadcast": func() error { _, err := n.Broadcast(ctx, nil); return err },
		"find":      func() error { _, err := n.Find(ctx, fmt.Sprintf("%064x", 0), false); return err },
		"search":    func() error { _, err := n.Search(ctx, node.Search{Page: 1, Size: 1}); return err },
		"block":     func() error { _, err := n.BlockTime(ctx, 1); return err },
		"height":    func() error { _, err := n.Height(ctx); return err },
		"earliest":  func() error { _, err := n.Earliest(ctx); return err },
	} {
		err := call()
		require.ErrorIs(t, err, coin.ErrTransport, name)
		require.ErrorAs(t, err, new(*nodepool.UnreachableError), name)
	}
	gone, cancel := context.WithCancel(ctx)
	cancel()
	_, err = n.Height(gone)
	require.NotErrorIs(t, err, coin.ErrTransport)
}

// TestUnsupportedSimulation checks the gas on chains without simulations.
func TestUnsupportedSimulation(t *testing.T) {
	b := newBench(t)
	unknownPath := `{"jsonrpc":"2.0","id":"ID","result":{"response":{"code":6,"log":"unknown query path: unknown request","codespace":"sdk","height":"0"}}}`
	other := `{"jsonrpc":"2.0","id":"ID","result":{"response":{"code":6,"log":"rpc error: code = Unknown desc = 3uiris is smaller than 5uiris: unknown request","codespace":"sdk","height":"0"}}}`
	b.net.Set(atomURL, nodetest.But(wire.PathSimulate, saysTo(unknownPath), nodetest.Well(b.gaiad)))
	_, err := newNodes(t, b).Simulate(t.Context(), []byte{1})
	require.ErrorIs(t, err, tx.ErrNoSimulation)
	b.net.Set(atomURL, nodetest.But(wire.PathSimulate, saysTo(other), nodetest.Well(b.gaiad)))
	_, err = newNodes(t, b).Simulate(t.Context(), []byte{1})
	require.ErrorAs(t, err, new(*tx.AnswerError), "a code that means something else there")
}

// saysTo answers with a text in which ID is replaced by the request's id.
func saysTo(text string) nodetest.Behaviour {
	return func(_ context.Context, r fetch.Request) (fetch.Response, error) {
		return fetch.Response{Status: 200, Body: nodetest.WithID(text, r.Body)}, nil
	}
}

// An estimate is cached until the account changes.
func TestEstimatesAreCached(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), atom())
	require.NoError(t, err)
	platform := get[*Platform](t, b, "ATOM")
	requests := 0
	for _, happens := range []func(){
		func() {},
		platform.changed,
		func() {
			_, err := platform.Broadcast(t.Context(), []byte("rubbish"))
			require.Error(t, err)
		},
		func() {
			_, err := platform.Withdraw(t.Context(), coin.WithdrawRequest{To: atomAddress, Amount: number.Int(1), Send: true})
			require.NoError(t, err)
			requests++ // Withdraw simulates too
		},
	} {
		happens()
		requests++
		for range 3 {
			cost, err := platform.SpendingCost(t.Context())
			require.NoError(t, err)
			require.Positive(t, cost.Fee.Amount.Sign())
			require.Equal(t, requests, b.gaiad.CallCount(wire.PathSimulate))
		}
	}
}

// TestSpendablePages checks that an account with many denoms is read page by page, up to a
// limit.
func TestSpendablePages(t *testing.T) {
	b := newBench(t)
	b.gaiad.Lock(atomAddress, "uatom", "3")
	pages := 0
	endless := func(_ context.Context, r fetch.Request) (fetch.Response, error) {
		pages++
		answer := &wire.AllBalancesResponse{Balances: []wire.Coin{{Denom: fmt.Sprintf("d%d", pages), Amount: "1"}}, Page: wire.PageResponse{NextKey: []byte{byte(pages)}}}
		if pages == 3 {
			answer.Balances[0] = wire.Coin{Denom: "uatom", Amount: "1000000000"}
		}
		return fetch.Response{Status: 200, Body: nodetest.Value(answer, r.Body)}, nil
	}
	b.net.Set(atomURL, nodetest.But(wire.PathSpendableBalances, endless, nodetest.Well(b.gaiad)))
	n := newNodes(t, b)
	h, err := n.holding(t.Context(), atomAddress, "uatom")
	require.NoError(t, err)
	require.Equal(t, "1000000000", h.spendable.String())
	require.Equal(t, 3, pages)
	b.gaiad.Give(atomAddress, "never", "5")
	_, err = newNodes(t, b).holding(t.Context(), atomAddress, "never")
	require.ErrorIs(t, err, errDenoms)
	require.ErrorIs(t, err, coin.ErrTransport)
	require.Equal(t, 3+maxPages, pages)
}

func TestWatchersOfACoinThatIsGone(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), atom("HUGE-IBC_ATOM"))
	require.NoError(t, err)
	platform := get[*Platform](t, b, "ATOM")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, platform.Run(ctx), context.Canceled)
	never := func([]coin.TickerBalance) error { return errors.New("nothing has changed") }
	require.ErrorIs(t, platform.WatchBalances(t.Context(), never), coin.ErrNotActive)
	require.ErrorIs(t, get[*Token](t, b, "HUGE-IBC_ATOM").WatchBalances(t.Context(), never), coin.ErrNotActive)

	b = newBench(t)
	_, err = b.Activate(t.Context(), atom())
	require.NoError(t, err)
	require.ErrorIs(t, get[*Platform](t, b, "ATOM").WatchBalances(ctx, never), context.Canceled)
}

func TestTokensMove(t *testing.T) {
	b := newBench(t)
	_, err := b.Activate(t.Context(), atom("HUGE-IBC_ATOM"))
	require.NoError(t, err)
	token := get[*Token](t, b, "HUGE-IBC_ATOM")
	require.Same(t, token, token.OnPlatform(&platformOfNothing{}), "only to a platform of the family")
	named, known := token.named("ibc/8EAC8061F4499F03D2D1419A3E73D346289AE9DB89CAB1486B72539572B1915E")
	require.True(t, known)
	require.Equal(t, "HUGE-IBC_ATOM", named.Ticker)
	_, known = token.named("uatom")
	require.False(t, known)
}

func TestReadAddress(t *testing.T) {
	b := openBench(t, bunttest.Memory(t))
	_, err := b.Activate(t.Context(), atom())
	require.NoError(t, err)
	platform := get[*Platform](t, b, "ATOM")
	read, err := platform.ReadAddress(platform.Address())
	require.NoError(t, err)
	require.Equal(t, platform.Address(), read)
	for _, text := range []string{"", "cosmos1", "iaa1e0rx87mdj79zejewuc4jg7ql9ud2286g2us8f2", strings.ToUpper(read[:1]) + read[1:]} {
		_, err := platform.ReadAddress(text)
		var invalid *coin.InvalidError
		require.ErrorAs(t, err, &invalid, text)
		require.Equal(t, coin.FieldAddress, invalid.Field)
	}
}
