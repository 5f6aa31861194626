package interop_test

import (
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/cosmos/address"
	"obverse/native/test/interop"
)

// hdPhrase is the recovery phrase of the chain's accounts: the first addresses of account 0.
const hdPhrase = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"

func hdAddresses(t *testing.T, prefix string, account uint32, number int) (list []string) {
	t.Helper()
	ring, err := key.Open(hdPhrase, true)
	require.NoError(t, err)
	defer ring.Wipe()
	for n := range uint32(number) {
		path, err := (key.Path{44 + key.Hardened, 118 + key.Hardened}).Address(account, key.External, n)
		require.NoError(t, err)
		private, err := ring.At(path)
		require.NoError(t, err)
		a, err := address.FromKey(prefix, private.PublicKey())
		require.NoError(t, err)
		list = append(list, a.String())
	}
	return list
}

// hdAccount is an account in a response, or the addresses that the program has found.
type hdAccount struct {
	Total     map[string]balance `json:"total_balance"`
	Addresses []hdAddress
	New       []hdAddress `json:"new_addresses"`
}

type hdAddress struct {
	Address string
	Balance map[string]balance
}

func textsOf(list []hdAddress) (all []string) {
	for _, a := range list {
		all = append(all, a.Address)
	}
	return all
}

// done waits for the result of a task.
func (p *program) done(into any, kind, params string) {
	p.t.Helper()
	var started struct {
		ID int `json:"task_id"`
	}
	p.succeeds(&started, kind+"::init", params)
	for deadline := time.Now().Add(timeout); ; time.Sleep(50 * time.Millisecond) {
		var now struct {
			Status  string
			Details json.RawMessage
		}
		p.succeeds(&now, kind+"::status", fmt.Sprintf(`{"task_id":%d}`, started.ID))
		if now.Status == "Ok" {
			require.NoError(p.t, json.Unmarshal(now.Details, into))
			return
		}
		require.Equal(p.t, "InProgress", now.Status, "%s", now.Details)
		require.True(p.t, time.Now().Before(deadline), "%s takes too long", kind)
	}
}

// TestAccounts checks that the program finds 25 addresses of an HD wallet on a real chain, with
// gaps between them, sends from one of them, and still has them after a crash.
func TestAccounts(t *testing.T) {
	c, err := interop.Start(t.Context(), interop.Gaiad)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, c.Stop()) })
	addresses := hdAddresses(t, c.Prefix, 0, 25)
	require.Equal(t, []string{c.User.Address, c.Other.Address}, addresses[:2])
	for _, n := range []int{7, 12, 24} { // the addresses 0 to 3 and 5 have coins in the genesis
		_, err := c.Send(t.Context(), c.Other, addresses[n], fmt.Sprintf("%d%s", 1_000_000+n, c.Denom))
		require.NoError(t, err)
	}
	_, err = c.Send(t.Context(), c.Other, addresses[24], "5"+c.Vouchers[0].Denom)
	require.NoError(t, err)
	s := newStory(c)
	s.program = buildProgram(t, "["+s.coinsOf()+"]", hdPhrase)
	s.start("enable_hd=true")
	var on enabled
	s.succeeds(&on, "enable_tendermint_with_assets", s.enabling([]string{s.plain}, "", c.URL))
	require.Equal(t, addresses[0], on.Address)

	var a hdAccount
	s.done(&a, "task::scan_for_new_addresses", `{"coin":"ATOM","account_index":0,"gap_limit":11}`)
	require.Equal(t, addresses[1:13], textsOf(a.New), "11 unused addresses are behind the twelfth")
	s.done(&a, "task::scan_for_new_addresses", `{"coin":"ATOM","account_index":0}`)
	require.Equal(t, addresses[13:], textsOf(a.New))
	require.Equal(t, "1.000024", a.New[11].Balance["ATOM"].Spendable)
	require.Equal(t, "0.000005", a.New[11].Balance[s.plain].Spendable)
	s.done(&a, "task::account_balance", `{"coin":"ATOM","account_index":0}`)
	require.Equal(t, addresses, textsOf(a.Addresses))
	for _, n := range []int{0, 1, 6, 7, 12} {
		require.Equal(t, s.held(addresses[n], c.Denom, 6), a.Addresses[n].Balance["ATOM"].Spendable, n)
	}

	s.succeeds(&struct{}{}, "withdraw", fmt.Sprintf(`{"coin":"ATOM","to":%q,"amount":"0.5","broadcast":true,"from":{"account_id":0,"chain":"External","address_id":7}}`, c.Empty.Address))
	require.Eventually(t, func() bool { return s.held(c.Empty.Address, c.Denom, 6) == "0.5" }, timeout, 100*time.Millisecond)
	s.refuses(400, "UnknownAccount", "withdraw", fmt.Sprintf(`{"coin":"ATOM","to":%q,"amount":"0.5","from":{"account_id":1,"chain":"External","address_id":7}}`, c.Empty.Address))

	s.kill()
	s.start("enable_hd=true")
	require.Eventually(t, func() bool { return s.call("my_balance", `{"coin":"ATOM"}`).Status == 200 }, timeout, 100*time.Millisecond)
	s.done(&a, "task::account_balance", `{"coin":"ATOM","account_index":0}`)
	require.Equal(t, addresses, textsOf(a.Addresses), "they are kept")
	require.Equal(t, "0.5", a.Addresses[4].Balance["ATOM"].Spendable)
	s.stop()
}
