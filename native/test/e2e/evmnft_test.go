package e2e

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math/big"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"obverse/core/wallet/evm/abi"
	"obverse/core/wallet/evm/address"
	"obverse/core/wallet/nft/nfttest"
	"obverse/native/test/anvil"
	"obverse/native/test/contracts"
)

// callView calls a view function of a contract.
func callView(t *testing.T, n *anvil.Network, contract string, function uint32, words ...abi.Word) string {
	t.Helper()
	data := "0x" + hex.EncodeToString(abi.Call(function, words...))
	return text(t, n.Ask("eth_call", map[string]any{"to": contract, "data": data}, "latest"))
}

// TestWithdrawNFT sends NFTs of real contracts, and checks that NFTs of others cannot be sent.
func TestWithdrawNFT(t *testing.T) {
	t.Parallel()
	sender, _ := ethAddress(t)
	n := anvil.Start(t, 1)
	pictures, many := n.Deploy(contracts.Token721), n.Deploy(contracts.Token1155)
	n.Do(pictures, "mint(address,uint256,string)", sender, 14, "ipfs://picture")
	n.Do(pictures, "mint(address,uint256,string)", anvil.Rich, 15, "ipfs://picture")
	n.Do(many, "mint(address,uint256,uint256,string)", sender, 7, 5, "https://a.example/7.json")
	n.Give(sender, big.NewInt(3_000_000_000_000_000_000))
	c := newLaunch(t).callee(t)
	c.succeeds("enable_eth_with_tokens", enablingEth(`[]`, n.URL))
	const to = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	recipient, err := address.Parse(to)
	require.NoError(t, err)
	withdrawal := func(kind, contract, id, more string) string {
		return `{"type":"withdraw_` + kind + `","withdraw_data":{"chain":"ETH","to":"` + to + `","token_address":"` + contract + `","token_id":"` + id + `"` + more + `}}`
	}
	sends := func(params string) (done struct {
		Hex    string `json:"tx_hex"`
		Amount string
		Kind   string `json:"contract_type"`
	}) {
		require.NoError(t, json.Unmarshal(c.succeeds("withdraw_nft", params), &done))
		c.succeeds("send_raw_transaction", `{"coin":"ETH","tx_hex":"`+done.Hex+`","required_confirmations":1}`)
		return done
	}
	kind, data := c.refuses("withdraw_nft", withdrawal("erc721", pictures, "15", ""))
	require.Equal(t, "MyAddressNotNftOwner", kind)
	require.Contains(t, data, anvil.Rich)
	kind, _ = c.refuses("withdraw_nft", withdrawal("erc721", pictures, "16", ""))
	require.Equal(t, "TransactionRefused", kind, "the contract knows no such NFT")
	kind, data = c.refuses("withdraw_nft", withdrawal("erc1155", many, "7", `,"amount":"6"`))
	require.Equal(t, "NotEnoughNftsAmount", kind)
	require.Contains(t, data, `"available":"5"`)
	kind, _ = c.refuses("withdraw_nft", strings.ReplaceAll(withdrawal("erc721", pictures, "14", ""), to, many))
	require.Equal(t, "TransactionRefused", kind, "a contract that does not take it")

	require.Equal(t, "ERC721", sends(withdrawal("erc721", pictures, "14", "")).Kind)
	require.True(t, strings.HasSuffix(callView(t, n, pictures, abi.OwnerOf, abi.Uint(big.NewInt(14))), strings.ToLower(to[2:])))
	require.Equal(t, "2", sends(withdrawal("erc1155", many, "7", `,"amount":"2"`)).Amount)
	require.Equal(t, "3", sends(withdrawal("erc1155", many, "7", `,"max":true`)).Amount)
	require.True(t, strings.HasSuffix(callView(t, n, many, abi.BalanceOfID, abi.Address(recipient), abi.Uint(big.NewInt(7))), "05"))
	kind, _ = c.refuses("withdraw_nft", withdrawal("erc1155", many, "7", `,"max":true`))
	require.Equal(t, "NotEnoughNftsAmount", kind)
	ended, _ := c.stop()
	require.Zero(t, ended)
}

// TestNFTsOfTheChain checks that a node without an indexer finds the NFTs of its address in the
// logs of a real network.
func TestNFTsOfTheChain(t *testing.T) {
	t.Parallel()
	w := newNFTWorld(t)
	w.network.Do(w.pictures, "mint(address,uint256,string)", w.address, 16, "data:application/json,{\"name\":\"Drawn\"}")
	w.network.Do(w.things, "mint(address,uint256,uint256,string)", w.address, 7, 5, w.URL+"/meta/{id}")
	w.Documents[w.URL+"/meta/"+strings.Repeat("0", 63)+"7"] = nfttest.Answer{Body: []byte(`{"name":"Seven"}`)}
	w.network.Give(w.address, big.NewInt(3_000_000_000_000_000_000))
	c := newLaunch(t, `nft.private_hosts=["127.0.0.1"]`).callee(t)
	c.succeeds("enable_eth_with_tokens", enablingEth(`[]`, w.network.URL))
	var enabled struct {
		NFTs map[string]struct{ Amount string }
	}
	require.NoError(t, json.Unmarshal(c.succeeds("enable_nft", `{"ticker":"NFT_ETH","activation_params":{"provider":{"type":"Chain"}}}`), &enabled))
	require.Len(t, enabled.NFTs, 4)
	require.Equal(t, manyNFT, enabled.NFTs[w.things+","+maxNFT].Amount)
	c.succeeds("update_nft", `{"chains":["ETH"]}`)
	require.Contains(t, string(c.succeeds("get_nft_scan", `{"chain":"ETH"}`)), `"complete":true`)
	list := string(c.succeeds("get_nft_list", `{"chains":["ETH"],"max":true}`))
	for _, name := range []string{"Lighthouse", "Drawn", "Seven", "Pictures of a test"} {
		require.Contains(t, list, name)
	}
	require.JSONEq(t, `{"content_type":"image/gif","data":"`+base64.StdEncoding.EncodeToString([]byte(pixels))+`"}`, string(c.succeeds("get_nft_image", w.fourteen(""))))
	var done struct {
		Hex string `json:"tx_hex"`
	}
	require.NoError(t, json.Unmarshal(c.succeeds("withdraw_nft", `{"type":"withdraw_erc721","withdraw_data":{"chain":"ETH","to":"`+anvil.Rich+`","token_address":"`+w.pictures+`","token_id":"14"}}`), &done))
	c.succeeds("send_raw_transaction", `{"coin":"ETH","tx_hex":"`+done.Hex+`","required_confirmations":1}`)
	c.succeeds("update_nft", `{"chains":["ETH"]}`)
	require.NotContains(t, string(c.succeeds("get_nft_list", `{"chains":["ETH"],"max":true}`)), "Lighthouse")
	require.Contains(t, string(c.succeeds("get_nft_transfers", `{"chains":["ETH"],"max":true,"filters":{"send":true}}`)), `"total":1`)
	kind, data := c.refuses("update_nft", `{"chains":["ETH"],"contracts":["`+w.pictures+`"]}`)
	require.Equal(t, "InvalidRequest", kind)
	require.Contains(t, data, "enumeration")
}

// floodCode returns the code of a contract that reports an address as the owner of every NFT, and
// that logs transfers of ERC-721 to the address: flood(uint256 first, uint256 count).
func floodCode(owner string) string {
	transfer := address.Keccak([]byte("Transfer(address,address,uint256)"))
	sender := strings.ToLower(owner[2:])
	return "0x3660441460245773" + sender + "60005260206000f35b6004356024355b8015607b578173" + sender + "60007f" + hex.EncodeToString(transfer[:]) +
		"60006000a4600190039060010190602b565b00"
}

// TestFloodOfNFTs checks that thousands of NFTs of hostile contracts exclude other NFTs neither
// from the list nor from the transfers, and that the responses report that NFTs are missing.
func TestFloodOfNFTs(t *testing.T) {
	t.Parallel()
	w := newNFTWorld(t)
	spam := []string{"0x00000000000000000000000000000000000f100d", "0x00000000000000000000000000000000000F200D"}
	for _, contract := range spam {
		w.network.Ask("anvil_setCode", contract, floodCode(w.address))
		w.network.Do(contract, "flood(uint256,uint256)", 1, 2_100)
	}
	c := newLaunch(t).callee(t)
	c.succeeds("enable_eth_with_tokens", enablingEth(`[]`, w.network.URL))
	c.succeeds("enable_nft", `{"ticker":"NFT_ETH","activation_params":{"provider":{"type":"Chain"}}}`)
	const list = `{"chains":["ETH"],"max":true,"limit":10000}`
	require.True(t, strings.Contains(string(c.succeeds("get_nft_list", list)), w.pictures), "one that came before the flood")
	w.network.Do(w.pictures, "mint(address,uint256,string)", w.address, 16, "data:application/json,{\"name\":\"Late\"}")
	var answer json.RawMessage
	require.Eventually(t, func() bool { // the heights of the nodes are polled
		c.succeeds("update_nft", `{"chains":["ETH"],"fetch_metadata":false}`)
		answer = c.succeeds("get_nft_list", list)
		return strings.Contains(string(answer), `"Late"`)
	}, 5*time.Minute, time.Second, "one that came after it")
	var nfts struct {
		Total      int
		Incomplete []struct{ Of, Reason string }
	}
	require.NoError(t, json.Unmarshal(answer, &nfts))
	require.Equal(t, 2_000, nfts.Total)
	require.Equal(t, "[{ETH TooMany}]", fmt.Sprint(nfts.Incomplete))
	require.Contains(t, string(c.succeeds("get_nft_scan", `{"chain":"ETH"}`)), `"complete":false,"reason":"TooMany"`)
	transfers := c.succeeds("get_nft_transfers", list)
	require.True(t, strings.Contains(string(transfers), w.pictures))
	require.True(t, strings.HasSuffix(string(transfers), `"incomplete":[{"of":"ETH","reason":"TooMany"}]}`))
}
