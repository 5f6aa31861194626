package tx

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/wire"
)

const (
	owner    = "cosmos19rl4cm2hmr8afy4kldpxz3fka4jguq0auqdal4"
	receiver = "cosmos1jrkmdcwgq94uaamx6zax2luewlhf7u4kucx3kz"
	osmosis  = "osmo16drqvl3u8sukfsu4lm3qsk28jr3fahjac4rdw4"
	iris     = "iaa16drqvl3u8sukfsu4lm3qsk28jr3fahja9vsv6k"
)

// summary returns a short text of a transaction.
func summary(t coin.Transaction) string {
	kind := string(t.Kind)
	if t.Token != "" {
		kind += " " + t.Token[:8]
	}
	return fmt.Sprintf("%s: total %s, spent %s, received %s, fee %s %s gas %d", kind, t.Total, t.Spent, t.Received, t.Fee.Amount, t.Fee.Coin, t.Fee.GasLimit)
}

// TestWithdraw uses a simulated gas of 77777. With the margin, rounded up, that is 101111, and
// a quarter of it, rounded up, is 25278.
func TestWithdraw(t *testing.T) {
	id := uint64(141)
	for _, c := range []struct {
		name    string
		asset   Asset
		request coin.WithdrawRequest
		balance string // balance of ATOM; the default is 5
		want    string
		message string // amount and receiver
	}{
		{"coin", atom, coin.WithdrawRequest{To: receiver, Amount: rat(t, "1.5"), Memo: "<memo> 🚀"}, "",
			"StandardTransfer: total 1.525278, spent 1.525278, received 0, fee 0.025278 ATOM gas 101111", "1500000uatom " + receiver},
		{"least", atom, coin.WithdrawRequest{To: receiver, Amount: rat(t, "0.000001")}, "",
			"StandardTransfer: total 0.025279, spent 0.025279, received 0, fee 0.025278 ATOM gas 101111", "1uatom " + receiver},
		{"all that there is, to the unit", atom, coin.WithdrawRequest{To: receiver, Amount: rat(t, "1")}, "1025278",
			"StandardTransfer: total 1.025278, spent 1.025278, received 0, fee 0.025278 ATOM gas 101111", "1000000uatom " + receiver},
		{"max", atom, coin.WithdrawRequest{To: receiver, Max: true, Amount: rat(t, "-3")}, "",
			"StandardTransfer: total 5, spent 5, received 0, fee 0.025278 ATOM gas 101111", "4974722uatom " + receiver},
		{"max, one unit left", atom, coin.WithdrawRequest{To: receiver, Max: true}, "25279",
			"StandardTransfer: total 0.025279, spent 0.025279, received 0, fee 0.025278 ATOM gas 101111", "1uatom " + receiver},
		{"to itself", atom, coin.WithdrawRequest{To: strings.ToUpper(owner), Amount: rat(t, "2")}, "",
			"StandardTransfer: total 2.025278, spent 2.025278, received 2, fee 0.025278 ATOM gas 101111", "2000000uatom " + owner},
		{"token", voucher, coin.WithdrawRequest{To: receiver, Amount: rat(t, "3")}, "",
			"TokenTransfer 414fb0e9: total 3, spent 3, received 0, fee 0.025278 ATOM gas 101111", "3000000" + voucherDenom + " " + receiver},
		{"all of a token", voucher, coin.WithdrawRequest{To: owner, Max: true}, "25278",
			"TokenTransfer 414fb0e9: total 7, spent 7, received 7, fee 0.025278 ATOM gas 101111", "7000000" + voucherDenom + " " + owner},
		{"to another chain", atom, coin.WithdrawRequest{To: osmosis, Amount: rat(t, "0.1"), Memo: "hi"}, "",
			"TendermintIBCTransfer: total 0.125278, spent 0.125278, received 0, fee 0.025278 ATOM gas 101111", "100000uatom " + osmosis + " channel-141"},
		{"token to another chain", voucher, coin.WithdrawRequest{To: osmosis, Max: true}, "",
			"TendermintIBCTransfer 414fb0e9: total 7, spent 7, received 0, fee 0.025278 ATOM gas 101111", "7000000" + voucherDenom + " " + osmosis + " channel-141"},
		{"over a channel that is given", atom, coin.WithdrawRequest{To: iris, Amount: rat(t, "0.1"), Channel: &id}, "",
			"TendermintIBCTransfer: total 0.125278, spent 0.125278, received 0, fee 0.025278 ATOM gas 101111", "100000uatom " + iris + " channel-141"},
		{"to its own address over a channel", atom, coin.WithdrawRequest{To: owner, Amount: rat(t, "0.1"), Channel: &id}, "",
			"TendermintIBCTransfer: total 0.125278, spent 0.125278, received 0, fee 0.025278 ATOM gas 101111", "100000uatom " + owner + " channel-141"},
		{"fee of the user's", atom, coin.WithdrawRequest{To: receiver, Amount: rat(t, "1"), Fee: coin.CosmosGas{Price: rat(t, "0.05"), Limit: 150001}}, "",
			"StandardTransfer: total 1.007501, spent 1.007501, received 0, fee 0.007501 ATOM gas 150001", "1000000uatom " + receiver},
		{"price of the user's", atom, coin.WithdrawRequest{To: receiver, Amount: rat(t, "1"), Fee: coin.CosmosGas{Price: rat(t, "0.05")}}, "",
			"StandardTransfer: total 1.005056, spent 1.005056, received 0, fee 0.005056 ATOM gas 101111", "1000000uatom " + receiver},
		{"no fee", atom, coin.WithdrawRequest{To: receiver, Max: true, Fee: coin.CosmosGas{Limit: 77777}}, "",
			"StandardTransfer: total 5, spent 5, received 0, fee 0 ATOM gas 77777", "5000000uatom " + receiver},
	} {
		t.Run(c.name, func(t *testing.T) {
			chain := newChain()
			if c.balance != "" {
				chain.balances["uatom"] = c.balance
			}
			w := newWallet(t, chain)
			got, err := w.Withdraw(t.Context(), c.asset, c.request)
			require.NoError(t, err)
			require.Equal(t, c.want, summary(got))
			require.Equal(t, []string{owner}, got.From)
			require.Equal(t, strings.Fields(c.message)[1], got.To[0])
			require.Equal(t, c.asset.Ticker, got.Coin)
			require.Equal(t, "Tendermint", got.Fee.Type)
			require.Equal(t, Hash(got.Raw), got.Hash)
			require.Equal(t, strings.ToLower(got.Hash), got.ID)
			require.Equal(t, c.request.Memo, got.Memo)
			require.Zero(t, got.Height+uint64(got.Timestamp))
			checkRaw(t, chain, got, c.message)
			require.Empty(t, chain.sent, "nothing is sent")
		})
	}
}

// checkRaw decodes the transaction and checks it.
func checkRaw(t *testing.T, chain *fakeChain, got coin.Transaction, message string) {
	t.Helper()
	u := unpack(t, got.Raw)
	requireSound(t, Signed{got.Raw, got.Hash, u.auth.Fee, got.Memo}, "cosmoshub-4", 7)
	require.EqualValues(t, 42, u.auth.Signers[0].Sequence)
	require.EqualValues(t, 1100, u.body.TimeoutHeight)
	require.Equal(t, got.Fee.GasLimit, u.auth.Fee.GasLimit)
	paid := new(big.Int)
	for _, c := range u.auth.Fee.Amount {
		require.Equal(t, "uatom", c.Denom)
		paid, _ = paid.SetString(c.Amount, 10)
		require.Positive(t, paid.Sign(), "zero fees are omitted")
	}
	require.Zero(t, got.Fee.Amount.Cmp(atom.coins(paid)))
	require.Len(t, u.messages, 1)
	switch m := u.messages[0].(type) {
	case *wire.MsgSend:
		require.Len(t, m.Amount, 1)
		require.Equal(t, message, m.Amount[0].Amount+m.Amount[0].Denom+" "+m.To)
		require.Equal(t, owner, m.From)
	case *wire.MsgTransfer:
		require.Equal(t, message, m.Token.Amount+m.Token.Denom+" "+m.Receiver+" "+m.SourceChannel)
		require.Equal(t, owner, m.Sender)
		require.Equal(t, "transfer", m.SourcePort)
		require.Zero(t, m.TimeoutHeight)
		require.EqualValues(t, chain.newest.Time.Add(15*time.Minute).UnixNano(), m.TimeoutTimestamp, "the chain's clock is ahead of ours")
		require.Empty(t, m.Memo)
	default:
		t.Fatalf("%T", m)
	}
	trial := unpack(t, chain.simulated)
	require.Equal(t, u.public, trial.public)
	require.Equal(t, [][]byte{{}}, trial.raw.Signatures)
}

// TestWithdrawLargeAmounts checks amounts of more than 64 bits, of coins with 18 decimals.
func TestWithdrawLargeAmounts(t *testing.T) {
	chain, wei := newChain(), Asset{"EVMOS-IBC_ATOM", "ibc/8EAC8061F4499F03D2D1419A3E73D346289AE9DB89CAB1486B72539572B1915E", 18}
	chain.balances[wei.Denom] = "123456789012345678901234567890"
	w := newWallet(t, chain)
	for amount, units := range map[string]string{
		"123456789012.34567890123456789": "123456789012345678901234567890",
		"36893488147.419103232":          "36893488147419103232000000000",
		"0.000000000000000001":           "1",
	} {
		got, err := w.Withdraw(t.Context(), wei, coin.WithdrawRequest{To: receiver, Amount: rat(t, amount)})
		require.NoError(t, err)
		require.Equal(t, amount, got.Total.String())
		checkRaw(t, chain, got, units+wei.Denom+" "+receiver)
	}
	_, err := w.Withdraw(t.Context(), wei, coin.WithdrawRequest{To: receiver, Amount: rat(t, "123456789012.345678901234567891")})
	var short *coin.ShortageError
	require.ErrorAs(t, err, &short)
	require.EqualError(t, short, "not enough EVMOS-IBC_ATOM: available 123456789012.34567890123456789, required 123456789012.345678901234567891")
	_, err = w.Withdraw(t.Context(), wei, coin.WithdrawRequest{To: receiver, Amount: rat(t, "1e300")})
	require.ErrorAs(t, err, &short)
}

// refusedWithdrawal is a withdrawal that fails before it is signed.
type refusedWithdrawal struct {
	name    string
	asset   Asset
	request coin.WithdrawRequest
	change  func(*fakeChain, *Wallet)
	want    error // expected error, or
	text    string
	asks    bool // whether nodes are queried
}

// refusedRequests returns requests that are refused without queries.
func refusedRequests(t *testing.T) []refusedWithdrawal {
	one := rat(t, "1")
	third, err := one.Quo(number.Int(3))
	require.NoError(t, err)
	return []refusedWithdrawal{
		{"nothing", atom, coin.WithdrawRequest{To: receiver}, nil, nil, "amount 0 is too small, required 0.000001", false},
		{"less than nothing", atom, coin.WithdrawRequest{To: receiver, Amount: rat(t, "-1")}, nil, nil, "amount -1 is too small, required 0.000001", false},
		{"less than the least", atom, coin.WithdrawRequest{To: receiver, Amount: rat(t, "0.0000009")}, nil, nil,
			"amount 0.0000009 is too small, required 0.000001", false},
		{"too many decimals", atom, coin.WithdrawRequest{To: receiver, Amount: rat(t, "1.0000001")}, nil, number.ErrPrecision, "invalid amount: too many decimals: ATOM has 6", false},
		{"a third", atom, coin.WithdrawRequest{To: receiver, Amount: third}, nil, number.ErrPrecision, "", false},
		{"no address", atom, coin.WithdrawRequest{Amount: one}, nil, address.ErrForm, "invalid recipient: not a bech32 address", false},
		{"an address with a mistake", atom, coin.WithdrawRequest{To: receiver[:len(receiver)-1] + "q", Amount: one}, nil, address.ErrChecksum, "", false},
		{"an address of a chain without a channel", atom, coin.WithdrawRequest{To: "nuc150evuj4j7k9kgu38e453jdv9m3u0ft2n4fgzfr", Amount: one}, nil, nil,
			"no IBC channel to addresses with prefix nuc is known", false},
		{"another kind of fee", atom, coin.WithdrawRequest{To: receiver, Amount: one, Fee: coin.OtherFee("EthGas")}, nil, nil,
			"invalid fee: unsupported kind of fee EthGas, want CosmosGas", false},
		{"a memo that is too long", atom, coin.WithdrawRequest{To: receiver, Amount: one, Memo: strings.Repeat("ü", 128) + "x"}, nil, nil,
			"invalid memo: 257 bytes, limit is 256", false},
		{"a memo that is no text", atom, coin.WithdrawRequest{To: receiver, Amount: one, Memo: "\xff"}, nil, nil, "invalid memo: not UTF-8", false},
		{"from another address of one key", atom, coin.WithdrawRequest{To: receiver, Amount: one, From: &coin.From{}}, nil, coin.ErrNoHD, "", false},
		{"a wallet that does not sign", atom, coin.WithdrawRequest{To: receiver, Amount: one}, func(_ *fakeChain, w *Wallet) { w.Account = &outside{account: w.Account} },
			key.ErrUnsupported, "", false},
	}
}

// refusedByChain returns requests that are refused after queries to nodes.
func refusedByChain(t *testing.T) []refusedWithdrawal {
	one, twelve, thirteen, odd := rat(t, "1"), uint64(12), uint64(13), uint64(99)
	answer := func(code uint32, log string) func(*fakeChain, *Wallet) {
		return func(c *fakeChain, _ *Wallet) {
			c.fails["simulate"] = refusedBy(Verdict{code, "sdk", log})
		}
	}
	status := func(status string) func(*fakeChain, *Wallet) {
		return func(c *fakeChain, _ *Wallet) { c.status = status }
	}
	return []refusedWithdrawal{
		{"more than there is", atom, coin.WithdrawRequest{To: receiver, Amount: rat(t, "5.000001")}, nil, nil,
			"not enough ATOM: available 5, required 5.000001", true},
		{"more than there is with the fee", atom, coin.WithdrawRequest{To: receiver, Amount: rat(t, "5")}, nil, nil,
			"not enough ATOM: available 5, required 5.025278", true},
		{"everything of nothing", atom, coin.WithdrawRequest{To: receiver, Max: true}, func(c *fakeChain, _ *Wallet) {
			c.balances, c.fails["account"] = nil, ErrNoAccount
		}, coin.ErrZeroBalance, "", true},
		{"something of nothing", atom, coin.WithdrawRequest{To: receiver, Amount: one}, func(c *fakeChain, _ *Wallet) {
			c.balances, c.fails["account"] = nil, ErrNoAccount
		}, nil, "not enough ATOM: available 0, required 1", true},
		{"everything is as much as the fee", atom, coin.WithdrawRequest{To: receiver, Max: true}, func(c *fakeChain, _ *Wallet) { c.balances["uatom"] = "25278" }, nil,
			"not enough ATOM: available 0.025278, required 0.025279", true},
		{"more of a token than there is", voucher, coin.WithdrawRequest{To: receiver, Amount: rat(t, "7.1")}, nil, nil,
			"not enough OSMO-IBC_ATOM: available 7, required 7.1", true},
		{"a token without the coin for the fee", voucher, coin.WithdrawRequest{To: receiver, Amount: one}, func(c *fakeChain, _ *Wallet) { c.balances["uatom"] = "25277" }, nil,
			"not enough ATOM for the fee: available 0.025277, required 0.025278", true},
		{"a token without any coin for the fee", voucher, coin.WithdrawRequest{To: receiver, Max: true}, func(c *fakeChain, _ *Wallet) { c.balances["uatom"] = "0" }, nil,
			"not enough ATOM for the fee: available 0, required 0.025278", true},
		{"gas that is not enough", atom, coin.WithdrawRequest{To: receiver, Amount: one, Fee: coin.CosmosGas{Price: one, Limit: 77776}}, nil, nil,
			"invalid fee: limit of gas is 77776, and the transaction uses 77777", true},
		{"a fee without bounds", atom, coin.WithdrawRequest{To: receiver, Amount: one, Fee: coin.CosmosGas{Price: rat(t, "1e30"), Limit: math.MaxUint64}}, nil, nil,
			"not enough ATOM: available 5, required 18446744073709551615000000000000000000000001", true},

		{"an unknown channel", atom, coin.WithdrawRequest{To: osmosis, Amount: one, Channel: &odd}, nil, nil, "IBC channel 99 does not exist", true},
		{"a closed channel", atom, coin.WithdrawRequest{To: iris, Amount: one}, nil, nil, "IBC channel 12 is not usable: the channel from cosmoshub-4 to osmosis-1 is closed", true},
		{"a closed channel that is given", atom, coin.WithdrawRequest{To: osmosis, Amount: one, Channel: &twelve}, nil, nil, "is closed", true},
		{"a channel that is being made", atom, coin.WithdrawRequest{To: osmosis, Amount: one, Channel: &thirteen}, nil, nil, "is not open yet", true},
		{"an expired client", atom, coin.WithdrawRequest{To: osmosis, Amount: one}, status(wire.ClientExpired), nil,
			"IBC channel 141 is not usable: its client 07-tendermint-1 has expired: no update from cosmoshub-4 about osmosis-1 in time", true},
		{"a frozen client", atom, coin.WithdrawRequest{To: osmosis, Amount: one}, status(wire.ClientFrozen), nil,
			"its client 07-tendermint-1 is frozen: cosmoshub-4 saw osmosis-1 contradict itself", true},
		{"a client in another state", atom, coin.WithdrawRequest{To: osmosis, Amount: one}, status("Unauthorized"), nil,
			`its client 07-tendermint-1 of the channel from cosmoshub-4 to osmosis-1 is "Unauthorized"`, true},
		{"a client that only the simulation knows", atom, coin.WithdrawRequest{To: osmosis, Amount: one}, func(c *fakeChain, w *Wallet) {
			c.status = ""
			answer(18, "failed to execute message; message index: 0: cannot send packet using client (07-tendermint-1) with status Expired: client is not active: invalid request")(c, w)
		}, nil, "IBC channel 141 is not usable: failed to execute message", true},

		{"coins that may not be spent yet", atom, coin.WithdrawRequest{To: receiver, Amount: one},
			answer(5, "failed to execute message; message index: 0: spendable balance 10uatom is smaller than 1000000uatom: insufficient funds"), nil,
			"not enough ATOM: available 0.00001, required 1", true},
		{"tokens that may not be spent yet", voucher, coin.WithdrawRequest{To: receiver, Amount: one}, answer(5, "10"+voucherDenom+" is smaller than 1000000"+voucherDenom+": insufficient funds"), nil,
			"not enough OSMO-IBC_ATOM: available 0.00001, required 1", true},
		{"a memo that the chain refuses", atom, coin.WithdrawRequest{To: receiver, Amount: one, Memo: "long"},
			answer(18, "maximum number of characters is 3 but received 4 characters: memo too large"), nil, "invalid memo: maximum number of characters is 3", true},
		{"refused by the chain", atom, coin.WithdrawRequest{To: receiver, Amount: one}, answer(4, receiver+" is not allowed to receive funds: unauthorized"), nil,
			"is not allowed to receive funds: unauthorized", true},
	}
}

func TestRefusedWithdrawals(t *testing.T) {
	for _, c := range append(refusedRequests(t), refusedByChain(t)...) {
		t.Run(c.name, func(t *testing.T) {
			chain := newChain()
			w := newWallet(t, chain)
			if c.change != nil {
				c.change(chain, w)
			}
			got, err := w.Withdraw(t.Context(), c.asset, c.request)
			require.Error(t, err)
			if c.want != nil {
				require.ErrorIs(t, err, c.want)
			}
			require.ErrorContains(t, err, c.text)
			require.Zero(t, got)
			require.Equal(t, c.asks, len(chain.calls) > 0, "%v", chain.calls)
		})
	}
}

// TestWithdrawFailingNodes checks that the error of each call to a node is returned.
func TestWithdrawFailingNodes(t *testing.T) {
	for _, name := range []string{"account", "balance of uatom", "balance of " + voucherDenom, "newest", "simulate", "channel", "client", "status"} {
		t.Run(name, func(t *testing.T) {
			chain := newChain()
			chain.fails[name] = fmt.Errorf("%w: all of them", coin.ErrTransport)
			_, err := newWallet(t, chain).Withdraw(t.Context(), voucher, coin.WithdrawRequest{To: osmosis, Amount: rat(t, "1")})
			require.ErrorIs(t, err, coin.ErrTransport)
			ended, cancel := context.WithCancel(t.Context())
			cancel()
			_, err = newWallet(t, newChain()).Withdraw(ended, voucher, coin.WithdrawRequest{To: osmosis, Amount: rat(t, "1")})
			require.ErrorIs(t, err, context.Canceled)
		})
	}
}

func TestWithdrawWithoutSimulation(t *testing.T) {
	chain := newChain()
	chain.fails["simulate"] = ErrNoSimulation
	w := newWallet(t, chain)
	for to, gas := range map[string]uint64{receiver: TransferGas, osmosis: IBCGas} {
		got, err := w.Withdraw(t.Context(), atom, coin.WithdrawRequest{To: to, Amount: rat(t, "1")})
		require.NoError(t, err)
		require.Equal(t, gas, got.Fee.GasLimit)
		require.Zero(t, got.Fee.Amount.Mul(number.Int(4_000_000)).Cmp(number.Int(int64(gas))), "a quarter of a unit each")
		got, err = w.Withdraw(t.Context(), atom, coin.WithdrawRequest{To: to, Amount: rat(t, "1"), Fee: coin.CosmosGas{Limit: 5}})
		require.NoError(t, err)
		require.EqualValues(t, 5, got.Fee.GasLimit)
	}
	chain.status = "" // nor can nodes return the status of clients
	_, err := w.Withdraw(t.Context(), atom, coin.WithdrawRequest{To: osmosis, Amount: rat(t, "1")})
	require.NoError(t, err)
}

// TestSimulationsPay checks that a simulation pays a fee if the real transaction does, since
// paying it takes gas.
func TestSimulationsPay(t *testing.T) {
	for _, c := range []struct {
		name, balance, amount string
		max                   bool
		asset                 Asset
		want                  string
	}{
		{"some", "5000000", "1", false, atom, "1"},
		{"all but one unit", "5000000", "4.999999", false, atom, "1"},
		{"everything", "5000000", "0", true, atom, "1"},
		{"everything, which is a unit", "1", "0", true, atom, ""},
		{"as much as there is", "5000000", "5", false, atom, ""},
		{"token", "5000000", "1", false, voucher, "1"},
		{"token without the coin", "0", "1", false, voucher, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			chain := newChain()
			chain.balances["uatom"] = c.balance
			_, err := newWallet(t, chain).Withdraw(t.Context(), c.asset, coin.WithdrawRequest{To: receiver, Amount: rat(t, c.amount), Max: c.max})
			if err != nil {
				require.ErrorAs(t, err, new(*coin.ShortageError))
			}
			fee := unpack(t, chain.simulated).auth.Fee.Amount
			if c.want == "" {
				require.Empty(t, fee)
				return
			}
			require.Equal(t, []wire.Coin{{Denom: "uatom", Amount: c.want}}, fee)
		})
	}
}

// TestWithdrawInWallets checks that an external wallet may set another fee, and that the result
// has that fee.
func TestWithdrawInWallets(t *testing.T) {
	chain := newChain()
	w := newWallet(t, chain)
	o := &outside{account: w.Account, changeDirect: changedAuth(func(a *wire.AuthInfo) { a.Fee.Amount[0].Amount, a.Fee.GasLimit = "50556", 202222 })}
	w.Account = directWallet{o}
	got, err := w.Withdraw(t.Context(), atom, coin.WithdrawRequest{To: receiver, Amount: rat(t, "1")})
	require.NoError(t, err)
	require.Equal(t, "StandardTransfer: total 1.050556, spent 1.050556, received 0, fee 0.050556 ATOM gas 202222", summary(got))
	require.Equal(t, owner, o.signer)

	w.Account = aminoWallet{o}
	for _, to := range []string{receiver, osmosis} {
		got, err = w.Withdraw(t.Context(), atom, coin.WithdrawRequest{To: to, Amount: rat(t, "1"), Memo: "a & b"})
		require.NoError(t, err)
		u := unpack(t, got.Raw)
		require.Equal(t, wire.SignAmino, u.auth.Signers[0].Mode.Single)
		require.Zero(t, u.body.TimeoutHeight, "which a Ledger might not know")
		requireSound(t, Signed{got.Raw, got.Hash, u.auth.Fee, "a & b"}, "cosmoshub-4", 7)
	}
	o.fails = errors.New("Request rejected")
	_, err = w.Withdraw(t.Context(), atom, coin.WithdrawRequest{To: receiver, Amount: rat(t, "1")})
	require.ErrorIs(t, err, coin.ErrSigning)
}

// closing counts the accounts that were closed.
type closing struct {
	key.HashSigner
	closed *int
}

func (closing) Policy() key.PolicyName { return key.NameContextPrivKey }
func (c closing) Close()               { *c.closed++ }

// TestWithdrawFromHDAddresses uses addresses of an HD wallet, of which the second one is from
// Komodo DeFi Framework.
func TestWithdrawFromHDAddresses(t *testing.T) {
	ring, err := key.Open("emerge canoe salmon dolphin glow priority random become gasp sell blade argue", true)
	require.NoError(t, err)
	chain, closed := newChain(), 0
	w := newWallet(t, chain)
	w.Path, err = key.ParsePath("m/44'/118'")
	require.NoError(t, err)
	w.Open = func(ctx context.Context, p key.Path) (key.Account, error) {
		account, err := ring.Account(ctx, key.ContextPrivKey{}, p)
		if err != nil {
			return nil, err
		}
		return closing{account.(key.HashSigner), &closed}, nil
	}
	full, err := key.ParsePath("m/44'/118'/0'/0/1")
	require.NoError(t, err)
	for _, from := range []coin.From{{Address: 1}, {Path: full}} {
		got, err := w.Withdraw(t.Context(), atom, coin.WithdrawRequest{To: receiver, Amount: rat(t, "1"), From: &from})
		require.NoError(t, err)
		require.Equal(t, []string{"cosmos134h9tv7866jcuw708w5w76lcfx7s3x2ysyalxy"}, got.From)
		u := unpack(t, got.Raw)
		requireSound(t, Signed{got.Raw, got.Hash, u.auth.Fee, ""}, "cosmoshub-4", 7)
	}
	require.Equal(t, 2, closed)
	for _, text := range []string{"m/44'/118'", "m/44'/60'/0'/0/0", "m/44'/118'/0'/0/1/2"} {
		path, err := key.ParsePath(text)
		require.NoError(t, err)
		_, err = w.Withdraw(t.Context(), atom, coin.WithdrawRequest{To: receiver, Amount: rat(t, "1"), From: &coin.From{Path: path}})
		var invalid *coin.InvalidError
		require.ErrorAs(t, err, &invalid, text)
		require.Equal(t, coin.FieldFrom, invalid.Field)
	}
	chain.gas = math.MaxUint64
	_, err = w.Withdraw(t.Context(), atom, coin.WithdrawRequest{To: receiver, Amount: rat(t, "1"), From: &coin.From{}})
	require.Error(t, err)
	require.Equal(t, 3, closed, "also when it fails")
}

func TestTransferFee(t *testing.T) {
	chain := newChain()
	w := newWallet(t, chain)
	for _, asset := range []Asset{atom, voucher} {
		fee, gas, err := w.TransferFee(t.Context(), asset)
		require.NoError(t, err)
		require.Equal(t, "0.025278 101111", fmt.Sprint(fee, " ", gas))
	}
	require.Equal(t, "7000000", unpack(t, chain.simulated).messages[0].(*wire.MsgSend).Amount[0].Amount)
	chain.balances[voucherDenom] = "0"
	fee, gas, err := w.TransferFee(t.Context(), voucher)
	require.NoError(t, err)
	require.Equal(t, "0.03125 125000", fmt.Sprint(fee, " ", gas))
	chain.fails["balance of uatom"] = coin.ErrTransport
	_, _, err = w.TransferFee(t.Context(), atom)
	require.ErrorIs(t, err, coin.ErrTransport)
}

// TestDocumentedWithdrawals checks that this package makes the documented transactions of
// Komodo DeFi Framework, except for the signatures, which are by another key.
func TestDocumentedWithdrawals(t *testing.T) {
	for _, c := range []struct{ name, raw, hash, memo, gas, fee string }{
		{"memo", "0ade010a8b010a1c2f636f736d6f732e62616e6b2e763162657461312e4d736753656e64126b0a2a6961613136647271766c33753873756b667375346c6d3371736b32386a72336661686a6139767376366b122a6961613136647271766c33753873756b667375346c6d3371736b32386a72336661686a6139767376366b1a110a05756972697312083133303030303030124949742077617320612062726967687420636f6c642064617920696e20417072696c2c20616e642074686520636c6f636b73207765726520737472696b696e6720746869727465656e2e188f85b50812680a500a460a1f2f636f736d6f732e63727970746f2e736563703235366b312e5075624b657912230a2103d8064eece4fa5c0f8dc0267f68cee9bdd527f9e88f3594a323428718c391ecc212040a020801181d12140a0e0a0575697269731205333835353310a08d061a40a9ac8c4112d7d7252062e289d222a438258a7c49c6657fdcbf831d62fc5eb2d05af46d6b86881335b3bc7ca98b2bfc3ef02ec5adf6768de9a778b282f9cc868e",
			"E00982A2A8442D7140916A34E29E287A0B1CBB4B38940372D1966BA7ACDE5BD6", "It was a bright cold day in April, and the clocks were striking thirteen.", "100000", "38553"},
		{"IBC", "0af9010abc010a292f6962632e6170706c69636174696f6e732e7472616e736665722e76312e4d73675472616e73666572128e010a087472616e73666572120b6368616e6e656c2d3134311a0f0a057561746f6d1206313030303030222d636f736d6f733136647271766c33753873756b667375346c6d3371736b32386a72336661686a617377736163382a2b6f736d6f3136647271766c33753873756b667375346c6d3371736b32386a72336661686a6163347264773438a6c5b9a089f29efa171233496e2074686520626c61636b657374206f6620796f7572206d6f6d656e74732c20776169742077697468206e6f20666561722e188df8c70a12680a500a460a1f2f636f736d6f732e63727970746f2e736563703235366b312e5075624b657912230a2103d8064eece4fa5c0f8dc0267f68cee9bdd527f9e88f3594a323428718c391ecc212040a020801180b12140a0e0a057561746f6d1205313733353910e0c65b1a40042c4fa45d77405ee94e737a000b146f5019137d5a2d3275849c9ad66dd8ef1d0f087fb584f34b1ebcf7989e41bc0675e96c83f0eec4ffe355e078b6615d7a72",
			"06174E488B7BBC35180E841F2D170327BB7DE0A291CA69050D81F82A7CF103CB", "In the blackest of your moments, wait with no fear.", "1500000", "17359"},
	} {
		t.Run(c.name, func(t *testing.T) {
			raw, err := hex.DecodeString(c.raw)
			require.NoError(t, err)
			require.Equal(t, c.hash, Hash(raw))
			u := unpack(t, raw)
			require.Equal(t, c.memo, u.body.Memo)
			require.Equal(t, c.gas, fmt.Sprint(u.auth.Fee.GasLimit))
			require.Equal(t, c.fee, u.auth.Fee.Amount[0].Amount)
			doc := u.draft("", 0).SignDoc(u.public)
			require.Equal(t, u.raw.AuthInfo, doc.AuthInfo)
			if c.name == "memo" { // the documented transaction omits an empty height that chains encode
				require.Equal(t, u.raw.Body, doc.Body)
			}
		})
	}
}
