package e2e

import (
	"encoding/json"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/wallet/evm/address"
	"obverse/native/test/anvil"
	"obverse/native/test/contracts"
)

// hdPhrase is a well-known recovery phrase. Its first Ethereum address is hdFirst in all wallets.
const (
	hdPhrase = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"
	hdFirst  = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94"
)

// hdAddresses derives the first addresses of an account.
func hdAddresses(t *testing.T, account uint32, number int) (list []string) {
	t.Helper()
	ring, err := key.Open(hdPhrase, true)
	require.NoError(t, err)
	defer ring.Wipe()
	for n := range uint32(number) {
		path, err := (key.Path{44 + key.Hardened, 60 + key.Hardened}).Address(account, key.External, n)
		require.NoError(t, err)
		private, err := ring.At(path)
		require.NoError(t, err)
		a, err := address.FromKey(private.PublicKey())
		require.NoError(t, err)
		list = append(list, a.String())
	}
	return list
}

type hdBalance map[string]struct{ Spendable string }

type hdView struct {
	Index     int       `json:"account_index"`
	Total     hdBalance `json:"total_balance"`
	Addresses []struct {
		Address string
		Path    string `json:"derivation_path"`
		Balance hdBalance
	}
	New []struct{ Address string } `json:"new_addresses"`
}

func (v hdView) addresses() (list []string) {
	for _, a := range v.Addresses {
		list = append(list, a.Address)
	}
	return list
}

// awaitTask waits for the result of a task.
func (c *callee) awaitTask(into any, kind, params string) {
	c.t.Helper()
	var started struct {
		ID int `json:"task_id"`
	}
	require.NoError(c.t, json.Unmarshal(c.succeeds(kind+"::init", params), &started))
	for deadline := time.Now().Add(timeout); ; time.Sleep(50 * time.Millisecond) {
		var now struct {
			Status  string
			Details json.RawMessage
		}
		require.NoError(c.t, json.Unmarshal(c.succeeds(kind+"::status", fmt.Sprintf(`{"task_id":%d}`, started.ID)), &now))
		if now.Status == "Ok" {
			require.NoError(c.t, json.Unmarshal(now.Details, into))
			return
		}
		require.Equal(c.t, "InProgress", now.Status, "%s", now.Details)
		require.True(c.t, time.Now().Before(deadline), "%s takes too long", kind)
	}
}

// TestEthereumAccounts checks that a node finds 25 addresses of an HD wallet on a real EVM, with
// gaps between them, and still has them after a crash.
func TestEthereumAccounts(t *testing.T) {
	t.Parallel()
	l := newLaunch(t, "enable_hd=true")
	l.env[0] = "OBVERSE_PASSPHRASE=" + hdPhrase
	l.seen.hide(formsOf(t, hdPhrase, true, rpcPassword, daemonUser, daemonPassword))
	addresses := hdAddresses(t, 0, 60)
	require.Equal(t, hdFirst, addresses[0])
	n := anvil.Start(t, 1)
	token := n.Deploy(contracts.Token20, 6)
	for _, i := range []int{0, 1, 4, 20} {
		n.Give(addresses[i], big.NewInt(1e18))
	}
	n.Do(token, "mint(address,uint256)", addresses[24], 5_000_000) // only a token
	n.Give(addresses[45], big.NewInt(1e18))                        // after 20 unused addresses
	n.Give(hdAddresses(t, 1, 3)[2], big.NewInt(2e18))
	l.coins(t, fmt.Sprintf(`[{"coin":"SIX-ERC20","mm2":1,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":%q}}}]`, token))
	c := l.callee(t)

	var enabled struct {
		Wallet struct{ Accounts []hdView } `json:"wallet_balance"`
	}
	require.NoError(t, json.Unmarshal(c.succeeds("enable_eth_with_tokens", enablingEth(`[{"ticker":"SIX-ERC20"}]`, n.URL)), &enabled))
	require.Len(t, enabled.Wallet.Accounts, 1)
	first := enabled.Wallet.Accounts[0]
	require.Equal(t, addresses[:25], first.addresses())
	require.Equal(t, "4", first.Total["ETH"].Spendable)
	require.Equal(t, "5", first.Total["SIX-ERC20"].Spendable)
	require.Equal(t, "m/44'/60'/0'/0/24", first.Addresses[24].Path)

	var account hdView
	c.awaitTask(&account, "task::create_new_account", `{"coin":"ETH"}`)
	require.Equal(t, hdAddresses(t, 1, 3), account.addresses())
	require.Equal(t, "2", account.Total["ETH"].Spendable)
	kind, data := c.refuses("get_new_address", `{"coin":"ETH","account_id":1,"gap_limit":0}`)
	require.Equal(t, "InvalidRequest", kind, data)

	sent := json.RawMessage(c.succeeds("withdraw", fmt.Sprintf(`{"coin":"ETH","to":%q,"max":true,"broadcast":true,"from":{"account_id":0,"chain":"External","address_id":20}}`, addresses[4])))
	require.Contains(t, string(sent), addresses[20])
	require.Eventually(t, func() bool { return nonceAt(t, n, addresses[20], "latest") == 1 }, timeout, 50*time.Millisecond)

	c.kill()
	c = l.callee(t)
	var again hdView
	require.Eventually(t, func() bool {
		return strings.Contains(string(c.succeeds("get_enabled_coins", `{}`)), `{"ticker":"SIX-ERC20"}`)
	}, timeout, 50*time.Millisecond)
	c.awaitTask(&again, "task::account_balance", `{"coin":"ETH","account_index":0}`)
	require.Equal(t, addresses[:25], again.addresses(), "they are kept")
	c.awaitTask(&again, "task::account_balance", `{"coin":"ETH","account_index":1}`)
	require.Equal(t, account.addresses(), again.addresses())
	var found hdView
	c.awaitTask(&found, "task::scan_for_new_addresses", `{"coin":"ETH","account_index":0,"gap_limit":20}`)
	require.Empty(t, found.New)
	c.awaitTask(&found, "task::scan_for_new_addresses", `{"coin":"ETH","account_index":0,"gap_limit":21}`)
	require.Len(t, found.New, 21)
	require.Equal(t, addresses[45], slices.MaxFunc(found.New, func(a, b struct{ Address string }) int {
		return slices.Index(addresses, a.Address) - slices.Index(addresses, b.Address)
	}).Address)
	c.stop()
}
