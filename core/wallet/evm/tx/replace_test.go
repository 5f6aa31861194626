package tx

import (
	"errors"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/wire"
)

// waiting returns a signed, pending transfer with the nonce 7.
func waiting(t *testing.T, w *Wallet, s *stub, asset Asset, amount string, fee coin.FeePolicy) []byte {
	t.Helper()
	s.waiting = 7
	made, err := w.Withdraw(t.Context(), asset, coin.WithdrawRequest{To: payee, Amount: rational(t, amount), Fee: fee})
	require.NoError(t, err)
	s.waiting, s.done = 8, 7
	return made.Raw
}

func TestReplace(t *testing.T) {
	for _, c := range []struct {
		name   string
		token  bool
		cancel bool
		fee    coin.FeePolicy
		now    node.Fees // fees at the time of the replacement
		want   string
	}{
		{"prices are as before", false, false, nil, node.Fees{}, "total 1.500968625000021 spent 1.500968625000021 received 0 fee 0.000968625000021 ETH gas 21000 at 0.000000046125000001 tip 0.000000001125000001"},
		{"prices have risen", false, false, nil, node.Fees{BaseFee: big.NewInt(90 * gwei1), Tip: big.NewInt(3 * gwei1)},
			"total 1.503843 spent 1.503843 received 0 fee 0.003843 ETH gas 21000 at 0.000000183 tip 0.000000003"},
		{"one price", false, false, coin.EthGas{Price: rational(t, "80"), Limit: 30_000}, node.Fees{}, "total 1.50270000000003 spent 1.50270000000003 received 0 fee 0.00270000000003 ETH gas 30000 at 0.000000090000000001 tip -"},
		{"a tip of nothing", false, false, coin.EthGasEIP1559{MaxFee: rational(t, "50"), MaxTip: rational(t, "0")}, node.Fees{GasPrice: big.NewInt(gwei1)},
			"total 1.501181250000021 spent 1.501181250000021 received 0 fee 0.001181250000021 ETH gas 21000 at 0.000000056250000001 tip 0.000000000000000001"},
		{"cancel", false, true, nil, node.Fees{}, "total 0.000968625000021 spent 0.000968625000021 received 0 fee 0.000968625000021 ETH gas 21000 at 0.000000046125000001 tip 0.000000001125000001"},
		{"a rollup", false, false, nil, node.Fees{GasPrice: big.NewInt(21 * gwei1), BaseFee: big.NewInt(20 * gwei1), Tip: big.NewInt(gwei1), DataFee: big.NewInt(1_000_000_000_000)},
			"total 1.500969625000021 spent 1.500969625000021 received 0 fee 0.000969625000021 ETH gas 21000 at 0.000000046125000001 tip 0.000000001125000001"},
		{"tokens", true, false, nil, node.Fees{}, "total 1.5 spent 1.5 received 0 fee 0.00121078125002625 ETH gas 26250 at 0.000000046125000001 tip 0.000000001125000001"},
		{"cancel tokens", true, true, nil, node.Fees{}, "total 0 spent 0 received 0 fee 0.000968625000021 ETH gas 21000 at 0.000000046125000001 tip 0.000000001125000001"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, s := wallet(t)
			asset := w.Native
			if c.token {
				asset = token(t)
			}
			raw := waiting(t, w, s, asset, "1.5", c.fee)
			if c.now != (node.Fees{}) {
				s.fees = c.now
			}
			made, err := w.Replace(t.Context(), asset, raw, c.cancel)
			require.NoError(t, err)
			require.Equal(t, c.want, show(made))
			before, err := wire.Decode(raw)
			require.NoError(t, err)
			after, err := wire.Decode(made.Raw)
			require.NoError(t, err)
			require.Equal(t, uint64(7), after.Nonce)
			if c.cancel {
				require.Equal(t, w.Address, *after.To)
				require.Empty(t, after.Data)
				require.Zero(t, after.Value.Sign())
				require.Equal(t, []string{walletAddress}, made.To)
				return
			}
			require.Equal(t, []any{before.To, before.Value, before.Data, before.Gas}, []any{after.To, after.Value, after.Data, after.Gas})
			require.Equal(t, []string{payee}, made.To)
		})
	}
}

func TestReplaceRefused(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*Wallet, *stub, *[]byte)
		token  bool
		want   string
	}{
		{"no transaction", func(_ *Wallet, _ *stub, raw *[]byte) { *raw = []byte{2, 1} }, false, "invalid transaction: "},
		{"of another network", func(w *Wallet, _ *stub, _ *[]byte) { w.ChainID = 5 }, false, "invalid transaction: for another network"},
		{"of another account", func(w *Wallet, _ *stub, _ *[]byte) { w.Address[0]++ }, false, "invalid transaction: sent from another address"},
		{"of another coin", func(*Wallet, *stub, *[]byte) {}, true, "invalid transaction: does not send this coin"},
		{"in a block", func(_ *Wallet, s *stub, _ *[]byte) { s.done = 8 }, false, "invalid transaction: already in a block"},
		{"too poor", func(_ *Wallet, s *stub, _ *[]byte) { s.coins = whole("1500861000000000000") }, false, "not enough ETH for the fee: available 1.500861, required 1.500968625000021"},
		{"too poor for the data fee", func(_ *Wallet, s *stub, _ *[]byte) { s.coins = whole("1500968625000021000"); rollup(s) }, false,
			"not enough ETH for the fee: available 1.500968625000021, required 1.500969037345699901"},
		{"no answer", func(_ *Wallet, s *stub, _ *[]byte) { s.fails = map[string]error{"fees": coin.ErrTransport} }, false, coin.ErrTransport.Error()},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, s := wallet(t)
			raw := waiting(t, w, s, w.Native, "1.5", nil)
			asset := w.Native
			if c.token {
				asset = token(t)
			}
			c.change(w, s, &raw)
			_, err := w.Replace(t.Context(), asset, raw, false)
			require.ErrorContains(t, err, c.want)
			var invalid *coin.InvalidError
			require.Equal(t, c.want[:7] == "invalid", errors.As(err, &invalid))
		})
	}
}
