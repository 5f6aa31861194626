package mmrpctest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/rpc"
)

// setUps bring a node into the state in which an example was recorded.
var setUps = map[string]func(testing.TB, Node){
	"stream::heartbeat::enable EnableError ClientAlreadyListening": func(t testing.TB, n Node) {
		n.Open(1)
		must(t, n, "stream::heartbeat::enable", `{"client_id":1}`)
	},
	"add_node_to_version_stat DatabaseError": func(t testing.TB, n Node) {
		must(t, n, "add_node_to_version_stat", `{"name":"other","address":"168.119.236.241","peer_id":"12D3KooWEsuiKcQaBaKEzuMtT6uFjs89P1E8MK3wGRZbeuCbCw6P"}`)
	},
	"update_version_stat_collection":            func(t testing.TB, n Node) { must(t, n, "start_version_stat_collection", `{"interval":600}`) },
	"update_version_stat_collection NotRunning": func(testing.TB, Node) {},
	"get_locked_amount NoSuchCoin":              func(testing.TB, Node) {},
	"lightning::nodes::list_trusted_nodes": func(t testing.TB, n Node) {
		enableLightning(t, n)
		must(t, n, "lightning::nodes::add_trusted_node", `{"coin":"tBTC-lightning","node_id":"038863cf8ab91046230f561cd5b386cbff8309fa02e3f0c3ed161a3aeb64a643b9"}`)
	},
	"lightning::nodes::add_trusted_node":    enableLightning,
	"lightning::nodes::remove_trusted_node": enableLightning,
	"enable_tendermint_token":               func(t testing.TB, n Node) { enableIris(t, n) },
	"enable_tendermint_token TokenIsAlreadyActivated": func(t testing.TB, n Node) {
		enableIris(t, n, "ATOM-IBC_IRIS")
	},
	"refresh_nft_metadata GetNftInfoError":              func(testing.TB, Node) {},
	"enable_eth_with_tokens PlatformIsAlreadyActivated": func(t testing.TB, n Node) { must(t, n, "enable_eth_with_tokens", ethParams) },
}

// ethParams activate ETH.
const ethParams = `{"ticker":"ETH","nodes":[{"url":"` + EthNode + `"}],"erc20_tokens_requests":[],` +
	`"swap_contract_address":"0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80"}`

// maticParams activate MATIC.
const maticParams = `{"ticker":"MATIC","nodes":[{"url":"` + PolyNode + `"}],"erc20_tokens_requests":[],` +
	`"swap_contract_address":"0x24ABE4c71FC658C91313b6552cd40cD808b3Ea80"}`

// enableLightning activates tBTC-lightning and waits until it is active.
func enableLightning(t testing.TB, n Node) {
	must(t, n, "task::enable_lightning::init", `{"ticker":"tBTC-lightning","activation_params":{"name":"mine"}}`)
	require.Eventually(t, func() bool {
		v := Vector{Method: "get_enabled_coins"}
		return strings.Contains(string(n.Call(false, []byte(n.Fill(string(v.body())))).Body), "tBTC-lightning")
	}, time.Minute, 10*time.Millisecond)
}

// enableIris activates IRIS with tokens.
func enableIris(t testing.TB, n Node, tokens ...string) {
	params := `{"ticker":"IRIS","nodes":[{"url":"` + IrisNode + `"}],"tokens_params":[`
	for i, token := range tokens {
		if i > 0 {
			params += ","
		}
		params += `{"ticker":"` + token + `"}`
	}
	must(t, n, "enable_tendermint_with_assets", params+`]}`)
}

// backstage is like setUps, for states that cannot be reached with the node's own methods.
var backstage = map[string]func(Backstage){
	"stream::disable": func(n Backstage) {
		n.Open(1)
		n.Publish(1, "BALANCE:MATIC")
	},
	"enable_tendermint_with_assets":     func(Backstage) {},                                  // the nodes in the example are public
	"lightning::nodes::connect_to_node": func(n Backstage) { n.Lightning("tBTC-lightning") }, // uses a public node
	"enable_eth_with_tokens":            func(Backstage) {},                                  // the nodes in the example are public
	"enable_nft":                        func(n Backstage) { call(n, "enable_eth_with_tokens", maticParams) },
	"refresh_nft_metadata": func(n Backstage) {
		call(n, "enable_eth_with_tokens", maticParams)
		call(n, "enable_nft", `{"ticker":"NFT_MATIC","activation_params":{"provider":{"type":"Indexer","info":{"url":"`+Indexer+`"}}}}`)
	},
	"enable_erc20":      func(n Backstage) { call(n, "enable_eth_with_tokens", ethParams) }, // its entry is not built in
	"max_maker_vol":     func(n Backstage) { n.Activate("RICK") },
	"get_enabled_coins": func(n Backstage) { n.Activate("KMD", "IRIS", "ATOM-IBC_IRIS") },
	"get_locked_amount": func(n Backstage) {
		n.Activate("DOC", "RICK")
		n.Lock("1", "DOC", "0.777", "0.00103")
		n.Lock("2", "RICK", "0.777", "0.00103")
	},
}

const anotherFile = "its coins file says something else of a coin"

// excuses lists the reasons why examples are not compared.
var excuses = map[string]string{
	"my_tx_history": "its coins are played by TestHistoryExamples of core/mmrpc",
	"start_version_stat_collection DatabaseError":       "starting writes nothing that could be there twice",
	"enable_eth_with_tokens UnexpectedPlatformProtocol": anotherFile,
	"enable_eth_with_tokens TokenProtocolParseError":    anotherFile,
	"task::init_trezor::init":                           noTrezor,
	"task::init_trezor::status":                         noTrezor,
	"task::init_trezor::cancel":                         noTrezor,
	"task::init_trezor::user_action":                    noTrezor,
	"enable_eth_with_tokens UnexpectedTokenProtocol":    anotherFile,
}

const noTrezor = "its device is played by TestTrezor of core/mmrpc/apitest"

// foreignCoins lists the coins in documented calls that no node here has. Their methods return
// only this error.
var foreignCoins = map[string][]string{
	"withdraw":       {"KMD", "RICK", "ETH", "COIN_NAME"},
	"verify_message": {"KMD"},
}

// foreign reports whether the example uses a coin in foreignCoins.
func (e Example) foreign() bool {
	ticker, _ := rpc.Unquote(memberOf(memberOf(e.Request, "params"), "coin")) // without a coin, ticker is "", which is in no list
	return slices.Contains(foreignCoins[e.Method], ticker)
}

// exampleData lists the error_data of examples whose documented data belong to another request.
var exampleData = map[string]string{
	"get_locked_amount NoSuchCoin": `{"coin":"RICK"}`, // documented with the answer for TIME
}

// exampleLacks lists members that an answer has and the example omits.
var exampleLacks = map[string]string{"version": "datetime"}

// exampleStatuses lists the statuses of kinds that have the same status in all methods here.
var exampleStatuses = map[string]int{"NoSuchCoin": 404}

// exampleKinds maps names of Komodo DeFi Framework's kinds to the names used here.
var exampleKinds = map[string]string{"PrivKeyPolicyNotAllowed": "PrivKeyNotAllowed", "Internal": "InternalError"}
