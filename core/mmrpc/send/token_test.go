package send_test

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/send"
	"obverse/core/mmrpc/servertest"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/evm/wire"
)

// newContract is the contract of a token that is not in the coins file.
const newContract = "0x52908400098527886E0F7030069857D2E4169EE7"

// dai is the result of symbol() of a token called DAI.
var dai, _ = hex.DecodeString(strings.Repeat("0", 62) + "20" + strings.Repeat("0", 62) + "03" + "444149" + strings.Repeat("0", 58))

func newTokenBench(t *testing.T) *servertest.EthBench {
	t.Helper()
	b := servertest.NewEthBench(t, func(b *servertest.EthBench, active *coin.Active) mmrpc.Area {
		return send.Tokens{Active: active, Registry: b.Activator.Registry}
	})
	b.Eth.Deploy(newContract, 18).Name(newContract, dai).GiveToken(newContract, servertest.EthBob, "1500000000000000000")
	status, reply := b.Ask(t, servertest.EnablingEth(`{"ticker":"BAT-ERC20"}]`))
	require.Equal(t, 200, status, reply)
	return b
}

func protocolOf(contract string) string {
	return `"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"` + contract + `"}}`
}

func TestGetTokenInfo(t *testing.T) {
	b := newTokenBench(t)
	for _, c := range []struct{ name, params, want string }{
		{"unknown", protocolOf(newContract), `{"mmrpc":"2.0","result":{"type":"ERC20","info":{"symbol":"DAI","decimals":18}},"id":5}`},
		{"in the coins file", protocolOf(mmrpctest.HugeContract), `"config_ticker":"APE-ERC20","type":"ERC20","info":{"symbol":"","decimals":18}`}, // the symbol is empty
		{"no contract", protocolOf(servertest.SwapsAt), `"error_type":"RetrieveInfoError","error_data":"`},
		{"no address", protocolOf("0x12"), `parameter \"protocol.protocol_data.contract_address\"`},
		{"inactive platform", strings.ReplaceAll(protocolOf(newContract), `"ETH"`, `"MATIC"`), `"error_type":"NoSuchCoin","error_data":{"coin":"MATIC"}`},
		{"a platform that is a token", strings.ReplaceAll(protocolOf(newContract), `"ETH"`, `"BAT-ERC20"`),
			`"error_type":"UnsupportedTokenProtocol","error_data":{"protocol":"BAT-ERC20"}`},
		{"another protocol", `"protocol":{"type":"ETH","protocol_data":{"chain_id":1}}`, `"error_type":"UnsupportedTokenProtocol","error_data":{"protocol":"ETH"}`},
		{"no data", `"protocol":{"type":"ERC20"}`, "missing field `protocol_data`"},
		{"nothing", ``, "missing field `protocol`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, reply := b.Ask(t, mmrpctest.Request("get_token_info", "{"+c.params+"}"))
			require.Contains(t, reply, c.want)
		})
	}
	b.Eth.Name(mmrpctest.HugeContract, append([]byte("APE"), make([]byte, 29)...))
	_, reply := b.Ask(t, mmrpctest.Request("get_token_info", "{"+protocolOf(strings.ToLower(mmrpctest.HugeContract))+"}"))
	require.Contains(t, reply, `"result":{"config_ticker":"APE-ERC20","type":"ERC20","info":{"symbol":"APE","decimals":18}}`, "older tokens return 32 bytes")
}

func enablingToken(ticker, more string) string {
	return mmrpctest.Request("enable_erc20", `{"ticker":"`+ticker+`","activation_params":{}`+more+`}`)
}

func TestCustomToken(t *testing.T) {
	b := newTokenBench(t)
	_, reply := b.Ask(t, enablingToken("NEW-ERC20", ""))
	require.Contains(t, reply, `"error_type":"TokenConfigIsNotFound"`)
	for _, c := range []struct{ name, ticker, contract, want string }{
		{"a ticker of the coins file", "BAT-ERC20", newContract, `"error_type":"TokenIsAlreadyActivated"`},
		{"an inactive one", "APE-ERC20", newContract, `"error_type":"CustomTokenError","error_data":{"DuplicateTickerInConfig":{"ticker_in_config":"APE-ERC20"}}`},
		{"a contract of the coins file", "MINE", strings.ToLower(mmrpctest.HugeContract),
			`"error_type":"CustomTokenError","error_data":{"DuplicateContractInConfig":{"ticker_in_config":"APE-ERC20"}}`},
		{"no contract", "MINE", servertest.SwapsAt, `"error_type":"CouldNotFetchBalance"`},
		{"no ticker", "MI NE", newContract, `"error_type":"InvalidRequest"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, reply := b.Ask(t, enablingToken(c.ticker, ","+protocolOf(c.contract)))
			require.Contains(t, reply, c.want)
		})
	}
	status, reply := b.Ask(t, enablingToken("NEW-ERC20", ","+protocolOf(newContract)))
	require.Equal(t, 200, status, reply)
	require.Contains(t, reply, `"balances":{"`+servertest.EthBob+`":{"spendable":"1.5","unspendable":"0"}},"platform_coin":"ETH","token_contract_address":"`+strings.ToLower(newContract)+`"`)
	_, reply = b.Ask(t, enablingToken("NEW-ERC20", ","+protocolOf(newContract)))
	require.Contains(t, reply, `"error_type":"TokenIsAlreadyActivated"`)
	status, reply = b.Ask(t, enablingToken("OTHER", ","+protocolOf(newContract)))
	require.Equal(t, 400, status)
	require.Contains(t, reply, `"error_data":{"TokenWithSameContractAlreadyActivated":{"ticker":"NEW-ERC20","contract_address":"`+strings.ToLower(newContract)+`"}}`)
	_, reply = b.Ask(t, mmrpctest.Request("my_balance", `{"coin":"NEW-ERC20"}`))
	require.Contains(t, reply, `"balance":"1.5"`)
}

// TestCustomTokenWithPlatform checks that a platform can be activated together with a custom
// token, and that both fail together.
func TestCustomTokenWithPlatform(t *testing.T) {
	b := servertest.NewEthBench(t)
	_, reply := b.Ask(t, servertest.EnablingEth(`{"ticker":"APE-ERC20",`+protocolOf(newContract)+`}]`))
	require.Contains(t, reply, `"error_type":"CustomTokenError"`)
	b.Eth.Deploy(newContract, 2).GiveToken(newContract, servertest.EthBob, "150")
	_, reply = b.Ask(t, servertest.EnablingEth(`{"ticker":"NEW-ERC20",`+protocolOf(newContract)+`}]`))
	require.Contains(t, reply, `"NEW-ERC20":{"spendable":"1.5","unspendable":"0"}`)
}

// TestCustomTokenProtocols checks the errors for invalid protocols, and for an address without
// an ERC-20 contract.
func TestCustomTokenProtocols(t *testing.T) {
	b := newTokenBench(t)
	const kind, rootstock = `"type":"ERC20"`, "0x5aaEB6053f3e94c9b9a09f33669435E7ef1bEAeD" // checksummed by EIP-1191
	for _, c := range []struct{ name, protocol, want string }{
		{"no contract", protocolOf(""), `\"\": an address is 0x and 40 hexadecimal digits: it must be prefixed with 0x (parameter \"protocol.protocol_data.contract_address\"`},
		{"a short one", protocolOf("0x0"), `\"0x0\": an address is 0x and 40 hexadecimal digits: it has 1 digits (parameter \"protocol.protocol_data.contract_address\"`},
		{"a wrong checksum", protocolOf(strings.Replace(newContract, "E", "e", 1)), "Invalid address checksum (parameter"},
		{"the checksum of another network", protocolOf(rootstock), "Invalid address checksum (parameter"},
		{"that of Rootstock", strings.Replace(protocolOf(rootstock), `"ETH"`, `"RBTC"`, 1), `"error_type":"PlatformCoinIsNotActivated"`},
		{"nothing", `"protocol":{}`, "missing field `type` (parameter \\\"protocol\\\" must be an object with the type"},
		{"no data", `"protocol":{` + kind + `}`, "missing field `protocol_data`"},
		{"a number", `"protocol":{` + kind + `,"protocol_data":{"platform":"ETH","contract_address":5}}`, "invalid type: integer `5`, expected a string"},
		{"no token", protocolOf(servertest.SwapsAt), "not an ERC-20 token: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, method := range []string{"enable_erc20", "task::enable_erc20::init"} {
				if (c.name == "no token" || c.name == "that of Rootstock") && method != "enable_erc20" {
					continue // the task reports the error
				}
				status, reply := b.Ask(t, mmrpctest.Request(method, `{"ticker":"MINE","activation_params":{},`+c.protocol+`}`))
				require.Equal(t, 400, status, "%s %s", method, reply)
				require.Contains(t, reply, c.want, method)
			}
		})
	}
}

// TestContractsThatRefuse checks that a contract that reverts results in an error of the
// request, while nodes that do not answer are reported as unreachable.
func TestContractsThatRefuse(t *testing.T) {
	b := newTokenBench(t)
	allowance, info := mmrpctest.Request("get_token_allowance", `{"coin":"BAT-ERC20","spender":"`+servertest.SwapsAt+`"}`), mmrpctest.Request("get_token_info", "{"+protocolOf(newContract)+"}")
	for message, refused := range map[string]bool{`{"code":3,"message":"execution reverted: paused"}`: true, `{"code":-32000,"message":"invalid opcode: INVALID"}`: true,
		`{"code":-32015,"message":"VM execution error."}`: true, `{"code":-32000,"message":"header not found"}`: false} {
		b.Eth.Fail("eth_call", message)
		for _, ask := range []string{allowance, info} {
			status, reply := b.Ask(t, ask)
			require.Equal(t, refused, status == 400, "%s %s", message, reply)
			require.Equal(t, !refused, status == 500, "%s %s", message, reply)
		}
	}
	for _, spender := range []string{"", "0x0", "bad"} {
		status, reply := b.Ask(t, mmrpctest.Request("approve_token", `{"coin":"BAT-ERC20","spender":"`+spender+`","amount":1}`))
		require.Equal(t, 400, status)
		require.Contains(t, reply, `invalid spender: \"`+spender+`\": an address is 0x and 40 hexadecimal digits`)
	}
}

func TestAllowances(t *testing.T) {
	b := newTokenBench(t)
	b.Eth.Allow(mmrpctest.SixContract, "2500000")
	_, reply := b.Ask(t, mmrpctest.Request("get_token_allowance", `{"coin":"BAT-ERC20","spender":"`+servertest.SwapsAt+`"}`))
	require.Contains(t, reply, `"result":"2.5"`)
	status, reply := b.Ask(t, mmrpctest.Request("approve_token", `{"coin":"BAT-ERC20","spender":"`+servertest.SwapsAt+`","amount":"1.5"}`))
	require.Equal(t, 200, status, reply)
	sent, err := wire.Decode(b.Eth.Raw(servertest.EthBob))
	require.NoError(t, err)
	require.Equal(t, mmrpctest.SixContract, sent.To.String())
	require.Equal(t, "095ea7b3"+strings.Repeat("0", 24)+strings.ToLower(servertest.SwapsAt[2:])+strings.Repeat("0", 58)+"16e360", hex.EncodeToString(sent.Data))
	require.Contains(t, reply, `"result":"0x`)
	before := b.Eth.Sent()
	for _, c := range []struct{ name, method, params, want string }{
		{"an inactive coin", "approve_token", `"coin":"APE-ERC20","spender":"` + servertest.SwapsAt + `","amount":1`, `"error_type":"NoSuchCoin"`},
		{"no token", "approve_token", `"coin":"ETH","spender":"` + servertest.SwapsAt + `","amount":1`, `"error_type":"CoinNotSupported","error_data":{"coin":"ETH"}`},
		{"no address", "approve_token", `"coin":"BAT-ERC20","spender":"0x","amount":1`, `"error_type":"InvalidParam"`},
		{"the zero address", "get_token_allowance", `"coin":"BAT-ERC20","spender":"0x0000000000000000000000000000000000000000"`, `"error_type":"InvalidParam"`},
		{"a negative amount", "approve_token", `"coin":"BAT-ERC20","spender":"` + servertest.SwapsAt + `","amount":-1`, `"error_type":"InvalidParam"`},
		{"too many decimals", "approve_token", `"coin":"BAT-ERC20","spender":"` + servertest.SwapsAt + `","amount":"0.0000001"`, `"error_type":"InvalidParam"`},
		{"no amount", "approve_token", `"coin":"BAT-ERC20","spender":"` + servertest.SwapsAt + `"`, "missing field `amount`"},
		{"null for an amount", "approve_token", `"coin":"BAT-ERC20","spender":"` + servertest.SwapsAt + `","amount":null`, "missing field `amount`"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, reply := b.Ask(t, mmrpctest.Request(c.method, "{"+c.params+"}"))
			require.Contains(t, reply, c.want)
		})
	}
	b.Eth.Give(servertest.EthBob, "1")
	b.Net.Set(servertest.EthURL, b.Eth.Well)
	_, reply = b.Ask(t, mmrpctest.Request("approve_token", `{"coin":"BAT-ERC20","spender":"`+servertest.SwapsAt+`","amount":"1"}`))
	require.Contains(t, reply, `"error_type":"TransactionError"`)
	require.Contains(t, reply, "Not enough ETH")
	b.Eth.Fail("eth_estimateGas", `{"code":3,"message":"execution reverted: paused"}`)
	_, reply = b.Ask(t, mmrpctest.Request("approve_token", `{"coin":"BAT-ERC20","spender":"`+servertest.SwapsAt+`","amount":"1"}`))
	require.Contains(t, reply, `"error_type":"TransactionRefused"`)
	require.Contains(t, reply, "paused")
	require.Equal(t, before, b.Eth.Sent())
}

// TestApproveAtAHighFee checks that the error for a high fee does not ask for an explicit fee,
// which approve_token does not support.
func TestApproveAtAHighFee(t *testing.T) {
	b := newTokenBench(t)
	b.Eth.Give(servertest.EthBob, "1000000000000000000000").Price(big.NewInt(200_000_000_000_000), big.NewInt(1))
	_, reply := b.Ask(t, mmrpctest.Request("approve_token", `{"coin":"BAT-ERC20","spender":"`+servertest.SwapsAt+`","amount":"1"}`))
	require.Contains(t, reply, " ETH; try again when the network's fees are lower")
	require.NotContains(t, reply, "explicitly")
	require.Zero(t, b.Eth.Sent())
}

// TestApproveFromNonZero uses a token that, like USDT, allows a change of an allowance only if
// it is 0.
func TestApproveFromNonZero(t *testing.T) {
	b := newTokenBench(t)
	approve := func(amount string) string {
		_, reply := b.Ask(t, mmrpctest.Request("approve_token", `{"coin":"BAT-ERC20","spender":"`+servertest.SwapsAt+`","amount":"`+amount+`"}`))
		return reply
	}
	const help = "set the allowance to 0 first"
	b.Eth.Allow(mmrpctest.SixContract, "1000000").Fail("eth_estimateGas", `{"code":3,"message":"execution reverted"}`)
	reply := approve("2")
	require.Contains(t, reply, `"error_type":"TransactionRefused"`)
	require.Contains(t, reply, help)
	require.NotContains(t, approve("0"), help)
	b.Eth.Allow(mmrpctest.SixContract, "0")
	require.NotContains(t, approve("2"), help)
	b.Eth.Fail("eth_estimateGas", "")
	require.Contains(t, approve("2"), `"result":"0x`)
	b.Eth.Return(mmrpctest.SixContract, make([]byte, 32))
	require.Contains(t, approve("3"), "the contract's approve returns false")
	require.Equal(t, 1, b.Eth.Sent())
}

func TestSwapGasFeePolicy(t *testing.T) {
	b := newTokenBench(t)
	ask := func(method, params string) string {
		_, reply := b.Ask(t, mmrpctest.Request(method, params))
		return reply
	}
	require.Contains(t, ask("get_swap_gas_fee_policy", `{"coin":"ETH"}`), `"result":"Legacy"`)
	require.Contains(t, ask("set_swap_gas_fee_policy", `{"coin":"ETH","swap_gas_fee_policy":"High"}`), `"result":"High"`)
	require.Contains(t, ask("get_swap_gas_fee_policy", `{"coin":"ETH"}`), `"result":"High"`)
	require.Contains(t, ask("get_swap_gas_fee_policy", `{"coin":"BAT-ERC20"}`), `"result":"Legacy"`, "each coin has its own")
	require.Contains(t, ask("set_swap_gas_fee_policy", `{"coin":"ETH","swap_gas_fee_policy":"Highest"}`), `"error_type":"InvalidRequest"`)
	require.Contains(t, ask("set_swap_gas_fee_policy", `{"coin":"KMD"}`), `"error_type":"NoSuchCoin"`)
	require.Contains(t, ask("get_swap_gas_fee_policy", `{"coin":"ETH"}`), `"result":"High"`)
	ask("disable_coin", `{"coin":"ETH","force_disable":true}`)
	_, reply := b.Ask(t, strings.Replace(servertest.EnablingEth(`]`), `"ticker"`, `"swap_gas_fee_policy":"Medium","ticker"`, 1))
	require.Contains(t, reply, `"current_block"`)
	require.Contains(t, ask("get_swap_gas_fee_policy", `{"coin":"ETH"}`), `"result":"Medium"`)
}

// TestFindTokens checks 120 contracts in three batches. Two of the contracts fail, and the
// tokens that are held must be found.
func TestFindTokens(t *testing.T) {
	b := newTokenBench(t)
	var contracts []string
	for i := range 118 {
		at := fmt.Sprintf("0x%040x", 0xabc000+i)
		b.Eth.Deploy(at, 18)
		contracts = append(contracts, at)
	}
	b.Eth.GiveToken(contracts[0], servertest.EthBob, "7").GiveToken(contracts[117], servertest.EthBob, "1")
	contracts = append(contracts, newContract, servertest.SwapsAt, "0x12")
	list, err := json.Marshal(contracts)
	require.NoError(t, err)
	ask := func(coin, list string) string {
		_, reply := b.Ask(t, mmrpctest.Request("find_tokens", `{"coin":"`+coin+`","contracts":`+list+`}`))
		return reply
	}
	var reply struct {
		Result send.FoundTokens `json:"result"`
	}
	require.NoError(t, json.Unmarshal([]byte(ask("ETH", string(list))), &reply))
	held := map[string]string{}
	for _, one := range reply.Result.Held {
		held[strings.ToLower(one.Contract)] = one.Units
	}
	require.Equal(t, map[string]string{contracts[0]: "7", contracts[117]: "1", strings.ToLower(newContract): "1500000000000000000"}, held)
	require.Len(t, reply.Result.Failed, 2)
	require.Equal(t, "0x12", reply.Result.Failed[0].Contract)
	require.Equal(t, servertest.SwapsAt, reply.Result.Failed[1].Contract)

	require.Contains(t, ask("MATIC", `[]`), `"error_type":"NoSuchCoin"`)
	require.Contains(t, ask("BAT-ERC20", `[]`), `"error_type":"UnsupportedTokenProtocol"`)
	require.Contains(t, ask("ETH", `["`+strings.Repeat(newContract+`","`, send.MaxContracts)+newContract+`"]`), "at most 1000 addresses")
	b.Eth.Fail("eth_call", `{"code":-32000,"message":"header not found"}`)
	require.Contains(t, ask("ETH", `["`+contracts[5]+`"]`), `"held":[],"failed":[{"contract":"`, "what a server does not say is not an empty wallet")
	b.Net.Set(servertest.EthURL, nodetest.Busy(30))
	require.Contains(t, ask("ETH", `["`+contracts[6]+`"]`), `"error_type":"RetrieveInfoError"`)
}
