package mmrpc

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/key"
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
	"obverse/core/wallet/nft"
)

const (
	ethURL     = "https://eth.example/"
	polygonURL = "https://polygon.example/"
	swapsAt    = "0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80"
	bob        = "0xf5c3bf03cBA4E343484588932e423A7C8BFf102d"
)

// ethCoins are a user's tokens: those of documented calls, and some with something wrong.
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

func newEthActivator(t testing.TB, active *coin.Active, network fetch.Fetcher) *evm.Activator {
	t.Helper()
	user, problems, err := coin.ParseList([]byte(ethCoins))
	require.NoError(t, err)
	require.Empty(t, problems)
	ring, err := key.Open("bob passphrase", false)
	require.NoError(t, err)
	return &evm.Activator{Config: account.Config{Active: active, Registry: coin.NewRegistry(user), Providers: key.Providers{ring, session{ring}, key.WatchOnly{}},
		Fetcher: network, Now: time.Now}}
}

// ethBench is a node with coins of two EVM networks behind a server.
type ethBench struct {
	*coinsBench
	eth, polygon *evmtest.Node
	net          *nodetest.Net
	activator    *evm.Activator
}

func newEthBench(t *testing.T, more ...func(*ethBench, *coin.Active) Area) *ethBench {
	t.Helper()
	b := &ethBench{net: nodetest.NewNet()}
	b.eth, b.polygon = mmrpctest.Networks()
	b.net.Set(ethURL, b.eth.Well)
	b.net.Set(polygonURL, b.polygon.Well)
	b.coinsBench = newCoinsBench(t, func(active *coin.Active) []Area {
		b.activator = newEthActivator(t, active, b.net)
		areas := []Area{activate.Eth{Activator: b.activator}, activate.Coins{Active: active}, send.Sending{Active: active}, keys.Messages{Active: active}}
		for _, area := range more {
			areas = append(areas, area(b, active))
		}
		return areas
	})
	return b
}

func enablingEth(members string) string {
	return request("enable_eth_with_tokens", `{"ticker":"ETH","nodes":[{"url":"`+ethURL+`"}],"swap_contract_address":"`+swapsAt+`","erc20_tokens_requests":[`+members+`}`)
}

// The answer is upstream's, member by member and in its order.
func TestEnableEthWithTokens(t *testing.T) {
	const (
		owner  = `"derivation_method":{"type":"Iguana"},"pubkey":"04`
		tokens = `{"ticker":"BCH-ERC20"},{"ticker":"APE-ERC20","required_confirmations":4}]`
	)
	for _, c := range []struct{ name, members, want string }{
		{"alone", `]`, `"balances":{"spendable":"2.500000000000000001","unspendable":"0"}}},"erc20_addresses_infos":{"` + bob + `":{` + owner},
		{"with tokens", tokens, `"balances":{"APE-ERC20":{"spendable":"115792089237316195423570985008687907853269984665640564039457.584007913129639935","unspendable":"0"},` +
			`"BCH-ERC20":{"spendable":"12.345678","unspendable":"0"}}}},"nfts_infos":{}},"id":5}`},
		{"without balances", tokens + `,"get_balances":false`, `"tickers":["BCH-ERC20","APE-ERC20"]}},"nfts_infos":{}},"id":5}`},
		{"without either", `],"get_balances":false`, `"tickers":[]}},"nfts_infos":{}},"id":5}`},
		{"everything that upstream takes", `],"fallback_swap_contract":"` + swapsAt + `","swap_v2_contracts":{"maker_swap_v2_contract":"0x"},"contract_supports_watchers":true,` +
			`"mm2":1,"required_confirmations":5,"priv_key_policy":{"type":"ContextPrivKey"},"rpc_mode":"Http","path_to_address":{"account_id":0,"chain":"External","address_id":0},` +
			`"scan_policy":"scan","min_addresses_number":3,"gap_limit":20,"tx_history":true,"requires_notarization":false,"gas_station_url":"https://g.example",` +
			`"gas_station_decimals":8,"gas_station_policy":{"policy":"MeanAverageFast"},"swap_gas_fee_policy":"Medium","nft_req":null`, `"nfts_infos":{}},"id":5}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newEthBench(t)
			status, reply := b.ask(t, enablingEth(c.members))
			require.Equal(t, 200, status, reply)
			require.Contains(t, reply, `{"mmrpc":"2.0","result":{"current_block":20590537,"eth_addresses_infos":{"`+bob+`":{`+owner)
			require.Contains(t, reply, c.want)
			status, reply = b.ask(t, enablingEth(c.members))
			require.Equal(t, 400, status)
			require.Contains(t, reply, `"error_type":"PlatformIsAlreadyActivated","error_data":"ETH"`)
		})
	}
}

// nftMaker lists one NFT, or fails.
type nftMaker struct {
	fails error
	asked nft.Provider
}

type nftCoin struct {
	bareCoin
	on string
}

func (n *nftCoin) Platform() string { return n.on }

func (n *nftCoin) OnPlatform(coin.Coin) coin.Token { return n }

func (n *nftMaker) Join(_ context.Context, platform coin.Coin, p nft.Provider) (coin.Item, []nft.NFT, error) {
	n.asked = p
	if n.fails != nil {
		return coin.Item{}, nil, n.fails
	}
	made := nftCoin{bareCoin{nft.Prefix + platform.Ticker()}, platform.Ticker()}
	return coin.Item{Coin: &made}, []nft.NFT{{Token: nft.Token{Address: "0xab", ID: "7", Chain: nft.ETH}, Type: nft.ERC721, Amount: "1"}}, nil
}

func TestEnableEthWithNFTs(t *testing.T) {
	for form, gateway := range map[string]bool{
		`{"provider":{"type":"Indexer","info":{"url":"https://i.example","gateway_proxy":true}}}`: true,
		`{"provider":{"type":"Moralis","info":{"url":"https://i.example","komodo_proxy":true}}}`:  true,
		`{"type":"Moralis","info":{"url":"https://i.example"}}`:                                   false,
	} {
		b := newEthBench(t)
		status, reply := b.ask(t, enablingEth(`],"nft_req":`+form))
		require.Equal(t, 400, status)
		require.Contains(t, reply, `"error_type":"InvalidPayload","error_data":"NFTs are not supported here"`)
		maker := &nftMaker{fails: fmt.Errorf("%w: the indexer", coin.ErrTransport)}
		b.activator.NFTs = maker
		status, reply = b.ask(t, enablingEth(`],"nft_req":`+form))
		require.Equal(t, 502, status)
		require.Contains(t, reply, `"error_type":"Transport"`)
		maker.fails = nil
		status, reply = b.ask(t, enablingEth(`],"nft_req":`+form))
		require.Equal(t, 200, status, reply)
		require.Contains(t, reply, `"nfts_infos":{"0xab,7":{"token_address":"0xab","token_id":"7","chain":"ETH","contract_type":"ERC721","amount":"1"}}`)
		require.Equal(t, nft.Provider{Indexer: nft.Server{URL: "https://i.example", Gateway: gateway}}, maker.asked)
	}
	for form, data := range map[string]string{
		`5`:                                   "invalid type: integer `5`, expected " + activate.WantProvider,
		`{}`:                                  "missing field `type`",
		`{"provider":{"type":5}}`:             "invalid type: integer `5`, expected the type of a provider",
		`{"provider":{"type":"Indexer"}}`:     "missing field `info`",
		`{"provider":{},"type":"Indexer"}`:    "the provider is named twice: in provider and beside it",
		`{"type":"Indexer","info":{"url":5}}`: "invalid type: integer `5`, expected the URL of the indexer",
		`{"type":"Indexer","info":{"url":"","gateway_proxy":1}}`: "invalid type: integer `1`, expected true or false",
	} {
		status, reply := newEthBench(t).ask(t, enablingEth(`],"nft_req":`+form))
		require.Equal(t, 400, status)
		require.Contains(t, reply, `"error_type":"InvalidRequest","error_data":`+jsonString(data), form)
	}
}

// What is wrong with NFTs that come with a network is said as enable_nft says it.
func TestEnableEthWithUnavailableNFTs(t *testing.T) {
	b := newEthBench(t)
	maker := &nftMaker{}
	b.activator.NFTs = maker
	for _, url := range []string{"", "ftp://i.example", "https://", "https://u:s3cret@%zz", "https://i.example/" + strings.Repeat("a", 3000)} {
		status, reply := b.ask(t, enablingEth(`],"nft_req":{"type":"Indexer","info":{"url":"`+url+`"}}`))
		require.Equal(t, 400, status, reply)
		require.Contains(t, reply, `"error_type":"InvalidRequest"`)
		require.Contains(t, reply, `parameter \"nft_req.provider.info.url\" must be `)
		require.NotContains(t, reply, "s3cret")
	}
	require.Zero(t, maker.asked)
	for _, c := range []struct {
		fails  error
		status int
		want   string
	}{
		{nft.ErrChain, 500, `"error_type":"InternalError","error_data":"The provided string does not correspond to any of the supported blockchain types."`},
		{&nft.StoreError{Err: errDisk}, 500, `"error_type":"DbError","error_data":"a place: disk full"`},
		{&account.PlatformKindError{Platform: "ETH", Token: "NFT_ETH"}, 500,
			`"error_type":"UnsupportedPlatformCoin","error_data":{"platform_coin_ticker":"ETH","token_ticker":"NFT_ETH"}`},
		{coin.ErrNotConfigured, 400, `"error_type":"TokenConfigIsNotFound","error_data":"NFT_ETH"`},
		{errDisk, 500, `"error_type":"InternalError","error_data":"internal error, see the node's log"`},
	} {
		maker.fails = fmt.Errorf("a place: %w", c.fails)
		status, reply := b.ask(t, enablingEth(`],"nft_req":{"type":"Indexer","info":{"url":"https://i.example"}}`))
		require.Equal(t, c.status, status)
		require.Contains(t, reply, c.want)
		require.Empty(t, b.activator.Active.List())
	}
}

// Fees of EVM networks, in upstream's forms.
func TestEthFees(t *testing.T) {
	for _, c := range []struct {
		fee, want string
		data      string // of InvalidRequest
	}{
		{`{"type":"EthGas","gas_price":"3.5","gas":55000}`, "{3.5 55000}", ""},
		{`{"type":"EthGasEip1559","max_fee_per_gas":"7","max_priority_fee_per_gas":1.5,"gas_option":{"type":"Set","gas":9}}`, "{7 1.5 9}", ""},
		{`{"type":"EthGasEip1559","max_fee_per_gas":7,"max_priority_fee_per_gas":1,"gas_option":{"type":"Calc"}}`, "{7 1 0}", ""},
		{`{"type":"EthGasEip1559","max_fee_per_gas":7,"max_priority_fee_per_gas":1,"gas":8}`, "{7 1 8}", ""},
		{`{"type":"EthGasEip1559","max_fee_per_gas":7,"max_priority_fee_per_gas":1}`, "{7 1 0}", ""},
		{`{"type":"EthGas","gas":1}`, "", "missing field `gas_price`"},
		{`{"type":"EthGas","gas_price":1}`, "", "missing field `gas`"},
		{`{"type":"EthGas","gas_price":-1,"gas":1}`, "", "invalid value: integer `-1`, expected a decimal number that is not negative"},
		{`{"type":"EthGas","gas_price":1,"gas":0}`, "", "invalid value: integer `0`, expected a whole number from 1 to 18446744073709551615"},
		{`{"type":"EthGasEip1559","max_fee_per_gas":7}`, "", "missing field `max_priority_fee_per_gas`"},
		{`{"type":"EthGasEip1559","max_priority_fee_per_gas":7}`, "", "missing field `max_fee_per_gas`"},
		{`{"type":"EthGasEip1559","max_fee_per_gas":7,"max_priority_fee_per_gas":1,"gas_option":{"type":"Set"}}`, "", "missing field `gas`"},
		{`{"type":"EthGasEip1559","max_fee_per_gas":7,"max_priority_fee_per_gas":1,"gas_option":{"type":"Some"}}`, "", "unknown variant `Some`, expected one of `Set`, `Calc`"},
	} {
		b, s := newSender(t)
		status, reply := b.ask(t, request("withdraw", `{"coin":"IRIS","to":"x","amount":1,"fee":`+c.fee+`}`))
		if c.data != "" {
			require.Equal(t, 400, status)
			require.Contains(t, reply, `"error_data":`+jsonString(c.data), c.fee)
			continue
		}
		require.Equal(t, 200, status, reply)
		got := ""
		switch fee := s.asked.Fee.(type) {
		case coin.EthGas:
			got = fmt.Sprintf("{%s %d}", fee.Price, fee.Limit)
		case coin.EthGasEIP1559:
			got = fmt.Sprintf("{%s %s %d}", fee.MaxFee, fee.MaxTip, fee.Limit)
		}
		require.Equal(t, c.want, got, c.fee)
	}
}

func TestEnableERC20OnAnotherKind(t *testing.T) {
	b := newEthBench(t)
	b.activate(t, &bareCoin{"ETH"})
	status, reply := b.ask(t, request("enable_erc20", `{"ticker":"BAT-ERC20"}`))
	require.Equal(t, 500, status)
	require.Contains(t, reply, `"error_type":"UnsupportedPlatformCoin","error_data":{"platform_coin_ticker":"ETH","token_ticker":"BAT-ERC20"}`)
}
