package cosmos

import (
	"bytes"
	"context"
	"errors"
	"math/big"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"obverse/core/net/fetch"
	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/cosmos/wire"
)

func sequenceOf(t testing.TB, raw []byte) uint64 {
	t.Helper()
	var sent wire.Tx
	require.NoError(t, wire.Decode(raw, &sent))
	var auth wire.AuthInfo
	require.NoError(t, wire.Decode(sent.AuthInfo, &auth))
	return auth.Signers[0].Sequence
}

// TestSendingTogether sends the coin and a token from one account concurrently, before and
// after both are activated again. The chain makes no block meanwhile, so that it reports the
// same sequence all the time.
func TestSendingTogether(t *testing.T) {
	b := newBench(t)
	b.Queue = coin.NewSendQueue(time.Now)
	amount, err := number.ParseRational("0.00001")
	require.NoError(t, err)
	for range 2 {
		_, err := b.Activate(t.Context(), atom("CAREFUL-IBC_ATOM"))
		require.NoError(t, err)
		from := []coin.Withdrawer{get[*Platform](t, b, "ATOM"), get[*Token](t, b, "CAREFUL-IBC_ATOM")}
		var group errgroup.Group
		for i := range 10 {
			group.Go(func() error {
				_, err := from[i%2].Withdraw(t.Context(), coin.WithdrawRequest{To: atomAddress, Amount: amount, Send: true})
				return err
			})
		}
		require.NoError(t, group.Wait())
		for _, ticker := range []string{"CAREFUL-IBC_ATOM", "ATOM"} {
			_, err = b.Active.Disable(t.Context(), ticker, true)
			require.NoError(t, err)
		}
	}
	sent := b.gaiad.Sent()
	require.Len(t, sent, 20)
	first := sequenceOf(t, sent[0])
	for i, raw := range sent {
		require.Equal(t, first+uint64(i), sequenceOf(t, raw))
	}
}

// TestFullMempool checks that a transaction counts as refused if a node with a full mempool
// does not have it, unless another node may have it.
func TestFullMempool(t *testing.T) {
	const full = `mempool is full: number of txs 5000 (max: 5000), total txs bytes 3 (max: 4)`
	byRPC := saysTo(`{"jsonrpc":"2.0","id":"ID","error":{"code":-32603,"message":"Internal error","data":"` + full + `"}}`)
	byResult := func(b *bench) nodetest.Behaviour {
		return func(ctx context.Context, r fetch.Request) (fetch.Response, error) {
			answer, err := nodetest.Well(nodetest.Open(t, "testdata", "gaiad"))(ctx, r)
			answer.Body = bytes.Replace(answer.Body, []byte(`"code":0`), []byte(`"code":0,"mempool_error":"`+full+`"`), 1)
			return answer, err
		}
	}
	const other = "https://other.example/"
	for _, c := range []struct {
		name     string
		is       func(*bench) nodetest.Behaviour
		second   nodetest.Behaviour // nil means one node
		refused  bool
		takenBy2 bool
	}{
		{"one node", byResult, nil, true, false},
		{"one node, by JSON-RPC", func(*bench) nodetest.Behaviour { return byRPC }, nil, true, false},
		{"another node takes it", byResult, nil, false, true},
		{"another node may have it", byResult, nodetest.Dead, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t)
			well := nodetest.Well(b.gaiad)
			p := params("ATOM", atomURL)
			if c.second != nil || c.takenBy2 {
				p.Nodes = at(atomURL, other)
				b.net.Set(other, well)
			}
			_, err := b.Activate(t.Context(), p)
			require.NoError(t, err)
			b.net.Set(atomURL, nodetest.But("broadcast_tx_sync", c.is(b), well))
			if c.second != nil {
				b.net.Set(other, nodetest.But("broadcast_tx_sync", c.second, well))
			}
			done, err := get[*Platform](t, b, "ATOM").Withdraw(t.Context(), coin.WithdrawRequest{To: atomAddress, Amount: number.Int(1), Send: true})
			require.NotEmpty(t, done.Hash)
			switch {
			case c.refused:
				var refused *coin.RefusedError
				require.ErrorAs(t, err, &refused)
				require.NotErrorIs(t, err, coin.ErrTransport)
				require.ErrorContains(t, err, "try again later")
				require.ErrorContains(t, err, full)
				require.Empty(t, b.gaiad.Sent())
			case c.takenBy2:
				require.NoError(t, err)
				require.Len(t, b.gaiad.Sent(), 1)
			default:
				require.ErrorIs(t, err, coin.ErrTransport)
				require.False(t, errors.As(err, new(*coin.RefusedError)))
			}
		})
	}
}

// TestGasPrices checks that the price of gas is from the user's entry, or otherwise the
// built-in price of the chain, regardless of the ticker.
func TestGasPrices(t *testing.T) {
	for _, c := range []struct{ ticker, price, want string }{
		{"ATOM", "", "0.03"}, {"HUB", "", "0.03"}, {"HUB", `,"gas_price":0.1`, "0.1"}, {"ATOM", `,"gas_price":0.005`, "0.005"},
	} {
		b := newBench(t)
		if c.ticker != "ATOM" || c.price != "" {
			user, problems, err := coin.ParseList([]byte(`[{"coin":"` + c.ticker + `","mm2":1,"avg_blocktime":7,"protocol":{"type":"TENDERMINT",
				"protocol_data":{"decimals":6,"denom":"uatom","account_prefix":"cosmos","chain_id":"cosmoshub-4"` + c.price + `}}}]`))
			require.NoError(t, err)
			require.Empty(t, problems)
			b.Registry = coin.NewRegistry(user)
		}
		_, err := b.Activate(t.Context(), params(c.ticker, atomURL))
		require.NoError(t, err)
		platform := get[*Platform](t, b, c.ticker)
		made, err := platform.Withdraw(t.Context(), coin.WithdrawRequest{To: atomAddress, Amount: number.Int(1)})
		require.NoError(t, err)
		cost, err := platform.SpendingCost(t.Context())
		require.NoError(t, err)
		price, err := number.ParseRational(c.want)
		require.NoError(t, err)
		for _, fee := range []coin.Fee{made.Fee, cost.Fee} { // rounded up to the smallest unit
			exact := price.Mul(number.Scaled(new(big.Int).SetUint64(fee.GasLimit), 6))
			require.GreaterOrEqual(t, fee.Amount.Cmp(exact), 0)
			require.Negative(t, fee.Amount.Sub(exact).Cmp(number.Scaled(big.NewInt(1), 6)))
		}
	}
}
