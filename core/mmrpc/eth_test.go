package mmrpc

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/coin"
	"obverse/core/evm"
	"obverse/core/fetch"
	"obverse/core/key"
	"obverse/core/mmrpc/mmrpctest"
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
	return &evm.Activator{Active: active, Registry: coin.NewRegistry(user), Keepers: key.Keepers{ring, session{ring}, key.WatchOnly{}}, Fetcher: network, Now: time.Now}
}
