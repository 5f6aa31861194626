package keys_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc"
	"obverse/core/mmrpc/keys"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/servertest"
	"obverse/core/wallet/coin"
	evm "obverse/core/wallet/evm/address"
)

// addressed is a coin with addresses in the format of EVM networks.
type addressed struct{ servertest.BareCoin }

func (addressed) ReadAddress(text string) (string, error) {
	read, err := evm.Parse(text)
	if err != nil {
		return "", &coin.InvalidError{Field: coin.FieldAddress, Reason: err}
	}
	return read.String(), nil
}

func TestAddressMethods(t *testing.T) {
	b := servertest.NewCoinsBench(t, func(active *coin.Active) []mmrpc.Area { return []mmrpc.Area{keys.Addresses{Active: active}} })
	b.Add(t, &addressed{servertest.BareCoin{Symbol: "ETH"}})
	b.Add(t, &servertest.BareCoin{Symbol: "BARE"})
	const lower, mixed = "0xaeef0f62ff189d1e4b1b62e7eff453b15d32886f", "0xAEeF0f62Ff189D1e4B1b62E7efF453b15d32886f"
	for _, c := range []struct {
		name, method, params string
		status               int
		want                 string
	}{
		{"valid", "validateaddress", `{"coin":"ETH","address":"` + mixed + `"}`, 200, `"result":{"is_valid":true}`},
		{"wrong checksum", "validateaddress", `{"coin":"ETH","address":"0xaEeF0f62Ff189D1e4B1b62E7efF453b15d32886f"}`, 200, `"result":{"is_valid":false,"reason":"Invalid address checksum"}`},
		{"no address", "validateaddress", `{"coin":"ETH","address":""}`, 200, `"result":{"is_valid":false,"reason":"an address is 0x and 40 hexadecimal digits: it must be prefixed with 0x"}`},
		{"not active", "validateaddress", `{"coin":"KMD","address":"x"}`, 404, `"error_type":"NoSuchCoin"`},
		{"without addresses", "validateaddress", `{"coin":"BARE","address":"x"}`, 400, "BARE has no addresses"},
		{"with checksum", "convertaddress", `{"coin":"ETH","from":"` + lower + `","to_address_format":{"format":"mixedcase"}}`, 200, `"result":{"address":"` + mixed + `"}`},
		{"without", "convertaddress", `{"coin":"ETH","from":"` + mixed + `","to_address_format":{"format":"singlecase"}}`, 200, `"result":{"address":"` + lower + `"}`},
		{"another format", "convertaddress", `{"coin":"ETH","from":"` + mixed + `","to_address_format":{"format":"cashaddress"}}`, 400, "mixedcase"},
		{"nothing to convert", "convertaddress", `{"coin":"ETH","from":"0x12","to_address_format":{"format":"mixedcase"}}`, 400, `"error_type":"AddressDecodingError"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, reply := b.Ask(t, mmrpctest.Request(c.method, c.params))
			require.Equal(t, c.status, status, reply)
			require.Contains(t, reply, c.want)
		})
	}
	_, reply := b.Ask(t, `{"userpass":"`+mmrpctest.Userpass+`","method":"validateaddress","coin":"ETH","address":"`+mixed+`"}`)
	require.JSONEq(t, `{"result":{"is_valid":true}}`, reply, "without mmrpc")
}

func TestConvertUTXOAddress(t *testing.T) {
	entries, problems, err := coin.ParseList([]byte(`[{"coin":"BTC","mm2":1,"pubtype":0,"p2shtype":5,"protocol":{"type":"UTXO"}}]`))
	require.NoError(t, err)
	require.Empty(t, problems)
	b := servertest.NewCoinsBench(t, func(active *coin.Active) []mmrpc.Area {
		return []mmrpc.Area{keys.Addresses{Active: active, Registry: coin.NewRegistry(entries)}}
	})
	const onKMD, onBTC = "RKxTdfmtxtfLDKZBgx6SvNkBtNu9jRYnLh", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH"
	for params, want := range map[string]string{
		`"address":"` + onKMD + `","to_coin":"BTC"`: `"result":"` + onBTC + `"`,
		`"address":"R9","to_coin":"BTC"`:            `"error_type":"AddressDecodingError"`,
		`"address":"` + onKMD + `","to_coin":"ETH"`: "ETH has no addresses of the kind of Bitcoin's",
		`"address":"` + onKMD + `","to_coin":"NO"`:  `"error_type":"NoSuchCoin"`,
	} {
		_, reply := b.Ask(t, mmrpctest.Request("convert_utxo_address", "{"+params+"}"))
		require.Contains(t, reply, want)
	}
	_, reply := b.Ask(t, mmrpctest.OldRequest("convert_utxo_address", `,"address":"`+onKMD+`","to_coin":"BTC"`))
	require.JSONEq(t, `{"result":"`+onBTC+`"}`, reply, "without mmrpc")
}
