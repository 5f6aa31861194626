package keys_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/mmrpc"
	"obverse/core/mmrpc/keys"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/servertest"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/export"
)

const walletPhrase = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about"

const (
	ethKey     = "0x37a37c2db4d5fb22cb93c593dde0ef2fecd3fc862dae9d1ff9ea9eb984968fa9"
	ethAddress = "0xAEeF0f62Ff189D1e4B1b62E7efF453b15d32886f"
)

func exporting(t *testing.T, passphrase string, hd bool, active *coin.Active) keys.PrivateKeys {
	t.Helper()
	var ring *key.Ring
	if passphrase != "" {
		var err error
		ring, err = key.Open(passphrase, hd)
		require.NoError(t, err)
	}
	return keys.PrivateKeys{Exporter: export.Exporter{Ring: ring, Registry: coin.NewRegistry(nil)}, Active: active}
}

func TestGetPrivateKeys(t *testing.T) {
	for _, c := range []struct {
		name, params string
		passphrase   string
		hd           bool
		status       int
		want         string
	}{
		{"one key", `{"coins":["ETH","ATOM"]}`, ethKey, false, 200, `"result":[{"coin":"ETH","pubkey":"0x`},
		{"one key, private", `{"coins":["ETH"],"mode":"iguana"}`, ethKey, false, 200, `"address":"` + ethAddress + `","priv_key":"` + ethKey + `"}]`},
		{"hd", `{"coins":["ETH"],"start_index":1,"end_index":2}`, walletPhrase, true, 200,
			`"result":[{"coin":"ETH","addresses":[{"derivation_path":"m/44'/60'/0'/0/1","pubkey":"0x`},
		{"hd, eleven addresses", `{"coins":["ATOM"],"mode":"hd","account_index":3}`, walletPhrase, true, 200, `"derivation_path":"m/44'/118'/3'/0/10"`},
		{"no coins", `{"coins":[]}`, ethKey, false, 200, `"result":[]`},
		{"unknown coin", `{"coins":["NOPE"]}`, ethKey, false, 400, `"error_type":"CoinConfigNotFound","error_data":"NOPE"`},
		{"another protocol", `{"coins":["NFT_ETH"]}`, ethKey, false, 400, `"error_type":"ProtocolParseError"`},
		{"backwards", `{"coins":["ETH"],"start_index":3,"end_index":2}`, walletPhrase, true, 400, `"error_type":"InvalidHdRange","error_data":{"start_index":3,"end_index":2}`},
		{"too many", `{"coins":["ETH"],"start_index":0,"end_index":100}`, walletPhrase, true, 400, `"error_type":"HdRangeTooLarge"`},
		{"as many as possible", `{"coins":["ETH"],"start_index":1,"end_index":100}`, walletPhrase, true, 200, `m/44'/60'/0'/0/100`},
		{"beyond the last", `{"coins":["ETH"],"start_index":2147483647,"end_index":2147483648}`, walletPhrase, true, 400, `"error_type":"InvalidHdRange"`},
		{"another mode", `{"coins":["ETH"],"mode":"hd"}`, ethKey, false, 400, `"error_type":"InvalidParametersForMode"`},
		{"another mode, hd", `{"coins":["ETH"],"mode":"iguana"}`, walletPhrase, true, 400, `"error_type":"InvalidParametersForMode"`},
		{"indexes of one key", `{"coins":["ETH"],"start_index":0}`, ethKey, false, 400, `"error_type":"InvalidParametersForMode"`},
		{"no passphrase", `{"coins":["ETH"]}`, "", false, 500, `"error_type":"KeyDerivationFailed"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), Now: time.Now}, exporting(t, c.passphrase, c.hd, nil))
			status, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request("get_private_keys", c.params)))
			require.Equal(t, c.status, status, string(reply))
			require.Contains(t, string(reply), c.want)
		})
	}
}

// ownedCoin is a coin with an address.
type ownedCoin struct {
	servertest.BareCoin
	owner account.Owner
}

func (c ownedCoin) Owner() account.Owner { return c.owner }

func TestShowPrivKey(t *testing.T) {
	b := servertest.NewCoinsBench(t, func(active *coin.Active) []mmrpc.Area { return []mmrpc.Area{exporting(t, ethKey, false, active)} })
	b.Add(t, &ownedCoin{servertest.BareCoin{Symbol: "ETH"}, account.Owner{Address: ethAddress}})
	b.Add(t, &ownedCoin{servertest.BareCoin{Symbol: "MATIC"}, account.Owner{Address: "0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0"}})
	b.Add(t, &servertest.BareCoin{Symbol: "BARE"})
	_, reply := b.Ask(t, `{"userpass":"`+mmrpctest.Userpass+`","method":"show_priv_key","coin":"ETH"}`)
	require.JSONEq(t, `{"result":{"coin":"ETH","priv_key":"`+ethKey+`"}}`, reply)
	for ticker, want := range map[string]string{"MATIC": `"error_type":"PrivKeyNotAllowed"`, "BARE": "BARE has no private key", "KMD": `"error_type":"NoSuchCoin"`} {
		_, reply := b.Ask(t, mmrpctest.Request("show_priv_key", `{"coin":"`+ticker+`"}`))
		require.Contains(t, reply, want)
		require.NotContains(t, reply, ethKey)
	}
}

func TestGetAddresses(t *testing.T) {
	for _, c := range []struct {
		name, params string
		passphrase   string
		hd           bool
		want         string
	}{
		{"one key", `{"coins":["ETH"]}`, ethKey, false, `{"addresses":[{"coin":"ETH","address":"` + ethAddress + `"}],"failed":[]}`},
		{"one that is unknown", `{"coins":["NOPE","ETH"]}`, ethKey, false,
			`{"addresses":[{"coin":"ETH","address":"` + ethAddress + `"}],"failed":[{"coin":"NOPE","error":"NOPE: the coins file has no such coin"}]}`},
		{"no coins", `{"coins":[]}`, ethKey, false, `{"addresses":[],"failed":[]}`},
		{"no passphrase", `{"coins":["ETH"]}`, "", false, `"addresses":[],"failed":[{"coin":"ETH","error":"`},
		{"another account of one key", `{"coins":["ETH"],"account_index":1}`, ethKey, false, `"addresses":[],"failed":[{"coin":"ETH","error":"the node is not an HD wallet`},
		{"another account", `{"coins":["ETH"],"account_index":1}`, walletPhrase, true, `"addresses":[{"coin":"ETH","address":"0x`},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), Now: time.Now}, exporting(t, c.passphrase, c.hd, nil))
			status, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request("get_addresses", c.params)))
			require.Equal(t, 200, status, string(reply))
			require.Contains(t, string(reply), c.want)
			require.NotContains(t, string(reply), ethKey[2:])
		})
	}
	many := `"` + strings.Repeat(`ETH","`, keys.MaxAddresses) + `ETH"`
	s := mmrpc.New(mmrpc.Options{Password: mmrpc.NewPassword(mmrpctest.Userpass), Now: time.Now}, exporting(t, ethKey, false, nil))
	status, reply := s.Serve(t.Context(), mmrpctest.Here, []byte(mmrpctest.Request("get_addresses", `{"coins":[`+many+`]}`)))
	require.Equal(t, 400, status)
	require.Contains(t, string(reply), "at most 1000 tickers")
}
