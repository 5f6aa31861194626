package servertest

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
	"obverse/core/mmrpc"
	"obverse/core/mmrpc/activate"
	"obverse/core/mmrpc/keys"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/send"
	"obverse/core/net/fetch"
	"obverse/core/wallet/account"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/cosmos/nodetest"
	"obverse/core/wallet/evm"
	evmtest "obverse/core/wallet/evm/nodetest"
)

const (
	EthURL     = "https://eth.example/"
	PolygonURL = "https://polygon.example/"
	SwapsAt    = "0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80"
	EthBob     = "0xf5c3bf03cBA4E343484588932e423A7C8BFf102d"
)

// ethCoins are a user's tokens: the tokens of documented calls, and some with a defect.
const ethCoins = `[
	{"coin":"APE-ERC20","mm2":1,"decimals":18,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"` + mmrpctest.HugeContract + `"}}},
	{"coin":"BCH-ERC20","mm2":1,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"` + mmrpctest.SixContract + `"}}},
	{"coin":"MINDS-ERC20","mm2":1,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"` + mmrpctest.SixContract + `"}}},
	{"coin":"BUSD-ERC20","mm2":1,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"` + mmrpctest.SixContract + `"}}},
	{"coin":"BAT-ERC20","mm2":1,"required_confirmations":7,"protocol":{"type":"ERC20","protocol_data":{"platform":"ETH","contract_address":"` + mmrpctest.SixContract + `"}}},
	{"coin":"PGX-PLG20","mm2":1,"protocol":{"type":"ERC20","protocol_data":{"platform":"MATIC","contract_address":"` + mmrpctest.SixContract + `"}}},
	{"coin":"AAVE-PLG20","mm2":1,"protocol":{"type":"ERC20","protocol_data":{"platform":"MATIC","contract_address":"` + mmrpctest.HugeContract + `"}}},
	{"coin":"NONE","mm2":1},
	{"coin":"KMD","mm2":1,"protocol":{"type":"UTXO"}}
]`

// NewEthActivator returns an activator of coins with bob's key, whose nodes are reached with
// the given fetcher.
func NewEthActivator(t testing.TB, active *coin.Active, network fetch.Fetcher) *evm.Activator {
	t.Helper()
	user, problems, err := coin.ParseList([]byte(ethCoins))
	require.NoError(t, err)
	require.Empty(t, problems)
	ring, err := key.Open("bob passphrase", false)
	require.NoError(t, err)
	return &evm.Activator{Config: account.Config{Active: active, Registry: coin.NewRegistry(user), Providers: key.Providers{ring, session{ring}, key.WatchOnly{}},
		Fetcher: network, Now: time.Now}}
}

// EthBench is a node with the coins of two EVM networks, behind a server.
type EthBench struct {
	*CoinsBench
	Eth, polygon *evmtest.Node
	Net          *nodetest.Net
	Activator    *evm.Activator
}

// NewEthBench returns a bench with the areas of EVM coins and additional areas.
func NewEthBench(t *testing.T, more ...func(*EthBench, *coin.Active) mmrpc.Area) *EthBench {
	t.Helper()
	b := &EthBench{Net: nodetest.NewNet()}
	b.Eth, b.polygon = mmrpctest.Networks()
	b.Net.Set(EthURL, b.Eth.Well)
	b.Net.Set(PolygonURL, b.polygon.Well)
	b.CoinsBench = NewCoinsBench(t, func(active *coin.Active) []mmrpc.Area {
		b.Activator = NewEthActivator(t, active, b.Net)
		areas := []mmrpc.Area{activate.Eth{Activator: b.Activator}, activate.Coins{Active: active}, send.Sending{Active: active}, keys.Messages{Active: active}}
		for _, area := range more {
			areas = append(areas, area(b, active))
		}
		return areas
	})
	return b
}

// EnablingEth returns a request to enable ETH. The argument members begins inside the list of
// tokens.
func EnablingEth(members string) string {
	return mmrpctest.Request("enable_eth_with_tokens", `{"ticker":"ETH","nodes":[{"url":"`+EthURL+`"}],"swap_contract_address":"`+SwapsAt+`","erc20_tokens_requests":[`+members+`}`)
}

// Signs signs a transaction and returns it.
func (b *EthBench) Signs(t *testing.T, tx string) string {
	t.Helper()
	status, reply := b.Ask(t, mmrpctest.Request("sign_raw_transaction", `{"coin":"ETH","type":"ETH","tx":{`+tx+`}}`))
	require.Equal(t, 200, status, reply)
	_, text, _ := strings.Cut(reply, `"result":{"tx_hex":"`)
	text, _, _ = strings.Cut(text, `"`)
	return text
}
