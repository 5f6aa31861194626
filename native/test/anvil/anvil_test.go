package anvil

import (
	"encoding/hex"
	"encoding/json"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"obverse/core/text"
	"obverse/core/wallet/evm/address"
	"obverse/native/test/contracts"
)

const alice = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

// view calls a view function.
func (n *Network) view(t *testing.T, contract, signature string, arguments ...any) string {
	sum := address.Keccak([]byte(signature))
	data := "0x" + hex.EncodeToString(append(sum[:4], encode(t, arguments)...))
	var text string
	require.NoError(t, json.Unmarshal(n.Ask("eth_call", map[string]any{"to": contract, "data": data}, "latest"), &text))
	return text
}

// The contracts must have the properties on which tests rely.
func TestContracts(t *testing.T) {
	n := Start(t, 137)
	require.JSONEq(t, `"0x89"`, string(n.Ask("eth_chainId")))
	coins := n.Deploy(contracts.Token20, 6)
	beyond := new(big.Int).Lsh(big.NewInt(5), 200)
	n.Do(coins, "mint(address,uint256)", alice, beyond)
	require.Equal(t, "0x"+strings.Repeat("0", 63)+"6", n.view(t, coins, "decimals()"))
	got, ok := new(big.Int).SetString(n.view(t, coins, "balanceOf(address)", alice)[2:], 16)
	require.True(t, ok)
	require.Zero(t, beyond.Cmp(got))

	pictures := n.Deploy(contracts.Token721)
	n.Do(pictures, "mint(address,uint256,string)", alice, beyond, "ipfs://picture")
	require.True(t, strings.HasSuffix(n.view(t, pictures, "ownerOf(uint256)", beyond), strings.ToLower(alice[2:])))
	require.Contains(t, n.view(t, pictures, "tokenURI(uint256)", beyond), hex.EncodeToString([]byte("ipfs://picture")))

	many := n.Deploy(contracts.Token1155)
	n.Do(many, "mint(address,uint256,uint256,string)", alice, 7, beyond, "https://a.example/7.json")
	got, ok = new(big.Int).SetString(n.view(t, many, "balanceOf(address,uint256)", alice, 7)[2:], 16)
	require.True(t, ok)
	require.Zero(t, beyond.Cmp(got))
	require.Contains(t, n.view(t, many, "uri(uint256)", 7), hex.EncodeToString([]byte("https://a.example/7.json")))

	n.Give(alice, beyond)
	var wei string
	require.NoError(t, json.Unmarshal(n.Ask("eth_getBalance", alice, "latest"), &wei))
	require.Equal(t, text.HexNumber(beyond), wei)
	var before, after string
	require.NoError(t, json.Unmarshal(n.Ask("eth_blockNumber"), &before))
	n.Mine(3)
	require.NoError(t, json.Unmarshal(n.Ask("eth_blockNumber"), &after))
	require.NotEqual(t, before, after)
}
