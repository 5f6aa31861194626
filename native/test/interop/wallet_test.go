package interop_test

import (
	"context"
	"encoding/json"
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/number"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/address"
	"obverse/core/wallet/cosmos/node"
	"obverse/core/wallet/cosmos/tx"
	"obverse/core/wallet/cosmos/wire"
	"obverse/native/fetch"
	"obverse/native/test/interop"
)

// ledger is a key that claims to be in a Ledger, which signs amino JSON.
type ledger struct{ key.HashSigner }

func (ledger) Policy() key.PolicyName { return key.NameHardwareWallet }
func (ledger) Close()                 {}
func (ledger) InLedger() bool         { return true }

// wallet is an account of a chain from which core sends.
type wallet struct {
	*tx.Wallet
	chain *interop.Chain
	pool  *node.Pool
}

func newWallet(t *testing.T, c *interop.Chain, owner interop.Account) *wallet {
	t.Helper()
	ring, err := key.Open(owner.Passphrase, false)
	require.NoError(t, err)
	t.Cleanup(ring.Wipe)
	account, err := ring.Account(t.Context(), key.ContextPrivKey{}, nil)
	require.NoError(t, err)
	client := fetch.New("obverse/interop")
	t.Cleanup(client.Close)
	pool, err := node.New(node.Config{Nodes: []node.Node{{URL: c.URL}}, ChainID: c.ID, Fetcher: client, Now: time.Now})
	require.NoError(t, err)
	chain, err := tx.ChainOf("COIN", coin.Cosmos{Decimals: 6, Denom: c.Denom, AccountPrefix: c.Prefix, ChainID: c.ID,
		GasPrice: json.Number(c.GasPrice), IBCChannels: map[string]uint64{"osmo": 0, "nuc": 1, "juno": 2, "akash": 3}})
	require.NoError(t, err)
	self, err := address.FromKey(c.Prefix, account.(key.PublicKeyer).PublicKey())
	require.NoError(t, err)
	require.Equal(t, owner.Address, self.String())
	return &wallet{&tx.Wallet{Chain: chain, Node: nodes{pool}, Account: account, Address: self, Now: time.Now, Queue: coin.NewSendQueue(time.Now)}, c, pool}
}

// TestWallet builds, signs and sends transactions with core, which real chains must accept.
func TestWallet(t *testing.T) {
	for _, kind := range interop.Kinds() {
		t.Run(string(kind), func(t *testing.T) {
			c, err := interop.Start(t.Context(), kind)
			require.NoError(t, err)
			t.Cleanup(func() { require.NoError(t, c.Stop()) })
			for _, part := range []struct {
				name string
				test func(*testing.T, *interop.Chain)
			}{
				{"sends", testWalletSends}, {"sends everything", testWalletSendsEverything}, {"crosses chains", testWalletCrossesChains},
				{"reports why not", testWalletReportsWhyNot}, {"signs as a Ledger", testWalletSignsAmino}, {"signs on a device", testWalletSignsOnADevice},
				{"knows what it sent", testWalletKnows},
			} {
				require.True(t, t.Run(part.name, func(t *testing.T) { part.test(t, c) }))
			}
		})
	}
}

// send builds and sends a transaction, and waits for the next block. It returns the transaction as
// reported by the chain's program.
func (p *wallet) send(t *testing.T, asset tx.Asset, r coin.WithdrawRequest) (coin.Transaction, json.RawMessage) {
	t.Helper()
	made, err := p.Withdraw(t.Context(), asset, r)
	require.NoError(t, err)
	hash, err := p.Broadcast(t.Context(), made.Raw)
	require.NoError(t, err)
	require.Equal(t, made.Hash, hash)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	where, err := p.Await(ctx, made.Raw, 2)
	require.NoError(t, err)
	require.GreaterOrEqual(t, where.Confirmations, uint64(2))
	var details struct {
		Height string
		Code   int
		Log    string `json:"raw_log"`
		Used   string `json:"gas_used"`
		Wanted string `json:"gas_wanted"`
		Tx     json.RawMessage
	}
	require.NoError(t, p.chain.Query(t.Context(), &details, "tx", hash))
	require.Zero(t, details.Code, details.Log)
	require.Equal(t, strconv.FormatUint(where.Height, 10), details.Height)
	require.Equal(t, strconv.FormatUint(made.Fee.GasLimit, 10), details.Wanted)
	t.Logf("%s: gas %s of %s", made.Kind, details.Used, details.Wanted)
	return made, details.Tx
}

// balance returns the balance of an address that the chain's program reports.
func (p *wallet) balance(t *testing.T, address, denom string) number.Rational {
	t.Helper()
	text, err := p.chain.Balance(t.Context(), address, denom)
	require.NoError(t, err)
	units, ok := new(big.Int).SetString(text, 10)
	require.True(t, ok, text)
	return number.Scaled(units, 6)
}

func (p *wallet) voucher() tx.Asset {
	return tx.Asset{Ticker: "TOKEN", Denom: p.chain.Vouchers[0].Denom, Decimals: 6}
}

func amount(t testing.TB, text string) number.Rational {
	t.Helper()
	r, err := number.ParseRational(text)
	require.NoError(t, err)
	return r
}

func testWalletSends(t *testing.T, c *interop.Chain) {
	p := newWallet(t, c, c.Passphrase)
	for _, asset := range []tx.Asset{p.Chain.Native, p.voucher()} {
		before, other := p.balance(t, p.Address.String(), asset.Denom), p.balance(t, c.Other.Address, asset.Denom)
		made, details := p.send(t, asset, coin.WithdrawRequest{To: c.Other.Address, Amount: amount(t, "1.000001"), Memo: `<a> & "b" 🚀`})
		require.Zero(t, before.Sub(made.Spent).Cmp(p.balance(t, p.Address.String(), asset.Denom)), "it spent what it says")
		require.Zero(t, other.Add(amount(t, "1.000001")).Cmp(p.balance(t, c.Other.Address, asset.Denom)))
		var body struct{ Body struct{ Memo string } }
		require.NoError(t, json.Unmarshal(details, &body))
		require.Equal(t, `<a> & "b" 🚀`, body.Body.Memo)
	}
	before := p.balance(t, p.Address.String(), c.Denom)
	made, _ := p.send(t, p.Chain.Native, coin.WithdrawRequest{To: p.Address.String(), Amount: amount(t, "5")})
	require.Zero(t, before.Add(made.Received).Sub(made.Spent).Cmp(p.balance(t, p.Address.String(), c.Denom)), "to itself")
}

func testWalletSendsEverything(t *testing.T, c *interop.Chain) {
	_, err := c.Send(t.Context(), c.Other, c.Empty.Address, "70000"+c.Denom+",5"+c.Vouchers[0].Denom)
	require.NoError(t, err)
	p := newWallet(t, c, c.Empty)
	token, _ := p.send(t, p.voucher(), coin.WithdrawRequest{To: c.Other.Address, Max: true})
	require.Equal(t, "0.000005", token.Total.String())
	all, _ := p.send(t, p.Chain.Native, coin.WithdrawRequest{To: c.Other.Address, Max: true})
	require.Zero(t, all.Total.Add(token.Fee.Amount).Cmp(amount(t, "0.07")))
	for _, denom := range []string{c.Denom, c.Vouchers[0].Denom} {
		require.True(t, p.balance(t, c.Empty.Address, denom).IsZero())
	}
	_, err = p.Withdraw(t.Context(), p.Chain.Native, coin.WithdrawRequest{To: c.Other.Address, Max: true})
	require.ErrorIs(t, err, coin.ErrZeroBalance)
}

// foreignAddress returns an address of another chain.
func foreignAddress(t *testing.T, prefix string) string {
	t.Helper()
	a, err := address.New(prefix, make([]byte, address.KeyLength))
	require.NoError(t, err)
	return a.String()
}

func testWalletCrossesChains(t *testing.T, c *interop.Chain) {
	p := newWallet(t, c, c.Passphrase)
	for _, asset := range []tx.Asset{p.Chain.Native, p.voucher()} {
		before := p.balance(t, p.Address.String(), asset.Denom)
		made, details := p.send(t, asset, coin.WithdrawRequest{To: foreignAddress(t, "osmo"), Amount: amount(t, "0.25")})
		require.Equal(t, coin.KindIBCTransfer, made.Kind)
		require.Zero(t, before.Sub(made.Spent).Cmp(p.balance(t, p.Address.String(), asset.Denom)))
		require.Contains(t, string(details), interop.HealthyChannel)
	}
	for prefix, why := range map[string]string{"nuc": "has expired", "juno": "is frozen", "akash": "is closed"} {
		_, err := p.Withdraw(t.Context(), p.Chain.Native, coin.WithdrawRequest{To: foreignAddress(t, prefix), Amount: amount(t, "0.25")})
		require.ErrorAs(t, err, new(*coin.ChannelError))
		require.ErrorContains(t, err, why)
		require.ErrorContains(t, err, c.ID)
		require.ErrorContains(t, err, "counterparty-1")
	}
	unknown := uint64(99)
	_, err := p.Withdraw(t.Context(), p.Chain.Native, coin.WithdrawRequest{To: foreignAddress(t, "osmo"), Amount: amount(t, "1"), Channel: &unknown})
	require.ErrorContains(t, err, "does not exist")
}

func testWalletReportsWhyNot(t *testing.T, c *interop.Chain) {
	p := newWallet(t, c, c.Passphrase)
	_, err := p.Withdraw(t.Context(), p.Chain.Native, coin.WithdrawRequest{To: c.Other.Address, Amount: amount(t, "1000000")})
	require.ErrorAs(t, err, new(*coin.ShortageError))
	_, err = p.Withdraw(t.Context(), p.Chain.Native, coin.WithdrawRequest{To: foreignAddress(t, "xyz"), Amount: amount(t, "1")})
	require.ErrorAs(t, err, new(*coin.ChannelError))

	poor := newWallet(t, c, c.Poor)
	_, err = poor.Withdraw(t.Context(), poor.voucher(), coin.WithdrawRequest{To: c.Other.Address, Amount: amount(t, "1")})
	var short *coin.ShortageError
	require.ErrorAs(t, err, &short)
	require.True(t, short.ForFee)

	vesting := newWallet(t, c, c.Vesting)
	_, err = vesting.Withdraw(t.Context(), vesting.Chain.Native, coin.WithdrawRequest{To: c.Other.Address, Amount: amount(t, "600000")})
	require.ErrorAs(t, err, &short)
	require.Negative(t, short.Available.Cmp(amount(t, "500001")), "what it may not spend yet does not count")

	cheap, err := p.Withdraw(t.Context(), p.Chain.Native, coin.WithdrawRequest{To: c.Other.Address, Amount: amount(t, "1"),
		Fee: coin.CosmosGas{Price: amount(t, "0.000001"), Limit: 100000}})
	require.NoError(t, err)
	_, err = p.Broadcast(t.Context(), cheap.Raw)
	require.ErrorContains(t, err, "the node takes a fee of ")
	_, err = p.Withdraw(t.Context(), p.Chain.Native, coin.WithdrawRequest{To: c.Other.Address, Amount: amount(t, "1"),
		Fee: coin.CosmosGas{Price: amount(t, "1"), Limit: 20000}})
	require.ErrorContains(t, err, "limit of gas is 20000, and the transaction uses ")
}

func testWalletSignsAmino(t *testing.T, c *interop.Chain) {
	p := newWallet(t, c, c.Passphrase)
	p.Account = ledger{p.Account.(key.HashSigner)}
	for _, to := range []string{c.Other.Address, foreignAddress(t, "osmo")} {
		made, details := p.send(t, p.Chain.Native, coin.WithdrawRequest{To: to, Amount: amount(t, "0.5"), Memo: `<a> & "b"` + "\n\t 🚀 \\"})
		require.Contains(t, string(details), "SIGN_MODE_LEGACY_AMINO_JSON")
		require.Equal(t, to, made.To[0])
	}
}

// A transaction that is pending or in a block may be sent again. A transaction that was replaced or
// has expired may not.
func testWalletKnows(t *testing.T, c *interop.Chain) {
	p := newWallet(t, c, c.Passphrase)
	withdraw := func(text string) coin.Transaction {
		made, err := p.Withdraw(t.Context(), p.Chain.Native, coin.WithdrawRequest{To: c.Other.Address, Amount: amount(t, text)})
		require.NoError(t, err)
		return made
	}
	first, second := withdraw("0.1"), withdraw("0.2")
	for range 2 {
		_, err := p.Broadcast(t.Context(), first.Raw)
		require.NoError(t, err)
	}
	_, err := p.Await(t.Context(), first.Raw, 1)
	require.NoError(t, err)
	_, err = p.Broadcast(t.Context(), first.Raw)
	require.NoError(t, err)
	_, err = p.Broadcast(t.Context(), second.Raw)
	require.ErrorContains(t, err, "another transaction of the account came first; make it again")

	account, err := p.Node.Account(t.Context(), p.Address.String())
	require.NoError(t, err)
	late := tx.Draft{ChainID: c.ID, Account: account.Number, Sequence: account.Sequence, TimeoutHeight: 3,
		Fee:      wire.Fee{GasLimit: 200000, Amount: []wire.Coin{{Denom: c.Denom, Amount: "100000"}}},
		Messages: []wire.Named{&wire.MsgSend{From: p.Address.String(), To: c.Other.Address, Amount: []wire.Coin{{Denom: c.Denom, Amount: "1"}}}}}
	signed, err := late.Sign(t.Context(), p.Account, p.Address.String())
	require.NoError(t, err)
	_, err = p.Broadcast(t.Context(), signed.Raw)
	require.ErrorContains(t, err, "the transaction is too old")
	_, err = p.Await(t.Context(), signed.Raw, 1)
	require.ErrorContains(t, err, "the transaction is too old")

	late.TimeoutHeight = 0
	late.Messages = []wire.Named{&wire.MsgSend{From: p.Address.String(), To: c.Other.Address, Amount: []wire.Coin{{Denom: c.Denom, Amount: interop.Plenty}}}}
	signed, err = late.Sign(t.Context(), p.Account, p.Address.String())
	require.NoError(t, err)
	_, err = p.Broadcast(t.Context(), signed.Raw)
	require.NoError(t, err, "which only its block finds out")
	_, err = p.Await(t.Context(), signed.Raw, 1)
	require.ErrorContains(t, err, "the transaction failed in block ")
	require.True(t, strings.Contains(err.Error(), "insufficient funds"), fmt.Sprint(err))
}
