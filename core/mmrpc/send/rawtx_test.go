package send_test

import (
	"encoding/hex"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/send"
	"obverse/core/mmrpc/servertest"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/evm/wire"
)

func newRawBench(t *testing.T) *servertest.EthBench {
	t.Helper()
	b := servertest.NewEthBench(t, func(_ *servertest.EthBench, active *coin.Active) mmrpc.Area {
		return send.RawTransactions{Active: active}
	})
	status, reply := b.Ask(t, servertest.EnablingEth(`{"ticker":"BAT-ERC20"}]`))
	require.Equal(t, 200, status, reply)
	b.Eth.Nonce(servertest.EthBob, 7)
	return b
}

func TestSignRawTransaction(t *testing.T) {
	b := newRawBench(t)
	const to = `"to":"` + servertest.SwapsAt + `",`
	for _, c := range []struct{ name, tx, want string }{
		{"fees of the nodes", to + `"value":"1.5","gas_limit":"21000"`, `1500000000000000000 21000 2100000000 100000000`},
		{"gas in hexadecimal", to + `"gas_limit":"0x5208"`, `0 21000 2100000000 100000000`},
		{"one price", to + `"value":1,"gas_limit":30000,"pay_for_gas":{"tx_type":"Legacy","gas_price":"3.5"}`, `1000000000000000000 30000 3500000000 <nil>`},
		{"fees", to + `"gas_limit":21000,"data":"0xab01","pay_for_gas":{"tx_type":"Eip1559","max_fee_per_gas":"9","max_priority_fee_per_gas":"0.5"}`, `0 21000 9000000000 500000000`},
		{"a contract", `"gas_limit":99000,"data":"6001"`, `0 99000 2100000000 100000000`},
	} {
		t.Run(c.name, func(t *testing.T) {
			raw, err := hex.DecodeString(b.Signs(t, c.tx))
			require.NoError(t, err)
			sent, err := wire.Decode(raw)
			require.NoError(t, err)
			require.Equal(t, servertest.EthBob, sent.From.String())
			require.EqualValues(t, 7, sent.Nonce)
			require.EqualValues(t, 1, sent.ChainID.Uint64())
			require.Equal(t, c.name == "a contract", sent.To == nil)
			require.Equal(t, strings.Contains(c.tx, "ab01"), string(sent.Data) == "\xab\x01")
			require.Equal(t, strings.Fields(c.want), []string{sent.Value.String(), big.NewInt(int64(sent.Gas)).String(), sent.MaxFee.String(), sent.Tip.String()})
		})
	}
	for _, c := range []struct{ name, params, want string }{
		{"an inactive coin", `"coin":"MATIC","type":"ETH","tx":{"gas_limit":1,"data":"00"}`, `"error_type":"NoSuchCoin"`},
		{"another type", `"coin":"ETH","type":"UTXO","tx":{"gas_limit":1,"data":"00"}`, `"error_type":"InvalidParam","error_data":"eth type expected"`},
		{"no address", `"coin":"ETH","type":"ETH","tx":{"to":"0x12","gas_limit":1}`, `"error_type":"InvalidParam"`},
		{"too many decimals", `"coin":"ETH","type":"ETH","tx":{` + to + `"gas_limit":1,"value":"0.0000000000000000001"}`, `"error_type":"InvalidParam"`},
		{"a negative value", `"coin":"ETH","type":"ETH","tx":{` + to + `"gas_limit":1,"value":-1}`, `"error_type":"InvalidParam"`},
		{"no gas", `"coin":"ETH","type":"ETH","tx":{` + to + `"gas_limit":0}`, `tx.gas_limit`},
		{"nothing to do", `"coin":"ETH","type":"ETH","tx":{"gas_limit":1}`, `tx.to`},
		{"invalid data", `"coin":"ETH","type":"ETH","tx":{` + to + `"gas_limit":1,"data":"0x1"}`, `tx.data`},
		{"a tip above all", `"coin":"ETH","type":"ETH","tx":{` + to + `"gas_limit":1,"pay_for_gas":{"tx_type":"Eip1559","max_fee_per_gas":"1","max_priority_fee_per_gas":"2"}}`, `"error_type":"InvalidParam"`},
		{"another kind of price", `"coin":"ETH","type":"ETH","tx":{` + to + `"gas_limit":1,"pay_for_gas":{"tx_type":"Blob"}}`, `tx.pay_for_gas.tx_type`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, reply := b.Ask(t, mmrpctest.Request("sign_raw_transaction", "{"+c.params+"}"))
			require.Contains(t, reply, c.want)
		})
	}
}

// TestSignRawTransactionFee checks that the result contains the fee estimated by the nodes, and
// that a much too high estimate is refused.
func TestSignRawTransactionFee(t *testing.T) {
	b := newRawBench(t)
	sign := func(tx string) (int, string) {
		t.Helper()
		return b.Ask(t, mmrpctest.Request("sign_raw_transaction", `{"coin":"ETH","type":"ETH","tx":{"to":"`+servertest.SwapsAt+`","value":"0.001",`+tx+`}}`))
	}
	const paid = `"gas_limit":21000,"pay_for_gas":{"tx_type":"Legacy","gas_price":"20000000"}`
	status, reply := sign(`"gas_limit":21000`)
	require.Equal(t, 200, status, reply)
	require.Contains(t, reply, `"fee_details":{"type":"Eth","coin":"ETH","amount":"0.0000441","gas_limit":21000`)
	_, reply = sign(paid)
	require.NotContains(t, reply, "fee_details", "as Komodo DeFi Framework answers")
	b = newRawBench(t)
	b.Eth.Price(big.NewInt(10_000_000_000_000_000), big.NewInt(0))
	status, reply = sign(`"gas_limit":21000`)
	require.Equal(t, 400, status, reply)
	require.Contains(t, reply, `estimated fee 420 ETH exceeds the limit of 0.01 ETH; set the fee explicitly to send anyway`)
	status, _ = sign(paid)
	require.Equal(t, 200, status, "the caller set it")
	status, reply = sign(`"gas_limit":20999,"pay_for_gas":{"tx_type":"Legacy","gas_price":"2"}`)
	require.Equal(t, 400, status, reply)
	require.Contains(t, reply, "gas_limit is 20999, and the transaction uses 21000")
}

func TestGetRawTransaction(t *testing.T) {
	b := newRawBench(t)
	text := b.Signs(t, `"to":"`+servertest.SwapsAt+`","value":"0.25","gas_limit":21000`)
	raw, err := hex.DecodeString(text)
	require.NoError(t, err)
	sent, err := wire.Decode(raw)
	require.NoError(t, err)
	x := wire.Transaction{ChainID: 1, Nonce: sent.Nonce, MaxFee: sent.MaxFee, Tip: sent.Tip, Gas: sent.Gas, To: *sent.To, Value: sent.Value}
	hash := b.Eth.Take(x, [65]byte(append(raw[len(raw)-65:len(raw)-33], append(raw[len(raw)-32:], raw[len(raw)-67])...)))
	name := hex.EncodeToString(hash[:])
	for _, c := range []struct{ name, params, want string }{
		{"the coin", `"coin":"ETH","tx_hash":"` + name + `"`, `"result":{"tx_hex":"` + text + `"}`},
		{"a token", `"coin":"BAT-ERC20","tx_hash":"0x` + name + `"`, `"result":{"tx_hex":"` + text + `"}`},
		{"another hash", `"coin":"ETH","tx_hash":"` + strings.Repeat("ab", 32) + `"`, `"error_type":"HashNotExist","error_data":"abab`},
		{"no hash", `"coin":"ETH","tx_hash":"0xabcd"`, `"error_type":"InvalidHashError"`},
		{"an inactive coin", `"coin":"MATIC","tx_hash":"` + name + `"`, `"error_type":"NoSuchCoin"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, reply := b.Ask(t, mmrpctest.Request("get_raw_transaction", "{"+c.params+"}"))
			require.Contains(t, reply, c.want)
		})
	}
	b.Add(t, &servertest.BareCoin{Symbol: "OTHER"})
	for _, method := range []string{`get_raw_transaction","params":{"coin":"OTHER","tx_hash":""`, `sign_raw_transaction","params":{"coin":"OTHER","type":"ETH","tx":{"gas_limit":1}`} {
		_, reply := b.Ask(t, `{"userpass":"`+mmrpctest.Userpass+`","mmrpc":"2.0","id":5,"method":"`+method+`}}`)
		require.Contains(t, reply, `"error_type":"NotImplemented","error_data":{"coin":"OTHER"}`)
	}
	b.Eth.Fail("eth_getTransactionByHash", `{"code":-32000,"message":"missing"}`)
	_, reply := b.Ask(t, mmrpctest.Request("get_raw_transaction", `{"coin":"ETH","tx_hash":"`+name+`"}`))
	require.Contains(t, reply, `"error_type":"Transport"`)
}
