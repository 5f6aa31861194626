package activate_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/mmrpc/activate"
	"obverse/core/mmrpc/mmrpctest"
	"obverse/core/mmrpc/servertest"
	"obverse/core/wallet/coin"
	"obverse/core/wallet/nft"
)

// TestEnableEthWithTokens checks that the answer has the members of Komodo DeFi Framework's in
// the same order.
func TestEnableEthWithTokens(t *testing.T) {
	const (
		owner  = `"derivation_method":{"type":"Iguana"},"pubkey":"04`
		tokens = `{"ticker":"BCH-ERC20"},{"ticker":"APE-ERC20","required_confirmations":4}]`
	)
	for _, c := range []struct{ name, members, want string }{
		{"alone", `]`, `"balances":{"spendable":"2.500000000000000001","unspendable":"0"}}},"erc20_addresses_infos":{"` + servertest.EthBob + `":{` + owner},
		{"with tokens", tokens, `"balances":{"APE-ERC20":{"spendable":"115792089237316195423570985008687907853269984665640564039457.584007913129639935","unspendable":"0"},` +
			`"BCH-ERC20":{"spendable":"12.345678","unspendable":"0"}}}},"nfts_infos":{}},"id":5}`},
		{"without balances", tokens + `,"get_balances":false`, `"tickers":["BCH-ERC20","APE-ERC20"]}},"nfts_infos":{}},"id":5}`},
		{"without either", `],"get_balances":false`, `"tickers":[]}},"nfts_infos":{}},"id":5}`},
		{"everything that upstream takes", `],"fallback_swap_contract":"` + servertest.SwapsAt + `","swap_v2_contracts":{"maker_swap_v2_contract":"0x"},"contract_supports_watchers":true,` +
			`"mm2":1,"required_confirmations":5,"priv_key_policy":{"type":"ContextPrivKey"},"rpc_mode":"Http","path_to_address":{"account_id":0,"chain":"External","address_id":0},` +
			`"scan_policy":"scan","min_addresses_number":3,"gap_limit":20,"tx_history":true,"requires_notarization":false,"gas_station_url":"https://g.example",` +
			`"gas_station_decimals":8,"gas_station_policy":{"policy":"MeanAverageFast"},"swap_gas_fee_policy":"Medium","nft_req":null`, `"nfts_infos":{}},"id":5}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := servertest.NewEthBench(t)
			status, reply := b.Ask(t, servertest.EnablingEth(c.members))
			require.Equal(t, 200, status, reply)
			require.Contains(t, reply, `{"mmrpc":"2.0","result":{"current_block":20590537,"eth_addresses_infos":{"`+servertest.EthBob+`":{`+owner)
			require.Contains(t, reply, c.want)
			status, reply = b.Ask(t, servertest.EnablingEth(c.members))
			require.Equal(t, 400, status)
			require.Contains(t, reply, `"error_type":"PlatformIsAlreadyActivated","error_data":"ETH"`)
		})
	}
}

// nftMaker activates an NFT network with one NFT, or fails.
type nftMaker struct {
	fails     error
	requested nft.Provider
}

type nftCoin struct {
	servertest.BareCoin
	on string
}

func (n *nftCoin) Platform() string { return n.on }

func (n *nftCoin) OnPlatform(coin.Coin) coin.Token { return n }

func (n *nftMaker) Join(_ context.Context, platform coin.Coin, p nft.Provider) (coin.Item, []nft.NFT, error) {
	n.requested = p
	if n.fails != nil {
		return coin.Item{}, nil, n.fails
	}
	made := nftCoin{servertest.BareCoin{Symbol: nft.Prefix + platform.Ticker()}, platform.Ticker()}
	return coin.Item{Coin: &made}, []nft.NFT{{Token: nft.Token{Address: "0xab", ID: "7", Chain: nft.ETH}, Type: nft.ERC721, Amount: "1"}}, nil
}

func TestEnableEthWithNFTs(t *testing.T) {
	for form, gateway := range map[string]bool{
		`{"provider":{"type":"Indexer","info":{"url":"https://i.example","gateway_proxy":true}}}`: true,
		`{"provider":{"type":"Moralis","info":{"url":"https://i.example","komodo_proxy":true}}}`:  true,
		`{"type":"Moralis","info":{"url":"https://i.example"}}`:                                   false,
	} {
		b := servertest.NewEthBench(t)
		status, reply := b.Ask(t, servertest.EnablingEth(`],"nft_req":`+form))
		require.Equal(t, 400, status)
		require.Contains(t, reply, `"error_type":"InvalidPayload","error_data":"NFTs are not supported here"`)
		maker := &nftMaker{fails: fmt.Errorf("%w: the indexer", coin.ErrTransport)}
		b.Activator.NFTs = maker
		status, reply = b.Ask(t, servertest.EnablingEth(`],"nft_req":`+form))
		require.Equal(t, 502, status)
		require.Contains(t, reply, `"error_type":"Transport"`)
		maker.fails = nil
		status, reply = b.Ask(t, servertest.EnablingEth(`],"nft_req":`+form))
		require.Equal(t, 200, status, reply)
		require.Contains(t, reply, `"nfts_infos":{"0xab,7":{"token_address":"0xab","token_id":"7","chain":"ETH","contract_type":"ERC721","amount":"1"}}`)
		require.Equal(t, nft.Provider{Indexer: nft.Server{URL: "https://i.example", Gateway: gateway}}, maker.requested)
	}
	for form, data := range map[string]string{
		`5`:                                   "invalid type: integer `5`, expected " + activate.WantProvider,
		`{}`:                                  "missing field `type`",
		`{"provider":{"type":5}}`:             "invalid type: integer `5`, expected the type of a provider",
		`{"provider":{"type":"Indexer"}}`:     "missing field `info`",
		`{"provider":{},"type":"Indexer"}`:    "the provider is named twice: in provider and next to it",
		`{"type":"Indexer","info":{"url":5}}`: "invalid type: integer `5`, expected the URL of the indexer",
		`{"type":"Indexer","info":{"url":"","gateway_proxy":1}}`: "invalid type: integer `1`, expected true or false",
	} {
		status, reply := servertest.NewEthBench(t).Ask(t, servertest.EnablingEth(`],"nft_req":`+form))
		require.Equal(t, 400, status)
		require.Contains(t, reply, `"error_type":"InvalidRequest","error_data":`+mmrpctest.Quote(data), form)
	}
}

// TestEnableEthWithUnavailableNFTs checks that NFTs activated with a network fail with the
// errors of enable_nft.
func TestEnableEthWithUnavailableNFTs(t *testing.T) {
	b := servertest.NewEthBench(t)
	maker := &nftMaker{}
	b.Activator.NFTs = maker
	for _, url := range []string{"", "ftp://i.example", "https://", "https://u:s3cret@%zz", "https://i.example/" + strings.Repeat("a", 3000)} {
		status, reply := b.Ask(t, servertest.EnablingEth(`],"nft_req":{"type":"Indexer","info":{"url":"`+url+`"}}`))
		require.Equal(t, 400, status, reply)
		require.Contains(t, reply, `"error_type":"InvalidRequest"`)
		require.Contains(t, reply, `parameter \"nft_req.provider.info.url\" must be `)
		require.NotContains(t, reply, "s3cret")
	}
	require.Zero(t, maker.requested)
	full := errors.New("disk full")
	for _, c := range []struct {
		fails  error
		status int
		want   string
	}{
		{nft.ErrChain, 500, `"error_type":"InternalError","error_data":"The provided string does not correspond to any of the supported blockchain types."`},
		{&nft.StoreError{Err: full}, 500, `"error_type":"DbError","error_data":"a place: disk full"`},
		{&coin.PlatformKindError{Platform: "ETH", Token: "NFT_ETH"}, 500,
			`"error_type":"UnsupportedPlatformCoin","error_data":{"platform_coin_ticker":"ETH","token_ticker":"NFT_ETH"}`},
		{coin.ErrNotConfigured, 400, `"error_type":"TokenConfigIsNotFound","error_data":"NFT_ETH"`},
		{full, 500, `"error_type":"InternalError","error_data":"internal error, see the node's log"`},
	} {
		maker.fails = fmt.Errorf("a place: %w", c.fails)
		status, reply := b.Ask(t, servertest.EnablingEth(`],"nft_req":{"type":"Indexer","info":{"url":"https://i.example"}}`))
		require.Equal(t, c.status, status)
		require.Contains(t, reply, c.want)
		require.Empty(t, b.Activator.Active.List())
	}
}

func TestEnableERC20OnAnotherKind(t *testing.T) {
	b := servertest.NewEthBench(t)
	b.Add(t, &servertest.BareCoin{Symbol: "ETH"})
	status, reply := b.Ask(t, mmrpctest.Request("enable_erc20", `{"ticker":"BAT-ERC20"}`))
	require.Equal(t, 500, status)
	require.Contains(t, reply, `"error_type":"UnsupportedPlatformCoin","error_data":{"platform_coin_ticker":"ETH","token_ticker":"BAT-ERC20"}`)
}
