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

// show is what a transaction moves, in decimal digits.
func show(x coin.Transaction) string {
	tip := "-"
	if x.Fee.MaxTip != nil {
		tip = x.Fee.MaxTip.String()
	}
	return fmt.Sprintf("total %s spent %s received %s fee %s %s gas %d at %s tip %s", x.Total, x.Spent, x.Received, x.Fee.Amount, x.Fee.Coin, x.Fee.GasLimit, x.Fee.GasPrice, tip)
}

func TestWithdraw(t *testing.T) {
	for _, c := range []struct {
		name    string
		token   bool
		request coin.WithdrawRequest
		change  func(*stub)
		want    string
		gas     string // asked for it, or not
	}{
		{"coins", false, coin.WithdrawRequest{To: somebody, Amount: rational(t, "1.5")}, nil,
			"total 1.500861 spent 1.500861 received 0 fee 0.000861 ETH gas 21000 at 0.000000041 tip 0.000000001", "asked"},
		{"the smallest unit", false, coin.WithdrawRequest{To: strings.ToLower(somebody), Amount: rational(t, "1e-18")}, nil,
			"total 0.000861000000000001 spent 0.000861000000000001 received 0 fee 0.000861 ETH gas 21000 at 0.000000041 tip 0.000000001", "asked"},
		{"all coins", false, coin.WithdrawRequest{To: somebody, Max: true}, nil,
			"total 2 spent 2 received 0 fee 0.000861 ETH gas 21000 at 0.000000041 tip 0.000000001", "asked"},
		{"to itself", false, coin.WithdrawRequest{To: ownText, Amount: rational(t, "1")}, nil,
			"total 1.000861 spent 1.000861 received 1 fee 0.000861 ETH gas 21000 at 0.000000041 tip 0.000000001", "asked"},
		{"on an older network", false, coin.WithdrawRequest{To: somebody, Amount: rational(t, "1")}, func(s *stub) { s.fees = node.Fees{GasPrice: big.NewInt(5 * gwei1)} },
			"total 1.000105 spent 1.000105 received 0 fee 0.000105 ETH gas 21000 at 0.000000005 tip -", "asked"},
		{"with a price", false, coin.WithdrawRequest{To: somebody, Amount: rational(t, "1"), Fee: coin.EthGas{Price: rational(t, "3.5"), Limit: 30000}}, nil,
			"total 1.000105 spent 1.000105 received 0 fee 0.000105 ETH gas 30000 at 0.0000000035 tip -", ""},
		{"with two prices", false, coin.WithdrawRequest{To: somebody, Amount: rational(t, "1"), Fee: coin.EthGasEIP1559{MaxFee: rational(t, "7"), MaxTip: rational(t, "0.5"), Limit: 30000}}, nil,
			"total 1.00021 spent 1.00021 received 0 fee 0.00021 ETH gas 30000 at 0.000000007 tip 0.0000000005", ""},
		{"with two prices and no limit", false, coin.WithdrawRequest{To: somebody, Amount: rational(t, "1"), Fee: coin.EthGasEIP1559{MaxFee: rational(t, "7"), MaxTip: rational(t, "7")}}, nil,
			"total 1.000147 spent 1.000147 received 0 fee 0.000147 ETH gas 21000 at 0.000000007 tip 0.000000007", "asked"},
		{"tokens", true, coin.WithdrawRequest{To: somebody, Amount: rational(t, "5.499999")}, func(s *stub) { s.gas = 60_000 },
			"total 5.499999 spent 5.499999 received 0 fee 0.003075 ETH gas 75000 at 0.000000041 tip 0.000000001", "asked"},
		{"all tokens", true, coin.WithdrawRequest{To: somebody, Max: true}, nil,
			"total 5.5 spent 5.5 received 0 fee 0.00107625 ETH gas 26250 at 0.000000041 tip 0.000000001", "asked"},
		{"256 bits of tokens", true, coin.WithdrawRequest{To: somebody, Max: true}, func(s *stub) {
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
			require.Equal(t, c.gas == "asked", s.asked["gas"] == 1)
			sent, err := wire.Decode(x.Raw)
			require.NoError(t, err)
			require.Equal(t, ownText, sent.From.String())
			require.EqualValues(t, 7, sent.Nonce)
			require.EqualValues(t, 1, sent.ChainID.Int64())
			require.Equal(t, []string{ownText}, x.From)
			require.Equal(t, []string{parse(t, c.request.To).String()}, x.To)
			require.Equal(t, fmt.Sprintf("%x", wire.Hash(x.Raw)), x.Hash)
			require.Equal(t, coin.KindTransfer, x.Kind)
			if c.token {
				require.Contains(t, string(x.Raw), string(abi.Call(abi.Transfer, abi.Address(parse(t, somebody)))))
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
		field   coin.Field // of the *coin.InvalidError
		text    string
	}{
		{"a memo", false, coin.WithdrawRequest{To: somebody, Amount: rational(t, "1"), Memo: "x"}, nil, coin.FieldMemo, "not supported on EVM networks"},
		{"a channel", false, coin.WithdrawRequest{To: somebody, Amount: rational(t, "1"), Channel: &channel}, nil, coin.FieldChannel, "IBC is not supported"},
		{"no address", false, coin.WithdrawRequest{To: "cosmos1", Amount: rational(t, "1")}, nil, coin.FieldTo, "prefixed with 0x"},
		{"a wrong checksum", false, coin.WithdrawRequest{To: strings.Replace(somebody, "A", "a", 1), Amount: rational(t, "1")}, nil, coin.FieldTo, "checksum of the address is wrong"},
		{"nobody", false, coin.WithdrawRequest{To: "0x" + strings.Repeat("0", 40), Amount: rational(t, "1")}, nil, coin.FieldTo, "zero address"},
		{"the token itself", true, coin.WithdrawRequest{To: contract, Amount: rational(t, "1")}, nil, coin.FieldTo, "own contract"},
		{"nothing", false, coin.WithdrawRequest{To: somebody}, nil, "", "amount 0 is too small, required 0.000000000000000001"},
		{"less than nothing", true, coin.WithdrawRequest{To: somebody, Amount: rational(t, "-1")}, nil, "", "required 0.000001"},
		{"part of a unit", true, coin.WithdrawRequest{To: somebody, Amount: rational(t, "1.0000001")}, nil, coin.FieldAmount, "more decimals"},
		{"more than 256 bits", true, coin.WithdrawRequest{To: somebody, Amount: rational(t, "1e80")}, nil, coin.FieldAmount, "256 bits"},
		{"a fee of another chain", false, coin.WithdrawRequest{To: somebody, Amount: rational(t, "1"), Fee: coin.CosmosGas{}}, nil, coin.FieldFee, "fee CosmosGas, want EthGas or EthGasEip1559"},
		{"a price with many decimals", false, coin.WithdrawRequest{To: somebody, Amount: rational(t, "1"), Fee: coin.EthGas{Price: rational(t, "1e-10"), Limit: 1}}, nil, coin.FieldFee, "at most 9 decimals"},
		{"a tip above all", false, coin.WithdrawRequest{To: somebody, Amount: rational(t, "1"), Fee: coin.EthGasEIP1559{MaxTip: rational(t, "2"), MaxFee: rational(t, "1")}}, nil, coin.FieldFee, "is more than"},
		{"from elsewhere", false, coin.WithdrawRequest{To: somebody, Amount: rational(t, "1"), From: &coin.From{}}, nil, coin.FieldFrom, "Iguana private key"},
		{"more than there is", false, coin.WithdrawRequest{To: somebody, Amount: rational(t, "2.1")}, nil, "", short("ETH", "2", "2.1", false)},
		{"no room for the fee", false, coin.WithdrawRequest{To: somebody, Amount: rational(t, "2")}, nil, "", short("ETH", "2", "2.000861", false)},
		{"all, and no room for the fee", false, coin.WithdrawRequest{To: somebody, Max: true}, func(s *stub) { s.coins = big.NewInt(5) }, "", short("ETH", "0.000000000000000005", "0.000861000000000001", false)},
		{"all of nothing", false, coin.WithdrawRequest{To: somebody, Max: true}, func(s *stub) { s.coins = new(big.Int) }, "", "balance is zero"},
		{"more tokens than there are", true, coin.WithdrawRequest{To: somebody, Amount: rational(t, "5.500001")}, nil, "", short("SIX", "5.5", "5.500001", false)},
		{"tokens without coins", true, coin.WithdrawRequest{To: somebody, Amount: rational(t, "1")}, func(s *stub) { s.coins = new(big.Int) }, "", short("ETH", "0", "0.00107625", true)},
		{"a contract that refuses", true, coin.WithdrawRequest{To: somebody, Amount: rational(t, "1")}, func(s *stub) {
			s.fails = map[string]error{"gas": &coin.RefusedError{Code: 3, Log: "execution reverted"}}
		}, "", "execution reverted"},
		{"nodes that are silent", false, coin.WithdrawRequest{To: somebody, Amount: rational(t, "1")}, func(s *stub) {
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

// An HD wallet sends from another address, which is given back.
// Nobody sees the fee of what is sent at once, so that nodes must not set it as they like.
func TestUnconfirmedHighFees(t *testing.T) {
	gas := func(limit uint64) coin.FeePolicy {
		return coin.EthGasEIP1559{MaxFee: rational(t, "50000"), Limit: limit}
	}
	for _, c := range []struct {
		name         string
		token, shows bool
		price, gas   int64 // as nodes tell them, the price in billionths
		fee          coin.FeePolicy
		refused      bool
	}{
		{"one coin", false, false, 40_000, 25_000, nil, false},
		{"more", false, false, 40_000, 25_001, nil, true},
		{"more of a token", true, false, 40_000, 20_001, nil, true},
		{"seen first", false, true, 40_000, 25_001, nil, false},
		{"chosen", false, false, 1, 1, gas(30_000), false},
		{"gas of nodes", false, false, 1, 30_000, gas(0), true},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, most := range []bool{false, true} {
				w, s := wallet(t)
				s.fees, s.gas = node.Fees{GasPrice: big.NewInt(c.price * gwei1)}, uint64(c.gas)
				asset := w.Native
				if c.token {
					asset = token(t)
				}
				r := coin.WithdrawRequest{To: somebody, Amount: rational(t, "0.1"), Fee: c.fee, Send: !c.shows}
				if most {
					r.Max, r.Amount = true, number.Rational{}
				}
				_, err := w.Withdraw(t.Context(), asset, r)
				if !c.refused {
					require.NoError(t, err)
					continue
				}
				var invalid *coin.InvalidError
				require.ErrorAs(t, err, &invalid)
				require.Equal(t, coin.FieldFee, invalid.Field)
				require.ErrorContains(t, err, "ETH, and more than 1 is sent at once only if")
			}
		})
	}
}

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
	x, err := w.Withdraw(t.Context(), w.Native, coin.WithdrawRequest{To: somebody, Amount: rational(t, "1"), From: &coin.From{}})
	require.NoError(t, err)
	require.Equal(t, []string{"0x26cE5D1cD4CC673a1b0b980371C7c862B9503452"}, x.From)
	sent, err := wire.Decode(x.Raw)
	require.NoError(t, err)
	require.Equal(t, x.From[0], sent.From.String())
	require.Equal(t, 1, closed)
	other, err := key.ParsePath("m/44'/118'/0'/0/0")
	require.NoError(t, err)
	_, err = w.Withdraw(t.Context(), w.Native, coin.WithdrawRequest{To: somebody, Amount: rational(t, "1"), From: &coin.From{Path: other}})
	require.ErrorContains(t, err, "is not one of an address of the coin")
}

type counted struct {
	key.HashSigner
	key.Account
	closed *int
}

func (c counted) Close() { *c.closed++; c.Account.Close() }

// outside is a wallet that signs texts.
type outside struct {
	key.Account
	texts []string
}

func (o *outside) Address() address.Address { a, _ := address.Parse(ownText); return a }

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
	require.Equal(t, ownText, a.String())
	_, err = w.SignMessage(t.Context(), "hello")
	require.NoError(t, err)
	require.Equal(t, []string{"hello"}, o.texts)

	w.Account = key.Account(watcher{})
	_, err = w.Withdraw(t.Context(), w.Native, coin.WithdrawRequest{To: somebody, Amount: rational(t, "1")})
	require.ErrorIs(t, err, key.ErrUnsupported)
	_, _, err = AddressOf(watcher{})
	require.ErrorIs(t, err, key.ErrUnsupported)
}

type watcher struct{}

func (watcher) Policy() key.PolicyName { return key.NameWithPubkey }
func (watcher) Close()                 {}
