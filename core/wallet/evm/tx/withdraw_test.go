package tx

import (
	"context"
	"errors"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/evm/node"
	"obverse/core/wallet/evm/wire"
)

func rational(t testing.TB, text string) number.Rational {
	t.Helper()
	r, err := number.ParseRational(text)
	require.NoError(t, err)
	return r
}

// show returns the amounts of a transaction, in decimal digits.
func show(x coin.Transaction) string {
	tip := "-"
	if x.Fee.MaxTip != nil {
		tip = x.Fee.MaxTip.String()
	}
	return fmt.Sprintf("total %s spent %s received %s fee %s %s gas %d at %s tip %s", x.Total, x.Spent, x.Received, x.Fee.Amount, x.Fee.Coin, x.Fee.GasLimit, x.Fee.GasPrice, tip)
}

// rollup makes the network a rollup with a data fee.
func rollup(s *stub) { s.fees.DataFee = whole("412345678901") }

// operated makes the network a rollup with an operator fee too.
func operated(s *stub) {
	rollup(s)
	s.fees.OperatorFee, s.fees.OperatorFeePerGiga = whole("7"), whole("10000000000000000000")
}

func TestWithdraw(t *testing.T) {
	for _, c := range []struct {
		name    string
		token   bool
		request coin.WithdrawRequest
		change  func(*stub)
		want    string
		gas     string // estimated gas; "" means not requested
	}{
		{"coins", false, coin.WithdrawRequest{To: payee, Amount: rational(t, "1.5")}, nil,
			"total 1.500861 spent 1.500861 received 0 fee 0.000861 ETH gas 21000 at 0.000000041 tip 0.000000001", "asked"},
		{"the smallest unit", false, coin.WithdrawRequest{To: strings.ToLower(payee), Amount: rational(t, "1e-18")}, nil,
			"total 0.000861000000000001 spent 0.000861000000000001 received 0 fee 0.000861 ETH gas 21000 at 0.000000041 tip 0.000000001", "asked"},
		{"all coins", false, coin.WithdrawRequest{To: payee, Max: true}, nil,
			"total 2 spent 2 received 0 fee 0.000861 ETH gas 21000 at 0.000000041 tip 0.000000001", "asked"},
		{"to itself", false, coin.WithdrawRequest{To: walletAddress, Amount: rational(t, "1")}, nil,
			"total 1.000861 spent 1.000861 received 1 fee 0.000861 ETH gas 21000 at 0.000000041 tip 0.000000001", "asked"},
		{"on an older network", false, coin.WithdrawRequest{To: payee, Amount: rational(t, "1")}, func(s *stub) { s.fees = node.Fees{GasPrice: big.NewInt(5 * gwei1)} },
			"total 1.000105 spent 1.000105 received 0 fee 0.000105 ETH gas 21000 at 0.000000005 tip -", "asked"},
		{"with a price", false, coin.WithdrawRequest{To: payee, Amount: rational(t, "1"), Fee: coin.EthGas{Price: rational(t, "23.5"), Limit: 30000}}, nil,
			"total 1.000705 spent 1.000705 received 0 fee 0.000705 ETH gas 30000 at 0.0000000235 tip -", ""},
		{"with two prices", false, coin.WithdrawRequest{To: payee, Amount: rational(t, "1"), Fee: coin.EthGasEIP1559{MaxFee: rational(t, "20"), MaxTip: rational(t, "0.5"), Limit: 30000}}, nil,
			"total 1.0006 spent 1.0006 received 0 fee 0.0006 ETH gas 30000 at 0.00000002 tip 0.0000000005", ""},
		{"with two prices and no limit", false, coin.WithdrawRequest{To: payee, Amount: rational(t, "1"), Fee: coin.EthGasEIP1559{MaxFee: rational(t, "27"), MaxTip: rational(t, "27")}}, nil,
			"total 1.000567 spent 1.000567 received 0 fee 0.000567 ETH gas 21000 at 0.000000027 tip 0.000000027", "asked"},
		{"tokens", true, coin.WithdrawRequest{To: payee, Amount: rational(t, "5.499999")}, func(s *stub) { s.gas = 60_000 },
			"total 5.499999 spent 5.499999 received 0 fee 0.003075 ETH gas 75000 at 0.000000041 tip 0.000000001", "asked"},
		{"all tokens", true, coin.WithdrawRequest{To: payee, Max: true}, nil,
			"total 5.5 spent 5.5 received 0 fee 0.00107625 ETH gas 26250 at 0.000000041 tip 0.000000001", "asked"},
		{"coins of a rollup", false, coin.WithdrawRequest{To: payee, Amount: rational(t, "1")}, rollup,
			"total 1.000861412345678901 spent 1.000861412345678901 received 0 fee 0.000861412345678901 ETH gas 21000 at 0.000000041 tip 0.000000001", "asked"},
		{"all coins of a rollup", false, coin.WithdrawRequest{To: payee, Max: true}, rollup,
			"total 2 spent 2 received 0 fee 0.000861412345678901 ETH gas 21000 at 0.000000041 tip 0.000000001", "asked"},
		{"all coins of one with a fee for itself", false, coin.WithdrawRequest{To: payee, Max: true}, operated,
			"total 2 spent 2 received 0 fee 0.001071412345678908 ETH gas 21000 at 0.000000041 tip 0.000000001", "asked"},
		{"tokens of a rollup", true, coin.WithdrawRequest{To: payee, Amount: rational(t, "1")}, rollup,
			"total 1 spent 1 received 0 fee 0.001076662345678901 ETH gas 26250 at 0.000000041 tip 0.000000001", "asked"},
		{"much gas at a low price", false, coin.WithdrawRequest{To: payee, Amount: rational(t, "0.1")}, func(s *stub) { s.gas, s.fees = 63_000_000, node.Fees{GasPrice: big.NewInt(50_000_000)} },
			"total 0.10315 spent 0.10315 received 0 fee 0.00315 ETH gas 63000000 at 0.00000000005 tip -", "asked"},
		{"256 bits of tokens", true, coin.WithdrawRequest{To: payee, Max: true}, func(s *stub) {
			s.tokens = new(big.Int).Sub(new(big.Int).Lsh(big.NewInt(1), 256), big.NewInt(1))
		}, "total 115792089237316195423570985008687907853269984665640564039457584007913129.639935 spent 115792089237316195423570985008687907853269984665640564039457584007913129.639935 " +
			"received 0 fee 0.00107625 ETH gas 26250 at 0.000000041 tip 0.000000001", "asked"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, s := wallet(t)
			s.waiting = 7
			if c.change != nil {
				c.change(s)
			}
			asset := w.Native
			if c.token {
				asset = token(t)
			}
			x, err := w.Withdraw(t.Context(), asset, c.request)
			require.NoError(t, err)
			require.Equal(t, c.want, show(x))
			require.Equal(t, c.gas == "asked", s.calls["gas"] == 1)
			sent, err := wire.Decode(x.Raw)
			require.NoError(t, err)
			require.Equal(t, walletAddress, sent.From.String())
			require.EqualValues(t, 7, sent.Nonce)
			require.EqualValues(t, 1, sent.ChainID.Int64())
			require.Equal(t, []string{walletAddress}, x.From)
			require.Equal(t, []string{parse(t, c.request.To).String()}, x.To)
			require.Equal(t, fmt.Sprintf("%x", wire.Hash(x.Raw)), x.Hash)
			require.Equal(t, coin.KindTransfer, x.Kind)
			if c.token {
				require.Contains(t, string(x.Raw), string(abi.Call(abi.Transfer, abi.Address(parse(t, payee)))))
				require.Equal(t, contract, s.estimated.To.String())
				require.Zero(t, s.estimated.Value.Sign())
			}
			require.Empty(t, s.sent, "it is not sent")
		})
	}
}

func TestWithdrawRefuses(t *testing.T) {
	channel := uint64(1)
	short := func(coin string, available, required string, forFee bool) string {
		if forFee {
			return "not enough " + coin + " for the fee: available " + available + ", required " + required
		}
		return "not enough " + coin + ": available " + available + ", required " + required
	}
	for _, c := range []struct {
		name    string
		token   bool
		request coin.WithdrawRequest
		change  func(*stub)
		field   coin.Field // field in the *coin.InvalidError
		text    string
	}{
		{"a memo", false, coin.WithdrawRequest{To: payee, Amount: rational(t, "1"), Memo: "x"}, nil, coin.FieldMemo, "not supported on EVM networks"},
		{"a channel", false, coin.WithdrawRequest{To: payee, Amount: rational(t, "1"), Channel: &channel}, nil, coin.FieldChannel, "IBC is not supported"},
		{"no address", false, coin.WithdrawRequest{To: "cosmos1", Amount: rational(t, "1")}, nil, coin.FieldTo, "prefixed with 0x"},
		{"a wrong checksum", false, coin.WithdrawRequest{To: strings.Replace(payee, "A", "a", 1), Amount: rational(t, "1")}, nil, coin.FieldTo, "checksum of the address is wrong"},
		{"zero address", false, coin.WithdrawRequest{To: "0x" + strings.Repeat("0", 40), Amount: rational(t, "1")}, nil, coin.FieldTo, "zero address"},
		{"the token itself", true, coin.WithdrawRequest{To: contract, Amount: rational(t, "1")}, nil, coin.FieldTo, "own contract"},
		{"nothing", false, coin.WithdrawRequest{To: payee}, nil, "", "amount 0 is too small, required 0.000000000000000001"},
		{"less than nothing", true, coin.WithdrawRequest{To: payee, Amount: rational(t, "-1")}, nil, "", "required 0.000001"},
		{"part of a unit", true, coin.WithdrawRequest{To: payee, Amount: rational(t, "1.0000001")}, nil, coin.FieldAmount, "more decimals"},
		{"more than 256 bits", true, coin.WithdrawRequest{To: payee, Amount: rational(t, "1e80")}, nil, coin.FieldAmount, "256 bits"},
		{"a fee of another chain", false, coin.WithdrawRequest{To: payee, Amount: rational(t, "1"), Fee: coin.CosmosGas{}}, nil, coin.FieldFee, "fee CosmosGas, want EthGas or EthGasEip1559"},
		{"a price with many decimals", false, coin.WithdrawRequest{To: payee, Amount: rational(t, "1"), Fee: coin.EthGas{Price: rational(t, "1e-10"), Limit: 1}}, nil, coin.FieldFee, "at most 9 decimals"},
		{"a tip above all", false, coin.WithdrawRequest{To: payee, Amount: rational(t, "1"), Fee: coin.EthGasEIP1559{MaxTip: rational(t, "2"), MaxFee: rational(t, "1")}}, nil, coin.FieldFee, "is more than"},
		{"from elsewhere", false, coin.WithdrawRequest{To: payee, Amount: rational(t, "1"), From: &coin.From{}}, nil, coin.FieldFrom, "Iguana private key"},
		{"more than there is", false, coin.WithdrawRequest{To: payee, Amount: rational(t, "2.1")}, nil, "", short("ETH", "2", "2.1", false)},
		{"a reserved address", false, coin.WithdrawRequest{To: "0x0000000000000000000000000000000000000004", Amount: rational(t, "1")}, nil, coin.FieldTo, "reserved for the network itself"},
		{"tokens to a reserved address", true, coin.WithdrawRequest{To: "0x000000000000000000000000000000000000ffff", Amount: rational(t, "1")}, nil, coin.FieldTo, "reserved for the network itself"},
		{"a price below the base fee", false, coin.WithdrawRequest{To: payee, Amount: rational(t, "1"), Fee: coin.EthGasEIP1559{MaxFee: rational(t, "19.9")}}, nil, coin.FieldFee, "Provided gas fee cap is less than the required network base fee."},
		{"one price below the base fee", true, coin.WithdrawRequest{To: payee, Amount: rational(t, "1"), Fee: coin.EthGas{Price: rational(t, "19.9"), Limit: 50_000}}, nil, coin.FieldFee, "Provided gas fee cap is less than the required network base fee."},
		{"less gas than a transfer", false, coin.WithdrawRequest{To: payee, Amount: rational(t, "1"), Fee: coin.EthGas{Price: rational(t, "30"), Limit: 20_999}}, nil, coin.FieldFee, "limit of gas is 20999, and the transaction uses 21000"},
		{"less gas than the data of a transfer", true, coin.WithdrawRequest{To: payee, Amount: rational(t, "1"), Fee: coin.EthGas{Price: rational(t, "30"), Limit: 21_500}}, nil, coin.FieldFee, "limit of gas is 21500, and the transaction uses 21596"},
		{"no room for the data fee", false, coin.WithdrawRequest{To: payee, Amount: rational(t, "1.999139")}, rollup, "", short("ETH", "2", "2.000000412345678901", false)},
		{"tokens without coins for the data fee", true, coin.WithdrawRequest{To: payee, Amount: rational(t, "1")}, func(s *stub) { rollup(s); s.coins = whole("1076250000000000") }, "",
			short("ETH", "0.00107625", "0.001076662345678901", true)},
		{"no room for the fee", false, coin.WithdrawRequest{To: payee, Amount: rational(t, "2")}, nil, "", short("ETH", "2", "2.000861", false)},
		{"all, and no room for the fee", false, coin.WithdrawRequest{To: payee, Max: true}, func(s *stub) { s.coins = big.NewInt(5) }, "", short("ETH", "0.000000000000000005", "0.000861000000000001", false)},
		{"all of nothing", false, coin.WithdrawRequest{To: payee, Max: true}, func(s *stub) { s.coins = new(big.Int) }, "", "balance is zero"},
		{"more tokens than there are", true, coin.WithdrawRequest{To: payee, Amount: rational(t, "5.500001")}, nil, "", short("SIX", "5.5", "5.500001", false)},
		{"tokens without coins", true, coin.WithdrawRequest{To: payee, Amount: rational(t, "1")}, func(s *stub) { s.coins = new(big.Int) }, "", short("ETH", "0", "0.00107625", true)},
		{"a contract that refuses", true, coin.WithdrawRequest{To: payee, Amount: rational(t, "1")}, func(s *stub) {
			s.fails = map[string]error{"gas": &coin.RefusedError{Code: 3, Log: "execution reverted"}}
		}, "", "execution reverted"},
		{"nodes that are silent", false, coin.WithdrawRequest{To: payee, Amount: rational(t, "1")}, func(s *stub) {
			s.fails = map[string]error{"waiting": coin.ErrTransport}
		}, "", "are unreachable"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, s := wallet(t)
			if c.change != nil {
				c.change(s)
			}
			asset := w.Native
			if c.token {
				asset = token(t)
			}
			_, err := w.Withdraw(t.Context(), asset, c.request)
			require.ErrorContains(t, err, c.text)
			var invalid *coin.InvalidError
			require.Equal(t, c.field != "", errors.As(err, &invalid))
			if invalid != nil {
				require.Equal(t, c.field, invalid.Field)
			}
			var shortage *coin.ShortageError
			if errors.As(err, &shortage) {
				require.Equal(t, strings.Contains(c.text, "for the fee"), shortage.ForFee)
			}
		})
	}
}

// TestUnseenFees checks that nodes cannot set an arbitrary fee for a transaction that is sent
// at once, since the user does not see its fee.
func TestUnseenFees(t *testing.T) {
	gas := func(price string, limit uint64) coin.FeePolicy {
		return coin.EthGasEIP1559{MaxFee: rational(t, price), Limit: limit}
	}
	agreed := func(gwei, transfer int64) node.Fees {
		return node.Fees{GasPrice: big.NewInt(gwei * gwei1), TransferGas: big.NewInt(transfer), Agreed: true}
	}
	alone := func(gwei int64) node.Fees { return node.Fees{GasPrice: big.NewInt(gwei * gwei1)} }
	for _, c := range []struct {
		name         string
		token, shows bool
		amount       string
		fees         node.Fees
		gas          uint64
		fee          coin.FeePolicy
		usual        int64 // price in the entry
		limit        string
	}{
		{"a single node, a fee as high as the amount", false, false, "0.5", alone(20_000), 25_000, nil, 0, ""},
		{"a single node, a fee above the amount", false, false, "0.5", alone(20_000), 25_001, nil, 0, "0.5"},
		{"a single node, a thousandth of a coin, where a coin is much", false, false, "0.001", alone(23_000), 42_000, nil, 0, "0.01"},
		{"a single node, a small amount at a high price", false, false, "0.000001", alone(400), 21_000, nil, 0, ""},
		{"a single node, one coin", false, false, "1.0", alone(40_000), 25_000, nil, 0, ""},
		{"a single node, more than one coin", false, false, "1.5", alone(40_000), 25_001, nil, 0, "1"},
		{"a single node, a token", true, false, "0.000001", alone(40_000), 20_000, nil, 0, ""},
		{"a single node, more than one coin for a token", true, false, "5", alone(40_000), 20_001, nil, 0, "1"},
		{"a single node, much gas", false, false, "0.1", node.Fees{GasPrice: big.NewInt(50_000_000)}, 63_000_000, nil, 0, ""},
		{"a usual price in the entry", false, false, "1", alone(10), 21_000, nil, 1, ""},
		{"ten times that", false, false, "1", alone(11), 21_000, nil, 1, "0.00021"},
		{"a usual price in the entry for a token", true, false, "1", alone(10), 52_000, nil, 1, ""},
		{"ten times that for a token", true, false, "1", alone(10), 52_008, nil, 1, "0.00065"},
		{"a price that nodes agree on", false, false, "0.000001", agreed(400, 21_000), 210_000, nil, 1, ""},
		{"ten times the usual gas", false, false, "1", agreed(400, 21_000), 210_001, nil, 1, "0.084"},
		{"a token with ten times the usual gas", true, false, "1", agreed(1, 21_000), 520_000, nil, 0, ""},
		{"a token with more", true, false, "1", agreed(1, 21_000), 520_008, nil, 0, "0.00065"},
		{"a network that counts gas in another way", true, false, "1", agreed(1, 63_000_000), 500_000_000, nil, 0, ""},
		{"one coin, that nodes agree on", false, false, "0.5", agreed(40_000, 21_000), 25_001, nil, 0, "1"},
		{"seen first", false, true, "0.1", alone(40_000), 25_001, nil, 0, ""},
		{"chosen", false, false, "0.1", alone(1), 1, gas("50000", 30_000), 0, ""},
		{"gas of a single node at a chosen price", false, false, "0.1", alone(1), 30_000, gas("50000", 0), 0, "0.1"},
		{"gas of agreeing nodes at a chosen price", false, false, "0.1", agreed(1, 21_000), 210_001, gas("2", 0), 0, "0.00042"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w, s := wallet(t)
			if s.fees, s.gas = c.fees, c.gas; c.usual > 0 {
				w.UsualPrice = big.NewInt(c.usual * gwei1)
			}
			s.coins = whole("5000000000000000000")
			asset := w.Native
			if c.token {
				asset = token(t)
			}
			r := coin.WithdrawRequest{To: payee, Amount: rational(t, c.amount), Fee: c.fee, Send: !c.shows}
			_, err := w.Withdraw(t.Context(), asset, r)
			if c.limit == "" {
				require.NoError(t, err)
				return
			}
			var invalid *coin.InvalidError
			require.ErrorAs(t, err, &invalid)
			require.Equal(t, coin.FieldFee, invalid.Field)
			require.ErrorContains(t, err, " exceeds the limit of "+c.limit+" ETH; set the fee explicitly to send anyway")
			require.Empty(t, s.sent)
		})
	}
}

// TestWithdrawFromAnotherAddress checks that an HD wallet sends from another address, and
// closes its account.
func TestWithdrawFromAnotherAddress(t *testing.T) {
	ring, err := key.Open("february soldier message acid member jump shadow walk novel impose puppy tornado", true)
	require.NoError(t, err)
	w, _ := wallet(t)
	w.Path, err = key.ParsePath("m/44'/60'")
	require.NoError(t, err)
	closed := 0
	w.Open = func(ctx context.Context, path key.Path) (key.Account, error) {
		account, err := ring.Account(ctx, key.ContextPrivKey{}, path)
		return counted{account.(key.HashSigner), account, &closed}, err
	}
	x, err := w.Withdraw(t.Context(), w.Native, coin.WithdrawRequest{To: payee, Amount: rational(t, "1"), From: &coin.From{}})
	require.NoError(t, err)
	require.Equal(t, []string{"0x26cE5D1cD4CC673a1b0b980371C7c862B9503452"}, x.From)
	sent, err := wire.Decode(x.Raw)
	require.NoError(t, err)
	require.Equal(t, x.From[0], sent.From.String())
	require.Equal(t, 1, closed)
	other, err := key.ParsePath("m/44'/118'/0'/0/0")
	require.NoError(t, err)
	_, err = w.Withdraw(t.Context(), w.Native, coin.WithdrawRequest{To: payee, Amount: rational(t, "1"), From: &coin.From{Path: other}})
	require.ErrorContains(t, err, "is not one of an address of the coin")
}

type counted struct {
	key.HashSigner
	key.Account
	closed *int
}

func (c counted) Close() { *c.closed++; c.Account.Close() }

// outside is an external wallet that signs texts.
type outside struct {
	key.Account
	texts []string
}

func (o *outside) Address() address.Address { a, _ := address.Parse(walletAddress); return a }

func (o *outside) SignText(_ context.Context, text string) (signature [65]byte, err error) {
	o.texts = append(o.texts, text)
	return signature, nil
}

func TestWalletsOutside(t *testing.T) {
	w, _ := wallet(t)
	o := &outside{}
	w.Account = o
	a, public, err := AddressOf(o)
	require.NoError(t, err)
	require.Nil(t, public)
	require.Equal(t, walletAddress, a.String())
	_, err = w.SignMessage(t.Context(), "hello")
	require.NoError(t, err)
	require.Equal(t, []string{"hello"}, o.texts)

	w.Account = key.Account(watcher{})
	_, err = w.Withdraw(t.Context(), w.Native, coin.WithdrawRequest{To: payee, Amount: rational(t, "1")})
	require.ErrorIs(t, err, key.ErrUnsupported)
	_, _, err = AddressOf(watcher{})
	require.ErrorIs(t, err, key.ErrUnsupported)
}

type watcher struct{}

func (watcher) Policy() key.PolicyName { return key.NameWithPubkey }
func (watcher) Close()                 {}

// TestNetworksChecksum checks the checksum of addresses that Rootstock's explorers and wallets
// use (EIP-1191).
func TestNetworksChecksum(t *testing.T) {
	const text = "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD"
	w, _ := wallet(t)
	r := coin.WithdrawRequest{To: text, Amount: rational(t, "1")}
	_, err := w.Withdraw(t.Context(), w.Native, r)
	require.ErrorIs(t, err, address.ErrChecksum)
	w.ChainID = 30
	sent, err := w.Withdraw(t.Context(), w.Native, r)
	require.NoError(t, err)
	require.Equal(t, []string{payee}, sent.To)
	_, _, err = w.SignRaw(t.Context(), coin.UnsignedTransaction{To: text, Gas: 21_000})
	require.NoError(t, err)
}

// TestOtherDecimals checks that a token is not sent if most servers report other decimals than
// the wallet's.
func TestOtherDecimals(t *testing.T) {
	w, s := wallet(t)
	s.gas = 50_000
	r := coin.WithdrawRequest{To: payee, Amount: rational(t, "1")}
	six, eight := uint8(6), uint8(8)
	for _, decimals := range []*uint8{nil, &six} {
		s.decimals = decimals
		_, err := w.Withdraw(t.Context(), token(t), r)
		require.NoError(t, err)
	}
	s.decimals = &eight
	_, err := w.Withdraw(t.Context(), token(t), r)
	require.ErrorContains(t, err, "decimals of SIX are 6 in the wallet, and 8 by the servers")
	_, err = w.Withdraw(t.Context(), w.Native, r)
	require.NoError(t, err)
}

// TestRawFeeCap checks that a raw transaction is not signed if its price is below the base fee.
func TestRawFeeCap(t *testing.T) {
	w, _ := wallet(t) // a unit of gas costs 20 billionths of a coin
	sign := func(fee coin.FeePolicy) error {
		_, _, err := w.SignRaw(t.Context(), coin.UnsignedTransaction{To: payee, Gas: 21_000, Fee: fee})
		return err
	}
	for _, fee := range []coin.FeePolicy{coin.EthGas{Price: rational(t, "19.9")}, coin.EthGasEIP1559{MaxFee: rational(t, "19.9"), MaxTip: rational(t, "1")}} {
		var low *coin.FeeCapError
		require.ErrorAs(t, sign(fee), &low)
		require.Equal(t, "20", low.Required.String())
	}
	require.NoError(t, sign(coin.EthGas{Price: rational(t, "20")}))
	require.NoError(t, sign(nil))
}

// TestUnseenFeeOfAProgram checks that a price that another program chose does not raise the
// limit of the fee.
func TestUnseenFeeOfAProgram(t *testing.T) {
	w, s := wallet(t)
	s.fees = node.Fees{GasPrice: big.NewInt(gwei1), TransferGas: big.NewInt(node.MinTransferGas), Agreed: true}
	for price, limit := range map[int64]string{1: "", 10: "", 11: "0.00021", 10_000: "0.00021"} {
		p, err := w.Prepare(t.Context(), wire.Transaction{ChainID: 1, To: parse(t, payee), Value: big.NewInt(1), Gas: node.MinTransferGas, MaxFee: big.NewInt(price * gwei1)}, true)
		require.NoError(t, err)
		if err = w.CheckUnseenFee(p); limit == "" {
			require.NoError(t, err, price)
		} else {
			require.ErrorContains(t, err, "exceeds the limit of "+limit+" ETH", price)
		}
	}
}
