package story

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/net/fetch"
	"obverse/core/net/nodepool"
	"obverse/core/number"
	"obverse/core/store/bunt"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm"
)

// Contracts and balances that the network must have: two ERC-20 contracts, which are the first
// two that anvil's first account creates, and balances of the phrase's key in the coin and both
// tokens.
const (
	Phrase     = "spice describe gravity federal blast come thank unfair canal monkey style afraid"
	Address    = "0xbAB36286672fbdc7B250804bf6D14Be0dF69fa29"
	Contract6  = "0x5FbDB2315678afecb367f032d93F642f64180aa3" // with six decimals
	Contract18 = "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512" // with 18 decimals
	Coins      = "2500000000000000001"
	Tokens6    = "12345678"
	Tokens18   = "57896044618658097711785492504343953926634992332820282019728792003956564819975" // 2^255+7
)

const entries = `[{"coin":"SIX-ERC20","mm2":1,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"` + Contract6 + `"}}},
	{"coin":"HUGE-ERC20","mm2":1,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"` + Contract18 + `"}}}]`

const receiver = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

// Play plays the story with the nodes at a URL.
func Play(t *testing.T, network fetch.Fetcher, url string) {
	t.Helper()
	kv, err := bunt.Open(bunt.Memory)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, kv.Close()) })
	active, err := coin.Open(t.Context(), coin.Config{Store: kv})
	require.NoError(t, err)
	user, problems, err := coin.ParseList([]byte(entries))
	require.NoError(t, err)
	require.Empty(t, problems)
	ring, err := key.Open(Phrase, false)
	require.NoError(t, err)
	a := evm.Activator{Config: account.Config{Active: active, Registry: coin.NewRegistry(user), Providers: key.Providers{ring}, Fetcher: network, Now: time.Now}}
	done, err := a.Activate(t.Context(), evm.Params{
		Request: account.Request{Ticker: "ETH", Nodes: []nodepool.Node{{URL: url}}, Policy: key.ContextPrivKey{}, Balances: true,
			Tokens: []account.TokenRequest{{Ticker: "SIX-ERC20"}, {Ticker: "HUGE-ERC20"}}},
		Options: evm.Options{Contracts: evm.Contracts{Swap: "0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80"}},
	})
	require.NoError(t, err)
	require.Equal(t, Address, done.Owner.Address)
	require.Equal(t, "2.500000000000000001", done.Balance.Spendable.String())
	require.Equal(t, "12.345678", done.Tokens[0].Balance.Spendable.String())
	require.Equal(t, "57896044618658097711785492504343953926634992332820282019728.792003956564819975", done.Tokens[1].Balance.Spendable.String())

	ether, six, huge := get(t, active, "ETH"), get(t, active, "SIX-ERC20"), get(t, active, "HUGE-ERC20")
	cost, err := six.SpendingCost(t.Context())
	require.NoError(t, err)
	require.Positive(t, cost.Fee.Amount.Sign())
	ether.pays(t, coin.WithdrawRequest{To: receiver, Amount: amount(t, "0.000000000000000003")})
	ether.pays(t, coin.WithdrawRequest{To: receiver, Amount: amount(t, "0.1"), Fee: coin.EthGas{Price: number.Int(4), Limit: 21000}})
	six.pays(t, coin.WithdrawRequest{To: receiver, Amount: amount(t, "10")})
	huge.pays(t, coin.WithdrawRequest{To: receiver, Max: true})
	for c, want := range map[wallet]string{six: "2.345678", huge: "0"} {
		balance, err := c.Balance(t.Context())
		require.NoError(t, err)
		require.Equal(t, want, balance.Spendable.String())
	}
	_, err = huge.Withdraw(t.Context(), coin.WithdrawRequest{To: receiver, Max: true})
	require.ErrorIs(t, err, coin.ErrZeroBalance)
}

// able is a coin with all the interfaces that the story needs.
type able interface {
	coin.Balancer
	coin.Withdrawer
	coin.Broadcaster
	coin.Estimator
}

// wallet is a coin with helpers for tests.
type wallet struct{ able }

func get(t *testing.T, active *coin.Active, ticker string) wallet {
	t.Helper()
	c, err := active.Get(ticker)
	require.NoError(t, err)
	w, is := c.(able)
	require.True(t, is)
	return wallet{w}
}

// pays sends coins and waits for the block of the transaction.
func (w wallet) pays(t *testing.T, r coin.WithdrawRequest) {
	t.Helper()
	x, err := w.Withdraw(t.Context(), r)
	require.NoError(t, err)
	hash, err := w.Broadcast(t.Context(), x.Raw)
	require.NoError(t, err)
	require.Equal(t, x.Hash, hash)
	where, err := w.Await(t.Context(), x.Raw, 1)
	require.NoError(t, err)
	require.Positive(t, where.Height)
}

func amount(t *testing.T, text string) number.Rational {
	t.Helper()
	r, err := number.ParseRational(text)
	require.NoError(t, err)
	return r
}

// Read decodes a tape in JSON.
func Read(t *testing.T, text []byte) *Tape {
	t.Helper()
	tape := &Tape{}
	require.NoError(t, json.Unmarshal(text, &tape.All))
	require.NotEmpty(t, tape.All)
	return tape
}
